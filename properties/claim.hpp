#pragma once
// A claim: what people believe, what is stated in its place, and what would settle it.
#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

namespace embedscale::properties {

/// How a claim is settled, strongest first.
enum class Kind {
  exact,       ///< rational or algebraic identity
  exhaustive,  ///< every input of a finite set
  bounded,     ///< a derived rounding bound, with the share of it that the worst case found uses
  quadrature,  ///< a closed form or an integral
  statistical  ///< declared false-alarm rate, declared power
};

constexpr std::string_view name_of(Kind kind) {
  constexpr std::array<std::string_view, 5> names{"exact", "exhaustive", "bounded", "quadrature",
                                                  "statistical"};
  return names[static_cast<std::size_t>(kind)];
}

enum class Status {
  evaluated,  ///< has properties, mutants, a measure and a section in a report
  planned     ///< its id is taken; nothing is said about its truth yet
};

/// Up to eight names; the empty ones at the end do not count. (An initializer_list member would not
/// survive in a constexpr aggregate.)
using Names = std::array<std::string_view, 8>;

constexpr std::size_t count(const Names& names) {
  return static_cast<std::size_t>(std::ranges::find(names, std::string_view{}) - names.begin());
}

/// The unit of a count, which is exact and shown in full.
inline constexpr std::string_view counted = "count";

/// Of a threshold that is said to be enough: the whole number that is not below the upper end of
/// its interval, rounded up to so many digits.
struct Enough {
  int digits;
};

/// What an analysis measures of a claim, and how it is shown wherever it stands.
struct Quantity {
  std::string_view name;
  int digits = 4;  ///< significant ones that the reports commit to; a count has all
  std::string_view unit = "1";
  bool is_enough = false;

  constexpr Quantity() = default;
  constexpr Quantity(const char* of, int to_digits = 4, std::string_view in = "1")
      : name(of), digits(to_digits), unit(in) {}
  constexpr Quantity(const char* of, std::string_view in) : name(of), unit(in) {}
  constexpr Quantity(const char* of, Enough to)
      : name(of), digits(to.digits), unit(counted), is_enough(true) {}
};

struct Claim {
  std::string_view id;      ///< "topic.predicate": permanent, other people's pages cite it
  std::string_view said;    ///< the belief, as people put it
  std::string_view states;  ///< what we assert in its place; the properties assert exactly this
  Kind kind = Kind::exact;
  Names asked_in = {};    ///< keys of sources.hpp
  Names cites = {};       ///< keys of sources.hpp
  Quantity measures[12];  ///< the rows of results.json
  Quantity shows[12];     ///< what its page shows beside them, curves for instance
  Status status = Status::evaluated;

  constexpr std::string_view topic() const { return id.substr(0, id.find('.')); }
  /// The quantity of that name; nullptr where it is not declared.
  constexpr const Quantity* quantity(std::string_view name) const {
    for (const auto* of : {measures, shows})
      for (const auto* q = of; q != of + 12 && !q->name.empty(); ++q)
        if (q->name == name) return q;
    return nullptr;
  }
  constexpr bool publishes(std::string_view name) const {
    return std::ranges::find(measures, name, &Quantity::name) != std::end(measures);
  }
};

}  // namespace embedscale::properties
