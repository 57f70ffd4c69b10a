// Which factors count as one, and those of further tables.
#include "port/test/ports.hpp"

namespace embedscale::port {
namespace {

Configuration with_factors(double token, int first, int second) {
  return audit::configured(
      fmt::format("[model]\nd_model = 8\nheads = 1\n[position]\nkind = 'none'\n"
                  "[token]\n{0}{1}\n[output]\ntied = false\n{0}1\n"
                  "[[extra]]\n{0}{2}\n[[extra]]\n{0}{3}\n",
                  "law = 'normal'\nstandard_deviation = 1\nmultiplier = ", token, first, second));
}

// Two codes round one number to binary32, each once: 2^−23 between them at most, which is no
// difference. A factor of 1 + 2^−20 is another one, as √512 is in binary32 and in bfloat16; it is
// itself rounded to binary32.
TEST(port_factors, are_one_where_rounding_to_binary32_alone_parts_them) {
  const auto s = [](double m) {
    return port_of(with_factors(m, 1, 1), with_factors(1, 1, 1))
        .recipe.factor_of(Parameter::token_table);
  };
  for (const double m : {1 + 0x1p-23, 1 - 0x1p-23}) EXPECT_EQ(s(m), 1) << m;
  for (const double m : {1 + 0x1p-20, 1 - 0x1p-20, 1 + 0x1p-9, 22.625 / std::sqrt(512.0)})
    EXPECT_NEAR(s(m), m, 0x1p-24) << m;
}

// Each of two further tables by its own factor: 3/1 and 10/4.
TEST(port_factors, of_further_tables_are_each_told) {
  const auto told = [](int first, int second) {
    const auto json =
        Json::parse(json_line(port_of(with_factors(1, first, second), with_factors(1, 1, 4))));
    return json.at("steps").dump() + json.at("differences").dump();
  };
  for (const auto& [first, second] : {std::pair(3, 10), {3, 4}, {1, 10}, {1, 4}}) {
    const auto text = told(first, second);
    EXPECT_EQ(text.find(" by 3") != text.npos, first == 3) << text;
    EXPECT_EQ(text.find(" by 2.5") != text.npos, second == 10) << text;
  }
}

}  // namespace
}  // namespace embedscale::port
