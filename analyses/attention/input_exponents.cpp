// Whether √d_model and 1/√d_k cancel: exponents of the first logits' deviation in both.
#include "attention/input_exponents.hpp"

#include <algorithm>
#include <cmath>

#include "attention/input.hpp"

namespace embedscale::attention_analysis {
namespace {

using namespace exponents;
using properties::Part;
using properties::domain::Rational;

const Primitives primitives;

struct Points {
  std::vector<std::uint64_t> widths, head_widths;
  std::uint64_t d_model, d_k;  ///< where the other one varies
};

Points points_of(const Options& options) {
  const auto widths = points(options.widths, input_widths);
  auto head_widths = points(options.head_widths, input_head_widths);
  if (options.head_widths.empty() && !options.heads.empty()) {
    head_widths.clear();
    for (const auto h : options.heads)
      for (const auto d : widths)
        if (d % h == 0) head_widths.push_back(d / h);
    std::ranges::sort(head_widths);
    head_widths.erase(std::unique(head_widths.begin(), head_widths.end()), head_widths.end());
    if (head_widths.empty()) throw std::invalid_argument("--heads: divides none of the widths");
  }
  return {widths, head_widths, said_of(widths, 512), said_of(head_widths, 64)};
}

double real(std::uint64_t n) { return static_cast<double>(n); }

void measure_exponents(Section& s, const Points& at) {
  const auto law = axis("projection", laws, &LawName::name);
  const auto root = axis("root_d_model", factors, word), scale = axis("root_d_k", factors, word);
  const auto part = axis("part", pieces, word_of);
  s.sweep("", {{"d_k", at.d_k}}, law, root, scale, part,
          [&](const LawName& l, Factor in, Factor out, Piece piece) {
            const Case c{l.law, {in, out}, piece};
            const double d_k = real(at.d_k);
            return Values{{"logit_std_exponent_in_d_model",
                           exponent(
                               at.widths, [&](double d) { return logit_std(c, d, d_k); },
                               [&](double d) { return local_in_d_model(c, d, d_k); })}};
          });
  s.sweep("", {{"d_model", at.d_model}}, law, root, scale, part,
          [&](const LawName& l, Factor in, Factor out, Piece piece) {
            const Case c{l.law, {in, out}, piece};
            const double d = real(at.d_model);
            return Values{{"logit_std_exponent_in_d_k",
                           exponent(
                               at.head_widths, [&](double d_k) { return logit_std(c, d, d_k); },
                               [&](double d_k) { return local_in_d_k(c, d, d_k); })}};
          });
}

/// Of Xavier projections, at each width and at each d_k.
void measure_std(Section& s, const Points& at) {
  const auto measure = [&](const std::vector<std::uint64_t>& widths,
                           const std::vector<std::uint64_t>& head_widths) {
    s.sweep("closed form", {{"projection", laws[0].name}}, axis("d_model", widths),
            axis("d_k", head_widths), axis("root_d_model", factors, word),
            axis("root_d_k", factors, word), axis("part", pieces, word_of),
            [&](std::uint64_t d, std::uint64_t d_k, Factor in, Factor out, Piece piece) {
              const Case c{laws[0].law, {in, out}, piece};
              return Values{{"logit_std", logit_std(c, real(d), real(d_k))}};
            });
  };
  measure(at.widths, {at.d_k});
  auto others = at.head_widths;
  std::erase(others, at.d_k);
  measure({at.d_model}, others);
}

/// Shapes looked at, and in how many both factors make nothing of the tokens' part or of all.
struct Shapes {
  Tally cancel, agree, stated;

  void look(Section& s, std::uint64_t d, std::uint64_t d_k) {
    if (d_k > d || d < 2) return;
    cancel.evaluate([&] { return d_k == d * d; });
    stated.evaluate([&] { return d == 4 && d_k == 4; });
    if (agree.evaluate([&] { return d_k * (d + 2) * (d + 2) == 9 * d * d; }))
      s.measure("shape_where_all_logits_agree", {{"d_model", d}, {"d_k", d_k}}, 1);
  }
};

/// All even d_model to 2^14 with every d_k from 1 to 256 and at most d_model; or the shapes told.
void measure_shapes(Section& s, const Options& options, const Points& at) {
  Shapes shapes;
  if (options.at_own_points()) {
    for (const auto d : at.widths)
      for (const auto d_k : at.head_widths) shapes.look(s, d, d_k);
  } else {
    for (std::uint64_t d = 2; d <= 1 << 14; d += 2)
      for (std::uint64_t d_k = 1; d_k <= 256; ++d_k) shapes.look(s, d, d_k);
  }
  const auto all = shapes.cancel.cases();
  if (all == 0) return;
  s.measure("shapes_where_the_factors_cancel", {}, shapes.cancel, "exhaustive: d_k = d_model²",
            all_of(Part::belief, all));
  s.measure("shapes_where_all_logits_agree", {}, shapes.agree,
            "exhaustive: d_k·(d_model + 2)² = 9·d_model²",
            Rule{Part::statement, Relation::equals, real(shapes.stated.hits()), all});
}

void measure_exactly(Section& s, const Options& options) {
  const Stream stream(options.seed, s.claim().id);
  s.decide("scaling_disagreements", none_of(Part::statement, options.samples), "exact rationals",
           [&](std::uint64_t i) {
             const auto head = rational_head(stream, i);
             const auto parts = rational_head(stream, i + options.samples);
             return !factors_multiply_as_stated<Rational>(head, {parts.b_q, parts.b_k},
                                                          {parts.x[0], parts.x[1]}, parts.scale,
                                                          head.scale, primitives);
           });
  const Stream whole(options.seed, std::string(s.claim().id) + "/whole");
  s.decide("moment_disagreements", none_of(Part::statement, options.samples),
           "mean over all signs of the weights, whole numbers", [&](std::uint64_t i) {
             const auto words = whole.block(i, 2);
             return !moments_over_weights_are_stated(
                 whole_channels(whole.block(i)), whole_channels(whole.block(i, 1)),
                 real(words[0] % 9), real(words[1] % 9), primitives);
           });
}

void measure_rounding(Section& s, const Points& at) {
  Greatest worst;
  for (const auto d : at.widths)
    for (const auto d_k : at.head_widths)
      for (const std::size_t times : {2u, 3u, 16u})
        for (const Factor root : factors)
          for (const Factor scale : factors) {
            const auto add = [&]<class Real>(Real) {
              worst.evaluate([&] {
                return exponents_share_of_bound<Real>(d, d_k, times, {root, scale}, primitives);
              });
            };
            add(double{});
            add(float{});
          }
  s.measure("worst_share_of_bound", {}, worst,
            "measured exponents against the table's, binary64 and binary32",
            at_most(Part::statement, 1, worst.cases()));
}

}  // namespace

void root_d_model_does_not_cancel(Section& s, const Options& options) {
  const auto at = points_of(options);
  measure_exponents(s, at);
  measure_std(s, at);
  measure_shapes(s, options, at);
  measure_exactly(s, options);
  measure_rounding(s, at);
  const double d = real(at.d_model), root_d_k = std::sqrt(real(at.d_k));
  s.measure("times_token_token", {{"by", "√d_model"}}, d);
  s.measure("times_token_token", {{"by", "1/√d_k"}}, 1 / root_d_k);
  s.measure("times_token_token", {{"by", "both"}}, d / root_d_k);
}

}  // namespace embedscale::attention_analysis
