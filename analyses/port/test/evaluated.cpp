#include "port/test/evaluated.hpp"

#include "audit/parts.hpp"

#include <embedscale/feed_forward.hpp>
#include <embedscale/normalization.hpp>
#include <embedscale/random.hpp>
#include <embedscale/sinusoidal.hpp>
#include <embedscale/tied_output.hpp>

#include <fmt/format.h>

#include <cmath>
#include <span>

namespace embedscale::port {
namespace {

using audit::BlockNorm, audit::Configuration, audit::PositionKind;
constexpr std::size_t inner = 2 * d;

LinearLayer<double> layer(const Parameters& p, const std::string& name) {
  return {p.all.at("W" + name), p.all.at("b" + name)};
}
Values linear(const Parameters& p, const std::string& name, const Values& x) {
  Values out(p.all.at("b" + name).size());
  embedscale::linear<double>(layer(p, name), x, out);
  return out;
}

Values normed(const audit::NormLayer& norm, const Values& x) {
  Values out(x.size());
  const auto by =
      norm.kind == expected::Norm::Kind::layer_norm ? layer_norm<double> : rms_norm<double>;
  by(x, norm.epsilon.value_or(1e-5), norm.placement, out);
  return out;
}

Values scaled(const Parameters& p, const std::string& name, Values x) {
  for (std::size_t j = 0; j < x.size(); ++j)
    x[j] = p.all.at("g" + name)[j] * x[j] + p.all.at("b" + name)[j];
  return x;
}

void turn(const audit::Position& p, std::size_t i, Values& x) {
  const bool halves = p.layout == SinusoidalLayout::halves;
  for (std::size_t head = 0; head < heads; ++head)
    for (std::size_t k = 0; k < d_k / 2; ++k) {
      const std::size_t at = head * d_k;
      double &a = x[at + (halves ? k : 2 * k)], &b = x[at + (halves ? k + d_k / 2 : 2 * k + 1)];
      const double angle =
          static_cast<double>(i) / std::pow(*p.base, 2.0 * static_cast<double>(k) / d_k);
      const double turned = std::cos(angle) * a - std::sin(angle) * b;
      b = std::sin(angle) * a + std::cos(angle) * b, a = turned;
    }
}

// Beside the product of query and key.
double of_distance(const Configuration& c, const Parameters& p, std::size_t head, std::size_t i,
                   std::size_t j, const Values& query) {
  const std::size_t apart = tokens + i - j;
  switch (c.position.kind) {
    case PositionKind::alibi:
      return -std::abs(static_cast<double>(i) - static_cast<double>(j)) /
             std::pow(2, 4.0 * static_cast<double>(head + 1));
    case PositionKind::relative_bias: return p.all.at("bias of distance")[2 * apart + head];
    case PositionKind::relative: {
      double sum = 0;
      for (std::size_t k = head * d_k; k < (head + 1) * d_k; ++k)
        sum += query[k] * p.all.at("vector of distance")[apart * d + k];
      return *c.attention.scale * sum;
    }
    default: return 0;
  }
}

std::vector<Values> attention(const Configuration& c, const Parameters& p,
                              const std::vector<Values>& x) {
  std::vector<Values> q, k, v, out;
  for (std::size_t i = 0; i < tokens; ++i) {
    q.push_back(linear(p, "Q", x[i])), k.push_back(linear(p, "K", x[i]));
    v.push_back(linear(p, "V", x[i]));
    if (c.position.kind == PositionKind::rotary)
      turn(c.position, i, q.back()), turn(c.position, i, k.back());
  }
  for (std::size_t i = 0; i < tokens; ++i) {
    Values mixed(d);
    for (std::size_t head = 0; head < heads; ++head) {
      Values weights;
      for (std::size_t j = 0; j < tokens; ++j) {
        const auto of_head = [head](const Values& x) {
          return std::span(x).subspan(head * d_k, d_k);
        };
        weights.push_back(c.attention.scale.value_or(1) * dot(of_head(q[i]), of_head(k[j])) +
                          of_distance(c, p, head, i, j, q[i]));
      }
      softmax<double>(weights);
      for (std::size_t j = 0; j < tokens; ++j)
        for (std::size_t m = head * d_k; m < (head + 1) * d_k; ++m)
          mixed[m] += weights[j] * v[j][m];
    }
    out.push_back(linear(p, "O", mixed));
  }
  return out;
}

std::vector<Values> network(const Parameters& p, const std::vector<Values>& x) {
  std::vector<Values> out(x.size(), Values(d));
  for (std::size_t i = 0; i < x.size(); ++i)
    feed_forward<double>(layer(p, "1"), layer(p, "2"), x[i], out[i]);
  return out;
}

// The last norm of post-norm blocks is the model's last: its gain and bias stand apart.
template <class Branch>
void branch(const Configuration& c, const Parameters& p, const std::string& norm, bool is_last,
            std::vector<Values>& x, const Branch& of) {
  const bool pre = c.block.where == BlockNorm::pre, post = c.block.where == BlockNorm::post;
  auto read = x;
  if (pre)
    for (auto& one : read) one = scaled(p, norm, normed(c.block.norm, one));
  const auto written = of(read);
  for (std::size_t i = 0; i < tokens; ++i) {
    for (std::size_t j = 0; j < d; ++j) x[i][j] += *c.block.residual_multiplier * written[i][j];
    if (post) x[i] = normed(c.block.norm, x[i]);
    if (post && !is_last) x[i] = scaled(p, norm, x[i]);
  }
}

Values input(const Configuration& c, const Parameters& p, std::size_t i) {
  const bool beside = c.position.combine == audit::Combine::concatenation;
  const auto first = static_cast<std::size_t>(c.position.first);
  Values position(d);
  if (c.position.kind == PositionKind::learned || p.stores_positions)
    position = row_of(p.all.at("P"), std::min(first, rows - tokens) + i);
  else if (c.position.kind == PositionKind::sinusoidal)
    position = sinusoid(c.position, c.position.first + static_cast<std::int64_t>(i));
  // Where it stores them, a code that multiplies beside sinusoids alone has none.
  const bool switched = p.stores_positions && c.token.when == audit::MultipliedWhen::sinusoidal;
  const double m = switched ? 1 : *audit::factor_of(c).value;
  Values x = row_of(p.all.at("E"), i % words);
  for (double& one : x) one *= m;
  if (c.token.is_factorised) x.resize(narrow);
  if (c.token.is_factorised && !c.token.projects_sum()) x = linear(p, "T", x);
  for (std::size_t t = 0; t < c.merged.size(); ++t)  // each in a token's place
    if (const auto made = p.all.find(fmt::format("projector of merged[{}]", t));
        made != p.all.end() && i == tokens - 1 - t)
      for (std::size_t j = 0; j < x.size(); ++j)
        x[j] = *c.merged[t].multiplier * made->second[j] *
               (c.token.place == audit::MultiplierPlace::behind_merge ? m : 1);
  for (std::size_t j = 0; j < x.size(); ++j) {
    if (beside && j >= d / 2) x[j] = 0;
    if (audit::adds_positions(c.position.kind) && (!beside || j >= d / 2))
      x[j] += *c.position.multiplier * position[j];
    for (std::size_t t = 0; t < c.extras.size(); ++t)
      x[j] += *c.extras[t].multiplier * p.all.at(fmt::format("table of extra[{}]", t))[j];
  }
  if (c.embedding_norm) x = scaled(p, "E", normed(*c.embedding_norm, x));
  return c.token.projects_sum() ? linear(p, "T", x) : x;
}

}  // namespace

Values sinusoid(const audit::Position& p, std::int64_t i) {
  Values out(d);
  encode_position<double>(i, sinusoidal_frequencies<double>(d, p.frequencies, *p.base), *p.layout,
                          out);
  return out;
}

Values row_of(const Values& matrix, std::size_t i) {
  const auto at = matrix.begin() + static_cast<std::ptrdiff_t>(i * d);
  return {at, at + d};
}

Parameters drawn_parameters(const Configuration& c) {
  Parameters out;
  const auto draw = [&](const std::string& name, std::size_t size, double deviation, double mean) {
    const Stream stream(7, "evaluated/" + name);
    for (std::size_t k = 0; k < size; ++k)
      out.all[name].push_back(mean + deviation * stream.normal(k));
  };
  // So large that each part counts, whatever multiplies it.
  const auto over = [](const audit::Number& by) { return by && *by != 0 ? 1 / *by : 1; };
  draw("E", words * d, over(audit::factor_of(c).value), 0);
  draw("P", rows * d, over(c.position.multiplier), 0);
  draw("O", words * d, 1, 0);
  for (std::size_t t = 0; t < c.extras.size(); ++t)
    draw(fmt::format("table of extra[{}]", t), d, over(c.extras[t].multiplier), 0);
  for (std::size_t t = 0; t < c.merged.size(); ++t)
    draw(fmt::format("projector of merged[{}]", t), d, over(c.merged[t].multiplier), 0);
  for (const auto* name : {"E", "A", "N", "F"})
    draw(fmt::format("g{}", name), d, 0.25, 1), draw(fmt::format("b{}", name), d, 0.25, 0);
  const auto matrix = [&](const std::string& name, std::size_t to, std::size_t from, double size) {
    draw("W" + name, to * from, size / std::sqrt(from), 0), draw("b" + name, to, size / 4, 0);
  };
  matrix("Q", d, d, over(c.attention.scale) / 2);
  for (const auto* name : {"K", "V"}) matrix(name, d, d, 1);
  matrix("T", d, narrow, 1), matrix("H", narrow, d, 1);
  matrix("O", d, d, over(c.block.residual_multiplier));
  matrix("1", inner, d, 1), matrix("2", d, inner, over(c.block.residual_multiplier));
  draw("bias of distance", 4 * tokens, 1, 0);
  draw("vector of distance", 2 * tokens * d, 1, 0);
  return out;
}

Values logits(const Configuration& c, const Parameters& p) {
  std::vector<Values> x;
  for (std::size_t i = 0; i < tokens; ++i) x.push_back(input(c, p, i));
  branch(c, p, "A", false, x, [&](const auto& read) { return attention(c, p, read); });
  branch(c, p, "N", true, x, [&](const auto& read) { return network(p, read); });
  const bool is_tied = *c.output.tied && !p.is_untied;
  const bool has_none = !is_tied && c.output.when == audit::MultipliedOutput::tied;
  const double factor = p.logit_factor ? *p.logit_factor : has_none ? 1 : *c.output.multiplier;
  Values out;
  for (auto& one : x) {
    if (c.block.where == BlockNorm::pre) one = normed(c.block.norm, one);
    // An output head takes the state to the width of its table, and norms it there.
    if (is_tied && c.token.is_factorised) one = normed(c.block.norm, linear(p, "H", one));
    for (std::size_t j = 0; j < one.size(); ++j) {
      if (c.final_norm.gain != Gain::none) one[j] *= p.all.at("gF")[j];
      if (c.final_norm.bias) one[j] += p.all.at("bF")[j];
    }
    one.resize(d);  // a narrow table has its rows in the first channels
    Values of_words(words);
    tied_logits<double>(EmbeddingTable<double>(words, d, p.all.at(is_tied ? "E" : "O")), one,
                        factor, of_words);
    out.insert(out.end(), of_words.begin(), of_words.end());
  }
  return out;
}

}  // namespace embedscale::port
