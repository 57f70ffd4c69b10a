#pragma once
// The test programs that judge mutants, how each is compiled and linked, and what it includes.
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace embedscale::properties::mutation {

namespace fs = std::filesystem;

/// What a source file of the project reaches by #include.
struct Includes {
  std::set<fs::path> own;           ///< the project's files, as real paths
  std::set<fs::path> direct;        ///< those that it names itself
  std::set<std::string> libraries;  ///< what else: "gtest/gtest.h"
};

/// Follows "…" from the file's folder, <embedscale/properties/…> to properties and <embedscale/…>
/// to lib, as the build does.  Errors    std::runtime_error where a file cannot be read.
Includes includes_of(const fs::path& project, const fs::path& file);

struct Program {
  std::string name;  ///< "attention_test"
  fs::path source;   ///< its only one
  Includes includes;
  std::vector<std::string> compile;  ///< compiler and options, but for what to compile to what
  std::vector<std::string> link;     ///< compiler and libraries
  double compile_seconds = 0, run_seconds = 0;  ///< of the processor, unmutated

  double seconds() const { return compile_seconds + run_seconds; }
};

/// A command line as the shell would split it; && and such are words.
std::vector<std::string> shell_words(const std::string& line);

/// The programs of properties/ and properties/self_test/ that include one of the library's headers.
///
/// Their command lines are those of the build tree, without a compiler cache, warnings and
/// optimisation. Errors    std::runtime_error where the build tree does not know one.
std::vector<Program> programs_of(const fs::path& project, const fs::path& build,
                                 const fs::path& scratch);

/// The programs that include `header`, in the order in which they are tried: the one of its name,
/// those that name it, the others; the cheaper one first.
std::vector<const Program*> in_order_for(const std::vector<Program>& programs,
                                         const fs::path& headers, const std::string& header);

std::string read(const fs::path& file);
void write(const fs::path& file, const std::string& text);

}  // namespace embedscale::properties::mutation
