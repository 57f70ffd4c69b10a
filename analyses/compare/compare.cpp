#include "compare/compare.hpp"

#include <embedscale/expected/residual_stream.hpp>
#include "audit/parts.hpp"
#include "audit/summary.hpp"
#include "report/table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace embedscale::compare {
namespace {

using audit::Configuration, audit::Known, audit::Missing, audit::Parts, audit::Quantity,
    audit::from;

/// `up` or `unscaled`: the tokens times `multiplier`.
Configuration multiplied(Configuration c, double multiplier) {
  c.token.multiplier = multiplier;
  return c;
}

Known<Configuration> scaled_down(Configuration c, double root) {
  // Behind the merge the factor is that of every row, and with it goes theirs.
  const bool keeps_rows = c.token.place == audit::MultiplierPlace::look_up && !c.merged.empty();
  if (!audit::adds_positions(c.position.kind) && c.extras.empty() && !keeps_rows)
    return Missing{fmt::format(
        "does not apply: position.kind {} adds nothing to the tokens, so that it is unscaled",
        audit::name_of(c.position.kind))};
  const auto divide = [root](audit::Number& x) {
    if (x) *x /= root;
  };
  divide(c.position.multiplier);
  for (auto& extra : c.extras) divide(extra.multiplier);
  for (auto& rows : c.merged)
    if (keeps_rows) divide(rows.multiplier);
  return multiplied(std::move(c), 1);
}

// Xavier's laws are those of the matrix's shape: times a factor they are a uniform, or normal, law.
Known<Configuration> folded(Configuration c, double root) {
  using Kind = audit::Distribution::Kind;
  if (!c.token.has_table())
    return Missing{"does not apply: there is no token table to fold the factor into"};
  const auto known_entry = audit::parts_of(c).token_entry;
  if (!known_entry.value) return Missing{known_entry.missing};
  const double entry = *known_entry.value;
  for (auto& rows : c.merged)
    if (rows.multiplier && c.token.place == audit::MultiplierPlace::behind_merge)
      *rows.multiplier *= root;
  auto& law = *c.token.law;
  if (law.parameter) {
    *law.parameter *= root;
  } else if (law.kind == Kind::xavier_normal) {
    law = {Kind::normal, root * entry, {}};
  } else if (law.kind != Kind::zeros) {
    law = {Kind::uniform, std::sqrt(3.0) * root * entry, {}};
  }
  return multiplied(std::move(c), 1);
}

std::vector<Parametrisation> ways_of(const Configuration& c) {
  const auto up = from([&](double d_model) { return multiplied(c, std::sqrt(d_model)); },
                       audit::parts_of(c).d_model);
  const auto root = from(audit::factor_of, up);
  return {{"up", up},
          {"down", from([&](double r) { return scaled_down(c, r); }, root)},
          {"folded", from([&](double r) { return folded(c, r); }, root)},
          {"unscaled", multiplied(c, 1)},
          {"own", c}};
}

constexpr double inner_over_width = 4;

// What the first block's branches are added to.
struct BlockInput {
  double token_square;
  expected::ResidualStream start;
  std::uint64_t tokens;
};

// Behind a norm on the embeddings, if there is one. The norm in front of the branch counts as one
// without ε: it takes the size away, and leaves the correlation of two positions' states,
// E⟨x_i, x_j⟩/E‖x‖², which over_keys is the complement of but for a key's product with itself.
Known<BlockInput> stream_of(const Configuration& c, const audit::InputScales& scales) {
  if (c.block.where && c.block.where != audit::BlockNorm::pre)
    return Missing{"does not apply: block.norm is not pre"};
  const Parts p = audit::parts_of(c);
  if (!c.block.where) return Missing{p.norms_ahead_of_attention.missing};
  const auto sized = [](const expected::InputMoments& moments) -> Known<expected::InputMoments> {
    if (moments.all == 0) return Missing{"divides by the RMS of the residual stream, which is 0"};
    if (!std::isnormal(moments.all)) return Missing{"leaves the range of binary64"};
    return moments;
  };
  Known<double> branches = p.residual_multiplier, constant = 0.0;
  if (c.block.residual_multiplier == 0.0)
    branches = Missing{"does not apply: block.residual_multiplier is 0"};
  if (audit::adds_positions(c.position.kind)) constant = scales.constant_share;
  return from(
      [](expected::InputMoments moments, double r, double n, double) {
        // Branches r times as large are a stream r times one that starts 1/r as large.
        moments.token /= r * r, moments.all /= r * r, moments.over_keys /= r * r;
        const double same =
            n == 1 ? 0 : std::clamp(1 - moments.over_keys / moments.all * (n / (n - 1)), -1.0, 1.0);
        return BlockInput{
            moments.token, {moments.all, same * moments.all}, static_cast<std::uint64_t>(n)};
      },
      from(sized, audit::stream_of(c, p, audit::input_of(c, p, scales))), branches, p.positions,
      constant);
}

void add_stream(const Configuration& c, const audit::InputScales& scales,
                std::span<const std::uint64_t> depths, std::vector<Quantity>& all) {
  Known<BlockInput> at = stream_of(c, scales);
  const auto input_to_branch = [](const BlockInput& stream) {
    // The branch hangs on the correlation alone; beside a state of size 1 its square does not
    // drown, as it is 1/n at least.
    const double correlation = stream.start.product / stream.start.square;
    const double branch = expected::behind_block({1, correlation}, stream.tokens, 0).square - 1;
    return std::sqrt(stream.start.square / branch);
  };
  const auto add = [&](const std::string& path, const auto& found) {
    all.push_back({path});
    all.back() = found;
  };
  add("residual_stream.input_to_branch", from(input_to_branch, at));
  std::uint64_t behind = 0;
  for (const auto depth : depths) {
    at = from(
        [&](BlockInput stream) {
          for (; behind < depth; ++behind)
            stream.start = expected::behind_block(stream.start, stream.tokens, inner_over_width);
          return stream;
        },
        at);
    const auto share = [](const BlockInput& s) {
      return expected::token_share(s.token_square, s.start, 0, s.tokens, inner_over_width);
    };
    add(fmt::format("residual_stream.token_share.after_{}", depth), from(share, at));
  }
}

std::vector<Quantity> figures_of(const Configuration& c, const audit::Scales& s,
                                 std::span<const std::uint64_t> depths) {
  const auto& [input, merged, first, output, step, down] = s;
  std::vector<Quantity> all{input.token_rms,           input.position_rms, input.extra_rms,
                            input.token_to_position,   input.input_rms,    first.input_rms,
                            first.logit_std_over_keys, first.entropy};
  add_stream(c, input, depths, all);
  all.push_back(down.epsilon_shrinkage_up);
  all.back().path = "first_norm.epsilon_shrinkage";
  for (const auto& figure : {output.logit_std, output.initial_loss, output.own_logit, step})
    all.push_back(figure);
  for (const auto& rows : merged)
    all.insert(all.end(), {rows.factor, rows.rms, rows.token_to_rows});
  return all;
}

std::string_view claim_of_difference(std::string_view path, const Configuration& c) {
  if (path == "residual_stream.input_to_branch") return "normalization.pre_norm_block";
  if (path.starts_with("residual_stream.")) return "normalization.token_share_after_blocks";
  if (path.starts_with("first_norm.")) return "normalization.epsilon_is_rescaled";
  // They differ where the factor was moved to them.
  if (path == "position.rms" || path == "extra.rms") return "combination.up_is_down_times_root_d";
  return audit::claim_of(path, c);
}

// A bound on how far, in u, two figures that are equal over the reals may be apart: sums over d
// channels and L positions have a rounding a term, twice as squares, for each figure; what is left
// is sums of positive terms and products. The longest are those of 24 blocks, of at most ten
// roundings each, behind some 30 of the input: below 512 for both.
double roundings(const Configuration& c) {
  return 512.0 +
         4.0 * static_cast<double>(c.model.d_model.value_or(0) + c.model.positions.value_or(0));
}

bool agree(const std::vector<Quantity>& figures, double roundings) {
  if (!std::ranges::all_of(figures, [](const Quantity& q) { return q.value.has_value(); }))
    return false;
  const auto [least, most] = std::ranges::minmax(figures, {}, &Quantity::value);
  const double size = std::max(std::abs(*least.value), std::abs(*most.value));
  return *most.value - *least.value <= least.error + most.error + roundings * 0x1p-53 * size;
}

std::optional<std::string> shown(const std::vector<Quantity>& figures) {
  std::optional<std::string> text;
  for (const Quantity& q : figures) {
    if (!q.value) return {};
    const auto one = report::significant(*q.value, 4);
    if (text && *text != one) return {};
    text = one;
  }
  return text;
}

template <class Named>
const Named& named(const std::vector<Named>& all, std::string_view name,
                   const auto Named::*member) {
  const auto found = std::ranges::find(all, name, member);
  if (found == all.end())
    throw std::invalid_argument(fmt::format("a comparison has no '{}'", name));
  return *found;
}

}  // namespace

