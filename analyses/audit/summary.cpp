#include "audit/summary.hpp"

#include "audit/error.hpp"
#include "report/table.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <string_view>

namespace embedscale::audit {
namespace {

constexpr std::size_t columns = 79;
constexpr int label_width = 15;
constexpr int path_width = 39;
constexpr int value_width = 10;

std::string number(const Number& x) { return x ? fmt::format("{:.5g}", *x) : "?"; }
std::string number(const Integer& x) { return x ? fmt::format("{}", *x) : "?"; }

std::string source_words(const Source& source) {
  const std::string commit = source.commit.empty() ? "" : " at " + printable(source.commit, 12);
  return printable(source.repository) + commit;
}

std::string model_words(const Model& model) {
  std::string words = fmt::format("d_model {}, heads {}, d_k {}", number(model.d_model),
                                  number(model.heads), number(model.d_k));
  if (model.vocabulary) words += fmt::format(", vocabulary {}", *model.vocabulary);
  if (model.positions) words += fmt::format(", positions {}", *model.positions);
  return words;
}

std::string law_words(const std::optional<Distribution>& law) {
  if (!law) return "a distribution that is not told";
  const std::string_view parameter = parameter_key(law->kind);
  if (parameter.empty()) return std::string(name_of(law->kind));
  return fmt::format("{} of {} {}", name_of(law->kind), parameter, number(law->parameter));
}

std::string token_words(const Token& token) {
  const std::string entries = token.has_table()
                                  ? law_words(token.law)
                                  : fmt::format("features of RMS {}", number(token.rms));
  const std::string projected = !token.is_factorised
                                    ? ""
                                    : fmt::format("; {} of {} channels, projected to d_model by {}",
                                                  token.projects_sum() ? "the sum" : "vectors",
                                                  number(token.width), law_words(token.projection));
  return fmt::format(
      "{}, times {} rounded to {}{}{}", entries, number(token.multiplier), name_of(token.format),
      token.place == MultiplierPlace::behind_merge ? " behind the merge" : "", projected);
}

std::string position_words(const Position& position) {
  if (!adds_positions(position.kind))
    return fmt::format("{}: nothing is added to the tokens", name_of(position.kind));
  const std::string kind =
      position.kind == PositionKind::learned
          ? "learned, " + law_words(position.law)
          : fmt::format("sinusoidal, {} frequencies", name_of(position.frequencies));
  return fmt::format("{}, times {}{}", kind, number(position.multiplier),
                     position.combine == Combine::sum ? "" : ", concatenated");
}

std::string norm_words(const NormLayer& norm) {
  return fmt::format(
      "{} with epsilon {}{}", name_of(norm.kind), number(norm.epsilon),
      norm.placement == EpsilonPlacement::variance ? "" : " added to the standard deviation");
}

// `start`, then the words of a text, broken between words at 79 columns and indented below.
std::string wrapped(const std::string& start, std::size_t indent, const std::string& text) {
  std::string lines, line = start;
  std::string_view between;  // none before the first word
  std::istringstream words(text);
  for (std::string word; words >> word; between = " ") {
    word = printable(word, columns - indent);
    if (!between.empty() && report::width_of(line) + 1 + report::width_of(word) > columns) {
      lines += line + "\n";
      line.assign(indent, ' ');
      between = "";
    }
    line.append(between).append(word);
  }
  return lines + line + "\n";
}

std::string norms_words(const Configuration& c) {
  const std::string sum = c.embedding_norm ? norm_words(*c.embedding_norm) + " on the sum; " : "";
  if (!c.block.where) return sum + "in the blocks: not told";
  if (c.block.where == BlockNorm::none)
    return sum + "none in the blocks" +
           (c.defaults_to("block.norm")
                ? ": no block.norm is given, as if there were no norm; say pre, post or none"
                : "");
  return fmt::format("{}{} in the blocks, {}", sum, name_of(*c.block.where),
                     norm_words(c.block.norm));
}

std::string attention_words(const Attention& a) {
  const std::string q = law_words(a.projection_q), k = law_words(a.projection_k);
  return fmt::format("scale {}, projections {}", number(a.scale),
                     q == k ? q : fmt::format("{} (q) and {} (k)", q, k));
}

std::string output_words(const Output& o) {
  const std::string matrix = !o.tied   ? "not told whether tied"
                             : *o.tied ? "tied: the token table"
                                       : "untied: " + law_words(o.law);
  return fmt::format("{}, times {}", matrix, number(o.multiplier));
}

std::string in_words(double value) { return four_digits(value); }
std::string in_words(bool value) { return value ? "yes" : "no"; }

template <class Value>
std::string row(const Result<Value>& result, const Configuration& c) {
  if (!result.value) return "";
  const std::string value = in_words(*result.value);
  const std::size_t gap = value_width - std::min<std::size_t>(value_width, report::width_of(value));
  return fmt::format("  {:{}}{}{}  [{}]\n", result.path, path_width, std::string(gap, ' '), value,
                     claim_of(result.path, c));
}

std::string missing_figures(const Scales& scales) {
  std::vector<Gap> gaps;
  const auto add = [&](const auto& result) {
    if (!result.value) gaps.push_back({result.path, result.missing});
  };
  for (const Quantity& q : quantities(scales)) add(q);
  for (const Verdict& verdict : verdicts(scales)) add(verdict);
  return missing_words(gaps);
}

// "  inferred       token.law, token.half_range"; nothing of none.
std::string list(std::string_view label, const std::vector<std::string>& all,
                 std::string_view between = ", ") {
  return all.empty() ? "" : paragraph(label, fmt::format("{}", fmt::join(all, between)));
}

std::string bases(const Configuration& c) {
  std::map<Mark, std::vector<std::string>> marked;
  std::vector<std::string> without, defaults;
  for (const auto& [field, basis] : c.marks) marked[basis.mark].push_back(field);
  for (const auto& [field, needs] : c.without_effect)
    without.push_back(fmt::format("{}, unless {}", field, needs));
  for (const auto& [field, words] : c.defaults)
    defaults.push_back(fmt::format("{} = {}", field, words));
  std::string out;
  for (const Mark mark : {Mark::inferred, Mark::assumed, Mark::absent})
    out += list(name_of(mark), marked[mark]);
  return out + list("without effect", without, "; ") + list("defaults", defaults);
}

std::string scaled_down_words(const Configuration& c) {
  if (!c.token.multiplier) return "";
  if (*c.token.multiplier == 1) return "token.multiplier is 1: there is nothing to move";
  if (adds_positions(c.position.kind))
    return "the same model scaled down by its own multiplier m: x = e + p/m";
  return "what if the input were divided by the multiplier m, as e + p/m would be; whether that "
         "rounds identically hangs on m alone";
}

// What to do with a factor, as on the page reports/decide.md, where nothing is badly off.
std::string kept_words(const Configuration& c, double factor, const Number& ratio) {
  if (!adds_positions(c.position.kind))
    return c.embedding_norm ? "no matter: a norm reads the tokens alone "
                              "[normalization.absorbs_the_factor]"
                            : "nothing is added to the tokens: leave it as in the system that you "
                              "copy [normalization.token_share_after_blocks]";
  const double root = std::sqrt(static_cast<double>(*c.model.d_model)), rest = root / factor;
  const auto is_near = [](double x, double y) { return std::abs(x / y - 1) < 0.01; };
  // As in the training study: √d takes tokens to √2 times sinusoids, and the blocks have norms.
  if (ratio && c.position.kind == PositionKind::sinusoidal && !c.embedding_norm && c.block.where &&
      *c.block.where != BlockNorm::none && is_near(*ratio * rest, std::sqrt(2.0)) &&
      is_near(rest, 1))
    return "keep it: without it, small models that were trained ended higher "
           "[training.unscaled_is_worse]";
  return "leave it as in the system that you copy [embedding.balances_the_two_parts]";
}

// The factor, what it does to the ratio of token to position, and what to do with it.
std::string factor_words(const Audit& audit) {
  const Configuration& c = audit.configuration;
  const Number &factor = audit.scales.scaled_down.factor.value,
               &ratio = audit.scales.input.token_to_position.value;
  if (!factor || *factor == 0 || !c.model.d_model) return "";
  const double root = std::sqrt(static_cast<double>(*c.model.d_model)), size = std::abs(*factor);
  std::string words = *factor == 1 ? "none" : four_digits(*factor);
  if (ratio)
    words += fmt::format(
        "; tokens are {} times positions, {} times {} "
        "[conventions.multiplier_sets_the_scale]",
        four_digits(*ratio), four_digits(*ratio * (*factor == 1 ? root : 1 / size)),
        *factor == 1 ? "with sqrt(d_model)" : "without it");
  return audit.warns() ? words : words + "; " + kept_words(c, size, ratio);
}

std::string log_of(const Integer& n) {
  return four_digits(std::log(static_cast<double>(n.value_or(1))));
}

// What the rows do not say of themselves.
std::string remarks(const Configuration& c, const Scales& s) {
  const auto remark = [](bool needed, std::string_view label, const std::string& words) {
    return needed && !words.empty() ? paragraph(label, words) : "";
  };
  const bool alone = c.embedding_norm || c.block.where != BlockNorm::post;
  return remark(s.first_layer.token_token.value && !c.extras.empty(), "shares",
                "what they leave to 1 is the extra tables' part") +
         remark(s.first_layer.entropy.value.has_value(), "entropy", entropy_words(c)) +
         remark(s.output.initial_loss.value.has_value(), "initial_loss", loss_words(c)) +
         remark(s.output.own_logit.value.has_value(), "own_logit",
                "the logit of the input token itself; the blocks' branches are left out") +
         remark(true, "scaled_down", scaled_down_words(c)) +
         remark(s.scaled_down.epsilon_shrinkage_up.value && !alone, "epsilon",
                "the first norm also sees the attention's branch, which is left out here");
}

}  // namespace

std::string paragraph(std::string_view label, const std::string& text) {
  return wrapped(fmt::format("  {:{}}", label, label_width), 2 + label_width, text);
}

std::string missing_words(const std::vector<Gap>& gaps) {
  std::vector<Gap> by_reason;
  for (const auto& [what, reason] : gaps) {
    const auto known = std::ranges::find(by_reason, reason, &Gap::reason);
    if (known == by_reason.end())
      by_reason.push_back({what, reason});
    else if (!known->what.ends_with(what))
      known->what += ", " + what;
  }
  std::string out;
  for (const auto& [what, reason] : by_reason) out += paragraph("missing", what + ": " + reason);
  return out;
}

std::string entropy_words(const Configuration& c) {
  return fmt::format(
      "in nats, over all keys without a mask: ln L = {} where all keys weigh the same",
      log_of(c.model.positions));
}
std::string loss_words(const Configuration& c) {
  return fmt::format("in nats: ln V = {} where all logits are the same",
                     log_of(c.model.vocabulary));
}

std::string four_digits(double x) { return report::significant(x, 4); }

bool Audit::warns() const {
  return std::any_of(findings.begin(), findings.end(),
                     [](const Finding& f) { return f.severity == Severity::warning; });
}

Audit audit_of(Configuration configuration) {
  const Scales scales = scales_of(configuration);
  auto findings = findings_of(configuration, scales);
  return {std::move(configuration), scales, std::move(findings)};
}

std::string summary_of(const Audit& audit) {
  const Configuration& c = audit.configuration;
  const Scales& scales = audit.scales;
  std::string text =
      wrapped("", 2, printable(c.name) + ": " + verdict_of(c, scales, audit.findings));
  if (const auto words = factor_words(audit); !words.empty()) text += paragraph("factor", words);
  if (!c.source.repository.empty()) text += paragraph("source", source_words(c.source));
  text += paragraph("model", model_words(c.model));
  text += paragraph("token", token_words(c.token));
  text += paragraph("position", position_words(c.position));
  for (const Extra& extra : c.extras)
    text += paragraph("extra", fmt::format("{}: {}, times {}", printable(extra.name),
                                           law_words(extra.law), number(extra.multiplier)));
  for (const Merged& rows : c.merged)
    text += paragraph("merged",
                      fmt::format("{}: features of RMS {}, times {} ahead of the merge",
                                  printable(rows.name), number(rows.rms), number(rows.multiplier)));
  text += paragraph("norms", norms_words(c));
  text += paragraph("attention", attention_words(c.attention));
  text += paragraph("output", output_words(c.output));
  text += "\n";
  const auto asked = [&](const std::string& path) {
    const bool moves =
        c.token.multiplier != 1.0 || path.starts_with("scaled_down.epsilon_shrinkage_up");
    return (path != "extra.rms" || !c.extras.empty()) &&
           (moves || !path.starts_with("scaled_down."));
  };
  for (const Quantity& q : quantities(scales))
    if (asked(q.path)) text += row(q, c);
  for (const Verdict& verdict : verdicts(scales))
    if (asked(verdict.path)) text += row(verdict, c);
  text += "\n";
  for (const Finding& f : audit.findings)
    text += paragraph(
        name_of(f.severity),
        fmt::format("{}{} [{}]", f.sentence, f.remedy.empty() ? "" : "; try " + f.remedy, f.claim));
  if (audit.warns())
    text += paragraph("try",
                      "is for a model that is to be trained; a trained one runs with what it was "
                      "trained with [porting.function_is_kept]");
  return text + remarks(c, scales) + missing_figures(scales) + bases(c);
}

}  // namespace embedscale::audit
