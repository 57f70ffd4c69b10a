// Wrong programs: what is done to a looked-up row, and which variance a law is given; products with
// a sparse input, and gradients of look-ups. From the largest defect to the smallest that the
// properties still see in their 10^4 cases.
#include <embedscale/format.hpp>

#include <cmath>
#include <cstdint>
#include <set>
#include <span>
#include <variant>
#include <vector>

#include "../conventions/scale.hpp"
#include "../evidence/rounding.hpp"
#include "trials.hpp"

namespace embedscale::properties::embedding {

using namespace testing;

namespace {

/// A replacement in the formats: a defect of rounding is none over the rationals.
template <class Change>
constexpr auto in_floats(Change change) {
  return replacing<double, float, binary16, bfloat16>(change);
}

/// Looked-up channels high by one part in 2^`digits`.
template <int digits>
constexpr auto scales_rows_high() {
  return replacing([]<class Real>(Operations<Real>& to) {
    to.look_up = [](const EmbeddingTable<Real>& table, std::size_t token, const Real& m,
                    std::span<Real> out) {
      library<Real>.look_up(table, token, m, out);
      for (Real& t : out)
        t = t + t * (Real(1) / static_cast<Real>(1 << (digits / 2)) /
                     static_cast<Real>(1 << (digits - digits / 2)));
    };
  });
}

/// m = √d high by one part in 2^`digits`, before it is rounded to the format.
template <int digits>
constexpr auto takes_a_root_high() {
  return in_floats([]<class Real>(Operations<Real>& to) {
    to.root = [](std::uint64_t d) {
      return static_cast<Real>(std::sqrt(static_cast<double>(d)) *
                               (1.0 + std::ldexp(1.0, -digits)));
    };
  });
}

/// 29/11 of either sign, one case in 360.
template <Scalar Real>
bool is_29_elevenths(const Real& x) {
  const Real one = Real(29) / Real(11);
  return x == one || x == Real(-one);
}

}  // namespace

const Mutants<Primitives> mutants{
    {"looks_up_with_d",
     "√d in the table's module and once more around it (EleutherAI/gpt-neox#1087).",
     replacing([]<class Real>(Operations<Real>& to) {
       to.look_up = [](const EmbeddingTable<Real>& table, std::size_t token, const Real& m,
                       std::span<Real> out) {
         library<Real>.look_up(table, token, Real(m * m), out);
       };
     })},

    {"looks_up_divided", "Division where multiplication was meant (pytorch/tutorials#2849).",
     replacing([]<class Real>(Operations<Real>& to) {
       to.look_up = [](const EmbeddingTable<Real>& table, std::size_t token, const Real& m,
                       std::span<Real> out) {
         library<Real>.look_up(table, token, Real(Real(1) / m), out);
       };
     })},

    {"looks_up_bare", "No multiplier on a table of deviation d^−½ (VHellendoorn/ICLR20-Great#10).",
     replacing([]<class Real>(Operations<Real>& to) {
       to.look_up = [](const EmbeddingTable<Real>& table, std::size_t token, const Real&,
                       std::span<Real> out) { library<Real>.look_up(table, token, Real(1), out); };
     })},

    {"looks_up_around_1",
     "A mean passed where a deviation was meant: the rows lie around 1 (KerasHub T5Backbone, by "
     "reading). No variance sees it, the mean does.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.look_up = [](const EmbeddingTable<Real>& table, std::size_t token, const Real& m,
                       std::span<Real> out) {
         library<Real>.look_up(table, token, m, out);
         for (Real& t : out) t = t + Real(1);
       };
     })},

    {"clips_the_row",
     "Rows longer than a limit are shortened, as torch.nn.Embedding's max_norm does; here its "
     "entries beyond 2 are cut.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.look_up = [](const EmbeddingTable<Real>& table, std::size_t token, const Real& m,
                       std::span<Real> out) {
         library<Real>.look_up(table, token, m, out);
         for (Real& t : out) t = t > Real(2) ? Real(2) : t;
       };
     })},

    {"brings_tokens_to_1",
     "The belief as a program: every token is brought to RMS 1, whatever its table.",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.look_up = [](const EmbeddingTable<Real>& table, std::size_t token, const Real&,
                       std::span<Real> out) {
         const double rms = conventions::root_mean_square<Real>(table.row(token));
         library<Real>.look_up(table, token, static_cast<Real>(1.0 / rms), out);
       };
     })},

    {"looks_up_all_but_the_last",
     "A vectorised loop that leaves the last channel as it is in the table.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.look_up = [](const EmbeddingTable<Real>& table, std::size_t token, const Real& m,
                       std::span<Real> out) {
         library<Real>.look_up(table, token, m, out);
         out.back() = table.row(token).back();
       };
     })},

    {"takes_the_root_of_one_more", "√(d + 1): an off-by-one in the width.",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.root = [](std::uint64_t d) -> Real { return library<Real>.root(d + 1); };
     })},

    {"takes_the_root_in_bfloat16",
     "The root rounded to bfloat16 whatever the format (huggingface/transformers#29402).",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.root = [](std::uint64_t d) -> Real {
         return static_cast<Real>(static_cast<double>(library<bfloat16>.root(d)));
       };
     })},

    {"positions_of_sines_alone",
     "Sines in the place of cosines (BrianPulfer/PapersReimplementations#9).",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.encode = [](std::int64_t p, std::span<const Real> w, SinusoidalLayout layout,
                      std::span<Real> out) {
         library<Real>.encode(p, w, layout, out);
         const bool halves = layout == SinusoidalLayout::halves;
         for (std::size_t i = 0; i < w.size(); ++i)
           out[halves ? w.size() + i : 2 * i + 1] = out[halves ? i : 2 * i];
       };
     })},

    {"positions_scaled_down", "Positions divided by √d (nicklashansen/dreamer4#4).",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.encode = [](std::int64_t p, std::span<const Real> w, SinusoidalLayout layout,
                      std::span<Real> out) {
         library<Real>.encode(p, w, layout, out);
         for (Real& x : out) x = x / static_cast<Real>(std::sqrt(static_cast<double>(out.size())));
       };
     })},

    {"scales_positions_too", "The whole sum is scaled, the positions with it.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.input = [](const Real& e, const Real& p, const Real& m) -> Real { return m * (e + p); };
     })},

    {"adds_bare_tokens", "The multiplier is missing in the sum (SamLynnEvans/Transformer#10).",
     replacing([]<class Real>(Operations<Real>& to) {
       to.input = [](const Real& e, const Real& p, const Real&) -> Real { return e + p; };
     })},

    {"adds_with_the_size_of_m",
     "The multiplier's size alone: a factor below 0 turns nothing round, and no energy sees it.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.input = [](const Real& e, const Real& p, const Real& m) -> Real {
         return library<Real>.input(e, p, m < Real(0) ? Real(-m) : m);
       };
     })},

    {"draws_tenths_for_normals",
     "A deviation of 0.1 of one's own choice, and √d on top of it (facebookresearch/fairseq#47).",
     [](Primitives& to) {
       to.variance = [](const Initializer& law) -> double {
         return std::holds_alternative<Normal>(law) ? 0.01 : embedscale::variance(law);
       };
     }},

    {"takes_the_range_for_the_deviation",
     "The half range of a uniform law taken for its deviation.",
     [](Primitives& to) {
       to.variance = [](const Initializer& law) -> double {
         const bool uniform =
             std::holds_alternative<Uniform>(law) || std::holds_alternative<XavierUniform>(law);
         return embedscale::variance(law) * (uniform ? 3.0 : 1.0);
       };
     }},

    {"counts_the_vocabulary_alone",
     "The fan-in of a (V, d) table taken as V, and its fan-out forgotten (KerasHub Gemma, by "
     "reading).",
     [](Primitives& to) {
       to.variance = [](const Initializer& law) -> double {
         if (const auto* l = std::get_if<XavierUniform>(&law)) return 1.0 / double(l->vocabulary);
         if (const auto* l = std::get_if<XavierNormal>(&law)) return 1.0 / double(l->vocabulary);
         return embedscale::variance(law);
       };
     }},

    {"takes_the_nominal_deviation",
     "The nominal deviation of a cut normal law taken for its own, as if 0.8796 were 1; and its "
     "fourth moment with it.",
     [](Primitives& to) {
       to.variance = [](const Initializer& law) -> double {
         const auto* cut = std::get_if<TruncatedNormal>(&law);
         return cut ? embedscale::variance(Normal{cut->standard_deviation})
                    : embedscale::variance(law);
       };
       to.fourth_moment = [](const Initializer& law) -> double {
         const auto* cut = std::get_if<TruncatedNormal>(&law);
         return cut ? embedscale::fourth_moment(Normal{cut->standard_deviation})
                    : embedscale::fourth_moment(law);
       };
     }},

    {"takes_every_law_for_normal",
     "Every law's fourth moment that of a normal one of its variance.",
     [](Primitives& to) {
       to.fourth_moment = [](const Initializer& law) -> double {
         const double square = embedscale::variance(law);
         return 3.0 * square * square;
       };
     }},

    {"gives_uniform_tables_more",
     "The variance of uniform laws alone off by one part in 2^47: where they should meet another.",
     [](Primitives& to) {
       to.variance = [](const Initializer& law) -> double {
         const bool uniform = std::holds_alternative<Uniform>(law);
         return embedscale::variance(law) * (uniform ? 1.0 + 0x1p-47 : 1.0);
       };
     }},

    {"gives_a_fourth_moment_high", "The fourth moment of a cut normal law off by one part in 2^47.",
     [](Primitives& to) {
       to.fourth_moment = [](const Initializer& law) -> double {
         const bool cut = std::holds_alternative<TruncatedNormal>(law);
         return embedscale::fourth_moment(law) * (cut ? 1.0 + 0x1p-47 : 1.0);
       };
     }},

    {"looks_up_wrong_at_one_factor", "The same of a look-up.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.look_up = [](const EmbeddingTable<Real>& table, std::size_t token, const Real& m,
                       std::span<Real> out) {
         library<Real>.look_up(table, token, m, out);
         if (!is_29_elevenths(m)) return;
         for (Real& t : out) t = t + t / Real(1 << 20) / Real(1 << 20);
       };
     })},

    {"adds_wrong_at_one_factor",
     "At the factor 29/11 of either sign, one case in 360, a part in 2^40 of the token too much.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.input = [](const Real& e, const Real& p, const Real& m) -> Real {
         const Real x = library<Real>.input(e, p, m);
         return is_29_elevenths(m) ? Real(x + x / Real(1 << 20) / Real(1 << 20)) : x;
       };
     })},

    {"loses_a_little_of_the_fourth_row",
     "A part in 2^40 of the last row of a table of four rows is lost, at entries and inputs other "
     "than 0.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.multiply = [](const EmbeddingTable<Real>& table, std::span<const Real> x,
                        std::span<Real> out) {
         std::vector<Real> rest(x.begin(), x.end());
         if (rest.size() > 3) rest[3] = rest[3] - rest[3] / Real(1 << 20) / Real(1 << 20);
         library<Real>.multiply(table, std::span<const Real>(rest), out);
       };
     })},

    {"multiplies_one_ulp_high",
     "One ulp more in the first channel of a product: wherever values are compared.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.multiply = [](const EmbeddingTable<Real>& table, std::span<const Real> x,
                        std::span<Real> out) {
         library<Real>.multiply(table, x, out);
         out[0] = out[0] + out[0] / Real(1 << 7);
       };
     })},

    {"adds_two_positions_at_most", "A third position of one token is not added: a buffer of two.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.add_look_up_gradient = [](std::span<const std::size_t> tokens,
                                    std::span<const Real> slopes, const Real& m, std::size_t d,
                                    std::span<Real> gradient) {
         for (std::size_t i = 0; i < tokens.size(); ++i) {
           std::size_t before = 0;
           for (std::size_t k = 0; k < i; ++k) before += tokens[k] == tokens[i] ? 1 : 0;
           if (before < 2)
             library<Real>.add_look_up_gradient(tokens.subspan(i, 1), slopes.subspan(i * d, d), m,
                                                d, gradient);
         }
       };
     })},

    {"gives_the_last_gradient_high",
     "The gradient of the last channel by a part in 2^40 too large.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.add_look_up_gradient = [](std::span<const std::size_t> tokens,
                                    std::span<const Real> slopes, const Real& m, std::size_t d,
                                    std::span<Real> gradient) {
         library<Real>.add_look_up_gradient(tokens, slopes, m, d, gradient);
         gradient.back() = gradient.back() + gradient.back() / Real(1 << 20) / Real(1 << 20);
       };
     })},

    {"sums_gradients_in_bfloat16", "Sums in bfloat16, whatever the format.",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.add_look_up_gradient = [](std::span<const std::size_t> tokens,
                                    std::span<const Real> slopes, const Real& m, std::size_t d,
                                    std::span<Real> gradient) {
         library<Real>.add_look_up_gradient(tokens, slopes, m, d, gradient);
         for (Real& g : gradient)
           g = static_cast<Real>(static_cast<double>(bfloat16(static_cast<double>(g))));
       };
     })},

    {"averages_over_the_vocabulary",
     "A layer that divides by the number of its inputs, as if they were all at work.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.multiply = [](const EmbeddingTable<Real>& table, std::span<const Real> x,
                        std::span<Real> out) {
         library<Real>.multiply(table, x, out);
         for (Real& y : out) y = y / Real(static_cast<int>(x.size()));
       };
     })},

    {"adds_every_row",
     "A row is added for every input, whether it is there or not: what a dense input would do.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.multiply = [](const EmbeddingTable<Real>& table, std::span<const Real> x,
                        std::span<Real> out) {
         const std::vector<Real> dense(x.size(), Real(1));
         library<Real>.multiply(table, std::span<const Real>(dense), out);
       };
     })},

    {"leaves_the_first_token_out", "The first token is taken for padding, and its row for zeros.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.multiply = [](const EmbeddingTable<Real>& table, std::span<const Real> x,
                        std::span<Real> out) {
         std::vector<Real> rest(x.begin(), x.end());
         rest[0] = Real(0);
         library<Real>.multiply(table, std::span<const Real>(rest), out);
       };
     })},

    {"smooths_the_input", "Label smoothing at the input: 2^−20 of the last token is always there.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.multiply = [](const EmbeddingTable<Real>& table, std::span<const Real> x,
                        std::span<Real> out) {
         std::vector<Real> smooth(x.begin(), x.end());
         smooth.back() = smooth.back() + Real(1) / Real(1 << 10) / Real(1 << 10);
         library<Real>.multiply(table, std::span<const Real>(smooth), out);
       };
     })},

    {"detaches_the_factor", "The factor is applied outside of what is differentiated.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.add_look_up_gradient = [](std::span<const std::size_t> tokens,
                                    std::span<const Real> slopes, const Real&, std::size_t d,
                                    std::span<Real> gradient) {
         library<Real>.add_look_up_gradient(tokens, slopes, Real(1), d, gradient);
       };
     })},

    {"squares_the_factor", "Forwards and once more backwards.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.add_look_up_gradient = [](std::span<const std::size_t> tokens,
                                    std::span<const Real> slopes, const Real& m, std::size_t d,
                                    std::span<Real> gradient) {
         library<Real>.add_look_up_gradient(tokens, slopes, Real(m * m), d, gradient);
       };
     })},

    {"keeps_the_last_position",
     "A scatter that assigns: the last position of a token is the only one.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.add_look_up_gradient = [](std::span<const std::size_t> tokens,
                                    std::span<const Real> slopes, const Real& m, std::size_t d,
                                    std::span<Real> gradient) {
         for (std::size_t i = 0; i < tokens.size(); ++i)
           for (std::size_t j = 0; j < d; ++j) gradient[tokens[i] * d + j] = m * slopes[i * d + j];
       };
     })},

    {"divides_by_the_frequency",
     "Divided by how often the token occurs, as torch.nn.Embedding's scale_grad_by_freq does.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.add_look_up_gradient = [](std::span<const std::size_t> tokens,
                                    std::span<const Real> slopes, const Real& m, std::size_t d,
                                    std::span<Real> gradient) {
         library<Real>.add_look_up_gradient(tokens, slopes, m, d, gradient);
         const std::multiset<std::size_t> all(tokens.begin(), tokens.end());
         for (const std::size_t token : std::set<std::size_t>(tokens.begin(), tokens.end()))
           for (std::size_t j = 0; j < d; ++j)
             gradient[token * d + j] =
                 gradient[token * d + j] / Real(static_cast<int>(all.count(token)));
       };
     })},

    {"decays_every_row",
     "A weight decay of 2^−20 in every row, looked up or not: no longer sparse.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.add_look_up_gradient = [](std::span<const std::size_t> tokens,
                                    std::span<const Real> slopes, const Real& m, std::size_t d,
                                    std::span<Real> gradient) {
         library<Real>.add_look_up_gradient(tokens, slopes, m, d, gradient);
         for (Real& g : gradient) g = g + Real(1) / Real(1 << 10) / Real(1 << 10);
       };
     })},

    {"clips_large_slopes", "Slopes clipped at 16: the large gradients alone.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.add_look_up_gradient = [](std::span<const std::size_t> tokens,
                                    std::span<const Real> slopes, const Real& m, std::size_t d,
                                    std::span<Real> gradient) {
         std::vector<Real> clipped(slopes.begin(), slopes.end());
         for (Real& slope : clipped) slope = slope > Real(16) ? Real(16) : slope;
         library<Real>.add_look_up_gradient(tokens, std::span<const Real>(clipped), m, d, gradient);
       };
     })},

    {"scales_rows_high_by_20_digits", "Looked-up channels high by a part in 2^20.",
     scales_rows_high<20>()},
    {"scales_rows_high_by_40_digits", "Looked-up channels high by a part in 2^40.",
     scales_rows_high<40>()},
    {"scales_rows_high_by_45_digits", "Looked-up channels high by a part in 2^45.",
     scales_rows_high<45>()},
    {"takes_a_root_high_by_48_digits", "√d high by a part in 2^48, before it is rounded.",
     takes_a_root_high<48>()},
    {"takes_a_root_high_by_39_digits", "√d high by a part in 2^39, before it is rounded.",
     takes_a_root_high<39>()},
    {"gives_a_variance_high_by_48_digits", "A variance high by a part in 2^48.",
     [](Primitives& to) {
       to.variance = [](const Initializer& law) {
         return embedscale::variance(law) * (1.0 + std::ldexp(1.0, -48));
       };
     }},
};

}  // namespace embedscale::properties::embedding
