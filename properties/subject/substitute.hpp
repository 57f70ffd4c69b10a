#pragma once
// Puts a subject's operations in the place of the library's, in whatever topic has them.
#include <embedscale/attention.hpp>
#include <embedscale/dropout.hpp>
#include <embedscale/embedding.hpp>
#include <embedscale/expected/normalization.hpp>
#include <embedscale/initializer.hpp>
#include <embedscale/normalization.hpp>
#include <embedscale/optimizer.hpp>
#include <embedscale/sinusoidal.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "../domain/laws.hpp"
#include "../optimizer/primitives.hpp"
#include "asker.hpp"

namespace embedscale::properties::subject {

/// Makes requests in one format.
template <class Real>
class Asked {
 public:
  using In = std::span<const Real>;
  using Out = std::span<Real>;
  using Shape = std::vector<std::uint64_t>;

  explicit Asked(Asker& asker) : asker_(&asker) {}

  bool has(const char* operation) const { return asker_->has(operation, number_name<Real>()); }

  Real combined(const char* how, const Real& e, const Real& p, const Real& m) const {
    auto asked = request(how);
    put(asked, "e", {1}, In(&e, 1)), put(asked, "p", {1}, In(&p, 1)), put(asked, "m", m);
    return asker_->ask_one<Real>(std::move(asked), {1});
  }
  Real input(const Real& e, const Real& p, const Real& m) const {
    auto asked = request("input");
    put(asked, "table", {1, 1}, In(&e, 1)), put_tokens(asked, 0);
    put(asked, "positions", {1, 1}, In(&p, 1)), put(asked, "multiplier", m);
    return asker_->ask_one<Real>(std::move(asked), {1, 1});
  }
  void look_up(const EmbeddingTable<Real>& table, std::size_t token, const Real& m, Out out) const {
    auto asked = request("look_up");
    put_table(asked, table), put_tokens(asked, token), put(asked, "multiplier", m);
    asker_->ask(std::move(asked), {1, table.width()}, out);
  }
  Real multiplier(std::uint64_t d_model) const {
    auto asked = request("multiplier");
    asked.arguments["d_model"] = d_model;
    return asker_->ask_one<Real>(std::move(asked), {});
  }
  Real attention_scale(std::uint64_t d_model, std::uint64_t d_k) const {
    auto asked = request("attention_scale");
    asked.arguments["d_model"] = d_model, asked.arguments["d_k"] = d_k;
    return asker_->ask_one<Real>(std::move(asked), {});
  }
  void norm(const char* which, In x, const Real& epsilon, Out out) const {
    auto asked = request(which);
    put(asked, "x", {x.size()}, x), put(asked, "epsilon", epsilon);
    asker_->ask(std::move(asked), {x.size()}, out);
  }
  void softmax(Out z) const {
    auto asked = request("softmax");
    put(asked, "z", {z.size()}, In(z));
    asker_->ask(std::move(asked), {z.size()}, z);
  }
  Real logit(In q, In k, const Real& scale) const {
    auto asked = request("logits");
    put(asked, "q", {q.size()}, q), put(asked, "keys", {1, k.size()}, k),
        put(asked, "scale", scale);
    return asker_->ask_one<Real>(std::move(asked), {1});
  }
  void tied_logits(const EmbeddingTable<Real>& table, In h, const Real& c, Out out) const {
    auto asked = request("tied_logits");
    put_table(asked, table), put(asked, "h", {h.size()}, h), put(asked, "multiplier", c);
    asker_->ask(std::move(asked), {out.size()}, out);
  }
  Real dropout(const Real& x, DropoutMask mask, double rate) const {
    auto asked = request("dropout");
    const std::int64_t kept = mask == DropoutMask::kept;
    asked.arguments["rate"] = rate;
    put(asked, "x", {1}, In(&x, 1));
    asked.arrays.push_back(array_of("kept", {1}, std::span<const std::int64_t>(&kept, 1)));
    return asker_->ask_one<Real>(std::move(asked), {1});
  }
  /// Row `first` and the count − 1 behind it.
  std::vector<Real> positions(std::int64_t first, std::uint64_t count, std::size_t d,
                              FrequencyRule rule, double base, SinusoidalLayout layout) const {
    auto asked = request("position_table");
    asked.arguments = {
        {"first", first},
        {"count", count},
        {"d", d},
        {"rule", rule == FrequencyRule::paper ? "paper" : "tensor2tensor"},
        {"layout", layout == SinusoidalLayout::interleaved ? "interleaved" : "halves"},
        {"base", base}};
    std::vector<Real> out(count * d);
    asker_->ask(std::move(asked), {count, d}, std::span<Real>(out));
    return out;
  }
  void initialise(const Initializer& of, std::size_t rows, std::size_t columns, std::uint64_t seed,
                  Out out) const {
    auto asked = request("initialise");
    asked.arguments = {{"distribution", domain::name_of({of})},
                       {"rows", rows},
                       {"columns", columns},
                       {"seed", seed}};
    // Xavier's scale is what is asked.
    if (!std::holds_alternative<XavierUniform>(of) && !std::holds_alternative<XavierNormal>(of))
      asked.arguments["parameter"] = scale_of(of);
    asker_->ask(std::move(asked), {rows, columns}, out);
  }
  void clip_by_global_norm(Out first, Out second, const Real& most) const {
    auto asked = request("clip_by_global_norm");
    asked.arguments["parts"] = 2;
    put(asked, "gradient_0", {first.size()}, In(first));
    put(asked, "gradient_1", {second.size()}, In(second)), put(asked, "max_norm", most);
    const auto& answer = asker_->ask(std::move(asked));
    asker_->take(answer, "out_0", {first.size()}, first);
    asker_->take(answer, "out_1", {second.size()}, second);
  }
  /// The case that runs: what was answered in another is not kept.
  std::uint64_t running_case() const { return asker_->running_case(); }

