#include "vectors.hpp"

#include <fmt/format.h>
#include <embedscale/random.hpp>

#include <bit>
#include <cmath>
#include <fstream>
#include <functional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "../primitives/values.hpp"
#include "candidates.hpp"
#include "position_table.hpp"

namespace embedscale::properties::subject {
namespace {

using nlohmann::ordered_json;
using primitives::Row, primitives::Values, primitives::wide, primitives::Wide;
using Floats = std::vector<float>;

const auto rounding = primitives::rounding_of<float>();

/// A request, and each result with how far it may be off.
struct Case {
  Request request;
  ordered_json results = ordered_json::array();

  explicit Case(std::string operation) : request{std::move(operation), "binary32"} {}
  Case& with(const char* name, std::vector<std::uint64_t> shape, const Floats& numbers) {
    request.arrays.push_back(array_of(name, std::move(shape), std::span<const float>(numbers)));
    return *this;
  }
  Case& with(const char* name, float number) { return with(name, {}, Floats{number}); }
  Case& with_whole(const char* name, const std::vector<std::int64_t>& numbers) {
    request.arrays.push_back(
        array_of(name, {numbers.size()}, std::span<const std::int64_t>(numbers)));
    return *this;
  }
  Case& gives(const char* name, const std::vector<std::uint64_t>& shape,
              const std::vector<double>& exact, const std::vector<double>& allowed) {
    results.push_back({{"name", name}, {"shape", shape}, {"exact", exact}, {"allowed", allowed}});
    return *this;
  }
  /// The entries from `first` on, as many as the shape has, of values one after another.
  Case& gives(const char* name, const std::vector<std::uint64_t>& shape,
              const std::vector<Values>& values, std::size_t first = 0) {
    std::vector<double> exact, allowed;
    for (const auto& one : values) {
      if (!one.are_bounded()) throw std::logic_error(request.operation + ": a vector has no bound");
      for (std::size_t j = first; j < one.exact().size(); ++j) {
        exact.push_back(static_cast<double>(one.exact()[j]));
        // Rounded up, with what rounding the exact number to binary64 takes.
        allowed.push_back(std::nextafter(static_cast<double>(one.allowed()[j]), HUGE_VAL) +
                          std::abs(exact.back()) * unit_roundoff<double>);
      }
    }
    std::size_t n = 1;
    for (const auto size : shape) n *= size;
    if (exact.size() < n) throw std::logic_error(request.operation + ": a vector lacks results");
    exact.resize(n), allowed.resize(n);
    return gives(name, shape, exact, allowed);
  }
};

/// Numbers of ordinary sizes, around a centre that is as many times as large.
Floats drawn(const char* name, std::uint64_t index, std::size_t n, float centre = 0) {
  const Stream stream(index, name);
  Floats all;
  for (std::size_t j = 0; j < n; ++j)
    all.push_back(static_cast<float>(2 * stream.uniform(j) - 1) + centre);
  return all;
}

std::vector<Case> combined(const char* how, const auto& right) {
  std::vector<Case> all;
  for (const float m : {1.0f, 8.0f, 22.627417f, 55.425625f}) {
    const auto e = drawn("e", all.size(), 4), p = drawn("p", all.size(), 4);
    std::vector<Values> values;
    for (std::size_t j = 0; j < e.size(); ++j)
      values.push_back(right(rounding, wide(e[j]), wide(p[j]), wide(m)));
    all.push_back(
        Case(how).with("e", {4}, e).with("p", {4}, p).with("m", m).gives("out", {4}, values));
  }
  return all;
}

std::vector<Case> roots(const char* operation, const char* argument, const auto& right) {
  std::vector<Case> all;
  for (const std::uint64_t d : {1, 2, 40, 64, 80, 512, 768, 3072}) {
    Case one(operation);
    one.request.arguments[argument] = d;
    if (one.request.operation == "attention_scale") one.request.arguments["d_model"] = 8 * d;
    all.push_back(one.gives("out", {}, std::vector{right(rounding, d)}));
  }
  return all;
}

std::vector<Case> position_tables() {
  std::vector<Case> all;
  for (const auto rule : {FrequencyRule::paper, FrequencyRule::tensor2tensor})
    for (const auto layout : {SinusoidalLayout::interleaved, SinusoidalLayout::halves})
      for (const std::int64_t first : {0, 1, 257, 1857, 8191}) {
        constexpr std::size_t d = 8;
        const bool is_interleaved = layout == SinusoidalLayout::interleaved;
        Case one("position_table");
        one.request.arguments = {{"first", first},
                                 {"count", 1},
                                 {"d", d},
                                 {"rule", rule == FrequencyRule::paper ? "paper" : "tensor2tensor"},
                                 {"layout", is_interleaved ? "interleaved" : "halves"},
                                 {"base", 10000.0}};
        std::vector<double> exact(d), allowed(d);
        for (std::size_t i = 0; i < d / 2; ++i) {
          const precision::position_table::At at{d, i, first, rule};
          const auto pair = precision::position_table::exact_pair(at);
          const auto sine = is_interleaved ? 2 * i : i,
                     cosine = is_interleaved ? 2 * i + 1 : d / 2 + i;
          exact[sine] = static_cast<double>(pair.sine);
          exact[cosine] = static_cast<double>(pair.cosine);
          allowed[sine] = allowed[cosine] =
              bound_of_an_entry(at, unit_roundoff<float>, precision::rounding_of_an_entry<float>);
        }
        all.push_back(one.gives("out", {1, d}, exact, allowed));
      }
  return all;
}

std::vector<Case> rows_of_tables(bool with_positions) {
  constexpr std::uint64_t words = 3, d = 4;
  std::vector<Case> all;
  for (const float m : {1.0f, 2.0f, 22.627417f}) {
    const std::vector<std::int64_t> tokens{2, 0};
    const auto table = drawn("table", all.size(), words * d),
               p = drawn("positions", all.size(), tokens.size() * d);
    Case one(with_positions ? "input" : "look_up");
    one.with("table", {words, d}, table).with_whole("tokens", tokens);
    if (with_positions) one.with("positions", {tokens.size(), d}, p);
    std::vector<Values> values;
    for (std::size_t k = 0; k < tokens.size() * d; ++k) {
      const auto e = wide(table[static_cast<std::size_t>(tokens[k / d]) * d + k % d]);
      values.push_back(with_positions ? primitives::multiplied_up(rounding, e, wide(p[k]), wide(m))
                                      : primitives::products(rounding, {e}, wide(m)));
    }
    all.push_back(one.with("multiplier", m).gives("out", {tokens.size(), d}, values));
  }
  return all;
}

std::vector<Case> norms(const char* operation, const auto& right) {
  std::vector<Case> all;
  for (const float epsilon : {0.0f, 1e-5f})
    for (const float centre : {0.0f, 1.0f, 100.0f})
      for (const std::size_t d : {3, 8}) {
        const auto x = drawn("x", all.size(), d, centre);
        all.push_back(Case(operation)
                          .with("x", {d}, x)
                          .with("epsilon", epsilon)
                          .gives("out", {d},
                                 std::vector{right(rounding, wide(x), wide(epsilon),
                                                   EpsilonPlacement::variance)}));
      }
  return all;
}

std::vector<Case> softmaxes() {
  std::vector<Case> all;
  for (const float times : {1.0f, 8.0f, 64.0f})
    for (const float centre : {0.0f, 200.0f}) {
      auto z = drawn("z", all.size(), 8, centre / times);
      for (float& one : z) one *= times;
      all.push_back(Case("softmax")
                        .with("z", {8}, z)
                        .gives("out", {8}, std::vector{primitives::softmax(rounding, wide(z))}));
    }
  return all;
}

std::vector<Case> products(const char* operation, const char* x_name, const char* rows_name,
                           const char* factor_name) {
  constexpr std::uint64_t n = 3, d = 8;
  std::vector<Case> all;
  for (const float factor : {1.0f, 0.125f, 0.35355338f}) {
    const auto x = drawn(x_name, all.size(), d), rows = drawn(rows_name, all.size(), n * d);
    const auto values =
        primitives::scaled_products(rounding, wide(x), wide(rows), {}, wide(factor));
    all.push_back(Case(operation)
                      .with(x_name, {d}, x)
                      .with(rows_name, {n, d}, rows)
                      .with(factor_name, factor)
                      .gives("out", {n}, std::vector{values}));
  }
  return all;
}

std::vector<Case> steps() {
  std::vector<Case> all;
  for (const float penalty : {0.0f, 0.25f})
    for (const char* kind : {"sgd", "momentum", "adam", "adamw"}) {
      const auto t = drawn("parameter", all.size(), 1), g = drawn("gradient", all.size(), 1);
      Case one("optimizer_step");
      one.request.arguments = {{"kind", kind}, {"step", 1}};
      one.with("parameter", {1}, t).with("gradient", {1}, g);
      one.with("rate", 0.0625f).with("penalty", penalty);
      const Wide parameter = wide(t[0]), gradient = wide(g[0]);
      const Adam<Wide> by{wide(0.0625f), wide(0.875f), wide(0.96875f), wide(1e-8f), wide(penalty)};
      const auto state = [&](const char* name, const Values& of, std::size_t at) {
        one.gives(name, {1}, std::vector{of}, at);
      };
      if (one.request.arguments["kind"] == "sgd") {
        state("parameter",
              primitives::sgd(rounding, parameter, gradient, {wide(0.0625f), wide(penalty)}), 0);
      } else if (one.request.arguments["kind"] == "momentum") {
        const auto v = drawn("velocity", all.size(), 1);
        one.with("momentum", 0.875f).with("velocity", {1}, v);
        const auto values =
            primitives::momentum(rounding, parameter, gradient,
                                 {wide(0.0625f), wide(0.875f), wide(penalty)}, {wide(v[0])});
        state("parameter", values, 0), state("velocity", values, 1);
      } else {
        one.with("beta_1", 0.875f).with("beta_2", 0.96875f).with("epsilon", 1e-8f);
        one.with("first", {1}, {0}).with("second", {1}, {0});
        const bool decays = one.request.arguments["kind"] == "adamw";
        if (decays) one.with("decay", 0.125f).with("schedule", 1.0f);
        const auto values =
            decays ? primitives::adamw(rounding, parameter, gradient,
                                       {by, wide(0.125f), wide(1.0f)}, Moments<Wide>())
                   : primitives::adam(rounding, parameter, gradient, by, Moments<Wide>());
        state("parameter", values, 0), state("first", values, 1), state("second", values, 2);
      }
      all.push_back(std::move(one));
    }
  return all;
}

/// What a file is about: the operation, and the claim whose properties have these bounds.
struct Operation {
  const char *name, *claim;
  std::function<std::vector<Case>()> cases;
};
const std::vector<Operation>& operations() {
  static const std::vector<Operation> all{
      {"multiplier", "attention.factors_are_roots",
       [] { return roots("multiplier", "d_model", primitives::root); }},
      {"attention_scale", "attention.factors_are_roots",
       [] { return roots("attention_scale", "d_k", primitives::reciprocal_root); }},
      {"up", "combination.sums_are_of_scaled_parts",
       [] { return combined("up", primitives::multiplied_up); }},
      {"down", "combination.sums_are_of_scaled_parts",
       [] { return combined("down", primitives::divided_down); }},
      {"position_table", "precision.positions_in_low_precision", position_tables},
      {"look_up", "embedding.tables_give_their_products", [] { return rows_of_tables(false); }},
      {"input", "embedding.tables_give_their_products", [] { return rows_of_tables(true); }},
      {"layer_norm", "normalization.layer_norm_is_the_standardised_row",
       [] { return norms("layer_norm", primitives::layer_norm); }},
      {"rms_norm", "normalization.rms_norm_is_the_row_over_its_root_mean_square",
       [] { return norms("rms_norm", primitives::rms_norm); }},
      {"softmax", "attention.weights_are_shares_of_exponentials", softmaxes},
      {"logits", "attention.products_are_summed",
       [] { return products("logits", "q", "keys", "scale"); }},
      {"tied_logits", "tied_output.logits_are_scaled_products",
       [] { return products("tied_logits", "h", "table", "multiplier"); }},
      {"optimizer_step", "optimizer.steps_are_their_formulas", steps}};
  return all;
}

/// Its numbers, and the bits of those in binary32.
ordered_json told(const Array& array) {
  ordered_json out{{"name", array.name}, {"dtype", array.dtype}, {"shape", array.shape}};
  if (array.dtype == "binary32") {
    auto& bits = out["bits"] = ordered_json::array();
    for (const float x : numbers_of<float>(array))
      bits.push_back(fmt::format("{:08x}", std::bit_cast<std::uint32_t>(x)));
  }
  out["decimal"] = numbers(array);
  return out;
}

ordered_json told(const Case& of) {
  ordered_json out{{"arguments", of.request.arguments}};
  for (const auto& array : of.request.arrays) out["arrays"].push_back(told(array));
  out["results"] = of.results;
  return out;
}

}  // namespace

void write_vectors(const std::filesystem::path& directory) {
  const auto right = library();
  Asker asker(*right);
  const auto all = candidates(asker);
  std::filesystem::create_directories(directory);
  for (const auto& [name, claim, cases] : operations()) {
    std::set<std::string_view> causes;
    std::string_view states;
    for (const auto& candidate : all)
      if (candidate.claim->id == claim) {
        states = candidate.claim->states;
        causes.insert(candidate.defects.begin(), candidate.defects.end());
      }
    if (states.empty()) throw std::logic_error("no property is about " + std::string(claim));
    ordered_json out{{"operation", name},
                     {"format", "binary32"},
                     {"claim", claim},
                     {"states", states},
                     {"usual_causes", causes}};
    std::string text = out.dump(1);
    text.resize(text.rfind('\n'));
    text += ",\n \"cases\": [";
    const char* between = "\n";
    for (const auto& one : cases()) text += between + ("  " + told(one).dump()), between = ",\n";
    const auto file = directory / (std::string(name) + ".json");
    std::ofstream to(file, std::ios::binary);
    if (!(to << text << "\n ]\n}\n").flush())
      throw std::runtime_error(file.string() + ": cannot be written");
  }
}

}  // namespace embedscale::properties::subject
