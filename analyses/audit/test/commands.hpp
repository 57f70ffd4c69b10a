#pragma once
// `embedscale COMMAND` as its users meet it: options, exit codes, what goes to which stream.
#include "audit/test/configurations.hpp"
#include "report/file.hpp"
#include "test/child.hpp"
#include "test/scratch.hpp"

namespace embedscale::audit {

using Arguments = std::vector<std::string>;  ///< the command's name for the first

inline Ended run_command(const Arguments& arguments, const report::Command& in = {}) {
  return run(EMBEDSCALE_COMMAND, arguments, in);
}

/// A call with what it is to print, or to say in one line if it fails.
struct Call {
  Arguments arguments;
  std::string text;
  int code = 0;
};

inline void expect_printed(const std::vector<Call>& calls) {
  for (const auto& [arguments, out, code] : calls) {
    const Ended ended = run_command(arguments);
    EXPECT_EQ(ended.out, out);
    EXPECT_EQ(ended.err, "");
    EXPECT_EQ(ended.code, code) << out;
  }
}
inline void expect_refused(const std::vector<Call>& calls) {
  for (const auto& [arguments, says, code] : calls) {
    const Ended ended = run_command(arguments);
    EXPECT_EQ(ended.code, code) << says;
    EXPECT_EQ(ended.out, "") << says;
    EXPECT_TRUE(is_one_line_with(ended.err, says)) << ended.err;
  }
}

/// Where nothing can be printed.
inline void expect_full(const Arguments& arguments) {
  const Ended full = run_command(arguments, {.out = "/dev/full"});
  EXPECT_EQ(full.code, 3);
  EXPECT_TRUE(is_one_line_with(full.err, "standard output")) << full.err;
}

}  // namespace embedscale::audit
