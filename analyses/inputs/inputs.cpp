#include "inputs/inputs.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <fstream>
#include <iostream>
#include <system_error>

#include "audit/error.hpp"
#include "report/file.hpp"

namespace embedscale::inputs {
namespace {

[[noreturn]] void fail_to_read(const std::string& file, const std::string& why) {
  throw report::FileError(fmt::format("{}: cannot be read: {}", audit::printable(file, 200), why));
}

std::string text_of(const std::string& file) {
  std::ifstream opened;
  if (file != "-") {
    std::error_code error;
    const auto status = std::filesystem::status(file, error);
    if (!std::filesystem::exists(status)) fail_to_read(file, error.message());
    if (std::filesystem::is_directory(status)) fail_to_read(file, "is a directory");
    opened.open(file, std::ios::binary);
    if (!opened) fail_to_read(file, std::error_code(errno, std::generic_category()).message());
  }
  std::istream& in = file == "-" ? std::cin : opened;
  std::string text(audit::largest_source + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad()) fail_to_read(file, "reading failed");
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

}  // namespace

audit::InputFile read(const std::string& name) {
  std::error_code error;
  for (const std::string side : {"encoder", "decoder"})
    if (name.ends_with(":" + side) && !std::filesystem::exists(name, error)) {
      const auto file = name.substr(0, name.size() - side.size() - 1);
      return {file, text_of(file), side};
    }
  return {name, text_of(name)};
}

audit::Configuration read_configuration(const std::string& file,
                                        const std::vector<audit::Change>& changes) {
  return audit::parse_configuration(text_of(file), file, changes);
}

audit::ModelTypes model_types(const std::filesystem::path& directory) {
  audit::ModelTypes types;
  std::error_code error;
  bool is_empty = true;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    if (entry.path().extension() != ".toml") continue;
    types.add(report::read_file(entry.path()), entry.path().string());
    is_empty = false;
  }
  if (is_empty) throw report::FileError(directory.string() + ": has no model types");
  return types;
}

}  // namespace embedscale::inputs
