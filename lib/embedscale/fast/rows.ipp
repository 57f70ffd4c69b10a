// Included once for each set of instructions: rows of numbers.

/// Σ of(x, sum so far); of(neutral, s) is s.
template <class Of>
HWY_INLINE float sum_of(const float* x, std::size_t n, float neutral, const Of& of) {
  Parts sums(0);
  each_block(x, n, neutral, [&](const float* block) HWY_ATTR {
    for (std::size_t k = 0; k < vectors; ++k)
      sums.all[k] = of(hn::LoadU(Floats(), block + k * lanes), sums.all[k]);
  });
  return sums.result(Plus());
}

HWY_INLINE float largest_of(const float* x, std::size_t n) {
  Parts most(-std::numeric_limits<float>::infinity());
  each_block(x, n, -std::numeric_limits<float>::infinity(), [&](const float* block) HWY_ATTR {
    for (std::size_t k = 0; k < vectors; ++k)
      most.all[k] = hn::Max(hn::LoadU(Floats(), block + k * lanes), most.all[k]);
  });
  return most.result([](auto a, auto b) HWY_ATTR { return hn::Max(a, b); });
}

/// Rows of (x − mean)/√(mean square of that + ε), or of x without the mean.
void Standardise(const float* x, std::size_t n, std::size_t rows, bool centred, float epsilon,
                 float* out) {
  const auto size = static_cast<float>(n);
  for (; rows > 0; --rows, x += n, out += n) {
    const float mean =
        centred
            ? sum_of(x, n, 0, [](Vector v, Vector sum) HWY_ATTR { return hn::Add(sum, v); }) / size
            : 0;
    const auto c = hn::Set(Floats(), mean);
    const float squares = sum_of(x, n, mean, [&](Vector v, Vector sum) HWY_ATTR {
      const auto off = hn::Sub(v, c);
      return fused(off, off, sum);
    });
    const auto factor = hn::Set(Floats(), 1 / std::sqrt(squares / size + epsilon));
    transform(x, n, out, [&](Vector v) HWY_ATTR { return hn::Mul(hn::Sub(v, c), factor); });
  }
}

template <std::size_t n>
using size = std::integral_constant<std::size_t, n>;

/// out[i·stride + k] = scale·⟨row i of x, row k of keys⟩ + bias[k]: so many at a time, as their
/// sums do not wait for each other and each vector is loaded once.
template <std::size_t x_rows, std::size_t key_rows>
HWY_INLINE void products(const float* x, const float* keys, std::size_t n, float scale,
                         const float* bias, float* out, std::size_t stride) {
  const Floats d;
  Vector sums[x_rows][key_rows][vectors];
  for (auto& row : sums)
    for (auto& key : row)
      for (auto& one : key) one = hn::Zero(d);
  const auto add = [&](const float* a, const float* b, std::size_t step) HWY_ATTR {
    for (std::size_t v = 0; v < vectors; ++v) {
      Vector of_keys[key_rows];
      for (std::size_t k = 0; k < key_rows; ++k)
        of_keys[k] = hn::LoadU(d, b + k * step + v * lanes);
      for (std::size_t i = 0; i < x_rows; ++i) {
        const auto of_x = hn::LoadU(d, a + i * step + v * lanes);
        for (std::size_t k = 0; k < key_rows; ++k)
          sums[i][k][v] = fused(of_x, of_keys[k], sums[i][k][v]);
      }
    }
  };
  std::size_t j = 0;
  for (; j + parts <= n; j += parts) add(x + j, keys + j, n);
  if (j < n) {
    HWY_ALIGN float a[x_rows * parts] = {};
    HWY_ALIGN float b[key_rows * parts] = {};
    for (std::size_t i = 0; i < x_rows; ++i)
      std::memcpy(a + i * parts, x + i * n + j, (n - j) * sizeof(float));
    for (std::size_t k = 0; k < key_rows; ++k)
      std::memcpy(b + k * parts, keys + k * n + j, (n - j) * sizeof(float));
    add(a, b, parts);
  }
  for (std::size_t i = 0; i < x_rows; ++i)
    for (std::size_t k = 0; k < key_rows; ++k) {
      const float product = scale * folded(d, sums[i][k], Plus());
      out[i * stride + k] = bias == nullptr ? product : product + bias[k];
    }
}

/// out (x_rows, key_rows) of x (x_rows, n) and keys (key_rows, n).
void Products(const float* x, std::size_t x_rows, const float* keys, std::size_t key_rows,
              std::size_t n, float scale, const float* bias, float* out) {
  constexpr std::size_t keys_at_once = 4, x_at_once = 2;
  const auto all_x = [&](auto count, std::size_t k) HWY_ATTR {
    constexpr std::size_t key_count = decltype(count)::value;
    const auto of = [&](auto x_count, std::size_t i) HWY_ATTR {
      products<decltype(x_count)::value, key_count>(x + i * n, keys + k * n, n, scale,
                                                    bias == nullptr ? nullptr : bias + k,
                                                    out + i * key_rows + k, key_rows);
    };
    std::size_t i = 0;
    for (; i + x_at_once <= x_rows; i += x_at_once) of(size<x_at_once>(), i);
    for (; i < x_rows; ++i) of(size<1>(), i);
  };
  std::size_t k = 0;
  for (; k + keys_at_once <= key_rows; k += keys_at_once) all_x(size<keys_at_once>(), k);
  for (; k < key_rows; ++k) all_x(size<1>(), k);
}

