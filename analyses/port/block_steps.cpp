#include "port/block_steps.hpp"

#include "port/compared.hpp"

#include <fmt/core.h>

namespace embedscale::port {
namespace {

// What bears on a factor that both tell and that differs; of one that is 0 the other is not made.
void multiply(std::vector<Instruction>& out, const std::string& where, std::string_view what,
              std::string_view multiplied, std::string_view field, const audit::Number& from,
              const audit::Number& to) {
  if (!from || !to || *from == 0 || *to == 0 || agree(*from, *to)) return;
  const double ratio = *from / *to;
  out.push_back({"multiply",
                 where,
                 ratio,
                 fmt::format("Multiply {} by {}: FROM multiplies {} by {}, TO by {}.", what,
                             number(ratio), multiplied, number(*from), number(*to)),
                 {kept},
                 {field}});
}

void rotary_layout(const Port& port, std::vector<Instruction>& out) {
  const auto &p = port.from.position, &q = port.to.position;
  const auto rotary = audit::PositionKind::rotary;
  if (p.kind != rotary || q.kind != rotary || !p.layout || !q.layout || p.layout == q.layout)
    return;
  const auto d_k = port.from.model.d_k;
  const auto half = d_k ? std::to_string(*d_k / 2) : "d_k/2";
  out.push_back({"permute_heads",
                 "query and key projections",
                 {},
                 fmt::format("FROM turns {} channels of a head together, TO {}. Within each head, "
                             "row j of TO's W_Q and W_K, and of their biases, is FROM's row {}, "
                             "with its optimiser state.",
                             to_halves(port) ? "neighbouring" : "the two halves'",
                             to_halves(port) ? "the two halves'" : "neighbouring",
                             source_of_channel(to_halves(port), half)),
                 {kept},
                 {"position.layout"}});
}

}  // namespace

std::string source_of_channel(bool to_halves, const std::string& half) {
  return to_halves ? fmt::format("2j for j < {0}, 2(j − {0}) + 1 from there on", half)
                   : fmt::format("j/2 for even j, {} + (j − 1)/2 for odd j", half);
}

bool to_halves(const Port& port) { return port.to.position.layout == SinusoidalLayout::halves; }

void add_block_steps(const Port& port, std::vector<Instruction>& out) {
  const auto &from = port.from, &to = port.to;
  multiply(out, "query projection", "W_Q and b_Q of every attention", "scores", "attention.scale",
           from.attention.scale, to.attention.scale);
  multiply(out, "branch outputs",
           "W_O of every attention and the last matrix of every feed-forward network, and their "
           "biases,",
           "branches", "block.residual_multiplier", from.block.residual_multiplier,
           to.block.residual_multiplier);
  rotary_layout(port, out);
  if (from.extras.size() != to.extras.size()) return;
  for (std::size_t i = 0; i < from.extras.size(); ++i)
    multiply(out, fmt::format("table of extra[{}]", i), "every row", "it", "extra[].multiplier",
             from.extras[i].multiplier, to.extras[i].multiplier);
}

}  // namespace embedscale::port
