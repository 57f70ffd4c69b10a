#pragma once
// Each field of a configuration with values to try, and models in which they count.
#include "audit/test/configurations.hpp"

#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace embedscale::port {

/// By field, the values of alternatives.txt.
inline const std::map<std::string, std::vector<std::string>>& alternatives() {
  static const auto all = [] {
    std::map<std::string, std::vector<std::string>> by_field;
    std::ifstream in(EMBEDSCALE_ALTERNATIVES_FILE);
    for (std::string line; std::getline(in, line);) {
      if (line.starts_with("#")) continue;
      auto words = audit::words_of(line);
      const auto field = words.at(0);
      words.erase(words.begin());
      by_field[field] = words;
    }
    return by_field;
  }();
  return all;
}

/// What a value cannot be without.
inline std::vector<audit::Change> with_law(const std::string& field, const std::string& value) {
  if (field == "output.tied" && value == "false") return {{"output.law", "xavier_uniform"}};
  if (field == "position.kind" && value == "learned") return {{"position.law", "xavier_uniform"}};
  return {};
}

/// A model in which most fields count, with these.
inline const std::string law = "law = 'normal'\nstandard_deviation = 1\n";
inline std::string text(const std::string& positions, const std::string& output,
                        const std::string& token = "") {
  return "[model]\nd_model = 512\nheads = 8\nvocabulary = 100\npositions = 64\n[token]\n" + law +
         "multiplier = 3\n" + token + "[position]\n" + positions +
         "[embedding_norm]\nkind = 'layer_norm'\n[block]\nnorm = 'pre'\nkind = 'rms_norm'\n"
         "epsilon = 0.1\n[output]\n" +
         output + "[[extra]]\n" + law + "[[extra]]\n" + law;
}
inline const std::vector<std::string>& models() {
  static const std::vector<std::string> all{
      text("kind = 'sinusoidal'\nfirst = 1\nmultiplier = 2\n", "tied = true\n"),
      text("kind = 'learned'\nfirst = 1\nmultiplier = 2\n" + law,
           "tied = true\nmultiplier = 0.25\n"),
      text("kind = 'rotary'\nlayout = 'halves'\n",
           "tied = true\nmultiplier = 0.25\nmultiplier_when = 'tied'\n"),
      text("kind = 'sinusoidal'\nlayout = 'halves'\nmultiplier = 2\n",
           "tied = false\nmultiplier = 0.25\n" + law),
      text("kind = 'relative_bias'\n", "tied = false\n" + law),
      text("kind = 'learned'\nmultiplier = 2\n" + law, "tied = true\nmultiplier = 0.25\n",
           "width = 128\nprojected = 'sum'\nprojection = 'normal'\n"
           "projection_standard_deviation = 0.1\n"),
      text("kind = 'rotary'\n", "tied = false\n" + law,
           "width = 128\nprojection = 'normal'\nprojection_standard_deviation = 0.1\n")};
  return all;
}

}  // namespace embedscale::port
