// What a post-norm block makes of a factor, and what undoes it: by running blocks.
#include <fmt/format.h>
#include <embedscale/properties/normalization_block_exact.hpp>

#include <algorithm>
#include <functional>

#include "normalization.hpp"

namespace embedscale::normalization_analysis {
namespace {

using namespace properties::normalization;
using properties::Part;
using report::Table;

const BlockLibrary library;
constexpr const char* in_50_digits = "drawn blocks of 4 channels in 50 digits";

BlockCase<Wide> wide_case(const Stream& stream, std::uint64_t i, Biases biases) {
  return drawn_block<Wide>(stream, i, wide_shape, wide_tokens, NormPlacement::post, biases);
}

/// c = 2^(k/4), k = −16 … 16 without 0; and a with a/c from 1/4 to 4.
struct Factors {
  Wide c, a;
};
Factors factors(std::uint64_t i) {
  const int k = static_cast<int>(i % 32) - 16;
  const Wide c(std::exp2((k < 0 ? k : k + 1) / 4.0));
  return {c, Wide(c * Wide(std::exp2((static_cast<int>(i / 32 % 17) - 8) / 4.0)))};
}

using Change = std::function<void(BlockCase<Wide>&, const BlockCase<Wide>&, const Factors&)>;

/// Of `n` compensated blocks with `change` on top, those whose output for c·x is that of x.
std::uint64_t that_stay(const Stream& stream, std::uint64_t n, Biases biases,
                        const Change& change) {
  std::uint64_t stay = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    const auto drawn = wide_case(stream, i, biases);
    const Factors f = factors(i);
    BlockCase<Wide> other{compensated(drawn.block, f.c, f.a, library), product(f.c, drawn.x)};
    change(other, drawn, f);
    auto same = drawn.block;
    same.norm = other.block.norm;
    const double sharpness = static_cast<double>(Wide(f.c * f.c));
    stay +=
        properties::normalization::share_of_bound(drawn, through(other.block, other.x, library),
                                                  through(same, drawn.x, library), sharpness) <= 1
            ? 1
            : 0;
  }
  return stay;
}

/// Another bias of values, and what it adds to W_O·b_V taken from b_O.
void move_bias(BlockCase<Wide>& other) {
  auto& w = other.block.weights;
  const std::size_t d = w.value_bias.size();
  for (std::size_t j = 0; j < d; ++j) {
    const Wide by(static_cast<double>(j) + 0.5);
    w.value_bias[j] = w.value_bias[j] + by;
    for (std::size_t i = 0; i < d; ++i)
      w.output_bias[i] = w.output_bias[i] - w.output[i * d + j] * by;
  }
}

void measure_conditions(const cli::Options& options, report::Section& section, Table& table) {
  const Stream stream(options.seed, std::string(section.claim().id) + "/wide");
  const std::uint64_t n = std::max<std::uint64_t>(1, options.samples / 40);
  WorstShare worst;
  auto changed = none_of("outputs_changed", n, Part::belief, in_50_digits, [&](std::uint64_t i) {
    const auto [c, a] = factors(i);
    const double share = compensated_share(wide_case(stream, i, Biases::all), c, a, library);
    worst.add(share);
    return !(share <= 1);
  });
  changed.field = "changed";
  table.row({"all of the condition, every bias drawn", report::count(n), shown(changed)});
  section.measure(std::move(changed));
  section.measure(worst.measurement(in_50_digits, "worst"));
  const auto add = [&](const char* what, Biases biases, const Change& change, Part part) {
    const auto stay = static_cast<double>(that_stay(stream, n, biases, change));
    const bool harmless = part == Part::statement;
    const double others = static_cast<double>(n) - stay;
    if (harmless)
      section.measure_none("harmless_changes", {{"change", what}}, others, n, part, in_50_digits);
    else
      section.measure_none("outputs_that_stay", {{"change", what}}, stay, n, part, in_50_digits);
    table.row({what, report::count(n), report::count(static_cast<std::uint64_t>(others))});
  };
  using Case = BlockCase<Wide>;
  add(
      "the same, another b_K", Biases::all,
      [](Case& other, const Case&, const Factors&) {
        for (Wide& b : other.block.weights.key_bias) b = b + Wide(0.75);
      },
      Part::statement);
  add(
      "the same, b_V moved and b_O by what W_O makes of that", Biases::all,
      [](Case& other, const Case&, const Factors&) { move_bias(other); }, Part::statement);
  add(
      "no biases, W_Q and W_K as they were", Biases::none,
      [](Case& other, const Case& drawn, const Factors&) {
        other.block.weights = drawn.block.weights;
      },
      Part::belief_elsewhere);
  add(
      "no biases, W_Q divided by c, W_K as it was", Biases::none,
      [](Case& other, const Case& drawn, const Factors& f) {
        other.block.weights = drawn.block.weights;
        BlockLibrary::divide(other.block.weights.query, f.c);
      },
      Part::belief_elsewhere);
  add(
      "b_V as it was", Biases::all,
      [](Case& other, const Case& drawn, const Factors&) {
        other.block.weights.value_bias = drawn.block.weights.value_bias;
      },
      Part::belief_elsewhere);
  add(
      "b_O as it was", Biases::all,
      [](Case& other, const Case& drawn, const Factors&) {
        other.block.weights.output_bias = drawn.block.weights.output_bias;
      },
      Part::belief_elsewhere);
  add(
      "b_Q times c beside what it should be", Biases::all,
      [](Case& other, const Case&, const Factors& f) {
        BlockLibrary::multiply(other.block.weights.query_bias, f.c);
      },
      Part::belief_elsewhere);
  add(
      "the network's b_1 times c", Biases::all,
      [](Case& other, const Case&, const Factors& f) {
        BlockLibrary::multiply(other.block.weights.inner_bias, f.c);
      },
      Part::belief_elsewhere);
  add(
      "ε = 2^−10 in both norms, as it was", Biases::all,
      [](Case& other, const Case&, const Factors&) { other.block.norm.epsilon = Wide(0x1p-10); },
      Part::belief_elsewhere);
}

void measure_bits(const cli::Options& options, report::Section& section) {
  const Stream stream(options.seed, std::string(section.claim().id) + "/bits");
  const auto power = [](std::uint64_t k) { return std::ldexp(1.0, static_cast<int>(k % 17) - 8); };
  const auto parts = [&](std::uint64_t i, Biases biases, const auto& has_bits) {
    const BlockShape shape{8, 1 + i % 2, 8};
    return !has_bits(drawn_block<double>(stream, i, shape, 3, NormPlacement::post, biases)) ||
           !has_bits(drawn_block<float>(stream, i, shape, 3, NormPlacement::post, biases));
  };
  constexpr const char* method =
      "drawn blocks of 8 channels, c = 2^−8 … 2^8, binary64 and binary32";
  auto bits =
      none_of("bit_disagreements", options.samples, Part::statement, method, [&](std::uint64_t i) {
        return parts(i, Biases::all, [&]<class Real>(const BlockCase<Real>& b) {
          return has_bits_when_compensated(b, static_cast<Real>(power(i)),
                                           static_cast<Real>(power(i / 17)), library);
        });
      });
  bits.field = "bits";
  section.measure(std::move(bits));
  auto temperature = none_of(
      "temperature_disagreements", options.samples, Part::statement, method, [&](std::uint64_t i) {
        return parts(i, Biases::none, [&]<class Real>(const BlockCase<Real>& b) {
          return properties::normalization::has_bits_of_temperature(b, static_cast<Real>(power(i)),
                                                                    library);
        });
      });
  temperature.field = "temperature";
  section.measure(std::move(temperature));
  section.text("cases", report::count(options.samples));
}

}  // namespace

report::Section post_norm_block(const cli::Options& options) {
  report::Section section(properties::normalization::post_norm_block);
  section.condition(
      "W_Q and W_K are divided by two numbers whose product is the factor's square, b_Q follows "
      "the queries, W_O·b_V + b_O is multiplied by the factor, and ε = 0");
  Table table({{"A block for c·x against the block for x, in 50 digits"},
               {"Cases", Table::Align::right},
               {"Changed", Table::Align::right}});
  measure_conditions(options, section, table);
  section.table(std::move(table));
  measure_bits(options, section);
  measure_post_norm_sizes(options, section);
  return section;
}

}  // namespace embedscale::normalization_analysis
