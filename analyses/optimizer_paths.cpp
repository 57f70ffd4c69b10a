// Up and down as one function of the table, and the paths that follow from it or do not.
#include <fmt/format.h>
#include <embedscale/properties/domain/rationals.hpp>
#include <embedscale/properties/optimizer_exact.hpp>

#include <algorithm>
#include <cmath>

#include "optimizer.hpp"
#include "report/table.hpp"

namespace embedscale::optimizer_analysis {
namespace {

using namespace properties::optimizer;
using properties::Part;
using properties::domain::Rational;
using report::Figure;
using report::Relation;
using report::Table;

constexpr std::size_t adam = 2;

/// What follows the sum, and whether it ignores a factor of it.
struct Follower {
  const char* name;
  bool ignores;
  Norm first;
  double epsilon;
  const char* block;  ///< "", "pre" or "post"
  Norm last;
};
constexpr Follower followers[] = {
    {"RMSNorm, ε = 0", true, Norm::rms_norm, 0, "", Norm::none},
    {"LayerNorm, ε = 0", true, Norm::layer_norm, 0, "", Norm::none},
    {"LayerNorm, ε = 0, then a post-norm block", true, Norm::layer_norm, 0, "post", Norm::none},
    {"LayerNorm, ε = 0, then a pre-norm block", true, Norm::layer_norm, 0, "pre", Norm::none},
    {"RMSNorm, ε = 10⁻⁵", false, Norm::rms_norm, 1e-5, "", Norm::none},
    {"a post-norm block", false, Norm::none, 0, "post", Norm::none},
    {"a pre-norm block, then RMSNorm", false, Norm::none, 0, "pre", Norm::rms_norm},
    {"no norm", false, Norm::none, 0, "", Norm::none}};

Case<Wide> path_of(const cli::Options& options, const Follower& follower, std::size_t optimiser,
                   Loss loss, std::size_t d) {
  auto path = case_of<Wide>(options.seed, "optimizer/paths", d, wide_root(d), optimiser,
                            follower.first, loss);
  path.model.epsilon = Wide(follower.epsilon);
  path.model.last = follower.last;
  const std::string_view block = follower.block;
  const Stream stream(options.seed, "optimizer/blocks");
  Numbers numbers(stream, 0);
  if (!block.empty())
    path.model.block =
        drawn_block<Wide>(d, block == "pre" ? NormPlacement::pre : NormPlacement::post, numbers);
  return path;
}

template <Scalar Real>
Run<Real> down(const Run<Real>& up) {
  return with(up, Placing::down);
}

void measure_functions(const cli::Options& options, report::Section& section) {
  const Stream stream(options.seed, section.claim().id);
  double differ = 0;
  for (std::uint64_t i = 0; i < options.samples; ++i) {
    const auto row = [&](std::uint64_t first, std::size_t size) {
      std::vector<Rational> out;
      for (std::size_t j = 0; j < size; ++j)
        out.push_back(properties::domain::rational(stream, 16 * i + first + j));
      return out;
    };
    const Start<Rational> start{2, {0, 0}, row(0, 4), row(4, 2), {}};
    const Rational m = properties::domain::positive_rational(stream, 16 * i + 6);
    const Run<Rational> up{Placing::up, m, Sgd<Rational>{Rational(0)}, Sgd<Rational>{Rational(0)}};
    const Quotients<Rational> loss{row(8, 2), row(10, 2)};
    differ += is_one_function(start, up, down(up), loss, Library{}) ? 0 : 1;
  }
  section.measure({.quantity = "function_disagreements",
                   .value = differ,
                   .samples = options.samples,
                   .method = "exact rationals: loss and gradient, up against down",
                   .unit = report::counted,
                   .rule = report::Rule{Part::statement, Relation::equals, 0, options.samples},
                   .field = "functions"});
  section.text("samples", report::count(options.samples));
}

/// Every follower under every optimiser, in 50 digits.
void measure_followers(const cli::Options& options, report::Section& section) {
  std::vector<Table::Column> columns{{"What follows the sum"}};
  for (const char* name : optimiser_names) columns.push_back({name, Table::Align::right});
  Table table(columns);
  double smallest_apart = INFINITY;
  std::uint64_t together = 0;
  for (const Follower& follower : followers) {
    std::vector<std::string> row{follower.name};
    for (std::size_t k = 0; k < optimiser_names.size(); ++k) {
      const Loss loss = k % 2 == 0 ? Loss::bounded : Loss::cross_entropy;
      const auto path = path_of(options, follower, k, loss, small_width);
      const double apart = beyond_rounding(path.deviation(down(path.up)));
      auto& m = section.measure({.quantity = "path_deviation",
                                 .at = {{"follows", follower.name},
                                        {"optimiser", optimiser_names[k]},
                                        {"d_model", small_width},
                                        {"steps", path_steps}},
                                 .value = apart,
                                 .samples = 1,
                                 .method = "50 digits; what is below 10^-30 counts as 0",
                                 .rule = follower.ignores
                                             ? report::Rule{Part::belief, Relation::equals, 0, 1}
                                             : report::Rule{Part::belief_elsewhere,
                                                            Relation::at_least, thirtieth_digit, 1},
                                 .digits = 3});
      row.push_back(shown_deviation(m.value));
      follower.ignores ? void(++together) : void(smallest_apart = std::min(smallest_apart, apart));
      if (k == adam && !follower.ignores)
        section.text(follower.epsilon > 0       ? "adam_epsilon"
                     : follower.block[0] == 0   ? "adam_bare"
                     : follower.block[1] == 'r' ? "adam_pre"
                                                : "adam_post",
                     report::significant(apart, 2));
    }
    table.row(row);
  }
  section.text("together", report::count(together));
  section.text("smallest_apart", report::significant(smallest_apart, 2));
  section.text("steps", report::count(path_steps));
  section.text("small_width", report::count(small_width));
  section.table(table);
}

report::Series series_of(const char* label, const auto& distances) {
  report::Series series{.label = label, .x = {}, .y = {}, .mark = report::Series::Mark::line};
  for (std::size_t k = 1; k < distances.size(); ++k) {
    const double y = static_cast<double>(distances[k]);
    series.x.push_back(static_cast<double>(k));
    series.y.push_back(y > 0 ? y : NAN);
  }
  return series;
}

/// Adam's path step by step, of a loss without a function of the C library.
Figure figure_of(const cli::Options& options) {
  Figure figure{.name = "optimizer_paths",
                .title = "How far the tables of up and down part under Adam, d_model = 6",
                .x_label = "step",
                .y_label = "largest difference over largest entry",
                .y_scale = Figure::Scale::log10,
                .series = {},
                .levels = {}};
  for (const auto& [index, label] :
       {std::pair{7, "no norm"}, {6, "a pre-norm block, then RMSNorm"}, {4, "RMSNorm, ε = 10⁻⁵"}}) {
    const auto path = path_of(options, followers[index], adam, Loss::bounded, small_width);
    figure.series.push_back(series_of(label, path.distances(down(path.up), path_steps)));
  }
  const auto rounded = [&]<class Real>(Real m, const char* label) {
    const auto path = case_of<Real>(options.seed, "optimizer/paths", small_width, m, adam,
                                    Norm::rms_norm, Loss::bounded);
    figure.series.push_back(series_of(label, path.distances(down(path.up), path_steps)));
  };
  rounded(root_multiplier<float>(small_width), "RMSNorm, ε = 0, binary32");
  rounded(root_multiplier<double>(small_width), "RMSNorm, ε = 0, binary64");
  rounded(wide_root(small_width), "RMSNorm, ε = 0, 50 digits");
  return figure;
}

/// Whether rates fall with the width, so that a step changes the logit by about a tenth at each, or
/// are those of the narrowest at all: the logits then jump, and the path amplifies a difference.
enum class Rates { falling, fixed };

/// Behind RMSNorm, in the formats of real training.
template <class Real>
double rounded_deviation(const cli::Options& options, std::uint64_t d, Real epsilon, Rates rates) {
  auto path = case_of<Real>(options.seed, "optimizer/widths", d, root_multiplier<Real>(d), adam,
                            Norm::rms_norm, Loss::bounded,
                            rates == Rates::falling ? wide_sizes : rich_sizes);
  path.model.epsilon = epsilon;
  if (rates == Rates::falling) {
    const double wider = std::max(1.0, static_cast<double>(d) / 16.0);
    scale_rate(path.up.of_table, static_cast<Real>(1.0 / std::sqrt(wider)));
    scale_rate(path.up.of_head, static_cast<Real>(1.0 / wider));
  }
  return path.deviation(down(path.up));
}

/// Beyond it a path takes too long.
constexpr std::uint64_t widest_at_fixed_rate = 4096;

/// By width: rounding alone, an ε in the norm, and rounding in a path that amplifies it.
void measure_widths(const cli::Options& options, report::Section& section) {
  constexpr std::array<std::uint64_t, 10> widths{16,  48,   64,   192,  256,
                                                 768, 1024, 3072, 4096, 16384};
  Table table({{"d_model", Table::Align::right},
               {"binary32", Table::Align::right},
               {"binary64", Table::Align::right},
               {"ε = 10⁻⁵, binary64", Table::Align::right},
               {"fixed rate, binary64", Table::Align::right}});
  Figure figure{.name = "optimizer_rounded_paths",
                .title = "How far up and down part in 200 steps of Adam behind RMSNorm",
                .x_label = "d_model",
                .y_label = "largest difference over largest entry",
                .x_scale = Figure::Scale::log2,
                .y_scale = Figure::Scale::log10,
                .series = {{.label = "ε = 0, binary32", .x = {}, .y = {}},
                           {.label = "ε = 0, binary64", .x = {}, .y = {}},
                           {.label = "ε = 10⁻⁵, binary64", .x = {}, .y = {}},
                           {.label = "ε = 0, binary64, fixed rate", .x = {}, .y = {}}},
                .levels = {}};
  double chaotic = 0;
  for (const auto d : points(options.widths, widths)) {
    std::vector<std::string> row{report::count(d)};
    std::vector<double> apart{rounded_deviation(options, d, 0.0f, Rates::falling),
                              rounded_deviation(options, d, 0.0, Rates::falling),
                              rounded_deviation(options, d, 1e-5, Rates::falling)};
    if (d <= widest_at_fixed_rate)
      apart.push_back(rounded_deviation(options, d, 0.0, Rates::fixed));
    for (std::size_t k = 0; k < apart.size(); ++k) {
      section.measure({.quantity = "path_deviation",
                       .at = {{"follows", followers[k == 2 ? 4 : 0].name},
                              {"optimiser", optimiser_names[adam]},
                              {"d_model", d},
                              {"steps", path_steps},
                              {"format", k == 0 ? "binary32" : "binary64"},
                              {"rates", k == 3 ? "fixed" : "falling"}},
                       .value = apart[k],
                       .samples = 1,
                       .method = "one path each, in the format",
                       .digits = 2});
      figure.series[k].x.push_back(static_cast<double>(d));
      figure.series[k].y.push_back(apart[k] > 0 ? apart[k] : NAN);
      row.push_back(apart[k] == 0 ? "0" : report::significant(apart[k], 2));
    }
    if (apart.size() > 3) chaotic = std::max(chaotic, apart[3]);
    row.resize(5, "—");
    table.row(row);
    section.text("last_width", report::count(d));
    section.text("epsilon_last", report::significant(apart[2], 2));
  }
  section.text("chaotic", report::significant(chaotic, 2));
  section.table(table);
  std::erase_if(figure.series, [](const report::Series& s) {
    return std::ranges::none_of(s.y, [](double y) { return std::isfinite(y); });
  });
  section.figure(figure);
}

}  // namespace

report::Section same_function_same_path(const cli::Options& options) {
  report::Section section(properties::optimizer::same_function_same_path);
  measure_functions(options, section);
  measure_followers(options, section);
  auto& bits = section.measure(
      bit_disagreements(options, "optimizer/bits", 0, 3, [](const auto& up) { return down(up); }));
  bits.rule = report::Rule{Part::statement, Relation::equals, 0, 2 * 4 * squares_of_powers.size()};
  bits.field = "bits";
  section.text("bit_paths", report::count(bits.samples));
  section.figure(figure_of(options));
  measure_widths(options, section);
  section.condition("all that follows the sum ignores a common factor of it");
  return section;
}

}  // namespace embedscale::optimizer_analysis
