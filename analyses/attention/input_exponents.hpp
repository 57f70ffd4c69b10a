#pragma once
// The first logits' deviation in closed form, and its exponents in d_model and d_k.
#include <embedscale/expected/first_layer.hpp>
#include <embedscale/expected/projection.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "properties/attention/input_scales.hpp"
#include "report/value.hpp"

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
inline constexpr Factor factors[] = {Factor::absent, Factor::present};
inline constexpr Piece pieces[] = {Piece::token_token, Piece::whole};

inline const char* word(Factor f) { return f == Factor::present ? "present" : "absent"; }
inline const char* word_of(Piece p) { return p == Piece::token_token ? "token·token" : "whole"; }

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
  const auto mean = [](const std::vector<double>& z) {
    return report::over<report::Sum>(z.size(), [&](std::uint64_t i) { return z[i]; }).mean();
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
/// slope; enclosed by the least and the largest local exponent on the way.
template <class Std, class Local>
report::Value exponent(const std::vector<std::uint64_t>& points, Std std_at, Local local_at) {
  std::vector<double> x, y, local;
  const auto fitted = report::over<report::Sum>(points.size(), [&](std::uint64_t i) {
    const auto p = static_cast<double>(points[i]);
    x.push_back(std::log(p));
    y.push_back(std::log(std_at(p)));
    return local.emplace_back(local_at(p));
  });
  const auto [least, most] = std::ranges::minmax(local);
  const bool is_one_point = std::ranges::min(points) == std::ranges::max(points);
  return report::Value(least == most ? least : slope(x, y), fitted)
      .enclosed(least, most)
      .by(is_one_point    ? "closed form: local exponent"
          : least == most ? "closed form: a power law"
                          : "least squares on the closed form");
}

}  // namespace embedscale::attention_analysis::exponents
