#pragma once
// A mutant: one small change to a source of the library, and the name by which it is known.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace embedscale::properties::mutation {

enum class Operator {
  arithmetic,  ///< another of + - * / % << >> & | ^, of their assignments, of ++ and --
  relational,  ///< the boundary moved, or the opposite
  logical,     ///< && and || exchanged, a condition negated
  constant,    ///< a number moved by one, halved or doubled; true and false
  statement,   ///< an assignment, a call, a guarded jump left out
  arguments,   ///< two neighbours in a list exchanged
  sign,        ///< a unary minus left out; a sum or product returned with the other sign
  function     ///< its look-alike: sin and cos, floor and ceil, min and max
};
constexpr std::string_view name_of(Operator op) {
  constexpr std::array<std::string_view, 8> names{"arithmetic", "relational", "logical",
                                                  "constant",   "statement",  "arguments",
                                                  "sign",       "function"};
  return names[static_cast<std::size_t>(op)];
}

/// `size` bytes from `begin` on become `replacement`.
struct Edit {
  std::size_t begin, size;
  std::string replacement;
  Operator op;
};

struct Mutant {
  std::string file;  ///< "attention.hpp", from the folder of the library's headers
  std::size_t line, column;
  Edit edit;
  std::string id;      ///< "attention.hpp#1f2e3d4c5b6a"
  std::string before;  ///< its line, without the blanks around it
  std::string after;   ///< what stands there instead; several lines are joined
};

/// A mutant for people: "attention.hpp:31:7 arithmetic", its id, the two lines.
std::string difference(const Mutant& mutant);

std::string applied(const std::string& text, const Edit& edit);

/// A text with one blank for each row of blanks and none at its ends.
std::string without_blanks(const std::string& text);

/// What the mutation operators make of a text, in the order of the places (operators.cpp).
std::vector<Edit> edits_of(std::string_view text);

/// Every mutant of a file, in the order of their places.
///
/// An id hashes what the change is and the text of the line it is in, where in that line, and the
/// how-manieth such line of the file it is: it survives whatever happens to other lines, and ends
/// when its own line changes.
std::vector<Mutant> mutants_of(const std::string& file, const std::string& text);

/// Into the order in which they are tried: each place is a function of the seed and the mutant's
/// own id, as good as drawn, so that every beginning is a random sample.
void shuffle(std::vector<Mutant>& mutants, std::uint64_t seed);

}  // namespace embedscale::properties::mutation