  Real step(const Real& t, const Real& g, const Sgd<Real>& by) const {
    auto asked = stepped("sgd", 1, t, g);
    put(asked, "rate", by.rate), put(asked, "penalty", by.penalty);
    return asker_->take_one<Real>(asker_->ask(std::move(asked)), "parameter");
  }
  Real step(const Real& t, const Real& g, const Momentum<Real>& by, Velocity<Real>& state) const {
    auto asked = stepped("momentum", 1, t, g);
    put(asked, "rate", by.rate), put(asked, "momentum", by.momentum);
    put(asked, "penalty", by.penalty), put(asked, "velocity", {1}, In(&state.v, 1));
    const auto& answer = asker_->ask(std::move(asked));
    state.v = asker_->take_one<Real>(answer, "velocity");
    return asker_->take_one<Real>(answer, "parameter");
  }
  Real step(std::uint64_t k, const Real& t, const Real& g, const Adam<Real>& by,
            Moments<Real>& state) const {
    return with_moments(stepped("adam", k, t, g), by, state);
  }
  Real step(std::uint64_t k, const Real& t, const Real& g, const AdamW<Real>& by,
            Moments<Real>& state) const {
    auto asked = stepped("adamw", k, t, g);
    put(asked, "decay", by.decay), put(asked, "schedule", by.schedule);
    return with_moments(std::move(asked), by.adam, state);
  }

