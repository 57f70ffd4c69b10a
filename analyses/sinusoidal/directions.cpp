// How many directions hold the energy of a table of positions: eigenvalues of its second moments in
// closed form.
#include "properties/sinusoidal/moments.hpp"
#include "properties/sinusoidal/spectrum.hpp"
#include "report/parallel.hpp"
#include "sinusoidal/sections.hpp"

namespace embedscale::sinusoidal_analysis {
namespace {

using namespace properties::sinusoidal;
using Table = properties::sinusoidal::Table;

const Primitives primitives;

/// A table, and the eigenvalues of its second moments.
struct Spectrum {
  Table table;
  Moments moments = Moments::raw;
  std::vector<double> eigenvalues{};

  std::size_t d() const { return table.d; }
  /// How many directions hold so much of the energy. Rounding moves the eigenvalues by some 10^−12
  /// of their sum, far less than one of them holds where a share is reached.
  Tally directions(double share) const {
    const auto needed = directions_for(eigenvalues, share);
    return over<Tally>(table.d, [&](std::uint64_t r) { return r < needed; });
  }
};

std::vector<Spectrum> solved(std::vector<Spectrum> all) {
  in_parallel(all.size(), [&](std::uint64_t i) {
    auto& [table, moments, eigenvalues] = all[i];
    eigenvalues = eigenvalues_of(stated_moments(table, moments), table.d);
  });
  return all;
}

/// The belief, that 99 % lie in half of the space, up to L = 4d and from 16d on.
void decide_halves(Section& s, const std::vector<std::size_t>& widths) {
  std::vector<Spectrum> all;
  for (const auto d : widths)
    for (const auto rule : rules)
      for (const auto times : {0.5, 1.0, 2.0, 4.0, 16.0, 32.0}) {
        const auto length = static_cast<std::int64_t>(times * static_cast<double>(d));
        all.push_back({.table = {d, length, rule}});
      }
  Tally shorter, longer;
  for (const auto& one : solved(std::move(all))) {
    const bool is_short = one.table.length <= 4 * static_cast<std::int64_t>(one.d());
    (is_short ? shorter : longer).evaluate([&] {
      return 2 * one.directions(0.99).hits() <= one.d();
    });
  }
  constexpr const char* method = "closed-form second moments, both rules";
  s.measure("tables_in_half_the_space", {{"L_over_d_at_most", 4}}, shorter, method,
            all_of(Part::belief, shorter.cases()));
  s.decide_none("longer_tables_in_half", {{"L_over_d_at_least", 16}}, longer,
                Part::belief_elsewhere, method);
}

void measure_directions(Section& s, const std::vector<std::size_t>& widths,
                        const std::vector<std::int64_t>& lengths) {
  std::vector<Spectrum> all;
  for (const auto d : widths)
    for (const auto length : lengths)
      for (const auto moments : {Moments::raw, Moments::centred})
        all.push_back({.table = {d, length}, .moments = moments});
  for (const auto& one : solved(std::move(all)))
    for (const double share : {0.9, 0.99, 0.999, 0.9999})
      s.measure("directions_for_energy",
                {{"d_model", one.d()},
                 {"positions", one.table.length},
                 {"share", share},
                 {"mean", one.moments == Moments::raw ? "kept" : "removed"}},
                one.directions(share), "eigenvalues of the closed-form second moments");
}

void draw_directions(Section& s, const std::vector<std::size_t>& widths) {
  std::vector<Spectrum> curves;
  for (const auto d : first_of(6, widths))
    if (d <= 256)
      for (const auto length : by_powers(1, 17))
        if (length > 1) curves.push_back({.table = {d, length}});
  for (const auto& one : solved(std::move(curves)))
    s.measure("share_of_directions", {{"d_model", one.d()}, {"positions", one.table.length}},
              one.directions(0.99).share());
  s.measure("half_the_space", {}, 0.5);
}

}  // namespace

void effective_rank(Section& s, const Options& options) {
  const auto widths = even_widths(options, {16, 32, 64, 128, 256, 512});
  measure_directions(s, widths, positions(options, {50, 128, 512, 2048, 8192, 131072}));
  draw_directions(s, widths);
  decide_halves(s, widths);
  Greatest worst;
  for (const std::size_t d : {16u, 64u})
    for (const std::int64_t length : {50, 512})
      for (const auto rule : rules)
        for (const auto moments : {Moments::raw, Moments::centred})
          worst.evaluate([&] {
            return moments_share_of_bound({d, length, rule}, moments, primitives);
          });
  bounded(s, "second moments", worst, Part::statement,
          "tables of up to 64 by 512, both rules, with and without the mean");
}

}  // namespace embedscale::sinusoidal_analysis
