#include "checkpoint/apply.hpp"

#include <embedscale/format.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <optional>

#include "audit/error.hpp"
#include "audit/parts.hpp"
#include "checkpoint/reading.hpp"
#include "port/making.hpp"
#include "report/file.hpp"
#include "report/json_once.hpp"

namespace embedscale::checkpoint {
namespace {

using port::Instruction;
constexpr std::uint64_t part = 1 << 20;  // bytes that are read together

/// Of an entry. In long double, whose 64 digits hold a product of 24 by 24 or 8 digits exactly, so
/// that the one rounding is that to the stored format; what is also divided, or has a factor of 53
/// digits, may be rounded twice, within 2⁻¹¹ of a unit of binary32 of the nearest.
using Made = std::function<long double(long double)>;

struct Edit {
  Tensor from;       ///< whose entries are read
  std::string name;  ///< of the tensor that they become
  std::string what;
  Made made;
};

[[noreturn]] void refuse_step(const Instruction& step) {
  throw audit::ContentError(
      fmt::format("--apply does not do this step, which is to be done by hand: {}", step.text));
}

std::vector<Tensor> required(const std::vector<Tensor>& all, std::string_view parameter,
                             const Patterns& patterns) {
  auto found = tensors_named(all, parameter, patterns);
  if (found.empty())
    throw audit::ContentError(
        fmt::format("no tensor has a known name of the {0}: say --tensor '{0}=NAME'", parameter));
  return found;
}

// That of the last norm, or another tensor that there is once.
Tensor required_once(const std::vector<Tensor>& all, std::string_view parameter,
                     const Patterns& patterns) {
  required(all, parameter, patterns);
  return *tensor_named(all, parameter, patterns);
}

// What stands ahead of the first number: "model.layers.", "vision_tower.encoder.layers.".
std::string_view tower_of(std::string_view name) {
  const auto number = name.find_first_of("0123456789");
  return name.substr(0, number == name.npos ? 0 : number);
}

std::vector<Tensor> required_of_one_tower(const std::vector<Tensor>& all,
                                          const std::string& parameter, const Patterns& patterns) {
  auto found = required(all, parameter, patterns);
  const auto tower = tower_of(found.front().name);
  for (const auto& one : found)
    if (tower_of(one.name) != tower && !patterns.contains(parameter))
      throw audit::ContentError(
          fmt::format("the {0} may be {1}… or {2}…: say --tensor '{0}=PATTERN'", parameter,
                      audit::printable(tower), audit::printable(tower_of(one.name))));
  return found;
}

bool has_same_bytes(const Tensor& a, const Tensor& b) {
  if (a.dtype != b.dtype || a.shape != b.shape) return false;
  std::vector<std::byte> one, other;
  for (std::uint64_t at = 0; at < a.bytes; at += part) {
    one.resize(std::min(part, a.bytes - at)), other.resize(one.size());
    a.file->read(a.begin + at, one), b.file->read(b.begin + at, other);
    if (one != other) return false;
  }
  return true;
}

long double stored_gain(Gain gain, long double g) { return gain == Gain::one_plus ? g - 1 : g; }
long double gain_of(Gain gain, long double stored) {
  return gain == Gain::one_plus ? stored + 1 : stored;
}

class Edits {
 public:
  Edits(const port::Port& port, const std::vector<Tensor>& all, const Patterns& patterns)
      : port_(port), all_(all), patterns_(patterns) {
    for (const auto& step : port.steps) add(step);
    if (const auto had = port.from.final_norm.gain, has = port.to.final_norm.gain;
        had != has && had != Gain::none && has != Gain::none)
      for (const auto& one : required(all, "norm gains", patterns))
        if (!is_edited(one.name)) edit_gain(one, 1);
  }

  std::vector<Edit> edits;
  std::vector<std::string> by_hand;

 private:
  bool is_edited(const std::string& name) const {
    return std::ranges::count(edits, name, &Edit::name) > 0;
  }
  void edit(const Tensor& tensor, std::string what, Made made) {
    if (is_edited(tensor.name))
      throw audit::ContentError(fmt::format("\"{}\" would be two parameters: say which by --tensor",
                                            audit::printable(tensor.name)));
    edits.push_back({tensor, tensor.name, std::move(what), std::move(made)});
  }
  void edit_gain(const Tensor& tensor, long double s) {
    const auto had = port_.from.final_norm.gain, has = port_.to.final_norm.gain;
    edit(tensor,
         fmt::format("the gain times {}{}", port::number(double(s)),
                     had == has ? "" : ", stored in the new code's way"),
         [=](long double x) { return stored_gain(has, s * gain_of(had, x)); });
  }
  void add(const Instruction& step);
  void multiply(const std::string& parameter, long double s);
  void multiply_tokens();
  void copy_tokens(long double s);

