#pragma once
// The page about folklore: what public threads say about the multiplier, each with the claims that
// settle it, or why nothing here does. The words are analyses/folklore.md:
//
//   ## C1
//   ### group           the heading that it opens; only the first of a group has one
//   ### said            what people say; then, from "https://" on, the addresses of threads
//   ### heard           where it was found, if that has no address
//   ### settled         sentences, each with the claims that carry it
//   ### not here        what is not settled by any claim, and why
#include <string>
#include <vector>

#include "answer/sentence.hpp"

namespace embedscale::folklore {

using report::Json;

struct Entry {
  int number = 0;  ///< of "C1"
  std::string group, said;
  std::vector<std::string> threads;
  std::string heard;  ///< never without a thread or this
  std::vector<answer::Sentence> settled;
  std::string not_here;
};

/// The entries, by number.
///
/// Errors    std::invalid_argument for a section that is not named "C" and a number, a number that
///           is left out, an entry without a text or a source, or with neither a sentence nor a
///           reason.
std::vector<Entry> entries(const report::Words& words);

/// "settled", "settled in part" or "not settled here".
std::string standing(const Entry& entry);

/// What links to a thread: "tensor2tensor 1718", or the host.
std::string label_of(std::string_view address);

/// reports/folklore.md.
std::string page(const Json& results, const report::Words& words);

}  // namespace embedscale::folklore
