#pragma once
// The attempts to refute the claims of tied_output.hpp, for any primitives of Library's shape.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "../tied_output_loss.hpp"
#include "../tied_output_own.hpp"
#include "../tied_output_scales.hpp"
#include "../tied_output_sharing.hpp"
#include "generators/tied_output.hpp"
#include "property.hpp"

namespace embedscale::properties::testing {

using domain::Rational;

// Over the rationals an identity that holds for all of them holds for all reals, √d too.
PROPERTY(tied_output, one_table_two_scales, scales_are_the_products) {
  const auto d = generators::named("d", generators::in_range<std::size_t>(1, 7));
  const auto sigma = generators::named("sigma", generators::nonzero_rationals());
  const auto h = generators::named("h", generators::channels(d));
  const auto m = generators::named("m", generators::nonzero_rationals());
  const auto c = generators::named("c", generators::nonzero_rationals());
  holds_exactly(tied_output::scales_are_as_stated(sigma, h, m, c, subject));
}

/// d = k²; m and c as they have to be, or one of them times a fraction, which may be 1.
PROPERTY(tied_output, one_table_two_scales, both_are_one_by_the_quotient_alone) {
  const int k = generators::named("k", generators::in_range(1, 4));
  const auto sigma = generators::named("sigma", generators::nonzero_rationals());
  const auto off = generators::named("off", generators::nonzero_rationals());
  const int which = generators::named("which is off", generators::in_range(0, 4));
  const auto bits = generators::named("signs", generators::draws());
  const Rational m = (which == 1 ? off : Rational(1)) / sigma;
  const Rational c = (which == 2 ? off : Rational(1)) / (sigma * k);
  const Rational deviation = which == 3 ? Rational(sigma * off) : sigma;
  covers("both scales 1", which == 0, 0.15);
  covers("another multiplier", which == 1 && off * off != 1, 0.15);
  covers("another logit factor", which == 2 && off * off != 1, 0.15);
  covers("another table", which == 3 && off * off != 1, 0.15);
  holds_exactly(tied_output::unit_scales_need_the_quotient(static_cast<std::size_t>(k * k),
                                                           deviation, bits, m, c, subject));
}

PROPERTY(tied_output, one_table_two_scales, unit_scales_in_floating_point) {
  const auto d = generators::named("d", generators::in_range<std::size_t>(1, 48));
  const auto bits = generators::named("signs", generators::draws());
  holds(tied_output::unit_scales_share_of_bound<float>(d, bits, subject));
  holds(tied_output::unit_scales_share_of_bound<double>(d, bits, subject));
}

/// A lattice of s = 2^(k/4) and V, each point evaluated once, as a quadrature costs milliseconds;
/// σ, d and c have that s exactly but for the root in σ.
PROPERTY(tied_output, initial_loss, lies_in_its_enclosure) {
  const int k = generators::named("4 log2 s", generators::in_range(-48, 29));
  const auto j = generators::named("V", generators::in_range<std::size_t>(0, 16));
  constexpr std::uint64_t words[] = {2,        3,        10,         50,        100,    256,
                                     1000,     8192,     32128,      50257,     256000, 1u << 20,
                                     1u << 25, 1u << 30, 1ull << 36, 1ull << 40};
  const std::uint64_t V = words[j];
  const double s = std::exp2(k / 4.0);
  covers("below 1", s < 1, 0.35);
  covers("beyond the change of regime", s > tied_output::change_of_regime(V), 0.05);
  static std::map<std::pair<int, std::size_t>, double> known;
  auto found = known.find({k, j});
  if (found == known.end()) {
    const int half = (k + 48) % 7;  // d = 4^half
    const std::uint64_t d = std::uint64_t{1} << (2 * half);
    const double c = k % 2 == 0 ? 1.0 : std::ldexp(-1.0, -half);
    const double sigma = std::ldexp(s, k % 2 == 0 ? -half : 0);
    found =
        known.emplace(std::pair(k, j), tied_output::loss_share_of_bound(sigma, d, c, V, subject))
            .first;
  }
  holds(found->second);
}

PROPERTY(tied_output, multipliers_trade_places, rescaled_tables_follow_the_quotient) {
  const auto at = generators::two_channels();
  const auto from = generators::multipliers("from");
  const auto any = generators::multipliers("to");
  const bool keeps = generators::named("same quotient", generators::in_range(0, 2)) != 0;
  tied_output::Multipliers<Rational> to = any;
  if (keeps) to.out = from.out * any.in / from.in;
  covers("same quotient", keeps, 0.3);
  covers("another quotient", from.in * to.out != to.in * from.out, 0.3);
  holds_exactly(tied_output::behaves_as_meant(at, from, subject));
  holds_exactly(tied_output::trade_follows_the_quotient(at, from, to, subject));
}

PROPERTY(tied_output, multipliers_trade_places, a_kept_table_turns_the_input) {
  const auto at = generators::two_channels();
  const auto from = generators::multipliers("from");
  const auto to = generators::multipliers("to");
  covers("e not along p", tied_output::minor_of(at.e, at.p) != 0, 0.5);
  holds_exactly(tied_output::kept_table_turns_the_input(at, from, to, subject));
}

PROPERTY(tied_output, sharing_is_not_needed, census_follows_its_rule) {
  const auto i = generators::named("survey", generators::draws());
  const auto size = generators::named("programs", generators::in_range<std::size_t>(1, 12));
  const auto first = generators::named("first part", generators::in_range<std::size_t>(0, 12));
  const auto programs = generators::survey(i, size);
  std::size_t scaled = 0;
  for (const auto& p : programs) scaled += tied_output::Library::multiplies(p);
  covers("some multiply, some do not", scaled > 0 && scaled < programs.size(), 0.4);
  holds_exactly(tied_output::census_is_the_count(programs, subject));
  holds_exactly(tied_output::census_adds_up(programs, std::min(first, size), subject));
}

/// One, four or nine channels; nine in a case of sixteen, as its 16·9 entries are dear.
PROPERTY(tied_output, sharing_is_not_needed, own_matrix_needs_no_factor) {
  const int place = generators::named("16 k", generators::in_range(0, 16));
  const int k = place == 15 ? 3 : 1 + place % 2;
  const auto bits = generators::named("signs", generators::draws());
  covers("more than one channel", k > 1, 0.3);
  holds_exactly(tied_output::own_matrix_needs_no_factor<Rational>(k, bits, subject));
}

PROPERTY(tied_output, copies_its_input, own_overlap_is_m_d_sigma_squared) {
  const auto d = generators::named("d", generators::in_range<std::size_t>(1, 4));
  const auto sigma = generators::named("sigma", generators::nonzero_rationals());
  const auto p = generators::named("p", generators::channels(d));
  const auto m = generators::named("m", generators::nonzero_rationals());
  const auto c = generators::named("c", generators::nonzero_rationals());
  for (const auto norm : {tied_output::Norm::rms_norm, tied_output::Norm::layer_norm})
    holds_exactly(tied_output::overlaps_are_as_stated(sigma, p, m, c, norm, subject));
}

PROPERTY(tied_output, copies_its_input, own_logit_is_root_d_times_the_cosine) {
  const auto d = generators::named("d", generators::in_range<std::size_t>(4, 65));
  const auto i = generators::named("row", generators::draws());
  const bool root = generators::named("root d for m", generators::in_range(0, 2)) != 0;
  const bool layer = generators::named("LayerNorm", generators::in_range(0, 2)) != 0;
  covers("LayerNorm", layer, 0.3);
  covers("RMSNorm", !layer, 0.3);
  const auto norm = layer ? tied_output::Norm::layer_norm : tied_output::Norm::rms_norm;
  const Stream stream(i, "own logit");
  const double width = std::sqrt(static_cast<double>(d));
  std::vector<double> row, p;
  for (std::size_t j = 0; j < d; ++j) {
    row.push_back((2 * stream.uniform(2 * j) - 1) / width);
    p.push_back(2 * stream.uniform(2 * j + 1) - 1);
  }
  const std::vector<float> narrow_row(row.begin(), row.end()), narrow_p(p.begin(), p.end());
  const double m = root ? width : 1.0, c = root ? 1.0 : 1 / width;
  holds(tied_output::own_logit_share_of_bound(row, p, m, c, norm, subject));
  holds(tied_output::own_logit_share_of_bound(narrow_row, narrow_p, static_cast<float>(m),
                                              static_cast<float>(c), norm, subject));
}

/// Widths to 1024 and positions from nothing to 64 times the token in length.
PROPERTY(tied_output, copies_its_input, mean_follows_the_law_of_the_length) {
  const auto d = generators::named("d", generators::in_range<std::size_t>(3, 1025));
  const auto sigma = generators::named("sigma", generators::scales());
  const auto m = static_cast<double>(generators::named("m", generators::nonzero_rationals()));
  const auto c = static_cast<double>(generators::named("c", generators::nonzero_rationals()));
  const int sixteenths = generators::named("16 p/t", generators::in_range(0, 64));
  const bool layer = generators::named("LayerNorm", generators::in_range(0, 2)) != 0;
  covers("no position", sixteenths == 0, 0.005);
  covers("LayerNorm", layer, 0.3);
  covers("m below 0", m < 0, 0.3);
  const double ratio = sixteenths / 16.0;
  const double p_square = static_cast<double>(d) * std::pow(ratio * m * sigma, 2);
  const auto norm = layer ? tied_output::Norm::layer_norm : tied_output::Norm::rms_norm;
  holds(tied_output::mean_share_of_bound({d, sigma, m, c, norm}, p_square, subject));
}

}  // namespace embedscale::properties::testing
