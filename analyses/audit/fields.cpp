#include "audit/fields.hpp"

#include "audit/document.hpp"

#include <fmt/format.h>

namespace embedscale::audit {
namespace {

constexpr std::int64_t widest = 1 << 24;  // also the last position binary32 holds exactly
constexpr std::int64_t most_rows = std::int64_t{1} << 32;
constexpr Range not_negative{0, largest_double, "a finite number >= 0"};
// Frequencies are then at most 1, as the sums over positions need them.
constexpr Range from_one{1, largest_double, "a finite number >= 1"};

using At = const Entry&;
using To = Configuration&;
using C = const Configuration&;
using Maybe = std::optional<bool>;

constexpr Condition always{[](C) -> Maybe { return true; }, {}},
    never{[](C) -> Maybe { return false; }, {}},
    sinusoidal{[](C c) -> Maybe { return c.position.kind == PositionKind::sinusoidal; },
               "position.kind is sinusoidal"},
    learned{[](C c) -> Maybe { return c.position.kind == PositionKind::learned; },
            "position.kind is learned"},
    adds{[](C c) -> Maybe { return adds_positions(c.position.kind); },
         "position.kind is sinusoidal or learned"},
    // Rotary positions have frequencies and a layout, too; `port` compares them.
    turns{[](C c) -> Maybe {
            return c.position.kind == PositionKind::sinusoidal ||
                   c.position.kind == PositionKind::rotary;
          },
          "position.kind is sinusoidal or rotary"},
    tabled{[](C c) -> Maybe { return c.token.has_table(); }, "token.kind is table"},
    featured{[](C c) -> Maybe { return !c.token.has_table(); }, "token.kind is features"},
    merges{[](C c) -> Maybe { return !c.merged.empty(); }, "there is a [[merged]] table"},
    multiplied{[](C c) -> Maybe { return c.token.multiplier != 1.0; }, {}},
    factorised{[](C c) -> Maybe { return c.token.is_factorised; },
               "token.projection is given, without concatenation"},
    norms_sum{[](C c) -> Maybe { return c.embedding_norm.has_value(); }, {}},
    normed{
        [](C c) { return c.block.where ? Maybe(*c.block.where != BlockNorm::none) : std::nullopt; },
        "block.norm is pre or post"},
    // final_norm.bias has its default of block.kind.
    normed_at_all{[](C c) {
                    const Maybe in_blocks = normed.holds(c);
                    return in_blocks == false && c.final_norm.gain != Gain::none ? std::nullopt
                                                                                 : in_blocks;
                  },
                  "block.norm is pre or post"},
    untied{[](C c) { return c.output.tied ? Maybe(!*c.output.tied) : std::nullopt; },
           "output.tied is false"};

// The laws of a table, of an output matrix, of a projection.
constexpr std::string_view laws =
    "normal, uniform, truncated_normal, xavier_uniform, xavier_normal";
constexpr std::string_view output_laws =
    "normal, uniform, truncated_normal, xavier_uniform, xavier_normal, zeros";
constexpr std::string_view projections = names_of<Distribution::Kind>;

// What the width of a position vector has to suit.
void require_pairs(At at, C c, std::int64_t width) {
  if (c.position.kind != PositionKind::sinusoidal) return;
  if (width % 2 != 0)
    at.refuse("even where position.kind is sinusoidal: sines and cosines come in pairs");
  if (c.position.frequencies == FrequencyRule::tensor2tensor && width < 4)
    at.refuse(">= 4 where position.frequencies is tensor2tensor: they divide by d/2 - 1");
}

// A value that others are computed from.
std::int64_t known(At at, const Integer& value) {
  if (!value) at.refuse("known: it cannot hang on what is not told");
  return *value;
}

void read_layout(At at, To c) {  // that of a rotary head may not be told
  if (c.position.kind != PositionKind::rotary || at.given())
    c.position.layout = at.choice<SinusoidalLayout>();
}

void read_first(At at, To c) { c.position.first = known(at, at.integer(0, widest)); }

void read_d_k(At at, To c) {
  c.model.d_k = at.integer(1, widest);
  if (at.given() || at.absent() || !c.model.d_model || !c.model.heads) return;
  // An odd width is said to be odd, rather than that an even number of heads does not divide it.
  if (c.position.combine == Combine::sum && !at.other("token.projection").given())
    require_pairs(at.other("model.d_model"), c, *c.model.d_model);
  if (*c.model.d_model % *c.model.heads != 0)
    at.other("model.heads")
        .refuse(fmt::format("a divisor of model.d_model = {}, unless model.d_k is given",
                            *c.model.d_model));
  c.model.d_k = *c.model.d_model / *c.model.heads;
}

void read_token_law(At at, To c) {
  const bool table = c.token.has_table();
  c.token.law = (table ? at.required() : at).distribution(laws, table);
}
void read_token_projection(At at, To c) {
  if (const auto law = at.distribution_if_given(laws)) c.token.projection = *law;
}

// With a projection it is the width of what is projected, and of the sum where that is.
void read_token_width(At at, To c) {
  c.token.is_factorised =
      c.position.combine == Combine::sum && at.other("token.projection").given();
  if (c.token.is_factorised) {
    c.token.width = known(at, at.required().integer(1, widest));
    if (c.token.projects_sum())
      require_pairs(at, c, *c.token.width);
    else if (c.model.d_model)
      require_pairs(at.other("model.d_model"), c, *c.model.d_model);
  } else if (c.position.combine == Combine::sum) {
    if (at.given())
      at.refuse(
          "absent unless position.combine is concatenation, or token.projection takes it to "
          "d_model");
    c.token.width = c.model.d_model;
    if (c.model.d_model) require_pairs(at.other("model.d_model"), c, *c.model.d_model);
  } else if (c.model.d_model) {
    c.token.width = known(at, at.required().integer(1, *c.model.d_model - 1));
    require_pairs(at, c, *c.model.d_model - *c.token.width);
  }
}

// A factor that the code has in another case alone is 1 here.
void only_if(bool is_there, At at, To c, Number& multiplier, const char* needs) {
  if (is_there) return;
  multiplier = 1;
  if (at.given()) c.without_effect.emplace_back(at.path(), needs);
}
void read_multiplier(At at, To c) {
  c.token.multiplier = at.number(finite);
  only_if(c.token.when == MultipliedWhen::always || c.position.kind == PositionKind::sinusoidal, at,
          c, c.token.multiplier, "position.kind is sinusoidal");
}
void read_output_multiplier(At at, To c) {
  c.output.multiplier = at.number(finite);
  only_if(c.output.when == MultipliedOutput::any || c.output.tied != false, at, c,
          c.output.multiplier, "output.tied is true");
}

void read_position_law(At at, To c) {
  const bool counts = c.position.kind == PositionKind::learned;
  c.position.law = (counts ? at.required() : at).distribution(laws, counts);
}

// [embedding_norm] stands for itself: whatever of it is given, there is one.
void read_embedding_norm(At at, To c) {
  if (at.other("embedding_norm").given())
    c.embedding_norm = NormLayer{.kind = *at.choice<expected::Norm::Kind>(), .epsilon = {}};
}
void read_embedding_epsilon(At at, To c) {
  if (c.embedding_norm) c.embedding_norm->epsilon = at.number(not_negative);
}
void read_embedding_placement(At at, To c) {
  if (c.embedding_norm) c.embedding_norm->placement = *at.choice<EpsilonPlacement>();
}

// A norm of which only the kind or ε is given must not be taken for none.
void read_block_norm(At at, To c) {
  const bool begun = at.other("block.kind").given() || at.other("block.epsilon").given();
  c.block.where = (begun ? at.required() : at).choice<BlockNorm>();
}
void read_block_epsilon(At at, To c) {
  if (normed.holds(c) == true || at.given()) c.block.norm.epsilon = at.number(not_negative);
}

// Without blocks that have norms nothing is normalised at their end, unless it is said.
void read_gain(At at, To c) {
  c.final_norm.gain = at.choice<Gain>("plain, one_plus, none")
                          .value_or(c.block.where == BlockNorm::none ? Gain::none : Gain::plain);
}
void read_final_bias(At at, To c) {
  const bool gain = c.final_norm.gain != Gain::none;
  c.final_norm.bias =
      at.truth().value_or(gain && c.block.norm.kind == expected::Norm::Kind::layer_norm);
  if (c.final_norm.bias && !gain) at.refuse("false where final_norm.gain is none");
}

void read_scale(At at, To c) {
  if (c.model.d_k || at.given()) c.attention.scale = at.number(finite);
}

// It has a default where one of queries and keys has none of its own.
void read_projection(At at, To c) {
  const bool is_needed =
      !at.other("attention.projection_q").given() || !at.other("attention.projection_k").given();
  c.attention.projection_q = c.attention.projection_k =
      at.otherwise("xavier_uniform").distribution(projections, is_needed || at.given());
  if (is_needed && !at.given() && !at.absent())
    c.defaults.emplace_back(at.path(), "xavier_uniform");
}
// That of queries or of keys, in the place of both's.
template <auto projection>
void read_own_projection(At at, To c) {
  auto& law = c.attention.*projection;
  if (const auto own = at.distribution_if_given(projections)) law = own;
  if (at.absent()) law.reset();
}

void read_sharing(At at, To c) {
  c.output.sharing = at.choice<Sharing>();
  if (c.output.sharing == Sharing::always && c.output.tied == false)
    at.refuse("other than always where output.tied is false");
  if (c.output.sharing == Sharing::never && c.output.tied == true)
    at.refuse("other than never where output.tied is true");
}
// Without a table there may be no output either: then it has no law.
void read_tied(At at, To c) {
  c.output.tied = at.truth();
  if (c.token.has_table()) return;
  if (at.given() && c.output.tied == true)
    at.refuse("false where token.kind is features: there is no table that it could be tied to");
  c.output.tied = false;
}
void read_output_law(At at, To c) {
  const bool needs_one = c.output.tied == false && c.token.has_table();
  c.output.law = (needs_one ? at.required() : at).distribution(output_laws, c.output.tied != true);
}

void read_files(At at, To c) { c.source.files = at.texts(1000); }

Told text(std::string_view x) { return std::string(x); }
Told text(const std::vector<std::string>& all) { return fmt::format("{}", fmt::join(all, " ")); }
Told text(bool x) { return x ? "true" : "false"; }
Told text(double x) { return fmt::format("{}", x); }
Told text(std::int64_t x) { return fmt::format("{}", x); }
template <class Value>
requires std::is_enum_v<Value> Told text(Value x) { return text(name_of(x)); }
Told text(const Distribution& law) { return text(law.kind); }
Told text(const std::optional<Distribution>& law) { return law ? text(*law) : ""; }
template <class Value>
Told text(const std::optional<Value>& x) {
  return x ? text(*x) : std::nullopt;
}

// The parameter that a distribution has at this key.
Told parameter(const std::optional<Distribution>& law, std::string_view key) {
  return law && parameter_key(law->kind) == key ? text(law->parameter) : "";
}

// How a member of a configuration is taken and told; of a distribution, its parameters as well.
struct Access {
  void (*take)(At, To);
  Told (*told)(C);
  Told (*parameter)(C, std::string_view key) = nullptr;
};

template <auto... path>
auto& in(auto& c) {
  return (c.*....*path);
}
template <auto... path>
constexpr auto told_in = [](C c) { return text(in<path...>(c)); };
template <auto take, auto... path>
constexpr Access taken{take, told_in<path...>};
template <auto take, auto... path>
constexpr Access law_in{take, told_in<path...>,
                        [](C c, std::string_view key) { return parameter(in<path...>(c), key); }};
template <const Range& range, auto... path>
constexpr Access number_in{[](At at, To c) { in<path...>(c) = at.number(range); },
                           told_in<path...>};
template <std::int64_t least, std::int64_t most, auto... path>
constexpr Access whole_in{[](At at, To c) { in<path...>(c) = at.integer(least, most); },
                          told_in<path...>};
template <auto... path>
constexpr Access word_in{[](At at, To c) {
                           auto& member = in<path...>(c);
                           member = *at.choice<std::remove_reference_t<decltype(member)>>();
                         },
                         told_in<path...>};
template <std::size_t longest, auto... path>
constexpr Access line_in{
    [](At at, To c) { in<path...>(c) = at.text(longest).value_or(in<path...>(c)); },
    told_in<path...>};

// Of the norm on the sum, if there is one.
template <auto take, auto member>
constexpr Access of_norm{
    take, [](C c) { return c.embedding_norm ? text((*c.embedding_norm).*member) : ""; }};

// Of all tables of a list; taken of the last.
Told of_all(const auto& tables, const auto& get) {
  std::vector<std::string> all;
  for (const auto& table : tables)
    if (const Told one = get(table))
      all.push_back(*one);
    else
      return one;
  return fmt::format("{}", fmt::join(all, ", "));
}
template <auto list, auto member>
constexpr auto told_of_each =
    [](C c) { return of_all(c.*list, [](const auto& table) { return text(table.*member); }); };
template <auto list, auto member>
constexpr Access line_of_each{
    [](At at, To c) { (c.*list).back().*member = at.text(60).value_or(""); },
    told_of_each<list, member>};
template <const Range& range, auto list, auto member>
constexpr Access number_of_each{[](At at, To c) { (c.*list).back().*member = at.number(range); },
                                told_of_each<list, member>};
constexpr auto in_extras = &Configuration::extras;
constexpr auto in_merged = &Configuration::merged;
Told extra_parameter(C c, std::string_view key) {
  return of_all(c.extras, [&](const Extra& e) { return parameter(e.law, key); });
}
constexpr Access extra_law{[](At at, To c) { c.extras.back().law = *at.distribution(laws); },
                           told_of_each<in_extras, &Extra::law>, extra_parameter};
constexpr Access extra_rows{
    [](At at, To c) { c.extras.back().rows = at.integer(1, most_rows); },
    [](C c) { return of_all(c.extras, [](const Extra& e) { return text(e.rows).value_or(""); }); }};

Told told_width(C c) {
  const bool beside = adds.holds(c) == true && c.position.combine == Combine::concatenation;
  return beside || c.token.is_factorised ? text(c.token.width) : "";
}

struct Row {
  const char* path;
  std::string_view values, otherwise;
  Access access;
  Absence absence = Absence::refused;
  const Condition *noted_if = nullptr, *counts_if = nullptr;
};

constexpr auto possible = Absence::possible, refused = Absence::refused;
constexpr const char *a_number = "number", *needed = "required";

// A law has rows for its parameters behind it.
constexpr Row rows[] = {
    {"name", "text", "the file's name", line_in<60, &Configuration::name>},
    {"source.repository", "text", "none",
     line_in<140, &Configuration::source, &Source::repository>},
    {"source.commit", "text", "none", line_in<140, &Configuration::source, &Source::commit>},
    {"source.files", "array of texts", "none",
     taken<read_files, &Configuration::source, &Source::files>},
    {"model.d_model", "whole number, 2 to 2^24; even for sinusoids", needed,
     whole_in<2, widest, &Configuration::model, &Model::d_model>, possible},
    {"model.heads", "whole number, a divisor of d_model unless d_k is given", needed,
     whole_in<1, widest, &Configuration::model, &Model::heads>, possible},
    {"position.kind",
     "sinusoidal, learned, rotary, relative (vectors), relative_bias (T5), alibi, none", needed,
     word_in<&Configuration::position, &Position::kind>},
    {"position.combine", "sum, concatenation (of token and position)", "sum",
     word_in<&Configuration::position, &Position::combine>, refused, &never, &adds},
    {"position.frequencies", "paper, base^(-2i/d); tensor2tensor, base^(-i/(d/2-1))", "paper",
     word_in<&Configuration::position, &Position::frequencies>, refused, &sinusoidal, &sinusoidal},
    {"position.layout",
     "interleaved, halves (of sinusoids, of a rotary head); no figure depends on it",
     "interleaved; not told where position.kind is rotary",
     taken<read_layout, &Configuration::position, &Position::layout>, refused, &sinusoidal, &turns},
    {"token.kind", "table; features, of a convolution or patches, where there is no table", "table",
     word_in<&Configuration::token, &Token::kind>, refused, &never},
    {"token.projected", "token; sum, with positions and behind embedding_norm", "token",
     word_in<&Configuration::token, &Token::projected>, refused, &never, &factorised},
    {"model.d_k", "whole number, the width of a head", "d_model/heads",
     taken<read_d_k, &Configuration::model, &Model::d_k>, possible},
    {"model.vocabulary", "whole number, V", "what depends on it is missing",
     whole_in<1, most_rows, &Configuration::model, &Model::vocabulary>, possible},
    {"model.positions", "whole number, L: of positions, and of keys",
     "what depends on it is missing", whole_in<1, widest, &Configuration::model, &Model::positions>,
     possible},
    {"token.law", laws, "required unless token.kind is features",
     law_in<read_token_law, &Configuration::token, &Token::law>, possible, nullptr, &tabled},
    {"token.rms", "number > 0, of the entries of features, ahead of the multiplier",
     "what depends on it is missing", number_in<positive, &Configuration::token, &Token::rms>,
     possible, nullptr, &featured},
    {"token.multiplier_when", "always, sinusoidal: the positions beside which the code multiplies",
     "always", word_in<&Configuration::token, &Token::when>, refused, &never},
    {"token.multiplier", a_number, "1",
     taken<read_multiplier, &Configuration::token, &Token::multiplier>, possible, &always},
    {"token.multiplier_place", "look_up, of tokens; behind_merge, of every row", "look_up",
     word_in<&Configuration::token, &Token::place>, refused, &never, &merges},
    {"token.multiplier_format", "what it is rounded to: binary64, binary32, binary16, bfloat16",
     "binary32", word_in<&Configuration::token, &Token::format>, refused, &multiplied},
    {"token.width",
     "whole number, of what is projected; < d_model for concatenation",
     "required there, else d_model",
     {read_token_width, told_width}},
    {"token.projection", laws, "none: the table is d_model wide",
     law_in<read_token_projection, &Configuration::token, &Token::projection>, refused, nullptr,
     &factorised},
    {"position.base", "number >= 1", "10000",
     number_in<from_one, &Configuration::position, &Position::base>, possible, &sinusoidal, &turns},
    {"position.first", "whole number: the table begins with this position", "0",
     taken<read_first, &Configuration::position, &Position::first>, refused, &never, &adds},
    {"position.law", laws, "required where position.kind is learned",
     law_in<read_position_law, &Configuration::position, &Position::law>, possible, nullptr,
     &learned},
    {"position.multiplier", a_number, "1",
     number_in<finite, &Configuration::position, &Position::multiplier>, possible, &adds, &adds},
    {"embedding_norm.kind",
     "layer_norm, rms_norm",
     "layer_norm; without the section: no norm",
     {read_embedding_norm,
      [](C c) { return c.embedding_norm ? text(c.embedding_norm->kind) : "none"; }},
     refused,
     &norms_sum},
    {"embedding_norm.epsilon", "number >= 0", "1e-5",
     of_norm<read_embedding_epsilon, &NormLayer::epsilon>, possible, &norms_sum},
    {"embedding_norm.epsilon_added_to", "variance, standard_deviation", "variance",
     of_norm<read_embedding_placement, &NormLayer::placement>, refused, &norms_sum},
    {"block.norm", "pre, post, none", "none",
     taken<read_block_norm, &Configuration::block, &Block::where>, possible, &always},
    {"block.kind", "layer_norm, rms_norm", "layer_norm",
     word_in<&Configuration::block, &Block::norm, &NormLayer::kind>, refused, &normed,
     &normed_at_all},
    {"block.epsilon", "number >= 0", "1e-5",
     taken<read_block_epsilon, &Configuration::block, &Block::norm, &NormLayer::epsilon>, possible,
     &normed, &normed},
    {"block.epsilon_added_to", "variance, standard_deviation", "variance",
     word_in<&Configuration::block, &Block::norm, &NormLayer::placement>, refused, &normed,
     &normed},
    {"block.residual_multiplier", "number, of each branch before it is added", "1",
     number_in<finite, &Configuration::block, &Block::residual_multiplier>, refused, &never},
    {"final_norm.gain", "plain, one_plus (1 + w, w stored), none; no figure depends on it",
     "plain; none where block.norm is none",
     taken<read_gain, &Configuration::final_norm, &FinalNorm::gain>},
    {"final_norm.bias", "true, false; no figure depends on it",
     "true where block.kind is layer_norm and there is a gain, else false",
     taken<read_final_bias, &Configuration::final_norm, &FinalNorm::bias>},
    {"attention.scale", "number, of the dot products", "1/sqrt(d_k)",
     taken<read_scale, &Configuration::attention, &Attention::scale>, possible, &always},
    {"attention.projection", projections, "xavier_uniform",
     law_in<read_projection, &Configuration::attention, &Attention::projection_q>, possible},
    {"attention.projection_q", projections, "attention.projection",
     law_in<read_own_projection<&Attention::projection_q>, &Configuration::attention,
            &Attention::projection_q>,
     possible},
    {"attention.projection_k", projections, "attention.projection",
     law_in<read_own_projection<&Attention::projection_k>, &Configuration::attention,
            &Attention::projection_k>,
     possible},
    {"output.tied", "true (to the token table), false", "true",
     taken<read_tied, &Configuration::output, &Output::tied>, possible, &tabled},
    {"output.sharing", "always, by_default, on_request, optional, never: what the program offers",
     "none", taken<read_sharing, &Configuration::output, &Output::sharing>},
    {"output.law", "as token.law, or zeros", "required where output.tied is false",
     law_in<read_output_law, &Configuration::output, &Output::law>, possible, nullptr, &untied},
    {"output.multiplier_when", "always, tied: the outputs whose logits the code multiplies",
     "always", word_in<&Configuration::output, &Output::when>, refused, &never},
    {"output.multiplier", "number, of the logits", "1",
     taken<read_output_multiplier, &Configuration::output, &Output::multiplier>, refused, &always},
    {"extra[].name", "text, of this [[extra]] table", "none",
     line_of_each<in_extras, &Extra::name>},
    {"extra[].law", laws, needed, extra_law},
    {"extra[].rows", "whole number, for Xavier's distributions only",
     "what depends on it is missing", extra_rows},
    {"extra[].multiplier", a_number, "1", number_of_each<finite, in_extras, &Extra::multiplier>,
     refused, &never},
    {"merged[].name", "text, of these rows that no table gives, such as image", "none",
     line_of_each<in_merged, &Merged::name>},
    {"merged[].rms", "number > 0, of their entries as the projector gives them",
     "what depends on it is missing", number_of_each<positive, in_merged, &Merged::rms>, possible},
    {"merged[].multiplier", "number, of them ahead of the merge, such as 1/sqrt(d_model)", "1",
     number_of_each<finite, in_merged, &Merged::multiplier>, refused, &never},
};

std::vector<Field> with_parameters() {
  std::vector<Field> all;
  for (const Row& row : rows) {
    const auto parameter = row.access.parameter;
    all.push_back({row.path, row.values, row.otherwise, row.access.take, row.access.told,
                   row.absence, row.noted_if, row.counts_if, parameter ? row.path : ""});
    if (!parameter) continue;
    for (const std::string_view key : parameter_keys)
      all.push_back({parameter_path(row.path, key), "number > 0",
                     key == parameter_keys[0]
                         ? "required for normal, and for truncated_normal (before its cut at 2 "
                           "sigma)"
                         : "required for uniform",
                     [](At, To) {},  // it is taken with its law
                     [=](C c) { return parameter(c, key); }, refused, nullptr, row.counts_if,
                     row.path});
  }
  return all;
}

}  // namespace

const std::vector<Field>& fields() {
  static const auto all = with_parameters();
  return all;
}

void Field::read(const Entry& at, Configuration& c) const {
  const std::string_view value = otherwise.substr(0, otherwise.find(';'));
  take(otherwise == needed ? at.required() : noted_if ? at.otherwise(value) : at, c);
  if (noted_if && !at.given() && !at.absent() && noted_if->holds(c) == true)
    c.defaults.emplace_back(path, value);
}

Told Field::value(const Configuration& c) const {
  return counts_if && counts_if->holds(c) != true ? "" : told(c);
}

}  // namespace embedscale::audit
