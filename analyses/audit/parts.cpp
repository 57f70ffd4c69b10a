#include "audit/parts.hpp"

#include <embedscale/format.hpp>
#include <embedscale/initializer.hpp>

#include <fmt/core.h>

namespace embedscale::audit {
namespace {

Missing untold(const Configuration& c, const std::string& field) {
  const auto found = c.marks.find(field);
  const bool explained = found != c.marks.end() && !found->second.source.empty();
  return Missing{fmt::format("needs {}, which is not told{}{}", field, explained ? ": " : "",
                             explained ? found->second.source : "")};
}

using Kind = Distribution::Kind;

Initializer initializer_of(const Distribution& law, double rows, double columns) {
  const auto r = static_cast<std::size_t>(rows), k = static_cast<std::size_t>(columns);
  switch (law.kind) {
    case Kind::normal: return Normal{*law.parameter};
    case Kind::uniform: return Uniform{*law.parameter};
    case Kind::truncated_normal: return TruncatedNormal{*law.parameter};
    case Kind::xavier_normal: return XavierNormal{r, k};
    case Kind::packed_xavier_uniform: return XavierUniform{3 * r, k};  // q, k and v in one matrix
    case Kind::xavier_uniform:
    case Kind::zeros: break;
  }
  return XavierUniform{r, k};
}

template <class Value>
Known<double> told(const Configuration& c, const std::string& field,
                   const std::optional<Value>& value) {
  if (!value) return untold(c, field);
  return static_cast<double>(*value);
}

// What the Xavier distributions need to know of a matrix: fan_out and fan_in, or a table's rows and
// width.
using Shape = std::pair<double, double>;
Known<Shape> shape(const Known<double>& rows, const Known<double>& columns) {
  return from([](double k, double r) { return Shape(r, k); }, columns, rows);
}

// √E[w²] of the entries of a matrix that is drawn from the distribution of this field.
Known<double> entry_rms(const Configuration& c, const std::optional<Distribution>& law,
                        const std::string& field, const Known<Shape>& shape) {
  if (!law) return untold(c, field);
  if (law->kind == Kind::zeros) return 0.0;
  Shape sides;
  if (is_xavier(law->kind)) {
    if (!shape.value)
      return Missing{
          fmt::format("{} ({} depends on the matrix's shape)", shape.missing, name_of(law->kind))};
    sides = *shape.value;
  } else if (!law->parameter) {
    return Missing{fmt::format("needs what \"{}\" is computed from", law->written)};
  }
  const double square = variance(initializer_of(*law, sides.first, sides.second));
  if (!std::isnormal(square))
    return Missing{"leaves the range of binary64: the distribution's variance"};
  return std::sqrt(square);
}

Known<double> token_entry(const Configuration& c, const Parts& p) {
  if (!c.token.has_table()) return told(c, "token.rms", c.token.rms);
  return entry_rms(c, c.token.law, "token.law",
                   from([](double rows, double width) { return Shape(rows, width); }, p.vocabulary,
                        told(c, "model.d_model", c.token.width)));
}

Known<double> projection_gain(const Configuration& c, const Parts& p) {
  const auto width = told(c, "token.width", c.token.width);
  return from([](double w, double entry) { return std::sqrt(w) * entry; }, width,
              entry_rms(c, c.token.projection, "token.projection", shape(p.d_model, width)));
}

Known<double> position_rms(const Configuration& c, const Parts& p) {
  if (!adds_positions(c.position.kind))
    return Missing{fmt::format("does not apply: position.kind {} adds nothing to the tokens",
                               name_of(c.position.kind))};
  // sin² + cos² = 1 for each of the d/2 pairs, at every position, frequency and layout.
  const auto entry =
      c.position.kind == PositionKind::sinusoidal
          ? std::sqrt(0.5)
          : entry_rms(c, c.position.law, "position.law", shape(p.positions, p.sum_width));
  return from([](double rms, double multiplier) { return std::abs(multiplier) * rms; }, entry,
              told(c, "position.multiplier", c.position.multiplier));
}

Known<double> extra_rms(const Configuration& c, const Parts& p) {
  Known<double> sum = 0.0;
  for (std::size_t i = 0; i < c.extras.size(); ++i) {
    const Extra& extra = c.extras[i];
    const std::string field = fmt::format("extra[{}]", i);
    const auto rows = told(c, field + ".rows", extra.rows);
    sum = from([](double others, double rms,
                  double multiplier) { return others + multiplier * multiplier * rms * rms; },
               sum, entry_rms(c, extra.law, field + ".law", shape(rows, p.sum_width)),
               told(c, field + ".multiplier", extra.multiplier));
  }
  return from([](double square) { return std::sqrt(square); }, sum);
}

// The projection's σ, on a (heads·d_k, d_model) matrix.
Known<double> projection_entry(const Configuration& c, const Parts& p,
                               const std::optional<Distribution>& law, const std::string& field) {
  const auto rows = from([](double heads, double d_k) { return heads * d_k; },
                         told(c, "model.heads", c.model.heads), p.d_k);
  return entry_rms(c, law, c.marks.contains(field) ? field : "attention.projection",
                   from([](double r, double k) { return Shape(r, k); }, rows, p.d_model));
}

Known<double> output_entry(const Configuration& c, const Parts& p) {
  if (!c.output.tied) return untold(c, "output.tied");
  if (!c.token.has_table() && !c.output.law)
    return Missing{
        "does not apply: without a token table an output needs output.law, and none is given"};
  if (!*c.output.tied)
    return entry_rms(c, c.output.law, "output.law", shape(p.vocabulary, p.d_model));
  if (c.position.combine == Combine::concatenation)
    return Missing{
        "does not apply: a table of token.width channels cannot be the output matrix of a state "
        "of d_model"};
  return p.token_entry;
}

Known<expected::Norm> norm_of(const Configuration& c, const NormLayer& layer, const char* epsilon) {
  return from(
      [&](double told_epsilon) {
        return expected::Norm{layer.kind, told_epsilon, layer.placement};
      },
      told(c, epsilon, layer.epsilon));
}
Known<Norms> alone(const Known<expected::Norm>& norm) {
  return from([](const expected::Norm& one) { return Norms{one}; }, norm);
}

}  // namespace

double rounded_to(NumberFormat format, double x) {
  switch (format) {
    case NumberFormat::binary64: return x;
    case NumberFormat::binary32: return static_cast<float>(x);
    case NumberFormat::binary16: return static_cast<double>(static_cast<binary16>(x));
    case NumberFormat::bfloat16: break;
  }
  return static_cast<double>(static_cast<bfloat16>(x));
}

Known<double> told(const Configuration& c, const std::string& field, const Number& value) {
  return told<double>(c, field, value);
}

Known<double> factor_of(const Configuration& c) {
  return from(
      [&](double given) -> Known<double> {
        const double rounded = rounded_to(c.token.format, given);
        if (std::isfinite(rounded)) return rounded;
        return Missing{
            fmt::format("token.multiplier = {} overflows {}", given, name_of(c.token.format))};
      },
      told(c, "token.multiplier", c.token.multiplier));
}

Known<double> merged_factor(const Configuration& c, const Merged& rows) {
  return from([](double ahead, double behind) { return ahead * behind; },
              told(c, "merged[].multiplier", rows.multiplier),
              c.token.place == MultiplierPlace::behind_merge ? factor_of(c) : Known<double>(1.0));
}

Known<expected::Norm> first_norm(const Configuration& c) {
  if (c.embedding_norm) return norm_of(c, *c.embedding_norm, "embedding_norm.epsilon");
  if (!c.block.where) return untold(c, "block.norm");
  if (c.block.where == BlockNorm::none) return Missing{"does not apply: no norm sees the sum"};
  return norm_of(c, c.block.norm, "block.epsilon");
}

Parts parts_of(const Configuration& c) {
  Parts p;
  p.d_model = told(c, "model.d_model", c.model.d_model);
  p.positions = told(c, "model.positions", c.model.positions);
  p.vocabulary = told(c, "model.vocabulary", c.model.vocabulary);
  p.sum_width = c.token.projects_sum() ? told(c, "token.width", c.token.width) : p.d_model;
  p.token_share = 1.0;
  if (c.position.combine == Combine::concatenation)
    p.token_share = from([](double width, double of) { return width / of; },
                         told(c, "model.d_model", c.token.width), p.d_model);
  p.multiplier = told(c, "token.multiplier", c.token.multiplier);
  p.factor = factor_of(c);
  p.token_entry = token_entry(c, p);
  p.projection_gain = projection_gain(c, p);
  p.position_base = told(c, "position.base", c.position.base);
  p.position_rms = position_rms(c, p);
  p.extra_rms = extra_rms(c, p);

  p.norms_on_sum = p.norms_ahead_of_attention = Norms{};
  if (c.embedding_norm) p.norms_on_sum = alone(first_norm(c));
  if (!c.block.where)
    p.norms_ahead_of_attention = untold(c, "block.norm");
  else if (c.block.where == BlockNorm::pre)
    p.norms_ahead_of_attention = alone(norm_of(c, c.block.norm, "block.epsilon"));
  p.first_norm = first_norm(c);

  p.scale = told(c, "attention.scale", c.attention.scale);
  p.d_k = told(c, "model.d_k", c.model.d_k);
  p.entry_q = projection_entry(c, p, c.attention.projection_q, "attention.projection_q");
  p.entry_k = projection_entry(c, p, c.attention.projection_k, "attention.projection_k");
  p.output_multiplier = told(c, "output.multiplier", c.output.multiplier);
  p.output_entry = output_entry(c, p);
  p.residual_multiplier = told(c, "block.residual_multiplier", c.block.residual_multiplier);
  return p;
}

}  // namespace embedscale::audit