 private:
  static Request request(const char* operation) {
    return {operation, std::string(number_name<Real>())};
  }
  static void put(Request& to, const char* name, Shape shape, In numbers) {
    to.arrays.push_back(array_of(name, std::move(shape), numbers));
  }
  static void put(Request& to, const char* name, const Real& number) {
    put(to, name, {}, In(&number, 1));
  }
  static void put_table(Request& to, const EmbeddingTable<Real>& table) {
    put(to, "table", {table.vocabulary(), table.width()}, table.values());
  }
  static void put_tokens(Request& to, std::size_t token) {
    const auto one = static_cast<std::int64_t>(token);
    to.arrays.push_back(array_of("tokens", {1}, std::span<const std::int64_t>(&one, 1)));
  }
  static Request stepped(const char* kind, std::uint64_t step, const Real& t, const Real& g) {
    auto asked = request("optimizer_step");
    asked.arguments = {{"kind", kind}, {"step", step}};
    put(asked, "parameter", {1}, In(&t, 1)), put(asked, "gradient", {1}, In(&g, 1));
    return asked;
  }
  Real with_moments(Request asked, const Adam<Real>& by, Moments<Real>& state) const {
    put(asked, "rate", by.rate), put(asked, "penalty", by.penalty);
    put(asked, "beta_1", by.beta_1), put(asked, "beta_2", by.beta_2);
    put(asked, "epsilon", by.epsilon);
    put(asked, "first", {1}, In(&state.first, 1)), put(asked, "second", {1}, In(&state.second, 1));
    const auto& answer = asker_->ask(std::move(asked));
    state.first = asker_->take_one<Real>(answer, "first");
    state.second = asker_->take_one<Real>(answer, "second");
    state.power_1 = state.power_1 * by.beta_1, state.power_2 = state.power_2 * by.beta_2;
    return asker_->take_one<Real>(answer, "parameter");
  }

  Asker* asker_;
};

/// The number of the step before which the powers of β₁ and β₂ are these, as products from 1 on;
/// none where they are not. So few steps that looking for it costs less than to ask.
template <class Real>
std::optional<std::uint64_t> step_of(const Adam<Real>& by, const Moments<Real>& state) {
  constexpr std::uint64_t most = 1001;
  Moments<Real> at;
  for (std::uint64_t k = 1; k <= most; ++k) {
    if (at.power_1 == state.power_1 && at.power_2 == state.power_2) return k;
    at.power_1 = at.power_1 * by.beta_1, at.power_2 = at.power_2 * by.beta_2;
  }
  return std::nullopt;
}

/// Rows of position tables. A table is asked by its rule, of which `encode` sees the frequencies
/// alone; those of the running case are known. Rows that are wanted one after another are asked
/// for together, twice as many each time.
template <class Real>
class Tables {
 public:
  explicit Tables(const Asked<Real>& asked) : asked_(asked) {}

  std::vector<Real> named(std::vector<Real> w, FrequencyRule rule, const Real& base) {
    forget_other_cases();
    known_.push_back({w, rule, static_cast<double>(base), {}});
    return w;
  }
  /// False where the frequencies are those of no rule.
  bool encode(std::int64_t p, std::span<const Real> w, SinusoidalLayout layout,
              std::span<Real> out) {
    forget_other_cases();
    const auto found =
        std::ranges::find_if(known_, [&](const Known& of) { return std::ranges::equal(of.w, w); });
    if (found == known_.end()) return false;
    auto& rows = found->rows[layout];
    if (p < rows.first || p >= rows.first + rows.count) {
      const bool goes_on = rows.count > 0 && p == rows.first + rows.count;
      rows.count = goes_on ? std::min<std::int64_t>(2 * rows.count, 256) : 1;
      rows.first = p;
      rows.entries = asked_.positions(p, static_cast<std::uint64_t>(rows.count), out.size(),
                                      found->rule, found->base, layout);
    }
    const auto at = static_cast<std::size_t>(p - rows.first) * out.size();
    std::ranges::copy(std::span(rows.entries).subspan(at, out.size()), out.begin());
    return true;
  }

 private:
  struct Rows {
    std::int64_t first = 0, count = 0;
    std::vector<Real> entries = {};
  };
  struct Known {
    std::vector<Real> w;
    FrequencyRule rule;
    double base;
    std::map<SinusoidalLayout, Rows> rows;
  };
  void forget_other_cases() {
    if (running_ != asked_.running_case()) known_.clear();
    running_ = asked_.running_case();
  }

  Asked<Real> asked_;
  std::vector<Known> known_;
  std::uint64_t running_ = 0;
};

/// The operations on one number type that the subject has, once for all topics; the others are
/// lacked. What it cannot be asked, as another place for ε, is left to the library's.
template <class Real>
struct Substitutes {
  using In = std::span<const Real>;
  using Out = std::span<Real>;

