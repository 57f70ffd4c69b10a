#include "audit/summary.hpp"

#include "audit/error.hpp"
#include "report/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <string_view>

namespace embedscale::audit {
namespace {

constexpr std::size_t columns = 79;
constexpr int label_width = 12;
constexpr int path_width = 41;
constexpr int value_width = 10;

// "  label       text", the text wrapped between words and indented below itself. A word that no
// line can hold is cut.
std::string paragraph(std::string_view label, const std::string& text) {
  const std::string indent(2 + label_width, ' ');
  std::string out = fmt::format("  {:{}}", label, label_width);
  std::size_t used = indent.size();
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    word = shown(word, columns - indent.size());
    const bool first = used == indent.size();
    if (!first && used + 1 + report::width_of(word) > columns) {
      out += "\n" + indent;
      used = indent.size();
    } else if (!first) {
      out += " ";
      ++used;
    }
    out += word;
    used += report::width_of(word);
  }
  return out + "\n";
}

std::string source_words(const Source& source) {
  const std::string commit = source.commit.empty() ? "" : " at " + source.commit.substr(0, 12);
  return shown(source.repository) + commit;
}

std::string model_words(const Model& model) {
  std::string words =
      fmt::format("d_model {}, heads {}, d_k {}", model.d_model, model.heads, model.d_k);
  if (model.vocabulary) words += fmt::format(", vocabulary {}", *model.vocabulary);
  if (model.positions) words += fmt::format(", positions {}", *model.positions);
  return words;
}

std::string law_words(const Law& law) {
  if (law.parameter == 0) return std::string(name_of(law.kind));
  return fmt::format("{} of {} {:.5g}", name_of(law.kind), parameter_key(law.kind), law.parameter);
}

std::string token_words(const Token& token) {
  return fmt::format("{}, times {:.5g} rounded to {}", law_words(token.law), token.multiplier,
                     name_of(token.format));
}

std::string position_words(const Position& position) {
  if (!adds_positions(position.kind))
    return fmt::format("{}: nothing is added to the tokens", name_of(position.kind));
  const std::string law =
      position.kind == PositionKind::learned ? ", " + law_words(*position.law) : "";
  return fmt::format("{}{}, times {:.5g}", name_of(position.kind), law, position.multiplier);
}

std::string row(std::string_view path, std::string_view value) {
  const std::size_t gap = value_width - std::min<std::size_t>(value_width, report::width_of(value));
  return fmt::format("  {:{}}{}{}\n", path, path_width, std::string(gap, ' '), value);
}

std::string row(const Quantity& quantity) {
  return row(quantity.path, quantity.value ? report::significant(*quantity.value, 4) : "—");
}

std::string row(const Verdict& verdict) {
  return row(verdict.path, verdict.value ? *verdict.value ? "yes" : "no" : "—");
}

// "token.law, token.half_range": the fields that rest on `mark`.
std::string fields_with(const Configuration& c, Mark mark) {
  std::string list;
  for (const auto& [field, its_mark] : c.marks)
    if (its_mark == mark) list += (list.empty() ? "" : ", ") + field;
  return list;
}

// Calls `use` with every result, numbers first.
template <class Use>
void for_each_result(const Scales& scales, Use use) {
  for (const Quantity& quantity : quantities(scales)) use(quantity);
  for (const Verdict& verdict : verdicts(scales)) use(verdict);
}

nlohmann::ordered_json::json_pointer pointer(std::string path) {
  std::replace(path.begin(), path.end(), '.', '/');
  return nlohmann::ordered_json::json_pointer("/" + path);
}

}  // namespace

std::string summary_of(const Configuration& c, const Scales& scales) {
  std::string text = shown(c.name) + "\n";
  if (!c.source.repository.empty()) text += paragraph("source", source_words(c.source));
  text += paragraph("model", model_words(c.model));
  text += paragraph("token", token_words(c.token));
  text += paragraph("position", position_words(c.position));
  text += "\n";
  for_each_result(scales, [&](const auto& result) { text += row(result); });
  text += "\n";
  text += paragraph("scaled_down", adds_positions(c.position.kind)
                                       ? "the multiplier m moved to the positions: x = e + p/m"
                                       : "the same for positions p that one might add: e + p/m");
  for_each_result(scales, [&](const auto& result) {
    if (!result.value) text += paragraph("missing", result.missing);
  });
  for (const Mark mark : {Mark::inferred, Mark::assumed})
    if (const std::string list = fields_with(c, mark); !list.empty())
      text += paragraph(name_of(mark), list);
  return text;
}

nlohmann::ordered_json json_of(const Configuration& c, const Scales& scales) {
  nlohmann::ordered_json json = {{"name", c.name}, {"file", c.file}};
  auto missing = nlohmann::ordered_json::object();
  for_each_result(scales, [&](const auto& result) {
    json[pointer(result.path)] = nullptr;
    if (result.value)
      json[pointer(result.path)] = *result.value;
    else
      missing[result.path] = result.missing;
  });
  auto marks = nlohmann::ordered_json::object();
  for (const auto& [field, mark] : c.marks)
    if (mark != Mark::read) marks[field] = name_of(mark);
  json["missing"] = missing;
  json["marks"] = marks;
  return json;
}

std::string json_line(const Configuration& c, const Scales& scales) {
  using json = nlohmann::ordered_json;
  // A file's name need not be UTF-8.
  return json_of(c, scales).dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace embedscale::audit
