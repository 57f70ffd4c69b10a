#include "draws.hpp"

#include <rapidcheck.h>

#include <array>
#include <cmath>
#include <ostream>
#include <utility>

#include "generators/floats.hpp"
#include "generators/integers.hpp"
#include "generators/laws.hpp"
#include "generators/numbers.hpp"
#include "generators/pairs.hpp"
#include "notes.hpp"

namespace embedscale::properties::testing {
namespace {

/// A handle of it.
template <class T>
Domain<T> domain_of(rc::Gen<T> generator) {
  return Domain<T>(std::make_shared<const rc::Gen<T>>(std::move(generator)));
}

template <class T>
const rc::Gen<T>& generator_of(const Domain<T>& domain) {
  return *static_cast<const rc::Gen<T>*>(domain.generator());
}

/// A place in a list, shown by its name.
struct Choice {
  std::size_t place;
  const char* name;
};
std::ostream& operator<<(std::ostream& out, const Choice& choice) { return out << choice.name; }

}  // namespace

template <class T>
T named(const std::string& name, const Domain<T>& domain) {
  return generators::named(name, generator_of(domain));
}

std::size_t one_of(const std::string& name, std::initializer_list<const char*> names) {
  const std::vector<const char*> all(names);
  const auto choices =
      rc::gen::map(generators::in_range<std::size_t>(0, all.size()), [all](std::size_t i) {
        return Choice{i, all[i]};
      });
  return (*choices.as(name)).place;
}

std::uint64_t every(const std::string& name, std::uint64_t points) {
  return *rc::gen::just(Notes::current().judged_cases % points).as(name);
}

template <class T>
Domain<T> in_range(T lowest, T end) {
  return domain_of(generators::in_range(lowest, end));
}

Domain<Rational> rationals() { return domain_of(generators::rationals()); }
Domain<Rational> nonzero_rationals() { return domain_of(generators::nonzero_rationals()); }
Domain<Rational> positive_rationals() { return domain_of(generators::positive_rationals()); }
Domain<std::vector<Rational>> channels(std::size_t size) {
  return domain_of(generators::channels(size));
}
Domain<std::uint64_t> widths(domain::Widths range) { return domain_of(generators::widths(range)); }
Domain<std::uint64_t> widths_by_size(const domain::Widths& range) {
  return domain_of(generators::widths_by_size(range));
}
Domain<std::uint64_t> even_widths(std::uint64_t least, std::uint64_t most) {
  return domain_of(generators::even_widths(least, most));
}
Domain<std::uint64_t> multiples(std::uint64_t factor, const domain::Widths& range) {
  return domain_of(generators::multiples(factor, range));
}
Domain<std::uint64_t> integers(const domain::Integers& range) {
  return domain_of(generators::integers(range));
}
Domain<std::int64_t> positions(const domain::Integers& range) {
  return domain_of(generators::positions(range));
}
Domain<std::uint64_t> draws() { return domain_of(generators::draws()); }
Domain<double> scales() { return domain_of(generators::scales()); }
Domain<domain::Law> laws() { return domain_of(generators::laws()); }
double factor() {
  const auto d = named("d for c", widths_by_size({1, 1 << 14}));
  const auto kind = named("c: root d, 1/root d, any", in_range(0, 3));
  const auto any = named("any c", scales());
  const bool negative = named("c below 0", in_range(0, 2)) != 0;
  const double root = std::sqrt(static_cast<double>(d));
  const double c = kind == 0 ? root : kind == 1 ? 1 / root : any;
  return negative ? -c : c;
}

template <class Real>
Domain<Real> floats(const domain::Mixture& mixture) {
  return domain_of(generators::floats<Real>(mixture));
}

template <class Real>
Domain<domain::Pair<Real>> sized_pairs(const Real& m, const domain::Mixture& mixture) {
  return domain_of(generators::sized_pairs(m, mixture));
}

template <class Real>
Domain<domain::Cancelling<Real>> cancelling(const Real& m) {
  return domain_of(generators::cancelling(m));
}

template <class T>
Domain<std::vector<T>> list_of(std::size_t size, const Domain<T>& domain) {
  return domain_of(rc::gen::container<std::vector<T>>(size, generator_of(domain)));
}

template <class T, class From>
Domain<T> mapped(const Domain<From>& domain, std::function<T(const From&)> f) {
  return domain_of(rc::gen::map(generator_of(domain), std::move(f)));
}

template <class T>
Domain<T> mapped(const Domain<int>& first, const Domain<int>& second,
                 std::function<T(int, int)> f) {
  return domain_of(
      rc::gen::map(rc::gen::pair(generator_of(first), generator_of(second)),
                   [f](const std::pair<int, int>& parts) { return f(parts.first, parts.second); }));
}

// What topics draw.
template int named(const std::string&, const Domain<int>&);
template std::int64_t named(const std::string&, const Domain<std::int64_t>&);
template std::uint64_t named(const std::string&, const Domain<std::uint64_t>&);
template Rational named(const std::string&, const Domain<Rational>&);
template std::vector<int> named(const std::string&, const Domain<std::vector<int>>&);
template std::vector<Rational> named(const std::string&, const Domain<std::vector<Rational>>&);
template std::array<std::int64_t, 2> named(const std::string&,
                                           const Domain<std::array<std::int64_t, 2>>&);
template domain::Law named(const std::string&, const Domain<domain::Law>&);
template Domain<int> in_range(int, int);
template Domain<std::int64_t> in_range(std::int64_t, std::int64_t);
template Domain<std::uint64_t> in_range(std::uint64_t, std::uint64_t);
template Domain<std::vector<int>> list_of(std::size_t, const Domain<int>&);
template Domain<std::vector<Rational>> list_of(std::size_t, const Domain<Rational>&);
template Domain<int> mapped(const Domain<int>&, std::function<int(const int&)>);
template Domain<std::uint64_t> mapped(const Domain<int>&, std::function<std::uint64_t(const int&)>);
template Domain<Rational> mapped(const Domain<Rational>&, std::function<Rational(const Rational&)>);
template Domain<std::vector<Rational>> mapped(
    const Domain<std::vector<Rational>>&,
    std::function<std::vector<Rational>(const std::vector<Rational>&)>);
template Domain<Rational> mapped(const Domain<int>&, const Domain<int>&,
                                 std::function<Rational(int, int)>);
template Domain<std::array<std::int64_t, 2>> mapped(
    const Domain<int>&, const Domain<int>&, std::function<std::array<std::int64_t, 2>(int, int)>);

#define EMBEDSCALE_DRAW_FLOATS(Real)                                                        \
  template Real named(const std::string&, const Domain<Real>&);                             \
  template Domain<Real> floats(const domain::Mixture&);                                     \
  template domain::Pair<Real> named(const std::string&, const Domain<domain::Pair<Real>>&); \
  template Domain<domain::Pair<Real>> sized_pairs(const Real&, const domain::Mixture&);     \
  template domain::Cancelling<Real> named(const std::string&,                               \
                                          const Domain<domain::Cancelling<Real>>&);         \
  template Domain<domain::Cancelling<Real>> cancelling(const Real&);
EMBEDSCALE_DRAW_FLOATS(double)
EMBEDSCALE_DRAW_FLOATS(float)
EMBEDSCALE_DRAW_FLOATS(binary16)
EMBEDSCALE_DRAW_FLOATS(bfloat16)
#undef EMBEDSCALE_DRAW_FLOATS

}  // namespace embedscale::properties::testing
