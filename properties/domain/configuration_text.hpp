#pragma once
// A configuration as TOML, in the keys of analyses/systems/README.md.
#include <cstdint>
#include <string>

#include "configurations.hpp"
#include "decimal.hpp"

namespace embedscale::properties::domain {

namespace detail {
/// Lines of TOML.
class Toml {
 public:
  void section(const std::string& header) { text_ += header + "\n"; }
  void number(const std::string& key, double x) { line(key, decimal(x)); }
  void integer(const std::string& key, std::uint64_t n) { line(key, std::to_string(n)); }
  void given(const std::string& key, std::uint64_t n) {
    if (n != 0) integer(key, n);
  }
  void word(const std::string& key, Word value) { line(key, "'" + std::string(value) + "'"); }

  /// "law" and the parameter that it takes; "projection" instead for those of the attention.
  void law(const LawKeys& keys, const std::string& key = "law", const std::string& prefix = "") {
    word(key, keys.kind);
    if (keys.kind == "uniform") number(prefix + "half_range", keys.scale);
    if (keys.kind == "normal" || keys.kind == "truncated_normal")
      number(prefix + "standard_deviation", keys.scale);
  }
  void norm(const NormKeys& keys) {
    word("kind", keys.kind);
    number("epsilon", keys.epsilon);
    word("epsilon_added_to", keys.added_to);
  }
  const std::string& text() const { return text_; }

 private:
  void line(const std::string& key, const std::string& value) {
    text_ += key + " = " + value + "\n";
  }
  std::string text_;
};
}  // namespace detail

/// Keys that do not apply are left out: what is given has an effect.
inline std::string toml_of(const ModelConfiguration& c) {
  detail::Toml to;
  to.section("[model]");
  to.integer("d_model", c.d_model);
  to.integer("heads", c.heads);
  to.given("d_k", c.d_k);
  to.given("vocabulary", c.vocabulary);
  to.given("positions", c.positions);

  to.section("[token]");
  to.law(c.token_law);
  if (c.multiplied_by_root)
    to.word("multiplier", "sqrt(d_model)");
  else
    to.number("multiplier", c.token_multiplier);
  to.word("multiplier_format", c.multiplier_format);
  if (adds_positions(c)) to.given("width", c.token_width);

  to.section("[position]");
  to.word("kind", c.position_kind);
  if (c.token_width != 0 && adds_positions(c)) to.word("combine", "concatenation");
  if (c.position_kind == "sinusoidal") {
    to.word("frequencies", c.frequencies);
    to.word("layout", c.layout);
    to.number("base", c.base);
    to.integer("first", c.first);
  }
  if (c.position_kind == "learned") to.law(c.position_law);
  if (adds_positions(c)) to.number("multiplier", c.position_multiplier);

  if (!c.embedding_norm.kind.empty()) {
    to.section("[embedding_norm]");
    to.norm(c.embedding_norm);
  }
  to.section("[block]");
  to.word("norm", c.block);
  if (c.block != "none") to.norm(c.block_norm);

  if (!c.final_gain.empty() || !c.final_bias.empty()) to.section("[final_norm]");
  if (!c.final_gain.empty()) to.word("gain", c.final_gain);
  if (!c.final_bias.empty()) to.section("bias = " + std::string(c.final_bias));

  to.section("[attention]");
  to.law(c.projection, "projection", "projection_");
  if (c.attention_scale != 0.0) to.number("scale", c.attention_scale);

  to.section("[output]");
  to.section(c.tied ? "tied = true" : "tied = false");
  if (!c.tied) to.law(c.output_law);
  to.number("multiplier", c.output_multiplier);

  for (const ExtraKeys& extra : c.extras) {
    to.section("[[extra]]");
    to.law(extra.law);
    if (extra.law.kind.starts_with("xavier")) to.integer("rows", extra.rows);
    to.number("multiplier", extra.multiplier);
  }
  return to.text();
}

}  // namespace embedscale::properties::domain
