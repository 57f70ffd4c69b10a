// The words of a topic are read into parts that can be asked for, and what is amiss in them is said
// with the file's name; fields are filled, and none is left.
#include "report/words.hpp"

#include <gtest/gtest.h>

#include <string>

#include "texts.hpp"

namespace embedscale::report::words_test {
namespace {

TEST(words, refuse_what_is_misplaced_or_appears_twice) {
  for (const auto& [text, why] :
       {std::pair{"# T\n### why\nx\n", "t.md: '### why' stands before the first section"},
        {"## a.b\n### why\n### holds\n### why\n", "t.md: '### why' appears twice"},
        {"## a.b\n## a.c\n## a.b\n", "t.md: '## a.b' appears twice"},
        {"## a.b\n### why\n## a.c\n### why\n", "not refused"}})
    EXPECT_TRUE(refusal([&, text = text] { Words::parse(text, "t.md"); }).starts_with(why)) << why;
}

TEST(fill, replaces_each_field_and_refuses_one_that_is_not_closed) {
  const auto shouted = [](std::string_view field) { return std::string(field) + "!"; };
  EXPECT_EQ(fill("{a}{b} and {a}.", shouted), "a!b! and a!.");
  EXPECT_TRUE(contains(refusal([&] { fill("a {b} and {share of", shouted); }), "{share of"));
}

}  // namespace
}  // namespace embedscale::report::words_test
