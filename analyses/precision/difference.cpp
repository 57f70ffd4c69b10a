// How far up and m times down part by rounding, against the significand of m: every pair of the two
// small formats by the committed runs, a search where the bound is attained in the large ones.
#include <embedscale/embedding.hpp>

#include "exhaustive/record.hpp"
#include "precision/sections.hpp"
#include "properties/precision/difference.hpp"
#include "properties/precision/every_pair.hpp"

namespace embedscale::precision_analysis::gap {
namespace {

using namespace properties::precision::difference;

/// What is known of one width in one format.
struct AtWidth {
  double f;        ///< the significand of m
  double largest;  ///< error in u over every pair
};

Place place_of(const char* format, std::uint64_t d, double f) {
  return {{"format", format}, {"d_model", d}, {"significand", f}};
}

template <class Real>
AtWidth every_pair(Section& s, std::uint64_t d, const exhaustive::Record& record) {
  const char* format = FormatTraits<Real>::name;
  const auto& run = record.of("difference/" + std::string(format) + "/" + std::to_string(d));
  const double m = static_cast<double>(root_multiplier<Real>(d));
  const double f = properties::significand(m), bound = bound_in_u(f);
  const auto at = place_of(format, d, f);
  const auto error = run.greatest("error in u", "pairs");
  const auto put = [&](const char* quantity, const Value& value) {
    s.measure(quantity, at, value, exhaustive::method);
  };
  put("largest_error", error);
  put("share_of_bound",
      error.mapped([&](double largest) { return largest == 0.0 ? 0.0 : largest / bound; }));
  put("agreeing_pairs", run.share("agreeing", "in range"));
  put("left_out", run.share("left out", "pairs"));
  put("largest_ulps", run.greatest("error in ulps", "pairs"));
  s.measure("largest_relative", at,
            error.mapped([](double largest) { return largest * unit_roundoff<Real>; }));
  s.measure("multiplier", at, m);
  s.measure("derived_bound", at, bound);
  std::string pair = run.at("error in u");
  pair.replace(pair.find(' '), 1, ", ");
  if (f > 1.0) s.measure("worst_pair", Place(at).set("pair", pair), error, exhaustive::method);
  return {f, error.value()};
}

/// The belief: no width has a largest error above what is proved of another. Those without
/// an error do not count.
void tell_apart(Section& s, const char* format, const std::vector<AtWidth>& all) {
  const auto n = all.size();
  const auto apart = over<Tally>(n * n, [&](std::uint64_t i) {
    const auto &one = all[i / n], &other = all[i % n];
    return one.f > 1.0 && other.f > 1.0 ? std::optional(one.largest > bound_in_u(other.f))
                                        : std::nullopt;
  });
  s.measure("widths_told_apart", {{"format", format}}, apart, exhaustive::method);
}

template <class Real>
void exhausted(Section& s, const exhaustive::Record& record) {
  std::vector<AtWidth> all;
  for (const std::uint64_t d : exhausted_widths<Real>)
    all.push_back(every_pair<Real>(s, d, record));
  tell_apart(s, FormatTraits<Real>::name, all);
}

/// One period of f: between the powers of four 256 and 1024.
std::vector<std::uint64_t> searched_widths() {
  std::vector<std::uint64_t> all;
  for (std::uint64_t d = 257; d < 1024; d += 24) all.push_back(d);
  return all;
}

/// Every e of the next ulps above 1 with every p of those above m: where the bound is attained.
template <class Real>
Greatest searched(const Real& m, std::uint64_t ulps) {
  const auto& library = properties::combination::library<Real>;
  return over<Greatest>(ulps * ulps, [&](std::uint64_t i) {
    const auto e = properties::domain::moved(Real(1), static_cast<std::int64_t>(i / ulps));
    const auto p = properties::domain::moved(m, static_cast<std::int64_t>(i % ulps));
    return error_in_u(e, p, m, library);
  });
}

template <class Real>
void search(Section& s, const Options& options) {
  const auto widths = searched_widths();
  const auto ulps = static_cast<std::uint64_t>(8.0 * std::sqrt(double(options.samples)));
  std::vector<Greatest> found(widths.size());
  in_parallel(widths.size(), [&](std::uint64_t i) {
    found[i] = searched(root_multiplier<Real>(widths[i]), ulps);
  });
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const double f = properties::significand(double(root_multiplier<Real>(widths[i])));
    const auto at = place_of(FormatTraits<Real>::name, widths[i], f);
    const std::string method = "search of " + std::to_string(ulps) + " ulps above e = 1 and p = m";
    s.measure("largest_found", at, found[i], method);
    s.measure("share_of_bound", at, found[i].times(1 / bound_in_u(f)), method + "; proved");
  }
}

}  // namespace

void difference_follows_the_significand(Section& s, const Options& options) {
  const exhaustive::Record record;
  exhausted<bfloat16>(s, record);
  exhausted<binary16>(s, record);
  search<float>(s, options);
  search<double>(s, options);
  std::vector<double> curve;
  for (int i = 1; i <= 64; ++i) curve.push_back(1.0 + i / 64.0);
  s.sweep("proved", axis("significand", curve), [](double f) {
    return Values{{"bound_curve", bound_in_u(f)}};
  });
}

}  // namespace embedscale::precision_analysis::gap
