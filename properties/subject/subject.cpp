#include "subject.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "program.hpp"

namespace embedscale::properties::subject {
namespace {

using nlohmann::json;

/// A program that is started again once it has failed.
class ProgramSubject : public Subject {
 public:
  ProgramSubject(std::vector<std::string> command, std::chrono::milliseconds deadline)
      : command_(std::move(command)), deadline_(deadline) {
    start();
  }

  std::string name() const override { return name_; }
  const std::map<std::string, std::set<std::string>>& operations() const override {
    return operations_;
  }
  Answer answer(const Request& request) override {
    if (!program_ || !program_->runs()) start();
    const auto id = ++last_id_;
    Message message{{{"id", id},
                     {"operation", request.operation},
                     {"format", request.format},
                     {"arguments", request.arguments}},
                    request.arrays};
    auto answer = program_->exchange(message, deadline_);
    if (answer.header.value("id", json()) != id) {
      program_.reset();
      throw Failed("it answers request " + answer.header.value("id", json()).dump() +
                   ", and was asked request " + std::to_string(id));
    }
    if (const auto lacks = answer.header.find("lacks"); lacks != answer.header.end())
      throw Lacking(lacks->dump());
    if (const auto error = answer.header.find("error"); error != answer.header.end())
      throw Refused("it raised " +
                    (error->is_string() ? error->get<std::string>() : error->dump()));
    return std::move(answer.arrays);
  }

 private:
  void start() {
    program_.emplace(command_);
    const auto hello = program_->exchange({{{"protocol", 1}}, {}}, deadline_).header;
    try {
      if (hello.at("protocol") != 1)
        throw Failed("it speaks protocol " + hello.at("protocol").dump() + ", and this is 1");
      name_ = hello.at("name").get<std::string>();
      if (hello.contains("version")) name_ += " " + hello.at("version").get<std::string>();
      operations_.clear();
      for (const auto& [operation, in] : hello.at("operations").items()) {
        if (std::ranges::find(described(), operation, &Described::name) == described().end())
          throw Failed("there is no operation '" + operation + "'; --list names all");
        for (const std::string format : in) {
          if (std::ranges::count(formats(), format) == 0)
            throw Failed("there is no format '" + format + "'; --list names all");
          operations_[operation].insert(format);
        }
      }
    } catch (const json::exception&) {
      program_.reset();
      throw Failed("its first answer needs protocol, name and operations, and is " +
                   hello.dump(-1, ' ', false, json::error_handler_t::replace).substr(0, 200));
    }
    if (operations_.empty()) throw Failed("it has no operations");
  }

  std::vector<std::string> command_;
  std::chrono::milliseconds deadline_;
  std::optional<Program> program_;
  std::string name_;
  std::map<std::string, std::set<std::string>> operations_;
  std::uint64_t last_id_ = 0;
};

template <class Number>
std::vector<double> wide(const Array& array) {
  std::vector<double> all;
  for (const Number& x : numbers_of<Number>(array)) all.push_back(static_cast<double>(x));
  return all;
}

std::string list_of(const Array& array, std::size_t most) {
  const auto all = numbers(array);
  const bool is_float = array.dtype == "binary32";
  const auto text = [&](double x) {
    return is_float ? fmt::format("{}", static_cast<float>(x)) : fmt::format("{}", x);
  };
  if (array.shape.empty()) return all.empty() ? "" : text(all[0]);
  std::string list;
  for (std::size_t i = 0; i < std::min(all.size(), most); ++i)
    list += (i == 0 ? "" : ", ") + text(all[i]);
  if (all.size() > most) list += fmt::format(", … {} in all", all.size());
  return "[" + list + "]" +
         (array.shape.size() > 1 ? fmt::format(" of shape ({})", fmt::join(array.shape, ", "))
                                 : "");
}

}  // namespace

const Array& Request::array(std::string_view name) const {
  const auto found = std::ranges::find(arrays, name, &Array::name);
  if (found == arrays.end()) throw Malformed("there is no array '" + std::string(name) + "'");
  return *found;
}

bool Subject::has(const std::string& operation, std::string_view format) const {
  const auto found = operations().find(operation);
  return found != operations().end() && found->second.contains(std::string(format));
}

std::unique_ptr<Subject> program(std::vector<std::string> command,
                                 std::chrono::milliseconds deadline) {
  return std::make_unique<ProgramSubject>(std::move(command), deadline);
}

const std::vector<Described>& described() {
  static const std::vector<Described> all{
      {"multiplier", "d_model", "out (): √d_model"},
      {"up", "e (n), p (n), m ()", "out (n): m·e + p"},
      {"down", "e (n), p (n), m ()", "out (n): e + p/m"},
      {"position_table", "first, count, d, rule, layout, base", "out (count, d)"},
      {"look_up", "table (V, d), tokens (n), multiplier ()", "out (n, d)"},
      {"input", "table (V, d), tokens (n), positions (n, d), multiplier ()", "out (n, d)"},
      {"layer_norm", "x (d), epsilon ()", "out (d)"},
      {"rms_norm", "x (d), epsilon ()", "out (d)"},
      {"softmax", "z (n)", "out (n)"},
      {"attention_scale", "d_model, d_k", "out ()"},
      {"logits", "q (d_k), keys (n, d_k), scale ()", "out (n)"},
      {"tied_logits", "table (V, d), h (d), multiplier ()", "out (V)"},
      {"dropout", "rate, x (n), kept (n)", "out (n)"},
      {"initialise", "distribution, parameter, rows, columns, seed", "out (rows, columns)"},
      {"optimizer_step", "kind, step, parameter (n), gradient (n), settings and state",
       "parameter (n) and the state"},
      {"clip_by_global_norm", "parts, gradient_0 …, max_norm ()", "out_0 …"}};
  return all;
}

const std::vector<std::string_view>& formats() {
  static const std::vector<std::string_view> all{"binary64", "binary32", "binary16", "bfloat16"};
  return all;
}

std::vector<double> numbers(const Array& array) {
  if (array.dtype == "binary64") return wide<double>(array);
  if (array.dtype == "binary32") return wide<float>(array);
  if (array.dtype == "binary16") return wide<binary16>(array);
  if (array.dtype == "bfloat16") return wide<bfloat16>(array);
  return wide<std::int64_t>(array);
}

std::string text_of(const Request& request, std::size_t most_numbers) {
  std::string all;
  for (const auto& [name, value] : request.arguments.items())
    all += (all.empty() ? "" : ", ") + name + " = " + value.dump();
  for (const auto& array : request.arrays)
    all += (all.empty() ? "" : ", ") + array.name + " = " + list_of(array, most_numbers);
  return request.operation + "(" + all + ") in " + request.format;
}

}  // namespace embedscale::properties::subject
