#pragma once
// Wrong ways from the parts of an input to the weights of the first attention, each beside the
// defect it stands for, from the largest to the smallest. Where a thread is named, somebody's
// program had exactly this defect.
#include <embedscale/format.hpp>

#include <cmath>

#include "../attention_input_exact.hpp"

namespace embedscale::properties::mutants {

using AttentionInput = attention::InputLibrary;

/// The multiplier is missing (SamLynnEvans/Transformer#10).
struct adds_tokens_unscaled : AttentionInput {
  template <Scalar Real>
  static Real input(const Real& e, const Real& p, const Real&) {
    return e + p;
  }
};

/// The multiplier is applied to the sum.
struct multiplies_tokens_and_positions : AttentionInput {
  template <Scalar Real>
  static Real input(const Real& e, const Real& p, const Real& m) {
    return m * (e + p);
  }
};

/// Positions never reach the first block.
struct leaves_the_position_out : AttentionInput {
  template <Scalar Real>
  static Real input(const Real& e, const Real&, const Real& m) {
    return m * e;
  }
};

/// Positions are added in the embedding and again in the block.
struct adds_the_position_twice : AttentionInput {
  template <Scalar Real>
  static Real input(const Real& e, const Real& p, const Real& m) {
    return m * e + p + p;
  }
};

/// m rounded to eight digits: √3072 = 55.5 (huggingface/transformers#29402).
struct multiplies_the_input_by_bfloat16 : AttentionInput {
  template <Scalar Real>
  static Real input(const Real& e, const Real& p, const Real& m) {
    return AttentionInput::input(
        e, p, static_cast<Real>(static_cast<double>(bfloat16(static_cast<double>(m)))));
  }
};

/// 1/√d: divided where multiplication was meant (pytorch/tutorials#2849).
struct divides_tokens_by_the_root : AttentionInput {
  template <Scalar Real>
  static Real multiplier(std::size_t d_model) {
    return Real(1) / AttentionInput::multiplier<Real>(d_model);
  }
};

/// d where √d was meant.
struct multiplies_tokens_by_the_width : AttentionInput {
  template <Scalar Real>
  static Real multiplier(std::size_t d_model) {
    return static_cast<Real>(static_cast<double>(d_model));
  }
};

/// 1/√d_model in the place of 1/√d_k (FrancescoSaverioZuppichini/ViT#1, cloneofsimo/minRF#10).
struct scales_logits_by_the_model_width : AttentionInput {
  template <AnalyticScalar Real>
  static Real scale(std::size_t d_model, std::size_t) {
    return attention_scale<Real>(d_model);
  }
};

/// 1/d_k: the root forgotten.
struct scales_logits_by_d_k : AttentionInput {
  template <AnalyticScalar Real>
  static Real scale(std::size_t, std::size_t d_k) {
    return static_cast<Real>(1.0 / static_cast<double>(d_k));
  }
};

/// Something under the root against a division by 0.
template <int digits>
struct guards_the_root_of_d_k : AttentionInput {
  template <AnalyticScalar Real>
  static Real scale(std::size_t, std::size_t d_k) {
    return static_cast<Real>(1.0 / std::sqrt(static_cast<double>(d_k) + std::ldexp(1.0, -digits)));
  }
};
using guards_the_root_by_20_digits = guards_the_root_of_d_k<20>;
/// Seen in one case of 20, at the smallest d_k; 2^−47 in none.
using guards_the_root_by_46_digits = guards_the_root_of_d_k<46>;

/// The last channel of q and k does not enter.
struct drops_the_last_channel : AttentionInput {
  template <Scalar Real>
  static Real logit(std::span<const Real> q, std::span<const Real> k, const Real& scale) {
    const std::size_t n = q.size() > 1 ? q.size() - 1 : 1;
    return AttentionInput::logit(q.first(n), k.first(n), scale);
  }
};

/// A logit is a little larger than it should be, whatever the input.
struct lifts_every_logit : AttentionInput {
  template <Scalar Real>
  static Real logit(std::span<const Real> q, std::span<const Real> k, const Real& scale) {
    return AttentionInput::logit(q, k, scale) + Real(1) / Real(1 << 20);
  }
};

/// Soft limits of logits, as some programs have them, made hard: at most 30.
struct caps_the_logits : AttentionInput {
  template <Scalar Real>
  static Real logit(std::span<const Real> q, std::span<const Real> k, const Real& scale) {
    const Real z = AttentionInput::logit(q, k, scale);
    return Real(30) < z ? Real(30) : z;
  }
};

/// A query sees something of itself in every key.
struct looks_at_the_query : AttentionInput {
  template <Scalar Real>
  static Real logit(std::span<const Real> q, std::span<const Real> k, const Real& scale) {
    return AttentionInput::logit(q, k, scale) + AttentionInput::logit(q, q, scale) / Real(1 << 10);
  }
};

/// A norm stands before the projection: only the direction is left (x over its first channel).
struct normalises_before_projecting : AttentionInput {
  template <Scalar Real>
  static void project(std::span<const Real> w, std::span<const Real> b, std::span<const Real> x,
                      std::span<Real> out) {
    std::vector<Real> y(x.begin(), x.end());
    if (!(x[0] == Real(0)))
      for (Real& value : y) value = value / x[0];
    AttentionInput::project(w, b, std::span<const Real>(y), out);
  }
};

/// Projects, and puts changed(out[a], b[a]) in the place of each channel.
template <Scalar Real, class Change>
void project_and(std::span<const Real> w, std::span<const Real> b, std::span<const Real> x,
                 std::span<Real> out, Change changed) {
  AttentionInput::project(w, b, x, out);
  for (std::size_t a = 0; a < out.size(); ++a) out[a] = changed(out[a], b[a]);
}

/// Biases are left out.
struct forgets_the_biases : AttentionInput {
  template <Scalar Real>
  static void project(std::span<const Real> w, std::span<const Real> b, std::span<const Real> x,
                      std::span<Real> out) {
    project_and(w, b, x, out, [](const Real& y, const Real& b) { return Real(y - b); });
  }
};

/// Biases are added in the layer and again behind it.
struct adds_the_biases_twice : AttentionInput {
  template <Scalar Real>
  static void project(std::span<const Real> w, std::span<const Real> b, std::span<const Real> x,
                      std::span<Real> out) {
    project_and(w, b, x, out, [](const Real& y, const Real& b) { return Real(y + b); });
  }
};

/// A bias that nobody declared, one part in 2^20.
struct adds_a_small_bias : AttentionInput {
  template <Scalar Real>
  static void project(std::span<const Real> w, std::span<const Real> b, std::span<const Real> x,
                      std::span<Real> out) {
    project_and(w, b, x, out,
                [](const Real& y, const Real&) { return Real(y + Real(1) / Real(1 << 20)); });
  }
};

/// A cube of one part in 2^30 is left in.
struct bends_the_projection : AttentionInput {
  template <Scalar Real>
  static void project(std::span<const Real> w, std::span<const Real> b, std::span<const Real> x,
                      std::span<Real> out) {
    project_and(w, b, x, out,
                [](const Real& y, const Real&) { return Real(y + y * y * y / Real(1 << 30)); });
  }
};

/// Projections kept in another format.
template <class Kept>
struct projects_in : AttentionInput {
  template <Scalar Real>
  static void project(std::span<const Real> w, std::span<const Real> b, std::span<const Real> x,
                      std::span<Real> out) {
    project_and(w, b, x, out, [](const Real& y, const Real&) {
      return static_cast<Real>(static_cast<double>(Kept(static_cast<double>(y))));
    });
  }
};
/// In bfloat16, eight digits.
using projects_in_bfloat16 = projects_in<bfloat16>;
/// In 20 digits, where binary32 has 24: beyond the bound in one case of 100; 22 in one of 8000.
using projects_in_20_digits = projects_in<Format<8, 19>>;

/// Temperature ½ where 1 was meant.
struct sharpens_the_softmax : AttentionInput {
  template <AnalyticScalar Real>
  static void softmax(std::span<Real> z) {
    for (Real& value : z) value = value + value;
    AttentionInput::softmax(z);
  }
};

/// A temperature below 1 by one part in 2^`digits`.
template <int digits>
struct sharpens_by : AttentionInput {
  template <AnalyticScalar Real>
  static void softmax(std::span<Real> z) {
    for (Real& value : z) value = value + value * static_cast<Real>(std::ldexp(1.0, -digits));
    AttentionInput::softmax(z);
  }
};
/// Seen wherever two keys have nearly one logit, where the bound is attained; 2^−26 in no case.
using sharpens_by_22_digits = sharpens_by<22>;

}  // namespace embedscale::properties::mutants
