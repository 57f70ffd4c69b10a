#pragma once
// A message of the protocol of subjects (protocol.md): a header in JSON, and arrays.
#include <embedscale/format.hpp>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "../over.hpp"

namespace embedscale::properties::subject {

/// What is no message of the protocol, or an answer other than asked for.
struct Malformed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// An array in row-major order, its numbers as they lie in memory: little-endian.
struct Array {
  std::string name, dtype;
  std::vector<std::uint64_t> shape;  ///< empty: one number
  std::string bytes;

  std::uint64_t size() const;
};

/// "int64", or the format's name.
template <class Number>
constexpr std::string_view dtype_of() {
  if constexpr (std::is_same_v<Number, std::int64_t>)
    return "int64";
  else
    return number_name<Number>();
}

/// Requires  a shape of as many numbers.
template <class Number>
Array array_of(std::string name, std::vector<std::uint64_t> shape, std::span<const Number> from) {
  Array out{std::move(name), std::string(dtype_of<Number>()), std::move(shape), {}};
  out.bytes.assign(reinterpret_cast<const char*>(from.data()), from.size_bytes());
  return out;
}

/// Requires  an array of this dtype.
template <class Number>
std::vector<Number> numbers_of(const Array& array) {
  std::vector<Number> all(array.bytes.size() / sizeof(Number));
  std::memcpy(all.data(), array.bytes.data(), all.size() * sizeof(Number));
  return all;
}

struct Message {
  nlohmann::json header;
  std::vector<Array> arrays;

  /// The array of this name.  Errors  Malformed where there is none.
  const Array& array(std::string_view name) const;
};

inline constexpr std::uint64_t longest_header = 1 << 16, longest_body = 1 << 28;
inline constexpr std::size_t prefix_size = 16;

/// The lengths that a message begins with.
struct Lengths {
  std::uint64_t header, body;
};

/// Errors    Malformed for lengths that no message has: what follows is not read.
Lengths lengths_of(std::span<const char, prefix_size> prefix);

/// The message of a header and a body of the lengths that were told.
///
/// Errors    Malformed: a header that is no JSON object, arrays other than the body has.
Message message_of(std::string_view header, std::string_view body);

/// All bytes of a message.
///
/// Errors    Malformed for one longer than the protocol allows.
std::string bytes_of(const Message& message);

}  // namespace embedscale::properties::subject
