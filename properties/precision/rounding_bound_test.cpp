// The rounding bounds are what Gappa proves: it is handed the constants as they are in C++, for
// each format, and refuses what is below that which a pair attains.
#include <embedscale/embedding.hpp>
#include <embedscale/format.hpp>

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <regex>
#include <stdexcept>
#include <string>

#include "../combination/rounding.hpp"
#include "../domain/formats.hpp"
#include "../evidence/rounding.hpp"
#include "difference.hpp"

namespace embedscale::properties::precision {

namespace {

using combination::Division;

/// a + b·u as Gappa reads it exactly, an integer and a power of two: 4 − 2u is "33554430b-23".
std::string dyadic(double a, double b, int digits) {
  int power = 0;
  for (; b != std::nearbyint(b); b *= 2.0) ++power;
  return std::to_string(std::llround(std::ldexp(a, digits + power)) + std::llround(b)) + "b-" +
         std::to_string(digits + power);
}

/// A statement of a script: its numbers have these digits, its parts are at most `reach`.
struct Statement {
  Division division;
  int digits;
  double reach, bound_in_u;
};

/// The script with its places filled in; Gappa refuses one that is left.
std::string script(const Statement& said) {
  const std::string name =
      said.division == Division::by_m ? "rounding_bound_by_m" : "rounding_bound_by_reciprocal";
  std::ifstream file(std::string(EMBEDSCALE_SCRIPTS "/") + name + ".g.in");
  if (!file) throw std::runtime_error("no " + name + ".g.in");
  std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto number = [&](double a, double b) { return dyadic(a, b, said.digits); };
  for (const auto& [place, filled] : {std::pair("digits", std::to_string(said.digits)),
                                      {"reach", std::to_string(said.reach)},
                                      {"bound", number(0.0, said.bound_in_u)},
                                      {"bound_in_u", std::to_string(said.bound_in_u)},
                                      {"2 - 2u", number(2.0, -2.0)},
                                      {"2 - 1u", number(2.0, -1.0)},
                                      {"4 - 2u", number(4.0, -2.0)},
                                      {"4 \\+ 4u", number(4.0, 4.0)}})
    text = std::regex_replace(text, std::regex("@" + std::string(place) + "@"), filled);
  return text;
}

/// What Gappa says of a script: nothing at all where it proves the statement, with no warning.
std::string run(const std::string& filled) {
  const auto path = std::filesystem::temp_directory_path() /
                    ("rounding_bound_" + std::to_string(getpid()) + ".g");
  std::ofstream(path) << filled;
  // Digits enough for products of binary64; every improvement counts; splits that one case does not
  // need are no news.
  const std::string command = EMBEDSCALE_GAPPA
                              " -Eprecision=160 -Echange-threshold=0 -Wno-dichotomy-failure '" +
                              path.string() + "' 2>&1";
  FILE* const running = popen(command.c_str(), "r");
  if (running == nullptr) throw std::runtime_error("cannot run " + command);
  std::string output;
  for (std::array<char, 512> some{}; std::fgets(some.data(), some.size(), running) != nullptr;)
    output += some.data();
  const int status = pclose(running);
  std::filesystem::remove(path);
  return status == 0 || !output.empty() ? output : "exit status " + std::to_string(status);
}

std::string gappa(const Statement& said) { return run(script(said)); }

/// Both instances that make c·u·max: parts up to 3/2, and from there to 2.
void expect_proved(Division division, int digits, double c) {
  EXPECT_EQ(gappa({division, digits, 1.5, c}), "") << digits << " digits";
  EXPECT_EQ(gappa({division, digits, 2.0, 1.5 * c}), "") << digits << " digits";
}

/// A pair of the first instance in bfloat16, m = f, that attains 8u: Gappa refuses to prove less,
/// so that the script is not one that proves anything. It is the same in each format but for
/// digits.
void expect_refused_below(Division division, std::uint64_t d, double e, double p) {
  const double f = significand(static_cast<double>(root_multiplier<bfloat16>(d)));
  const auto [up, down] = combination::two_ways(bfloat16(e), bfloat16(p), bfloat16(f), division,
                                                combination::library<bfloat16>);
  const double apart = std::abs(static_cast<double>(up) - static_cast<double>(down));
  ASSERT_EQ(apart, 8.0 * unit_roundoff<bfloat16>);
  ASSERT_EQ(static_cast<double>(bfloat16(e)), e);
  ASSERT_EQ(static_cast<double>(bfloat16(p)), p);
  ASSERT_LE(division == Division::by_m ? std::max(e, p / f) : std::max(e * f, p), 1.5);
  const auto output = gappa({division, FormatTraits<bfloat16>::digits, 1.5, 8.0 - 0x1p-20});
  EXPECT_NE(output.find("some properties were not satisfied"), std::string::npos) << output;
}

}  // namespace

// B(f) = c/f, of one c, which is what the script is handed.
TEST(gappa_proves_the_rounding_bound, of_m_by_its_significand) {
  const double c = difference::bound_in_u(1.5) * 1.5;
  for (double f = 1.0 + 0x1p-23; f < 2.0; f += 0x1p-10)
    ASSERT_DOUBLE_EQ(difference::bound_in_u(f) * f, c) << f;
  EXPECT_LE(c, combination::bound_in_u);  // at f = 1
  domain::for_each_format(
      [c]<class Real>() { expect_proved(Division::by_m, FormatTraits<Real>::digits, c); });
}

TEST(gappa_proves_the_rounding_bound, with_the_reciprocal_of_m) {
  domain::for_each_format([]<class Real>() {
    expect_proved(Division::by_reciprocal, FormatTraits<Real>::digits, combination::bound_in_u);
  });
}

// Pairs found by drawing; the second is the worst of all.
TEST(gappa_refuses_a_smaller_rounding_bound, than_a_pair_attains) {
  expect_refused_below(Division::by_m, 62, 0x1.02p0, 0x1.fep0);
  expect_refused_below(Division::by_reciprocal, 3660, 0x1.12p-1, 0x1.0ap0);
}

// Gappa takes a rewriting on trust and warns of one that is no identity: any output fails.
TEST(gappa_refuses_a_smaller_rounding_bound, than_a_wrong_identity_gives) {
  const auto wrong = std::regex_replace(script({Division::by_m, 24, 1.5, 8.0}),
                                        std::regex("- f \\* \\(Q"), "- 0 * (Q");
  EXPECT_NE(run(wrong).find("not trivially equal"), std::string::npos);
}

}  // namespace embedscale::properties::precision