  template <class Signature>
  struct Lacked : Operation<Signature> {
    constexpr Lacked() : Operation<Signature>(nullptr) {}
    using Operation<Signature>::operator=;
  };
  Lacked<Real(const Real&e, const Real&p, const Real&m)> up, down, input;
  Lacked<Real(const Real& x, DropoutMask mask, const Real& scale)> dropout;
  Lacked<Real(const Real& x, DropoutMask mask, double rate)> dropout_at_rate;
  Lacked<void(const EmbeddingTable<Real>&, std::size_t token, const Real& m, Out)> look_up;
  Lacked<Real(std::uint64_t d_model)> multiplier;
  Lacked<Real(std::size_t d_model, std::size_t d_k)> scale;
  Lacked<void(Out z)> softmax;
  Lacked<Real(In q, In k, const Real& scale)> logit;
  Lacked<void(const EmbeddingTable<Real>&, In h, const Real& c, Out)> tied_logits;
  Lacked<void(In x, const Real&epsilon, EpsilonPlacement, Out)> layer_norm, rms_norm;
  Lacked<std::vector<Real>(std::size_t d, FrequencyRule, const Real& base)> frequencies;
  Lacked<void(std::int64_t p, In w, SinusoidalLayout, Out)> encode;
  Lacked<void(const Initializer&, std::size_t rows, std::size_t columns, std::uint64_t seed, Out)>
      initialise;
  Lacked<void(Out first, Out second, const Real& max_norm)> clip_by_global_norm;
  Lacked<Real(const Real& t, const Real& g, const Sgd<Real>&)> sgd;
  Lacked<Real(const Real& t, const Real& g, const Momentum<Real>&, Velocity<Real>&)> momentum;
  Lacked<Real(const Real& t, const Real& g, const Adam<Real>&, Moments<Real>&)> adam;
  Lacked<Real(const Real& t, const Real& g, const AdamW<Real>&, Moments<Real>&)> adamw;

  explicit Substitutes(Asker& asker) {
    const Asked<Real> asked(asker);
    const auto combined = [asked](const char* how) {
      return [asked, how](const Real& e, const Real& p, const Real& m) {
        return asked.combined(how, e, p, m);
      };
    };
    if (asked.has("up")) up = combined("up");
    if (asked.has("down")) down = combined("down");
    if (asked.has("input"))
      input = [asked](const Real& e, const Real& p, const Real& m) { return asked.input(e, p, m); };
    if (asked.has("dropout")) {
      dropout_at_rate = [asked](const Real& x, DropoutMask mask, double rate) {
        return asked.dropout(x, mask, rate);
      };
      dropout = [asked](const Real& x, DropoutMask mask, const Real& s) {
        // What is asked has a rate: where that is not exactly 1 − 1/s, the library's.
        const double of = static_cast<double>(s);
        const bool is_exact = of >= 1.0 && of <= 1024.0 && std::exp2(std::ilogb(of)) == of;
        return is_exact ? asked.dropout(x, mask, 1.0 - 1.0 / of) : embedscale::dropout(x, mask, s);
      };
    }
    if (asked.has("look_up"))
      look_up = [asked](const auto& table, std::size_t token, const Real& m, Out out) {
        asked.look_up(table, token, m, out);
      };
    if (asked.has("multiplier"))
      multiplier = [asked](std::uint64_t d_model) { return asked.multiplier(d_model); };
    if (asked.has("attention_scale"))
      scale = [asked](std::size_t d_model, std::size_t d_k) {
        return asked.attention_scale(d_model, d_k);
      };
    if (asked.has("softmax")) softmax = [asked](Out z) { asked.softmax(z); };
    if (asked.has("logits"))
      logit = [asked](In q, In k, const Real& factor) { return asked.logit(q, k, factor); };
    if (asked.has("tied_logits"))
      tied_logits = [asked](const auto& table, In h, const Real& c, Out out) {
        asked.tied_logits(table, h, c, out);
      };
    const auto norm = [asked](const char* name, auto library) {
      return [asked, name, library](In x, const Real& epsilon, EpsilonPlacement place, Out out) {
        if (place == EpsilonPlacement::variance)
          asked.norm(name, x, epsilon, out);
        else
          library(x, epsilon, place, out);
      };
    };
    if (asked.has("layer_norm")) layer_norm = norm("layer_norm", embedscale::layer_norm<Real>);
    if (asked.has("rms_norm")) rms_norm = norm("rms_norm", embedscale::rms_norm<Real>);
    if (asked.has("position_table")) {
      const auto tables = std::make_shared<Tables<Real>>(asked);
      frequencies = [tables](std::size_t d, FrequencyRule rule, const Real& base) {
        return tables->named(sinusoidal_frequencies<Real>(d, rule, base), rule, base);
      };
      encode = [tables](std::int64_t p, In w, SinusoidalLayout layout, Out out) {
        if (!tables->encode(p, w, layout, out)) encode_position<Real>(p, w, layout, out);
      };
    }
    if (asked.has("initialise"))
      initialise = [asked](const Initializer& of, std::size_t rows, std::size_t columns,
                           std::uint64_t seed,
                           Out out) { asked.initialise(of, rows, columns, seed, out); };
    if (asked.has("clip_by_global_norm"))
      clip_by_global_norm = [asked](Out first, Out second, const Real& most) {
        asked.clip_by_global_norm(first, second, most);
      };
    if (!asked.has("optimizer_step")) return;
    sgd = [asked](const Real& t, const Real& g, const auto& by) { return asked.step(t, g, by); };
    momentum = [asked](const Real& t, const Real& g, const auto& by, auto& state) {
      return asked.step(t, g, by, state);
    };
    // Asked is step k: where β₁^k and β₂^k are other numbers than products give, the library's.
    adam = [asked](const Real& t, const Real& g, const Adam<Real>& by, auto& state) {
      const auto k = step_of(by, state);
      return k ? asked.step(*k, t, g, by, state) : embedscale::adam(t, g, by, state);
    };
    adamw = [asked](const Real& t, const Real& g, const AdamW<Real>& by, auto& state) {
      const auto k = step_of(by.adam, state);
      return k ? asked.step(*k, t, g, by, state) : embedscale::adamw(t, g, by, state);
    };
  }

