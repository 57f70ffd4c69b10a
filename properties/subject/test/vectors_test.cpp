// The vectors: the library's functions are within what is allowed, and wrong ones are not.
#include "../vectors.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <fstream>
#include <set>

#include "../subject.hpp"

namespace embedscale::properties::subject {
namespace {

using nlohmann::json;

/// Of each entry of each case, how far the library is off over what is allowed, the worst; or the
/// library with results that went through bfloat16.
double worst_of(const json& file, bool through_bfloat16 = false) {
  const auto right = library();
  double worst = 0;
  for (const auto& one : file.at("cases")) {
    Request request{file.at("operation"), file.at("format"), one.at("arguments")};
    for (const auto& of : one.value("arrays", json::array())) {
      const auto decimal = of.at("decimal").get<std::vector<double>>();
      const auto shape = of.at("shape").get<std::vector<std::uint64_t>>();
      if (of.at("dtype") == "int64") {
        const std::vector<std::int64_t> whole(decimal.begin(), decimal.end());
        request.arrays.push_back(
            array_of(of.at("name"), shape, std::span<const std::int64_t>(whole)));
        continue;
      }
      std::vector<float> floats(decimal.begin(), decimal.end());
      for (std::size_t i = 0; i < floats.size(); ++i)
        EXPECT_EQ(std::stoul(of.at("bits")[i].get<std::string>(), nullptr, 16),
                  std::bit_cast<std::uint32_t>(floats[i]));
      request.arrays.push_back(array_of(of.at("name"), shape, std::span<const float>(floats)));
    }
    const auto answer = right->answer(request);
    for (const auto& result : one.at("results")) {
      const auto found =
          std::ranges::find(answer, result.at("name").get<std::string>(), &Array::name);
      EXPECT_NE(found, answer.end());
      EXPECT_EQ(found->shape, result.at("shape").get<std::vector<std::uint64_t>>());
      const auto is = numbers(*found);
      EXPECT_EQ(result.at("exact").size(), is.size());
      for (std::size_t i = 0; i < is.size(); ++i) {
        const double allowed = result.at("allowed")[i], exact = result.at("exact")[i];
        const double came =
            through_bfloat16 ? static_cast<double>(static_cast<bfloat16>(is[i])) : is[i];
        worst = std::max(worst, std::abs(came - exact) / allowed);
      }
    }
  }
  return worst;
}

TEST(vectors, hold_for_the_library_of_every_operation_that_has_exact_values) {
  const auto directory =
      std::filesystem::temp_directory_path() / ("embedscale_vectors_" + std::to_string(::getpid()));
  write_vectors(directory);
  std::set<std::string> operations;
  std::uintmax_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    std::ifstream in(entry.path());
    const auto file = json::parse(in);
    operations.insert(file.at("operation"));
    bytes += entry.file_size();
    EXPECT_LE(worst_of(file), 1) << entry.path();
    // A rounding to bfloat16 is up to 2^16 of binary32's, of which a bound allows some hundreds.
    EXPECT_GT(worst_of(file, true), 100) << entry.path();
    EXPECT_FALSE(file.at("usual_causes").empty()) << entry.path();
  }
  std::filesystem::remove_all(directory);
  for (const auto& operation : described()) {
    const std::string name(operation.name);
    const bool has_none =
        name == "initialise" || name == "clip_by_global_norm" || name == "dropout";
    EXPECT_EQ(operations.contains(name), !has_none) << name;
  }
  EXPECT_LE(bytes, 1u << 20);
}

}  // namespace
}  // namespace embedscale::properties::subject
