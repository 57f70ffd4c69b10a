#include "checkpoint/rows.hpp"

#include <embedscale/random.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "audit/error.hpp"
#include "checkpoint/reading.hpp"

namespace embedscale::checkpoint {
namespace {

constexpr std::size_t lanes = 16;
constexpr std::size_t chunk = 64 * lanes;  // channels of a row that are summed in binary32
constexpr std::size_t together = 64;       // rows whose channels are, at most
constexpr std::size_t parts = 64;          // of the rows, each summed by itself, by any thread

// One body, compiled for wider vectors, too. Nothing is fused, so that all give the same bits.
#ifdef __x86_64__
  #define EMBEDSCALE_WIDE __attribute__((target_clones("avx512f", "avx2", "default")))
#else
  #define EMBEDSCALE_WIDE
#endif
#define EMBEDSCALE_INLINE [[gnu::always_inline]] inline

/// A small format's fields where binary32 has them, times a power of two that moves the exponent's
/// origin: exact for subnormals, too. What is no number has at least `special` then.
EMBEDSCALE_INLINE float widened(std::uint32_t field, std::uint32_t sign, float power,
                                float special) {
  const float size = std::bit_cast<float>(field) * power;
  const std::uint32_t infinite = size >= special ? 0x7f800000u : 0;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(size) | infinite | sign);
}
EMBEDSCALE_INLINE float value_of_half(std::uint32_t x) {
  return widened((x & 0x7fffu) << 13, (x & 0x8000u) << 16, 0x1p112F, 0x1p16F);
}
EMBEDSCALE_INLINE float value_of_e4m3(std::uint32_t x) {
  return widened((x & 0x7fu) << 20, (x & 0x80u) << 24, 0x1p120F, 480.0F);
}

template <class Stored, class Value>
EMBEDSCALE_INLINE void convert_each(const std::byte* in, std::size_t n, float* out, Value value) {
  for (std::size_t i = 0; i < n; ++i) {
    Stored stored;
    std::memcpy(&stored, in + i * sizeof stored, sizeof stored);
    out[i] = value(stored);
  }
}

EMBEDSCALE_INLINE void convert_all(Element element, const std::byte* in, std::size_t n,
                                   float* out) {
  using Half = std::uint16_t;
  switch (element) {
    case Element::f64:
      return convert_each<double>(in, n, out, [](double x) { return static_cast<float>(x); });
    case Element::f32: return convert_each<float>(in, n, out, [](float x) { return x; });
    case Element::f16: return convert_each<Half>(in, n, out, value_of_half);
    case Element::bf16:
      return convert_each<Half>(in, n, out,
                                [](std::uint32_t x) { return std::bit_cast<float>(x << 16); });
    case Element::f8_e4m3: return convert_each<std::uint8_t>(in, n, out, value_of_e4m3);
    case Element::f8_e5m2:
      return convert_each<std::uint8_t>(in, n, out,
                                        [](std::uint32_t x) { return value_of_half(x << 8); });
    case Element::other: break;
  }
}

/// Adds what n <= chunk channels of some rows have to the sums: a row's own in lanes.
template <std::size_t Rows>
EMBEDSCALE_INLINE void add(const float (*__restrict x)[chunk], const float* __restrict signs,
                           std::size_t n, float* __restrict sum, float* __restrict square,
                           RowSums* const* rows) {
  float squares[Rows][lanes] = {}, sketch[Rows][lanes] = {};
  const auto see = [&](std::size_t at, std::size_t k) __attribute__((always_inline)) {
    float values = 0, all_squares = 0;
    for (std::size_t i = 0; i < Rows; ++i) {
      const float value = x[i][at + k], its_square = value * value;
      values += value, all_squares += its_square;
      squares[i][k] += its_square;
      sketch[i][k] += signs[at + k] * value;
    }
    sum[at + k] += values;
    square[at + k] += all_squares;
  };
  std::size_t at = 0;
  for (; at + lanes <= n; at += lanes)
    for (std::size_t k = 0; k < lanes; ++k) see(at, k);
  for (std::size_t k = 0; at + k < n; ++k) see(at, k);
  for (std::size_t i = 0; i < Rows; ++i)
    for (std::size_t k = 0; k < lanes; ++k)
      rows[i]->square += squares[i][k], rows[i]->sketch[k] += sketch[i][k];
}

/// Some rows as they are stored, and their sums by channel, to be added to.
struct Block {
  Element element;
  std::size_t width, row_bytes;
  std::span<const std::byte> bytes;
  std::span<const float> signs;
  std::span<float> sum, square;
};
/// One of them that is not left out.
struct Row {
  std::size_t begin;  ///< in the bytes
  RowSums* sums;
};

template <std::size_t Rows>
EMBEDSCALE_INLINE void add_rows(const Block& b, const Row* rows, std::size_t j, std::size_t n,
                                std::size_t size) {
  float values[Rows][chunk];
  RowSums* sums[Rows];
  for (std::size_t i = 0; i < Rows; ++i) {
    sums[i] = rows[i].sums;
    convert_all(b.element, b.bytes.data() + rows[i].begin + j * size, n, values[i]);
  }
  add<Rows>(values, b.signs.data() + j, n, b.sum.data() + j, b.square.data() + j, sums);
}

EMBEDSCALE_WIDE void add_block(const Block& b, std::span<const Row> rows) {
  constexpr std::size_t at_once = 4;
  const std::size_t size = b.row_bytes / b.width;
  for (std::size_t j = 0; j < b.width; j += chunk) {
    const std::size_t n = std::min(chunk, b.width - j);
    std::size_t i = 0;
    for (; i + at_once <= rows.size(); i += at_once) add_rows<at_once>(b, &rows[i], j, n, size);
    for (; i < rows.size(); ++i) add_rows<1>(b, &rows[i], j, n, size);
  }
}

EMBEDSCALE_WIDE void add_to(std::vector<double>& all, std::vector<float>& some) {
  for (std::size_t j = 0; j < all.size(); ++j) all[j] += some[j], some[j] = 0;
}

EMBEDSCALE_WIDE void count_near(std::span<const RowSums> rows,
                                std::span<const std::array<float, lanes>> to, float square,
                                std::span<std::uint64_t> near) {
  for (const auto& row : rows)
    for (std::size_t i = 0; i < to.size(); ++i) {
      float squares[lanes];
      for (std::size_t k = 0; k < lanes; ++k) {
        const float off = row.sketch[k] - to[i][k];
        squares[k] = off * off;
      }
      for (std::size_t half = lanes / 2; half > 0; half /= 2)
        for (std::size_t k = 0; k < half; ++k) squares[k] += squares[k + half];
      near[i] += squares[0] <= square;
    }
}

/// ±1 by channel, of the bits of one stream.
std::vector<float> signs_of(std::size_t width) {
  std::vector<float> signs(width);
  const Stream stream(0, "checkpoint.sketch");
  for (std::size_t j = 0; j < width; ++j) signs[j] = stream.bits(j) % 2 == 0 ? 1.0F : -1.0F;
  return signs;
}

/// Calls `see` with the first of some rows and their bytes, in order.
void for_blocks(const Tensor& table, std::uint64_t begin, std::uint64_t end,
                const std::function<void(std::uint64_t, std::span<const std::byte>)>& see) {
  constexpr std::size_t bytes_read = 1 << 19;
  const std::size_t row = table.shape[1] * table.size_of_element();
  const auto read = std::clamp<std::uint64_t>(bytes_read / row, 1, together);
  std::vector<std::byte> bytes(read * row);
  for (; begin < end; begin += read) {
    const auto part = std::span(bytes).first(std::min(read, end - begin) * row);
    table.file->read(table.begin + begin * row, part);
    see(begin, part);
  }
}

/// What some of the rows come to.
struct PartSums {
  std::vector<double> sum, square;  ///< by channel
  std::uint64_t left_out = 0;
};

PartSums sums_of_rows(const Tensor& table, std::uint64_t begin, std::uint64_t end,
                      const std::vector<float>& signs, std::vector<RowSums>& by_row) {
  const std::size_t width = signs.size(), row_bytes = width * table.size_of_element();
  PartSums all{std::vector<double>(width), std::vector<double>(width)};
  std::vector<float> sum(width), square(width);
  for_blocks(table, begin, end, [&](std::uint64_t first, std::span<const std::byte> bytes) {
    const Block block{table.element(), width, row_bytes, bytes, signs, sum, square};
    std::vector<Row> rows;
    for (std::size_t at = 0; at < bytes.size(); at += row_bytes)
      rows.push_back({at, &by_row[first + at / row_bytes]});
    add_block(block, rows);
    // What is not finite is in the channels' sums by now: once more without it.
    const auto others = std::partition(
        rows.begin(), rows.end(), [](const Row& one) { return std::isfinite(one.sums->square); });
    if (others != rows.end()) {
      for (const auto& one : rows) *one.sums = {};
      std::for_each(others, rows.end(), [](const Row& one) { one.sums->leave_out(); });
      std::ranges::fill(sum, 0.0F), std::ranges::fill(square, 0.0F);
      all.left_out += static_cast<std::uint64_t>(rows.end() - others);
      add_block(block, std::span(rows.begin(), others));
    }
    add_to(all.sum, sum), add_to(all.square, square);
  });
  return all;
}

/// Calls `make` for 0, …, n − 1, by as many threads as there are processors.
void in_threads(std::size_t n, const std::function<void(std::size_t)>& make) {
  std::atomic<std::size_t> next = 0;
  std::exception_ptr failed;
  std::mutex mutex;
  const auto work = [&] {
    try {
      for (std::size_t i = next++; i < n; i = next++) make(i);
    } catch (...) {
      next = n;
      const std::lock_guard lock(mutex);
      failed = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 1; i < std::thread::hardware_concurrency(); ++i) threads.emplace_back(work);
    work();
  }
  if (failed) std::rethrow_exception(failed);
}

void require_table(const Tensor& table) {
  constexpr std::uint64_t most = 1 << 24;
  const auto refuse_it = [&](std::string_view what) {
    refuse(table.file->path(), fmt::format("\"{}\", {} of {}, {}", audit::printable(table.name),
                                           words_of(table.shape), table.dtype, what));
  };
  if (table.element() == Element::other)
    refuse_it("has no floating-point numbers: a quantised table needs its scale, too");
  if (!table.is_table()) refuse_it("is no table, which has rows and channels");
  if (std::ranges::any_of(table.shape, [](auto n) { return n == 0 || n > most; }))
    refuse_it(fmt::format("must have 1 to {} rows, and as many channels at most", most));
}

}  // namespace

