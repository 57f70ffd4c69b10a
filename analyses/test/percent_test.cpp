// A percentage is not a share: where the words of a topic say %, what is looked up is shown a
// hundred times as large, and nowhere else. (A look-up's own % brings the sign with it.)
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>

#include "report/lookup.hpp"
#include "report/words.hpp"

namespace embedscale::report {
namespace {

/// Whether a look-up is shown in this form: "percent" or "%".
bool is_in(const std::string& look_up, std::string_view form) {
  const auto colon = look_up.find(" : ");
  if (colon == look_up.npos) return false;
  const auto tokens = tokens_of(look_up.substr(colon + 3));
  return std::ranges::find(tokens, form) != tokens.end();
}

std::vector<Words> all_words() {
  std::vector<Words> all;
  for (const auto& entry : std::filesystem::directory_iterator(EMBEDSCALE_ANALYSES_DIR))
    if (const auto file = entry.path() / "words.md"; std::filesystem::exists(file))
      all.push_back(Words::read(file));
  return all;
}

template <class Visit>
void for_each_match(const std::string& text, const std::regex& pattern, Visit visit) {
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) visit(*at);
}

TEST(percent, follows_a_field_that_is_one) {
  const std::regex field("\\{([^{}]+)\\}(\\s%)?");
  std::size_t signs = 0;
  for (const auto& words : all_words())
    for (const auto& [id, parts] : words.sections())
      for (const auto& [part, text] : parts)
        for_each_match(text, field, [&, &id = id](const std::smatch& match) {
          const auto& look_ups = words.look_ups(id);
          const auto named = look_ups.find(match.str(1));
          const auto look_up = named == look_ups.end() ? match.str(1) : named->second;
          EXPECT_EQ(match[2].matched, is_in(look_up, "percent")) << id << ": " << match.str();
          signs += match[2].matched ? 1 : 0;
        });
  EXPECT_GE(signs, 20u);
}

// A column's heading, which a file has alone, or what stands around a table; a figure's y axis.
TEST(percent, is_said_of_columns_and_curves_that_are_ones) {
  const std::regex line("(column|columns|line|band|points|series) \"([^\"]*)\" = ([^\n]*)");
  const std::regex heading("(^|[^0-9] )%"), axis("(^|\n)y \\w+ [^\n]*%");
  std::size_t signs = 0;
  for (const auto& words : all_words())
    for (const auto& [id, parts] : words.sections())
      for (const auto& [part, block] : words.blocks(id))
        for_each_match(
            block, line, [&, &id = id, &part = part, &block = block](const std::smatch& match) {
              const bool is_one = is_in(match.str(3), "percent");
              const auto label = match.str(2);
              const bool is_column = match.str(1).starts_with("column");
              const bool says =
                  is_column ? std::regex_search(label, heading) : std::regex_search(block, axis);
              const bool said_around =
                  part.starts_with("table") && words.part(id, part).find('%') != std::string::npos;
              signs += says ? 1 : 0;
              const bool has_sign = !is_column && is_in(match.str(3), "%");
              EXPECT_TRUE(is_one ? says || said_around : !says || has_sign)
                  << id << ", " << part << ": " << match.str();
            });
  EXPECT_GE(signs, 20u);
}

}  // namespace
}  // namespace embedscale::report
