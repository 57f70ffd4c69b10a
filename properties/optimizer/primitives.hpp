#pragma once
// What the claims about training are about: the two ways to combine, the way back to the table, the
// norms, one step of each optimiser, and its settings for a folded table.
#include <embedscale/combination.hpp>
#include <embedscale/embedding.hpp>
#include <embedscale/normalization.hpp>
#include <embedscale/optimizer.hpp>

#include <array>
#include <cstddef>
#include <span>
#include <type_traits>
#include <variant>

#include "../domain/rationals.hpp"
#include "../exact/decimal50.hpp"
#include "../over.hpp"

namespace embedscale::properties::optimizer {

/// 50 digits: no more than 10^−50 of a number is lost in a step.
using Wide = exact::Decimal50;

/// What stands behind the sum, before all else.
enum class Norm { none, rms_norm, layer_norm };

template <Scalar Real>
using Optimiser = std::variant<Sgd<Real>, Momentum<Real>, Adam<Real>, AdamW<Real>>;
/// The first two, and the last one, have an L2 penalty in their usual settings.
inline constexpr std::array optimiser_names{"gradient descent", "momentum", "Adam", "AdamW",
                                            "Adam with L2"};
inline constexpr std::size_t first_adam = 2, adam_with_l2 = 4, all_optimisers = 5;

/// The Adam in the settings of an optimiser: its own, or AdamW's; none in other settings.
template <class Settings>
auto* adam_of(Settings& by) {
  if (auto* adamw = std::get_if<3>(&by)) return &adamw->adam;
  return std::get_if<2>(&by);
}

/// The learning rate α; of AdamW the one that leaves its decay as it is.
template <Scalar Real>
Real& rate_of(Optimiser<Real>& by) {
  if (auto* adam = adam_of(by)) return adam->rate;
  if (auto* heavy = std::get_if<Momentum<Real>>(&by)) return heavy->rate;
  return std::get<Sgd<Real>>(by).rate;
}

/// The L2 penalty.
template <Scalar Real>
Real& penalty_of(Optimiser<Real>& by) {
  if (auto* adam = adam_of(by)) return adam->penalty;
  if (auto* heavy = std::get_if<Momentum<Real>>(&by)) return heavy->penalty;
  return std::get<Sgd<Real>>(by).penalty;
}

template <Scalar Real>
struct RationalOperations {
  using Combine = Operation<Real(const Real& e, const Real& p, const Real& m)>;
  Combine up = embedscale::up<Real>;
  Combine down = embedscale::down<Real>;
  Operation<Real(const Real& e, const Real& p)> sum = embedscale::sum<Real>;
  Operation<void(std::span<const std::size_t> tokens, std::span<const Real> slopes, const Real& m,
                 std::size_t d, std::span<Real> gradient)>
      add_look_up_gradient = embedscale::add_look_up_gradient<Real>;
  Operation<Real(const Real& t, const Real& gradient, const Sgd<Real>& by)> sgd =
      embedscale::sgd<Real>;
  Operation<Real(const Real& t, const Real& gradient, const Momentum<Real>& by,
                 Velocity<Real>& state)>
      momentum = embedscale::momentum<Real>;
  /// The settings of the folded table.
  Operation<Optimiser<Real>(const Optimiser<Real>& by, const Real& m)> folded =
      [](const Optimiser<Real>& by, const Real& m) {
        const auto fold = [&](const auto& of) {
          return Optimiser<Real>(embedscale::folded(of, m));
        };
        return std::visit(fold, by);
      };

  void list(Members& to) {
    EMBEDSCALE_LIST(to, up, down, sum, add_look_up_gradient, sgd, momentum, folded);
  }
};

template <Scalar Real>
struct Operations : RationalOperations<Real> {};

/// out = N(x), ε inside the root.  Requires a norm.
template <AnalyticScalar Real>
void normalize(Norm norm, const Real& epsilon, std::span<const Real> x, std::span<Real> out) {
  if (norm == Norm::rms_norm)
    rms_norm(x, epsilon, EpsilonPlacement::variance, out);
  else
    layer_norm(x, epsilon, EpsilonPlacement::variance, out);
}

/// The gradient to x, given that to N(x).  Requires a norm.
template <AnalyticScalar Real>
void normalize_gradient(Norm norm, const Real& epsilon, std::span<const Real> x,
                        std::span<const Real> upstream, std::span<Real> out) {
  if (norm == Norm::rms_norm)
    rms_norm_gradient(x, upstream, epsilon, EpsilonPlacement::variance, out);
  else
    layer_norm_gradient(x, upstream, epsilon, EpsilonPlacement::variance, out);
}

template <AnalyticScalar Real>
struct Operations<Real> : RationalOperations<Real> {
  Operation<void(Norm norm, const Real& epsilon, std::span<const Real> x, std::span<Real> out)>
      normalize = optimizer::normalize<Real>;
  Operation<void(Norm norm, const Real& epsilon, std::span<const Real> x,
                 std::span<const Real> upstream, std::span<Real> out)>
      normalize_gradient = optimizer::normalize_gradient<Real>;
  Operation<Real(const Real& t, const Real& gradient, const Adam<Real>& by, Moments<Real>& state)>
      adam = embedscale::adam<Real>;
  Operation<Real(const Real& t, const Real& gradient, const AdamW<Real>& by, Moments<Real>& state)>
      adamw = embedscale::adamw<Real>;
  /// The same where the learning rate is AdamW's η.
  Operation<AdamW<Real>(const AdamW<Real>& by, const Real& m)> folded_by_schedule =
      embedscale::folded_by_schedule<Real>;

  void list(Members& to) {
    RationalOperations<Real>::list(to);
    EMBEDSCALE_LIST(to, normalize, normalize_gradient, adam, adamw, folded_by_schedule);
  }
};

/// The library's.
template <Scalar Real>
inline constexpr Operations<Real> library{};

struct Primitives : Over<Operations, domain::Rational, Wide, double, float> {};
/// What a measure takes; Primitives convert.
template <Scalar Real>
using PrimitivesIn = std::type_identity_t<Operations<Real>>;

}  // namespace embedscale::properties::optimizer
