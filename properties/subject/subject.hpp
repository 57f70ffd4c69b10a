#pragma once
// A subject: functions in any language that stand in the place of the library's.
#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "message.hpp"

namespace embedscale::properties::subject {

/// What is asked: an operation of protocol.md in a format.
struct Request {
  std::string operation, format;
  nlohmann::json arguments = nlohmann::json::object();
  std::vector<Array> arrays = {};

  const Array& array(std::string_view name) const;
};

/// The results, by name.
using Answer = std::vector<Array>;

/// A subject raised an error in the place of an answer, or answered other than asked: the case
/// fails, and simpler ones may be tried.
struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A subject has the operation, but not what the request asks of it: AdamW, say.
struct Lacking : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Answers requests. Not for two threads at once.
class Subject {
 public:
  virtual ~Subject() = default;
  virtual std::string name() const = 0;
  /// The formats of each operation that it has.
  virtual const std::map<std::string, std::set<std::string>>& operations() const = 0;
  /// Errors    Refused; Lacking; Failed (program.hpp).
  virtual Answer answer(const Request& request) = 0;

  bool has(const std::string& operation, std::string_view format) const;
};

/// The program that the words start: now, and again where it failed before.
///
/// Errors    Failed, std::system_error: as Program; Failed: another protocol, unknown operations.
std::unique_ptr<Subject> program(std::vector<std::string> command,
                                 std::chrono::milliseconds deadline);

/// The functions of a shared object that clients/embedscale_subject.h declares.
///
/// Errors    std::runtime_error: it cannot be loaded, or has none of them.
std::unique_ptr<Subject> shared_object(const std::string& path);

/// The library's own functions: what an answer is compared with, and what is right in a vector.
std::unique_ptr<Subject> library();

/// One operation of the protocol.
struct Described {
  std::string_view name, arguments, result;  ///< "x (d), epsilon ()", "out (d)"
};
/// All, in the order of protocol.md.
const std::vector<Described>& described();
/// binary64, binary32, binary16, bfloat16.
const std::vector<std::string_view>& formats();

/// What is asked, as a call: "layer_norm(x = [1, 2], epsilon = 1e-05)".
std::string text_of(const Request& request, std::size_t most_numbers = 8);
/// The numbers of an array in binary64, exactly.
std::vector<double> numbers(const Array& array);

}  // namespace embedscale::properties::subject
