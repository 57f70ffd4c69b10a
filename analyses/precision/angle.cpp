// The angle of a position in binary32 and in binary64, with three ways to its frequency.
#include <map>

#include "precision/sections.hpp"
#include "properties/precision/angle.hpp"

namespace embedscale::precision_analysis::angles {
namespace {

using namespace properties::precision::angle;
using properties::precision::rounding_of_an_entry;
using report::Place;

constexpr std::size_t width = 512;
constexpr std::int64_t length = 1 << 20;
/// The last two are what one rounding of an entry is at most.
constexpr std::array thresholds{1e-3, 1e-2, 1e-1, rounding_of_an_entry<bfloat16>,
                                rounding_of_an_entry<binary16>};
constexpr std::size_t bfloat16s = 3, binary16s = 4;
const Primitives primitives;

struct Named {
  const char* name;
  FrequencyBy way;
  const char* property;
};
constexpr std::array ways{
    Named{"pow", FrequencyBy::pow, "within_the_bound_by_powers"},
    Named{"exp(log)", FrequencyBy::exp, "within_the_bound_by_exponentials"},
    Named{"recurrence", FrequencyBy::recurrence, "within_the_bound_by_a_recurrence"}};

/// Of one channel: the largest error up to each power of two, 2^0 … 2^20, the first positions past
/// the thresholds, and how many angles are off by more than the rounding of an entry.
struct OfChannel {
  std::array<double, 21> largest{};
  std::array<std::int64_t, thresholds.size()> first{};
  Tally off;

  OfChannel() { first.fill(length + 1); }
};

/// In binary64, where nothing comes of it, fewer positions.
template <class Real>
constexpr int last_power = std::same_as<Real, float> ? 20 : 17;

/// Every position from 0 to the last power of two. Of w = head + tail the head has 24 digits: its
/// products with positions are exact, their differences to angles too (Sterbenz), and what is left
/// is off by 2^−76 of the angle.
template <class Real>
OfChannel look_at(FrequencyBy way, std::size_t i) {
  OfChannel found;
  const auto w = properties::precision::exact_frequency(i, width);
  const auto head = static_cast<double>(static_cast<float>(w));
  const auto tail = static_cast<double>(w - head);
  const Real rounded = frequency<Real>(way, i, width, primitives.of<Real>());
  double worst = 0;
  std::array<double, 1024> errors;
  const auto look_at_block = [&](std::int64_t first, std::size_t n) {
    for (std::size_t k = 0; k < n; ++k) {  // as primitives.angle
      const auto at = static_cast<double>(first + static_cast<std::int64_t>(k));
      const auto angle = static_cast<double>(static_cast<Real>(at) * rounded);
      errors[k] = std::abs((angle - at * head) - at * tail);
    }
    for (std::size_t k = 0; k < n; ++k) {
      found.off.evaluate([&] { return errors[k] > rounding_of_an_entry<Real>; });
      if (!(errors[k] > worst)) continue;
      worst = errors[k];
      for (std::size_t t = 0; t < thresholds.size(); ++t)
        if (worst > thresholds[t])
          found.first[t] = std::min(found.first[t], first + static_cast<std::int64_t>(k));
    }
  };
  std::int64_t p = 0;
  for (std::size_t power = 0; power <= last_power<Real>; ++power) {
    for (const std::int64_t end = (std::int64_t{1} << power) + 1; p < end;) {
      const auto n = std::min<std::int64_t>(end - p, errors.size());
      look_at_block(p, static_cast<std::size_t>(n));
      p += n;
    }
    found.largest[power] = worst;
  }
  return found;
}

/// All channels. Nothing of them is drawn: looked at once.
template <class Real>
const std::vector<OfChannel>& channels_by(FrequencyBy way) {
  static std::map<FrequencyBy, std::vector<OfChannel>> known;
  auto& channels = known[way];
  if (channels.empty()) {
    channels.resize(width / 2);
    in_parallel(channels.size(), [&](std::uint64_t i) { channels[i] = look_at<Real>(way, i); });
  }
  return channels;
}

template <class Real>
void look_at_table(Section& s, const Named& named) {
  const char* method = "every position and channel";
  const auto& channels = channels_by<Real>(named.way);
  const Place at{{"format", FormatTraits<Real>::name}, {"frequency", named.name}};
  const auto largest_to = [&](int power) {
    return over<Greatest>(channels, [=](const OfChannel& channel) {
      return channel.largest[static_cast<std::size_t>(power)];
    });
  };
  for (const int power : {11, 17, 20})
    if (power <= last_power<Real>) {
      const auto worst = largest_to(power);
      s.measure("largest_angle_error", Place(at).set("position", std::int64_t{1} << power),
                Value::of_all(worst.value(), worst), method);
    }
  const auto first_past = [&](std::size_t k) {
    std::int64_t first = length + 1;
    for (const auto& channel : channels) first = std::min(first, channel.first[k]);
    return first;
  };
  for (std::size_t k = 0; k < bfloat16s; ++k)
    if (const auto first = first_past(k); first <= length)
      s.measure("first_position_off", Place(at).set("radians", thresholds[k]),
                static_cast<double>(first), method);
  if constexpr (std::same_as<Real, double>) return;
  for (int power = 0; power <= 20; ++power)
    if (const double worst = largest_to(power).value(); worst > 0)
      s.measure("angle_error_curve", Place(at).set("position", std::int64_t{1} << power), worst,
                method);
  for (const auto k : {bfloat16s, binary16s})
    s.measure("first_past_a_rounding",
              Place(at).set("entries", k == bfloat16s ? "bfloat16" : "binary16"),
              static_cast<double>(first_past(k)), method);
  if (named.way != FrequencyBy::pow) return;
  Tally off;
  for (const auto& channel : channels) off += channel.off;
  s.measure("angles_off", at, off, method);
}

}  // namespace

void angle_reduction(Section& s, const Options&) {
  for (const auto& way : ways) look_at_table<float>(s, way);
  for (const auto& way : ways) look_at_table<double>(s, way);
  for (const auto& way : ways)
    s.measure_worst("worst_share_of_bound", {{"frequency", way.name}}, way.property);
  // Within the bound a frequency of the table has at most: the sup over its channels.
  for (int power = 0; power <= 20; ++power) {
    double largest = 0;
    for (std::size_t i = 0; i < width / 2; ++i) {
      const double log = 2.0 * static_cast<double>(i) / width * std::log(1e4);
      largest = std::max(largest, std::exp(-log) * bound_over_pwu(FrequencyBy::pow, i, width));
    }
    s.measure("bound_curve", {{"position", std::int64_t{1} << power}},
              std::exp2(power) * largest * unit_roundoff<float>);
  }
  s.measure("rounding_of_bfloat16", {}, rounding_of_an_entry<bfloat16>);
}

}  // namespace embedscale::precision_analysis::angles
