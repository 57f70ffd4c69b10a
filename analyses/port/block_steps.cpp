#include "port/block_steps.hpp"

#include "port/compared.hpp"

#include <fmt/core.h>

namespace embedscale::port {
namespace {

constexpr std::string_view kept = "porting.function_is_kept";

// A factor that both tell, and that differs; of one that is 0 the other is not made.
bool to_multiply(const audit::Number& from, const audit::Number& to) {
  return from && to && *from != 0 && *to != 0 && !agree(*from, *to);
}

void attention_scale(const Port& port, std::vector<Instruction>& out) {
  const auto &a = port.from.attention.scale, &b = port.to.attention.scale;
  if (!to_multiply(a, b)) return;
  out.push_back(
      {"multiply",
       "query projection",
       *a / *b,
       fmt::format("Multiply W_Q and b_Q of every attention by {}: FROM multiplies scores by {}, "
                   "TO by {}.",
                   number(*a / *b), number(*a), number(*b)),
       {kept},
       {"attention.scale"}});
}

void residual_multiplier(const Port& port, std::vector<Instruction>& out) {
  const auto &a = port.from.block.residual_multiplier, &b = port.to.block.residual_multiplier;
  if (!to_multiply(a, b)) return;
  out.push_back(
      {"multiply",
       "branch outputs",
       *a / *b,
       fmt::format("Multiply W_O of every attention and the last matrix of every feed-forward "
                   "network, and their biases, by {}: FROM multiplies branches by {}, TO "
                   "by {}.",
                   number(*a / *b), number(*a), number(*b)),
       {kept},
       {"block.residual_multiplier"}});
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

void further_tables(const Port& port, std::vector<Instruction>& out) {
  const auto &a = port.from.extras, &b = port.to.extras;
  if (a.size() != b.size()) return;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (const auto& m = a[i].multiplier, &n = b[i].multiplier; to_multiply(m, n))
      out.push_back({"multiply",
                     fmt::format("table of extra[{}]", i),
                     *m / *n,
                     fmt::format("Multiply every row by {}: FROM multiplies it by {}, TO by {}.",
                                 number(*m / *n), number(*m), number(*n)),
                     {kept},
                     {"extra[].multiplier"}});
}

}  // namespace

std::string source_of_channel(bool to_halves, const std::string& half) {
  return to_halves ? fmt::format("2j for j < {0}, 2(j − {0}) + 1 from there on", half)
                   : fmt::format("j/2 for even j, {} + (j − 1)/2 for odd j", half);
}

bool to_halves(const Port& port) { return port.to.position.layout == SinusoidalLayout::halves; }

void add_block_steps(const Port& port, std::vector<Instruction>& out) {
  attention_scale(port, out);
  residual_multiplier(port, out);
  rotary_layout(port, out);
  further_tables(port, out);
}

}  // namespace embedscale::port
