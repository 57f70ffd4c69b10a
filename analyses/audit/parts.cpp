#include "audit/parts.hpp"

#include <embedscale/initializer.hpp>
#include <embedscale/sinusoidal.hpp>

#include <fmt/core.h>

namespace embedscale::audit {
namespace {

std::string untold(const Configuration& c, const std::string& field) {
  const auto found = c.marks.find(field);
  const bool explained = found != c.marks.end() && !found->second.source.empty();
  return explained ? fmt::format("needs {}, which is not told: {}", field, found->second.source)
                   : fmt::format("needs {}, which is not told", field);
}

bool is_xavier(LawKind kind) {
  return kind == LawKind::xavier_uniform || kind == LawKind::xavier_normal ||
         kind == LawKind::packed_xavier_uniform;
}

Initializer initializer_of(const Law& law, double rows, double columns) {
  const auto r = static_cast<std::size_t>(rows), k = static_cast<std::size_t>(columns);
  switch (law.kind) {
    case LawKind::normal: return Normal{*law.parameter};
    case LawKind::uniform: return Uniform{*law.parameter};
    case LawKind::truncated_normal: return TruncatedNormal{*law.parameter};
    case LawKind::xavier_normal: return XavierNormal{r, k};
    case LawKind::packed_xavier_uniform:
      return XavierUniform{3 * r, k};  // q, k and v in one matrix
    case LawKind::xavier_uniform:
    case LawKind::zeros: break;
  }
  return XavierUniform{r, k};
}

// Above this many sines a sum over positions, which LayerNorm needs, would take seconds.
constexpr std::int64_t most_sines = 1 << 28;

// Whether a LayerNorm sees sinusoids: only then do sums over positions come in before the keys do.
bool centres_sinusoids(const Configuration& c) {
  const auto centres = [](const NormLayer& norm) {
    return norm.kind == expected::Norm::Kind::layer_norm;
  };
  const bool in_blocks = c.block.where && c.block.where != BlockNorm::none;
  return c.position.kind == PositionKind::sinusoidal &&
         ((c.embedding_norm && centres(*c.embedding_norm)) || (in_blocks && centres(c.block.norm)));
}

Maybe<expected::Norm> norm_of(const Configuration& c, const NormLayer& layer,
                              const std::string& section) {
  const Quantity epsilon = told(c, section + ".epsilon", layer.epsilon);
  if (!epsilon.value) return {{}, epsilon.missing};
  return {expected::Norm{layer.kind, *epsilon.value, layer.placement}, {}};
}

expected::SinusoidalTable sinusoids(const Configuration& c, std::int64_t length) {
  const auto width = *c.model.d_model - (c.position.combine == Combine::sum ? 0 : *c.token.width);
  return {sinusoidal_frequencies<double>(static_cast<std::size_t>(width), c.position.frequencies,
                                         c.position.base.value_or(10000)),
          c.position.first, length, *c.position.multiplier};
}

}  // namespace

Quantity told(const Configuration& c, const std::string& field, const Number& value) {
  return value ? quantity(field, *value) : missing(field, untold(c, field));
}

Quantity told(const Configuration& c, const std::string& field, const Integer& value) {
  return told(c, field, value ? Number(static_cast<double>(*value)) : Number());
}

Quantity d_model(const Configuration& c) { return told(c, "model.d_model", c.model.d_model); }
Quantity positions(const Configuration& c) { return told(c, "model.positions", c.model.positions); }
Quantity vocabulary(const Configuration& c) {
  return told(c, "model.vocabulary", c.model.vocabulary);
}

Quantity entry_rms(const Configuration& c, const std::optional<Law>& law, const std::string& field,
                   const Quantity& rows, const Quantity& columns) {
  if (!law) return missing(field, untold(c, field));
  if (law->kind == LawKind::zeros) return quantity(field, 0);
  if (is_xavier(law->kind)) {
    if (std::string reason = first_missing({&rows, &columns}); !reason.empty())
      return missing(
          field, fmt::format("{} ({} depends on the matrix's shape)", reason, name_of(law->kind)));
  } else if (!law->parameter) {
    return missing(field, fmt::format("needs what \"{}\" is computed from", law->written));
  }
  const double square =
      variance(initializer_of(*law, rows.value.value_or(0), columns.value.value_or(0)));
  if (!std::isnormal(square))
    return missing(field, "leaves the range of binary64: the law's variance");
  return quantity(field, std::sqrt(square));
}

double token_share(const Configuration& c) {
  if (c.position.combine == Combine::sum) return 1;
  return static_cast<double>(*c.token.width) / static_cast<double>(*c.model.d_model);
}

double position_share(const Configuration& c) {
  return c.position.combine == Combine::sum ? 1 : 1 - token_share(c);
}

Maybe<expected::Input> input_of(const Configuration& c, const InputScales& scales) {
  const Quantity width = d_model(c), length = positions(c), none = quantity("position.rms", 0);
  const bool adds = adds_positions(c.position.kind), centres = centres_sinusoids(c);
  const Quantity& position = adds ? scales.position_rms : none;
  const Quantity base = told(c, "position.base", c.position.base);
  if (std::string reason = first_missing({&width, &scales.token_rms, &scales.extra_rms, &position,
                                          centres ? &length : &none, centres ? &base : &none});
      !reason.empty())
    return {{}, reason};
  if (centres && *length.value > static_cast<double>(most_sines / *c.model.d_model))
    return {{},
            fmt::format("needs a sum over {} positions times {} channels, more than 2^28",
                        *c.model.positions, *c.model.d_model)};
  const auto square = [](const Quantity& x) { return *x.value * *x.value; };
  expected::Input input{.width = static_cast<std::size_t>(*width.value),
                        .token_mean_square = token_share(c) * square(scales.token_rms),
                        .common_mean_square = square(scales.extra_rms)};
  const std::int64_t keys = c.model.positions.value_or(1);
  if (c.position.kind == PositionKind::sinusoidal)
    input.position = sinusoids(c, keys);
  else if (adds)
    input.position = expected::LearnedTable{position_share(c) * square(position), keys};
  else
    input.position = expected::NoTable{keys};
  return {input, {}};
}

Maybe<std::vector<expected::Norm>> norms_before_attention(const Configuration& c) {
  std::vector<expected::Norm> norms;
  if (c.embedding_norm) {
    const auto norm = norm_of(c, *c.embedding_norm, "embedding_norm");
    if (!norm.value) return {{}, norm.missing};
    norms.push_back(*norm.value);
  }
  if (!c.block.where) return {{}, untold(c, "block.norm")};
  if (c.block.where == BlockNorm::pre) {
    const auto norm = norm_of(c, c.block.norm, "block");
    if (!norm.value) return {{}, norm.missing};
    norms.push_back(*norm.value);
  }
  return {norms, {}};
}

Maybe<expected::Norm> first_norm(const Configuration& c) {
  if (c.embedding_norm) return norm_of(c, *c.embedding_norm, "embedding_norm");
  if (!c.block.where) return {{}, untold(c, "block.norm")};
  if (c.block.where == BlockNorm::none) return {{}, "does not apply: no norm sees the sum"};
  return norm_of(c, c.block.norm, "block");
}

}  // namespace embedscale::audit
