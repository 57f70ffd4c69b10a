#pragma once
// Checks of a whole law: the largest distance between the draws' distribution and the stated one,
// and that words drawn from a large set differ.
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "power.hpp"

namespace embedscale::properties::evidence {

/// A distribution function.
using Law = std::function<double(double)>;

/// P(sup (F_n − F) >= d) for n draws of a continuous law F, exactly (Birnbaum and Tingey 1951):
///   d Σ_{j <= n(1 − d)} C(n, j) (d + j/n)^{j−1} (1 − d − j/n)^{n−j}.
/// All terms are positive, so that a tail of 1e-12 keeps its digits, which it does not in the
/// matrix powers of Marsaglia, Tsang and Wang 2003 (they give its complement).
double one_sided_distance_tail(std::uint64_t n, double d);

/// A continuous law F: sup |F_n − F| is at most the distance that each side exceeds with
/// probability at most α/2.
///
/// Up to 1000 draws that is the exact one-sided law; beyond, the bound exp(−2nd²) of Dvoretzky,
/// Kiefer and Wolfowitz with Massart's constant (1990), which holds at every n and whose distance
/// is within 0.5 % of it there. Kolmogorov's asymptotic law is its limit, and promises nothing at
/// a finite n; it could gain a share of exp(−6nd²) only. A law with atoms would need F(x−) in
/// `distance_from`.
struct WholeLaw : Counted {
  static constexpr std::string_view name = "whole distribution";
  static constexpr std::string_view effect = "largest distance of the distributions";
  static constexpr std::uint64_t most_exact = 1000;
  struct Data {
    std::uint64_t n = 0;
    double distance = 0;  ///< sup |F_n − F|
  };
  static double statistic(const Data& data) { return data.distance; }
  static double tail(std::uint64_t n, double distance);
  static bool accepts(const Data& data, double alpha);
  /// Where the laws are δ apart at one point, the draws' share below it is Hoeffding's: it falls
  /// short of δ by more than √(ln(1/β)/(2n)) with probability at most β.
  static double smallest_effect(std::uint64_t n, Rates rates);
};

/// sup |F_n − F| of draws, which are sorted. A draw that is no number is at distance 1.
WholeLaw::Data distance_from(std::span<double> x, const Law& cumulative);

/// |F − G| at the worst of 1001 equidistant points: how far, at least, two laws are apart.
double least_distance(const Law& f, const Law& g, double left, double right);

/// Words of 64 independent bits are all different: n(n − 1)/2 pairs, each equal with probability
/// 2^−64. Words of 64 − e bits are, with probability at most exp(−n(n − 1)/2^(65−e)).
struct DistinctWords : Counted {
  static constexpr std::string_view name = "distinct words";
  static constexpr std::string_view effect = "bits that a word of 64 lacks";
  struct Data {
    std::uint64_t n = 0, distinct = 0;
  };
  static double statistic(const Data& data) { return real(data.n - data.distinct); }
  /// So many draws that equal ones are no surprise cannot be rejected, and show in the effect.
  static bool accepts(const Data& data, double alpha);
  static double smallest_effect(std::uint64_t n, Rates rates);
};

}  // namespace embedscale::properties::evidence