  /// In the places of a topic's operations that are there.  Returns whether any is.
  template <class Operations>
  bool replace(Operations& in) const {
    bool is_there = false;
    const auto put = [&]<class Of>(const Of& own, auto& to) {
      if (own.is_ones_own()) to = own, is_there = true;
    };
    if constexpr (requires { in.up; }) put(up, in.up);
    if constexpr (requires { in.down; }) put(down, in.down);
    if constexpr (requires(Real x) { in.input(x, x, x); }) put(input, in.input);
    if constexpr (requires { in.dropout; })
      put(dropout, in.dropout), put(dropout_at_rate, in.dropout_at_rate);
    if constexpr (requires { in.initialise; }) put(initialise, in.initialise);
    if constexpr (requires { in.clip_by_global_norm; })
      put(clip_by_global_norm, in.clip_by_global_norm);
    if constexpr (requires { in.look_up; }) put(look_up, in.look_up);
    if constexpr (requires { in.root; }) put(multiplier, in.root);
    if constexpr (requires { in.multiplier; }) put(multiplier, in.multiplier);
    if constexpr (requires { in.scale; }) put(scale, in.scale);
    if constexpr (requires { in.softmax; }) put(softmax, in.softmax);
    if constexpr (requires { in.logit; }) put(logit, in.logit);
    if constexpr (requires { in.logits; }) put(tied_logits, in.logits);
    if constexpr (requires { in.layer_norm; }) put(layer_norm, in.layer_norm);
    if constexpr (requires { in.rms_norm; }) put(rms_norm, in.rms_norm);
    if constexpr (requires { in.frequencies, in.encode; })
      put(frequencies, in.frequencies), put(encode, in.encode);
    if constexpr (requires { in.sgd; }) put(sgd, in.sgd);
    if constexpr (requires { in.momentum; }) put(momentum, in.momentum);
    if constexpr (requires { in.adam; }) put(adam, in.adam);
    if constexpr (requires { in.adamw; }) put(adamw, in.adamw);
    return is_there;
  }
};

}  // namespace embedscale::properties::subject
