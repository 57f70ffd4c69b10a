#include "checkpoint/names.hpp"

#include <fnmatch.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "audit/error.hpp"
#include "report/table.hpp"

namespace embedscale::checkpoint {
namespace {

struct Known {
  std::string_view parameter;
  std::vector<std::string_view> names;  ///< where there are blanks, patterns that all must be there
};
const Known known[] = {
    {"token table",
     {"*embed_tokens.weight", "*wte.weight", "*word_embeddings.weight", "*tok_embeddings.weight",
      "*token_embedding.weight", "*token_embedding.embedding", "*embed_in.weight", "*shared.weight",
      "*tok_emb.weight", "*embeddings.weight", "*embedding.weight"}},
    {"position table",
     {"*embed_positions.weight", "*wpe.weight", "*position_embeddings.weight",
      "*position_embedding.weight", "*positional_embedding", "*pos_emb*"}},
    {"output table", {"*lm_head.weight", "*embed_out.weight", "output.weight"}},
    {"gain",
     {"model.norm.weight", "*decoder.final_layer_norm.weight", "*decoder.layer_norm.weight",
      "*ln_f.weight", "*final_layer_norm.weight", "*final_norm.weight", "norm.weight"}},
    {"bias",
     {"model.norm.bias", "*decoder.final_layer_norm.bias", "*decoder.layer_norm.bias", "*ln_f.bias",
      "*final_layer_norm.bias", "*final_norm.bias", "norm.bias"}},
    {"norm gains", {"*layers.*norm.weight", "*h.*.ln_?.weight"}},
    {"query projection", {"*q_proj.*", "*attention.query.*", "*attention.wq.*"}},
    {"branch outputs", {"*o_proj.* *down_proj.*", "*out_proj.* *fc2.*"}}};

const Known* known_parameter(std::string_view parameter) {
  const auto* found = std::ranges::find(known, parameter, &Known::parameter);
  return found == std::end(known) ? nullptr : found;
}

// Of a layer: "…layers.3.final_layer_norm.weight".
bool is_numbered(std::string_view name) {
  for (const auto part : report::split(name, '.'))
    if (part.find_first_not_of("0123456789") == part.npos) return true;
  return false;
}

std::vector<Tensor> matching(const std::vector<Tensor>& all, std::string_view patterns) {
  std::vector<Tensor> found;
  for (const auto pattern : report::split(patterns, ' ')) {
    const auto before = found.size();
    for (const auto& one : all)
      if (::fnmatch(std::string(pattern).c_str(), one.name.c_str(), 0) == 0) found.push_back(one);
    if (found.size() == before) return {};
  }
  return found;
}

}  // namespace

Patterns patterns_from(const std::vector<std::string>& texts) {
  Patterns patterns;
  for (const auto& text : texts) {
    const auto equals = text.find('=');
    const auto parameter = text.substr(0, equals);
    const bool is_known =
        known_parameter(parameter) != nullptr || parameter.starts_with("projector of merged[");
    if (equals == text.npos || !is_known) {
      std::vector<std::string_view> names;
      for (const auto& one : known) names.push_back(one.parameter);
      throw audit::ContentError(
          fmt::format("--tensor {}: must be PARAMETER=PATTERN, with one of these: {}",
                      audit::printable(text), fmt::join(names, ", ")));
    }
    patterns[parameter] = text.substr(equals + 1);
  }
  return patterns;
}

std::vector<Tensor> tensors_named(const std::vector<Tensor>& all, std::string_view parameter,
                                  const Patterns& patterns) {
  if (const auto own = patterns.find(parameter); own != patterns.end()) {
    auto found = matching(all, own->second);
    if (found.empty())
      throw audit::ContentError(fmt::format("--tensor {}={}: the file has no such tensor",
                                            parameter, audit::printable(own->second)));
    return found;
  }
  if (const auto* names = known_parameter(parameter))
    for (const auto name : names->names)
      if (auto found = matching(all, name); !found.empty()) {
        const bool is_last = parameter == "gain" || parameter == "bias";
        if (is_last) std::erase_if(found, [](const Tensor& one) { return is_numbered(one.name); });
        if (!found.empty()) return found;
      }
  return {};
}

std::optional<Tensor> tensor_named(const std::vector<Tensor>& all, std::string_view parameter,
                                   const Patterns& patterns) {
  const auto found = tensors_named(all, parameter, patterns);
  if (found.size() < 2) return found.empty() ? std::nullopt : std::optional(found.front());
  std::vector<std::string> names;
  for (const auto& one : found) names.push_back(audit::printable(one.name));
  throw audit::ContentError(fmt::format("{}: has {} that may be the {}: {}; say --tensor '{}=NAME'",
                                        found.front().file->path().string(), found.size(),
                                        parameter, fmt::join(names, ", "), parameter));
}

}  // namespace embedscale::checkpoint
