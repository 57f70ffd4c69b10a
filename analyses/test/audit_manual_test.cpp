// The list of fields, where people look them up: it is the code's own.
#include "audit/fields.hpp"
#include "audit/manual.hpp"
#include "audit_text.hpp"
#include "report/file.hpp"
#include "report/table.hpp"

#include <set>
#include <sstream>

namespace embedscale::audit {
namespace {

/// What stands between two lines of the atlas's README.
std::string between(const std::string& begin, const std::string& end) {
  const std::string text =
      report::read_file(std::filesystem::path(EMBEDSCALE_SYSTEMS_DIR) / "README.md");
  const std::size_t from = text.find(begin), to = text.find(end);
  if (from == std::string::npos || to == std::string::npos) return "no markers";
  return text.substr(from + begin.size(), to - from - begin.size());
}

TEST(manual, of_the_atlas_is_the_codes_own) {
  // Where this fails, put the second text between the markers of analyses/systems/README.md.
  EXPECT_EQ(between("<!-- keys:begin -->\n\n", "\n<!-- keys:end -->"), manual_table());
}

TEST(manual, of_the_atlas_tells_what_each_figure_is) {
  const std::string text = between("<!-- figures:begin -->", "<!-- figures:end -->");
  for (const Quantity& q : quantities(audited(whole).scales))
    EXPECT_NE(text.find("`" + q.path + "`"), std::string::npos) << q.path;
}

TEST(manual, names_every_field_once_with_its_values_and_its_default) {
  std::set<std::string> paths;
  for (const Field& f : fields()) {
    EXPECT_TRUE(paths.emplace(f.path).second) << f.path;
    EXPECT_FALSE(f.values.empty() || f.otherwise.empty()) << f.path;
  }
  for (const std::string& path : paths) {
    EXPECT_NE(manual().find("\n" + path + "\n    "), std::string::npos) << path;
    EXPECT_NE(manual_table().find("`" + path + "`"), std::string::npos) << path;
  }
}

TEST(manual, keeps_the_fields_of_a_section_together) {
  std::set<std::string> seen;
  std::string section;
  for (const Field& f : fields()) seen.emplace(f.path.substr(0, f.path.find('.')));
  const std::size_t sections = seen.size();
  seen.clear();
  std::size_t changes = 0;
  std::istringstream lines(manual_table());
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| `")) continue;
    const std::string own = line.substr(3, line.find_first_of(".`", 3) - 3);
    changes += own != section;
    section = own;
  }
  EXPECT_EQ(changes, sections);
}

TEST(manual, fits_a_terminal) {
  std::istringstream lines(manual());
  for (std::string line; std::getline(lines, line);)
    EXPECT_LE(report::width_of(line), 100u) << line;
}

TEST(manual, tells_defaults_that_are_the_ones_that_stand_in) {
  // Each default that a configuration notes is the one that the manual has.
  const std::string both = whole + "multiplier = 2\n[block]\nnorm = 'pre'\n[embedding_norm]\n";
  for (const std::string& toml : {whole, both})
    for (const auto& [field, words] : configured(toml).defaults)
      for (const Field& f : fields())
        if (f.path == field) {
          EXPECT_TRUE(f.otherwise.starts_with(words)) << field << ": " << words;
        }
}

TEST(absent, are_fields_that_not_every_source_tells) {
  for (const char* path : {"token.law", "model.vocabulary", "output.tied", "block.epsilon"})
    EXPECT_TRUE(may_be_absent(path)) << path;
  for (const char* path : {"position.kind", "name", "token.multiplier_format"})
    EXPECT_FALSE(may_be_absent(path)) << path;
}

}  // namespace
}  // namespace embedscale::audit
