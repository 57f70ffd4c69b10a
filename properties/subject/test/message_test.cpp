// Bytes that are a message, and those that are none.
#include "../message.hpp"

#include <gtest/gtest.h>

namespace embedscale::properties::subject {
namespace {

Message parsed(const std::string& bytes) {
  const auto [header, body] =
      lengths_of(std::span<const char, prefix_size>(bytes.data(), prefix_size));
  return message_of(std::string_view(bytes).substr(prefix_size, header),
                    std::string_view(bytes).substr(prefix_size + header, body));
}

TEST(message, has_the_bytes_that_the_protocol_shows) {
  const std::vector<float> x{1, 3};
  const auto bytes = bytes_of({{{"id", 1}}, {array_of<float>("x", {2}, x)}});
  const std::string header = R"({"arrays":[{"dtype":"binary32","name":"x","shape":[2]}],"id":1})";
  const std::string lengths{
      static_cast<char>(header.size()), 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0};
  EXPECT_EQ(bytes, lengths + header + std::string("\0\0\x80\x3f\0\0\x40\x40", 8));
  const auto again = parsed(bytes);
  EXPECT_EQ(numbers_of<float>(again.array("x")), x);
  EXPECT_EQ(again.header["id"], 1);
}

TEST(message, of_other_lengths_shapes_or_types_is_refused) {
  const std::string body(8, '\0');
  const auto refused = [&](const std::string& arrays) {
    EXPECT_THROW(message_of(R"({"arrays":)" + arrays + "}", body), Malformed) << arrays;
  };
  refused(R"([{"name":"x","dtype":"binary32","shape":[3]}])");
  refused(R"([{"name":"x","dtype":"binary32","shape":[1]}])");
  refused(R"([{"name":"x","dtype":"binary128","shape":[2]}])");
  refused(R"([{"name":"x","dtype":"binary32","shape":[-2]}])");
  refused(R"([{"name":"x","dtype":"binary32","shape":[2.5]}])");
  refused(R"([{"name":"x","dtype":"binary32","shape":2}])");
  refused(R"([{"name":"x","dtype":"binary32","shape":[4294967296,4294967296,4294967296]}])");
  refused(R"([{"name":7,"dtype":"binary32","shape":[2]}])");
  refused(R"([7])");
  refused(R"("x")");
  const std::string n(60000, 'n');
  for (const auto& array : {R"({"name":")" + n + R"(","dtype":"binary32","shape":[7]})",
                            R"({"name":"x","dtype":")" + n + R"(","shape":[2]})",
                            R"({"name":"x","dtype":"binary32","shape":")" + n + R"("})",
                            R"({"name":"x","dtype":"binary32","shape":[")" + n + R"("]})",
                            R"({"name":"x","dtype":7,"shape":[")" + n + R"("]})"}) {
    try {
      message_of(R"({"arrays":[)" + array + "]}", body);
      ADD_FAILURE() << array.substr(0, 40);
    } catch (const Malformed& error) {
      EXPECT_LT(std::string_view(error.what()).size(), 1000u) << array.substr(0, 40);
    }
  }
  EXPECT_THROW(message_of("{", ""), Malformed);
  EXPECT_THROW(message_of("7", ""), Malformed);
  EXPECT_NO_THROW(message_of(R"({"arrays":[{"name":"x","dtype":"binary32","shape":[2]}]})", body));
  EXPECT_NO_THROW(message_of(R"({"arrays":[{"name":"x","dtype":"binary64","shape":[]}]})", body));
}

}  // namespace
}  // namespace embedscale::properties::subject
