#pragma once
// The first logits' deviation in closed form, and its exponents in d_model and d_k.
#include <embedscale/expected/first_layer.hpp>
#include <embedscale/expected/projection.hpp>
#include <embedscale/properties/attention_input_scales.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "report/measurement.hpp"

namespace embedscale::attention_analysis::exponents {

using namespace properties::attention::input;
using expected::ProjectionLaw;

enum class Piece { token_token, whole };
struct Case {
  ProjectionLaw law;
  Cell cell;
  Piece piece;
};
struct LawName {
  ProjectionLaw law;
  const char* name;
};
inline constexpr LawName laws[] = {{ProjectionLaw::xavier, "Xavier, d_model to d_model"},
                                   {ProjectionLaw::packed_xavier, "Xavier, packed 3·d_model"},
                                   {ProjectionLaw::xavier_per_head, "Xavier, d_model to d_k"},
                                   {ProjectionLaw::normal, "N(0, 0.02²)"}};
inline constexpr double normal_sigma = 0.02;
inline constexpr Cell cells[] = {{Factor::absent, Factor::absent},
                                 {Factor::absent, Factor::present},
                                 {Factor::present, Factor::absent},
                                 {Factor::present, Factor::present}};
inline constexpr Piece pieces[] = {Piece::token_token, Piece::whole};

inline const char* word(Factor f) { return f == Factor::present ? "present" : "absent"; }
inline const char* word(Piece p) { return p == Piece::token_token ? "token·token" : "whole"; }

/// σ_W², where the matrix of all heads is (d_model, d_model).
inline double weight_variance(ProjectionLaw law, double d, double d_k) {
  const auto width = static_cast<std::size_t>(d);
  const bool one_head = law == ProjectionLaw::xavier_per_head;
  return stated_weight_variance(
      {law, {width, one_head ? static_cast<std::size_t>(d_k) : width, 1}, normal_sigma});
}

/// Deviation of z or of its token·token part: s·√d_k·σ_W²·d·A, A the mean square of x or of t.
inline double logit_std(const Case& c, double d, double d_k) {
  const double token = c.cell.root_d_model == Factor::present ? 1 : 1 / d;
  const double all = c.piece == Piece::token_token ? token : token + 0.5;
  const double scale = c.cell.root_d_k == Factor::present ? 1 / std::sqrt(d_k) : 1;
  return expected::logit_std(scale, d_k, std::sqrt(weight_variance(c.law, d, d_k)),
                             std::sqrt(weight_variance(c.law, d, d_k)), static_cast<std::size_t>(d),
                             all, all);
}

/// ∂ ln/∂ ln d_model, and ∂ ln/∂ ln d_k, of that.
inline double local_in_d_model(const Case& c, double d, double d_k) {
  const double of_law = c.law == ProjectionLaw::normal            ? 1
                        : c.law == ProjectionLaw::xavier_per_head ? d_k / (d + d_k)
                                                                  : 0;
  if (c.piece == Piece::token_token || c.cell.root_d_model == Factor::present)
    return of_law + exponent_in_d_model(c.cell);
  return of_law + expected::unscaled_exponent(d);
}
inline double local_in_d_k(const Case& c, double d, double d_k) {
  return exponent_in_d_k(c.cell) - (c.law == ProjectionLaw::xavier_per_head ? d_k / (d + d_k) : 0);
}

/// Slope of y against x by least squares.
inline double slope(const std::vector<double>& x, const std::vector<double>& y) {
  const double n = static_cast<double>(x.size());
  const double x_mean = std::accumulate(x.begin(), x.end(), 0.0) / n;
  const double y_mean = std::accumulate(y.begin(), y.end(), 0.0) / n;
  double above = 0, below = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    above += (x[i] - x_mean) * (y[i] - y_mean);
    below += (x[i] - x_mean) * (x[i] - x_mean);
  }
  return above / below;
}

/// The exponent over points: their common local exponent where it is a power law, else the fitted
/// slope; lower and upper are the least and the largest local exponent on the way.
template <class Std, class Local>
report::Measurement exponent(const std::vector<std::uint64_t>& points, Std std_at, Local local_at) {
  std::vector<double> x, y, local;
  for (const auto p : points) {
    x.push_back(std::log(static_cast<double>(p)));
    y.push_back(std::log(std_at(static_cast<double>(p))));
    local.push_back(local_at(static_cast<double>(p)));
  }
  const auto [least, most] = std::ranges::minmax(local);
  const bool one_point = std::ranges::min(points) == std::ranges::max(points);
  report::Measurement m{.value = least == most ? least : slope(x, y),
                        .samples = points.size(),
                        .method = least == most && !one_point ? "closed form: a power law"
                                  : one_point                 ? "closed form: local exponent"
                                                              : "least squares on the closed form",
                        .lower = least,
                        .upper = most};
  return m;
}

}  // namespace embedscale::attention_analysis::exponents
