// The page about moving a checkpoint: what it shows is what `embedscale port` says.
#include "port/page.hpp"
#include "port/test/ports.hpp"
#include "report/row.hpp"

namespace embedscale::port {
namespace {

std::string refused(const std::string& text) {
  return embedscale::refusal([&] {
    page({{"claims", report::Json::array()}}, report::Words::parse(text, "port.md"));
  });
}

// The page shows all of a port: steps, rows for the optimiser, and what changes the function.
TEST(port_page, shows_what_a_port_says) {
  const auto text = page({{"claims", report::Json::array()}},
                         report::Words::parse("# P\n## 1\n### title\nT\n### text\n{steps}\n"
                                              "{optimizer}\n{besides}\n### from\nhf_gemma\n"
                                              "### to\n" +
                                                  as_gemma + " block.epsilon=1\n",
                                              "port.md"));
  const auto port = port_between("hf_gemma", as_gemma + " block.epsilon=1");
  std::vector<std::string> shown;
  for (const auto& step : port.steps) shown.push_back(step.text);
  for (const auto& remark : port.differences)
    shown.push_back(fmt::format("- *{}*, **changes the function**: {}", remark.name, remark.text));
  for (const auto& obstacle : port.obstacles)
    if (obstacle.name != "global_clipping") shown.push_back(obstacle.text);
  for (const auto& row : optimizer_table(port).rows)
    for (const auto& cell : row.second) shown.push_back(" " + cell + " |");
  for (const auto& one : shown) EXPECT_NE(text.find(one), std::string::npos) << one << "\n" << text;
}

TEST(port_page, has_no_place_for_a_number_that_nothing_gives) {
  const std::string start = "# P\n## 1\n### title\nT\n### text\n";
  EXPECT_EQ(refused(start + "{factor}\n"), "port.md: section '1' has no field {factor}");
  EXPECT_EQ(refused(start + "{defect 99}\n"), "port.md: section '1' has no field {defect 99}");
  EXPECT_EQ(refused(start + "{bias}\n### from\nhf_gemma\n### to\nhf_gemma\n"),
            "port.md: section '1' has no field {bias}");
  EXPECT_NE(refused(start + "{steps}\n### from\nhf_gemma\n").find("to"), std::string::npos);
}

TEST(port_page, shows_the_example_by_hand) {
  // x = 2·(1, −1.5, 1, −1.5) + (0, 1, 0, 1) = (2, −2, 2, −2), of RMS 2; h = (1.5, −2, 1, −1);
  // logits 1.5 + 3 + 1 + 1.5 and 0.75 − 2 − 0.5 − 0.25.
  const auto [table, alone] = example();
  EXPECT_EQ(alone, "14, −4");
  const auto row = [&, &all = table](const std::string& what) {
    const auto begin = all.find("| " + what);
    std::string out;
    for (const auto& word : audit::words_of(all.substr(begin, all.find('\n', begin) - begin)))
      out += (out.empty() ? "" : " ") + word;
    return out;
  };
  EXPECT_EQ(row("table, first"), "| table, first word | 1, −1.5, 1, −1.5 | 2, −3, 2, −3 |");
  EXPECT_EQ(row("h ="), "| h = g ⊙ N(x) + b | 1.5, −2, 1, −1 | 0.75, −1, 0.5, −0.5 |");
  EXPECT_EQ(row("**logits**"), "| **logits** of both words | 7, −2 | 7, −2 |");
}

}  // namespace
}  // namespace embedscale::port
