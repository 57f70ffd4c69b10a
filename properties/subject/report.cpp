#include "report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>

namespace embedscale::properties::subject {
namespace {

using nlohmann::json;
using Verdict = Finding::Verdict;

constexpr std::string_view name_of(Verdict verdict) {
  constexpr std::string_view names[] = {"holds", "violated", "failed", "open"};
  return names[static_cast<std::size_t>(verdict)];
}

/// Where an answer is furthest from the library's.
struct Worst {
  std::string result;
  std::size_t entry;
  double expected, got, ulps;
  bool of_many;
};

double ulp_of(double x, const std::string& format) {
  const int digits = format == "binary64"   ? 53
                     : format == "binary32" ? 24
                     : format == "binary16" ? 11
                                            : 8;
  if (x == 0.0) return 0.0;  // any error is infinitely many of them
  const int least = format == "binary64" ? -1021 : format == "binary16" ? -13 : -125;
  int exponent = 0;
  std::frexp(x, &exponent);
  return std::ldexp(1.0, std::max(exponent, least) - digits);
}

std::optional<Worst> worst_of(const Call& call) {
  static const auto right = library();
  std::optional<Worst> worst;
  if (call.request.operation == "initialise") return worst;  // other draws are as right
  Answer expected;
  try {
    expected = right->answer(call.request);
  } catch (const Refused&) {
    return worst;
  }
  for (const auto& array : expected) {
    const auto found = std::ranges::find(call.answer, array.name, &Array::name);
    if (found == call.answer.end() || found->shape != array.shape || found->dtype != array.dtype)
      continue;
    const auto is = numbers(*found), should_be = numbers(array);
    for (std::size_t i = 0; i < is.size(); ++i) {
      if (is[i] == should_be[i] || (std::isnan(is[i]) && std::isnan(should_be[i]))) continue;
      const double off = std::abs(is[i] - should_be[i]) / ulp_of(should_be[i], call.request.format);
      if (!worst || !(off <= worst->ulps))
        worst = Worst{array.name, i, should_be[i], is[i], off, !array.shape.empty()};
    }
  }
  return worst;
}

std::string text_of(double x, const std::string& format) {
  return format == "binary32" ? fmt::format("{}", static_cast<float>(x)) : fmt::format("{}", x);
}

/// "65536 draws of mean 0.0001, deviation 0.02, from −0.08 to 0.09".
std::string text_of_draws(const std::vector<double>& all) {
  const auto n = static_cast<double>(all.size());
  double sum = 0, squares = 0;
  for (const double x : all) sum += x;
  for (const double x : all) squares += (x - sum / n) * (x - sum / n);
  const auto [least, most] = std::ranges::minmax(all);
  return fmt::format("{} draws of mean {:.2g}, deviation {:.4g}, from {:.4g} to {:.4g}", all.size(),
                     sum / n, std::sqrt(squares / n), least, most);
}

std::string text_of(const Call& call) {
  std::string text = text_of(call.request, 4);
  if (call.request.operation == "initialise" && !call.answer.empty() &&
      !call.answer[0].bytes.empty())
    return text + "\n      " + text_of_draws(numbers(call.answer[0])) +
           "\n      the library: " + text_of_draws(numbers(library()->answer(call.request)[0]));
  if (const auto worst = worst_of(call)) {
    text += "\n      ";
    if (worst->of_many) text += fmt::format("{}[{}]: ", worst->result, worst->entry);
    text +=
        fmt::format("the library gives {}, got {}", text_of(worst->expected, call.request.format),
                    text_of(worst->got, call.request.format));
    if (std::isfinite(worst->ulps)) text += fmt::format(" ({:.3g} ulp off)", worst->ulps);
  }
  return text;
}

/// The calls that show it: those that differ from the library's, or else the last.
std::vector<const Call*> telling(const std::vector<Call>& calls) {
  std::vector<const Call*> all;
  for (const auto& call : calls)
    if (worst_of(call)) all.push_back(&call);
  // Of tables that are drawn the first one is judged; the others are compared with it.
  const bool is_drawn = !calls.empty() && calls.back().request.operation == "initialise";
  if (all.empty() && !calls.empty()) all.push_back(is_drawn ? &calls.front() : &calls.back());
  return all;
}

std::string text_of(const Finding& f) {
  constexpr std::size_t most_calls = 2, most_defects = 3;
  std::string text = fmt::format("{}\n  the claim: {}\n", f.name(), f.claim->states);
  if (f.verdict == Verdict::failed) text += "  the subject failed: " + f.failure + "\n  asked:\n";
  const auto calls = telling(f.calls);
  for (std::size_t i = 0; i < std::min(calls.size(), most_calls); ++i)
    text += "    " + text_of(*calls[i]) + "\n";
  if (calls.size() > most_calls)
    text += fmt::format("    and {} calls more\n", calls.size() - most_calls);
  if (f.verdict == Verdict::violated) {
    text += fmt::format("  {}; after {} cases that held\n", f.outcome.explanation, f.outcome.cases);
    if (!f.outcome.counterexample.empty())
      text += "  simplest case: " + f.outcome.counterexample + "\n";
    for (std::size_t i = 0; i < std::min(f.defects.size(), most_defects); ++i)
      text += std::string(i == 0 ? "  usual causes: " : "                ") +
              std::string(f.defects[i]) + "\n";
  }
  return text;
}

std::string list_of(const std::vector<std::string>& all) {
  return all.empty() ? "none" : fmt::format("{}", fmt::join(all, ", "));
}

/// "up (binary16), up (binary32)" as "up (binary16, binary32)".
std::vector<std::string> by_operation(const std::vector<std::string>& all) {
  std::map<std::string, std::vector<std::string>> formats;
  for (const auto& what : all)
    formats[what.substr(0, what.find(' '))].push_back(
        what.substr(what.find('(') + 1, what.size() - what.find('(') - 2));
  std::vector<std::string> out;
  for (const auto& [operation, in] : formats)
    out.push_back(fmt::format("{} ({})", operation, fmt::join(in, ", ")));
  return out;
}

std::size_t count(const Checked& checked, Verdict verdict) {
  return static_cast<std::size_t>(std::ranges::count(checked.findings, verdict, &Finding::verdict));
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t')
      out += c;
    else
      out += '?';  // no XML 1.0 has the others
  }
  return out;
}

}  // namespace

