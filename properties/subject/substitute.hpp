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
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "../domain/laws.hpp"
#include "../optimizer/primitives.hpp"
#include "asker.hpp"

namespace embedscale::properties::subject {

/// A request in one format, as it is put together; then what is answered.
template <class Real>
class Question {
 public:
  using In = std::span<const Real>;
  using Shape = std::vector<std::uint64_t>;

  Question(Asker& asker, const char* operation, nlohmann::json arguments = nlohmann::json::object())
      : asker_(asker),
        request_{operation, std::string(number_name<Real>()), std::move(arguments)} {}

  // What it takes: an array of any shape, a row of one integer, a table, a row, a row of one
  // number, a number.
  template <class Number>
  Question& array(const char* name, Shape shape, std::span<const Number> all) {
    request_.arrays.push_back(array_of(name, std::move(shape), all));
    return *this;
  }
  Question& integer(const char* name, std::int64_t one) {
    return array(name, {1}, std::span<const std::int64_t>(&one, 1));
  }
  Question& table(const EmbeddingTable<Real>& of) {
    return array("table", {of.vocabulary(), of.width()}, In(of.values()));
  }
  Question& numbers(const char* name, In all) { return array(name, {all.size()}, all); }
  Question& entry(const char* name, const Real& x) { return array(name, {1}, In(&x, 1)); }
  Question& number(const char* name, const Real& x) { return array(name, {}, In(&x, 1)); }

  // Errors    as Asker.
  const Answer& answer() { return asker_.ask(std::move(request_)); }
  void into(std::span<Real> out, Shape shape) {
    asker_.ask(std::move(request_), std::move(shape), out);
  }
  Real one(Shape shape = {1}) {
    return asker_.template ask_one<Real>(std::move(request_), std::move(shape));
  }

 private:
  Asker& asker_;
  Request request_;
};

/// Row `first` of a position table and the count − 1 behind it.
template <class Real>
std::vector<Real> asked_positions(Asker& asker, std::int64_t first, std::uint64_t count,
                                  std::size_t d, FrequencyRule rule, double base,
                                  SinusoidalLayout layout) {
  std::vector<Real> out(count * d);
  Question<Real>(asker, "position_table",
                 {{"first", first},
                  {"count", count},
                  {"d", d},
                  {"rule", rule == FrequencyRule::paper ? "paper" : "tensor2tensor"},
                  {"layout", layout == SinusoidalLayout::interleaved ? "interleaved" : "halves"},
                  {"base", base}})
      .into(out, {count, d});
  return out;
}

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
  explicit Tables(Asker& asker) : asker_(asker) {}

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
      rows.entries = asked_positions<Real>(asker_, p, static_cast<std::uint64_t>(rows.count),
                                           out.size(), found->rule, found->base, layout);
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
    if (running_ != asker_.running_case()) known_.clear();
    running_ = asker_.running_case();
  }

  Asker& asker_;
  std::vector<Known> known_;
  std::uint64_t running_ = 0;
};

