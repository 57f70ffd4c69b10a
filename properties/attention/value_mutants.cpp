// Primitives of an attention whose values are wrong in one format alone, so that nothing that
// relates two of them need see it.
#include "../testing/in_each_format.hpp"
#include "trials.hpp"

namespace embedscale::properties::attention {

using namespace testing;
using namespace operation;

namespace {

void add(Mutants<Primitives>& to, const char* name, const char* defect, const auto& change) {
  add_in_each_format<Primitives, primitives::Wide, double, float, binary16, bfloat16>(
      to, name, defect, change);
}

Mutants<Primitives> all() {
  Mutants<Primitives> rows;
  const auto zeros = [&](const char* name, auto of) {
    add(rows, name, "Zeros, in this format alone.",
        [of]<class Real>() { return giving_zeros<Real>(of); });
  };
  zeros("dot_is_0", dot);
  zeros("logit_is_0", logit);
  zeros("projects_to_0", project);
  zeros("mixes_to_0", mix);
  zeros("weights_are_0", softmax);
  zeros("gradient_is_0", gradient);
  zeros("entropy_is_0", entropy);
  zeros("scale_is_0", scale);
  zeros("input_is_0", operation::input);
  zeros("absorbed_is_0", absorbed);
  add(rows, "multiplier_is_1", "1 for √d, in this format alone.",
      []<class Real>() { return changes<Real>(multiplier, [](Real& m, auto) { m = Real(1); }); });
  add_in_each_format<Primitives, double, float, binary16, bfloat16>(
      rows, "exponentiates_unshifted",
      "e^z/Σe^z as it stands, in this format alone: beyond the range of exp, NaN or 0/0.",
      []<class Real>() {
        return replaces<Real>(softmax, [](auto, Out<Real> z) { softmax_without_maximum(z, 0); });
      });
  add(rows, "forgets_the_bias", "No bias, in this format alone.", []<class Real>() {
    return changes<Real>(project, [](auto, auto b, auto, Out<Real> out) {
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = out[i] - b[i];
    });
  });
  return rows;
}

/// Σ a·b by halves.
template <class Real>
Real by_halves(Numbers<Real> a, Numbers<Real> b) {
  if (a.size() < 2) return library<Real>.dot(a, b);
  const std::size_t half = a.size() / 2;
  return by_halves(a.first(half), b.first(half)) + by_halves(a.subspan(half), b.subspan(half));
}

}  // namespace

const Mutants<Primitives> value_mutants = all();

const Mutants<Primitives> order_mutants{
    {"sums_from_the_right", "The last product comes first.",
     replaces(dot,
              []<class Real>(auto was, Numbers<Real> q, Numbers<Real> k) {
                const std::vector<Real> a(q.rbegin(), q.rend()), b(k.rbegin(), k.rend());
                return was(a, b);
              })},
    {"sums_by_halves", "Each half by itself, as a vector unit sums.",
     replaces(dot, []<class Real>(auto, Numbers<Real> q,
                                  Numbers<Real> k) { return by_halves<Real>(q, k); })},
    {"scales_before_the_sum", "The query is scaled, not the sum: a rounding for each channel.",
     replaces(logit,
              []<class Real>(auto was, Numbers<Real> q, auto k, const Real& scale) {
                std::vector<Real> scaled(q.begin(), q.end());
                for (Real& x : scaled) x = scale * x;
                return was(scaled, k, Real(1));
              })},
};

}  // namespace embedscale::properties::attention
