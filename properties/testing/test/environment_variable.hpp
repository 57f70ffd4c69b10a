#pragma once
// An environment variable for the length of a scope.
#include <cstdlib>
#include <optional>
#include <string>

namespace embedscale::properties::self_test {

class EnvironmentVariable {
 public:
  /// Without a value it is unset.
  EnvironmentVariable(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    value != nullptr ? setenv(name, value, 1) : unsetenv(name);
  }
  EnvironmentVariable(const EnvironmentVariable&) = delete;
  EnvironmentVariable& operator=(const EnvironmentVariable&) = delete;
  ~EnvironmentVariable() { old_ ? setenv(name_, old_->c_str(), 1) : unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> old_;
};

}  // namespace embedscale::properties::self_test
