#pragma once
// The page of a topic: its findings, then a section for each claim.
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
};

/// What stands first in every page.
inline constexpr std::string_view generated_note =
    "<!-- Generated: edit the words in analyses/, not this file. -->\n\n";

/// The whole page in Markdown.
///
/// Errors    std::invalid_argument where the words miss a part or name an unknown field.
std::string markdown(const Page& page);

/// The page of its evidence: for each claim its properties with their cases, seeds and worst
/// shares, the wrong primitives that they reject, the classes that they have to meet, the
/// counterexamples.
std::string evidence_markdown(const Page& page);

/// Writes `<topic>.md`, its figures and their numbers, its whole tables, `data/<topic>.json` and
/// `evidence/<topic>.md` into a directory of reports, and removes the figures and tables that this
/// topic had there and has no longer.
///
/// Errors    as markdown(), FileError, GnuplotError; std::logic_error for two files of one name.
void write_page(const Page& page, const std::filesystem::path& reports);

/// A source by its short name, as a link: to its question on the page of the questions (after
/// `prefix`), else to its address, where it has one.
///
/// Errors    std::invalid_argument for a key that no source has.
std::string cited(std::string_view key, std::string_view prefix = "");

}  // namespace embedscale::report
