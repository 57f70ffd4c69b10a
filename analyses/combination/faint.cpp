// What a position loses when it is scaled down in a format of narrow range: alone, and after the
// sum.
#include <embedscale/sinusoidal.hpp>

#include "combination/sections.hpp"
#include "report/loops.hpp"

namespace embedscale::combination_analysis {
namespace {

constexpr const char* method = "every component of the table, rounded once";

/// binary16's digits with bfloat16's range: what binary16 would do if nothing ever fell below.
using Binary16WithRange = Format<8, 10>;

/// The components of a table, or of one of its positions.
struct Loss {
  Tally below_up, below_down;        ///< components p, p/m below the normal range
  Tally vanished;                    ///< p/m rounded to 0
  Greatest alone;                    ///< relative loss of a p/m below it
  Greatest over_half_ulp;            ///< underflow_over_half_ulp
  Quotient up_error, down_error;     ///< of squares, all at the scale of up, over m·e + p
  Quotient without_underflow;        ///< the same of down, with binary16's digits and more range
  Quotient underflow;                ///< of squares, with binary16's range over with more
  std::vector<std::uint64_t> below;  ///< channels of p/m below it

  void operator+=(const Loss& other) {
    below_up += other.below_up, below_down += other.below_down, vanished += other.vanished;
    alone += other.alone, over_half_ulp += other.over_half_ulp;
    up_error += other.up_error, down_error += other.down_error;
    without_underflow += other.without_underflow, underflow += other.underflow;
    below.insert(below.end(), other.below.begin(), other.below.end());
  }
};

/// RMS in u. Tokens are drawn, each component its own; that positions part the components adds to
/// their spread, so that the interval is rather too wide.
Value rms_in_u(const Quotient& squares) {
  return squares.with_error(NormalConfidence::p999).mapped([](double x) {
    return std::sqrt(std::max(0.0, x)) / unit_roundoff<binary16>;
  });
}

/// Of the exact m·e + p, and of the errors of both ways against it.
struct Squares {
  double size, up, down;
};
template <class Real>
Squares squares_of(Real e, Real p, Real m) {
  const double exact = double(m) * double(e) + double(p);
  const double up = double(library<Real>.up(e, p, m)) - exact;
  // The input itself, without the multiplication that no model makes; exact in double.
  const double down = double(m) * double(library<Real>.down(e, p, m)) - exact;
  return {exact * exact, up * up, down * down};
}

/// Adds one channel: e and p as the format holds them; errors against the exact m·e + p of those.
template <class Real>
void add_channel(Loss& loss, Real e, Real p, Real m) {
  const Operations<Real>& subject = library<Real>;
  const auto faint = faint_position(p, m, subject);
  const bool below = loss.below_down.evaluate([&] { return faint.below_normal(); });
  loss.vanished.evaluate([&] { return faint.vanished(); });
  loss.alone.evaluate([&] { return below ? faint.loss_alone() : 0.0; });
  loss.below_up.evaluate([&] { return !properties::is_normal_or_zero(p); });
  loss.over_half_ulp.evaluate([&] { return underflow_over_half_ulp(e, p, m, subject); });
  const auto [size, up, down] = squares_of(e, p, m);
  loss.up_error.evaluate([size = size, up = up] { return std::pair(up, size); });
  loss.down_error.evaluate([size = size, down = down] { return std::pair(down, size); });
}

/// The same components in binary16, and as it were with more range.
void add_underflow(Loss& loss, double e, double p, std::uint64_t d) {
  const auto in = [&]<class Real>(Real m) { return squares_of(Real(e), Real(p), m); };
  const auto narrow = in(root_multiplier<binary16>(d));
  const auto wide = in(root_multiplier<Binary16WithRange>(d));
  loss.without_underflow.evaluate([&] { return std::pair(wide.down, wide.size); });
  loss.underflow.evaluate([&] { return std::pair(narrow.down, wide.down); });
}

/// A table of positions 0 … L−1 at one width: paper frequencies, interleaved; tokens uniform with
/// standard deviation d^−½.
template <class Real>
Loss loss_at(std::uint64_t d, std::uint64_t positions, const Section& s, const Options& options) {
  const auto w = sinusoidal_frequencies<double>(d, FrequencyRule::paper);
  const auto m = root_multiplier<Real>(d);
  const double half_range = std::sqrt(3.0 / static_cast<double>(d));
  const Stream tokens = stream_at(d, s, options);
  std::vector<Loss> losses(positions);
  in_parallel(losses.size(), [&](std::uint64_t position) {
    std::vector<double> p(d);
    encode_position<double>(static_cast<std::int64_t>(position), w, SinusoidalLayout::interleaved,
                            p);
    Loss& loss = losses[position];
    for (std::uint64_t j = 0; j < d; ++j) {
      const double e = half_range * (2.0 * tokens.uniform(position * d + j) - 1.0);
      const auto before = loss.below_down.hits();
      add_channel(loss, static_cast<Real>(e), static_cast<Real>(p[j]), m);
      if constexpr (std::same_as<Real, binary16>) add_underflow(loss, e, p[j], d);
      if (loss.below_down.hits() > before) loss.below.push_back(j);
    }
  });
  // In the order of the positions, whatever the threads did: sums are the same bits every time.
  Loss table;
  for (const auto& loss : losses) table += loss;
  return table;
}

/// The share of the positions at which each sine channel is below.
void measure_channels(Section& s, std::uint64_t d, const Loss& half, std::uint64_t positions) {
  std::vector<std::uint64_t> times(d);
  for (const auto j : half.below) ++times[j];
  std::vector<std::uint64_t> sines;
  for (std::uint64_t j = 0; j < d; j += 2) sines.push_back(j);
  const auto percent = [&](std::uint64_t j) { return 100.0 * double(j) / double(d); };
  s.sweep(method, {{"d_model", d}, {"positions", positions}},
          axis("channel_percent", sines, percent), [&](std::uint64_t j) {
            return Values{{"positions_below", double(times[j]) / double(positions)}};
          });
}

void measure_table(Section& s, std::uint64_t d, std::uint64_t positions, const Options& options) {
  const auto half = loss_at<binary16>(d, positions, s, options);
  const auto brain = loss_at<bfloat16>(d, positions, s, options);
  const Place at{{"format", "binary16"}, {"d_model", d}, {"positions", positions}};
  const auto put = [&](const char* quantity, const Value& value) {
    s.measure(quantity, at, value, method);
  };
  const auto way = [&](const char* name) { return Place(at).set("way", name); };
  put("below_normal", half.below_down);
  s.measure("below_normal", Place(at).set("format", "bfloat16"), brain.below_down, method);
  put("vanished", half.vanished);
  put("worst_loss_alone", half.alone);
  put("underflow_over_half_ulp", half.over_half_ulp);
  s.measure("rms_error", way("up"), rms_in_u(half.up_error), method);
  s.measure("rms_error", way("down"), rms_in_u(half.down_error), method);
  s.measure("rms_error_without_underflow", way("down"), rms_in_u(half.without_underflow), method);

  put("share_below_up", half.below_up.share_of_all());
  put("share_below_down", half.below_down.share_of_all());
  const auto relative = [](double x) { return std::sqrt(std::max(0.0, x)) - 1.0; };
  put("cost_of_underflow",
      half.underflow.with_error(NormalConfidence::p999).mapped(relative).magnitude());
  s.measure("loss_alone_found",
            {{"d_model", d},
             {"positions", positions},
             {"position", half.alone.at() / d},
             {"channel", half.alone.at() % d}},
            half.alone);
  const bool is_drawn = !options.widths.empty() || d == 128 || d == 512 || d == 4096;
  const bool is_first = options.positions.empty() || positions == options.positions.front();
  if (is_drawn && is_first && options.widths.size() <= 8) measure_channels(s, d, half, positions);
}

}  // namespace

void down_makes_positions_too_faint(Section& s, const Options& options) {
  s.measure_failures("ratio_changes", {}, "the_ratio_is_unchanged");
  const auto [up, down] = position_to_token<properties::domain::Rational>(1, 1, 2, primitives);
  s.measure("position_over_token", {{"way", "up"}, {"fraction", up.str()}}, double(up));
  s.measure("position_over_token", {{"way", "down"}, {"fraction", down.str()}}, double(down));
  for_each_of(points(options.widths, properties::domain::common_widths), [&](std::uint64_t d) {
    for (const auto positions : points(options.positions, std::array{1024}))
      measure_table(s, d, positions, options);
  });
}

}  // namespace embedscale::combination_analysis
