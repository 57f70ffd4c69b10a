// The words of a topic are read into parts that can be asked for, and what is amiss in them is said
// with the file's name; fields are filled, and none is left.
#include "report/words.hpp"

#include <gtest/gtest.h>

#include <string>

#include "report/file.hpp"
#include "scratch.hpp"
#include "texts.hpp"

namespace embedscale::report::words_test {
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

std::string why_not(std::string_view words) {
  return refusal([&] { Words::parse(words, "t.md"); });
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

TEST(words, refuse_what_is_misplaced_or_appears_twice) {
  for (const auto& [text, why] :
       {std::pair{"# T\n### why\nx\n", "t.md: '### why' stands before the first section"},
        {"## a.b\n### why\n### holds\n### why\n", "t.md: '### why' appears twice"},
        {"## a.b\n## a.c\n## a.b\n", "t.md: '## a.b' appears twice"},
        {"## a.b\n### why\n## a.c\n### why\n", "not refused"}})
    EXPECT_TRUE(why_not(text).starts_with(why)) << why_not(text);
}

TEST(words, are_read_from_a_file_that_gives_them_their_name) {
  const Scratch scratch;
  write_file(scratch / "topic.md", "# T\n### why\n");
  EXPECT_TRUE(
      refusal([&] { Words::read(scratch / "topic.md"); }).starts_with("topic.md: '### why"));
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

TEST(fill, refuses_a_field_that_is_not_closed) {
  EXPECT_TRUE(contains(refusal([] { fill("a {b} and {share of", shouted); }), "{share of"));
  EXPECT_TRUE(contains(refusal([] { fill("ends in {", shouted); }), "not closed"));
}

}  // namespace
}  // namespace embedscale::report::words_test
