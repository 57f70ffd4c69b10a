#pragma once
// What the claims about porting are about: the recipe, the order of channels, what becomes of what
// an optimiser remembers and of its settings, and clipping.
#include <embedscale/clipping.hpp>
#include <embedscale/embedding.hpp>
#include <embedscale/format.hpp>
#include <embedscale/optimizer.hpp>
#include <embedscale/porting.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <variant>

#include "../optimizer/path.hpp"

namespace embedscale::properties::porting {

using domain::Rational;
using optimizer::Memory;
using optimizer::Optimiser;
using optimizer::Wide;

/// What moves a parameter.
template <Scalar Real>
struct Rule {
  Optimiser<Real> by;
  bool by_schedule = false;  ///< AdamW whose learning rate is η, as PyTorch has it
};

/// What is remembered of an entry that was multiplied by s, whichever optimiser it is.
template <Scalar Real>
Memory<Real> carried(Parameter, const Memory<Real>& memory, const Real& s) {
  return {embedscale::carried(memory.velocity, s), embedscale::carried(memory.moments, s)};
}

/// The settings of a parameter that was multiplied by s: those of |s|.
template <Scalar Real>
Rule<Real> folded(Parameter, const Rule<Real>& rule, const Real& s) {
  const Real size = s < Real(0) ? Real(-s) : s;
  const auto fold = [&]<class By>(const By& by) -> Optimiser<Real> {
    if constexpr (std::is_same_v<By, AdamW<Real>>)
      if (rule.by_schedule) return embedscale::folded_by_schedule(by, size);
    return embedscale::folded(by, size);
  };
  return {std::visit(fold, rule.by), rule.by_schedule};
}

/// The format that a code computes in.
enum class Computing { binary32, binary16, bfloat16 };

/// The multiplier as code in this format has it: m = fl(√d).
inline double rounded_root(std::uint64_t d, Computing in) {
  return in == Computing::binary32   ? static_cast<double>(root_multiplier<float>(d))
         : in == Computing::binary16 ? static_cast<double>(root_multiplier<binary16>(d))
                                     : static_cast<double>(root_multiplier<bfloat16>(d));
}

template <Scalar Real>
struct RationalOperations {
  Operation<Recipe<Real>(const Convention<Real>& from, const Convention<Real>& to,
                         std::optional<FactorPlace> place)>
      recipe = embedscale::recipe<Real>;
  Operation<std::size_t(std::size_t j, std::size_t d, SinusoidalLayout from, SinusoidalLayout to)>
      channel_of = embedscale::channel_of;
  Operation<Memory<Real>(Parameter of, const Memory<Real>& memory, const Real& s)> carried =
      porting::carried<Real>;
  /// The way back: an entry for code that multiplies by m.
  Operation<Real(const Real& e, const Real& m)> divided = [](const Real& e, const Real& m) {
    return Real(e / m);
  };
  Operation<Rule<Real>(Parameter of, const Rule<Real>& rule, const Real& s)> folded =
      porting::folded<Real>;

  void list(Members& to) { EMBEDSCALE_LIST(to, recipe, channel_of, carried, divided, folded); }
};

/// Two gradients, each times min(1, max_norm/N) with the norm N of both.
template <AnalyticScalar Real>
void clip_by_global_norm(std::span<Real> first, std::span<Real> second, const Real& max_norm) {
  const std::array<GradientPart<Real>, 2> both{{{first}, {second}}};
  const Real factor = embedscale::clipping_factor<Real>(both, max_norm);
  for (Real& g : first) g = factor * g;
  for (Real& g : second) g = factor * g;
}

template <Scalar Real>
struct Operations : RationalOperations<Real> {};

template <AnalyticScalar Real>
struct Operations<Real> : RationalOperations<Real> {
  Operation<Real(std::span<const GradientPart<Real>> parts, const Real& max_norm)> clipping_factor =
      embedscale::clipping_factor<Real>;
  Operation<void(std::span<Real> first, std::span<Real> second, const Real& max_norm)>
      clip_by_global_norm = porting::clip_by_global_norm<Real>;

  void list(Members& to) {
    RationalOperations<Real>::list(to);
    EMBEDSCALE_LIST(to, clipping_factor, clip_by_global_norm);
  }
};

/// The library's.
template <Scalar Real>
inline constexpr Operations<Real> library{};

struct Primitives : Over<Operations, Rational, Wide, double, float, binary16, bfloat16> {
  Operation<double(std::uint64_t d, Computing in)> multiplier = rounded_root;

  void list(Members& to) {
    Over::list(to);
    EMBEDSCALE_LIST(to, multiplier);
  }
};
/// What a measure takes; Primitives convert.
template <Scalar Real>
using PrimitivesIn = std::type_identity_t<Operations<Real>>;

}  // namespace embedscale::properties::porting
