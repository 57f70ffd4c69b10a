#include "answer/equivalence.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "report/results.hpp"
#include "report/table.hpp"

namespace embedscale::answer {
namespace {

// Units of the picture; text of 15 units stays readable on a telephone, where it shrinks to 11.
constexpr int width = 520, margin = 16, strand = 40, column = 76, line_height = 20;
constexpr std::size_t characters = 52;  // that a line of text has room for in a wide font

constexpr const char* ink = "#24292f";
constexpr const char* faint = "#57606a";
constexpr const char* first = "#0b62a3";
constexpr const char* second = "#b35900";

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : std::string(1, c);
  return out;
}

constexpr const char* bold = " font-weight=\"bold\"";
constexpr const char* bold_middle = " font-weight=\"bold\" text-anchor=\"middle\"";

std::string label(int x, int y, std::string_view text, const char* fill, const char* face = "") {
  return fmt::format("<text x=\"{}\" y=\"{}\" fill=\"{}\"{}>{}</text>\n", x, y, fill, face,
                     escaped(text));
}

std::string stretch(int x, int from, int to, const char* stroke) {
  return fmt::format("<path d=\"M{} {}V{}\" stroke=\"{}\" stroke-width=\"4\"/>\n", x, from, to,
                     stroke);
}

/// A sign on the strands: colour and shape say the same.
std::string badge(int x, int y, std::string_view sign) {
  std::string shape;
  if (sign == "=")
    shape = fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"15\" fill=\"#1a7f37\"/>\n", x, y);
  else if (sign == "= if")
    shape = fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"46\" height=\"28\" rx=\"14\" fill=\"#8a5a00\"/>\n", x - 23,
        y - 14);
  else if (sign == "≠")
    shape = fmt::format("<rect x=\"{}\" y=\"{}\" width=\"28\" height=\"28\" fill=\"#b3261e\"/>\n",
                        x - 14, y - 14);
  else
    shape = fmt::format(
        "<circle cx=\"{}\" cy=\"{}\" r=\"14\" fill=\"#fff\" stroke=\"{}\" stroke-dasharray=\"4 "
        "3\"/>\n",
        x, y, faint);
  return shape + label(x, y + 6, sign, sign == "?" ? faint : "#fff", bold_middle);
}

/// What a stage says behind its name.
std::string said(const Json& results, const Stage& stage) {
  require_verdicts(results, stage.sentence);
  return text_of(results, stage.sentence).substr(stage.name.size() + 2);
}

/// The parts of a text on lines of at most so many characters, broken at spaces.
std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  for (const auto word : report::split(text, ' ')) {
    if (!lines.empty() && report::width_of(lines.back()) + 1 + report::width_of(word) <= width)
      lines.back() += " " + std::string(word);
    else
      lines.emplace_back(word);
  }
  return lines;
}

std::string box(int x, std::string_view text, const char* color, int y) {
  return fmt::format(
             "<rect x=\"{}\" y=\"{}\" width=\"232\" height=\"34\" rx=\"6\" fill=\"#fff\" "
             "stroke=\"{}\" stroke-width=\"2\"/>\n",
             x, y, color) +
         label(x + 116, y + 22, text, color, bold_middle);
}

/// One comparison from `y` on, which moves to its end.
std::string part(const Json& results, const Comparison& comparison, int& y) {
  std::string out;
  for (const auto& line : wrapped(comparison.title, characters + 4)) {
    out += label(margin, y + 16, line, ink, bold);
    y += line_height;
  }
  y += 8;
  out += box(margin, comparison.left, first, y);
  out += box(width - margin - 232, comparison.right, second, y);
  y += 34;
  // The second strand comes over from its box.
  out += fmt::format("<path d=\"M{} {}v9H{}v5\" stroke=\"{}\" stroke-width=\"4\"/>\n",
                     width - margin - 116, y, strand + 5, second);
  out += stretch(strand - 5, y, y + 14, first);
  y += 14;
  int joined = y;  // where the strands were drawn to
  std::string signs;
  for (const auto& stage : comparison.stages) {
    const auto sign = sign_of(results, stage);
    const int middle = y + 26;
    // Where they part, or nobody knows, there is a gap around the sign.
    const int gap = sign == "≠" || sign == "?" ? 20 : 0;
    out += stretch(strand - 5, joined, middle - gap, first);
    out += stretch(strand + 5, joined, middle - gap, second);
    signs += badge(strand, middle, sign);
    joined = middle + gap;
    int baseline = y + 20;
    out += label(column, baseline, stage.name, ink, bold);
    for (const auto& line : wrapped(said(results, stage), characters))
      out += label(column, baseline += line_height, line, faint);
    y = baseline + 14;
  }
  y += 18;
  return out + signs;
}

std::string legend(int y) {
  std::string out;
  int x = margin + 15;
  for (const auto& [sign, meaning, room] : {std::tuple{"=", "same", 98},
                                            {"= if", "same, if", 124},
                                            {"≠", "different", 116},
                                            {"?", "not settled", 0}}) {
    out += badge(x, y, sign) + label(x + 29, y + 5, meaning, faint);
    x += room;
  }
  return out;
}

}  // namespace

std::vector<Comparison> comparisons(const report::Words& words) {
  std::vector<Comparison> all;
  for (const auto& [section, parts] : words.sections()) {
    if (!section.starts_with("drawing ")) continue;
    Comparison made{words.part(section, "title"),
                    words.part(section, "left"),
                    words.part(section, "right"),
                    {}};
    for (auto& sentence : sentences(words, section, "stages")) {
      const auto colon = sentence.words.find(": ");
      if (colon == std::string::npos)
        throw std::invalid_argument(
            fmt::format("{}: '{}' has no name and colon", sentence.where, sentence.words));
      made.stages.push_back({sentence.words.substr(0, colon), std::move(sentence)});
    }
    all.push_back(std::move(made));
  }
  return all;
}

std::string sign_of(const Json& results, const Stage& stage) {
  const auto& row = *report::find_claim(results, stage.sentence.carriers.front().id);
  std::string verdict = report::text(row, "verdict");
  if (verdict.starts_with("premise ")) verdict.erase(0, 8);
  return verdict == "true" ? "=" : verdict == "true if" ? "= if" : verdict == "false" ? "≠" : "?";
}

std::string drawing(const Json& results, const std::vector<Comparison>& all) {
  int y = 20;
  std::string body;
  for (const auto& comparison : all) body += part(results, comparison, y);
  body += legend(y + 4);
  const int height = y + 34;
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 "
             "{0} {1}\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"15\" "
             "fill=\"none\">\n<title>equivalence</title>\n"
             "<rect width=\"{0}\" height=\"{1}\" rx=\"8\" fill=\"#fbfaf7\"/>\n",
             width, height) +
         body + "</svg>\n";
}

std::string list(const Json& results, const std::vector<Comparison>& all) {
  std::string out;
  for (const auto& comparison : all) {
    out += fmt::format("{}**{}** {} | {}\n\n", out.empty() ? "" : "\n", comparison.title,
                       comparison.left, comparison.right);
    for (const auto& stage : comparison.stages)
      out += fmt::format("- **{}** {}: {} <sub>{}</sub>\n", sign_of(results, stage), stage.name,
                         said(results, stage), links(results, stage.sentence, ""));
  }
  return out;
}

}  // namespace embedscale::answer
