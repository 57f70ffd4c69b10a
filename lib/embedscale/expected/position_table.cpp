#include "position_table.hpp"

#include <cmath>
#include <cstddef>

namespace embedscale::expected {

double mean_square(const SinusoidalTable& table) { return table.multiplier * table.multiplier / 2; }

double dirichlet(double w, std::int64_t length) {
  const double sine = std::sin(w / 2), l = static_cast<double>(length);
  return sine == 0 ? 1.0 : std::sin(l * w / 2) / (l * sine);
}

double constant_share(const SinusoidalTable& table) {
  double sum = 0;
  for (const double w : table.frequencies) {
    const double kernel = dirichlet(w, table.length);
    sum += kernel * kernel;
  }
  return sum / static_cast<double>(table.frequencies.size());
}

void for_each_position(const SinusoidalTable& table,
                       const std::function<void(std::span<const std::complex<double>>)>& use) {
  constexpr std::int64_t stretch = 64;
  const std::size_t n = table.frequencies.size();
  std::vector<std::complex<double>> pairs(n), turns(n);
  for (std::size_t i = 0; i < n; ++i) turns[i] = std::polar(1.0, table.frequencies[i]);
  for (std::int64_t l = 0; l < table.length; ++l) {
    if (l % stretch == 0)
      for (std::size_t i = 0; i < n; ++i) {
        const double angle = static_cast<double>(table.first + l) * table.frequencies[i];
        pairs[i] = {table.multiplier * std::cos(angle), table.multiplier * std::sin(angle)};
      }
    use(pairs);
    for (std::size_t i = 0; i < n; ++i) {
      const double c = pairs[i].real(), s = pairs[i].imag();
      pairs[i] = {c * turns[i].real() - s * turns[i].imag(),
                  c * turns[i].imag() + s * turns[i].real()};
    }
  }
}

}  // namespace embedscale::expected
