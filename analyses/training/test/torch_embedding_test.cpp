// The input of the first block, m·e + p or e + p/m: libtorch's is the library's bit for bit; and
// the gradient of the token table.
#include <embedscale/combination.hpp>
#include <embedscale/embedding.hpp>

#include "training/test/agreement.hpp"

namespace embedscale::training {
namespace {

constexpr std::size_t vocabulary = 11, length = 23;  ///< some tokens come more than once

/// Tokens, a table and positions, or slopes.
template <class Real>
struct Case {
  Case(std::size_t d, double size)
      : shape{static_cast<std::int64_t>(length), static_cast<std::int64_t>(d)}, d(d) {
    Normals normals(d, "embedding");
    table = rounded<Real>(normals(vocabulary * d, size));
    rows = rounded<Real>(normals(length * d));
    const Stream stream(d, "tokens");
    for (std::size_t i = 0; i < length; ++i) tokens.push_back(stream.below(vocabulary, i));
  }
  Tensor token_tensor() const {
    return torch::tensor(std::vector<std::int64_t>(tokens.begin(), tokens.end()));
  }
  Tensor table_tensor() const {
    return tensor<Real>(table, {static_cast<std::int64_t>(vocabulary), shape[1]});
  }
  Real m() const { return root_multiplier<Real>(d); }

  std::array<std::int64_t, 2> shape;
  std::size_t d;
  Numbers table, rows;
  std::vector<std::size_t> tokens;
};

template <class Real>
std::vector<Case<Real>> cases() {
  std::vector<Case<Real>> all;
  for (const std::size_t d : {3u, 48u, 64u, 100u, 768u})
    for (const double size : {0x1p-20, 0x1p-3, 1.0, 0x1p20}) all.emplace_back(d, size);
  return all;
}

/// One entry of the input.
template <class Real>
using Combination = Real (*)(const Real& e, const Real& p, const Real& m);
using OfTorch = Tensor (*)(const Tensor& e, const Tensor& p, double m);

/// That libtorch and the library make the same bits of look-up, multiplier and position.
template <class Real>
bool agree(const Case<Real>& of, OfTorch in_torch, Combination<Real> combination) {
  const EmbeddingTable<Real> table(vocabulary, of.d, as<Real>(of.table));
  Numbers expected;
  for (std::size_t i = 0; i < length; ++i)
    for (std::size_t j = 0; j < of.d; ++j)
      expected.push_back(combination(table.row(of.tokens[i])[j],
                                     static_cast<Real>(of.rows[i * of.d + j]), of.m()));
  const Tensor e = torch::embedding(of.table_tensor(), of.token_tensor());
  return torch::equal(in_torch(e, tensor<Real>(of.rows, of.shape), of.m()),
                      tensor<Real>(expected, of.shape));
}

template <class>
class torch_embedding : public testing::Test {};
TYPED_TEST_SUITE(torch_embedding, Formats);

Tensor up_in_torch(const Tensor& e, const Tensor& p, double m) { return e * m + p; }
Tensor down_in_torch(const Tensor& e, const Tensor& p, double m) { return e + p / m; }

TYPED_TEST(torch_embedding, combines_as_the_library_bit_for_bit) {
  using Real = TypeParam;
  for (const auto& of : cases<Real>()) {
    EXPECT_TRUE(agree<Real>(of, up_in_torch, up<Real>)) << of.d;
    EXPECT_TRUE(agree<Real>(of, down_in_torch, down<Real>)) << of.d;
  }
}

TYPED_TEST(torch_embedding, of_another_combination_has_other_bits) {
  using Real = TypeParam;
  const struct {
    const char* name;
    OfTorch in_torch;
    Combination<Real> combination;
  } wrong[]{
      {"positions multiplied as well",
       [](const Tensor& e, const Tensor& p, double m) { return (e + p) * m; }, up<Real>},
      {"divided by m twice",
       [](const Tensor& e, const Tensor& p, double m) { return e + p / m / m; }, down<Real>},
      {"times the reciprocal", down_in_torch, down_by_reciprocal<Real>},
      {"another m",
       [](const Tensor& e, const Tensor& p, double m) {
         return up_in_torch(e, p, m * (1 + 0x1p-20));
       },
       up<Real>},
  };
  for (const auto& [name, in_torch, combination] : wrong)
    EXPECT_FALSE(agree<Real>(Case<Real>(48, 1.0), in_torch, combination)) << name;
}

/// Of m·E[tokens], given the slopes of what is looked up.
template <class Real>
Reference<Real> table_gradient(const Case<Real>& of) {
  return reference<Real>([&](auto zero) {
    using Number = decltype(zero);
    std::vector<Number> out(of.table.size());
    add_look_up_gradient<Number>(of.tokens, as<Number>(of.rows), Number(of.m()), of.d, out);
    return out;
  });
}

template <class Real>
double gradient_share(const Case<Real>& of, double m, const Tensor& tokens) {
  const Tensor table = of.table_tensor().requires_grad_();
  const Tensor x = torch::embedding(table, tokens) * m;
  x.backward(tensor<Real>(of.rows, of.shape));
  return share(table.grad(), table_gradient(of));
}

TYPED_TEST(torch_embedding, has_the_librarys_gradient) {
  Worst worst(name<TypeParam>("embedding, gradient"));
  for (const auto& of : cases<TypeParam>())
    worst.add(gradient_share(of, of.m(), of.token_tensor()));
  worst.expect_agreement();
}

TYPED_TEST(torch_embedding, rejects_another_gradient) {
  Worst without(name<TypeParam>("gradient without m")), moved(name<TypeParam>("token moved"));
  for (const auto& of : cases<TypeParam>()) {
    without.add(gradient_share(of, 1.0, of.token_tensor()));
    moved.add(gradient_share(of, of.m(), of.token_tensor().roll(1)));
  }
  without.expect_rejected(), moved.expect_rejected();
}

}  // namespace
}  // namespace embedscale::training
