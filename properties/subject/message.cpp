#include "message.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace embedscale::properties::subject {
namespace {

static_assert(std::endian::native == std::endian::little, "arrays are sent as they lie in memory");

struct Dtype {
  std::string_view name;
  std::uint64_t size;
};
constexpr std::array dtypes{Dtype{"binary64", 8}, Dtype{"binary32", 4}, Dtype{"binary16", 2},
                            Dtype{"bfloat16", 2}, Dtype{"int64", 8}};

/// What a subject sent, as an error shows it.
std::string begin_of(std::string_view text) { return std::string(text.substr(0, 200)); }

std::uint64_t size_of(std::string_view dtype) {
  const auto found = std::ranges::find(dtypes, dtype, &Dtype::name);
  if (found == dtypes.end()) throw Malformed("no dtype is called '" + begin_of(dtype) + "'");
  return found->size;
}

/// Of a shape, refused before it overflows.
std::uint64_t numbers_in(const std::vector<std::uint64_t>& shape) {
  std::uint64_t all = 1;
  for (const auto n : shape) {
    if (n > longest_body || (all *= n) > longest_body)
      throw Malformed("an array is larger than a message may be");
  }
  return all;
}

/// The array that a header tells of, without its numbers.
Array told(const nlohmann::json& of) {
  try {
    Array out{of.at("name"), of.at("dtype"), {}, {}};
    if (!of.at("shape").is_array()) throw Malformed("a shape is no list: " + begin_of(of.dump()));
    for (const auto& n : of.at("shape")) {
      if (!n.is_number_unsigned()) throw Malformed("a shape has " + begin_of(n.dump()));
      out.shape.push_back(n);
    }
    return out;
  } catch (const nlohmann::json::exception&) {
    throw Malformed("an array needs name, dtype and shape, and not " + begin_of(of.dump()));
  }
}

}  // namespace

std::uint64_t Array::size() const { return numbers_in(shape); }

const Array& Message::array(std::string_view name) const {
  const auto found = std::ranges::find(arrays, name, &Array::name);
  if (found == arrays.end()) throw Malformed("there is no array '" + std::string(name) + "'");
  return *found;
}

Lengths lengths_of(std::span<const char, prefix_size> prefix) {
  Lengths out;
  std::memcpy(&out.header, prefix.data(), 8);
  std::memcpy(&out.body, prefix.data() + 8, 8);
  if (out.header > longest_header || out.body > longest_body)
    throw Malformed("begins with '" +
                    nlohmann::json(std::string(prefix.data(), prefix_size))
                        .dump(-1, ' ', true, nlohmann::json::error_handler_t::replace) +
                    "', which are no lengths of a message (is something printed on standard "
                    "output?)");
  return out;
}

Message message_of(std::string_view header, std::string_view body) {
  Message out{nlohmann::json::parse(header, nullptr, false), {}};
  if (!out.header.is_object()) throw Malformed("a header is no JSON object");
  if (out.header.contains("arrays")) {
    if (!out.header["arrays"].is_array()) throw Malformed("`arrays` is no list");
    for (const auto& of : out.header["arrays"]) {
      auto array = told(of);
      const auto bytes = array.size() * size_of(array.dtype);
      if (bytes > body.size())
        throw Malformed("the body is shorter than array '" + begin_of(array.name) + "' needs");
      array.bytes = body.substr(0, bytes);
      body.remove_prefix(bytes);
      out.arrays.push_back(std::move(array));
    }
  }
  if (!body.empty())
    throw Malformed("the body is " + std::to_string(body.size()) + " bytes longer than its arrays");
  return out;
}

std::string bytes_of(const Message& message) {
  auto header = message.header;
  std::string body;
  auto& arrays = header["arrays"] = nlohmann::json::array();
  for (const auto& [name, dtype, shape, bytes] : message.arrays) {
    arrays.push_back({{"name", name}, {"dtype", dtype}, {"shape", shape}});
    body += bytes;
  }
  const auto text = header.dump();
  const std::uint64_t lengths[] = {text.size(), body.size()};
  if (lengths[0] > longest_header || lengths[1] > longest_body)
    throw Malformed("a message of " + std::to_string(body.size()) + " bytes is too long");
  std::string all(reinterpret_cast<const char*>(lengths), sizeof lengths);
  return all + text + body;
}

}  // namespace embedscale::properties::subject
