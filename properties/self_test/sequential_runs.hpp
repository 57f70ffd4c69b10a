#pragma once
// Many short runs of a sequential check: how often it is wrong, and how many draws it takes.
#include <embedscale/random.hpp>
#include "../evidence/sequential.hpp"

#include <boost/math/distributions/binomial.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

namespace embedscale::properties::evidence::sequential {

/// How often the tests of the checks are wrong themselves, each: both of their bounds are exact.
inline constexpr double test_alpha = 1e-9;

struct Count {
  std::uint64_t hits, runs;

  double share() const { return static_cast<double>(hits) / static_cast<double>(runs); }

  /// Clopper and Pearson's interval, of false alarm alpha.
  Interval interval(double alpha) const {
    using Binomial = boost::math::binomial_distribution<>;
    const auto n = static_cast<double>(runs), k = static_cast<double>(hits);
    return {Binomial::find_lower_bound_on_p(n, k, 0.5 * alpha),
            Binomial::find_upper_bound_on_p(n, k, 0.5 * alpha)};
  }

  /// Not believable at a rate of at most (at least) this.
  bool refutes_at_most(double rate) const { return interval(test_alpha).lower > rate; }
  bool refutes_at_least(double rate) const { return interval(test_alpha).upper < rate; }
};

// The laws that are drawn from: draw i of a run is law(stream, i).

struct Shifted {
  double off;
  double operator()(const Stream& stream, std::uint64_t i) const { return stream.normal(i) + off; }
};
struct Scaled {
  double factor;
  double operator()(const Stream& stream, std::uint64_t i) const {
    return stream.normal(i) * factor;
  }
};
struct Coin {
  double p;
  bool operator()(const Stream& stream, std::uint64_t i) const { return stream.uniform(i) < p; }
};
/// The least certain law of a mean on [0, 1], and a narrow one.
struct ZeroOrOne {
  double mean;
  double operator()(const Stream& stream, std::uint64_t i) const {
    return stream.uniform(i) < mean ? 1.0 : 0.0;
  }
};
struct Narrow {
  double mean;
  double operator()(const Stream& stream, std::uint64_t i) const {
    return mean + 0.2 * (stream.uniform(i) - 0.5);
  }
};
struct Pair {
  double off;
  double operator()(const Stream& stream, std::uint64_t i) const {
    return 0.8 * (stream.uniform(i) - stream.uniform(i, 1)) + off;
  }
};

/// The largest log e-value of each run, looked at after every draw: a run ever rejects at α exactly
/// if it is at least −log α. Run r draws from the stream (r, name).
template <class Process, class Law>
std::vector<double> largest_log_e_values(std::string_view name, const Process& fresh, Law law,
                                         std::uint64_t runs, std::uint64_t length) {
  std::vector<double> largest;
  for (std::uint64_t r = 0; r < runs; ++r) {
    const Stream stream(r, name);
    Process process = fresh;
    double most = process.log_e_value();
    for (std::uint64_t i = 0; i < length; ++i) {
      process.add(law(stream, i));
      most = std::max(most, process.log_e_value());
    }
    largest.push_back(most);
  }
  return largest;
}

inline Count reaching(const std::vector<double>& largest, double alpha) {
  const auto hits = std::count_if(largest.begin(), largest.end(),
                                  [&](double most) { return most >= -std::log(alpha); });
  return {static_cast<std::uint64_t>(hits), largest.size()};
}

/// How the runs of a check ended.
struct Endings {
  Count accepted, rejected, undecided;
  double mean_draws;
};

template <class Process, class Law>
Endings endings(std::string_view name, const Process& fresh, Law law, Rates rates,
                std::uint64_t runs, std::uint64_t most) {
  Endings all{{0, runs}, {0, runs}, {0, runs}, 0.0};
  for (std::uint64_t r = 0; r < runs; ++r) {
    const Stream stream(r, name);
    const auto [decision, draws] =
        run(fresh, rates, most, [&](std::uint64_t i) { return law(stream, i); });
    switch (decision) {
      case Decision::accept: ++all.accepted.hits; break;
      case Decision::reject: ++all.rejected.hits; break;
      case Decision::undecided: ++all.undecided.hits; break;
    }
    all.mean_draws += static_cast<double>(draws) / static_cast<double>(runs);
  }
  return all;
}

}  // namespace embedscale::properties::evidence::sequential
