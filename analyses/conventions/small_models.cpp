// Whether a round-trip test sees that a model lacks the factor: models as they start, with it and
// without it, through what such tests compare.
#include <algorithm>

#include "conventions/sections.hpp"
#include "properties/conventions/round_trip.hpp"
#include "properties/normalization/initial_block.hpp"
#include "report/loops.hpp"

namespace embedscale::conventions_analysis {
namespace {

using Vector = std::vector<double>;
using properties::normalization::multiply;

// Hugging Face's initializer_range, Gemma's ε, and the words of levanter's test.
constexpr double deviation = 0.02, epsilon = 1e-6;
constexpr std::size_t words = 1000, tokens = 4;
constexpr std::array<std::size_t, 3> depths{1, 2, 4};
constexpr std::array<std::uint64_t, 7> usual_widths{8, 16, 32, 64, 128, 256, 512};

constexpr std::pair<const char*, Tolerance> tolerances[]{
    {"1e-3", {1e-3, 1e-3}}, {"1e-4", {1e-4, 1e-4}}, {"defaults", {1e-5, 1e-8}}};

EmbeddingTable<double> drawn_table(const Stream& stream, std::size_t d) {
  Vector rows(words * d);
  fill<double>(Normal{deviation}, stream, rows, 0);
  return {words, d, rows};
}

/// A model as it starts: every matrix of the deviation, no bias, nothing added to a token.
struct Model {
  EmbeddingTable<double> input, output;
  std::vector<EncoderBlock<double>> blocks;

  Model(std::uint64_t seed, const std::string& name, std::size_t d)
      : input(drawn_table({seed, name + "input"}, d)),
        output(drawn_table({seed, name + "output"}, d)) {
    for (std::size_t layer = 0; layer < depths.back(); ++layer) {
      blocks.push_back(properties::normalization::initial_block(
          {d, 4, 4 * d}, NormPlacement::pre, {NormKind::rms_norm, epsilon},
          properties::normalization::Biases::none, {seed, name + std::to_string(layer)}));
      // Xavier's variances are 1/d and 2/(5d).
      auto& w = blocks.back().weights;
      const double by = deviation * root_multiplier<double>(d);
      for (auto* matrix : {&w.query, &w.key, &w.value, &w.output}) multiply(*matrix, by);
      for (auto* matrix : {&w.inner, &w.outer}) multiply(*matrix, by * std::sqrt(2.5));
    }
  }

