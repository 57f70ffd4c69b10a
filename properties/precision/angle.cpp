// Wrong angles, from the largest defect to the smallest that the property sees in its 10^4 cases;
// the attempt to refute the bounds; and the belief that binary32 costs no more than a rounding.
#include "angle.hpp"

#include "../testing/slightly_wrong.hpp"
#include "../testing/trials.hpp"
#include "claims.hpp"

namespace embedscale::properties::precision::angle {

using namespace testing;

namespace {

constexpr auto by_pow = EMBEDSCALE_OPERATION(by_pow);
constexpr auto by_exp = EMBEDSCALE_OPERATION(by_exp);
constexpr auto by_recurrence = EMBEDSCALE_OPERATION(by_recurrence);
constexpr auto product = EMBEDSCALE_OPERATION(angle);

const Mutants<Primitives> mutants{
    {"rounds_frequencies_to_bfloat16",
     "The buffer of frequencies goes to bfloat16 with the module (EleutherAI/gpt-neox#1016).",
     changes(by_pow, [](auto& w, auto&&...) { w = kept_in<bfloat16>(w); })},

    {"rounds_angles_to_binary16",
     "Positions times frequencies in binary16 (EleutherAI/gpt-neox#1003).",
     changes(product, [](auto& x, auto&&...) { x = kept_in<binary16>(x); })},

    {"rounds_positions_to_bfloat16", "256 for 257 (EleutherAI/gpt-neox#1016).",
     replaces(product,
              [](auto was, std::int64_t p, const auto& w) {
                return was(static_cast<std::int64_t>(kept_in<bfloat16>(static_cast<double>(p))), w);
              })},

    {"takes_the_logarithm_in_binary16", "ln 10000 as 9.2109375, a part in 16000 too large.",
     replaces(by_exp,
              [](auto was, std::size_t i, std::size_t d) {
                using Real = decltype(was(i, d));
                using std::exp;
                const Real step = -Real(9.2109375) / Real(static_cast<int>(d));
                return exp(Real(static_cast<int>(2 * i)) * step);
              })},

    {"takes_powers_two_ulps_high", "Two units in the last place of the frequency.",
     changes(by_pow, [](auto& w, auto&&...) { w = moved_by_ulps(w, 2); })},

    {"takes_exponentials_eight_ulps_high", "Eight units in the last place of the frequency.",
     changes(by_exp, [](auto& w, auto&&...) { w = moved_by_ulps(w, 8); })},

    {"takes_its_factor_four_ulps_high", "A recurrence whose factor is off by four units.",
     replaces(by_recurrence,
              [](auto was, std::size_t i, std::size_t d) {
                const auto factor = moved_by_ulps(was(1, d), 4);
                auto w = decltype(factor)(1);
                for (std::size_t j = 0; j < i; ++j) w = w * factor;
                return w;
              })},
};

template <FrequencyBy by>
void is_within_the_bound(const Primitives& subject) {
  const std::size_t d = named("d", multiples(2, {2, 1024}));
  const std::size_t i = named("i", in_range<std::uint64_t>(0, d / 2));
  const auto p = named("p", positions({0, std::uint64_t{1} << 20}));
  covers("a far position", p >= 1 << 14, 0.1);
  covers("frequency 1", i == 0, 0.02);
  const auto w = exact_frequency(i, d);
  holds(angle_share<float>(by, i, d, p, w, subject));
  holds(angle_share<double>(by, i, d, p, w, subject));
}

const Properties<Primitives> properties{
    {angle_reduction,
     "within_the_bound_by_powers",
     is_within_the_bound<FrequencyBy::pow>,
     {"rounds_frequencies_to_bfloat16", "rounds_angles_to_binary16", "rounds_positions_to_bfloat16",
      "takes_powers_two_ulps_high"}},
    {angle_reduction,
     "within_the_bound_by_exponentials",
     is_within_the_bound<FrequencyBy::exp>,
     {"takes_the_logarithm_in_binary16", "takes_exponentials_eight_ulps_high"}},
    {angle_reduction,
     "within_the_bound_by_a_recurrence",
     is_within_the_bound<FrequencyBy::recurrence>,
     {"takes_its_factor_four_ulps_high"}},
};

const Beliefs beliefs{
    /// An angle no farther off than the rounding of an entry of binary32.
    {angle_reduction, "that_it_costs_no_more_than_a_rounding",
     [] {
       const std::size_t d = named("d", multiples(2, {2, 1024}));
       const std::size_t i = named("i", in_range<std::uint64_t>(0, d / 2));
       const auto p = named("p", positions());
       const Primitives library;
       holds_exactly(angle_error<float>(FrequencyBy::pow, i, d, p, exact_frequency(i, d),
                                        library) <= rounding_of_an_entry<float>);
     }},
};

}  // namespace

Trials trials() { return trials_of(properties, mutants, beliefs); }

}  // namespace embedscale::properties::precision::angle
