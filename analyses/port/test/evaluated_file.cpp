// The steps of a port, done by `port --apply` to a file that has the parameters.
#include "port/test/evaluated.hpp"

#include <cstring>
#include <fstream>
#include <stdexcept>

#include "checkpoint/apply.hpp"
#include "report/file.hpp"
#include "report/json_once.hpp"
#include "test/scratch.hpp"

namespace embedscale::port {
namespace {

using Json = nlohmann::ordered_json;

/// By the name of a matrix, that of its tensor: as a checkpoint of Llama would have it.
const std::map<std::string, std::string>& names() {
  static const std::map<std::string, std::string> all{{"E", "model.embed_tokens.weight"},
                                                      {"P", "model.wpe.weight"},
                                                      {"O", "lm_head.weight"},
                                                      {"gF", "model.norm.weight"},
                                                      {"bF", "model.norm.bias"},
                                                      {"gE", "model.layers.e_norm.weight"},
                                                      {"gA", "model.layers.a_norm.weight"},
                                                      {"gN", "model.layers.n_norm.weight"},
                                                      {"WQ", "model.layers.q_proj.weight"},
                                                      {"bQ", "model.layers.q_proj.bias"},
                                                      {"WO", "model.layers.o_proj.weight"},
                                                      {"bO", "model.layers.o_proj.bias"},
                                                      {"W2", "model.layers.down_proj.weight"},
                                                      {"b2", "model.layers.down_proj.bias"}};
  return all;
}
std::string name_of_tensor(const std::string& matrix) {
  const auto found = names().find(matrix);
  return found == names().end() ? matrix : found->second;
}

bool is_gain(const std::string& matrix) { return matrix.size() == 2 && matrix[0] == 'g'; }

/// Of binary64. A tied output is not in it.
std::string file_of(const Parameters& p, const audit::Configuration& code) {
  Json header;
  std::string data;
  const bool is_w = code.final_norm.gain == Gain::one_plus;
  for (const auto& [name, matrix] : p.all) {
    if (name == "O" && *code.output.tied) continue;
    const auto begin = data.size();
    for (const double x : matrix) {
      const double stored = is_gain(name) && is_w ? x - 1 : x;
      data.append(reinterpret_cast<const char*>(&stored), sizeof stored);
    }
    header[name_of_tensor(name)] = {
        {"dtype", "F64"}, {"shape", {matrix.size()}}, {"data_offsets", {begin, data.size()}}};
  }
  const auto text = header.dump();
  const std::uint64_t length = text.size();
  return std::string(reinterpret_cast<const char*>(&length), sizeof length) + text + data;
}

Values values_in(std::string_view file, const std::string& tensor) {
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), sizeof length);
  const auto offsets = Json::parse(file.substr(8, length)).at(tensor).at("data_offsets");
  const auto begin = offsets[0].get<std::size_t>(), end = offsets[1].get<std::size_t>();
  Values values((end - begin) / sizeof(double));
  std::memcpy(values.data(), file.data() + 8 + length + begin, end - begin);
  return values;
}

}  // namespace

Parameters applied(const Parameters& from, const Port& port) {
  const Scratch scratch;
  std::ofstream(scratch / "in", std::ios::binary) << file_of(from, port.from);
  const auto done = checkpoint::apply(port, scratch / "in", scratch / "out", {});
  const auto file = report::read_file(scratch / "out");
  auto out = from;
  out.is_untied = file.find("lm_head") != file.npos && *port.from.output.tied;
  for (auto& [name, matrix] : out.all) {
    if (name == "O" && *port.from.output.tied && !out.is_untied) continue;
    matrix = values_in(file, name_of_tensor(name));
    if (is_gain(name) && port.to.final_norm.gain == Gain::one_plus)
      for (double& x : matrix) x += 1;
  }
  for (const auto& step : port.steps)
    if (step.action == "set_logit_factor") out.logit_factor = *step.factor;
  if (out.logit_factor.has_value() == done.by_hand.empty())
    throw std::logic_error("what is to be done by hand is not said");
  return out;
}

}  // namespace embedscale::port
