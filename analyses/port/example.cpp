// The worked example of the page, computed.
#include <embedscale/attention.hpp>
#include <embedscale/combination.hpp>
#include <embedscale/normalization.hpp>

#include <fmt/format.h>

#include "port/page.hpp"
#include "report/table.hpp"

namespace embedscale::port {
namespace {

using Row = std::vector<double>;

struct Tiny {
  double multiplier;
  Row first_word, second_word, gain, bias;
  Moments<double> of_table, of_gain;  ///< of the first entry
  double table_rate, gain_rate;
};

constexpr std::size_t d = 4;
const Row position{0, 1, 0, 1};

Row input(const Tiny& at) {
  Row x;
  for (std::size_t j = 0; j < d; ++j) x.push_back(up(at.first_word[j], position[j], at.multiplier));
  return x;
}

Row normed(const Tiny& at) {
  Row out(d);
  rms_norm<double>(input(at), 0.0, EpsilonPlacement::variance, out);
  return out;
}

Row hidden(const Tiny& at) {
  Row h = normed(at);
  for (std::size_t j = 0; j < d; ++j) h[j] = at.gain[j] * h[j] + at.bias[j];
  return h;
}

Row logits(const Tiny& at) {
  const Row h = hidden(at);
  return {dot<double>(at.first_word, h), dot<double>(at.second_word, h)};
}

std::string list(const Row& row) {
  std::string out;
  for (const double x : row) {
    const bool negative = x < 0;
    out += fmt::format("{}{}{:g}", out.empty() ? "" : ", ", negative ? "−" : "", negative ? -x : x);
  }
  return out;
}

void multiply(Row& row, double s) {
  for (double& x : row) x *= s;
}

Tiny ported(Tiny at, const Recipe<double>& recipe) {
  const double s = recipe.factor_of(Parameter::token_table), f = recipe.factor_of(Parameter::gain);
  at.multiplier = 1;
  multiply(at.first_word, s);
  multiply(at.second_word, s);
  multiply(at.gain, f);
  multiply(at.bias, recipe.factor_of(Parameter::bias));
  at.of_table = carried(at.of_table, s);
  at.of_gain = carried(at.of_gain, f);
  at.table_rate *= folded(Adam<double>{.rate = 1}, s).rate;
  at.gain_rate *= folded(Adam<double>{.rate = 1}, f).rate;
  return at;
}

}  // namespace

Example example() {
  const Tiny from{2,
                  {1, -1.5, 1, -1.5},
                  {0.5, 1, -0.5, 0.25},
                  {1, 2, 1, 0.5},
                  {0.5, 0, 0, -0.5},
                  {0.004, 0.0016},
                  {0.25, 0.09},
                  1e-3,
                  1e-3};
  auto recipe = embedscale::recipe<double>({.multiplier = from.multiplier}, {.multiplier = 1});
  const Tiny to = ported(from, recipe);
  std::erase_if(recipe.steps,
                [](const auto& step) { return step.parameter != Parameter::token_table; });
  report::Table table({{""}, {"Old code"}, {"New code"}});
  const auto row = [&](const char* what, auto value) {
    table.row({what, list(value(from)), list(value(to))});
  };
  row("multiplier m", [](const Tiny& at) { return Row{at.multiplier}; });
  row("table, first word", [](const Tiny& at) { return at.first_word; });
  row("table, second word", [](const Tiny& at) { return at.second_word; });
  row("gain g", [](const Tiny& at) { return at.gain; });
  row("bias b", [](const Tiny& at) { return at.bias; });
  row("x of the first word, p = 0, 1, 0, 1", input);
  row("N(x), RMSNorm without ε", normed);
  row("h = g ⊙ N(x) + b", hidden);
  row("**logits** of both words", logits);
  row("Adam, first moment of the table's first entry",
      [](const Tiny& at) { return Row{at.of_table.first}; });
  row("Adam, second moment of it", [](const Tiny& at) { return Row{at.of_table.second}; });
  row("rate of the table", [](const Tiny& at) { return Row{at.table_rate}; });
  row("Adam, first moment of the gain's first entry",
      [](const Tiny& at) { return Row{at.of_gain.first}; });
  row("Adam, second moment of it", [](const Tiny& at) { return Row{at.of_gain.second}; });
  row("rate of gain and bias", [](const Tiny& at) { return Row{at.gain_rate}; });
  auto text = table.markdown();
  text.pop_back();  // the line's end
  return {text, list(logits(ported(from, recipe)))};
}

}  // namespace embedscale::port
