// What a multiplied table keeps: over the reals, bit for bit, and on the way back.
#include <embedscale/format.hpp>

#include "porting/sections.hpp"
#include "properties/porting/rounding.hpp"
#include "report/loops.hpp"

namespace embedscale::porting_analysis {
namespace {

using properties::is_power_of_two;

/// Of all significands of multipliers in [1, 2), how many return every entry; and of how many
/// widths.
template <class Real, class Judge>
void measure_multipliers(Section& s, const Judge& all_come_back, const char* property) {
  constexpr std::uint64_t count = std::uint64_t{1} << (FormatTraits<Real>::digits - 1);
  constexpr std::uint64_t blocks = 64, block = count / blocks;
  std::vector<Tally> back(blocks);
  in_parallel(blocks, [&](std::uint64_t b) {
    for (std::uint64_t k = b * block; k < (b + 1) * block; ++k)
      back[b].evaluate([&] {
        return all_come_back(
            static_cast<Real>(1.0 + static_cast<double>(k) / static_cast<double>(count)));
      });
  });
  Tally all;
  for (const Tally& one : back) all += one;
  const Place at{{"format", FormatTraits<Real>::name}};
  s.measure_failures("multipliers_misjudged", at, property);
  s.measure("multipliers_that_come_back", at, all, exhaustive);
  Tally widths, powers;
  for (std::uint64_t d = 1; d <= 16384; ++d) {
    const Real m = root_multiplier<Real>(d);
    widths.evaluate([&] { return brings_all_back(m); });
    powers.evaluate([&] { return is_power_of_two(static_cast<double>(m)); });
  }
  s.measure("widths_that_come_back", Place(at).set("way", "divided entries"), widths, exhaustive);
  s.measure("widths_that_come_back", Place(at).set("way", "tied logits"), powers, exhaustive);
}

constexpr std::array<std::uint64_t, 8> shown_widths{256, 512, 768, 1016, 1024, 2048, 3072, 4096};

/// What a port by fl(√d) does to tied logits, and the way back to entries, in one format.
template <class Real>
void measure_format(Section& s, const Options& options, const Stream& stream) {
  constexpr bool is_small = FormatTraits<Real>::digits < 16;
  const std::uint64_t draws = std::max<std::uint64_t>(16, options.samples / 4);
  const auto& of = primitives.of<Real>();
  for (const auto d : points(options.widths, shown_widths)) {
    const Real m = root_multiplier<Real>(d);
    const Place at{{"format", FormatTraits<Real>::name}, {"d_model", d}};
    s.measure("multiplier", at, static_cast<double>(m));
    Tally lost, changed;
    const std::uint64_t entries =
        is_small ? std::uint64_t{1} << (FormatTraits<Real>::digits - 1) : 16 * draws;
    for (std::uint64_t k = 0; k < entries; ++k)
      lost.evaluate([&] {
        const double e = is_small ? double(k) / double(entries) : stream.uniform(k);
        return !comes_back<Real>(static_cast<Real>(1.0 + e), m, of);
      });
    s.measure("entries_lost", at, is_small ? lost.share_of_all() : lost.share(0.999),
              is_small ? exhaustive : "draws of significands");
    for (std::uint64_t i = 0; i < draws; ++i) {
      const auto logit = drawn_logit<Real>(stream, i, 64, m, Real(1));
      changed.evaluate([&] { return !logit_keeps_its_bits(logit, of); });
    }
    s.measure("logits_changed", at, changed.share(0.999), "drawn logits of 64 channels");
  }
}

}  // namespace

void function_is_kept(Section& s, const Options& options) {
  s.measure_failures("function_disagreements", {}, "exact_without_norms");
  for (const auto* quantity : {"table_alone_disagreements", "table_alone_agreements"})
    s.measure_failures(quantity, {}, "the_table_alone_is_enough_on_the_condition");
  s.measure_failures("input_bit_disagreements", {}, "inputs_keep_their_bits");
  for (const auto* quantity : {"tied_bit_disagreements", "zero_logits_kept"})
    s.measure_failures(quantity, {}, "tied_logits_keep_their_bits_at_powers_of_two_alone");
  s.measure_worst("worst_share_of_bound", {}, "tied_logits_stay_within_the_bound");
  const auto of_all = []<class Real>(const Real& m) {
    return lost_entries(m, primitives.of<Real>()) == 0;
  };
  constexpr const char* in_few_bits = "the_way_back_is_exact_at_two_significands";
  measure_multipliers<bfloat16>(s, of_all, in_few_bits);
  measure_multipliers<binary16>(s, of_all, in_few_bits);
  // Where one is lost, it is found; that none is at the other two is proved.
  measure_multipliers<float>(
      s, [](float m) { return m == 1.0f || !lost_entry(m, primitives.of<float>()).has_value(); },
      "the_way_back_loses_an_entry_at_all_others_of_binary32");
  const Stream stream(options.seed, std::string(s.claim().id) + "/formats");
  measure_format<float>(s, options, stream);
  measure_format<binary16>(s, options, stream);
  measure_format<bfloat16>(s, options, stream);
  const bfloat16 m(55.5), e(1.875);
  s.measure("back_by_hand", {}, static_cast<double>(m * primitives.of<bfloat16>().divided(e, m)),
            "bfloat16");
}

}  // namespace embedscale::porting_analysis
