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

constexpr std::pair<const char*, NormPlacement> placements[]{{"pre", NormPlacement::pre},
                                                             {"post", NormPlacement::post}};
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

  /// What the last norm gives for the first tokens, by the number of blocks before it.
  std::vector<Vector> states(NormPlacement norms, double m) {
    const auto rows = input.values().first(tokens * input.width());
    Vector x(rows.begin(), rows.end());
    multiply(x, m);
    std::vector<Vector> all;
    for (auto& block : blocks) {
      block.norms = norms;
      apply<double>(block, x, x);
      all.push_back(x);
      if (norms == NormPlacement::pre) normalize<double>(block.shape, block.norm, x, all.back());
    }
    return all;
  }

  /// Of each token and word, by one of the tables.
  Vector logits(std::string_view table, const Vector& states) const {
    const auto& rows = table == "shared" ? input : output;
    Vector all(tokens * words);
    for (std::size_t i = 0; i < tokens; ++i)
      tied_logits<double>(rows, std::span(states).subspan(i * rows.width(), rows.width()), 1,
                          std::span(all).subspan(i * words, words));
    return all;
  }
};

void become_probabilities(Vector& logits) {
  for (std::size_t i = 0; i < tokens; ++i)
    softmax<double>(std::span(logits).subspan(i * words, words));
}

/// How far one model's outputs part, and whether a test of them fails.
struct Outcome {
  std::vector<std::pair<Place, double>> apart;
  std::vector<std::pair<Place, bool>> fails;  ///< a place once for each depth
};

Outcome outcome_of(Model model) {
  Outcome told;
  for (const auto& [name, norms] : placements) {
    const auto with = model.states(norms, root_multiplier<double>(model.input.width())),
               lacking = model.states(norms, 1);
    for (const std::size_t depth : depths) {
      const auto &y = with[depth - 1], &other = lacking[depth - 1];
      told.apart.push_back({{{"norms", name}, {"blocks", depth}},
                            properties::normalization::relative_deviation(other, y)});
      for (const char* table : {"shared", "its own"}) {
        auto desired = model.logits(table, y), actual = model.logits(table, other);
        for (const char* compared : {"logits", "probabilities"}) {
          for (const auto& [closely, tolerance] : tolerances)
            told.fails.push_back({{{"norms", name},
                                   {"compared", compared},
                                   {"table", table},
                                   {"tolerance", closely}},
                                  !is_close(actual, desired, tolerance)});
          become_probabilities(desired), become_probabilities(actual);
        }
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
    if (least.empty())
      for (const auto& [at, fails] : models[0].fails)
        if (std::ranges::count(least, at, &std::pair<Place, std::uint64_t>::first) == 0)
          least.push_back({at, 0});
    for (auto& [at, width] : least) {
      const bool all = std::ranges::all_of(models, [&, &at = at](const Outcome& of) {
        return std::ranges::all_of(
            of.fails, [&](const auto& one) { return one.second || !(one.first == at); });
      });
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
    for (const double absolute : {1e-3, 1e-4})
      s.measure("widest_certain_pass", {{"words", V}, {"absolute", absolute}, {"sigma", deviation}},
                static_cast<double>(first_that(1, 1 << 14,
                                               [&](std::uint64_t d) {
                                                 return largest_probability_difference(
                                                            V, largest_logit(d)) > absolute;
                                               }) -
                                    1),
                "closed form");
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
