#pragma once
// The ways of making the reports: who compiled the programs and how well, which instructions the C
// library may use, on how many threads they run; and the making itself.
#include <filesystem>
#include <string>
#include <vector>

namespace embedscale::identity {

/// The analyses as one compiler made them at one level of optimisation.
struct Build {
  std::string name;              ///< "g++ -O1"
  std::filesystem::path folder;  ///< its build tree
};

/// What the C library may use of the processor: it has other versions of exp, sin and pow for
/// processors with a fused multiply-add, which round otherwise.
struct Instructions {
  std::string name;      ///< "no FMA"
  std::string tunables;  ///< of GLIBC_TUNABLES, "" for the default
  bool operator==(const Instructions&) const = default;
};
/// The default first. The names are those of glibc since 2.33; unknown ones are ignored in silence,
/// so `other_functions` looks at what they do.
const std::vector<Instructions>& all_instructions();

/// Those of the C library's functions that give other bits than by default. It runs `self`, the
/// program that this is, which answers to --functions by `function_bits`.
std::vector<std::string> other_functions(const Instructions& instructions,
                                         const std::filesystem::path& self);
/// A line for each function of the C library that the reports rest on: its name, a hash of its
/// results at some thousand arguments.
std::string function_bits();

struct Way {
  Build build;
  Instructions instructions;
  int threads = 1;
  std::string name() const;  ///< "g++ -O1, no FMA, 1 thread"
};

/// What the programs read.
struct Sources {
  std::filesystem::path project;
  std::vector<std::string> topics;
};

/// The reports of one way. What is finished is kept, by topic, with a hash of what it was made of.
class Making {
 public:
  Making(Way way, const Sources& sources, const std::filesystem::path& kept);

  const Way& way() const { return way_; }
  std::filesystem::path reports() const { return folder_ / "reports"; }
  std::filesystem::path values(const std::string& topic) const;
  bool is_made(const std::string& topic) const;
  /// Errors    std::runtime_error with what the program said.
  void make(const std::string& topic) const;
  /// Merges the topics' pages.
  void merge() const;
  /// What made it, as the merging program tells: compiler and C library.
  std::string compiler() const;

 private:
  std::string made_from(const std::string& topic) const;
  std::filesystem::path stamp(const std::string& topic) const;
  std::filesystem::path words(const std::string& topic) const;
  std::filesystem::path record() const;
  void run(std::vector<std::string> words, const std::string& what) const;

  Way way_;
  const Sources& sources_;
  std::filesystem::path folder_;
};

}  // namespace embedscale::identity
