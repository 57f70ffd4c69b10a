#include "programs.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "process.hpp"
#include "tokens.hpp"

namespace embedscale::properties::mutation {
namespace {

/// What stands between the quotes or angles of an #include; empty for other directives.
std::string included(std::string_view directive) {
  const auto begin = directive.find_first_of("\"<");
  if (directive.find("include") > 4 || begin == directive.npos) return {};
  const auto end = directive.find_first_of("\">", begin + 1);
  return std::string(directive.substr(begin, end - begin));
}

enum class Depth { named, reached };

void follow(const fs::path& project, const fs::path& file, Includes& includes, Depth depth) {
  const auto text = read(file);
  for (const Token& token : tokens_of(text)) {
    if (token.kind != Token::Kind::directive) continue;
    const auto name = included(token.text);
    if (name.empty()) continue;
    const auto path = name.substr(1);
    const std::string own = "embedscale/", properties = "embedscale/properties/";
    fs::path target;
    if (name[0] == '"')
      target = file.parent_path() / path;
    else if (path.starts_with(properties))
      target = project / "properties" / path.substr(properties.size());
    else if (path.starts_with(own))
      target = project / "lib" / path;
    if (target.empty()) {
      includes.libraries.insert(path);
      continue;
    }
    target = fs::canonical(target);
    if (depth == Depth::named) includes.direct.insert(target);
    if (includes.own.insert(target).second) follow(project, target, includes, Depth::reached);
  }
}

/// Lines of "ninja -t commands": all that makes the program, its own two last.
std::vector<std::string> build_lines(const fs::path& build, const std::string& name,
                                     const fs::path& scratch) {
  const auto output = scratch / (name + ".commands");
  const auto ended = run({"ninja", "-C", build.string(), "-t", "commands", "bin/" + name}, build,
                         output, {.processor_seconds = 60, .megabytes = 4000});
  if (ended.how != Ended::How::exited || ended.code != 0)
    throw std::runtime_error("the build tree does not know " + name + ": " + read(output));
  std::istringstream in(read(output));
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

bool is_warning(const std::string& word) {
  return word.starts_with("-W") || word == "-w" || word == "-pedantic";
}

void read_commands(Program& program, const fs::path& build, const fs::path& scratch) {
  for (const auto& line : build_lines(build, program.name, scratch)) {
    const auto words = shell_words(line);
    const auto at = [&](const std::string& word) { return std::ranges::find(words, word); };
    const auto source = at("-c"), output = at("-o");
    if (output == words.end()) continue;
    if (source != words.end() && source + 1 != words.end() &&
        fs::path(*(source + 1)) == program.source) {
      const auto first = std::ranges::find_if(
          words, [](const std::string& word) { return !word.ends_with("ccache"); });
      for (auto word = first; word != words.end(); ++word) {
        if (*word == "-o" || *word == "-c" || *word == "-MT" || *word == "-MF")
          ++word;
        else if (!is_warning(*word) && !word->starts_with("-O") && *word != "-MD")
          program.compile.push_back(*word);
      }
    } else if (*(output + 1) == "bin/" + program.name) {
      program.link = {"c++"};
      for (auto word = output + 2; word != words.end() && *word != "&&"; ++word)
        program.link.push_back(fs::path(*word).extension() == ".a" ? (build / *word).string()
                                                                   : *word);
    }
  }
  if (program.compile.empty() || program.link.empty())
    throw std::runtime_error("no command of the build tree compiles " + program.source.string());
}

}  // namespace

std::string read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + file.string());
  return {std::istreambuf_iterator<char>(in), {}};
}

void write(const fs::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  if (!(out << text) || !out.flush()) throw std::runtime_error("cannot write " + file.string());
}

std::vector<std::string> shell_words(const std::string& line) {
  std::vector<std::string> words;
  bool inside = false;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote == 0 && (c == ' ' || c == '\t')) {
      inside = false;
      continue;
    }
    if (!inside) words.emplace_back();
    inside = true;
    if (quote != 0 && c == quote)
      quote = 0;
    else if (quote == 0 && (c == '"' || c == '\''))
      quote = c;
    else if (c == '\\' && quote != '\'' && i + 1 < line.size())
      words.back() += line[++i];
    else
      words.back() += c;
  }
  return words;
}

Includes includes_of(const fs::path& project, const fs::path& file) {
  Includes all;
  follow(project, fs::canonical(file), all, Depth::named);
  return all;
}

std::vector<Program> programs_of(const fs::path& project, const fs::path& build,
                                 const fs::path& scratch) {
  std::vector<fs::path> sources;
  for (const char* folder : {"properties", "properties/self_test"})
    for (const auto& entry : fs::directory_iterator(project / folder))
      if (entry.path().filename().string().ends_with("_test.cpp")) sources.push_back(entry.path());
  std::ranges::sort(sources);
  const auto headers = fs::canonical(project / "lib").string();
  std::vector<Program> programs;
  for (const auto& source : sources) {
    Program program;
    program.name = source.stem().string();
    program.source = source;
    program.includes = includes_of(project, source);
    const bool reaches = std::ranges::any_of(program.includes.own, [&](const fs::path& file) {
      return file.string().starts_with(headers);
    });
    if (!reaches) continue;
    read_commands(program, build, scratch);
    programs.push_back(std::move(program));
  }
  return programs;
}

std::vector<const Program*> in_order_for(const std::vector<Program>& programs,
                                         const fs::path& headers, const std::string& header) {
  const auto path = fs::canonical(headers / header);
  std::string own = fs::path(header).replace_extension().string() + "_test";
  std::ranges::replace(own, '/', '_');
  const auto distance = [&](const Program* program) {
    return program->name == own ? 0 : program->includes.direct.contains(path) ? 1 : 2;
  };
  std::vector<const Program*> order;
  for (const Program& program : programs)
    if (program.includes.own.contains(path)) order.push_back(&program);
  std::ranges::stable_sort(order, [&](const Program* a, const Program* b) {
    return distance(a) != distance(b) ? distance(a) < distance(b) : a->seconds() < b->seconds();
  });
  return order;
}

}  // namespace embedscale::properties::mutation
