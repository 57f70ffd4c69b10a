#include "observation.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <stdexcept>

#include <unistd.h>

#include "run.hpp"
#include "seed.hpp"

namespace embedscale::properties::testing {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

/// A string of JSON.  Requires UTF-8.
std::string json_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    constexpr const char* hex = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      out += {'\\', c};
    else if (byte < 0x20)
      out += {'\\', 'u', '0', '0', hex[byte >> 4], hex[byte & 15]};
    else
      out += c;
  }
  return out + "\"";
}

/// A number of JSON; what is not finite is none, hence a string.
std::string number(double x) {
  std::array<char, 32> room;
  const std::string text(room.data(), std::to_chars(room.data(), room.data() + room.size(), x).ptr);
  return std::isfinite(x) ? text : json_string(text);
}

/// Whole numbers that every reader of JSON holds exactly stay numbers, for tools that plot them.
bool is_whole(std::string_view text) {
  const auto digits = text.substr(text.starts_with('-') ? 1 : 0);
  return !digits.empty() && digits.size() <= 15 && (digits == "0" || digits[0] != '0') &&
         std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
}

/// An object; a name that was there before gets its number, as "x (2)".
std::string object(const Fields& members) {
  std::map<std::string, int> seen;
  std::string out;
  for (const auto& [name, value] : members) {
    const int times = ++seen[name];
    out += (out.empty() ? "" : ", ") +
           json_string(times == 1 ? name : name + " (" + std::to_string(times) + ")") + ": " +
           value;
  }
  return "{" + out + "}";
}

std::string now() {
  const std::chrono::duration<double> since = std::chrono::system_clock::now().time_since_epoch();
  std::array<char, 64> room;
  return {room.data(), std::to_chars(room.data(), room.data() + room.size(), since.count(),
                                     std::chars_format::fixed, 6)
                           .ptr};
}

[[noreturn]] void refuse(const char* what) {
  throw std::runtime_error(std::string("EMBEDSCALE_OBSERVATIONS ") + what + ": " +
                           std::strerror(errno));
}

/// What a case said of itself: its worst ratio, the classes that it is in.
std::string features(const Notes& notes) {
  Fields members;
  if (notes.worst) members.emplace_back("ratio", number(*notes.worst));
  for (const auto& covered : notes.coverage)
    members.emplace_back("class: " + covered.name, covered.now ? "true" : "false");
  return object(members);
}

}  // namespace

Observer::Observer(const std::string& property, std::uint64_t seed)
    : property_(property), test_(running_test()), run_start_(now()), seed_(seed) {
  const char* path = std::getenv("EMBEDSCALE_OBSERVATIONS");
  if (path == nullptr || *path == '\0') return;
  file_.reset(std::fopen(path, "a"));
  if (!file_) refuse("cannot be opened for appending");
  std::setvbuf(file_.get(), nullptr, _IONBF, 0);
}

void Observer::write(const Observation& observation, const Notes& notes) {
  Fields arguments;
  std::string representation;
  for (const auto& [name, value] : observation.arguments) {
    representation += (representation.empty() ? "" : ", ") + name + " = " + value;
    arguments.emplace_back(name, is_whole(value) ? value : json_string(value));
  }
  const auto& [file, line] = notes.failed;
  const std::string place =
      line > 0 ? json_string(std::string(file) + ":" + std::to_string(line)) : "null";
  // Seeds have more digits than every reader of JSON keeps in a number.
  const std::string metadata = object({{"property", json_string(property_)},
                                       {"seed", json_string(std::to_string(seed_))},
                                       {"run_seed", json_string(std::to_string(run_seed()))},
                                       {"case", std::to_string(++cases_)},
                                       {"os.getpid()", std::to_string(getpid())},
                                       {"status_reason_location", place}});
  const std::string text =
      object({{"type", json_string("test_case")},
              {"run_start", run_start_},
              {"property", json_string(test_.empty() ? property_ : test_)},
              {"status", json_string(observation.status)},
              {"status_reason", json_string(observation.reason)},
              {"representation", json_string(representation)},
              {"arguments", object(arguments)},
              {"how_generated", json_string(observation.how_generated)},
              {"features", features(notes)},
              {"coverage", "null"},
              {"timing", object({{"execute:test", number(observation.seconds)}})},
              {"metadata", metadata}}) +
      "\n";
  if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size())
    refuse("cannot be written");
}

}  // namespace embedscale::properties::testing