std::string text_of(const Checked& checked) {
  std::string text;
  for (const auto& f : checked.findings) {
    if (!f.is_ill()) continue;
    text += (f.known.empty() ? "" : "known (" + f.known + "): ") + text_of(f) + "\n";
  }
  std::set<std::string_view> claims;
  std::uint64_t cases = 0;
  for (const auto& f : checked.findings) {
    claims.insert(f.claim->id);
    cases += static_cast<std::uint64_t>(f.outcome.cases);
    if (f.verdict == Verdict::holds && !f.lacked.empty())
      text += fmt::format("{} holds without {}\n", f.name(), fmt::join(f.lacked, ", "));
    if (f.verdict == Verdict::open)
      text += fmt::format("{} is open: {}\n", f.name(), f.outcome.explanation);
  }
  for (const auto& name : checked.vanished)
    text += name + " of the baseline is not violated: take it out\n";
  text += fmt::format(
      "{}: {} properties of {} claims, {} hold, {} violated, {} failed, {} open; {} cases in "
      "{:.1f} s, seed {}\n",
      checked.subject, checked.findings.size(), claims.size(), count(checked, Verdict::holds),
      count(checked, Verdict::violated), count(checked, Verdict::failed),
      count(checked, Verdict::open), cases, checked.seconds, checked.seed);
  text += "not applicable, as the subject lacks them: " + list_of(checked.not_applicable) + "\n";
  if (!checked.never_asked.empty())
    text +=
        "asked by none of these properties: " + list_of(by_operation(checked.never_asked)) + "\n";
  if (checked.findings.empty()) text += "nothing was tried\n";
  return text;
}

json json_of(const Checked& checked) {
  json findings = json::array();
  for (const auto& f : checked.findings) {
    json one{
        {"claim", f.claim->id},
        {"states", f.claim->states},
        {"property", f.property},
        {"verdict", name_of(f.verdict)},
        {"cases", f.outcome.cases},
        {"worst_share_of_bound", std::isfinite(f.outcome.worst) ? json(f.outcome.worst) : json()},
        {"asked", f.asked},
        {"lacked", f.lacked},
        {"seconds", f.seconds}};
    if (f.is_ill()) {
      one["counterexample"] = f.outcome.counterexample;
      one["explanation"] = f.verdict == Verdict::failed ? f.failure : f.outcome.explanation;
      one["calls"] = json::array();
      for (const auto* call : telling(f.calls)) one["calls"].push_back(text_of(*call));
    }
    if (!f.known.empty()) one["known"] = f.known;
    findings.push_back(std::move(one));
  }
  return {{"subject", checked.subject},
          {"seed", checked.seed},
          {"findings", findings},
          {"not_applicable", checked.not_applicable},
          {"never_asked", checked.never_asked},
          {"vanished", checked.vanished}};
}

void write_junit(const Checked& checked, const std::string& file) {
  std::map<std::string_view, std::vector<const Finding*>> claims;
  for (const auto& f : checked.findings) claims[f.claim->id].push_back(&f);
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (const auto& [claim, all] : claims) {
    const auto ill =
        std::ranges::count_if(all, [](const auto* f) { return f->is_ill() && f->known.empty(); });
    text += fmt::format("<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\">\n", escaped(claim),
                        all.size(), ill);
    for (const auto* f : all) {
      text += fmt::format("<testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\">", escaped(claim),
                          escaped(f->property), f->seconds);
      if (f->is_ill() && f->known.empty())
        text += fmt::format("<failure message=\"{}\">{}</failure>", name_of(f->verdict),
                            escaped(text_of(*f)));
      else if (f->is_ill() || f->verdict == Verdict::open)
        text += fmt::format("<skipped message=\"{}\"/>",
                            escaped(f->known.empty() ? f->outcome.explanation : f->known));
      text += "</testcase>\n";
    }
    text += "</testsuite>\n";
  }
  std::ofstream out(file, std::ios::binary);
  if (!(out << text << "</testsuites>\n").flush())
    throw std::runtime_error(file + ": cannot be written");
}

std::string annotations_of(const Checked& checked) {
  std::string all;
  for (const auto& f : checked.findings) {
    if (!f.is_ill() || !f.known.empty()) continue;
    std::string text = text_of(f), line;
    for (const char c : text) line += c == '\n' ? "%0A" : c == '%' ? "%25" : std::string(1, c);
    all += "::error title=" + f.name() + "::" + line + "\n";
  }
  return all;
}

}  // namespace embedscale::properties::subject
