#pragma once
// English text for the study: the sayings of Debian's package `fortunes`, split by saying into a
// part to train on and a part held out, as byte pairs.
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace embedscale::training {

/// Tokens of all documents of a part, one after the other, each led by token 0.
using Tokens = std::vector<std::int64_t>;

struct Text {
  Tokens train, held_out;
  std::vector<std::string> pieces;  ///< of each token
  std::string hash;                 ///< of all documents
};

/// Where the package puts its sayings.
inline constexpr const char* fortunes = "/usr/share/games/fortunes";

/// The documents of every file in `directory` (but pictures made of letters), a tenth of them held
/// out: those whose hash says so, so that equal ones stand on one side. The byte pairs are those of
/// the part to train on.
///
/// Errors    std::runtime_error where there are none.
Text read_text(const std::filesystem::path& directory, std::size_t vocabulary);

/// The pieces that a document is made of.
Tokens tokenized(const Text& text, const std::string& document);

}  // namespace embedscale::training
