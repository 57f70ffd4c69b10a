#pragma once
// What the tests of the tester plant: a number to draw, an environment, a failure to look at.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "../draws.hpp"

namespace embedscale::properties::testing {

inline int any_number() { return named("x", in_range(0, 1000)); }

/// An environment variable for the length of a scope.
class Variable {
 public:
  /// Without a value it is unset.
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    value != nullptr ? setenv(name, value, 1) : unsetenv(name);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { old_ ? setenv(name_, old_->c_str(), 1) : unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> old_;
};

/// The one failure that something reports.
inline ::testing::TestPartResult failure_of(const std::function<void()>& reports) {
  ::testing::TestPartResultArray reported;
  {
    using Reporter = ::testing::ScopedFakeTestPartResultReporter;
    const Reporter reporter(Reporter::INTERCEPT_ONLY_CURRENT_THREAD, &reported);
    reports();
  }
  EXPECT_EQ(reported.size(), 1);
  return reported.GetTestPartResult(0);
}

/// What a test, the running one unless told, has recorded.
inline std::map<std::string, std::string> recorded(
    const ::testing::TestInfo& test = *::testing::UnitTest::GetInstance()->current_test_info()) {
  std::map<std::string, std::string> found;
  for (int i = 0; i < test.result()->test_property_count(); ++i)
    found[test.result()->GetTestProperty(i).key()] = test.result()->GetTestProperty(i).value();
  return found;
}

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}
inline bool has(const ::testing::TestPartResult& failure, const std::string& part) {
  return has(std::string(failure.message()), part);
}

}  // namespace embedscale::properties::testing
