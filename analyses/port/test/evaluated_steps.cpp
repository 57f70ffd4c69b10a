// The steps of a port, done to parameters.
#include "port/test/evaluated.hpp"

#include <algorithm>
#include <stdexcept>

#include "report/json_once.hpp"
#include "report/row.hpp"

namespace embedscale::port {
namespace {

using audit::PositionKind;

// Entry j of each row becomes what was entry order[j]; then the same of whole rows.
void permute_columns(Values& matrix, const std::vector<std::size_t>& order) {
  const auto was = matrix;
  for (std::size_t k = 0; k < matrix.size(); ++k) matrix[k] = was[k / d * d + order[k % d]];
}
void permute_rows(Values& matrix, const std::vector<std::size_t>& order) {
  const auto was = matrix;
  const std::size_t width = matrix.size() / order.size();
  for (std::size_t k = 0; k < matrix.size(); ++k)
    matrix[k] = was[order[k / width] * width + k % width];
}

// The old code's channel for each of the new one's, in rooms of this width.
std::vector<std::size_t> order_in(std::size_t width, const audit::Position& to) {
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < d; ++k) {
    const std::size_t j = k % width, half = width / 2;
    const std::size_t from = to.layout == SinusoidalLayout::halves
                                 ? (j < half ? 2 * j : 2 * (j - half) + 1)
                                 : (j % 2 == 0 ? j / 2 : half + j / 2);
    order.push_back(k - j + from);
  }
  return order;
}

void permute_channels(Parameters& p, const std::vector<std::size_t>& order) {
  for (auto& [name, matrix] : p.all) {
    const bool writes = name == "WO" || name == "bO" || name == "W2" || name == "b2";
    const bool within = name == "bQ" || name == "bK" || name == "bV" || name == "b1" ||
                        name.ends_with("of distance");
    if (writes)
      permute_rows(matrix, order);
    else if (!within)
      permute_columns(matrix, order);
  }
}

void place_rows(Parameters& p, const Port& port, double factor) {
  const auto &from = port.from.position, &to = port.to.position;
  const auto was = p.all.at("P");
  const auto row = [](const audit::Position& at) {
    return std::min(static_cast<std::size_t>(at.first), rows - tokens);
  };
  for (std::size_t i = 0; i < tokens; ++i) {
    const auto vector = from.kind == PositionKind::sinusoidal
                            ? sinusoid(from, from.first + static_cast<std::int64_t>(i))
                            : row_of(was, row(from) + i);
    for (std::size_t j = 0; j < d; ++j) p.all.at("P")[(row(to) + i) * d + j] = factor * vector[j];
  }
}

// The matrices that a step's parameter stands for.
std::vector<std::string> matrices_of(const std::string& parameter) {
  static const std::map<std::string, std::vector<std::string>> all{
      {"token_table", {"E"}},
      {"position_table", {"P"}},
      {"gain", {"gF"}},
      {"bias", {"bF"}},
      {"output_table", {"O"}},
      {"query_projection", {"WQ", "bQ"}},
      {"branch_outputs", {"WO", "bO", "W2", "b2"}}};
  if (parameter.starts_with("table_of_")) return {"table of " + parameter.substr(9)};
  if (parameter.starts_with("projector_of_")) return {"projector of " + parameter.substr(13)};
  return all.at(parameter);
}

void take(const Port& port, const report::Json& step, Parameters& p) {
  const std::string action = step.at("action"), parameter = step.at("parameter");
  const double factor = step.at("factor").is_null() ? 1 : step.at("factor").get<double>();
  if (action == "multiply") {
    for (const auto& name : matrices_of(parameter))
      for (double& one : p.all.at(name)) one *= factor;
  } else if (action == "fill") {
    // What is stored of a gain 1 + w is w.
    const bool is_w = parameter == "gain" && port.to.final_norm.gain == Gain::one_plus;
    for (double& one : p.all.at(matrices_of(parameter)[0])) one = is_w ? 1 + factor - 1 : factor;
  } else if (action == "copy_table") {
    p.all.at("O") = p.all.at("E");
    for (double& one : p.all.at("O")) one *= factor;
    p.is_untied = true;
  } else if (action == "store_positions" || action == "move_position_rows") {
    place_rows(p, port, factor);
    p.stores_positions |= action == "store_positions";
  } else if (action == "set_logit_factor") {
    p.logit_factor = factor;
  } else if (action == "permute_channels") {
    permute_channels(p, order_in(d, port.to.position));
  } else if (action == "permute_heads") {
    for (const auto* name : {"WQ", "bQ", "WK", "bK"})
      permute_rows(p.all.at(name), order_in(d_k, port.to.position));
  } else if (action != "rewrite") {
    throw std::invalid_argument("no such step: " + action);
  }
}

}  // namespace

Parameters ported(const Parameters& from, const Port& port) {
  auto out = from;
  const auto json = report::parsed(json_line(port));
  for (const auto& step : json.at("steps")) take(port, step, out);
  return out;
}

}  // namespace embedscale::port
