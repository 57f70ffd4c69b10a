// Whatever somebody hands in as a configuration is either refused in one line, or audited into
// numbers, reasons and well-formed output. libFuzzer looks for bytes of which that is not true.
//
// An input is TOML, or JSON where it begins so; what follows a line "--set", if there is one, are
// changes, a PATH=VALUE a line.
#include "audit/config_json.hpp"
#include "audit/configuration.hpp"
#include "audit/error.hpp"
#include "audit/summary.hpp"
#include "inputs/inputs.hpp"
#include "report/table.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace embedscale::audit {
namespace {

constexpr std::size_t largest_input = 1 << 16;
constexpr std::int64_t most_sines = 1 << 16;  // an audit may take 2^28, which would take seconds
constexpr std::size_t longest_error = 4000;

// libFuzzer keeps the input on which the process aborts.
void require(bool holds, std::string_view what, std::string_view text) {
  if (holds) return;
  using Json = nlohmann::json;
  const auto escaped = Json(text).dump(-1, ' ', true, Json::error_handler_t::replace);
  fmt::print(stderr, "does not hold: {}\nin: {}\n", what, escaped);
  std::abort();
}

// C0, DEL or, in UTF-8, C1: terminals act on U+009B as on ESC [.
bool has_controls(std::string_view text) {
  unsigned char before = 0;
  return std::any_of(text.begin(), text.end(), [&](char character) {
    const auto c = static_cast<unsigned char>(character);
    return c < 0x20 || c == 0x7f || (std::exchange(before, c) == 0xc2 && c >= 0x80 && c < 0xa0);
  });
}

bool is_utf8(std::string_view text) try {
  return !nlohmann::json(text).dump().empty();
} catch (const nlohmann::json::type_error&) {
  return false;
}

// What stands on one line of a terminal. What went in decides whether it can be UTF-8.
void require_line(const std::string& text, bool utf8) {
  require(!text.empty(), "a text is not empty", text);
  require(!has_controls(text), "a line has no control characters", text);
  require(!utf8 || is_utf8(text), "of UTF-8 comes UTF-8", text);
}

template <class Value>
void require_result(const Result<Value>& result) {
  require(result.value.has_value() == result.missing.empty(), "a value or a reason", result.path);
  if (!result.value) return require_line(result.missing, false);
  const auto value = static_cast<double>(*result.value);
  require(std::isfinite(value), "a value is finite", result.path);
  require(result.error >= 0 && std::isfinite(value - result.error) &&
              std::isfinite(value + result.error),
          "an error's bounds are finite", result.path);
}

void require_sound(const Audit& audit, bool utf8) {
  for (const Quantity& q : quantities(audit.scales)) require_result(q);
  for (const Verdict& verdict : verdicts(audit.scales)) require_result(verdict);
  for (const Finding& finding : audit.findings) require_line(finding.sentence, utf8);

  const std::string summary = summary_of(audit);
  require(summary.ends_with('\n'), "a summary ends in a newline", summary);
  require(!utf8 || is_utf8(summary), "of UTF-8 comes UTF-8", summary);
  for (const auto line : report::split(summary, '\n')) {
    require(!has_controls(line), "a summary has no control characters", line);
    require(!utf8 || report::width_of(line) <= 99, "a summary is 99 columns wide", line);
  }
  const std::string json = json_line(audit);
  require(json.find('\n') == json.npos, "JSON is one line", json);
  require(nlohmann::ordered_json::parse(json).dump() == json, "JSON is read back", json);
}

std::vector<Configuration> accepted(const std::string& input, bool utf8) try {
  const std::string_view set = "\n--set\n";
  const std::size_t end = input.find(set);
  std::vector<Change> changes;
  if (end != input.npos)
    for (const auto& line : report::split(std::string_view(input).substr(end + set.size()), '\n'))
      if (!line.empty()) changes.push_back(change_from(std::string(line)));
  const auto text = std::string_view(input).substr(0, end);
  std::vector<ModelInput> inputs{{"", std::string(text), "fuzz.toml"}};
  static const auto types = inputs::model_types(EMBEDSCALE_MODEL_TYPES);
  if (text.starts_with('{')) inputs = inputs_of_json(text, "fuzz.json", types);
  std::vector<Configuration> all;
  for (const auto& one : inputs) all.push_back(parse_configuration(one.toml, one.name, changes));
  return all;
} catch (const ContentError& error) {
  require_line(error.what(), utf8);
  require(std::string_view(error.what()).size() <= longest_error, "an error is short",
          error.what());
  return {};
}

void run(const std::string& input) {
  const bool utf8 = is_utf8(input);
  for (auto& c : accepted(input, utf8)) {
    // Fewer positions are another model that is as good: no other field hangs on their number.
    const std::int64_t width = c.model.d_model.value_or(1);
    if (width > most_sines) continue;
    if (c.model.positions) c.model.positions = std::min(*c.model.positions, most_sines / width);
    require_sound(audit_of(c), utf8);
  }
}

}  // namespace
}  // namespace embedscale::audit

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size <= embedscale::audit::largest_input)
    embedscale::audit::run({reinterpret_cast<const char*>(data), size});
  return 0;
}