void for_rows(const Tensor& table, std::uint64_t begin, std::uint64_t end,
              const std::function<void(std::uint64_t, std::span<const float>)>& see) {
  require_table(table);
  const std::size_t width = table.shape[1], row = width * table.size_of_element();
  std::vector<float> values(width);
  for_blocks(table, begin, end, [&](std::uint64_t first, std::span<const std::byte> bytes) {
    for (std::size_t i = 0; i < bytes.size() / row; ++i) {
      convert_all(table.element(), bytes.data() + i * row, width, values.data());
      see(first + i, values);
    }
  });
}

TableSums sums_of(const Tensor& table) {
  require_table(table);
  const auto rows = table.shape[0], width = table.shape[1];
  TableSums all{rows,
                width,
                0,
                std::vector<RowSums>(rows),
                std::vector<double>(width),
                std::vector<double>(width)};
  const auto signs = signs_of(width);
  std::vector<PartSums> sums(parts);
  in_threads(parts, [&](std::size_t i) {
    sums[i] = sums_of_rows(table, i * rows / parts, (i + 1) * rows / parts, signs, all.by_row);
  });
  for (const auto& part : sums) {
    all.left_out += part.left_out;
    for (std::size_t j = 0; j < width; ++j)
      all.sum[j] += part.sum[j], all.square[j] += part.square[j];
  }
  return all;
}

std::vector<std::uint64_t> rows_near(const TableSums& sums, std::span<const std::uint64_t> to,
                                     double square) {
  std::vector<std::array<float, lanes>> centres;
  for (const auto row : to) centres.push_back(sums.by_row.at(row).sketch);
  std::vector<std::vector<std::uint64_t>> near(parts, std::vector<std::uint64_t>(to.size()));
  in_threads(parts, [&](std::size_t i) {
    const auto begin = i * sums.rows / parts, end = (i + 1) * sums.rows / parts;
    count_near(std::span(sums.by_row).subspan(begin, end - begin), centres,
               static_cast<float>(square), near[i]);
  });
  for (std::size_t i = 1; i < parts; ++i)
    for (std::size_t k = 0; k < to.size(); ++k) near[0][k] += near[i][k];
  return near[0];
}

}  // namespace embedscale::checkpoint
