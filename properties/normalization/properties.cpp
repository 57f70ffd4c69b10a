// The attempts to refute the claims about norms, with what each has to reject; and the beliefs that
// fail.
#include <algorithm>
#include <cmath>
#include <string>

#include "../testing/rows.hpp"
#include "claims.hpp"
#include "rounding.hpp"
#include "trials.hpp"

namespace embedscale::properties::normalization {

using namespace testing;

namespace {

constexpr NormKind kinds[] = {NormKind::layer_norm, NormKind::rms_norm};

/// One of the four norms, with this ε.
template <Scalar Real>
BlockNorm<Real> norm_with(const Real& epsilon) {
  const auto which = one_of("norm", {"RMSNorm", "LayerNorm", "RMSNorm, epsilon beside the root",
                                     "LayerNorm, epsilon beside the root"});
  return {which % 2 == 0 ? NormKind::rms_norm : NormKind::layer_norm, epsilon,
          which < 2 ? EpsilonPlacement::variance : EpsilonPlacement::standard_deviation};
}

/// `size` rationals that are not all equal. Simplified to 1, 0, 0.
Surds uneven_channels(const std::string& name, std::size_t size) {
  using Channels = std::vector<Rational>;
  return surds(named(name, mapped<Channels, Channels>(channels(size), [](Channels x) {
                       if (std::ranges::all_of(x, [&](const Rational& v) { return v == x[0]; }))
                         x[0] = x[0] + 1;
                       return x;
                     })));
}

/// One norm of a drawn row in one of the formats, with or without an ε on either side of the root.
/// Squares may leave the range either way.
template <NormKind kind>
void gives_its_values(const Primitives& subject) {
  in_one_format<Wide, double, float, bfloat16>([&]<class Real>() {
    const auto n = drawn_width<Real>();
    const auto size = one_of("squares are", {"ordinary", "beside the smallest", "the largest"});
    const int more = named("exponent", in_range(0, 16));
    const int room = static_cast<int>(std::bit_width(n)) + 2;
    const int exponent = size == 0   ? more - 8
                         : size == 1 ? lowest_exponent<Real> / 2 - 8 + more
                                     : (highest_exponent<Real> - room - more) / 2;
    const auto epsilon = one_of("epsilon", {"0", "10^-12", "10^-5", "1/4"});
    const Real added = static_cast<Real>(std::array{0.0, 1e-12, 1e-5, 0.25}[epsilon]);
    const auto placement = one_of("epsilon is", {"under the root", "beside it"}) == 0
                               ? EpsilonPlacement::variance
                               : EpsilonPlacement::standard_deviation;
    const auto x = drawn_row_around<Real>(n, exponent);
    covers("without an epsilon", epsilon == 0, 0.1);
    covers("squares of ordinary sizes", size == 0, 0.2);
    covers("squares beside the smallest", size == 1, 0.1);
    covers("squares beside the largest", size == 2, 0.1);
    judge("norm",
          (kind == NormKind::layer_norm ? primitives::layer_norm : primitives::rms_norm)(
              primitives::rounding_of<Real>(), primitives::wide(x), primitives::wide(added),
              placement),
          [&] {
            return normalized<Real>(x, {kind, added, placement}, subject);
          });
  });
}

}  // namespace

const Properties<Primitives> properties{
    {belief_of(absorbs_the_factor),
     "whatever_its_size_and_sign",
     [](const Primitives& subject) {
       const auto norm = norm_with(Surd(0));
       const auto x = uneven_channels("x", 3);
       const auto c = named("c", nonzero_rationals());
       covers("c below 0", c < 0, 0.25);
       covers("LayerNorm", norm.kind == NormKind::layer_norm, 0.25);
       covers("RMSNorm", norm.kind == NormKind::rms_norm, 0.25);
       holds_exactly(forgets_the_factor(x, norm, Surd(c), subject));
     },
     {"only_centres", "returns_nothing", "turns_along_the_first_channel",
      "adds_an_epsilon_of_its_own", "leaks_a_part_in_2_to_the_44",
      "adds_an_epsilon_of_2_to_the_minus_300"},
     4},

    {belief_of(absorbs_the_factor),
     "bits_at_powers_of_two",
     [](const Primitives& subject) {
       const auto i = named("x", draws());
       const auto k = named("log2 c", in_range(-20, 21));
       const Stream stream(0, "normalization bits");
       covers("c above 1", k > 0, 0.25);
       covers("c below 1", k < 0, 0.25);
       for (const auto kind : kinds)
         in_each_format<double, float, bfloat16>([&]<class Real>() {
           holds_exactly(has_bits_of_unscaled(drawn_channels<Real>(stream, i), kind, k, subject));
         });
     },
     {"leaks_a_part_in_2_to_the_44", "adds_an_epsilon_of_its_own"}},

    {absorbs_the_factor,
     "else_within_its_roundings",
     [](const Primitives& subject) {
       const auto i = named("x", draws());
       const double c = factor();
       const Stream stream(1, "normalization rounding");
       for (const auto kind : kinds)
         in_each_format<double, float, bfloat16>([&]<class Real>() {
           holds(share_of_bound(drawn_channels<Real>(stream, i), kind, static_cast<Real>(c),
                                subject));
         });
     },
     {"only_centres", "leaks_a_part_in_2_to_the_44", "adds_an_epsilon_of_its_own",
      "keeps_the_root_in_binary32", "keeps_the_root_in_bfloat16"},
     4},

    {necessity_of(absorbs_the_factor),
     "a_skip_keeps_it",
     [](const Primitives& subject) {
       const auto norm = norm_with(Surd(0));
       const auto x = uneven_channels("x", 3);
       const auto w = surds(named("W", channels(9)));
       const auto c = named("c", positive_rationals());
       // Where W·N(x) ∥ x, either way, every sum of both is, too.
       const bool turns = c != 1 && !are_parallel(x, with_skip(x, w, norm, Primitives{}));
       if (turns) holds_exactly(!skip_forgets_the_factor(x, w, norm, Surd(c), subject));
     },
     {"only_centres"},
     4},

    {necessity_of(absorbs_the_factor),
     "an_epsilon_keeps_it",
     [](const Primitives& subject) {
       const auto epsilon = named("epsilon", positive_rationals());
       const auto norm = norm_with(Surd(epsilon));
       const auto x = uneven_channels("x", 3);
       const auto c = named("c", positive_rationals());
       const auto at_c = normalized(product(Surd(c), x), norm, subject);
       if (c != 1) holds_exactly(at_c != normalized(x, norm, subject));
     },
     {"returns_nothing", "has_no_epsilon"},
     4},

    {epsilon_is_rescaled,
     "by_the_square_or_by_the_factor",
     [](const Primitives& subject) {
       const auto epsilon = named("epsilon", positive_rationals());
       const auto norm = norm_with(Surd(epsilon));
       const auto x = surds(named("x", channels(3)));
       const auto c = named("c", positive_rationals());
       covers("beside the root", norm.placement == EpsilonPlacement::standard_deviation, 0.25);
       covers("under the root", norm.placement == EpsilonPlacement::variance, 0.25);
       auto other = norm;
       other.epsilon = subject.of<Surd>().rescaled_epsilon(norm.epsilon, Surd(c), norm.placement);
       holds_exactly(normalized(product(Surd(c), x), norm, subject) ==
                     normalized(x, other, subject));
     },
     {"forgets_to_rescale", "divides_epsilon_by_c", "adds_epsilon_on_the_other_side",
      "rescales_slightly_less", "adds_an_epsilon_of_2_to_the_minus_300"},
     4},

    {epsilon_is_rescaled,
     "it_only_shrinks",
     [](const Primitives& subject) {
       const auto epsilon = named("epsilon", positive_rationals());
       const auto norm = norm_with(Surd(epsilon));
       const auto x = surds(named("x", channels(3)));
       holds_exactly(epsilon_only_shrinks(x, norm, subject));
     },
     {"adds_epsilon_on_the_other_side", "adds_epsilon_high_by_49_digits"},
     4},

    /// ε from 2^−40 to 1 and c from √2 to 2^7, so that the deviation is far above the 50 digits'.
    {epsilon_is_rescaled,
     "by_how_much_in_closed_form",
     [](const Primitives& subject) {
       const auto i = named("x", draws());
       const auto k = named("-log2 epsilon", in_range(0, 41));
       const auto d = named("d for c", widths_by_size({2, 1 << 14}));
       const auto norm = norm_with(std::ldexp(1.0, -k));
       const auto x = drawn_channels<double>(Stream(2, "normalization epsilon"), i);
       covers("beside the root", norm.placement == EpsilonPlacement::standard_deviation, 0.25);
       holds(deviation_share(x, norm, std::sqrt(static_cast<double>(d)), subject));
     },
     {"has_no_epsilon", "adds_epsilon_on_the_other_side", "adds_epsilon_high_by_49_digits"},
     4},

    {layer_norm_is_the_standardised_row,
     "in_each_format",
     gives_its_values<NormKind::layer_norm>,
     {"returns_nothing_in_bfloat16", "only_centres", "adds_epsilon_on_the_other_side",
      "divides_by_n_less_1", "takes_one_pass", "keeps_the_root_in_binary32",
      "keeps_the_root_in_bfloat16"}},

    {rms_norm_is_the_row_over_its_root_mean_square,
     "in_each_format",
     gives_its_values<NormKind::rms_norm>,
     {"returns_nothing_in_bfloat16", "adds_epsilon_on_the_other_side", "divides_by_n_less_1",
      "keeps_the_root_in_binary32", "keeps_the_root_in_bfloat16"}}};

namespace {

const Beliefs beliefs{
    /// A residual connection around the norm: what leaves it points elsewhere for c·x.
    {absorbs_the_factor, "that_nothing_else_sees_it",
     [] {
       const auto x = uneven_channels("x", 2);
       const auto w = surds(named("W", channels(4)));
       const auto c = named("c", positive_rationals());
       const BlockNorm<Surd> norm{NormKind::rms_norm};
       holds_exactly(skip_forgets_the_factor(x, w, norm, Surd(c), Primitives{}));
     }},

    /// The usual ε of 10^−6, and inputs of RMS 1, ½, ¼ …: what it takes from them against a
    /// hundredth.
    {epsilon_is_rescaled, "that_it_is_too_small_at_any_scale", [] {
       const auto k = named("-log2 RMS", in_range(0, 30));
       const expected::Norm norm{.epsilon = 1e-6};
       holds(expected::epsilon_shrinkage(std::ldexp(1.0, -2 * k), norm) / 0.01);
     }}};

}  // namespace

Trials trials() {
  return joined(trials_of(properties, mutants, beliefs),
                trials_of(block_properties, block_mutants, block_beliefs));
}

}  // namespace embedscale::properties::normalization
