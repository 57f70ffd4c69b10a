#pragma once
// Configurations that nobody thought of: any that the README of the systems allows, of sizes that
// are audited in well under a millisecond. Each key is drawn under its own name: a counterexample
// shows them, and is simplified key by key, to the first of the words.
#include "audit/test/configurations.hpp"
#include "properties/domain/decimal.hpp"
#include "properties/testing/draws.hpp"

#include <map>
#include <string>
#include <vector>

namespace embedscale::audit {

/// Draws one in the body of a property that runs.
class Drawn {
 public:
  /// `side` tells its names from those of another.
  explicit Drawn(std::string side = "") : side_(std::move(side)) {
    draw_model_and_position();
    draw_token();
    draw_norms();
    draw_attention_and_output();
    draw_extras();
  }

  std::string toml() const {
    std::string text;
    for (const auto& [section, lines] : sections_) text += "[" + section + "]\n" + lines;
    return text + extras_;
  }

  /// What was written, by path; of further tables, one after the other.
  std::map<std::string, std::string> values;
  int extras = 0;

  bool has(const std::string& path) const { return values.contains(path); }
  bool has(const std::string& path, std::string_view value) const {
    return has(path) && values.at(path) == value;
  }

 private:
  using Words = std::vector<std::string>;
  using Mixture = properties::domain::Mixture;
  using Integers = properties::domain::Integers;

  /// Factors: 7/8 of any sign and 2^−10 <= |m| < 2^11, 1/8 zero.
  static constexpr Mixture factors{{7, 0, 1, 0, 0}, -10, 10};
  /// 2^−40 <= ε < 1, 1/8 zero.
  static constexpr Mixture epsilons{{7, 0, 1, 0, 0}, -40, -1, false};
  inline static const Words laws{"normal", "uniform", "truncated_normal", "xavier_uniform",
                                 "xavier_normal"};

  std::string drawn(const std::string& name, const Words& words) const {
    return words[properties::testing::one_of(side_ + name, words)];
  }
  std::uint64_t drawn(const std::string& name, const Integers& range) const {
    return properties::testing::named(side_ + name, properties::testing::integers(range));
  }
  /// Whether it is given, in so many of four draws.
  bool gives(const std::string& what, std::uint64_t of_four = 2) const {
    using properties::testing::in_range;
    return properties::testing::named(side_ + what, in_range<std::uint64_t>(0, 4)) >= 4 - of_four;
  }

  void write(const std::string& path, const std::string& value, const char* quote = "'") {
    const std::size_t dot = path.find('.');
    sections_[path.substr(0, dot)] += path.substr(dot + 1) + " = " + quote + value + quote + "\n";
    values[path] = value;
  }
  void word(const std::string& path, const Words& words) { write(path, drawn(path, words)); }
  void truth(const std::string& path) { write(path, drawn(path, {"false", "true"}), ""); }
  void integer(const std::string& path, const Integers& range) {
    write(path, std::to_string(drawn(path, range)), "");
  }
  void number(const std::string& path, const Mixture& mixture) {
    const double x =
        properties::testing::named(side_ + path, properties::testing::floats<double>(mixture));
    write(path, properties::domain::decimal(x), "");
  }
  /// With the parameter that it takes.
  void law(const std::string& path, const Words& kinds) {
    word(path, kinds);
    const auto prefix = path.ends_with(".law") ? path.substr(0, path.size() - 3) : path + "_";
    if (has(path, "uniform")) number(prefix + "half_range", properties::domain::law_scales);
    if (has(path, "normal") || has(path, "truncated_normal"))
      number(prefix + "standard_deviation", properties::domain::law_scales);
  }
  void norm(const std::string& section) {
    word(section + ".kind", {"layer_norm", "rms_norm"});
    number(section + ".epsilon", epsilons);
    word(section + ".epsilon_added_to", {"variance", "standard_deviation"});
  }

  /// Sinusoids have pairs, tensor2tensor's two or more, and what stands beside them a channel.
  void draw_model_and_position() {
    word("position.kind",
         {"none", "sinusoidal", "learned", "rotary", "relative", "relative_bias", "alibi"});
    const bool sines = has("position.kind", "sinusoidal"),
               learned = has("position.kind", "learned");
    if (sines) word("position.frequencies", {"paper", "tensor2tensor"});
    const bool beside = (sines || learned) && gives("concatenation", 1);
    const std::uint64_t heads = drawn("model.heads", Integers{1, 16}),
                        pairs = has("position.frequencies", "tensor2tensor") ? 2 : 1,
                        least = sines ? 2 * pairs + beside : 2;
    std::uint64_t d = heads * drawn("channels of a head", Integers{1, 64});
    while (d < least || (sines && !beside && d % 2 != 0)) d *= 2;
    write("model.d_model", std::to_string(d), "");
    write("model.heads", std::to_string(heads), "");
    if (gives("d_k", 1)) integer("model.d_k", {1, 64});
    if (gives("vocabulary", 3)) integer("model.vocabulary", {1, 1 << 18});
    if (gives("positions", 3)) integer("model.positions", {1, 64});
    if (beside) {
      const auto width = sines ? d - 2 * drawn("pairs", Integers{pairs, (d - 1) / 2})
                               : drawn("token.width", Integers{1, d - 1});
      write("token.width", std::to_string(width), "");
      write("position.combine", "concatenation");
    }
    if (sines || has("position.kind", "rotary")) {
      word("position.layout", {"interleaved", "halves"});
      if (gives("base")) number("position.base", properties::domain::positive_floats(0, 20));
    }
    if (learned) law("position.law", laws);
    if (!sines && !learned) return;
    if (gives("first")) integer("position.first", {0, 1000});
    number("position.multiplier", factors);
  }

  void draw_token() {
    law("token.law", laws);
    if (gives("root"))
      write("token.multiplier", "sqrt(d_model)");
    else
      number("token.multiplier", factors);
    word("token.multiplier_format", {"binary64", "binary32", "binary16", "bfloat16"});
  }

  void draw_norms() {
    if (gives("embedding_norm", 3)) norm("embedding_norm");
    word("block.norm", {"none", "pre", "post"});
    const bool blocks = !has("block.norm", "none");
    if (blocks) norm("block");
    if (gives("gain", 3)) word("final_norm.gain", {"plain", "one_plus", "none"});
    if (gives("bias", 3) && !has("final_norm.gain", "none") && (blocks || has("final_norm.gain")))
      truth("final_norm.bias");
  }

  void draw_attention_and_output() {
    Words kinds = laws;
    kinds.insert(kinds.end(), {"packed_xavier_uniform", "zeros"});
    law("attention.projection", kinds);
    if (gives("scale")) number("attention.scale", properties::domain::positive_floats(-8, 4));
    truth("output.tied");
    if (has("output.tied", "false")) law("output.law", laws);
    number("output.multiplier", factors);
  }

  void draw_extras() {
    const std::uint64_t count = drawn("extras", Integers{0, 2});
    for (; extras < static_cast<int>(count); ++extras) {
      const std::string own = "extra" + std::to_string(extras);
      law(own + ".law", laws);
      if (values[own + ".law"].starts_with("xavier")) integer(own + ".rows", {1, 64});
      number(own + ".multiplier", factors);
      extras_ += "[[extra]]\n" + sections_[own];
      sections_.erase(own);
    }
  }

  std::string side_, extras_;
  std::map<std::string, std::string> sections_;
};

}  // namespace embedscale::audit
