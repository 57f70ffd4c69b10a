#include "results.hpp"

#include <fstream>
#include <stdexcept>

namespace embedscale::properties::mutation {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Result, id, fate, by, tried, made_from)

namespace {
void append(const std::string& line, const std::filesystem::path& file) {
  std::ofstream out(file, std::ios::app | std::ios::binary);
  if (!(out << line << '\n') || !out.flush())
    throw std::runtime_error("cannot write " + file.string());
}
}  // namespace

std::vector<Result> kept_in(const std::filesystem::path& file) {
  std::vector<Result> kept;
  std::ifstream in(file, std::ios::binary);
  for (std::string line; std::getline(in, line);) {
    if (in.eof()) append("", file);
    const auto json = nlohmann::json::parse(line, nullptr, false);
    if (!json.is_discarded()) kept.push_back(json.get<Result>());
  }
  return kept;
}

void keep(const Result& result, const std::filesystem::path& file) {
  append(nlohmann::json(result).dump(), file);
}

}  // namespace embedscale::properties::mutation
