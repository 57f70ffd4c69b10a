#pragma once
// What a configuration does to the scales of tokens, positions, first logits and output at
// initialisation: expectations over the initial laws, in closed form or by quadrature. Each is
// there, or missing for a reason.
#include "audit/configuration.hpp"

#include <embedscale/expected/softmax.hpp>
#include <embedscale/format.hpp>

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace embedscale::audit {

/// Why there is no value: "needs model.vocabulary …".
struct Missing {
  std::string reason;
};

template <class Value>
struct Known {
  std::optional<Value> value = {};
  std::string missing = {};  ///< empty exactly where there is a value

  Known(Value known) : value(std::move(known)) {}
  Known(Missing why = {}) : missing(std::move(why.reason)) {}
};

/// compute(parts…), a value or Known; or the first of the reasons why a part is not known.
template <class Compute, class... Part>
auto from(Compute compute, const Part&... parts) {
  using Made = decltype(Known(compute(*parts.value...)));
  const std::string* why = nullptr;
  ((why = why || parts.value ? why : &parts.missing), ...);
  return why ? Made(Missing{*why}) : Made(compute(*parts.value...));
}

/// How a number was found.
enum class Method {
  closed_form,
  without_branches,    ///< the same, of the sum without what the blocks' branches add to it
  sum_over_positions,  ///< each position 0 … L−1 in turn
  quadrature           ///< an integral, with an estimate of its error
};

/// Ensures   a double is finite; `missing` is empty exactly where there is a value.
template <class Value>
struct Result {
  std::string path;  ///< such as "token.rms"; for a field, that field's
  std::optional<Value> value = {};
  std::string missing = {};  ///< "needs model.vocabulary …"
  Method method = Method::closed_form;
  double error = 0;  ///< of a quadrature: the value lies within this of the truth

  /// Takes what was found: a number, or an expectation with its error.
  Result& operator=(const Known<Value>& found) {
    value = found.value, missing = found.missing;
    if (value && !std::isfinite(*value)) value.reset(), missing = "leaves the range of binary64";
    return *this;
  }
  Result& operator=(const Known<expected::Expectation>& found) {
    *this = from([](const expected::Expectation& it) { return it.value; }, found);
    if (value) method = Method::quadrature, error = found.value->error;
    return *this;
  }
  /// For formulas that take it.
  operator Known<Value>() const { return value ? Known<Value>(*value) : Missing{missing}; }
};
using Quantity = Result<double>;
using Verdict = Result<bool>;

/// The sum that enters the first block. RMS: root mean square over coordinates, and over positions
/// where these come in.
struct InputScales {
  Quantity entry_rms{"token.entry_rms"};  ///< √E[e²] of the token table's entries e: σ
  Quantity token_rms{"token.rms"};        ///< |m|·√E[e²], with m as rounded
  Quantity position_rms{"position.rms"};  ///< of what is added, times its multiplier
  Quantity token_to_position{"token_to_position"};  ///< token_rms/position_rms
  Quantity extra_rms{"extra.rms"};                  ///< of the further tables together
  Quantity input_rms{
      "input.rms"};  ///< √q: of the sum, or of the whole where parts are concatenated
  Quantity constant_share{
      "position.constant_share"};  ///< of the positions' energy: what is the same at all of them
};

/// The first attention.
struct FirstLayer {
  Quantity input_rms{"attention_input.rms"};  ///< behind whatever norms stand before it
  Quantity logit_std{
      "first_layer.logit_std"};  ///< root mean square over weights, queries and other keys
  Quantity logit_std_over_keys{
      "first_layer.logit_std_over_keys"};  ///< of the deviation from the mean over one query's keys
  Quantity entropy{
      "first_layer.entropy"};  ///< in nats, of a softmax over L normal logits of that deviation
  /// Shares of E[z²].
  Quantity token_token{"first_layer.shares.token_token"},
      token_position{"first_layer.shares.token_position"},
      position_token{"first_layer.shares.position_token"},
      position_position{"first_layer.shares.position_position"};
};

/// The output matrix, on a final state of RMS 1.
struct OutputScales {
  Quantity logit_std{"output.logit_std"};
  Quantity initial_loss{
      "output.initial_loss"};  ///< E ln Σ_v exp(s·z_v): the target is independent of the state
  Quantity own_logit{"output.own_logit"};  ///< of the input token, without the blocks' branches
};

/// What would change if the multiplier m moved from the tokens to the positions, so that
/// x = e + p/m instead of m·e + p.
struct ScaledDown {
  Quantity factor{"scaled_down.factor"};  ///< m, rounded to its format: everything shrinks by it
  Quantity exact_factor{"scaled_down.exact_factor"};      ///< m before it is rounded to its format
  Quantity rounding_error{"scaled_down.rounding_error"};  ///< (factor − exact_factor)/exact_factor
  Quantity input_rms{"scaled_down.input.rms"};            ///< input_rms/|m|
  Quantity epsilon_shrinkage_up{
      "scaled_down.epsilon_shrinkage_up"};  ///< 1 − RMS behind the first norm that sees the sum
  Quantity epsilon_shrinkage_down{
      "scaled_down.epsilon_shrinkage_down"};  ///< the same for the sum divided by m
  Quantity epsilon_deviation{
      "scaled_down.epsilon_deviation"};  ///< 1 − RMS behind that norm, divided by m over as it is
  Quantity logit_std{
      "scaled_down.logit_std"};  ///< first_layer.logit_std, where no norm takes the factor away
  /// Whether m·(e + p/m) has the bits of m·e + p for every e and p that neither under- nor
  /// overflow: so it is exactly where fl(m) is a power of two [combination.rounds_identically].
  /// A statement about m; it is made where nothing is added, too. By format: binary32, then the
  /// multiplier's own if that is another.
  std::vector<Verdict> rounds_identically;
};

/// Rows of one kind that are merged with the tokens', as the first block gets them.
struct MergedScales {
  Quantity factor;         ///< of what the projector gives: ahead of the merge, and behind it
  Quantity rms;            ///< its size times that of the projector's rows
  Quantity token_to_rows;  ///< token.rms over that
};

struct Scales {
  InputScales input;
  std::vector<MergedScales> merged;
  FirstLayer first_layer;
  OutputScales output;
  /// 1/σ: Adam's first step relative to the table, per learning rate
  Quantity adam_relative_step{"optimizer.adam_relative_step"};
  ScaledDown scaled_down;
};

/// Requires  a configuration that was read, hence checked.
Scales scales_of(const Configuration& configuration);

/// Every number, and every yes or no, in the order in which they are reported.
std::vector<Quantity> quantities(const Scales& scales);
std::vector<Verdict> verdicts(const Scales& scales);

/// A bound on the relative rounding of a ratio that a system's formulas give in binary64, and of
/// its comparison, in u: σ has 2 for its power and 2 for the root of its square; the multiplier,
/// the product with it, √½ and the quotient have one each; what it is compared with 2. The rest is
/// for higher orders. σ, m and what is derived of either alone have less.
inline constexpr double rounding_of_formulas = 16 * unit_roundoff<double>;

/// Whether tokens of so many times the positions' RMS are within a factor of them. √2 is a common
/// ratio (d^−½ beside sinusoids): up to rounding.
bool is_within(double factor, double ratio);

}  // namespace embedscale::audit