/// The operations on one number type that the subject has, once for all topics; the others are
/// lacked. What it cannot be asked, as another place for ε, is left to the library's.
template <class Real>
struct Substitutes {
  using In = std::span<const Real>;
  using Out = std::span<Real>;
  using Json = nlohmann::json;

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
    const auto put = [&](const char* operation, auto& to, const auto& asked) {
      if (asker.has(operation, number_name<Real>())) to = asked;
    };
    const auto ask = [&asker](auto... what) { return Question<Real>(asker, what...); };
    for (auto [operation, to] : {std::pair("up", &up), {"down", &down}})
      put(operation, *to, [ask, operation](const Real& e, const Real& p, const Real& m) {
        return ask(operation).entry("e", e).entry("p", p).number("m", m).one();
      });
    put("input", input, [ask](const Real& e, const Real& p, const Real& m) {
      auto asked = ask("input");
      asked.array("table", {1, 1}, In(&e, 1)).integer("tokens", 0);
      return asked.array("positions", {1, 1}, In(&p, 1)).number("multiplier", m).one({1, 1});
    });
    const auto at_rate = [ask](const Real& x, DropoutMask mask, double rate) {
      auto asked = ask("dropout", Json{{"rate", rate}});
      return asked.entry("x", x).integer("kept", mask == DropoutMask::kept).one();
    };
    put("dropout", dropout_at_rate, at_rate);
    put("dropout", dropout, [at_rate](const Real& x, DropoutMask mask, const Real& s) {
      // What is asked has a rate: where that is not exactly 1 − 1/s, the library's.
      const double of = static_cast<double>(s);
      const bool is_exact = of >= 1.0 && of <= 1024.0 && std::exp2(std::ilogb(of)) == of;
      return is_exact ? at_rate(x, mask, 1.0 - 1.0 / of) : embedscale::dropout(x, mask, s);
    });
    put("look_up", look_up, [ask](const auto& table, std::size_t token, const Real& m, Out out) {
      auto asked = ask("look_up");
      asked.table(table).integer("tokens", static_cast<std::int64_t>(token));
      asked.number("multiplier", m).into(out, {1, table.width()});
    });
    put("multiplier", multiplier, [ask](std::uint64_t d_model) {
      return ask("multiplier", Json{{"d_model", d_model}}).one({});
    });
    put("attention_scale", scale, [ask](std::size_t d_model, std::size_t d_k) {
      return ask("attention_scale", Json{{"d_model", d_model}, {"d_k", d_k}}).one({});
    });
    put("softmax", softmax, [ask](Out z) { ask("softmax").numbers("z", z).into(z, {z.size()}); });
    put("logits", logit, [ask](In q, In k, const Real& factor) {
      auto asked = ask("logits");
      return asked.numbers("q", q).array("keys", {1, k.size()}, k).number("scale", factor).one();
    });
    put("tied_logits", tied_logits, [ask](const auto& table, In h, const Real& c, Out out) {
      auto asked = ask("tied_logits");
      asked.table(table).numbers("h", h).number("multiplier", c).into(out, {out.size()});
    });
    const auto norm = [ask](const char* name, auto library) {
      return [ask, name, library](In x, const Real& epsilon, EpsilonPlacement place, Out out) {
        if (place == EpsilonPlacement::variance)
          ask(name).numbers("x", x).number("epsilon", epsilon).into(out, {x.size()});
        else
          library(x, epsilon, place, out);
      };
    };
    put("layer_norm", layer_norm, norm("layer_norm", embedscale::layer_norm<Real>));
    put("rms_norm", rms_norm, norm("rms_norm", embedscale::rms_norm<Real>));
    const auto tables = std::make_shared<Tables<Real>>(asker);
    put("position_table", frequencies,
        [tables](std::size_t d, FrequencyRule rule, const Real& base) {
          return tables->named(sinusoidal_frequencies<Real>(d, rule, base), rule, base);
        });
    put("position_table", encode, [tables](std::int64_t p, In w, SinusoidalLayout layout, Out out) {
      if (!tables->encode(p, w, layout, out)) encode_position<Real>(p, w, layout, out);
    });
    put("initialise", initialise,
        [ask](const Initializer& of, std::size_t rows, std::size_t columns, std::uint64_t seed,
              Out out) {
          Json arguments{{"distribution", domain::name_of({of})},
                         {"rows", rows},
                         {"columns", columns},
                         {"seed", seed}};
          // Xavier's scale is what is asked.
          if (!std::holds_alternative<XavierUniform>(of) &&
              !std::holds_alternative<XavierNormal>(of))
            arguments["parameter"] = scale_of(of);
          ask("initialise", arguments).into(out, {rows, columns});
        });
    put("clip_by_global_norm", clip_by_global_norm,
        [ask, &asker](Out first, Out second, const Real& most) {
          auto asked = ask("clip_by_global_norm", Json{{"parts", 2}});
          asked.numbers("gradient_0", first).numbers("gradient_1", second);
          const auto& answer = asked.number("max_norm", most).answer();
          asker.take(answer, "out_0", {first.size()}, first);
          asker.take(answer, "out_1", {second.size()}, second);
        });
    put_steps(asker, put, ask);
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

 private:
  void put_steps(Asker& asker, const auto& put, const auto& ask) {
    const auto stepped = [ask](const char* kind, std::uint64_t k, const Real& t, const Real& g) {
      auto asked = ask("optimizer_step", Json{{"kind", kind}, {"step", k}});
      asked.entry("parameter", t).entry("gradient", g);
      return asked;
    };
    const auto take = [&asker](const Answer& answer, const char* name) {
      return asker.take_one<Real>(answer, name);
    };
    put("optimizer_step", sgd, [stepped, take](const Real& t, const Real& g, const auto& by) {
      auto asked = stepped("sgd", 1, t, g);
      return take(asked.number("rate", by.rate).number("penalty", by.penalty).answer(),
                  "parameter");
    });
    put("optimizer_step", momentum,
        [stepped, take](const Real& t, const Real& g, const auto& by, auto& state) {
          auto asked = stepped("momentum", 1, t, g);
          asked.number("rate", by.rate).number("momentum", by.momentum);
          asked.number("penalty", by.penalty).entry("velocity", state.v);
          const auto& answer = asked.answer();
          state.v = take(answer, "velocity");
          return take(answer, "parameter");
        });
    const auto with_moments = [take](auto asked, const Adam<Real>& by, Moments<Real>& state) {
      asked.number("rate", by.rate).number("penalty", by.penalty);
      asked.number("beta_1", by.beta_1).number("beta_2", by.beta_2);
      asked.number("epsilon", by.epsilon);
      asked.entry("first", state.first).entry("second", state.second);
      const auto& answer = asked.answer();
      state.first = take(answer, "first"), state.second = take(answer, "second");
      state.power_1 = state.power_1 * by.beta_1, state.power_2 = state.power_2 * by.beta_2;
      return take(answer, "parameter");
    };
    // Asked is step k: where β₁^k and β₂^k are other numbers than products give, the library's.
    put("optimizer_step", adam,
        [=](const Real& t, const Real& g, const Adam<Real>& by, auto& state) {
          const auto k = step_of(by, state);
          return k ? with_moments(stepped("adam", *k, t, g), by, state)
                   : embedscale::adam(t, g, by, state);
        });
    put("optimizer_step", adamw,
        [=](const Real& t, const Real& g, const AdamW<Real>& by, auto& state) {
          const auto k = step_of(by.adam, state);
          if (!k) return embedscale::adamw(t, g, by, state);
          auto asked = stepped("adamw", *k, t, g);
          asked.number("decay", by.decay).number("schedule", by.schedule);
          return with_moments(std::move(asked), by.adam, state);
        });
  }
};

}  // namespace embedscale::properties::subject
