#include "training/study/text.hpp"

#include <fmt/format.h>
#include <embedscale/random.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace embedscale::training {
namespace {

namespace fs = std::filesystem;
using Pair = std::pair<std::int64_t, std::int64_t>;

bool is_text(const fs::directory_entry& entry) {
  const auto name = entry.path().filename().string();
  return entry.is_regular_file() && !entry.is_symlink() && name.find('.') == std::string::npos &&
         name != "art" && name != "ascii-art";
}

std::vector<std::string> documents_in(const fs::path& directory) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error))
    if (is_text(entry)) files.push_back(entry.path());
  std::ranges::sort(files);
  std::vector<std::string> documents;
  for (const auto& file : files) {
    std::ifstream in(file, std::ios::binary);
    std::string document;
    for (std::string line; std::getline(in, line);)
      if (line == "%")
        documents.push_back(std::exchange(document, {}));
      else
        document += line + "\n";
    if (!document.empty()) documents.push_back(document);
  }
  std::erase_if(documents, [](const std::string& text) { return text.empty(); });
  if (documents.empty())
    throw std::runtime_error(fmt::format(
        "no text in {}: install the packages of ./dev packages training", directory.string()));
  return documents;
}

/// Letters with the blank before them, which no byte pair crosses.
std::vector<std::string> words_of(const std::string& document) {
  std::vector<std::string> words;
  const auto is_blank = [](char c) { return c == ' ' || c == '\n' || c == '\t'; };
  for (std::size_t i = 0; i < document.size(); ++i)
    if (i == 0 || (is_blank(document[i]) && !(is_blank(document[i - 1]) && document[i] == ' ')))
      words.emplace_back(1, document[i]);
    else
      words.back() += document[i];
  return words;
}

bool has(const Tokens& word, const Pair& pair) {
  for (std::size_t i = 1; i < word.size(); ++i)
    if (word[i - 1] == pair.first && word[i] == pair.second) return true;
  return false;
}

/// Where `pair` stands, one token in its place.
void merge(Tokens& word, const Pair& pair, std::int64_t token) {
  Tokens merged;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const bool is_pair = i + 1 < word.size() && word[i] == pair.first && word[i + 1] == pair.second;
    merged.push_back(is_pair ? token : word[i]);
    i += is_pair ? 1 : 0;
  }
  word = std::move(merged);
}

/// The bytes that occur, then the most frequent pairs, one after the other (the smaller of equally
/// frequent ones). Token 0 begins a document.
std::vector<std::string> learned_pieces(const std::vector<std::string>& documents,
                                        std::size_t vocabulary) {
  std::map<std::string, std::int64_t> counts;
  for (const auto& document : documents)
    for (const auto& word : words_of(document)) ++counts[word];
  std::vector<std::string> pieces{""};
  std::map<char, std::int64_t> byte;
  for (const auto& [word, n] : counts)
    for (const char c : word) byte.try_emplace(c, 0);
  for (auto& [c, token] : byte) {
    token = static_cast<std::int64_t>(pieces.size());
    pieces.emplace_back(1, c);
  }
  std::vector<std::pair<Tokens, std::int64_t>> words;
  for (const auto& [word, n] : counts) {
    Tokens tokens;
    for (const char c : word) tokens.push_back(byte[c]);
    words.emplace_back(std::move(tokens), n);
  }
  std::map<Pair, std::int64_t> pairs;
  const auto count = [&](const Tokens& word, std::int64_t n) {
    for (std::size_t i = 1; i < word.size(); ++i) pairs[{word[i - 1], word[i]}] += n;
  };
  for (const auto& [word, n] : words) count(word, n);
  while (pieces.size() < vocabulary) {
    const auto most = std::ranges::max_element(pairs, {}, &decltype(pairs)::value_type::second);
    if (most == pairs.end() || most->second <= 0)
      throw std::runtime_error("the text is too short for its vocabulary");
    const auto [first, second] = most->first;
    const auto token = static_cast<std::int64_t>(pieces.size());
    pieces.push_back(pieces[static_cast<std::size_t>(first)] +
                     pieces[static_cast<std::size_t>(second)]);
    for (auto& [word, n] : words) {
      if (!has(word, {first, second})) continue;
      count(word, -n);
      merge(word, {first, second}, token);
      count(word, n);
    }
  }
  return pieces;
}

/// A word by the longest pieces first, from its left.
void append_word(Tokens& to, const std::unordered_map<std::string_view, std::int64_t>& token_of,
                 std::string_view word) {
  while (!word.empty()) {
    auto size = std::min<std::size_t>(word.size(), 32);
    while (size > 1 && !token_of.contains(word.substr(0, size))) --size;
    const auto found = token_of.find(word.substr(0, size));
    to.push_back(found == token_of.end() ? 0 : found->second);  // a byte that training never saw
    word.remove_prefix(size);
  }
}

}  // namespace

Tokens tokenized(const Text& text, const std::string& document) {
  std::unordered_map<std::string_view, std::int64_t> token_of;
  for (std::size_t i = 1; i < text.pieces.size(); ++i)
    token_of[text.pieces[i]] = static_cast<std::int64_t>(i);
  Tokens tokens{0};
  for (const auto& word : words_of(document)) append_word(tokens, token_of, word);
  return tokens;
}

Text read_text(const fs::path& directory, std::size_t vocabulary) {
  std::vector<std::string> train, held_out;
  Text text;
  std::string all;
  for (auto& document : documents_in(directory)) {
    all += document + "%\n";
    const bool is_held_out = hash_of(document) % 10 == 0;
    (is_held_out ? held_out : train).push_back(std::move(document));
  }
  text.hash = fmt::format("{:016x}", hash_of(all));
  text.pieces = learned_pieces(train, vocabulary);
  for (const auto& [documents, tokens] :
       {std::pair{&train, &text.train}, std::pair{&held_out, &text.held_out}})
    for (const auto& document : *documents)
      std::ranges::copy(tokenized(text, document), std::back_inserter(*tokens));
  return text;
}

}  // namespace embedscale::training
