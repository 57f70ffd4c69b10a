// Up and down as one function of the table, and the paths that follow from it or do not.
#include <optional>
#include <string_view>

#include "optimizer/cases.hpp"
#include "report/loops.hpp"

namespace embedscale::optimizer_analysis {
namespace {

/// What follows the sum, and whether it ignores a factor of it.
struct Follower {
  const char* name;
  bool ignores;
  Norm first;
  double epsilon = 0;
  std::optional<NormPlacement> block = {};
  Norm last = Norm::none;
};
constexpr Follower rms_norm_alone{"RMSNorm, ε = 0", true, Norm::rms_norm},
    rms_norm_with_epsilon{"RMSNorm, ε = 10⁻⁵", false, Norm::rms_norm, 1e-5},
    pre_norm_block{
        "a pre-norm block, then RMSNorm", false, Norm::none, 0, NormPlacement::pre, Norm::rms_norm},
    no_norm{"no norm", false, Norm::none};
constexpr Follower followers[] = {
    rms_norm_alone,
    {"LayerNorm, ε = 0", true, Norm::layer_norm},
    {"LayerNorm, ε = 0, then a post-norm block", true, Norm::layer_norm, 0, NormPlacement::post},
    {"LayerNorm, ε = 0, then a pre-norm block", true, Norm::layer_norm, 0, NormPlacement::pre},
    rms_norm_with_epsilon,
    {"a post-norm block", false, Norm::none, 0, NormPlacement::post},
    pre_norm_block,
    no_norm};

Path<Wide> followed_path(const Options& options, const Follower& follower, std::size_t optimiser,
                         Loss loss) {
  auto path = path_of<Wide>(options.seed, "optimizer/paths", small_shape, wide_root(small_width),
                            optimiser, follower.first, loss);
  path.model.epsilon = Wide(follower.epsilon);
  path.model.last = follower.last;
  const Stream stream(options.seed, "optimizer/blocks");
  Numbers numbers(stream, 0);
  if (follower.block)
    path.model.blocks = {drawn_block<Wide>(small_width, *follower.block, numbers)};
  return path;
}

template <Scalar Real>
Run<Real> down(const Run<Real>& up) {
  return with(up, Placing::down);
}

/// Every follower under every optimiser, in 50 digits.
void measure_followers(Section& s, const Options& options) {
  constexpr std::size_t optimisers = all_optimisers;
  std::vector<Value> apart(std::size(followers) * optimisers, 0.0);
  in_parallel(apart.size(), [&](std::uint64_t i) {
    const std::size_t k = i % optimisers;
    const auto path = followed_path(options, followers[i / optimisers], k,
                                    k % 2 == 0 ? Loss::bounded : Loss::cross_entropy);
    apart[i] = beyond_rounding(deviation(path, down(path.up)));
  });
  for (std::size_t i = 0; i < apart.size(); ++i) {
    const auto& [name, ignores, first, epsilon, block, last] = followers[i / optimisers];
    const Place at{{"follows", name},
                   {"optimiser", optimiser_names[i % optimisers]},
                   {"d_model", small_width},
                   {"steps", path_steps}};
    s.measure("path_deviation", at, apart[i], in_50_digits);
    s.measure(ignores ? "deviation_together" : "deviation_apart", at, apart[i]);
  }
}

/// Adam's path step by step, of a loss without a function of the C library.
void measure_steps(Section& s, const Options& options) {
  const auto add = [&](const std::string& path, const auto& distances) {
    for (std::size_t k = 1; k < distances.size(); ++k)
      s.measure("path_distance", {{"path", path}, {"step", k}},
                Value::example(static_cast<double>(distances[k])));
  };
  for (const Follower& follower : {no_norm, pre_norm_block, rms_norm_with_epsilon}) {
    const auto path = followed_path(options, follower, adam, Loss::bounded);
    add(follower.name, path.distances(down(path.up), path_steps, library<Wide>));
  }
  const auto rounded = [&]<class Real>(const Real& m, const char* format) {
    const auto path = path_of<Real>(options.seed, "optimizer/paths", small_shape, m, adam,
                                    Norm::rms_norm, Loss::bounded);
    add(std::string(rms_norm_alone.name) + ", " + format,
        path.distances(down(path.up), path_steps, library<Real>));
  };
  rounded(root_multiplier<float>(small_width), "binary32");
  rounded(root_multiplier<double>(small_width), "binary64");
  rounded(wide_root(small_width), "50 digits");
}

/// Whether rates fall with the width, so that a step changes the logit by about a tenth at each, or
/// are those of the narrowest at all: the logits then jump, and the path amplifies a difference.
enum class Rates { falling, fixed };

/// Behind RMSNorm, in the formats of real training.
template <class Real, Rates rates, bool has_epsilon = false>
double rounded(const Options& options, std::uint64_t d) {
  auto path = path_of<Real>(options.seed, "optimizer/widths",
                            rates == Rates::falling ? wide_shape(d) : rich_shape(d),
                            root_multiplier<Real>(d), adam, Norm::rms_norm, Loss::bounded);
  path.model.epsilon = has_epsilon ? Real(1e-5) : Real(0);
  if (rates == Rates::falling) {
    const double wider = std::max(1.0, static_cast<double>(d) / 16.0);
    Real &of_table = rate_of(path.up.of_table), &of_head = rate_of(path.up.of_head);
    of_table = static_cast<Real>(1.0 / std::sqrt(wider)) * of_table;
    of_head = static_cast<Real>(1.0 / wider) * of_head;
  }
  return deviation(path, down(path.up));
}

/// Rounding alone, an ε in the norm, and rounding in a path that amplifies it.
struct Rounded {
  const char *follows, *format, *rates;
  double (*deviation)(const Options& options, std::uint64_t d);
};
const Rounded rounded_paths[] = {
    {rms_norm_alone.name, "binary32", "falling", rounded<float, Rates::falling>},
    {rms_norm_alone.name, "binary64", "falling", rounded<double, Rates::falling>},
    {rms_norm_with_epsilon.name, "binary64", "falling", rounded<double, Rates::falling, true>},
    {rms_norm_alone.name, "binary64", "fixed", rounded<double, Rates::fixed>}};

/// Beyond it a path takes too long.
constexpr std::uint64_t widest_at_fixed_rate = 4096;

void measure_widths(Section& s, const Options& options) {
  struct Point {
    std::uint64_t d;
    const Rounded* path;
    double deviation;
  };
  std::vector<Point> all;
  for (const auto d :
       points(options.widths, std::array{16, 48, 64, 192, 256, 768, 1024, 3072, 4096, 16384}))
    for (const Rounded& path : rounded_paths)
      if (std::string_view(path.rates) != "fixed" || d <= widest_at_fixed_rate)
        all.push_back({d, &path, 0});
  in_parallel(all.size(), [&](std::uint64_t i) {
    all[i].deviation = all[i].path->deviation(options, all[i].d);
  });
  for (const auto& [d, path, deviation] : all)
    s.measure("path_deviation",
              {{"follows", path->follows},
               {"optimiser", optimiser_names[adam]},
               {"d_model", d},
               {"steps", path_steps},
               {"format", path->format},
               {"rates", path->rates}},
              Value::example(deviation), "one path each, in the format");
}

}  // namespace

void same_function_same_path(Section& s, const Options& options) {
  s.measure_failures("function_disagreements", {}, "one_function_with_one_gradient");
  measure_followers(s, options);
  measure_bits(s);
  measure_steps(s, options);
  measure_widths(s, options);
}

}  // namespace embedscale::optimizer_analysis
