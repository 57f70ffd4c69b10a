// Wrong ways from the parts of an input to the weights of the first attention, to undo a factor,
// and wrong laws of a projection; from the largest defect to the smallest that is still seen.
#include <embedscale/format.hpp>

#include <algorithm>
#include <cmath>
#include <span>
#include <variant>
#include <vector>

#include "input_logits.hpp"
#include "input_trials.hpp"

namespace embedscale::properties::attention::input {

using namespace testing;
using expected::ProjectionLaw, expected::ProjectionShape;

namespace {

/// A replacement in the formats: a defect of rounding is none over the rationals.
template <class Change>
constexpr auto in_floats(Change change) {
  return replacing<double, float, binary16, bfloat16>(change);
}

/// Something under the root against a division by 0: a part in 2^`digits`.
template <int digits>
constexpr auto guards_the_root() {
  return in_floats([]<class Real>(Operations<Real>& to) {
    to.scale = [](std::size_t, std::size_t d_k) {
      return static_cast<Real>(1.0 /
                               std::sqrt(static_cast<double>(d_k) + std::ldexp(1.0, -digits)));
    };
  });
}

/// Projects, and puts changed(out[a], b[a]) in the place of each channel.
template <Scalar Real, class Change>
void project_and(std::span<const Real> w, std::span<const Real> b, std::span<const Real> x,
                 std::span<Real> out, Change changed) {
  library<Real>.project(w, b, x, out);
  for (std::size_t a = 0; a < out.size(); ++a) out[a] = changed(out[a], b[a]);
}

/// Projections kept in another format.
template <class Kept>
constexpr auto projects_in() {
  return in_floats([]<class Real>(Operations<Real>& to) {
    to.project = [](std::span<const Real> w, std::span<const Real> b, std::span<const Real> x,
                    std::span<Real> out) {
      project_and(w, b, x, out, [](const Real& y, const Real&) {
        return static_cast<Real>(static_cast<double>(Kept(static_cast<double>(y))));
      });
    };
  });
}

/// Tokens too large by one part in 2^`digits`.
template <int digits>
constexpr auto enters_tokens_high() {
  return replacing([]<class Real>(Operations<Real>& to) {
    to.input = [](const Real& e, const Real& p, const Real& m) {
      return library<Real>.input(Real(e + e * static_cast<Real>(std::ldexp(1.0, -digits))), p, m);
    };
  });
}

/// Variances too large by one part in 2^`digits`.
template <int digits>
void varies_high(Primitives& to) {
  to.variance = [](const Initializer& law) {
    return embedscale::variance(law) * (1.0 + std::ldexp(1.0, -digits));
  };
}

}  // namespace

const Mutants<Primitives> mutants{
    {"adds_tokens_unscaled", "The multiplier is missing (SamLynnEvans/Transformer#10).",
     replacing([]<class Real>(Operations<Real>& to) {
       to.input = [](const Real& e, const Real& p, const Real&) -> Real { return e + p; };
     })},

    {"multiplies_tokens_and_positions", "The multiplier is applied to the sum.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.input = [](const Real& e, const Real& p, const Real& m) -> Real { return m * (e + p); };
     })},

    {"leaves_the_position_out", "Positions never reach the first block.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.input = [](const Real& e, const Real&, const Real& m) -> Real { return m * e; };
     })},

    {"adds_the_position_twice", "Positions are added in the embedding and again in the block.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.input = [](const Real& e, const Real& p, const Real& m) -> Real { return m * e + p + p; };
     })},

    {"multiplies_the_input_by_bfloat16",
     "m rounded to eight digits: √3072 = 55.5 (huggingface/transformers#29402).",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.input = [](const Real& e, const Real& p, const Real& m) -> Real {
         return library<Real>.input(
             e, p, static_cast<Real>(static_cast<double>(bfloat16(static_cast<double>(m)))));
       };
     })},

    {"divides_tokens_by_the_root",
     "1/√d: divided where multiplication was meant (pytorch/tutorials#2849).",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.multiplier = [](std::size_t d_model) -> Real {
         return Real(1) / library<Real>.multiplier(d_model);
       };
     })},

    {"multiplies_tokens_by_the_width", "d where √d was meant.",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.multiplier = [](std::size_t d_model) -> Real {
         return static_cast<Real>(static_cast<double>(d_model));
       };
     })},

    {"scales_logits_by_the_model_width",
     "1/√d_model in the place of 1/√d_k (FrancescoSaverioZuppichini/ViT#1, cloneofsimo/minRF#10).",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.scale = [](std::size_t d_model, std::size_t) -> Real {
         return attention_scale<Real>(d_model);
       };
     })},

    {"scales_logits_by_d_k", "1/d_k: the root forgotten.",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.scale = [](std::size_t, std::size_t d_k) -> Real {
         return static_cast<Real>(1.0 / static_cast<double>(d_k));
       };
     })},

    {"drops_the_last_channel", "The last channel of q and k does not enter.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.logit = [](std::span<const Real> q, std::span<const Real> k, const Real& scale) -> Real {
         const std::size_t n = q.size() > 1 ? q.size() - 1 : 1;
         return library<Real>.logit(q.first(n), k.first(n), scale);
       };
     })},

    {"lifts_every_logit", "A logit is a little larger than it should be, whatever the input.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.logit = [](std::span<const Real> q, std::span<const Real> k, const Real& scale) -> Real {
         return library<Real>.logit(q, k, scale) + Real(1) / Real(1 << 20);
       };
     })},

    {"caps_the_logits", "Soft limits of logits, as some programs have them, made hard: at most 30.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.logit = [](std::span<const Real> q, std::span<const Real> k, const Real& scale) -> Real {
         const Real z = library<Real>.logit(q, k, scale);
         return Real(30) < z ? Real(30) : z;
       };
     })},

    {"looks_at_the_query", "A query sees something of itself in every key.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.logit = [](std::span<const Real> q, std::span<const Real> k, const Real& scale) -> Real {
         return library<Real>.logit(q, k, scale) + library<Real>.logit(q, q, scale) / Real(1 << 10);
       };
     })},

    {"normalises_before_projecting",
     "A norm stands before the projection: only the direction is left (x over its first channel).",
     replacing([]<class Real>(Operations<Real>& to) {
       to.project = [](std::span<const Real> w, std::span<const Real> b, std::span<const Real> x,
                       std::span<Real> out) {
         std::vector<Real> y(x.begin(), x.end());
         if (!(x[0] == Real(0)))
           for (Real& value : y) value = value / x[0];
         library<Real>.project(w, b, std::span<const Real>(y), out);
       };
     })},

    {"forgets_the_biases", "Biases are left out.", replacing([]<class Real>(Operations<Real>& to) {
       to.project = [](std::span<const Real> w, std::span<const Real> b, std::span<const Real> x,
                       std::span<Real> out) {
         project_and(w, b, x, out, [](const Real& y, const Real& b) { return Real(y - b); });
       };
     })},

    {"adds_the_biases_twice", "Biases are added in the layer and again behind it.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.project = [](std::span<const Real> w, std::span<const Real> b, std::span<const Real> x,
                       std::span<Real> out) {
         project_and(w, b, x, out, [](const Real& y, const Real& b) { return Real(y + b); });
       };
     })},

    {"adds_a_small_bias", "A bias that nobody declared, one part in 2^20.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.project = [](std::span<const Real> w, std::span<const Real> b, std::span<const Real> x,
                       std::span<Real> out) {
         project_and(w, b, x, out,
                     [](const Real& y, const Real&) { return Real(y + Real(1) / Real(1 << 20)); });
       };
     })},

    {"bends_the_projection", "A cube of one part in 2^30 is left in.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.project = [](std::span<const Real> w, std::span<const Real> b, std::span<const Real> x,
                       std::span<Real> out) {
         project_and(w, b, x, out, [](const Real& y, const Real&) {
           return Real(y + y * y * y / Real(1 << 30));
         });
       };
     })},

    {"sharpens_the_softmax", "Temperature ½ where 1 was meant.",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.softmax = [](std::span<Real> z) {
         for (Real& value : z) value = value + value;
         library<Real>.softmax(z);
       };
     })},

    {"absorbs_nothing", "The projections stay as they were.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.absorbed = [](const Real& w, const Real&) -> Real { return w; };
     })},

    {"absorbs_the_wrong_way", "Multiplied where division was meant (pytorch/tutorials#2849).",
     replacing([]<class Real>(Operations<Real>& to) {
       to.absorbed = [](const Real& w, const Real& c) -> Real { return w * c; };
     })},

    {"absorbs_the_square", "Divided by c², all that the logits carry, in each of the two.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.absorbed = [](const Real& w, const Real& c) -> Real { return w / (c * c); };
     })},

    {"absorbs_a_rounded_factor", "Divided by c as bfloat16 holds it.",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.absorbed = [](const Real& w, const Real& c) -> Real {
         return w / static_cast<Real>(static_cast<double>(bfloat16(static_cast<double>(c))));
       };
     })},

    {"absorbs_slightly_more", "Too small by one part in 2^40.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.absorbed = [](const Real& w, const Real& c) -> Real {
         return w / c - w / c / Real(1 << 20) / Real(1 << 20);
       };
     })},

    {"absorbs_large_factors_alone", "Only factors above 1 are undone.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.absorbed = [](const Real& w, const Real& c) -> Real {
         return Real(1) < c ? Real(w / c) : w;
       };
     })},

    {"lifts_the_output", "A small constant is added to the mixture of values.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.mix = [](std::span<const Real> weights, std::span<const Real> rows, std::span<Real> out) {
         library<Real>.mix(weights, rows, out);
         for (Real& value : out) value = value + Real(1) / Real(1 << 20);
       };
     })},

    {"normalises_the_output",
     "The mixture is divided by its first channel: the values lose the factor.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.mix = [](std::span<const Real> weights, std::span<const Real> rows, std::span<Real> out) {
         library<Real>.mix(weights, rows, out);
         const Real first = out[0];
         if (!(first == Real(0)))
           for (Real& value : out) value = value / first;
       };
     })},

    {"loses_lonely_positions", "Positions with no token in their channel are lost.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.input = [](const Real& e, const Real& p, const Real& m) -> Real {
         return e == Real(0) ? e : library<Real>.input(e, p, m);
       };
     })},

    {"forgets_that_three_are_packed", "Three packed matrices count as three apart.",
     [](Primitives& to) {
       to.projection_law = [](ProjectionLaw law, const ProjectionShape& shape,
                              double sigma) -> Initializer {
         return expected::initializer_of(
             law == ProjectionLaw::packed_xavier ? ProjectionLaw::xavier : law, shape, sigma);
       };
     }},

    {"counts_one_head", "Rows of one head where those of all are one matrix.",
     [](Primitives& to) {
       to.projection_law = [](ProjectionLaw law, const ProjectionShape& shape,
                              double sigma) -> Initializer {
         ProjectionShape one = shape;
         one.heads = 1;
         return expected::initializer_of(law, one, sigma);
       };
     }},

    {"reads_the_fan_in_alone", "A Xavier law by its fan-in alone: 1/d for 2/(fan_in + fan_out).",
     [](Primitives& to) {
       to.projection_law = [](ProjectionLaw law, const ProjectionShape& shape,
                              double sigma) -> Initializer {
         return expected::initializer_of(
             law == ProjectionLaw::normal ? law : ProjectionLaw::normal_by_width, shape, sigma);
       };
     }},

    {"takes_the_range_for_sigma", "The half range of a uniform law taken for its deviation.",
     [](Primitives& to) {
       to.variance = [](const Initializer& law) -> double {
         if (const auto* uniform = std::get_if<XavierUniform>(&law)) {
           const double a = Uniform(*uniform).half_range;
           return a * a;
         }
         return embedscale::variance(law);
       };
     }},

    {"projects_without_the_last_channel", "The last channel of the input is not read.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.project = [](std::span<const Real> w, std::span<const Real> b, std::span<const Real> x,
                       std::span<Real> out) {
         std::vector<Real> y(x.begin(), x.end());
         y.back() = Real(0);
         library<Real>.project(w, b, std::span<const Real>(y), out);
       };
     })},

    {"guards_the_root_by_20_digits", "Something under the root of d_k: a part in 2^20.",
     guards_the_root<20>()},
    {"guards_the_root_by_46_digits",
     "A part in 2^46: seen in one case of 20, at the smallest d_k; 2^−47 in none.",
     guards_the_root<46>()},
    {"projects_in_bfloat16", "Projections kept in bfloat16, eight digits.",
     projects_in<bfloat16>()},
    {"projects_in_20_digits",
     "In 20 digits, where binary32 has 24: beyond the bound in one case of 100; 22 in one of 8000.",
     projects_in<Format<8, 19>>()},
    {"sharpens_by_22_digits",
     "A temperature below 1 by a part in 2^22: seen wherever two keys have nearly one logit, where "
     "the bound is attained; 2^−26 in no case.",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.softmax = [](std::span<Real> z) {
         for (Real& value : z) value = value + value * static_cast<Real>(std::ldexp(1.0, -22));
         library<Real>.softmax(z);
       };
     })},
    {"enters_tokens_high_by_20_digits", "Tokens too large by a part in 2^20.",
     enters_tokens_high<20>()},
    {"enters_tokens_high_by_44_digits", "Tokens too large by a part in 2^44.",
     enters_tokens_high<44>()},
    {"enters_tokens_high_by_48_digits",
     "In the shares: seen in one case of 50, where d is small; 2^−49 in none.",
     enters_tokens_high<48>()},
    {"enters_tokens_high_by_41_digits",
     "At the line of T/P: cases approach it to 2^−40, worth 2^−41 of a token. 2^−42 is seen in "
     "none.",
     enters_tokens_high<41>()},
    {"projects_high_by_20_digits", "Variances of projections too large by a part in 2^20.",
     varies_high<20>},
    {"projects_high_by_47_digits", "By a part in 2^47: seen within a few cases, 2^−48 in none.",
     varies_high<47>},
};

}  // namespace embedscale::properties::attention::input
