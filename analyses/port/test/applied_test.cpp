// What is printed, done to models of the library's own blocks: their logits stay.
#include "port/convention.hpp"
#include "port/test/ports.hpp"

#include "properties/evidence/rounding.hpp"
#include "properties/porting/drawn.hpp"

#include <map>

namespace embedscale::port {
namespace {

using namespace properties::porting;
using properties::optimizer::Numbers;

/// The recipe that the JSON of a port tells.
Recipe<double> told(const Port& port) {
  static const std::map<std::string, Action> actions{
      {"copy_table", Action::copy_table},
      {"multiply", Action::multiply},
      {"fill", Action::fill},
      {"store_positions", Action::store_positions},
      {"move_position_rows", Action::move_position_rows},
      {"set_logit_factor", Action::set_logit_factor},
      {"permute_channels", Action::permute_channels}};
  static const std::map<std::string, Parameter> parameters{
      {"token_table", Parameter::token_table},
      {"position_table", Parameter::position_table},
      {"gain", Parameter::gain},
      {"bias", Parameter::bias},
      {"output_table", Parameter::output_table},
      {"logit_factor", Parameter::output_table},
      {"channels", Parameter::token_table}};
  Recipe<double> out;
  const auto json = Json::parse(json_line(port));
  for (const auto& step : json.at("steps"))
    // The gain is rewritten as TO's code has it by ported(); other steps are within the blocks.
    if (step.at("action") != "rewrite" && parameters.contains(step.at("parameter")))
      out.steps.push_back({actions.at(step.at("action")), parameters.at(step.at("parameter")),
                           step.at("factor").is_null() ? 1 : step.at("factor").get<double>()});
  return out;
}

struct Moved {
  Checkpoint<double> from, to;
  double s;  ///< of the table
  double f;  ///< of the gain
  bool stores_w;
};

Moved moved(const Port& port, const Body& body) {
  const auto code = convention_of(port.from, Side::from), target = convention_of(port.to, Side::to);
  const Stream stream(7, port.from.name + port.to.name);
  Numbers numbers(stream, 0);
  auto from = drawn_checkpoint<double>(code, body, numbers);
  const auto recipe = told(port);
  auto to = from.ported(target, recipe, library<double>);
  return {std::move(from), std::move(to), recipe.factor_of(Parameter::token_table),
          recipe.factor_of(Parameter::gain), target.gain == Gain::one_plus};
}

/// What c·s·f should be 1 times, and is but for what counts as rounding of the codes' own factors.
double factor_error(const Moved& at) {
  const auto &from = at.from.model.code, &to = at.to.model.code;
  const double had = from.logit_factor.value_or(1), has = to.logit_factor.value_or(1);
  const double tokens = at.s * to.multiplier / from.multiplier - 1;
  return std::abs(tokens) +
         (from.tied && to.tied ? std::abs(has * at.s * at.f / had - 1) : std::abs(has / had - 1));
}

/// How far the logits may be apart by rounding, for each: a product of d terms in both codes; each
/// factor of a term (m, k, c, g, b, and what they are multiplied by) rounds once where it is made
/// and once where it is used, fewer than 16 in all. Where TO keeps w, 1 is taken off and added
/// again, an error of 2u beside f·g, which the table multiplies by s.
std::vector<double> bounds(const Moved& at, const std::vector<double>& hidden_sizes) {
  const auto& model = at.from.model;
  const auto& output =
      model.parameters[model.code.tied ? Parameter::token_table : Parameter::output_table];
  const std::size_t d = model.task.d, words = output.size() / d;
  const double gamma = properties::gamma<double>(2 * d + 16) + 2 * factor_error(at);
  const double c = std::abs(model.code.logit_factor.value_or(1));
  std::vector<double> out;
  for (std::size_t i = 0; i < model.task.tokens.size(); ++i)
    for (std::size_t v = 0; v < words; ++v) {
      double sum = 0;
      for (std::size_t j = 0; j < d; ++j)
        sum += std::abs(output[v * d + j]) * hidden_sizes[i * d + j];
      out.push_back(gamma * c * sum);
    }
  return out;
}

/// Σ of the sizes of the terms of h, from those of what is normalised.
std::vector<double> hidden_sizes(const Moved& at, const std::vector<double>& normed_sizes) {
  const auto& model = at.from.model;
  const auto g = model.gain();
  const auto& b = model.parameters[Parameter::bias];
  const std::size_t d = model.task.d;
  auto out = normed_sizes;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double gain = g.empty() ? 1 : std::abs(g[i % d]);
    out[i] *= gain + (at.stores_w ? 1 + 1 / std::abs(at.f) : 0);
    if (!b.empty()) out[i] += std::abs(b[i % d]);
  }
  return out;
}

void expect_the_same(const Moved& at, const std::vector<double>& bound, const std::string& name) {
  const auto a = at.from.model.activations().logits, b = at.to.model.activations().logits;
  ASSERT_EQ(a.size(), b.size()) << name;
  for (std::size_t k = 0; k < a.size(); ++k)
    EXPECT_LE(std::abs(a[k] - b[k]), bound[k]) << name << ": " << a[k] << " " << b[k];
}

// Every pair whose function is kept, without blocks or norm: logits are then sums of products,
// whose rounding is bounded whatever TO multiplies by.
TEST(applied_steps, keep_the_logits_of_every_pair_that_they_say) {
  const auto all = portable_systems();
  std::size_t tried = 0;
  for (const auto& from : all)
    for (const auto& to : all) {
      if (!suit(from, to)) continue;
      const auto port = port_of(from, to);
      if (!port.recipe.keeps_function()) continue;
      const auto at = moved(port, {.vocabulary = 3, .tokens = 3, .d = 8});
      const auto& model = at.from.model;
      std::vector<double> sizes;
      for (std::size_t i = 0; i < 3 * 8; ++i) {
        const auto& p = model.parameters[Parameter::position_table];
        const auto e =
            model.parameters[Parameter::token_table][model.task.tokens[i / 8] * 8 + i % 8];
        const double position = p.empty() ? 0 : p[model.first_row() * 8 + i];
        sizes.push_back(std::abs(model.code.multiplier * e) +
                        std::abs(model.code.position_multiplier * position));
      }
      // Where channels are in another order, so are their sizes; the sum over them is as large.
      expect_the_same(at, bounds(at, hidden_sizes(at, sizes)), from.name + " to " + to.name);
      ++tried;
    }
  EXPECT_GT(tried, all.size());
}

/// Blocks and the last norm see the same bits where TO does not multiply tokens at all.
Moved with_blocks(const Port& port, properties::optimizer::Norm norm, NormPlacement placement) {
  return moved(port, {.vocabulary = 4,
                      .tokens = 3,
                      .d = 16,
                      .norm = norm,
                      .block = placement,
                      .epsilon = *port.from.block.norm.epsilon});
}

void expect_kept_through_blocks(const Moved& at, const std::string& name) {
  auto sizes = at.from.model.activations().normed;
  EXPECT_EQ(sizes, at.to.model.activations().normed);
  for (double& size : sizes) size = std::abs(size);
  const auto bound = bounds(at, hidden_sizes(at, sizes));
  expect_the_same(at, bound, name);
  // The table alone is not enough: the logits are then s times as large.
  auto alone = at.to;
  alone.model.parameters[Parameter::gain] = at.from.model.gain();
  alone.model.parameters[Parameter::bias] = at.from.model.parameters[Parameter::bias];
  const auto a = at.from.model.activations().logits, b = at.to.model.activations().logits,
             without = alone.model.activations().logits;
  EXPECT_LE(std::abs(without[0] - at.s * a[0]), at.s * bound[0]);
  fmt::print("{}\n  {:>22}  {:>22}  {:>22}\n", name, "FROM's logits", "TO's", "table alone");
  for (std::size_t k = 0; k < 4; ++k)
    fmt::print("  {:>22.17g}  {:>22.17g}  {:>22.17g}\n", a[k], b[k], without[k]);
}

TEST(applied_steps, keep_logits_behind_a_post_norm_block) {
  const auto port =
      port_between("fairseq_transformer", tied, "fairseq_transformer", with(tied, without_factor));
  // Behind the block's own norm there is no other.
  const auto at = with_blocks(port, properties::optimizer::Norm::none, NormPlacement::post);
  expect_kept_through_blocks(at, "fairseq_transformer, tied, to itself without the factor");
}

TEST(applied_steps, keep_logits_behind_a_pre_norm_block) {
  const auto port = port_between("hf_gemma", {}, "hf_llama", as_gemma);
  const auto at = with_blocks(port, properties::optimizer::Norm::rms_norm, NormPlacement::pre);
  expect_kept_through_blocks(at, "hf_gemma to hf_llama's code");
}

// Without any one of its steps a port is another function.
TEST(applied_steps, are_all_needed) {
  const Changes learned = {{"position.kind", "learned"},
                           {"position.law", "normal"},
                           {"position.standard_deviation", "0.02"}};
  for (const auto& port :
       {port_between("fairseq_transformer", tied, "fairseq_transformer",
                     with(tied, without_factor)),
        port_between("hf_gemma", {}, "hf_llama", as_gemma),
        port_between("marian", {}, "hf_marian", {{"model.d_model", "512"}, {"model.heads", "8"}}),
        port_between("fairseq_transformer", learned, "fairseq_transformer",
                     with(learned, {{"position.first", "0"}}))}) {
    const auto code = convention_of(port.from, Side::from),
               target = convention_of(port.to, Side::to);
    const Stream stream(7, "all needed");
    Numbers numbers(stream, 0);
    const auto from =
        drawn_checkpoint<double>(code, Body{.vocabulary = 3, .tokens = 3, .d = 8}, numbers);
    const auto logits = from.model.activations().logits;
    const auto recipe = told(port);
    for (std::size_t left = 0; left < recipe.steps.size(); ++left) {
      auto fewer = recipe;
      fewer.steps.erase(fewer.steps.begin() + static_cast<std::ptrdiff_t>(left));
      const auto other = from.ported(target, fewer, library<double>).model.activations().logits;
      double most = 0;
      for (std::size_t k = 0; k < logits.size(); ++k)
        most = std::max(most, std::abs(logits[k] - other[k]));
      EXPECT_GT(most, 1e-3) << port.from.name << ": " << port.steps[left].text;
    }
  }
}

}  // namespace
}  // namespace embedscale::port
