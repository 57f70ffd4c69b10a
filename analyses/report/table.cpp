#include "report/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <utility>

namespace embedscale::report {
namespace {

void require_digits(const char* what, int digits) {
  if (digits < 1 || digits > 17)
    throw std::invalid_argument(fmt::format("{}: {} digits, needs 1 to 17", what, digits));
}

constexpr int least_exponent_written_out = -4, most_exponent_written_out = 5;

/// 1234.5 as 1,234.5.
std::string with_commas(std::string text) {
  for (auto end = std::min(text.find('.'), text.size()); end > 3; end -= 3)
    text.insert(end - 3, ",");
  return text;
}

/// `text` on one line, with no `|` that would end its cell (GFM has them escaped in code, too).
std::string cell_text(std::string_view text) {
  std::string cell;
  for (const char c : text) {
    if (c == '|') cell += '\\';
    cell += c == '\n' || c == '\r' ? ' ' : c;
  }
  return cell;
}

std::string padded(const std::string& text, std::size_t width, Table::Align align) {
  const std::string gap(width - width_of(text), ' ');
  return align == Table::Align::right ? gap + text : text + gap;
}

std::string rule(std::size_t width, Table::Align align) {
  std::string dashes(width, '-');
  (align == Table::Align::right ? dashes.back() : dashes.front()) = ':';
  return dashes;
}

}  // namespace

std::string significant(double x, int digits) {
  require_digits("significant", digits);
  if (std::isnan(x)) return "NaN";
  if (std::signbit(x) && x != 0) return "−" + significant(-x, digits);
  if (std::isinf(x)) return "∞";
  if (x == 0) return "0";
  const std::string text = fmt::format("{:.{}e}", x, digits - 1);
  const auto e = text.find('e');
  const int exponent = std::stoi(text.substr(e + 1));
  if (exponent < least_exponent_written_out || exponent > most_exponent_written_out)
    return (e == 1 && text[0] == '1' ? "" : text.substr(0, e) + "·") + "10" + superscript(exponent);
  if (exponent < digits - 1) return with_commas(fmt::format("{:.{}f}", x, digits - 1 - exponent));
  return with_commas(fmt::format("{:.0f}", rounded(x, digits)));
}

double rounded(double x, int digits) {
  require_digits("rounded", digits);
  if (!std::isfinite(x)) return x;
  if (x == 0) return 0;
  const std::string text = fmt::format("{:.{}e}", x, digits - 1);
  const double nearest = std::strtod(text.c_str(), nullptr);
  return std::isfinite(nearest) ? nearest : x;  // where rounding up leaves the range of double
}

std::string told(double x, int digits) {
  return rounded(x, digits) == x ? significant(x, digits) : fmt::format("{}", x);
}

std::string count(std::uint64_t n) { return with_commas(std::to_string(n)); }

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + "\"";
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (auto end = text.find(separator); end != text.npos; end = text.find(separator)) {
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.push_back(text);
  return parts;
}

std::string superscript(int n) {
  constexpr std::array<std::string_view, 10> digits{"⁰", "¹", "²", "³", "⁴",
                                                    "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text;
  for (const char c : std::to_string(n))
    text += c == '-' ? "⁻" : digits[static_cast<std::size_t>(c - '0')];
  return text;
}

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {
  if (columns_.empty()) throw std::invalid_argument("Table: no columns");
  for (Column& column : columns_) column.heading = cell_text(column.heading);
}

Table Table::headed(std::string_view headings) {
  std::vector<Column> columns;
  for (auto one : split(headings, '|')) {
    const bool goes_right = one.ends_with(':');
    one.remove_suffix(goes_right ? 1 : 0);
    columns.push_back({std::string(one), goes_right ? Align::right : Align::left});
  }
  return Table(std::move(columns));
}

Table& Table::row(std::vector<std::string> cells) {
  if (cells.size() != columns_.size())
    throw std::invalid_argument(
        fmt::format("Table: a row of {} cells, needs {}", cells.size(), columns_.size()));
  for (std::string& cell : cells) cell = cell_text(cell);
  rows_.push_back(std::move(cells));
  return *this;
}

std::string Table::markdown() const {
  std::vector<std::string> lines(2 + rows_.size(), "|");
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    const auto& [heading, align] = columns_[j];
    std::size_t width = std::max<std::size_t>(3, width_of(heading));
    for (const auto& row : rows_) width = std::max(width, width_of(row[j]));
    lines[0] += " " + padded(heading, width, align) + " |";
    lines[1] += " " + rule(width, align) + " |";
    for (std::size_t i = 0; i < rows_.size(); ++i)
      lines[2 + i] += " " + padded(rows_[i][j], width, align) + " |";
  }
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

}  // namespace embedscale::report
