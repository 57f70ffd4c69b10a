#include "audit/fields.hpp"

#include "report/table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>

namespace embedscale::audit {
namespace {

constexpr std::int64_t widest = 1 << 24;  // also the last position binary32 holds exactly
constexpr std::int64_t most_rows = std::int64_t{1} << 32;

using At = const Entry&;
using To = Configuration&;

// Which defaults count.
bool always(At, const Configuration&) { return true; }
bool never(At, const Configuration&) { return false; }
bool with_sinusoids(At, const Configuration& c) {
  return c.position.kind == PositionKind::sinusoidal;
}
bool with_positions(At, const Configuration& c) { return adds_positions(c.position.kind); }
bool with_norm(At, const Configuration& c) {
  return c.block.where && *c.block.where != BlockNorm::none;
}
bool with_table(At, const Configuration& c) { return c.token.has_table(); }
bool with_embedding_norm(At, const Configuration& c) { return c.embedding_norm.has_value(); }
bool with_multiplier(At, const Configuration& c) { return c.token.multiplier != 1.0; }
bool with_one_projection(At at, const Configuration&) {
  return !at.other("attention.projection_q").given() || !at.other("attention.projection_k").given();
}

constexpr Range not_negative{0, largest_double, "a finite number >= 0"};
// Frequencies are then at most 1, as the sums over positions need them.
constexpr Range from_one{1, largest_double, "a finite number >= 1"};

// The laws of a table, of an output matrix, of a projection.
constexpr std::string_view laws =
    "normal, uniform, truncated_normal, xavier_uniform, xavier_normal";
constexpr std::string_view output_laws =
    "normal, uniform, truncated_normal, xavier_uniform, xavier_normal, zeros";
constexpr std::string_view projections = names_of<LawKind>;
constexpr std::string_view gains = "plain, one_plus, none";

constexpr const char* parameters[] = {"standard_deviation", "half_range"};

// A law with its parameter, which stands beside it: required where the law takes it, refused where
// it takes none. Of a law that has no effect, none is asked for.
std::optional<Law> law_of(At at, std::string_view allowed, bool counts = true,
                          const std::string& prefix = "") {
  const auto kind = at.choice<LawKind>(allowed);
  auto law = kind && counts ? std::optional(Law{*kind, {}, {}}) : std::nullopt;
  for (const std::string key : parameters) {
    const Entry parameter = at.beside(prefix + key);
    const std::string_view wanted = law ? parameter_key(*kind) : "";
    if (!law) {
      parameter.number(positive);  // has to be one even where it does not count
    } else if (key == wanted) {
      law->parameter = parameter.required().number(positive);
      law->written = parameter.written();
    } else if (parameter.given()) {
      parameter.refuse(fmt::format("absent: the law {} takes {}", name_of(*kind),
                                   wanted.empty() ? "no parameter" : wanted));
    }
  }
  return law;
}

// One that may be left out, and then its parameters are: nothing.
std::optional<Law> law_if_given(At at, std::string_view allowed, const std::string& prefix) {
  if (at.given()) return law_of(at, allowed, true, prefix);
  for (const char* key : parameters)
    if (const Entry parameter = at.beside(prefix + key); parameter.given())
      parameter.refuse(fmt::format("absent unless {} is given", at.path()));
  return std::nullopt;
}

// That of queries or of keys, in the place of both's.
void read_own_projection(At at, std::optional<Law>& law, const std::string& prefix) {
  if (const auto own = law_if_given(at, projections, prefix)) law = own;
  if (at.absent()) law.reset();
}

// A parameter is read with its law.
void with_its_law(At, To) {}

// What the width of a position vector has to suit.
void require_pairs(At at, const Configuration& c, std::int64_t width) {
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
  c.token.law = law_of(table ? at.required() : at, laws, table);
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

// A factor that the code has elsewhere is 1 here.
void read_multiplier(At at, To c) {
  c.token.multiplier = at.number(finite);
  if (c.token.when == MultipliedWhen::sinusoidal && !with_sinusoids(at, c)) c.token.multiplier = 1;
}
void read_output_multiplier(At at, To c) {
  c.output.multiplier = at.number(finite);
  if (c.output.when == MultipliedOutput::tied && c.output.tied == false) c.output.multiplier = 1;
}

void read_position_law(At at, To c) {
  const bool learned = c.position.kind == PositionKind::learned;
  c.position.law = law_of(learned ? at.required() : at, laws, learned);
}

// [embedding_norm] stands for itself: whatever of it is given, there is one.
void read_embedding_norm(At at, To c) {
  if (at.other("embedding_norm").given())
    c.embedding_norm = NormLayer{.kind = *at.choice<expected::Norm::Kind>(), .epsilon = {}};
}

// A norm of which only the kind or ε is given must not be taken for none.
void read_block_norm(At at, To c) {
  const bool begun = at.other("block.kind").given() || at.other("block.epsilon").given();
  c.block.where = (begun ? at.required() : at).choice<BlockNorm>();
}

// Without blocks that have norms nothing is normalised at their end, unless it is said.
void read_gain(At at, To c) {
  c.final_norm.gain =
      at.choice<Gain>(gains).value_or(c.block.where == BlockNorm::none ? Gain::none : Gain::plain);
}
void read_final_bias(At at, To c) {
  const bool gain = c.final_norm.gain != Gain::none;
  c.final_norm.bias =
      at.truth().value_or(gain && c.block.norm.kind == expected::Norm::Kind::layer_norm);
  if (c.final_norm.bias && !gain) at.refuse("false where final_norm.gain is none");
}

void read_projection(At at, To c) {
  c.attention.projection_q = c.attention.projection_k =
      law_of(at, projections, with_one_projection(at, c) || at.given(), "projection_");
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
  c.output.law = law_of(needs_one ? at.required() : at, output_laws, c.output.tied != true);
}

constexpr const char* a_number = "number";
constexpr const char* positive_number = "number > 0";
constexpr const char* needed = "required";
constexpr const char* if_normal =
    "required for normal, and for truncated_normal (before its cut at 2 sigma)";
constexpr const char* if_uniform = "required for uniform";

constexpr Field rows[] = {
    {"name", "text", "the file's name", [](At at, To c) { c.name = at.text(60).value_or(c.name); }},
    {"source.repository", "text", "none",
     [](At at, To c) { c.source.repository = at.text(140).value_or(""); }},
    {"source.commit", "text", "none",
     [](At at, To c) { c.source.commit = at.text(140).value_or(""); }},
    {"source.files", "array of texts", "none",
     [](At at, To c) { c.source.files = at.texts(1000); }},
    {"model.d_model", "whole number, 2 to 2^24; even for sinusoids", needed,
     [](At at, To c) { c.model.d_model = at.integer(2, widest); }, Absence::possible},
    {"model.heads", "whole number, a divisor of d_model unless d_k is given", needed,
     [](At at, To c) { c.model.heads = at.integer(1, widest); }, Absence::possible},
    {"position.kind",
     "sinusoidal, learned, rotary, relative (vectors), relative_bias (T5), alibi, none", needed,
     [](At at, To c) { c.position.kind = *at.choice<PositionKind>(); }},
    {"position.combine", "sum, concatenation (of token and position)", "sum",
     [](At at, To c) { c.position.combine = *at.choice<Combine>(); }, Absence::refused, never},
    {"position.frequencies", "paper, base^(-2i/d); tensor2tensor, base^(-i/(d/2-1))", "paper",
     [](At at, To c) { c.position.frequencies = *at.choice<FrequencyRule>(); }, Absence::refused,
     with_sinusoids},
    {"position.layout",
     "interleaved, halves (of sinusoids, of a rotary head); no figure depends on it",
     "interleaved; not told where position.kind is rotary",
     // Sinusoids have one; that of a rotary head may not be told.
     [](At at, To c) {
       if (c.position.kind != PositionKind::rotary || at.given())
         c.position.layout = at.choice<SinusoidalLayout>();
     },
     Absence::refused, with_sinusoids},
    {"token.kind", "table; features, of a convolution or patches, where there is no table", "table",
     [](At at, To c) { c.token.kind = *at.choice<TokenKind>(); }, Absence::refused, never},
    {"token.projected", "token; sum, with positions and behind embedding_norm", "token",
     [](At at, To c) { c.token.projected = *at.choice<Projected>(); }, Absence::refused, never},
    {"model.d_k", "whole number, the width of a head", "d_model/heads", read_d_k,
     Absence::possible},
    {"model.vocabulary", "whole number, V", "what depends on it is missing",
     [](At at, To c) { c.model.vocabulary = at.integer(1, most_rows); }, Absence::possible},
    {"model.positions", "whole number, L: of positions, and of keys",
     "what depends on it is missing",
     [](At at, To c) { c.model.positions = at.integer(1, widest); }, Absence::possible},
    {"token.law", laws, "required unless token.kind is features", read_token_law,
     Absence::possible},
    {"token.standard_deviation", positive_number, if_normal, with_its_law},
    {"token.half_range", positive_number, if_uniform, with_its_law},
    {"token.rms", "number > 0, of the entries of features, ahead of the multiplier",
     "what depends on it is missing", [](At at, To c) { c.token.rms = at.number(positive); },
     Absence::possible},
    {"token.multiplier_when", "always, sinusoidal: the positions beside which the code multiplies",
     "always", [](At at, To c) { c.token.when = *at.choice<MultipliedWhen>(); }, Absence::refused,
     never},
    {"token.multiplier", a_number, "1", read_multiplier, Absence::possible, always},
    {"token.multiplier_format", "what it is rounded to: binary64, binary32, binary16, bfloat16",
     "binary32", [](At at, To c) { c.token.format = *at.choice<NumberFormat>(); }, Absence::refused,
     with_multiplier},
    {"token.width", "whole number, of what is projected; < d_model for concatenation",
     "required there, else d_model", read_token_width},
    {"token.projection", laws, "none: the table is d_model wide",
     [](At at, To c) {
       if (const auto law = law_if_given(at, laws, "projection_")) c.token.projection = *law;
     }},
    {"token.projection_standard_deviation", positive_number, if_normal, with_its_law},
    {"token.projection_half_range", positive_number, if_uniform, with_its_law},
    {"position.base", "number >= 1", "10000",
     [](At at, To c) { c.position.base = at.number(from_one); }, Absence::possible, with_sinusoids},
    {"position.first", "whole number: the table begins with this position", "0",
     [](At at, To c) { c.position.first = known(at, at.integer(0, widest)); }, Absence::refused,
     never},
    {"position.law", laws, "required where position.kind is learned", read_position_law,
     Absence::possible},
    {"position.standard_deviation", positive_number, if_normal, with_its_law},
    {"position.half_range", positive_number, if_uniform, with_its_law},
    {"position.multiplier", a_number, "1",
     [](At at, To c) { c.position.multiplier = at.number(finite); }, Absence::possible,
     with_positions},
    {"embedding_norm.kind", "layer_norm, rms_norm", "layer_norm; without the section: no norm",
     read_embedding_norm, Absence::refused, with_embedding_norm},
    {"embedding_norm.epsilon", "number >= 0", "1e-5",
     [](At at, To c) {
       if (c.embedding_norm) c.embedding_norm->epsilon = at.number(not_negative);
     },
     Absence::possible, with_embedding_norm},
    {"embedding_norm.epsilon_added_to", "variance, standard_deviation", "variance",
     [](At at, To c) {
       if (c.embedding_norm) c.embedding_norm->placement = *at.choice<EpsilonPlacement>();
     },
     Absence::refused, with_embedding_norm},
    {"block.norm", "pre, post, none", "none", read_block_norm, Absence::possible, always},
    {"block.kind", "layer_norm, rms_norm", "layer_norm",
     [](At at, To c) { c.block.norm.kind = *at.choice<expected::Norm::Kind>(); }, Absence::refused,
     with_norm},
    {"block.epsilon", "number >= 0", "1e-5",
     [](At at, To c) {
       if (with_norm(at, c) || at.given()) c.block.norm.epsilon = at.number(not_negative);
     },
     Absence::possible, with_norm},
    {"block.epsilon_added_to", "variance, standard_deviation", "variance",
     [](At at, To c) { c.block.norm.placement = *at.choice<EpsilonPlacement>(); }, Absence::refused,
     with_norm},
    {"block.residual_multiplier", "number, of each branch before it is added", "1",
     [](At at, To c) { c.block.residual_multiplier = at.number(finite); }, Absence::refused, never},
    {"final_norm.gain", "plain, one_plus (1 + w, w stored), none; no figure depends on it",
     "plain; none where block.norm is none", read_gain},
    {"final_norm.bias", "true, false; no figure depends on it",
     "true where block.kind is layer_norm and there is a gain, else false", read_final_bias},
    {"attention.scale", "number, of the dot products", "1/sqrt(d_k)",
     [](At at, To c) {
       if (c.model.d_k || at.given()) c.attention.scale = at.number(finite);
     },
     Absence::possible, always},
    {"attention.projection", projections, "xavier_uniform", read_projection, Absence::possible,
     with_one_projection},
    {"attention.projection_standard_deviation", positive_number, if_normal, with_its_law},
    {"attention.projection_half_range", positive_number, if_uniform, with_its_law},
    {"attention.projection_q", projections, "attention.projection",
     [](At at, To c) { read_own_projection(at, c.attention.projection_q, "projection_q_"); },
     Absence::possible},
    {"attention.projection_q_standard_deviation", positive_number, if_normal, with_its_law},
    {"attention.projection_q_half_range", positive_number, if_uniform, with_its_law},
    {"attention.projection_k", projections, "attention.projection",
     [](At at, To c) { read_own_projection(at, c.attention.projection_k, "projection_k_"); },
     Absence::possible},
    {"attention.projection_k_standard_deviation", positive_number, if_normal, with_its_law},
    {"attention.projection_k_half_range", positive_number, if_uniform, with_its_law},
    {"output.tied", "true (to the token table), false", "true", read_tied, Absence::possible,
     with_table},
    {"output.sharing", "always, by_default, on_request, optional, never: what the program offers",
     "none", read_sharing},
    {"output.law", "as token.law, or zeros", "required where output.tied is false", read_output_law,
     Absence::possible},
    {"output.standard_deviation", positive_number, if_normal, with_its_law},
    {"output.half_range", positive_number, if_uniform, with_its_law},
    {"output.multiplier_when", "always, tied: the outputs whose logits the code multiplies",
     "always", [](At at, To c) { c.output.when = *at.choice<MultipliedOutput>(); },
     Absence::refused, never},
    {"output.multiplier", "number, of the logits", "1", read_output_multiplier, Absence::refused,
     always},
    {"extra[].name", "text, of this [[extra]] table", "none",
     [](At at, To c) { c.extras.back().name = at.text(60).value_or(""); }},
    {"extra[].law", laws, needed, [](At at, To c) { c.extras.back().law = *law_of(at, laws); }},
    {"extra[].standard_deviation", positive_number, if_normal, with_its_law},
    {"extra[].half_range", positive_number, if_uniform, with_its_law},
    {"extra[].rows", "whole number, for the Xavier laws only", "what depends on it is missing",
     [](At at, To c) { c.extras.back().rows = at.integer(1, most_rows); }},
    {"extra[].multiplier", a_number, "1",
     [](At at, To c) { c.extras.back().multiplier = at.number(finite); }, Absence::refused, never},
};

// By section, in the order in which sections first appear.
std::vector<Field> by_section() {
  const auto section = [](const Field& f) { return f.path.substr(0, f.path.find('.')); };
  std::vector<Field> all;
  std::set<std::string_view> seen;
  for (const Field& first : rows)
    if (seen.insert(section(first)).second)
      std::ranges::copy_if(rows, std::back_inserter(all),
                           [&](const Field& f) { return section(f) == section(first); });
  return all;
}

}  // namespace

std::string_view parameter_key(LawKind kind) {
  switch (kind) {
    case LawKind::normal:
    case LawKind::truncated_normal: return "standard_deviation";
    case LawKind::uniform: return "half_range";
    default: return {};
  }
}

bool adds_positions(PositionKind kind) {
  return kind == PositionKind::sinusoidal || kind == PositionKind::learned;
}

bool may_be_absent(std::string_view path) {
  return std::ranges::any_of(rows, [&](const Field& field) {
    return field.path == path && field.absence == Absence::possible;
  });
}

std::span<const Field> fields() { return rows; }

void Field::read(const Entry& at, Configuration& c) const {
  const std::string_view value = otherwise.substr(0, otherwise.find(';'));
  take(otherwise == needed ? at.required() : counts ? at.otherwise(value) : at, c);
  if (counts && !at.given() && !at.absent() && counts(at, c)) c.defaults.emplace_back(path, value);
}

std::string manual() {
  std::string out =
      "Fields of a configuration: what each may be; what stands where it is not given.\n"
      "Numbers may be formulas in d_model, heads, d_k and vocabulary, in quotes:\n"
      "\"d_model^-0.5\", \"sqrt(d_model)\", \"1/sqrt(d_k)\".\n\n";
  for (const Field& f : by_section())
    out += fmt::format("{}\n    {}\n    otherwise: {}\n", f.path, f.values, f.otherwise);
  return out +
         "marks.\"FIELD\"\n    read, inferred, assumed, absent; or { mark = …, source = \"…\" }\n"
         "    otherwise: read\n";
}

std::string manual_table() {
  report::Table table({{"Key"}, {"Value"}, {"Where it is not given"}});
  for (const Field& f : by_section())
    table.row({fmt::format("`{}`", f.path), std::string(f.values), std::string(f.otherwise)});
  return table.markdown();
}

}  // namespace embedscale::audit