  /// What the last norm gives for the first tokens, behind each of the depths.
  std::vector<Vector> states(NormPlacement norms, double m) {
    const auto rows = input.values().first(tokens * input.width());
    Vector x(rows.begin(), rows.end());
    multiply(x, m);
    std::vector<Vector> all;
    for (std::size_t depth = 1; auto& block : blocks) {
      block.norms = norms;
      apply<double>(block, x, x);
      if (std::ranges::count(depths, depth++) == 0) continue;
      all.push_back(x);
      if (norms == NormPlacement::pre) normalize<double>(block.shape, block.norm, x, all.back());
    }
    return all;
  }
};

/// Of each token and word, in each of the states: logits, or the probabilities of a token's words.
std::vector<Vector> outputs(std::string_view of, const EmbeddingTable<double>& table,
                            std::vector<Vector> states) {
  for (auto& state : states) {
    Vector all(tokens * words);
    for (std::size_t i = 0; i < tokens; ++i) {
      const auto out = std::span(all).subspan(i * words, words);
      tied_logits<double>(table, std::span(state).subspan(i * table.width(), table.width()), 1,
                          out);
      if (of == "probabilities") softmax<double>(out);
    }
    state = all;
  }
  return states;
}

/// How far one model's outputs part at each depth, and whether tests of them fail at all depths.
struct Outcome {
  std::vector<std::pair<Place, double>> apart;
  std::vector<std::pair<Place, bool>> fails;
};

Outcome outcome_of(Model model) {
  Outcome told;
  for (const std::string norms : {"pre", "post"}) {
    const auto placement = norms == "pre" ? NormPlacement::pre : NormPlacement::post;
    const auto with = model.states(placement, root_multiplier<double>(model.input.width())),
               lacking = model.states(placement, 1);
    for (std::size_t i = 0; i < depths.size(); ++i)
      told.apart.push_back({{{"norms", norms}, {"blocks", depths[i]}},
                            properties::normalization::relative_deviation(lacking[i], with[i])});
    for (const auto& [table, rows] :
         {std::pair("shared", &model.input), std::pair("its own", &model.output)})
      for (const char* compared : {"logits", "probabilities"}) {
        const auto desired = outputs(compared, *rows, with),
                   actual = outputs(compared, *rows, lacking);
        for (const auto& [closely, tolerance] : tolerances) {
          Place at{
              {"norms", norms}, {"compared", compared}, {"table", table}, {"tolerance", closely}};
          bool fails = true;
          for (std::size_t i = 0; i < depths.size(); ++i)
            fails = fails && !is_close(actual[i], desired[i], tolerance);
          told.fails.push_back({at, fails});
        }
      }
  }
  return told;
}

void measure_models(Section& s, const Options& options) {
  constexpr const char* method = "drawn models: normal tables, uniform matrices, σ = 0.02";
  std::vector<std::pair<Place, std::uint64_t>> least;
  for (const auto d : cli::points(options.widths, usual_widths)) {
    std::vector<Outcome> models(std::clamp<std::uint64_t>(256 / d, 2, 16));
    in_parallel(models.size(), [&](std::uint64_t draw) {
      models[draw] = outcome_of({options.seed, "small models/" + std::to_string(draw) + "/", d});
    });
    for (std::size_t i = 0; i < models[0].apart.size(); ++i) {
      auto at = models[0].apart[i].first;
      s.measure("output_difference", at.set("d_model", d),
                over<Greatest>(models, [&](const Outcome& of) { return of.apart[i].second; }),
                method);
    }
    least.resize(models[0].fails.size());
    for (std::size_t i = 0; i < least.size(); ++i) {
      auto& [at, width] = least[i];
      at = models[0].fails[i].first;
      const bool all =
          std::ranges::all_of(models, [&](const Outcome& of) { return of.fails[i].second; });
      width = !all ? 0 : width == 0 ? d : width;
    }
  }
  for (const auto& [at, width] : least)
    if (width > 0) s.measure("least_width", at, Value::example(static_cast<double>(width)), method);
}

/// B of a table of the deviation, rows ±σ: √d·(σ√d).
double largest_logit(std::size_t d) { return deviation * static_cast<double>(d); }

/// Up to which width a test of probabilities cannot fail.
void measure_certain_passes(Section& s) {
  for (const std::size_t V : {1000u, 32000u, 256000u})
    for (const double absolute : {1e-3, 1e-4}) {
      const auto may_fail = [&](std::uint64_t d) {
        return largest_probability_difference(V, largest_logit(d)) > absolute;
      };
      s.measure("widest_certain_pass", {{"words", V}, {"absolute", absolute}, {"sigma", deviation}},
                static_cast<double>(first_that(1, 1 << 14, may_fail) - 1), "closed form");
    }
  s.measure("largest_probability_difference", {{"d_model", 8}},
            largest_probability_difference(words, largest_logit(8)), "closed form");
  for (const double tolerance : {1e-3, 1e-4, 1e-5})
    s.measure("tolerance", {{"is", tolerance}}, tolerance);
}

}  // namespace

void small_models_hide_the_factor(Section& s, const Options& options) {
  s.measure_worst("worst_share_of_bound", {{"of", "outputs"}}, "outputs_part_by_the_angle");
  s.measure_worst("worst_share_of_bound", {{"of", "probabilities"}},
                  "probabilities_hide_any_stream");
  measure_certain_passes(s);
  measure_models(s, options);
}

}  // namespace embedscale::conventions_analysis
