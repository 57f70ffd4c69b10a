#include "audit/field_readers.hpp"

#include <fmt/core.h>

namespace embedscale::audit {
namespace {

// What the width of a position vector has to suit.
void require_pairs(const Entry& at, const Configuration& c, std::int64_t width) {
  if (c.position.kind != PositionKind::sinusoidal) return;
  if (width % 2 != 0)
    at.refuse("even where position.kind is sinusoidal: sines and cosines come in pairs");
  if (c.position.frequencies == FrequencyRule::tensor2tensor && width < 4)
    at.refuse(">= 4 where position.frequencies is tensor2tensor: they divide by d/2 - 1");
}

}  // namespace

void note_default(const Entry& at, Configuration& c, std::string words) {
  if (!at.given() && !at.absent()) c.defaults.emplace_back(at.path(), std::move(words));
}

void read_parameter(const Entry& at, std::optional<Law>& law) {
  if (!law) {
    at.number(positive);  // has to be one even where it does not count
    return;
  }
  const std::string_view wanted = parameter_key(law->kind);
  if (!wanted.empty() && at.path().ends_with(wanted)) {
    law->parameter = at.required_number(positive);
    law->written = at.written();
  } else if (at.given()) {
    at.refuse(fmt::format("absent: the law {} takes {}", name_of(law->kind),
                          wanted.empty() ? "no parameter" : wanted));
  }
}

void read_d_model(const Entry& at, Configuration& c) {
  c.model.d_model = at.required_integer(2, widest);
}

void read_d_k(const Entry& at, Configuration& c) {
  c.model.d_k = at.integer(1, widest);
  if (at.given() || at.absent() || !c.model.d_model || !c.model.heads) return;
  // An odd width is said to be odd, rather than that an even number of heads does not divide it.
  if (c.position.combine == Combine::sum)
    require_pairs(at.other("model.d_model"), c, *c.model.d_model);
  if (*c.model.d_model % *c.model.heads != 0)
    at.other("model.heads")
        .refuse(fmt::format("a divisor of model.d_model = {}, unless model.d_k is given",
                            *c.model.d_model));
  c.model.d_k = *c.model.d_model / *c.model.heads;
}

void read_token_width(const Entry& at, Configuration& c) {
  if (c.position.combine == Combine::sum) {
    if (at.given()) at.refuse("absent unless position.combine is concatenation");
    c.token.width = c.model.d_model;
    if (c.model.d_model) require_pairs(at.other("model.d_model"), c, *c.model.d_model);
    return;
  }
  if (!c.model.d_model) return;
  c.token.width = at.required_integer(1, *c.model.d_model - 1);
  if (!c.token.width) at.refuse("known: it cannot hang on what is not told");
  require_pairs(at, c, *c.model.d_model - *c.token.width);
}

void read_position_law(const Entry& at, Configuration& c) {
  if (c.position.kind == PositionKind::learned && !at.given() && !at.absent())
    at.miss("one of " + joined(words(table_laws)));
  c.position.law = law_of(at, table_laws);
}

void read_epsilon(const Entry& at, Configuration& c, NormLayer& norm) {
  constexpr Range not_negative{0, largest_double, "a finite number >= 0"};
  keep(at, c, norm.epsilon, at.number(not_negative), {1e-5}, "1e-5");
}

void read_projection(const Entry& at, Configuration& c) {
  auto law = law_of(at, projection_laws);
  const bool apart =
      at.other("attention.projection_q").given() && at.other("attention.projection_k").given();
  if (!law && !apart && !at.absent()) {
    law = Law{LawKind::xavier_uniform, {}, {}};
    note_default(at, c, "xavier_uniform");
  }
  c.attention.projection_q = c.attention.projection_k = law;
}

void read_tied(const Entry& at, Configuration& c) {
  keep(at, c, c.output.tied, at.truth(), {true}, "true");
}

void read_sharing(const Entry& at, Configuration& c) {
  constexpr Choices<Sharing, 5> offers{{{"always", Sharing::always},
                                        {"by_default", Sharing::by_default},
                                        {"on_request", Sharing::on_request},
                                        {"optional", Sharing::optional},
                                        {"never", Sharing::never}}};
  c.output.sharing = at.choice(offers);
  if (c.output.sharing == Sharing::always && c.output.tied == false)
    at.refuse("other than always where output.tied is false");
  if (c.output.sharing == Sharing::never && c.output.tied == true)
    at.refuse("other than never where output.tied is true");
}

void read_output_law(const Entry& at, Configuration& c) {
  const bool needed = c.output.tied == false;
  if (needed && !at.given() && !at.absent()) at.miss("one of " + joined(words(output_laws)));
  c.output.law = law_of(at, output_laws);
}

}  // namespace embedscale::audit
