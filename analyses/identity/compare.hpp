#pragma once
// Whether two ways of making the reports come to the same bytes; and where they do not, which row
// differs, by how much, and how near to it the others are.
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace embedscale::identity {

/// What differs between the committed reports and those that were made.
struct Difference {
  std::string file;             ///< relative to the reports
  std::string row;              ///< "claim quantity {place} column"; of other files "line 12"
  std::string committed, made;  ///< the numbers, or the lines
  double relative = 0;          ///< |made − committed| / |committed|; 0 of lines
};

/// The files that are compared, relative to the reports. Not those that tell the machine, nor what
/// is made apart: the page about the checks, that about implementations, the vectors.
std::vector<std::filesystem::path> compared_files(const std::filesystem::path& reports);

/// Every file byte for byte; those of data/<topic>.json that differ, row by row.
///
/// Errors    report::FileError where no reports are committed.
std::vector<Difference> differences(const std::filesystem::path& committed,
                                    const std::filesystem::path& made);

/// How many measurements the files of data/<topic>.json have.
std::uint64_t count_rows(const std::filesystem::path& reports);

/// A measurement to its last bit, as report::unrounded wrote it.
struct Value {
  std::string quantity;  ///< claim, quantity
  std::string place;
  int digits = 1;  ///< that it is written with
  double value = 0;
};

/// Those of a topic, in the order in which they were measured.
///
/// Errors    report::FileError.
std::vector<Value> read_values(const std::filesystem::path& file);

/// How far x is from where it would be written with another last digit: |x − r|, r being midway
/// between two numbers of so many digits.  Requires  x finite, not 0.
double distance_to_an_edge(double x, int digits);

/// What differs before rounding between two ways.
struct Apart {
  std::uint64_t values = 0, differ = 0;
  double largest = 0;  ///< |b − a| / |a| of those that differ
  std::string where;   ///< the quantity of the largest, and its place
};

/// The values that differ before rounding, each with how far it was moved by any of the ways and
/// how far it was from being written otherwise.
class Margins {
 public:
  /// Adds those of one topic, in two ways.
  ///
  /// Errors    std::invalid_argument where they did not measure the same rows.
  void add(Apart& apart, const std::vector<Value>& a, const std::vector<Value>& b);
  struct Nearest {
    std::string quantity, place;
    double value = 0, moved = 0, distance = 0;
    int digits = 1;
    double times() const { return distance / moved; }
  };
  /// Those with the smallest distance / moved, one of each quantity, at most so many.
  std::vector<Nearest> nearest(std::size_t most) const;
  std::size_t size() const { return all_.size(); }

 private:
  std::map<std::string, Nearest> all_;  ///< by quantity, place, and the order of measuring
};

}  // namespace embedscale::identity
