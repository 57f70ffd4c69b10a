#include "draws.hpp"

#include <cmath>
#include <ostream>
#include <tuple>
#include <utility>

#include "generators/drawn.hpp"
#include "notes.hpp"

namespace embedscale::properties::testing {
namespace {

/// A place in a list, shown by its name.
struct Choice {
  std::size_t place;
  std::string name;
};
std::ostream& operator<<(std::ostream& out, const Choice& choice) { return out << choice.name; }

/// RapidCheck's ramp of sizes would make the first cases degenerate.
template <class T>
rc::Gen<T> uniform(T lowest, T end) {
  return rc::gen::resize(100, rc::gen::inRange<T>(lowest, end));
}

/// Fractions of the domain from `lowest` in size.
Domain<Rational> signed_rationals(int lowest) {
  return domain_of(rc::gen::map(
      rc::gen::tuple(uniform(lowest, domain::Rationals::largest_numerator + 1),
                     uniform(1, domain::Rationals::largest_denominator + 1), uniform(0, 2)),
      [](const std::tuple<int, int, int>& parts) {
        const auto [n, k, negative] = parts;
        return Rational(negative != 0 ? -n : n) / Rational(k);
      }));
}

}  // namespace

std::size_t one_of(const std::string& name, const std::vector<std::string>& names) {
  // RapidCheck copies what it maps by several times a case.
  const auto choices =
      rc::gen::map(uniform<std::size_t>(0, names.size()),
                   [of = std::make_shared<const std::vector<std::string>>(names)](std::size_t i) {
                     return Choice{i, (*of)[i]};
                   });
  return (*choices.as(name)).place;
}

std::uint64_t every(const std::string& name, std::uint64_t points) {
  return *rc::gen::just(Notes::current().judged_cases % points).as(name);
}

template <class T>
Domain<T> in_range(T lowest, T end) {
  return domain_of(uniform(lowest, end));
}

Domain<Rational> rationals() { return signed_rationals(0); }
Domain<Rational> nonzero_rationals() { return signed_rationals(1); }
Domain<Rational> positive_rationals() {
  return mapped<Rational>(in_range(1, domain::Rationals::largest_numerator + 1),
                          in_range(1, domain::Rationals::largest_denominator + 1),
                          [](int n, int k) { return Rational(n) / Rational(k); });
}
Domain<std::vector<Rational>> channels(std::size_t size) { return list_of(size, rationals()); }

Domain<std::uint64_t> integers(const domain::Integers& range) {
  return domain_of(generators::drawn_from(
      [range](const Stream& stream, std::uint64_t index) {
        return domain::any_integer(stream, index, range);
      },
      [range](std::uint64_t n) { return generators::smaller(n, range.lowest); }));
}
Domain<std::int64_t> positions(const domain::Integers& range) {
  return mapped<std::int64_t, std::uint64_t>(
      integers(range), [](const std::uint64_t& p) { return static_cast<std::int64_t>(p); });
}
Domain<std::uint64_t> multiples(std::uint64_t factor, const domain::Widths& range) {
  return mapped<std::uint64_t, std::uint64_t>(
      integers({(range.lowest + factor - 1) / factor, range.highest / factor}),
      [factor](const std::uint64_t& q) { return factor * q; });
}
Domain<std::uint64_t> widths_by_size(const domain::Widths& range) { return multiples(1, range); }
Domain<std::uint64_t> widths(domain::Widths range) {
  return in_range(range.lowest, range.highest + 1);
}
Domain<std::uint64_t> even_widths(std::uint64_t least, std::uint64_t most) {
  return mapped<std::uint64_t, std::uint64_t>(in_range(least, most + 1),
                                              [](const std::uint64_t& half) { return 2 * half; });
}
Domain<std::uint64_t> draws() { return in_range<std::uint64_t>(0, std::uint64_t{1} << 40); }

Domain<double> scales() { return floats<double>(domain::law_scales); }
Domain<domain::Law> laws() {
  return domain_of(
      rc::gen::map(rc::gen::tuple(uniform(0, 5), generator_of(scales()),
                                  generator_of(integers(domain::vocabularies)),
                                  generator_of(integers(domain::table_widths))),
                   [](const std::tuple<int, double, std::uint64_t, std::uint64_t>& parts) {
                     const auto [place, scale, vocabulary, d] = parts;
                     return domain::law_of(static_cast<std::size_t>(place), scale, vocabulary, d);
                   }));
}
double factor() {
  const auto d = named("d for c", widths_by_size({1, 1 << 14}));
  const auto kind = named("c: root d, 1/root d, any", in_range(0, 3));
  const auto any = named("any c", scales());
  const bool negative = named("c below 0", in_range(0, 2)) != 0;
  const double root = std::sqrt(static_cast<double>(d));
  const double c = kind == 0 ? root : kind == 1 ? 1 / root : any;
  return negative ? -c : c;
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

}  // namespace embedscale::properties::testing
