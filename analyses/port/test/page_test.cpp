// The page about moving a checkpoint: what it shows is what `embedscale port` says.
#include "port/page.hpp"
#include "port/test/ports.hpp"
#include "report/row.hpp"

namespace embedscale::port {
namespace {

const report::Words& words() {
  static const auto read = report::Words::read(EMBEDSCALE_ANALYSES_DIR "/port.md");
  return read;
}
const std::string& shown() {
  static const auto text =
      page(report::read_packed_results(EMBEDSCALE_REPORTS_DIR "/results.json"), words());
  return text;
}
/// What it says of a section, by its title.
std::string section(const std::string& title) {
  const auto begin = shown().find("## " + title);
  if (begin == std::string::npos) return "";
  return shown().substr(begin, shown().find("\n## ", begin) - begin);
}
std::string refusal(const std::string& text) {
  return audit::message_of<std::invalid_argument>([&] {
    page({{"claims", report::Json::array()}}, report::Words::parse(text, "port.md"));
  });
}

TEST(port_page, has_the_numbers_of_its_ports) {
  const Changes size = {{"model.d_model", "512"}, {"model.heads", "8"}};
  struct Shown {
    std::string title;
    Port port;
    bool whole = true;
  };
  for (const auto& [title, port, whole] : std::vector<Shown>{
           {"fairseq, tied", port_between("fairseq_transformer", tied, "fairseq_transformer",
                                          with(tied, without_factor))},
           {"Gemma", port_between("hf_gemma", {}, "hf_llama", as_gemma)},
           {"Marian",
            port_between("marian", {}, "hf_marian",
                         with(size, {{"token.multiplier", "sqrt(d_model)"}})),
            false},
           {"The way back",
            port_between("hf_marian", size, "fairseq_transformer",
                         with(tied, {{"block.epsilon", "1e-5"}})),
            false}}) {
    const auto text = section(title);
    const auto has = [&](const std::string& what) {
      EXPECT_NE(text.find(what), std::string::npos) << title << ": " << what << "\n" << text;
    };
    for (const auto& step : port.steps) has(step.text);
    for (const auto& difference : port.differences) has(difference.text);
    if (!whole) continue;
    for (const auto& obstacle : port.obstacles)
      if (obstacle.name != "global_clipping") has(obstacle.text);
    for (const auto& row : optimizer_table(port).rows)
      for (const auto& cell : row.second) has(" " + cell + " |");
  }
}

TEST(port_page, has_no_place_for_a_number_that_nothing_gives) {
  const std::string start = "# P\n## 1\n### title\nT\n### text\n";
  EXPECT_EQ(refusal(start + "{factor}\n"), "port.md: section '1' has no field {factor}");
  EXPECT_EQ(refusal(start + "{defect 99}\n"), "port.md: section '1' has no field {defect 99}");
  EXPECT_EQ(refusal(start + "{bias}\n### from\nhf_gemma\n### to\nhf_gemma\n"),
            "port.md: section '1' has no field {bias}");
  EXPECT_NE(refusal(start + "{steps}\n### from\nhf_gemma\n").find("to"), std::string::npos);
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
