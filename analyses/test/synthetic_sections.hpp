#pragma once
// Sections as they are measured where the program finds records beside itself: in a directory of
// its own, as the other programs find the committed ones.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "cli/analysis.hpp"
#include "report/file.hpp"
#include "training/results.hpp"

namespace embedscale {
cli::Analysis analysis_of_training();
}

namespace embedscale::training_analysis {

class SyntheticSections : public testing::Test {
 protected:
  static void keep(const char* name, const Record& record) {
    const auto file = cli::share(name);
    ASSERT_FALSE(std::filesystem::is_symlink(file)) << "that is the committed one";
    std::filesystem::create_directories(file.parent_path());
    report::write_file(file, record.text());
  }
  void measure(const properties::Claim& claim) {
    section_.emplace(claim);
    for (const auto& one : analysis_of_training().sections)
      if (one.claim == &claim) one.measure(*section_, {});
  }
  Selection found(std::string_view look_up) const {
    return LookUp(look_up).matching(section_->all());
  }
  void expect(std::string_view look_up, double value) const {
    const auto all = found(look_up);
    ASSERT_EQ(all.size(), 1u) << look_up;
    EXPECT_NEAR(all[0]->value, value, 1e-12) << look_up;
  }
  void expect(std::string_view look_up, double value, double lower, double upper) const {
    expect(look_up, value);
    const auto all = found(look_up);
    EXPECT_NEAR(all.at(0)->lower.value_or(NAN), lower, 1e-12) << look_up;
    EXPECT_NEAR(all.at(0)->upper.value_or(NAN), upper, 1e-12) << look_up;
  }
  void expect_findings(std::initializer_list<std::pair<const char*, int>> all) const {
    for (const auto& [quantity, value] : all) expect(quantity, value);
  }

 private:
  std::optional<Section> section_;
};

}  // namespace embedscale::training_analysis
