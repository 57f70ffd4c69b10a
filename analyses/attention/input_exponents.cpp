// Whether √d_model and 1/√d_k cancel: exponents of the first logits' deviation in both.
#include <embedscale/expected/first_layer.hpp>

#include <tuple>

#include "attention/sections.hpp"

namespace embedscale::attention_analysis {
namespace {

using Law = Projections::Law;

enum class Piece { token_token, whole };
struct Logit {
  Projections projections;
  Cell cell;
  Piece piece;

  Law law() const { return projections.law; }
};
constexpr Projections laws[] = {{Law::xavier},
                                {Law::packed_xavier},
                                {Law::xavier_per_head},
                                {Law::nn_linear},
                                {Law::normal, 0.02}};
constexpr Factor factors[] = {Factor::absent, Factor::present};
constexpr Piece pieces[] = {Piece::token_token, Piece::whole};

const char* word(Factor f) { return f == Factor::present ? "present" : "absent"; }
const char* word_of(Piece p) { return p == Piece::token_token ? "token·token" : "whole"; }

/// Deviation of z or of its token·token part: s·√d_k·σ_W²·d·A, A the mean square of x or of t.
double logit_std(const Logit& c, double d, double d_k) {
  const double token = c.cell.root_d_model == Factor::present ? 1 : 1 / d;
  const double all = c.piece == Piece::token_token ? token : token + 0.5;
  const double scale = c.cell.root_d_k == Factor::present ? 1 / std::sqrt(d_k) : 1;
  const auto width = static_cast<std::size_t>(d);
  const double sigma =
      std::sqrt(stated_weight_variance(c.projections.at(width, static_cast<std::size_t>(d_k))));
  return expected::logit_std(scale, d_k, sigma, sigma, width, all, all);
}

/// ∂ ln/∂ ln d_model, and ∂ ln/∂ ln d_k, of that, as a sum of terms that only rise or only fall.
using Terms = std::array<double, 2>;
Terms local_in_d_model(const Logit& c, double d, double d_k) {
  const double of_law = c.law() == Law::normal            ? 1
                        : c.law() == Law::xavier_per_head ? d_k / (d + d_k)
                                                          : 0;
  if (c.piece == Piece::token_token || c.cell.root_d_model == Factor::present)
    return {of_law, exponent_in_d_model(c.cell)};
  return {of_law, expected::unscaled_exponent(d)};
}
Terms local_in_d_k(const Logit& c, double d, double d_k) {
  return {exponent_in_d_k(c.cell), c.law() == Law::xavier_per_head ? -d_k / (d + d_k) : 0.0};
}

/// Slope of y against x by least squares.
double slope(const std::vector<double>& x, const std::vector<double>& y) {
  const auto mean = [](const std::vector<double>& z) {
    return over<Sum>(z, std::identity()).mean();
  };
  const double x_mean = mean(x), y_mean = mean(y);
  double above = 0, below = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    above += (x[i] - x_mean) * (y[i] - y_mean);
    below += (x[i] - x_mean) * (x[i] - x_mean);
  }
  return above / below;
}

/// The exponent over points: their common local exponent where it is a power law, else the fitted
/// slope; enclosed by the least and the largest local exponent that its terms allow on the way:
/// their sum may be larger between the points than at any of them.
template <class Std, class Local>
Value exponent(const std::vector<std::uint64_t>& points, Std std_at, Local local_at) {
  std::vector<double> x, y;
  std::array<std::vector<double>, std::tuple_size_v<Terms>> local;
  const auto fitted = over<Sum>(points.size(), [&](std::uint64_t i) {
    const auto p = static_cast<double>(points[i]);
    x.push_back(std::log(p));
    y.push_back(std::log(std_at(p)));
    const Terms terms = local_at(p);
    for (std::size_t i = 0; i < terms.size(); ++i) local[i].push_back(terms[i]);
    return y.back();
  });
  double least = 0, most = 0;
  for (const auto& term : local) least += std::ranges::min(term), most += std::ranges::max(term);
  const bool is_one_point = std::ranges::min(points) == std::ranges::max(points);
  return Value::of_all(least == most ? least : slope(x, y), fitted)
      .enclosed(least, most)
      .by(is_one_point    ? "closed form: local exponent"
          : least == most ? "closed form: a power law"
                          : "least squares on the closed form");
}

struct Points {
  std::vector<std::uint64_t> widths, head_widths;
  std::vector<std::uint64_t> at_widths, at_head_widths;  ///< where the other one varies
};

/// All that were told, or d_model = 512 and d_k = 64.
Points points_of(const Options& options) {
  constexpr std::array<std::uint64_t, 1> width{512}, head_width{64};
  return {points(options.widths, input_widths), points(options.head_widths, few_head_widths),
          points(options.widths, width), points(options.head_widths, head_width)};
}

void measure_exponents(Section& s, const Points& at) {
  const auto each_case = [&](const Place& place, const auto& exponent_of) {
    s.sweep("", place, axis("projection", laws, &Projections::name),
            axis("root_d_model", factors, word), axis("root_d_k", factors, word),
            axis("part", pieces, word_of),
            [&](const Projections& law, Factor root, Factor scale, Piece piece) {
              return Values{exponent_of(Logit{law, {root, scale}, piece})};
            });
  };
  for (const auto head_width : at.at_head_widths)
    each_case({{"d_k", head_width}}, [&, d_k = real(head_width)](const Logit& c) {
      return Reading{"logit_std_exponent_in_d_model",
                     exponent(
                         at.widths, [&](double x) { return logit_std(c, x, d_k); },
                         [&](double x) { return local_in_d_model(c, x, d_k); })};
    });
  for (const auto width : at.at_widths)
    each_case({{"d_model", width}}, [&, d = real(width)](const Logit& c) {
      return Reading{"logit_std_exponent_in_d_k",
                     exponent(
                         at.head_widths, [&](double x) { return logit_std(c, d, x); },
                         [&](double x) { return local_in_d_k(c, d, x); })};
    });
}

/// Of Xavier projections, at each width and at each d_k.
void measure_std(Section& s, const Points& at) {
  const auto measure = [&](const std::vector<std::uint64_t>& widths,
                           const std::vector<std::uint64_t>& head_widths) {
    s.sweep("closed form", {{"projection", laws[0].name()}}, axis("d_model", widths),
            axis("d_k", head_widths), axis("root_d_model", factors, word),
            axis("root_d_k", factors, word), axis("part", pieces, word_of),
            [&](std::uint64_t d, std::uint64_t d_k, Factor in, Factor out, Piece piece) {
              const Logit c{laws[0], {in, out}, piece};
              return Values{{"logit_std", logit_std(c, real(d), real(d_k))}};
            });
  };
  measure(at.widths, at.at_head_widths);
  auto others = at.head_widths;
  std::erase_if(others, [&](auto d_k) { return std::ranges::count(at.at_head_widths, d_k) > 0; });
  measure(at.at_widths, others);
}

/// In how many shapes both factors make nothing of the tokens' part or of all: all even d_model to
/// 2^14 with every d_k from 1 to 256 and at most d_model.
void measure_shapes(Section& s) {
  Tally cancel, agree;
  for (std::uint64_t d = 2; d <= 1 << 14; d += 2)
    for (std::uint64_t d_k = 1; d_k <= std::min<std::uint64_t>(d, 256); ++d_k) {
      cancel.evaluate([&] { return d_k == d * d; });
      if (agree.evaluate([&] { return d_k * (d + 2) * (d + 2) == 9 * d * d; }))
        s.measure("shape_where_all_logits_agree", {{"d_model", d}, {"d_k", d_k}}, 1);
    }
  s.measure("shapes_where_the_factors_cancel", {}, cancel, "exhaustive: d_k = d_model²");
  s.measure("shapes_where_all_logits_agree", {}, agree,
            "exhaustive: d_k·(d_model + 2)² = 9·d_model²");
}

}  // namespace

void root_d_model_does_not_cancel(Section& s, const Options& options) {
  const auto at = points_of(options);
  measure_exponents(s, at);
  measure_std(s, at);
  measure_shapes(s);
  s.measure_failures("scaling_disagreements", {}, "factors_multiply_the_parts");
  s.measure_failures("moment_disagreements", {}, "mean_square_is_that_of_lengths");
  s.measure_worst("worst_share_of_bound", {}, "exponents_are_those_of_the_table");
  const double d = real(at.at_widths[0]), root_d_k = std::sqrt(real(at.at_head_widths[0]));
  s.measure("times_token_token", {{"by", "√d_model"}}, d);
  s.measure("times_token_token", {{"by", "1/√d_k"}}, 1 / root_d_k);
  s.measure("times_token_token", {{"by", "both"}}, d / root_d_k);
}

}  // namespace embedscale::attention_analysis
