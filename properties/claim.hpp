#pragma once
// A claim: what people believe, what is stated in its place, and what would settle it.
#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

namespace embedscale::properties {

/// How a claim is settled, strongest first.
enum class Kind {
  exact,        ///< rational or algebraic identity
  exhaustive,   ///< every input of a finite set
  bounded,      ///< a derived rounding bound, with the share of it that the worst case found uses
  quadrature,   ///< a closed form or an integral
  statistical,  ///< declared false-alarm rate, declared power
  read,         ///< systems as read from their sources
  trained       ///< paired runs of a training study
};

inline constexpr std::array<std::string_view, 7> names_of_kinds{
    "exact", "exhaustive", "bounded", "quadrature", "statistical", "read", "trained"};

constexpr std::string_view name_of(Kind kind) {
  return names_of_kinds[static_cast<std::size_t>(kind)];
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

/// What an analysis measures of a claim, and how it is shown wherever it stands.
struct Quantity {
  std::string_view name;
  int digits = 4;  ///< significant ones that the reports commit to; a count has all
  std::string_view unit = "1";
  /// Of a threshold that is said to be enough: it is the whole number that is not below the upper
  /// end of its interval, rounded up to so many digits.
  bool is_enough = false;

  constexpr Quantity() = default;
  /// "name", "name:3", "name:3:nat", "name:count" or "name:enough:3".
  constexpr explicit Quantity(std::string_view text) {
    const auto part = [&text] {
      const auto one = text.substr(0, text.find(':'));
      text.remove_prefix(std::min(text.size(), one.size() + 1));
      return one;
    };
    name = part();
    auto shown = part();
    is_enough = shown == "enough";
    if (shown == counted || is_enough) unit = counted, shown = part();
    if (shown.size() > 1 || (!shown.empty() && (shown < "1" || shown > "9")) || name.empty())
      throw std::invalid_argument("a quantity has a name and one to nine digits");
    if (!shown.empty()) digits = shown[0] - '0';
    if (const auto told = part(); !told.empty()) unit = told;
  }
};

/// Up to sixteen quantities, told with a comma between: "share:2, misses:count".
class Quantities {
 public:
  constexpr Quantities() = default;
  constexpr Quantities(const char* told) {
    for (std::string_view left = told; !left.empty();) {
      const auto one = left.substr(0, left.find(','));
      left.remove_prefix(std::min(left.size(), one.size() + 2));
      all_.at(size_++) = Quantity(one);
    }
  }
  constexpr const Quantity* begin() const { return all_.data(); }
  constexpr const Quantity* end() const { return begin() + size_; }
  /// The quantity of that name; nullptr where there is none.
  constexpr const Quantity* find(std::string_view name) const {
    const auto* found = std::ranges::find(*this, name, &Quantity::name);
    return found == end() ? nullptr : found;
  }

 private:
  std::array<Quantity, 16> all_{};
  std::size_t size_ = 0;
};

struct Claim {
  std::string_view id;      ///< "topic.predicate": permanent, other people's pages cite it
  std::string_view said;    ///< the belief, as people put it
  std::string_view states;  ///< what we assert in its place; the properties assert exactly this
  Kind kind = Kind::exact;
  Names asked_in = {};       ///< keys of sources.hpp
  Names cites = {};          ///< keys of sources.hpp
  Quantities measures = {};  ///< the rows of results.json
  Quantities shows = {};     ///< what its page shows beside them, curves for instance
  Status status = Status::evaluated;

  constexpr std::string_view topic() const { return id.substr(0, id.find('.')); }
  /// The quantity of that name; nullptr where it is not declared.
  constexpr const Quantity* quantity(std::string_view name) const {
    const auto* measured = measures.find(name);
    return measured ? measured : shows.find(name);
  }
  constexpr bool publishes(std::string_view name) const { return measures.find(name) != nullptr; }
};

}  // namespace embedscale::properties