bool differs(const Row& row) {
  return !row.agree &&
         std::ranges::any_of(row.at, [](const Quantity& q) { return q.value.has_value(); });
}

const Parametrisation& Parametrisations::way(std::string_view name) const {
  return named(ways, name, &Parametrisation::name);
}

const Quantity& Parametrisations::at(std::string_view path, std::string_view name) const {
  const auto index = &way(name) - ways.data();
  return named(rows, path, &Row::path).at[static_cast<std::size_t>(index)];
}

Parametrisations compared(Configuration configuration, std::span<const std::uint64_t> depths) {
  Parametrisations made{std::move(configuration), {}, {}, {}, {}};
  const Configuration& c = made.configuration;
  made.ways = ways_of(c);
  std::vector<std::vector<Quantity>> figures;  // of each way that applies
  for (const auto& [name, written] : made.ways) {
    if (!written.value) continue;
    const audit::Scales scales = audit::scales_of(*written.value);
    figures.push_back(figures_of(*written.value, scales, depths));
    if (name == "up") made.root = scales.scaled_down;
    made.own = scales.scaled_down;  // the last one's
  }
  for (std::size_t k = 0; k < figures.back().size(); ++k) {
    std::vector<Quantity> there;
    for (const auto& of_way : figures) there.push_back(of_way[k]);
    const auto& path = there.back().path;
    Row row{path, claim_of_difference(path, c), {}, agree(there, roundings(c)), shown(there)};
    auto next = there.begin();
    for (const auto& [name, written] : made.ways)
      row.at.push_back(written.value ? *next++
                                     : Quantity{.path = path, .missing = written.missing});
    made.rows.push_back(std::move(row));
  }
  return made;
}

}  // namespace embedscale::compare
