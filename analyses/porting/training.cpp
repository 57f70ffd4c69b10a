// Training that goes on after a port: with all that the recipe says, and with something left out;
// and clipping by the norm of all gradients.
#include "optimizer/cases.hpp"
#include "porting/sections.hpp"
#include "properties/porting/clipped.hpp"
#include "properties/porting/omissions.hpp"
#include "report/loops.hpp"

namespace embedscale::porting_analysis {
namespace {

namespace optimizer = properties::optimizer;
using optimizer_analysis::beyond_rounding, optimizer_analysis::in_50_digits;

constexpr int steps = 50, earlier_steps = 20;
constexpr std::array rule_names{"gradient descent", "momentum",        "Adam", "AdamW",
                                "Adam with L2",     "AdamW of PyTorch"};
constexpr std::size_t descent = 0, momentum = 1, adam = 2, with_l2 = 4, of_pytorch = 5;

/// Code with a multiplier of √`square`, sinusoids and tied logits, and the same without one; a
/// pre-norm block of 4 channels, 2 tokens of 3 words. Whatever the multiplier is, the input is one.
Port<Wide> usual_port(const Options& options, double square, std::size_t rule) {
  Convention<Wide> code;
  code.multiplier = sqrt(Wide(square));
  code.positions.source = PositionVectors::Source::sinusoids;
  auto to = code;
  to.multiplier = Wide(1);
  const Stream stream(options.seed, "porting/training");
  optimizer::Numbers numbers(stream, 0);
  const Body body{3, 2, 4, Norm::layer_norm, NormPlacement::pre, Loss::bounded, 1e-5};
  Port<Wide> port{drawn_checkpoint<Wide>(code, body, numbers), to};
  train_by(port.from, rule, 1e-8);
  return port;
}

/// What is left out of a port, and with which optimisers it can be.
struct Omission {
  const char* name;
  Operations<Wide> primitives;
  std::vector<std::size_t> rules;
};
template <class Change>
Operations<Wide> with(const Change& change) {
  Operations<Wide> of;
  change(of);
  return of;
}

const Omission omissions[] = {
    {"nothing", {}, {momentum, adam, with_l2, of_pytorch}},
    {"the state, not loaded", with(forgets_the_state), {momentum, adam, of_pytorch}},
    {"the state, loaded as it is", with(leaves_the_state), {momentum, adam, of_pytorch}},
    {"first moment, or velocity", with(leaves_the_velocity), {momentum}},
    {"first moment, or velocity", with(leaves_the_first_moment), {adam, of_pytorch}},
    {"second moment", with(leaves_the_second_moment), {adam, of_pytorch}},
    {"count of steps", with(counts_steps_from_zero), {adam, of_pytorch}},
    {"the state of gain and bias",
     with(leaves_the_state_of_the_final_norm),
     {momentum, adam, of_pytorch}},
    {"all settings", with(leaves_the_settings), {momentum, adam, with_l2, of_pytorch}},
    {"the rates", with(leaves_the_rate), {momentum, adam, of_pytorch}},
    {"the settings of gain and bias",
     with(leaves_the_settings_of_the_final_norm),
     {momentum, adam, of_pytorch}},
    {"epsilon", with(leaves_epsilon), {adam, of_pytorch}},
    {"the L2 penalty", with(leaves_the_penalty), {momentum, with_l2}},
    {"the decay", with(leaves_the_decay), {of_pytorch}}};

/// How far a port goes from the path, at these steps: of the logits, and of what the table adds to
/// the input.
struct Apart {
  std::array<double, 3> logits{}, tokens{};
};
constexpr std::array<int, 3> shown_steps{0, 1, steps};

Apart apart(const Port<Wide>& port, Checkpoint<Wide> to) {
  auto from = port.from;
  const auto table = [](const Checkpoint<Wide>& of) -> const std::vector<Wide>& {
    return of.model.parameters[Parameter::token_table];
  };
  const Wide s = from.model.code.multiplier / to.model.code.multiplier;
  Apart out;
  for (std::size_t k = 0, step = 0; k < shown_steps.size(); ++k) {
    for (; step < static_cast<std::size_t>(shown_steps[k]); ++step)
      for (auto* one : {&from, &to}) one->step(library<Wide>);
    const auto distance = [](const auto& a, const auto& b, const Wide& c) {
      return static_cast<double>(optimizer::relative_distance(a, b, c));
    };
    out.logits[k] =
        distance(from.model.activations().logits, to.model.activations().logits, Wide(1));
    out.tokens[k] = distance(table(from), table(to), s);
  }
  return out;
}

/// A path's distances as measurements.
void add(Section& s, const Place& at, const Apart& distances) {
  for (std::size_t k = 0; k < shown_steps.size(); ++k) {
    auto place = at;
    place.set("step", shown_steps[k]);
    s.measure("logit_distance", place, beyond_rounding(distances.logits[k]), in_50_digits);
    s.measure("token_distance", place, beyond_rounding(distances.tokens[k]));
  }
}

/// A port with something left out, by its names.
struct Path {
  std::string left_out;
  std::size_t rule;
  Port<Wide> port;
  Operations<Wide> primitives = {};
  Apart distances = {};
};

void measure_omissions(Section& s, const Options& options) {
  std::vector<Path> all;
  for (const auto& [name, primitives, rules] : omissions)
    for (const auto rule : rules)
      all.push_back({name, rule, usual_port(options, 512, rule), primitives});
  auto two = usual_port(options, 512, adam);
  two.to.tied = false;
  all.push_back({"one table: the output has a copy", adam, two});
  auto offset = usual_port(options, 512, of_pytorch);
  offset.from.model.code.gain = offset.to.gain = Gain::one_plus;
  for (Wide& g : offset.from.model.parameters[Parameter::gain]) g -= Wide(1);
  all.push_back({"the offset of a gain 1 + w that decays", of_pytorch, offset});
  in_parallel(all.size(), [&](std::uint64_t i) {
    auto& path = all[i];
    path.port.from.train(earlier_steps, library<Wide>);
    path.distances = apart(path.port, path.port.done(path.primitives));
  });
  for (const auto& path : all)
    add(s, {{"left_out", path.left_out}, {"optimiser", rule_names[path.rule]}}, path.distances);
}

/// One entry of a table, 2 the factor, velocity 1, μ = 1/2, rate 1/8, gradient 0 now.
void measure_by_hand(Section& s) {
  const Momentum<double> by{0.125, 0.5};
  const auto moved = [&](const Velocity<double>& state) {
    auto velocity = state;
    return -embedscale::momentum(0.0, 0.0, folded(by, 2.0), velocity);
  };
  s.measure("step_by_hand", {{"velocity", "divided"}},
            moved(embedscale::carried(Velocity<double>{1.0}, 2.0)));
  s.measure("step_by_hand", {{"velocity", "as it was"}}, moved(Velocity<double>{1.0}));
}

/// The factor's place in the new code.
constexpr std::array clipped_places{FactorPlace::logit_factor, FactorPlace::final_norm};
constexpr std::array place_names{"logit factor", "gain and bias"};
/// The multipliers' squares, of which 55.5 is Gemma's.
constexpr std::array<double, 6> squares{1, 4, 64, 512, 1024, 55.5 * 55.5};

/// What the table's part is of the square of the norm.
double share_of_table(Checkpoint<Wide> of) {
  const Wide all = norm_of(of);
  for (const auto parameter : all_parameters)
    if (parameter != Parameter::token_table) of.rules[parameter].reset();
  const Wide part = norm_of(of) / all;
  return static_cast<double>(Wide(part * part));
}

void measure_clipped(Section& s, const Options& options) {
  constexpr std::array rules{descent, adam};
  struct Point {
    Port<Wide> port;
    Apart plain, weighted;
  };
  std::vector<Point> all(squares.size() * clipped_places.size() * rules.size());
  const auto parts_of = [&](std::uint64_t i) { return std::array{i / 4, i / 2 % 2, i % 2}; };
  in_parallel(all.size(), [&](std::uint64_t i) {
    const auto [square, place, rule] = parts_of(i);
    auto& [port, plain, kept] = all[i];
    port = usual_port(options, squares[square], rules[rule]);
    if (clipped_places[place] == FactorPlace::logit_factor) port.to.logit_factor = Wide(1);
    port.from.train(earlier_steps, library<Wide>);
    clip_at(port, 0.5);  // of the norm that the old code's gradients have then
    plain = apart(port, port.done(library<Wide>));
    kept = apart(port, weighted<Wide>(port, library<Wide>));
  });
  for (std::uint64_t i = 0; i < all.size(); ++i) {
    const auto [square, place, rule] = parts_of(i);
    const auto& [port, plain, kept] = all[i];
    const auto to = port.done(library<Wide>);
    const Place at{{"multiplier", std::round(100 * std::sqrt(squares[square])) / 100},
                   {"place", place_names[place]}};
    auto path = at;
    path.set("optimiser", rule_names[rules[rule]]);
    add(s, path.set("weights", "1"), plain);
    add(s, path.set("weights", "s"), kept);
    if (rule != 0) continue;
    const auto factor = [&](const Checkpoint<Wide>& of) {
      return Value::example(static_cast<double>(of.factor_of(of.model.gradients(), library<Wide>)));
    };
    for (const auto* code : {&port.from, &to}) {
      auto in = at;
      in.set("code", code == &to ? "new" : "old");
      s.measure("clipping_factor", in, factor(*code), "50 digits");
      s.measure("table_share", in, Value::example(share_of_table(*code)));
    }
  }
}

}  // namespace

void optimizer_state_follows(Section& s, const Options& options) {
  s.measure_failures("path_disagreements", {}, "exact_paths_agree");
  s.measure_failures("loaded_agreements", {}, "a_velocity_loaded_as_it_is_leaves_the_path");
  s.measure_failures("bit_disagreements", {{"steps", "1 to 32"}}, "same_bits_at_powers_of_two");
  measure_omissions(s, options);
  measure_by_hand(s);
}

void global_clipping_parts(Section& s, const Options& options) {
  for (const auto* quantity :
       {"factor_disagreements", "unclipped_disagreements", "clipped_agreements"})
    s.measure_failures(quantity, {}, "factors_are_those_of_the_parts");
  measure_clipped(s, options);
  s.measure_failures("bit_disagreements", {{"steps", "1 to 8"}}, "same_bits_at_powers_of_two");
}

}  // namespace embedscale::porting_analysis
