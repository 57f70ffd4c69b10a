#pragma once
// A generator of valid configurations, simplified member by member.
#include <rapidcheck.h>

#include <ostream>
#include <vector>

#include "../../domain/configuration_text.hpp"
#include "../../domain/configurations.hpp"
#include "drawn.hpp"
#include "simpler_floats.hpp"

namespace embedscale::properties::domain {

/// Counterexamples show the TOML: it can be audited as it stands.
inline std::ostream& operator<<(std::ostream& out, const ModelConfiguration& c) {
  return out << "\n" << toml_of(c);
}

}  // namespace embedscale::properties::domain

namespace embedscale::properties::testing::generators {

/// Factors to try in the place of m: 1 first, then the simpler ones, but not 0, which switches off
/// whatever it multiplies.
inline std::vector<double> simpler_factors(double m) {
  if (m == 1.0) return {};
  std::vector<double> factors{1.0};
  if (m != 0.0)
    for (const double to : simpler_floats(m, domain::finite_floats))
      if (to != 0.0 && to != 1.0) factors.push_back(to);
  return factors;
}

/// Valid configurations in which one member is simpler than in c: as it is in the simplest
/// configuration or, a number, on the way there; the simplest first within each member.
inline std::vector<domain::ModelConfiguration> simpler(const domain::ModelConfiguration& c) {
  using C = domain::ModelConfiguration;
  const C simplest;
  std::vector<C> found;
  const auto add = [&](auto C::*member, const auto& value) {
    C to = c;
    to.*member = value;
    if (to != c && domain::is_valid(to)) found.push_back(to);
  };
  const auto reset = [&](auto... members) { (add(members, simplest.*members), ...); };
  const auto integer = [&](auto... members) {
    const auto one = [&](std::uint64_t C::*member) {
      reset(member);
      for (const auto n : smaller(c.*member, std::min(c.*member, simplest.*member))) add(member, n);
    };
    (one(members), ...);
  };
  const auto factor = [&](auto... members) {
    const auto one = [&](double C::*member) {
      for (const double to : simpler_factors(c.*member)) add(member, to);
    };
    (one(members), ...);
  };
  const auto law = [&](auto... members) {
    const auto one = [&](domain::LawKeys C::*member) {
      reset(member);
      for (const double to : simpler_factors((c.*member).scale))
        add(member, domain::LawKeys{(c.*member).kind, to});
    };
    (one(members), ...);
  };
  reset(&C::extras, &C::embedding_norm, &C::block, &C::block_norm, &C::final_bias, &C::final_gain,
        &C::position_kind, &C::frequencies, &C::layout, &C::base, &C::tied, &C::multiplied_by_root,
        &C::multiplier_format, &C::attention_scale);
  for (std::size_t i = 0; i < c.extras.size() && c.extras.size() > 1; ++i)
    add(&C::extras, std::vector{c.extras[i]});
  law(&C::token_law, &C::position_law, &C::projection, &C::output_law);
  integer(&C::token_width, &C::d_k, &C::vocabulary, &C::positions, &C::first, &C::heads,
          &C::d_model);
  // Halves of even widths are not on the way that integers go, and widths hang together.
  if (c.d_model >= 6) add(&C::d_model, c.d_model - 2);
  if (C narrow = c; c.d_model >= 4) {
    narrow.d_model = 4, narrow.heads = 1, narrow.d_k = 0, narrow.token_width = 0;
    if (narrow != c && domain::is_valid(narrow)) found.push_back(narrow);
  }
  factor(&C::token_multiplier, &C::position_multiplier, &C::output_multiplier);
  return found;
}

/// Any valid configuration, as domain::any_configuration draws it. Simplified to the default
/// ModelConfiguration: d_model 2, one head, normal(1), no position, nothing that is optional.
inline rc::Gen<domain::ModelConfiguration> configurations() {
  return drawn_from([](const Stream& stream,
                       std::uint64_t index) { return domain::any_configuration(stream, index); },
                    [](const domain::ModelConfiguration& c) { return simpler(c); });
}

}  // namespace embedscale::properties::testing::generators
