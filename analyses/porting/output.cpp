// Tied logits and the factor 1/m: where it may go, what that costs, and what happens without it.
#include <embedscale/expected/softmax.hpp>
#include <embedscale/format.hpp>

#include <span>
#include <stdexcept>

#include "porting/sections.hpp"
#include "properties/porting/function.hpp"
#include "properties/porting/rounding.hpp"

namespace embedscale::porting_analysis {
namespace {

struct NamedPlace {
  const char* name;
  FactorPlace place;
};
constexpr NamedPlace places[] = {{"logit factor", FactorPlace::logit_factor},
                                 {"final norm", FactorPlace::final_norm},
                                 {"own table", FactorPlace::own_table}};

void measure_costs(Section& s, const Options& options) {
  for (const bool gain : {true, false}) {
    Tally there;
    for (const auto& place : places)
      there.evaluate([&] {
        Convention<Rational> from, to{.gain = gain ? Gain::plain : Gain::none};
        from.multiplier = Rational(2), to.logit_factor = Rational(1);
        try {
          return !primitives.of<Rational>().recipe(from, to, place.place).steps.empty();
        } catch (const std::invalid_argument&) {
          return false;
        }
      });
    s.measure("places", {{"gain", gain ? "yes" : "no"}}, there, "recipes that keep the function");
  }
  for (const auto d : points(options.widths, std::array<std::uint64_t, 1>{512}))
    for (const auto v : points(options.vocabulary, std::array<std::uint64_t, 1>{32000}))
      for (const auto& [name, place] : places)
        s.measure("added_parameters", {{"place", name}, {"d_model", d}, {"vocabulary", v}},
                  place == FactorPlace::own_table ? static_cast<double>(v * d) : 0.0,
                  "numbers in an output table");
}

/// The loss where words come as often as Zipf's law says, by logits ln p that know it, times m.
double calibrated_loss(std::uint64_t vocabulary, double m) {
  double harmonic = 0, mean_log = 0, sum = 0;
  for (std::uint64_t k = vocabulary; k > 0; --k) {
    const auto rank = static_cast<double>(k);
    harmonic += 1 / rank, mean_log += std::log(rank) / rank, sum += std::pow(rank, -m);
  }
  return std::log(sum) + m * mean_log / harmonic;
}

/// Of each next token, in a drawn model of this width: a pre-norm block between sinusoids and a
/// final LayerNorm.
std::array<double, 2> drawn_losses(std::uint64_t seed, std::uint64_t d) {
  Convention<double> from{.gain = Gain::plain};
  from.multiplier = root_multiplier<double>(d);
  from.positions.source = PositionVectors::Source::sinusoids;
  auto to = from;
  to.multiplier = 1;
  const Body body{512, 8, static_cast<std::size_t>(d), Norm::layer_norm, NormPlacement::pre};
  const Stream stream(seed, "porting/drawn losses");
  properties::optimizer::Numbers numbers(stream, 0);
  const Port<double> at{drawn_checkpoint(from, body, numbers), to, FactorPlace::final_norm};
  const auto& of = primitives.of<double>();
  const auto loss = [&](const Model<double>& model) {
    const auto z = model.activations().logits;
    double sum = 0;
    for (std::size_t i = 0; i < body.tokens; ++i) {
      const auto row = std::span(z).subspan(i * body.vocabulary, body.vocabulary);
      const double most = std::ranges::max(row);
      double all = 0;
      for (const double one : row) all += std::exp(one - most);
      sum += std::log(all) + most - row[i + 1];
    }
    return sum / static_cast<double>(body.tokens);
  };
  return {loss(at.done(of).model), loss(at.by(without_a_place(at.meant()), of).model)};
}

/// Of all gains from 1 to 2 that a format has.
template <class Real>
void measure_offset_gains(Section& s, const Options& options) {
  constexpr int count = 1 << (FormatTraits<Real>::digits - 1);
  for (const auto d : points(options.widths, std::array<std::uint64_t, 2>{512, 3072})) {
    const Real m = root_multiplier<Real>(d);
    if (!(static_cast<double>(m) >= 4)) continue;  // where g <= m/2
    Greatest off;
    for (int k = 0; k < count; ++k) {
      const Real g = static_cast<Real>(1.0 + double(k) / count);
      off.evaluate([&] { return offset_gain_error(g, m, primitives.of<double>()); });
    }
    s.measure("offset_gain_off", {{"format", FormatTraits<Real>::name}, {"d_model", d}},
              Value::of_all(off.value(), off), exhaustive);
  }
}

constexpr std::array<std::uint64_t, 5> loss_widths{256, 512, 768, 1024, 2048};

void measure_losses(Section& s, const Options& options) {
  constexpr const char *kept = "1/m has a place", *left_out = "1/m is left out";
  const auto vocabulary = points(options.vocabulary, std::array<std::uint64_t, 1>{32000});
  for (const auto d : points(options.widths, loss_widths)) {
    const double m = root_multiplier<double>(d);
    s.measure("multiplier", {{"d_model", d}}, m);
    for (const auto v : vocabulary)
      for (const double by : {1.0, m}) {
        if (by == 1.0 && m == 1.0) continue;
        const Place at{{"d_model", d}, {"vocabulary", v}, {"port", by == 1.0 ? kept : left_out}};
        const auto start = expected::log_sum_exp_and_entropy(by, v).log_sum_exp;
        s.measure("initial_loss", at, Value(start.value).enclosed(start.error),
                  "quadrature, independent normal logits");
        s.measure("calibrated_loss", at, calibrated_loss(v, by), "Zipf's law");
      }
  }
  constexpr std::uint64_t drawn_width = 512;
  const auto drawn = drawn_losses(options.seed, drawn_width);
  for (const bool out : {false, true})
    s.measure("drawn_loss", {{"d_model", drawn_width}, {"port", out ? left_out : kept}},
              Value::example(drawn[out]), "one drawn model");
}

}  // namespace

void tied_output_needs_a_place_for_the_factor(Section& s, const Options& options) {
  s.measure_failures("logit_disagreements", {}, "every_place_keeps_the_logits");
  for (const auto* quantity : {"logits_not_multiplied", "logits_that_stay", "order_disagreements"})
    s.measure_failures(quantity, {}, "without_a_place_logits_are_m_times");
  for (const auto& [multiplier, place] : {std::pair("a power of two", "all"), {"any", "own table"}})
    s.measure_failures("bit_disagreements", {{"multiplier", multiplier}, {"place", place}},
                       "bits_stay_at_powers_of_two_and_in_an_own_table_at_all");
  measure_costs(s, options);
  measure_losses(s, options);
  measure_offset_gains<bfloat16>(s, options);
  measure_offset_gains<binary16>(s, options);
  for (const double m : {1.0, 22.5}) s.measure("logit_by_hand", {{"multiplier", m}}, m * 0.5 * 2);
}

}  // namespace embedscale::porting_analysis
