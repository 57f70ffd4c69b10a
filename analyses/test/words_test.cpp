// The words of a topic are read into parts that can be asked for, and what is amiss in them is said
// with the file's name; fields are filled, and none is left.
#include "report/words.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "report/file.hpp"
#include "scratch.hpp"

namespace embedscale::report {
namespace {

constexpr std::string_view text = R"(# Is up the same as down?

Over the reals, yes.

In two paragraphs.

## topic.one
Before the parts.

### title
The first

### holds if
It holds: {share} of the bound.

## topic.two
### title
The second
)";

std::string refusal(const std::function<void()>& work) {
  try {
    work();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "not refused";
}

std::string refusal(std::string_view words) {
  return refusal([&] { Words::parse(words, "t.md"); });
}

bool names(const std::string& message, const std::vector<std::string>& all) {
  for (const auto& what : all)
    if (message.find(what) == std::string::npos) return false;
  return true;
}

TEST(words, have_a_title_and_an_introduction) {
  const auto words = Words::parse(text, "t.md");
  EXPECT_EQ(words.name(), "t.md");
  EXPECT_EQ(words.title(), "Is up the same as down?");
  EXPECT_EQ(words.introduction(), "Over the reals, yes.\n\nIn two paragraphs.");
}

TEST(words, have_sections_with_parts) {
  const auto words = Words::parse(text, "t.md");
  EXPECT_EQ(words.sections().size(), 2u);
  EXPECT_EQ(words.part("topic.one", "title"), "The first");
  EXPECT_EQ(words.part("topic.one", "introduction"), "Before the parts.");
  EXPECT_EQ(words.part("topic.one", "holds if"), "It holds: {share} of the bound.");
  EXPECT_TRUE(words.has_part("topic.two", "title"));
  EXPECT_FALSE(words.has_part("topic.two", "holds if"));
  EXPECT_FALSE(words.has_part("topic.three", "title"));
}

TEST(words, may_be_empty) {
  const auto words = Words::parse("", "t.md");
  EXPECT_EQ(words.title() + words.introduction(), "");
  EXPECT_TRUE(words.sections().empty());
}

TEST(words, need_no_newline_at_the_end) {
  EXPECT_EQ(Words::parse("## a.b\n### why\nsince", "t.md").part("a.b", "why"), "since");
}

TEST(words, refuse_a_part_before_the_first_section) {
  EXPECT_TRUE(names(refusal("# T\n### why\nx\n"), {"t.md", "### why", "before the first section"}));
}

TEST(words, refuse_a_part_that_appears_twice) {
  EXPECT_TRUE(
      names(refusal("## a.b\n### why\n### holds\n### why\n"), {"t.md", "### why", "twice"}));
  EXPECT_EQ(refusal("## a.b\n### why\n## a.c\n### why\n"), "not refused");
}

TEST(words, refuse_a_section_that_appears_twice) {
  EXPECT_TRUE(names(refusal("## a.b\n## a.c\n## a.b\n"), {"t.md", "## a.b", "twice"}));
}

TEST(words, name_the_part_that_is_missing) {
  const auto words = Words::parse(text, "t.md");
  EXPECT_TRUE(names(refusal([&] { words.part("topic.two", "fails"); }),
                    {"t.md", "topic.two", "### fails"}));
  EXPECT_TRUE(names(refusal([&] { words.part("topic.three", "title"); }),
                    {"t.md", "topic.three", "### title"}));
}

TEST(words, are_read_from_a_file_that_gives_them_their_name) {
  const Scratch scratch;
  write_file(scratch / "topic.md", "# T\n### why\n");
  EXPECT_TRUE(names(refusal([&] { Words::read(scratch / "topic.md"); }), {"topic.md", "### why"}));
  write_file(scratch / "topic.md", text);
  EXPECT_EQ(Words::read(scratch / "topic.md").name(), "topic.md");
  EXPECT_THROW(Words::read(scratch / "none.md"), FileError);
}

/// A field's name, shouted.
std::string shouted(std::string_view field) { return std::string(field) + "!"; }

TEST(fill, replaces_each_field) {
  EXPECT_EQ(fill("{a}", shouted), "a!");
  EXPECT_EQ(fill("{a}{b} and {a}.", shouted), "a!b! and a!.");
  EXPECT_EQ(fill("no field", shouted), "no field");
  EXPECT_EQ(fill("", shouted), "");
}

TEST(fill, leaves_no_field_of_real_words) {
  const auto words = Words::parse(text, "t.md");
  const auto filled = fill(words.part("topic.one", "holds if"), shouted);
  EXPECT_EQ(filled, "It holds: share! of the bound.");
  EXPECT_EQ(filled.find_first_of("{}"), std::string::npos);
}

TEST(fill, does_not_look_into_what_it_filled_in) {
  EXPECT_EQ(fill("{at} {b}",
                 [](std::string_view field) -> std::string {
                   return field == "at" ? R"({"d": 512})" : "b";
                 }),
            R"({"d": 512} b)");
}

TEST(fill, refuses_a_field_that_is_not_closed) {
  EXPECT_TRUE(names(refusal([] { fill("a {b} and {share of", shouted); }), {"{share of"}));
  EXPECT_TRUE(names(refusal([] { fill("ends in {", shouted); }), {"not closed"}));
}

TEST(fill, passes_on_what_is_said_of_an_unknown_field) {
  const auto unknown = [](std::string_view field) -> std::string {
    throw std::out_of_range("unknown: " + std::string(field));
  };
  try {
    fill("x {share}", unknown);
    FAIL() << "filled in a field that nobody knows";
  } catch (const std::out_of_range& error) {
    EXPECT_STREQ(error.what(), "unknown: share");
  }
}

}  // namespace
}  // namespace embedscale::report
