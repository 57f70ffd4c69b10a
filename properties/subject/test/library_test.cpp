// The library as a subject: each operation is asked, and all that is asked of it holds. Of others
// check_test.py tells.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "../checked.hpp"
#include "../report.hpp"

namespace embedscale::properties::subject {
namespace {

TEST(library, holds_and_is_asked_all_operations) {
  ::setenv("EMBEDSCALE_CASES", "100", 1);
  const auto all = check(*library(), {.requests = 1000});
  ::unsetenv("EMBEDSCALE_CASES");
  for (const auto& finding : all.findings)
    EXPECT_EQ(finding.verdict, Finding::Verdict::holds) << finding.name() << "\n" << text_of(all);
  EXPECT_EQ(all.exit_code(), 0);
  EXPECT_TRUE(all.not_applicable.empty());
  EXPECT_GE(all.findings.size(), 85u);
  for (const auto& operation : described()) {
    const bool is_asked = std::ranges::any_of(all.findings, [&](const Finding& f) {
      return std::ranges::any_of(f.asked, [&](const auto& asked) {
        return asked.first.starts_with(std::string(operation.name) + " ");
      });
    });
    EXPECT_TRUE(is_asked) << operation.name;
  }
}

}  // namespace
}  // namespace embedscale::properties::subject
