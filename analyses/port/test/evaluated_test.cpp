// A port keeps the function of a model that is evaluated on both sides, or says that it does not;
// and it says something of each field that differs.
#include "port/test/evaluated.hpp"
#include "audit/parts.hpp"
#include "port/making.hpp"
#include "port/test/ports.hpp"

#include <cmath>
#include <fstream>
#include <map>

namespace embedscale::port {
namespace {

double distance(const Values& a, const Values& b) {
  double most = 0;
  for (std::size_t k = 0; k < a.size(); ++k)
    if (const double apart = std::abs(a[k] - b[k]); !(apart <= most)) most = apart;  // or no number
  return most;
}

/// What one side does not tell is taken to be as the other has it, as the port says; a base that
/// neither tells, to be some.
Configuration told(Configuration c, const Configuration& other) {
  const auto take = [](auto& value, const auto& from) {
    if (!value) value = from;
  };
  take(c.attention.scale, other.attention.scale);
  take(c.position.layout, other.position.layout);
  take(c.position.base, other.position.base.value_or(10000));
  take(c.block.where, other.block.where);
  take(c.block.norm.epsilon, other.block.norm.epsilon);
  if (c.embedding_norm && other.embedding_norm)
    take(c.embedding_norm->epsilon, other.embedding_norm->epsilon);
  return c;
}

/// What rounding may part the two by. Factors that the port takes for equal differ by 2^−22 at
/// most, so that each makes less of a difference than 2^−20 of it does, which is measured; beside
/// it the binary64 of the evaluation, fewer than 2^10 operations of u = 2^−53, whose errors the
/// norms and the softmax, of numbers around 1 here, are left 2^13 to grow by.
double rounding(const Configuration& c, const Parameters& p) {
  const auto at = logits(c, p);
  double sum = 0x1p-30 * distance(at, Values(at.size()));
  const auto see = [&](auto member) {
    auto other = c;
    auto& number = member(other);
    if (!number) return;
    *number *= 1 + 0x1p-20;
    other.token.format = audit::NumberFormat::binary64;
    sum += distance(at, logits(other, p));
  };
  auto exact = c;
  exact.token.format = audit::NumberFormat::binary64;
  sum += distance(at, logits(exact, p)) * (c.token.format == audit::NumberFormat::binary32);
  see([](Configuration& o) -> audit::Number& { return o.token.multiplier; });
  see([](Configuration& o) -> audit::Number& { return o.position.multiplier; });
  see([](Configuration& o) -> audit::Number& { return o.attention.scale; });
  see([](Configuration& o) -> audit::Number& { return o.block.residual_multiplier; });
  see([](Configuration& o) -> audit::Number& { return o.output.multiplier; });
  for (std::size_t i = 0; i < c.merged.size(); ++i)
    see([i](Configuration& o) -> audit::Number& { return o.merged[i].multiplier; });
  return sum;
}

struct Kept {
  double apart, without;  ///< logits, with and without the steps
  double allowed;
};

using Mover = Parameters (*)(const Parameters&, const Port&);
Kept kept(const Port& port, Mover move = ported) {
  const auto code = told(port.from, port.to), target = told(port.to, port.from);
  const auto from = drawn_parameters(code);
  const auto at = logits(code, from);
  return {distance(at, logits(target, move(from, port))), distance(at, logits(target, from)),
          rounding(code, from)};
}

/// Whether its steps do what it says; how many of those that are needed were tried.
int expect_kept(const Port& port, const std::string& what) {
  if (!port.keeps_function()) return 0;
  const auto [apart, without, allowed] = kept(port);
  EXPECT_LE(apart, allowed) << what << "\n" << words_of(port);
  return without > allowed;
}

TEST(evaluated, every_pair_of_systems_is_kept_or_said_not_to_be) {
  const auto all = portable_systems();
  int ported = 0, needed = 0;
  for (const auto& from : all)
    for (const auto& to : all) {
      if (!suit(from, to)) continue;
      const auto port = port_of(from, to);
      needed += expect_kept(port, from.name + " to " + to.name);
      ported += port.keeps_function();
    }
  EXPECT_GT(ported, static_cast<int>(all.size()));
  EXPECT_GT(needed, 10);
}

/// By field, the values of alternatives.txt.
const std::map<std::string, std::vector<std::string>>& alternatives() {
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
std::vector<audit::Change> with_law(const std::string& field, const std::string& value) {
  if (field == "output.tied" && value == "false") return {{"output.law", "xavier_uniform"}};
  if (field == "position.kind" && value == "learned") return {{"position.law", "xavier_uniform"}};
  return {};
}

/// A model in which most fields count, with these.
const std::string law = "law = 'normal'\nstandard_deviation = 1\n";
std::string text(const std::string& positions, const std::string& output,
                 const std::string& token = "") {
  return "[model]\nd_model = 512\nheads = 8\nvocabulary = 100\npositions = 64\n[token]\n" + law +
         "multiplier = 3\n" + token + "[position]\n" + positions +
         "[embedding_norm]\nkind = 'layer_norm'\n[block]\nnorm = 'pre'\nkind = 'rms_norm'\n"
         "epsilon = 0.1\n[output]\n" +
         output + "[[extra]]\n" + law + "[[extra]]\n" + law + "[[merged]]\nmultiplier = 0.5\n";
}
const std::vector<std::string>& models() {
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

std::optional<Configuration> with_change(const std::string& model,
                                         const std::vector<audit::Change>& changes) try {
  return audit::parse_configuration(model, "f.toml", changes);
} catch (const ContentError&) {
  return std::nullopt;  // some have no meaning there
}
std::optional<Configuration> with_value(const std::string& model, const std::string& field,
                                        const std::string& value) {
  if (auto alone = with_change(model, {{field, value}})) return alone;
  auto changes = with_law(field, value);
  changes.push_back({field, value});
  return with_change(model, changes);
}
std::optional<Port> port_if(const Configuration& from, const Configuration& to) try {
  return port_of(from, to);
} catch (const ContentError&) {
  return std::nullopt;
}

/// As a table of fields has it: "extra[].law" of "extra[0].law".
std::string path_of(std::string field) {
  if (const auto index = field.find("[0]"); index != field.npos) field.erase(index + 1, 1);
  return field;
}

TEST(evaluated, each_field_is_changed) {
  std::vector<std::string> read, changed;
  for (const auto& field : audit::fields()) read.push_back(field.path);
  for (const auto& [field, values] : alternatives()) changed.push_back(path_of(field));
  std::ranges::sort(read), std::ranges::sort(changed);
  EXPECT_EQ(read, changed);
}

/// Each by itself: a step, or covered, or not kept; and what is said is so.
TEST(evaluated, a_field_that_changes_alone_is_a_step_or_covered_or_not_kept) {
  std::map<Outcome, int> outcomes;
  int needed = 0;
  for (const auto& model : models())
    for (const auto& [field, values] : alternatives())
      for (const auto& value : values) {
        const auto base = with_change(model, {}), other = with_value(model, field, value);
        ASSERT_TRUE(base) << model;
        if (!other) continue;
        const auto path = path_of(field);
        const auto& row = *std::ranges::find(audit::fields(), path, &audit::Field::path);
        for (const auto& [from, to] : {std::pair(*base, *other), {*other, *base}}) {
          const auto port = port_if(from, to);
          if (!port) continue;
          const auto what = fmt::format("{}={} in\n{}", field, value, model);
          needed += expect_kept(*port, what);
          const auto a = value_of(row, from), b = value_of(row, to);
          if (a == b || a == "" || b == "") continue;
          const auto outcome = port->outcome_of(path);
          ASSERT_TRUE(outcome || !a || !b) << what << words_of(*port);
          if (outcome) ++outcomes[*outcome];
          EXPECT_FALSE(outcome == Outcome::not_kept && port->keeps_function()) << what;
        }
      }
  EXPECT_GT(outcomes[Outcome::step], 50);
  EXPECT_GT(outcomes[Outcome::covered], 50);
  EXPECT_GT(outcomes[Outcome::not_kept], 50);
  EXPECT_GT(needed, 50);
}

/// Whether a change bears on the function at all, or could.
bool counts(const Configuration& changed, const std::string& model) {
  const auto base = *with_change(model, {});
  return changed.token.when != base.token.when || changed.output.when != base.output.when ||
         changed.output.sharing != base.output.sharing ||
         std::ranges::any_of(audit::fields(), [&](const audit::Field& field) {
           return bearing_of(field) != Bearing::none &&
                  value_of(field, changed) != value_of(field, base);
         });
}

/// Two at a time: each side has one of its own.
TEST(evaluated, two_changes_are_kept_or_said_not_to_be) {
  int ported = 0, needed = 0;
  for (const auto& model : models()) {
    const int before = needed;
    ASSERT_TRUE(with_change(model, {})) << model;
    std::vector<Configuration> all;
    for (const auto& [field, values] : alternatives())
      for (const auto& value : values)
        if (auto one = with_value(model, field, value); one && counts(*one, model))
          all.push_back(std::move(*one));
    for (const auto& from : all)
      for (const auto& to : all)
        if (const auto port = port_if(from, to)) {
          needed += expect_kept(*port, "two changes");
          ported += port->keeps_function();
          if (testing::Test::HasFailure()) return;  // one is enough
        }
    EXPECT_GT(needed - before, 300) << model;
  }
  EXPECT_GT(ported, 3000);
  EXPECT_GT(needed, 2000);
}

// With all of its steps a port keeps the function, and without any one it is another.
TEST(evaluated, all_steps_are_needed) {
  int ports = 0;
  for (const auto& one : cases_in(EMBEDSCALE_CASES_FILE)) {
    if (one.line != "*") continue;
    ++ports;
    const auto port = port_between(one.from, one.to);
    EXPECT_TRUE(port.keeps_function()) << words_of(port);
    expect_kept(port, one.from);
    for (std::size_t left = 0; left < port.steps.size(); ++left) {
      auto fewer = port;
      fewer.steps.erase(fewer.steps.begin() + static_cast<std::ptrdiff_t>(left));
      const auto [apart, without, allowed] = kept(fewer);
      EXPECT_GT(apart, std::max(1e-3, allowed)) << one.from << ": " << port.steps[left].text;
    }
  }
  EXPECT_GE(ports, 10);
}

/// By a file, in which nothing else is changed: what apply does not do, it refuses.
TEST(evaluated, a_file_is_ported) {
  int needed = 0;
  std::map<std::string, int> done, refused;  // by the action of a step and its parameter
  const auto expect_applied = [&](const Port& port) {
    if (!port.keeps_function() || port.steps.empty()) return;
    auto* all = &done;
    try {
      const auto [apart, without, allowed] = kept(port, applied);
      EXPECT_LE(apart, allowed) << words_of(port);
      needed += without > allowed;
    } catch (const ContentError&) {
      all = &refused;
    }
    for (const auto& step : port.steps) ++(*all)[fmt::format("{} {}", step.action, step.parameter)];
  };
  for (const auto& model : models())
    for (const auto& [field, values] : alternatives())
      for (const auto& value : values) {
        const auto base = *with_change(model, {});
        const auto other = with_value(model, field, value);
        if (!other || testing::Test::HasFailure()) continue;
        for (const auto& [from, to] : {std::pair(base, *other), {*other, base}})
          if (const auto port = port_if(from, to)) expect_applied(*port);
      }
  for (const auto& one : cases_in(EMBEDSCALE_CASES_FILE))
    if (one.line == "*") expect_applied(port_between(one.from, one.to));
  for (const auto* step :
       {"multiply token table", "multiply position table", "multiply gain", "multiply bias",
        "multiply output table", "multiply query projection", "multiply branch outputs",
        "copy_table output table", "rewrite gain", "set_logit_factor logit factor"})
    EXPECT_GT(done[step], 0) << step;
  for (const auto* step : {"fill bias", "permute_channels channels",
                           "store_positions position table", "multiply table of extra[0]"})
    EXPECT_TRUE(refused[step] > 0 && done[step] == 0) << step;
  EXPECT_GT(needed, 50);
}

}  // namespace
}  // namespace embedscale::port
