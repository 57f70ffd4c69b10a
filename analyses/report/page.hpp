#pragma once
// The page of a topic: its verdicts in words, then a section for each claim.
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "report/section.hpp"
#include "report/words.hpp"

namespace embedscale::report {

struct Page {
  std::string topic;
  Words words;
  std::vector<Section> sections;                             ///< one for each claim
  std::map<std::string, std::string, std::less<>> fields{};  ///< of the introduction
  std::string body{};                                        ///< Markdown between it and the claims
  std::vector<Figure> figures{};                             ///< of the body
  std::string record{};  ///< the JSON that data/<topic>.json holds of a page without claims
};

/// The whole page in Markdown. A pure function: change a measurement and the verdict, the sentence
/// and the table of what opens the page follow.
///
/// Errors    std::invalid_argument where the words miss a part or name an unknown field.
std::string markdown(const Page& page);

/// Writes `<topic>.md`, its figures and their numbers, and `data/<topic>.json` into a directory of
/// reports, and removes the figures that this topic had there and has no longer.
///
/// Errors    as markdown(), FileError, GnuplotError; std::logic_error for two figures of one name.
void write_page(const Page& page, const std::filesystem::path& reports);

/// "[S0](address)" for a source with an address, its title otherwise.
std::string cited(std::string_view key);

}  // namespace embedscale::report
