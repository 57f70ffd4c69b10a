#pragma once
// Markdown tables that are readable as source too, and the numbers that go into them.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace embedscale::report {

/// `x` with so many significant digits, trailing zeros kept: 0.8765, −12.35, 17,700, 1.235·10⁻⁷,
/// 1.000, 10⁻¹⁰. Zero is "0" whatever its sign; the others are "∞", "−∞" and "NaN".
///
/// Requires  1 <= digits <= 17.
/// Errors    std::invalid_argument.
std::string significant(double x, int digits);

/// The double nearest to `x` with so many significant digits, for JSON: what is written is then
/// what the report commits to. −0 becomes 0; what is not finite stays.
///
/// Requires  1 <= digits <= 17.
/// Errors    std::invalid_argument.
double rounded(double x, int digits);

/// `x` with so many significant digits where these are all that it has, in full otherwise: a name
/// that no other number has.
std::string told(double x, int digits);

/// `n` in groups of three: "1,048,576".
std::string count(std::uint64_t n);

/// The parts of a text between `separator`s, which are one more than these.
std::vector<std::string_view> split(std::string_view text, char separator);

/// −12 as "⁻¹²".
std::string superscript(int n);

/// A field of a CSV file, in quotes where it needs them (RFC 4180).
std::string csv_field(std::string_view text);

/// How many columns `text` takes in a terminal: its code points (wide and combining ones are not
/// told apart).  Requires valid UTF-8.
std::size_t width_of(std::string_view text);

/// Rows of formatted cells under headings, as GitHub-flavoured Markdown.
class Table {
 public:
  enum class Align { left, right };
  struct Column {
    std::string heading;
    Align align = Align::left;  ///< numbers go right
  };

  /// Errors    std::invalid_argument without columns.
  explicit Table(std::vector<Column> columns);
  /// Of headings "Name|Number:", the columns of those with a colon going right.
  static Table headed(std::string_view headings);

  /// Adds a row, a cell for each column. Cells are Markdown; a `|` or a line break in one is text.
  ///
  /// Errors    std::invalid_argument where the number of cells is another.
  Table& row(std::vector<std::string> cells);

  std::size_t size() const { return rows_.size(); }

  /// The table, its source aligned, ending in a newline.
  std::string markdown() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace embedscale::report
