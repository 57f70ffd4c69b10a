#include "audit/parts.hpp"

#include <embedscale/format.hpp>
#include <embedscale/initializer.hpp>

#include <fmt/core.h>

namespace embedscale::audit {
namespace {

[[noreturn]] void miss(const Configuration& c, const std::string& field) {
  const auto found = c.marks.find(field);
  const bool explained = found != c.marks.end() && !found->second.source.empty();
  throw Missing{fmt::format("needs {}, which is not told{}{}", field, explained ? ": " : "",
                            explained ? found->second.source : "")};
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

expected::Norm norm_of(const Configuration& c, const NormLayer& layer, const char* epsilon) {
  return {layer.kind, required(c, epsilon, layer.epsilon), layer.placement};
}
expected::Norm norm_on_sum(const Configuration& c) {
  return norm_of(c, *c.embedding_norm, "embedding_norm.epsilon");
}
expected::Norm norm_in_block(const Configuration& c) {
  return norm_of(c, c.block.norm, "block.epsilon");
}

}  // namespace

double required(const Configuration& c, const std::string& field, const Number& value) {
  if (!value) miss(c, field);
  return *value;
}
double required(const Configuration& c, const std::string& field, const Integer& value) {
  return required(c, field, value ? Number(static_cast<double>(*value)) : Number());
}
double d_model(const Configuration& c) { return required(c, "model.d_model", c.model.d_model); }
double positions(const Configuration& c) {
  return required(c, "model.positions", c.model.positions);
}
double vocabulary(const Configuration& c) {
  return required(c, "model.vocabulary", c.model.vocabulary);
}

double entry_rms(const Configuration& c, const std::optional<Law>& law, const std::string& field,
                 const std::function<std::pair<double, double>()>& shape) {
  if (!law) miss(c, field);
  if (law->kind == LawKind::zeros) return 0;
  std::pair<double, double> sides;
  if (is_xavier(law->kind)) try {
      sides = shape();
    } catch (const Missing& why) {
      throw Missing{
          fmt::format("{} ({} depends on the matrix's shape)", why.reason, name_of(law->kind))};
    }
  else if (!law->parameter)
    throw Missing{fmt::format("needs what \"{}\" is computed from", law->written)};
  const double square = variance(initializer_of(*law, sides.first, sides.second));
  if (!std::isnormal(square)) throw Missing{"leaves the range of binary64: the law's variance"};
  return std::sqrt(square);
}

double rounded_to(NumberFormat format, double x) {
  switch (format) {
    case NumberFormat::binary64: return x;
    case NumberFormat::binary32: return static_cast<float>(x);
    case NumberFormat::binary16: return static_cast<double>(static_cast<binary16>(x));
    case NumberFormat::bfloat16: break;
  }
  return static_cast<double>(static_cast<bfloat16>(x));
}

double projection_gain(const Configuration& c) {
  const double width = required(c, "token.width", c.token.width);
  return std::sqrt(width) * entry_rms(c, c.token.projection, "token.projection",
                                      [&] { return std::pair(d_model(c), width); });
}

double sum_width(const Configuration& c) {
  return c.token.projects_sum() ? required(c, "token.width", c.token.width) : d_model(c);
}

double token_share(const Configuration& c) {
  if (c.position.combine == Combine::sum) return 1;
  return static_cast<double>(*c.token.width) / static_cast<double>(*c.model.d_model);
}

double position_share(const Configuration& c) {
  return c.position.combine == Combine::sum ? 1 : 1 - token_share(c);
}

expected::SinusoidalTable sinusoids(const Configuration& c, double base, std::int64_t length,
                                    double multiplier) {
  const auto width = c.token.projects_sum()               ? *c.token.width
                     : c.position.combine == Combine::sum ? *c.model.d_model
                                                          : *c.model.d_model - *c.token.width;
  return {
      sinusoidal_frequencies<double>(static_cast<std::size_t>(width), c.position.frequencies, base),
      c.position.first, length, multiplier};
}

expected::Input input_of(const Configuration& c, const InputScales& scales) {
  const auto square = [](double x) { return x * x; };
  const double width = sum_width(c), token = square(value_of(scales.token_rms)),
               extra = square(value_of(scales.extra_rms));
  const bool adds = adds_positions(c.position.kind);
  const double position = adds ? square(value_of(scales.position_rms)) : 0;
  if (centres_sinusoids(c)) {
    const double length = positions(c);
    required(c, "position.base", c.position.base);
    if (length > std::floor(static_cast<double>(most_sines) / width))
      throw Missing{fmt::format("needs a sum over {} positions times {} channels, more than 2^28",
                                *c.model.positions, width)};
  }
  expected::Input input{.width = static_cast<std::size_t>(width),
                        .token_mean_square = token_share(c) * token,
                        .common_mean_square = extra};
  const std::int64_t keys = c.model.positions.value_or(1);
  if (c.position.kind == PositionKind::sinusoidal)
    input.position = sinusoids(c, c.position.base.value_or(10000), keys, *c.position.multiplier);
  else if (adds)
    input.position = expected::LearnedTable{position_share(c) * position, keys};
  else
    input.position = expected::NoTable{keys};
  return input;
}

expected::InputMoments moments_of_stream(const Configuration& c, const InputScales& scales) {
  auto moments = expected::input_moments(input_of(c, scales), norms_on_sum(c));
  if (!c.token.projects_sum()) return moments;
  const double gain = projection_gain(c);
  for (double* part : {&moments.all, &moments.over_keys, &moments.token, &moments.position})
    *part *= gain * gain;
  return moments;
}

std::vector<expected::Norm> norms_on_sum(const Configuration& c) {
  if (!c.embedding_norm) return {};
  return {norm_on_sum(c)};
}

std::vector<expected::Norm> norms_ahead_of_attention(const Configuration& c) {
  if (!c.block.where) miss(c, "block.norm");
  if (c.block.where != BlockNorm::pre) return {};
  return {norm_in_block(c)};
}

std::vector<expected::Norm> norms_before_attention(const Configuration& c) {
  auto norms = norms_on_sum(c);
  for (const auto& norm : norms_ahead_of_attention(c)) norms.push_back(norm);
  return norms;
}

expected::Norm first_norm(const Configuration& c) {
  if (c.embedding_norm) return norm_on_sum(c);
  if (!c.block.where) miss(c, "block.norm");
  if (c.block.where == BlockNorm::none) throw Missing{"does not apply: no norm sees the sum"};
  return norm_in_block(c);
}

}  // namespace embedscale::audit
