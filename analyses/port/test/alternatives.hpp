#pragma once
// Each field of a configuration with values to try, and models in which they count.
#include "audit/test/configurations.hpp"

#include <string>
#include <vector>

namespace embedscale::port {

/// Values that a field may have, others than the configurations below.
struct Alternatives {
  std::string field;
  std::vector<std::string> values;
};
inline const std::vector<Alternatives>& alternatives() {
  static const std::vector<Alternatives> all{
      {"name", {"another"}},
      {"source.repository", {"a/b"}},
      {"source.commit", {"0"}},
      {"source.files", {"[\"f\"]"}},
      {"model.heads", {"4", "16"}},
      {"model.d_k", {"32", "128"}},
      {"model.vocabulary", {"99", "101"}},
      {"model.positions", {"63", "65"}},
      {"token.kind", {"features"}},
      {"token.law", {"xavier_uniform"}},
      {"token.standard_deviation", {"2"}},
      {"token.multiplier", {"1", "4", "-4", "sqrt(d_model)"}},
      {"token.multiplier_format", {"bfloat16", "binary64"}},
      {"token.multiplier_when", {"always", "sinusoidal"}},
      {"token.width", {"128", "256"}},
      {"token.projected", {"token", "sum"}},
      {"token.projection", {"xavier_uniform"}},
      {"token.projection_standard_deviation", {"2"}},
      {"position.kind",
       {"sinusoidal", "learned", "rotary", "relative", "relative_bias", "alibi", "none"}},
      {"position.frequencies", {"paper", "tensor2tensor"}},
      {"position.layout", {"interleaved", "halves"}},
      {"position.base", {"500"}},
      {"position.first", {"0", "2"}},
      {"position.law", {"xavier_uniform"}},
      {"position.standard_deviation", {"2"}},
      {"position.multiplier", {"1", "-3"}},
      {"embedding_norm.kind", {"layer_norm", "rms_norm"}},
      {"embedding_norm.epsilon", {"0.25"}},
      {"embedding_norm.epsilon_added_to", {"standard_deviation"}},
      {"block.norm", {"pre", "post", "none"}},
      {"block.kind", {"layer_norm", "rms_norm"}},
      {"block.epsilon", {"0.25"}},
      {"block.epsilon_added_to", {"standard_deviation"}},
      {"block.residual_multiplier", {"1", "0.22", "-0.5", "0"}},
      {"final_norm.gain", {"plain", "one_plus", "none"}},
      {"final_norm.bias", {"true", "false"}},
      {"attention.scale", {"0.5", "1/d_k", "-1", "0"}},
      {"attention.projection", {"xavier_normal"}},
      {"attention.projection_q", {"zeros"}},
      {"attention.projection_k", {"zeros"}},
      {"output.tied", {"true", "false"}},
      {"output.sharing", {"always", "on_request", "by_default"}},
      {"output.law", {"zeros"}},
      {"output.standard_deviation", {"2"}},
      {"output.multiplier", {"0.5", "-2", "d_model^-0.5"}},
      {"output.multiplier_when", {"always", "tied"}},
      {"extra[0].name", {"another"}},
      {"extra[0].law", {"xavier_uniform"}},
      {"extra[0].standard_deviation", {"2"}},
      {"extra[0].rows", {"7"}},
      {"extra[0].multiplier", {"4", "0"}},
  };
  return all;
}
/// Fields that have to be the same, count where there is no port, or come with another alone.
inline const auto untried = audit::words_of(
    "model.d_model token.rms token.half_range token.projection_half_range position.combine "
    "position.half_range attention.projection_standard_deviation attention.projection_half_range "
    "attention.projection_q_standard_deviation attention.projection_q_half_range "
    "attention.projection_k_standard_deviation attention.projection_k_half_range "
    "output.half_range extra[].half_range");

/// What a value cannot be without.
inline std::vector<audit::Change> with_law(const std::string& field, const std::string& value) {
  if (field == "output.tied" && value == "false") return {{"output.law", "xavier_uniform"}};
  if (field == "position.kind" && value == "learned") return {{"position.law", "xavier_uniform"}};
  return {};
}

/// A model in which most fields count, with these.
inline const std::string law = "law = 'normal'\nstandard_deviation = 1\n";
inline std::string text(const std::string& positions, const std::string& output,
                        const std::string& token = "") {
  return "[model]\nd_model = 512\nheads = 8\nvocabulary = 100\npositions = 64\n[token]\n" + law +
         "multiplier = 3\n" + token + "[position]\n" + positions +
         "[embedding_norm]\nkind = 'layer_norm'\n[block]\nnorm = 'pre'\nkind = 'rms_norm'\n"
         "epsilon = 0.1\n[output]\n" +
         output + "[[extra]]\n" + law + "[[extra]]\n" + law;
}
inline const std::vector<std::string>& models() {
  static const std::vector<std::string> all{
      text("kind = 'sinusoidal'\nfirst = 1\nmultiplier = 2\n", "tied = true\n"),
      text("kind = 'learned'\nfirst = 1\nmultiplier = 2\n" + law,
           "tied = true\nmultiplier = 0.25\n"),
      text("kind = 'rotary'\nlayout = 'halves'\n",
           "tied = true\nmultiplier = 0.25\nmultiplier_when = 'tied'\n"),
      text("kind = 'sinusoidal'\nlayout = 'halves'\nmultiplier = 2\n",
           "tied = false\nmultiplier = 0.25\n" + law),
      text("kind = 'relative_bias'\n", "tied = false\n" + law),
      text("kind = 'learned'\nmultiplier = 2\n" + law, "tied = true\nmultiplier = 0.25\n",
           "width = 128\nprojected = 'sum'\nprojection = 'normal'\n"
           "projection_standard_deviation = 0.1\n"),
      text("kind = 'rotary'\n", "tied = false\n" + law,
           "width = 128\nprojection = 'normal'\nprojection_standard_deviation = 0.1\n")};
  return all;
}

}  // namespace embedscale::port