  const port::Port& port_;
  const std::vector<Tensor>& all_;
  const Patterns& patterns_;
};

void Edits::add(const Instruction& step) {
  const auto& parameter = step.parameter;
  if (step.action == "set_logit_factor") return by_hand.push_back(step.text);
  if (step.action == "copy_table") return copy_tokens(*step.factor);
  if (step.action == "rewrite" || (step.action == "multiply" && parameter == "gain"))
    return edit_gain(required_once(all_, "gain", patterns_), step.factor.value_or(1));
  if (step.action != "multiply" || parameter.starts_with("table of extra")) refuse_step(step);
  if (parameter == "token table") return multiply_tokens();
  multiply(parameter, *step.factor);
}

void Edits::multiply(const std::string& parameter, long double s) {
  const auto found = parameter == "bias" ? std::vector{required_once(all_, parameter, patterns_)}
                                         : required_of_one_tower(all_, parameter, patterns_);
  for (const auto& one : found)
    edit(one, "times " + port::number(double(s)), [s](long double x) { return s * x; });
}

// m/m′ with one rounding. A table may be stored more than once, such as a tied output.
void Edits::multiply_tokens() {
  const long double m = *audit::factor_of(port_.from).value,
                    m_to = *audit::factor_of(port_.to).value;
  const auto what = m_to == 1 ? "times " + port::number(double(m))
                    : m == 1  ? "over " + port::number(double(m_to))
                              : fmt::format("times {}, over {}", port::number(double(m)),
                                            port::number(double(m_to)));
  auto named = required(all_, "token table", patterns_);
  const auto table = named.front();
  const bool tied = *port_.from.output.tied;
  const auto outputs = tensors_named(all_, "output table", patterns_);
  const auto is_output = [&](const Tensor& one) {
    return std::ranges::count(outputs, one.name, &Tensor::name) > 0;
  };
  if (tied) named.insert(named.end(), outputs.begin(), outputs.end());
  for (const auto& one : named)
    if (!is_edited(one.name) && !has_same_bytes(table, one))
      throw audit::ContentError(
          fmt::format("\"{}\" and \"{}\" should be one table, and have other bytes: say which it "
                      "is by --tensor, or from.output.tied=false",
                      audit::printable(table.name, 200), audit::printable(one.name, 200)));
  for (const auto& one : all_)  // whatever their names
    if (!is_edited(one.name) && (tied || !is_output(one)) && has_same_bytes(table, one))
      edit(one, what, [=](long double x) { return x * m / m_to; });
}

void Edits::copy_tokens(long double s) {
  const auto table = required(all_, "token table", patterns_).front();
  const auto had = tensors_named(all_, "output table", patterns_);
  if (!had.empty() && (had.front().dtype != table.dtype || had.front().shape != table.shape))
    throw audit::ContentError(
        fmt::format("\"{}\" would take a copy of \"{}\", which has another "
                    "shape or dtype",
                    audit::printable(had.front().name, 200), audit::printable(table.name, 200)));
  edits.push_back({table, had.empty() ? "lm_head.weight" : had.front().name,
                   "the token table as it was, times " + port::number(double(s)),
                   [s](long double x) { return s * x; }});
}

template <class Stored>
void make_each(std::span<std::byte> bytes, const Edit& edit, Change& change) {
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(Stored)) {
    Stored stored;
    std::memcpy(&stored, bytes.data() + at, sizeof stored);
    const auto had = static_cast<long double>(static_cast<double>(stored));
    const long double wanted = edit.made(had);
    if constexpr (std::is_same_v<Stored, double>)
      stored = static_cast<double>(wanted);
    else if constexpr (std::is_same_v<Stored, float>)
      stored = static_cast<float>(wanted);
    else
      stored = Stored(static_cast<double>(wanted));
    const auto has = static_cast<long double>(static_cast<double>(stored));
    if (std::isfinite(had) && !std::isfinite(has))
      refuse(
          edit.from.file->path(),
          fmt::format("\"{}\" overflows {}: {} becomes {}; store it in a wider format first",
                      audit::printable(edit.name), edit.from.dtype, double(had), double(wanted)));
    ++change.entries;
    change.rounded += has != wanted && std::isfinite(had);
    change.vanished += has == 0 && wanted != 0;
    std::memcpy(bytes.data() + at, &stored, sizeof stored);
  }
}

void make(std::span<std::byte> bytes, const Edit& edit, Change& change) {
  switch (edit.from.element()) {
    case Element::f64: return make_each<double>(bytes, edit, change);
    case Element::f32: return make_each<float>(bytes, edit, change);
    case Element::f16: return make_each<binary16>(bytes, edit, change);
    case Element::bf16: return make_each<bfloat16>(bytes, edit, change);
    default: break;
  }
  refuse(
      edit.from.file->path(),
      fmt::format("\"{}\" is {}, which is not multiplied: its rounding, or its scale, is not told",
                  audit::printable(edit.name), edit.from.dtype));
}

// The header with a tensor more, its data behind all others: filled up to whole eights, as
// safetensors does.
std::string header_with(const Header& header, const Edit& added, std::uint64_t data) {
  auto json = nlohmann::ordered_json::parse(header.json);
  json[added.name] = {{"dtype", added.from.dtype},
                      {"shape", added.from.shape},
                      {"data_offsets", {data, data + added.from.bytes}}};
  auto text = json.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  return text;
}

using Write = std::function<void(std::string_view)>;

void write_tensor(const Tensor& tensor, const Edit* edit, const Write& write, Applied& applied) {
  Change change;
  std::vector<std::byte> bytes;
  for (std::uint64_t at = 0; at < tensor.bytes; at += part) {
    bytes.resize(std::min(part, tensor.bytes - at));
    tensor.file->read(tensor.begin + at, bytes);
    if (edit != nullptr) make(bytes, *edit, change);
    write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
  if (edit == nullptr) return;
  change.tensor = edit->name, change.what = edit->what;
  applied.changes.push_back(change);
}

void write_all(const std::vector<Tensor>& tensors, const std::vector<Edit>& edits,
               const Write& write, Applied& applied) {
  const auto& file = *tensors.front().file;
  auto header = header_of(file);
  const auto edit_of = [&](const std::string& name) {
    const auto found = std::ranges::find(edits, name, &Edit::name);
    return found == edits.end() ? nullptr : &*found;
  };
  const auto added = std::ranges::find_if(edits, [&](const Edit& one) {
    return std::ranges::count(tensors, one.name, &Tensor::name) == 0;
  });
  if (added != edits.end()) header.json = header_with(header, *added, file.size() - header.begin);
  const std::uint64_t length = header.json.size();
  write({reinterpret_cast<const char*>(&length), sizeof length});
  write(header.json);
  for (const auto& one : tensors) {
    const auto* edit = edit_of(one.name);
    write_tensor(edit == nullptr ? one : edit->from, edit, write, applied);
  }
  if (added != edits.end()) write_tensor(added->from, &*added, write, applied);
}

}  // namespace

Applied apply(const port::Port& port, const std::filesystem::path& in,
              const std::filesystem::path& out, const Patterns& patterns) {
  const auto tensors = tensors_of(in);
  std::error_code none;
  if (tensors.empty() || in.extension() == ".npy" ||
      !std::filesystem::equivalent(tensors.front().file->path(), in, none))
    refuse(in,
           "is not applied to: it must be one file of safetensors, with all that the steps need");
  if (std::filesystem::equivalent(in, out, none))
    refuse(in, "is what would be written: name another file");
  const Edits edits(port, tensors, patterns);
  Applied applied{{}, edits.by_hand};
  if (out.empty()) {
    write_all(
        tensors, edits.edits, [](std::string_view) {}, applied);
    return applied;
  }
  const auto status = std::filesystem::status(out, none);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    throw report::FileError(out.string() + ": is no regular file, which alone is replaced");
  report::FileInParts file(std::filesystem::exists(status) ? std::filesystem::canonical(out) : out);
  write_all(
      tensors, edits.edits, [&](std::string_view part) { file.append(part); }, applied);
  file.finish();
  return applied;
}

std::string words_of(const Applied& applied, const port::Port& port, const Patterns& patterns,
                     const std::vector<Tensor>& tensors) {
  std::string out;
  for (const auto& one : applied.changes)
    out += fmt::format("{}: {}; {} of {} entries rounded{}\n", audit::printable(one.tensor, 200),
                       one.what, one.rounded, one.entries,
                       one.vanished == 0 ? "" : fmt::format(", {} of them to 0", one.vanished));
  if (applied.changes.empty()) out += "no tensor changes\n";
  for (const auto& one : applied.by_hand) out += "by hand: " + one + "\n";
  if (port.optimizer.empty()) return out;
  out +=
      "\n# AdamW in PyTorch, to go on training alike: lr, eps and weight_decay are the other\n"
      "# parameters'; in the state, exp_avg and exp_avg_sq of these are multiplied, too.\n";
  for (const auto& followed : port.optimizer) {
    const auto factor = [&](std::string_view name) {
      return port::number(
          std::ranges::find(followed.settings, name, &port::Followed::Setting::name)->factor);
    };
    std::vector<std::string> names;
    for (const auto& tensor : tensors_named(tensors, followed.parameter, patterns))
      names.push_back(nlohmann::ordered_json(tensor.name).dump());
    out += fmt::format(
        "{{\"params\": [{}], \"lr\": lr * {}, \"eps\": eps * {}, \"weight_decay\": weight_decay * "
        "{}}},  # exp_avg * {}, exp_avg_sq * {}\n",
        fmt::join(names, ", "), factor("rate"), factor("epsilon"), factor("decay"),
        factor("first_moment"), factor("second_moment"));
  }
  return out;
}

}  // namespace embedscale::checkpoint
