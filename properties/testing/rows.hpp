#pragma once
// Rows of numbers as people have them and as formats end: of ordinary sizes, beside the smallest
// and the largest number, far from 0, cancelling. Bodies compare what becomes of them with
// primitives::Values.
#include <embedscale/embedding.hpp>
#include <embedscale/format.hpp>
#include <embedscale/random.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "../over.hpp"
#include "../primitives/values.hpp"
#include "draws.hpp"
#include "holds.hpp"

namespace embedscale::properties::testing {

/// Calls visit.operator()<Real>() for one of the formats. Something has to be judged in half of
/// each one's cases at least; what, `judge` says.
template <class... Reals, class Visit>
void in_one_format(const Visit& visit) {
  const auto which = one_of("format", {number_name<Reals>().data()...});
  std::size_t place = 0;
  (covers(number_name<Reals>(), which == place++, 0.5 / sizeof...(Reals)), ...);
  place = 0;
  ((which == place++ ? visit.template operator()<Reals>() : void()), ...);
}

template <class Primitives>
using BodyOf = void (*)(const Primitives& subject);

/// What `of_one_format` returns: converts to the body that a row holds.
template <class Body, class... Reals>
struct OfOneFormat {
  template <class Primitives>
  operator BodyOf<Primitives>() const {
    return [](const Primitives& subject) {
      in_one_format<Reals...>([&]<class Real>() { Body{}(subject.template of<Real>()); });
    };
  }
};

/// The body of a property that draws in one of these formats: body(operations).
/// Requires a lambda without captures.
template <class... Reals, class Body>
constexpr OfOneFormat<Body, Reals...> of_one_format(Body) {
  return {};
}

/// Calls visit.operator()<Real>() for each of these.
template <class... Reals, class Visit>
void in_each_format(const Visit& visit) {
  (visit.template operator()<Reals>(), ...);
}

/// The exponents of normal numbers. 50 digits have more than the binary64 that they are drawn in.
template <class Real>
constexpr int lowest_exponent = std::max(std::numeric_limits<Real>::min_exponent, -1021) - 1;
template <class Real>
constexpr int highest_exponent = std::min(std::numeric_limits<Real>::max_exponent, 1024) - 1;

/// So many terms that γ_n is at most an eighth or so: 32 of bfloat16, 256 of binary16, else 2048.
template <class Real>
constexpr std::uint64_t most_terms =
    std::uint64_t{1} << std::min(std::numeric_limits<Real>::digits - 3, 11);

/// "d", on a logarithmic scale.
template <class Real>
std::uint64_t drawn_width(std::uint64_t least = 1, std::uint64_t most = most_terms<Real>) {
  return named("d", widths_by_size({least, std::min(most, most_terms<Real>)}));
}

/// An exponent of an ordinary size, of one beside the smallest normal number, the subnormal ones
/// included, or of one beside the largest, `room` below it.
template <class Real>
int drawn_exponent(int room = 0) {
  const auto size = one_of("size", {"ordinary", "beside the smallest", "beside the largest"});
  const int more = named("exponent", in_range(0, 16));
  covers("ordinary", size == 0, 0.2);
  covers("beside the smallest", size == 1, 0.1);
  covers("beside the largest", size == 2, 0.1);
  return size == 0   ? more - 8
         : size == 1 ? lowest_exponent<Real> - 8 + more
                     : highest_exponent<Real> - room - more / 2;
}

/// A number of either sign, below 2^exponent in size.
template <class Real>
Real drawn_number(const Stream& stream, std::uint64_t index, int exponent) {
  return static_cast<Real>(std::ldexp(2 * stream.uniform(index) - 1, exponent));
}
template <class Real>
std::vector<Real> drawn_row(const Stream& stream, std::size_t n, int exponent) {
  std::vector<Real> x;
  for (std::uint64_t j = 0; j < n; ++j) x.push_back(drawn_number<Real>(stream, j, exponent));
  return x;
}

/// A factor times a row for each of `rows`; the products with `x` of ordinary sizes, beside the
/// smallest or beside the largest number, evenly by both or by one alone; and each second one takes
/// all but a small part of the one before away, or none does.
template <class Real>
struct Products {
  std::vector<Real> x, rows;
};
template <class Real>
Products<Real> drawn_products(std::size_t d, std::size_t rows) {
  const Stream of_x(named("x", draws()), "x"), of_rows(named("rows", draws()), "rows");
  const int exponent = drawn_exponent<Real>(static_cast<int>(std::bit_width(d)) + 1);
  const bool evenly = one_of("size is of", {"both", "one"}) == 0;
  const bool cancelling = one_of("signs", {"any", "cancelling"}) == 1;
  covers("cancelling", cancelling, 0.2);
  const int first = evenly ? exponent / 2 : exponent;
  Products<Real> out{drawn_row<Real>(of_x, d, first),
                     drawn_row<Real>(of_rows, rows * d, exponent - first)};
  for (std::size_t k = 1; cancelling && k < rows * d; ++k)
    if (const auto j = k % d; j % 2 == 1) {
      out.x[j] = out.x[j - 1];
      out.rows[k] = static_cast<Real>(static_cast<double>(out.rows[k - 1]) *
                                      -(1 - of_rows.uniform(k, 1) / 64));
    }
  return out;
}

/// Judges what of() gives by what is right where that says something. That is a class of the
/// property for each name in each format, whatever else holds in a case: a half of the cases of a
/// format is a tenth of all, where there are five of them.  of: a vector of numbers.
template <class Of>
void judge(const char* name, const primitives::Values& right, const Of& of, double share = 0.1) {
  using Real = typename decltype(of())::value_type;
  covers(std::string(name) + " in " + std::string(number_name<Real>()), right.are_bounded(), share);
  if (right.are_bounded()) holds(right.share_of(primitives::wide(of())));
}

/// The same of an operation that returns one number: what is right is right(rounding, x…), what is
/// judged of(x…).
template <class... Given>
void judge_result(const char* name, const auto& right, const auto& of, const Given&... x) {
  using Real = decltype(of(x...));
  judge(name, right(primitives::rounding_of<Real>(), primitives::wide(x)...),
        [&] { return std::vector{of(x...)}; });
}

/// A token, a position and a factor; the sum m·e + p nearly cancels, or not.
template <class Real>
struct Parts {
  Real e, p, m;
};
template <class Real>
Parts<Real> drawn_parts() {
  const Stream stream(named("e, p, m", draws()), "parts");
  const int exponent = drawn_exponent<Real>(8);
  const bool cancelling = one_of("signs", {"any", "cancelling"}) == 1;
  covers("cancelling", cancelling, 0.2);
  const auto m = drawn_number<Real>(stream, 0, 6), e = drawn_number<Real>(stream, 1, exponent);
  const double opposite = -static_cast<double>(m) * static_cast<double>(e);
  return {e,
          cancelling ? static_cast<Real>(opposite * (1 + stream.uniform(2) / 64))
                     : drawn_number<Real>(stream, 2, exponent),
          m};
}

/// m·e + p, as an operation joins a token and a position.  combine: (e, p, m) to a number.
template <class Real, class Combine>
void judge_input(const Combine& combine) {
  const auto [e, p, m] = drawn_parts<Real>();
  judge_result("input", primitives::multiplied_up, combine, e, p, m);
}

/// Both ways to combine a token and a position, and their sum, as combination's operations do.
template <class Real, class Operations>
Parts<Real> judge_combined(const Operations& of) {
  const auto parts = drawn_parts<Real>();
  const auto& [e, p, m] = parts;
  judge_result("up", primitives::multiplied_up, of.up, e, p, m);
  judge_result("down", primitives::divided_down, of.down, e, p, m);
  judge_result("sum", primitives::sum, of.sum, e, p);
  return parts;
}

/// m times a row of a table of two.  look_up: as EmbeddingTable has it.
template <class Real, class LookUp>
void judge_look_up(const LookUp& look_up) {
  const auto d = drawn_width<Real>(1, 64);
  const Stream stream(named("table", draws()), "table");
  const auto values = drawn_row<Real>(stream, 2 * d, drawn_exponent<Real>(8));
  const auto m = drawn_number<Real>(stream, 2 * d, 6);
  const EmbeddingTable<Real> table(2, d, values);
  const auto token = named("token", in_range<std::size_t>(0, 2));
  judge("look-up",
        primitives::products(primitives::rounding_of<Real>(), primitives::wide(table.row(token)),
                             primitives::wide(m)),
        [&] {
          std::vector<Real> out(d);
          look_up(table, token, m, std::span<Real>(out));
          return out;
        });
}

/// A row with a mean of up to most·2^exponent, and deviations as much smaller as one draws.
template <class Real>
std::vector<Real> drawn_row_around(std::size_t n, int exponent) {
  const Stream stream(named("x", draws()), "row");
  // As far off as rounding in a sum of n terms leaves most of the deviation.
  const int most = std::numeric_limits<Real>::digits - 2 - static_cast<int>(std::bit_width(n));
  const bool off = one_of("mean", {"near 0", "far from 0"}) == 1;
  const int far = named("log2 mean/deviation", in_range(1, std::max(most, 2)));
  covers("mean far from 0", off, 0.2);
  const double centre = off ? std::ldexp(stream.bits(n) % 2 == 0 ? 1.0 : -1.0, exponent - 1) : 0.0;
  std::vector<Real> x;
  for (std::uint64_t j = 0; j < n; ++j) {
    const double deviation = std::ldexp(2 * stream.uniform(j) - 1, exponent - 1 - (off ? far : 0));
    x.push_back(static_cast<Real>(centre + deviation));
  }
  return x;
}

}  // namespace embedscale::properties::testing
