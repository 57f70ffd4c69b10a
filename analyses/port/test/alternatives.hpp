#pragma once
// Each field of a configuration with values to try, and models in which they count.
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
      {"model.d_model", {}},  // has to be the same
      {"model.heads", {"4", "16"}},
      {"model.d_k", {"32", "128"}},
      {"model.vocabulary", {"99", "101"}},
      {"model.positions", {"63", "65"}},
      {"token.law", {"xavier_uniform"}},
      {"token.standard_deviation", {"2"}},
      {"token.half_range", {}},  // with its law alone
      {"token.multiplier", {"1", "4", "-4", "sqrt(d_model)"}},
      {"token.multiplier_format", {"bfloat16", "binary64"}},
      {"token.multiplier_when", {"always", "sinusoidal"}},
      {"token.width", {}},  // where positions stand beside it
      {"position.kind",
       {"sinusoidal", "learned", "rotary", "relative", "relative_bias", "alibi", "none"}},
      {"position.combine", {}},  // with token.width alone
      {"position.frequencies", {"paper", "tensor2tensor"}},
      {"position.layout", {"interleaved", "halves"}},
      {"position.base", {"500"}},
      {"position.first", {"0", "2"}},
      {"position.law", {"xavier_uniform"}},
      {"position.standard_deviation", {"2"}},
      {"position.half_range", {}},
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
      {"attention.projection_standard_deviation", {}},
      {"attention.projection_half_range", {}},
      {"attention.projection_q", {"zeros"}},
      {"attention.projection_q_standard_deviation", {}},
      {"attention.projection_q_half_range", {}},
      {"attention.projection_k", {"zeros"}},
      {"attention.projection_k_standard_deviation", {}},
      {"attention.projection_k_half_range", {}},
      {"output.tied", {"true", "false"}},
      {"output.sharing", {"always", "on_request", "by_default"}},
      {"output.law", {"zeros"}},
      {"output.standard_deviation", {"2"}},
      {"output.half_range", {}},
      {"output.multiplier", {"0.5", "-2", "d_model^-0.5"}},
      {"output.multiplier_when", {"always", "tied"}},
      {"extra[0].name", {"another"}},
      {"extra[0].law", {"xavier_uniform"}},
      {"extra[0].standard_deviation", {"2"}},
      {"extra[0].half_range", {}},
      {"extra[0].rows", {"7"}},
      {"extra[0].multiplier", {"4", "0"}},
  };
  return all;
}

/// A model in which most fields count, with these.
inline std::string text(const std::string& positions, const std::string& output) {
  return "[model]\nd_model = 512\nheads = 8\nvocabulary = 100\npositions = 64\n"
         "[token]\nlaw = 'normal'\nstandard_deviation = 1\nmultiplier = 3\n[position]\n" +
         positions +
         "law = 'normal'\nstandard_deviation = 1\nmultiplier = 2\n[embedding_norm]\n"
         "kind = 'layer_norm'\n[block]\nnorm = 'pre'\nkind = 'rms_norm'\nepsilon = 0.1\n"
         "[output]\nlaw = 'normal'\nstandard_deviation = 1\n" +
         output + "[[extra]]\nlaw = 'normal'\nstandard_deviation = 1\n";
}
inline const std::vector<std::string>& models() {
  static const std::vector<std::string> all{
      text("kind = 'sinusoidal'\nfirst = 1\n", "tied = true\n"),
      text("kind = 'learned'\nfirst = 1\n", "tied = true\nmultiplier = 0.25\n"),
      text("kind = 'rotary'\nlayout = 'halves'\n",
           "tied = true\nmultiplier = 0.25\nmultiplier_when = 'tied'\n"),
      text("kind = 'sinusoidal'\nlayout = 'halves'\n", "tied = false\nmultiplier = 0.25\n"),
      text("kind = 'relative_bias'\n", "tied = false\n")};
  return all;
}

}  // namespace embedscale::port
