// What a norm takes away of a common factor, what rounding leaves of it, and what real systems have
// first behind their sum.
#include <embedscale/embedding.hpp>

#include "atlas/atlas.hpp"
#include "audit/parts.hpp"
#include "normalization/sections.hpp"
#include "properties/normalization/rounding.hpp"

namespace embedscale::normalization_analysis {
namespace {

using audit::Configuration;

bool starts_with(const Configuration& c, audit::BlockNorm where) {
  return !c.embedding_norm && c.block.where == where;
}

/// What may come first behind a sum, and what of it sees a factor.
struct FirstLayer {
  const char *name, *sees;
  bool (*is)(const Configuration& c);
};
constexpr FirstLayer first_layers[] = {
    {"a norm of the sum itself", "its ε",
     [](const Configuration& c) { return c.embedding_norm.has_value(); }},
    {"a pre-norm block", "its ε, and the skip",
     [](const Configuration& c) { return starts_with(c, audit::BlockNorm::pre); }},
    {"a post-norm block", "its attention, its biases, its ε",
     [](const Configuration& c) { return starts_with(c, audit::BlockNorm::post); }},
    {"a block without norms", "all of it",
     [](const Configuration& c) { return starts_with(c, audit::BlockNorm::none); }},
    {"no block, or not told", "—",
     [](const Configuration& c) { return !c.embedding_norm && !c.block.where; }}};

/// What each system's sum goes through first.
void measure_first_layers(Section& s) {
  const auto& all = atlas::installed();
  for (const auto& [first, sees, is] : first_layers) {
    std::string names;
    const auto of_these = over<Tally>(all, [&, is = is](const atlas::System& system) {
      const auto& c = system.configuration;
      if (is(c)) names += (names.empty() ? "" : ", ") + c.name;
      return is(c);
    });
    s.measure("systems", {{"first_behind_the_sum", first}}, of_these, "over the atlas");
    s.measure(
        "first_layers",
        {{"first_behind_the_sum", first}, {"sees", sees}, {"names", names.empty() ? "—" : names}},
        of_these);
  }
}

template <class Real>
std::vector<Real> uniform_channels(std::uint64_t d, std::uint64_t i, const Stream& stream) {
  std::vector<Real> x;
  for (std::uint64_t j = 0; j < d; ++j)
    x.push_back(static_cast<Real>(2 * stream.uniform(i * d + j) - 1));
  return x;
}

/// The largest change over vectors of d channels. Where √d is a power of two nothing changes: a
/// quarter more is as good a factor.
template <class Real>
Greatest largest_change_of(std::uint64_t d, NormKind kind, const Stream& stream) {
  const Real root = root_multiplier<Real>(d), c = root + root * Real(0.25);
  return over<Greatest>(std::clamp<std::uint64_t>(16384 / d, 2, 64), [&](std::uint64_t i) {
    return largest_change(uniform_channels<Real>(d, i, stream), kind, c, library<Real>);
  });
}

void measure_rounding(Section& s, const Options& options) {
  const Stream stream(options.seed, std::string(s.claim().id) + "/channels");
  const auto widths = axis(
      "d_model", points(options.widths, std::vector<std::uint64_t>{16, 32, 64, 128, 256, 512, 1024,
                                                                   2048, 4096, 8192, 16384}));
  const auto sweep = [&]<class Real>() {
    for (const auto kind : {NormKind::layer_norm, NormKind::rms_norm})
      s.sweep("channels uniform on ±1, c = 1.25·√d_model",
              {{"norm", name_of(kind)}, {"format", FormatTraits<Real>::name}}, widths,
              [&](std::uint64_t d) {
                return Values{{"largest_change", largest_change_of<Real>(d, kind, stream)}};
              });
  };
  sweep.template operator()<double>();
  sweep.template operator()<float>();
}

}  // namespace

void absorbs_the_factor(Section& s, const Options& options) {
  s.measure_failures("exact_disagreements", {}, "whatever_its_size_and_sign");
  s.measure_failures("outputs_changed", {}, "whatever_its_size_and_sign");
  s.measure_failures("directions_that_stay", {}, "a_skip_keeps_it");
  s.measure_passes("directions_that_turn", {}, "a_skip_keeps_it");
  s.measure_failures("outputs_that_stay", {}, "an_epsilon_keeps_it");
  s.measure_passes("outputs_that_change", {}, "an_epsilon_keeps_it");
  s.measure_failures("bit_disagreements", {}, "bits_at_powers_of_two");
  s.measure_worst("worst_share_of_bound", {}, "else_within_its_roundings");
  measure_first_layers(s);
  measure_rounding(s, options);
}

}  // namespace embedscale::normalization_analysis