/// Weights in the place of logits. With S = Σ eᶻ and T = Σ z·eᶻ, z from the largest one: the
/// entropy is ln S − T/S, both of which are 0 or more; the trace of the
/// Jacobian is Σ w(1 − w).
void Softmax(float* z, std::size_t n, std::size_t rows, float* entropy, float* trace) {
  const Floats d;
  for (; rows > 0; --rows, z += n) {
    const auto most = hn::Set(d, largest_of(z, n));
    Parts sums(0), products(0);
    const auto add = [&](const float* x, float* out) HWY_ATTR {
      for (std::size_t k = 0; k < vectors; ++k) {
        const auto off = hn::Sub(hn::LoadU(d, x + k * lanes), most);
        const auto power = exponential(off);
        hn::StoreU(power, d, out + k * lanes);
        sums.all[k] = hn::Add(sums.all[k], power);
        if (entropy != nullptr)  // 0·∞ is 0 here
          products.all[k] = fused(hn::Max(off, hn::Set(d, -105.0f)), power, products.all[k]);
      }
    };
    std::size_t i = 0;
    for (; i + parts <= n; i += parts) add(z + i, z + i);
    if (i < n) {
      HWY_ALIGN float last[parts];
      std::fill_n(last, parts, -std::numeric_limits<float>::infinity());
      std::memcpy(last, z + i, (n - i) * sizeof(float));
      add(last, last);
      std::memcpy(z + i, last, (n - i) * sizeof(float));
    }
    const float sum = sums.result(Plus());
    const auto factor = hn::Set(d, 1 / sum);
    transform(z, n, z, [&](Vector v) HWY_ATTR { return hn::Mul(v, factor); });
    if (trace != nullptr)
      *trace++ = sum_of(z, n, 0, [&](Vector w, Vector sum) HWY_ATTR {
        return fused(w, hn::Sub(hn::Set(d, 1.0f), w), sum);
      });
    if (entropy == nullptr) continue;
    const auto [exponent, mantissa] = split(hn::Set(d, sum));
    *entropy++ = hn::GetLane(logarithm<1>(exponent, hn::Sub(mantissa, hn::Set(d, 1.0f)))) -
                 products.result(Plus()) / sum;
  }
}

/// Row i of out from row i of y and the row of the table that the token names; the next one is
/// asked for meanwhile.
void LookUpAndAdd(const float* table, const std::size_t* tokens, std::size_t rows, float factor,
                  const float* y, std::size_t n, float* out) {
  const Floats d;
  const auto m = hn::Set(d, factor);
  for (std::size_t row = 0; row < rows; ++row, y += n, out += n) {
    const float* const x = table + tokens[row] * n;
    const float* const next = table + tokens[row + 1 < rows ? row + 1 : row] * n;
    std::size_t i = 0;
    for (; i + lanes <= n; i += lanes) {
      hn::StoreU(hn::Add(hn::Mul(m, hn::LoadU(d, x + i)), hn::LoadU(d, y + i)), d, out + i);
      hwy::Prefetch(next + i);
    }
    for (; i < n; ++i) out[i] = factor * x[i] + y[i];
  }
}

/// Σ(x − c)ᵏ for k = 1 … 4, in binary64.
void Powers(const float* x, std::size_t n, double centre, double* sums) {
  const hn::CappedTag<double, 8> d;
  const hn::Rebind<float, decltype(d)> narrow;
  constexpr std::size_t count = 16 / hn::MaxLanes(d), step = hn::MaxLanes(d);
  hn::Vec<decltype(d)> all[4][count];
  for (auto& power : all)
    for (auto& one : power) one = hn::Zero(d);
  const auto c = hn::Set(d, centre);
  const auto add = [&](std::size_t k, auto off) HWY_ATTR {
    const auto square = hn::Mul(off, off);
    all[0][k] = hn::Add(all[0][k], off), all[1][k] = hn::Add(all[1][k], square);
    all[2][k] = fused(square, off, all[2][k]), all[3][k] = fused(square, square, all[3][k]);
  };
  std::size_t i = 0;
  for (; i + 16 <= n; i += 16)
    for (std::size_t k = 0; k < count; ++k)
      add(k, hn::Sub(hn::PromoteTo(d, hn::LoadU(narrow, x + i + k * step)), c));
  if (i < n) {
    HWY_ALIGN double last[16];
    std::fill_n(last, 16, centre);
    std::copy(x + i, x + n, last);
    for (std::size_t k = 0; k < count; ++k) add(k, hn::Sub(hn::Load(d, last + k * step), c));
  }
  for (std::size_t power = 0; power < 4; ++power) sums[power] = folded(d, all[power], Plus());
}
