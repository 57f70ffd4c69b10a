// A comparison for people.
#include <fmt/ranges.h>

#include <algorithm>

#include "audit/error.hpp"
#include "audit/parts.hpp"
#include "audit/summary.hpp"
#include "compare/decision.hpp"
#include "report/table.hpp"

namespace embedscale::compare {
namespace {

using audit::four_digits, audit::paragraph;

constexpr int path_width = 37, value_width = 11;

/// The ways that have columns of their own, by index: `own` has not where it is another.
struct Columns {
  std::vector<std::size_t> ways;
  std::string_view own_is;
};

Columns columns_of(const Parametrisations& comparison) {
  Columns columns;
  const auto factor_of = [&](std::string_view name) {
    return audit::from(audit::factor_of, comparison.way(name).configuration).value;
  };
  const auto own = factor_of("own");
  for (const char* name : {"up", "unscaled"})
    if (own && own == factor_of(name)) columns.own_is = name;
  for (std::size_t i = 0; i < comparison.ways.size(); ++i) {
    const Parametrisation& way = comparison.ways[i];
    if (way.configuration.value && (way.name != "own" || columns.own_is.empty()))
      columns.ways.push_back(i);
  }
  return columns;
}

/// "t + p", "[t; p]", or "t" where nothing is added.
std::string sum(const audit::Configuration& c, const std::string& token,
                const std::string& position) {
  if (!audit::adds_positions(c.position.kind) && c.extras.empty()) return token;
  return c.position.combine == audit::Combine::sum ? token + " + " + position
                                                   : "[" + token + "; " + position + "]";
}

std::string ways_words(const Parametrisations& comparison, const Columns& columns) {
  const auto& c = comparison.configuration;
  const auto says = [&](const char* name, const std::string& words) {
    const auto& written = comparison.way(name).configuration;
    return paragraph(name, written.value ? words : written.missing);
  };
  const auto multiplier = [](const audit::ScaledDown& down) {
    const auto exact = four_digits(*down.exact_factor.value),
               rounded = four_digits(*down.factor.value);
    return exact + (exact == rounded ? "" : ", rounded to " + rounded);
  };
  const std::string root =
      comparison.root ? ", m = √d_model = " + multiplier(*comparison.root) : "";
  const std::string own = !comparison.own.factor.value ? comparison.own.factor.missing
                          : columns.own_is.empty()
                              ? sum(c, "a·e", "p") + ", a = " + multiplier(comparison.own)
                              : "is " + std::string(columns.own_is);
  const bool keeps_rows = c.token.place == audit::MultiplierPlace::look_up && !c.merged.empty();
  return says("up", sum(c, "m·e", "p") + root) +
         says("down", sum(c, "e", "p/m") + (keeps_rows ? ", merged rows over m" : "")) +
         says("folded", sum(c, "e′", "p") + ", with e′ = m·e as the table") +
         says("unscaled", sum(c, "e", "p")) + says("own", own);
}

std::string cell(const std::string& text) {
  const auto width = static_cast<int>(report::width_of(text));
  return std::string(static_cast<std::size_t>(std::max(1, value_width - width)), ' ') + text;
}

std::string line(const std::string& path, const std::string& cells) {
  return fmt::format("  {:{}}{}\n", path, path_width, cells);
}

/// The rows that differ, each with the letter of its claim; then what agrees, once; the claims.
std::string table(const Parametrisations& comparison, const Columns& columns) {
  std::vector<std::string_view> claims;
  std::string differing, agreeing, alike, cells;
  for (const auto i : columns.ways) cells += cell(std::string(comparison.ways[i].name));
  for (const Row& row : comparison.rows) {
    if (row.path == "extra.rms" && comparison.configuration.extras.empty()) continue;
    if (row.shown) {
      (row.agree ? agreeing : alike) += line(row.path, cell(*row.shown));
      continue;
    }
    if (!differs(row)) continue;
    if (std::ranges::find(claims, row.claim) == claims.end()) claims.push_back(row.claim);
    std::string values;
    for (const auto i : columns.ways)
      values += cell(row.at[i].value ? four_digits(*row.at[i].value) : "—");
    const auto letter = std::ranges::find(claims, row.claim) - claims.begin();
    differing += line(row.path, fmt::format("{}  {}", values, static_cast<char>('a' + letter)));
  }
  std::string out = differing.empty() ? "" : "\n" + line("", cells) + differing;
  if (!agreeing.empty()) out += "\n  the same in all\n" + agreeing;
  if (!alike.empty()) out += "\n  the same in all, in the digits shown\n" + alike;
  out += "\n";
  for (std::size_t i = 0; i < claims.size(); ++i)
    out += paragraph(std::string(1, static_cast<char>('a' + i)), std::string(claims[i]));
  return out;
}

std::string rounding(const audit::ScaledDown& down, std::string_view name, bool adds) {
  const auto six_digits = [](double x) { return report::significant(x, 6); };
  if (!down.factor.value || !down.exact_factor.value) return "";
  std::string words;
  if (down.rounding_error.value && *down.rounding_error.value != 0)
    words = fmt::format("{} = {} is rounded to {}, {} % off [precision.rounded_root_d]", name,
                        six_digits(*down.exact_factor.value), six_digits(*down.factor.value),
                        report::significant(100 * *down.rounding_error.value, 3));
  for (const auto& verdict : down.rounds_identically)
    if (adds && verdict.value)
      words +=
          fmt::format("{}in {} up is m·down {} [combination.rounds_identically]",
                      words.empty() ? "" : "; ", verdict.path.substr(verdict.path.rfind('.') + 1),
                      *verdict.value ? "to the bit" : "up to rounding");
  return words.empty() ? "" : paragraph("rounding", words);
}

// What the rows do not say of themselves.
std::string remarks(const Parametrisations& comparison) {
  const auto& c = comparison.configuration;
  const auto is_there = [&](std::string_view path) {
    return std::ranges::any_of(comparison.ways, [&](const Parametrisation& way) {
      return comparison.at(path, way.name).value.has_value();
    });
  };
  std::string out;
  if (is_there("first_layer.entropy")) out += paragraph("entropy", audit::entropy_words(c));
  if (is_there("residual_stream.input_to_branch"))
    out += paragraph("stream",
                     "with blocks of Xavier's matrices, d_ff = 4·d_model, without ε or "
                     "biases, whatever this configuration's are: smaller matrices leave "
                     "the token more");
  if (is_there("output.initial_loss")) out += paragraph("initial_loss", audit::loss_words(c));
  if (is_there("output.own_logit"))
    out += paragraph("own_logit", "of the input token itself; the blocks' branches are left out");
  if (c.output.tied.value_or(false) && comparison.at("output.logit_std", "folded").value)
    out += paragraph("folded",
                     "the output shares the table: its logits grow by m unless they are "
                     "divided by it [conventions.two_spellings_one_model]");
  return out;
}

// A way that does not apply has told its reason.
std::string missing(const Parametrisations& comparison, const Columns& columns) {
  std::vector<audit::Gap> gaps;
  for (const Row& row : comparison.rows) {
    // One reason for all of it.
    const auto figure = row.path.starts_with("residual_stream.") ? "residual_stream" : row.path;
    std::vector<std::size_t> without;
    for (const auto i : columns.ways)
      if (!row.at[i].value) without.push_back(i);
    const bool everywhere =
        without.size() == columns.ways.size() && std::ranges::all_of(without, [&](std::size_t i) {
          return row.at[i].missing == row.at[without.front()].missing;
        });
    if (everywhere) without.resize(1);
    for (const auto i : without)
      gaps.push_back({everywhere ? figure : fmt::format("{} ({})", figure, comparison.ways[i].name),
                      row.at[i].missing});
  }
  return audit::missing_words(gaps);
}

}  // namespace

std::string words_of(const Parametrisations& comparison) {
  const auto& c = comparison.configuration;
  const auto columns = columns_of(comparison);
  std::string text = audit::printable(c.name) + "\n" + ways_words(comparison, columns) +
                     table(comparison, columns);
  const bool moves = comparison.way("down").configuration.value.has_value();
  if (comparison.root) text += rounding(*comparison.root, "√d_model", moves);
  if (columns.own_is.empty()) text += rounding(comparison.own, "its own multiplier", moves);
  const auto [verdict, claims, because] = decision_of(comparison);
  text += paragraph("decision", fmt::format("{}{}{} [{}]", verdict, because.empty() ? "" : ": ",
                                            because, fmt::join(claims, ", ")));
  return text + remarks(comparison) + missing(comparison, columns);
}

}  // namespace embedscale::compare
