#include "normalization/blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>

#include "report/parallel.hpp"

namespace embedscale::normalization_analysis {
namespace {

/// Of those that divide a width.
constexpr std::uint64_t usual_heads = 8, usual_tokens = 16;
constexpr double usual_samples = 4000;

std::uint64_t heads_of(std::optional<std::uint64_t> told, std::uint64_t d) {
  if (told && d % *told != 0)
    throw std::invalid_argument(fmt::format(
        "--heads: from 1 to {}, each a divisor of each of --widths, so not {}", d, *told));
  std::uint64_t heads = told.value_or(usual_heads);
  while (d % heads != 0) heads /= 2;
  return heads;
}

}  // namespace

double Setup::products() const {
  const auto d = static_cast<double>(shape.d_model), n = static_cast<double>(start.n);
  return n * d * (4 * d + 2 * static_cast<double>(shape.d_ff)) + 2 * n * n * d;
}

std::uint64_t Setup::draws(std::uint64_t samples) const {
  constexpr double largest_usual = 12.0 * 256 * 256 * 16;  // multiplications, where 16 are drawn
  const double usual = std::clamp(16 * std::sqrt(largest_usual / products()), 4.0, 256.0);
  return static_cast<std::uint64_t>(
      std::max(4.0, usual * static_cast<double>(samples) / usual_samples));
}

std::uint64_t Setup::draws_of_curve(std::uint64_t samples) const {
  return std::max<std::uint64_t>(4, draws(samples) / 4);
}

Place Setup::on(Place at) const {
  at.set("d_model", shape.d_model);
  for (const auto& [axis, coordinate] : told) at.set(axis, coordinate);
  return at;
}

std::vector<Setup> setups(const Options& options, const std::vector<std::uint64_t>& otherwise) {
  std::vector<Setup> all;
  for (const std::size_t d : points(options.widths, otherwise))
    for (const auto heads : told_or_usual(options.heads))
      for (const auto tokens : told_or_usual(options.positions))
        for (const auto sigma : told_or_usual(options.deviations)) {
          Setup one{{d, heads_of(heads, d), 4 * d},
                    {d, tokens.value_or(usual_tokens), sigma_of(sigma, d)},
                    {}};
          if (heads) one.told.set("heads", *heads);
          if (tokens) one.told.set("positions", *tokens);
          if (sigma) one.told.set("std", *sigma);
          all.push_back(std::move(one));
        }
  return all;
}

double multiplications_of_blocks(const Options& options) {
  Options own = options;  // the norms alone have other widths, too
  std::erase_if(own.widths, [](std::uint64_t d) { return d % 2 != 0 || d > 1024; });
  if (own.widths.empty() && !options.widths.empty()) return 0;
  double sum = 0;
  for (const auto& setup : setups(own, usual_widths))
    sum += static_cast<double>(setup.draws(options.samples)) * setup.products();
  return sum;
}

Stream stream_of(const Options& options, const std::string& what, std::uint64_t draw) {
  return {options.seed, "normalization blocks/" + what + "/" + std::to_string(draw)};
}

void measure_means(Section& s, const std::string& method, std::uint64_t n,
                   const std::function<Figures(std::uint64_t draw)>& of, double rounding) {
  std::vector<Figures> all(n);
  report::in_parallel(n, [&](std::uint64_t draw) { all[draw] = of(draw); });
  for (std::size_t k = 0; k < all[0].size(); ++k) {
    const auto& [quantity, at, value, divisor] = all[0][k];
    if (divisor) {
      const auto both = over<Quotient>(
          n, [&](std::uint64_t draw) { return std::pair(all[draw][k].value, *all[draw][k].over); });
      s.measure(quantity, at, both.with_error(NormalConfidence::p999), method);
      continue;
    }
    const auto sum = over<Sum>(n, [&](std::uint64_t draw) { return all[draw][k].value; });
    const Value mean = sum.with_error(NormalConfidence::p999);
    s.measure(quantity, at,
              Estimate(sum.mean(), sum)
                  .as_sure_as(mean, *mean.lower() - rounding, *mean.upper() + rounding),
              method);
  }
}

}  // namespace embedscale::normalization_analysis
