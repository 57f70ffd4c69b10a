#pragma once
// Wrong expectations and wrong counts around a shared table, from the largest to the smallest.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>

#include "../tied_output_loss.hpp"
#include "tied_output.hpp"

namespace embedscale::properties::mutants {

/// Logits of deviation σ·d.
struct takes_d_for_its_root : Tied {
  static expected::Expectation loss(double sigma, std::uint64_t d, double c, std::uint64_t V) {
    return Tied::loss(sigma * std::sqrt(static_cast<double>(d)), d, c, V);
  }
};
/// In bits instead of nats.
struct counts_in_bits : Tied {
  static expected::Expectation loss(double sigma, std::uint64_t d, double c, std::uint64_t V) {
    const auto [value, error] = Tied::loss(sigma, d, c, V);
    return {value / std::numbers::ln2, error};
  }
};
/// ln V, as if all logits were alike.
struct guesses_uniformly : Tied {
  static expected::Expectation loss(double, std::uint64_t, double, std::uint64_t V) {
    return {std::log(static_cast<double>(V)), 0};
  }
};
/// ln V + s²/2 at every s: right to s²/(2V) below the change of regime, and to nothing beyond it.
struct takes_the_annealed_mean : Tied {
  static expected::Expectation loss(double sigma, std::uint64_t d, double c, std::uint64_t V) {
    return {tied_output::annealed(std::abs(c) * sigma * std::sqrt(static_cast<double>(d)), V), 0};
  }
};
/// A word too few.
struct leaves_a_word_out : Tied {
  static expected::Expectation loss(double sigma, std::uint64_t d, double c, std::uint64_t V) {
    return Tied::loss(sigma, d, c, V - 1);
  }
};
/// One part in 10^12 too much.
struct loses_the_twelfth_digit : Tied {
  static expected::Expectation loss(double sigma, std::uint64_t d, double c, std::uint64_t V) {
    const auto [value, error] = Tied::loss(sigma, d, c, V);
    return {value * (1 + 1e-12), error};
  }
};

/// The positions left out of the state's length.
struct forgets_the_positions : Tied {
  static expected::Expectation own_logit(const expected::TiedToken& token, double) {
    return Tied::own_logit(token, 0);
  }
};
/// The state not divided by its RMS.
struct forgets_the_final_norm : Tied {
  static expected::Expectation own_logit(const expected::TiedToken& t, double) {
    return {t.output_multiplier * t.multiplier * static_cast<double>(t.width) * t.deviation *
                t.deviation,
            0};
  }
};
/// A negative multiplier taken for its size.
struct ignores_the_sign : Tied {
  static expected::Expectation own_logit(const expected::TiedToken& token, double p_square) {
    auto positive = token;
    positive.multiplier = std::abs(token.multiplier);
    return Tied::own_logit(positive, p_square);
  }
};
/// Leading order in 1/d, taken for the expectation.
struct stops_at_leading_order : Tied {
  static expected::Expectation own_logit(const expected::TiedToken& token, double p_square) {
    const double t = token.multiplier * token.deviation, d = static_cast<double>(token.width);
    const double centring = token.final_norm == expected::Norm::Kind::layer_norm ? 1 - 1 / d : 1;
    return {expected::own_logit_to_leading_order(token, t * t * centring + p_square / d), 0};
  }
};
/// A LayerNorm taken for an RMSNorm: one dimension too many.
struct keeps_the_dimension : Tied {
  static expected::Expectation own_logit(const expected::TiedToken& token, double p_square) {
    auto rms = token;
    rms.final_norm = expected::Norm::Kind::rms_norm;
    return Tied::own_logit(rms, p_square);
  }
};
/// One part in 10^12 too much.
struct is_fonder_by_a_trifle : Tied {
  static expected::Expectation own_logit(const expected::TiedToken& token, double p_square) {
    const auto [value, error] = Tied::own_logit(token, p_square);
    return {value * (1 + 1e-12), error};
  }
};

/// Every program, whatever it multiplies by.
struct counts_the_unscaled : Tied {
  static tied_output::Census census(std::span<const tied_output::Program> programs) {
    tied_output::Census counts{};
    for (const auto& p : programs) ++counts[static_cast<std::size_t>(p.sharing)];
    return counts;
  }
};
/// Options of unknown default taken for programs that never share.
struct takes_the_unknown_for_never : Tied {
  static tied_output::Census census(std::span<const tied_output::Program> programs) {
    auto counts = Tied::census(programs);
    counts[4] += counts[3];
    counts[3] = 0;
    return counts;
  }
};
/// Classes, not programs: each at most once.
struct counts_each_class_once : Tied {
  static tied_output::Census census(std::span<const tied_output::Program> programs) {
    auto counts = Tied::census(programs);
    for (auto& n : counts) n = std::min<std::uint64_t>(n, 1);
    return counts;
  }
};
/// A rounded root taken for √d.
struct counts_rounded_roots : Tied {
  static tied_output::Census census(std::span<const tied_output::Program> programs) {
    tied_output::Census counts{};
    for (const auto& p : programs) {
      const double root = std::sqrt(static_cast<double>(p.width));
      counts[static_cast<std::size_t>(p.sharing)] +=
          std::abs(p.multiplier / root - 1) < 1e-9 ? 1u : 0u;
    }
    return counts;
  }
};

}  // namespace embedscale::properties::mutants
