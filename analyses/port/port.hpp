#pragma once
// How a checkpoint moves from the code of one configuration to that of another: the recipe of
// lib/embedscale/porting.hpp with its numbers, what continued training needs, and what no step
// makes up for. Models are compared by what a configuration tells; what it does not is not_told.
#include "audit/configuration.hpp"

#include <embedscale/porting.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace embedscale::port {

/// The claims that most steps and differences are instances of.
inline constexpr std::string_view kept = "porting.function_is_kept";
inline constexpr std::string_view place = "porting.tied_output_needs_a_place_for_the_factor";

inline constexpr std::string_view merged_rows = "combination.merged_rows_share_the_factor";

/// One thing to do, in this order.
struct Instruction {
  std::string text;
  std::vector<std::string_view> claims;
  std::vector<std::string_view> fields;  ///< whose differences it makes up for
  std::string_view action =
      {};  ///< as Action has it: "multiply"; "rewrite" of how a gain is stored
  std::string parameter = {};
  std::optional<double> factor = {};
};

/// What a parameter that is multiplied by s needs to go on training alike: state and settings are
/// multiplied by these [porting.optimizer_state_follows].
struct Followed {
  struct Setting {
    std::string_view optimizer, name, label;  ///< "adam", "first_moment", "Adam: first moment"
    double factor;
  };
  std::string parameter;
  double s;
  std::vector<Setting> settings;
};

/// What no step makes up for, or what differs and is covered.
struct Remark {
  std::string name;     ///< of the obstacle, or the field that differs
  bool stops_function;  ///< else it is covered: it concerns training alone, or new rows
  std::string text;
  std::string_view claim = {};                ///< "" where there is none
  std::vector<std::string_view> fields = {};  ///< that it speaks of, where these are others
};

/// What a port makes of a field that differs.
enum class Outcome { step, covered, not_kept };

struct Port {
  audit::Configuration from, to;
  Recipe<double> recipe;
  std::vector<Instruction> steps;
  std::vector<Followed> optimizer;
  std::vector<Remark> obstacles, differences;
  std::vector<std::string_view> without_effect;  ///< fields that differ and need nothing
  std::string not_told;  ///< fields that one side does not tell, hence not compared

  bool keeps_function() const;
  /// Nothing where the field does not differ, or counts on one side alone.
  std::optional<Outcome> outcome_of(std::string_view field) const;
};

/// Errors    audit::ContentError, one line: widths that differ, a field that is needed and not
///           told, a factor 0 or beyond 2^±500, a place that the new code does not have.
Port port_of(audit::Configuration from, audit::Configuration to,
             std::optional<FactorPlace> place = {});

/// The optimiser's part for people: a column for each s, with the parameters that have it.
struct OptimizerTable {
  static constexpr std::string_view note =
      "(1) 1 where the rate does not multiply it; (2) s where it holds the rate";
  std::vector<std::string> columns;  ///< "gain, bias"
  std::vector<std::pair<std::string_view, std::vector<std::string>>> rows;
};
OptimizerTable optimizer_table(const Port& port);

/// 12 digits, fewer where these are all: "55.5".
std::string number(double x);

/// "22.6274166107, √512 rounded to binary32": how a token's multiplier comes about.
std::string multiplier_words(const audit::Configuration& configuration);

/// A port as plain text, ending in a newline, at most 79 columns wide.
std::string words_of(const Port& port);

/// A port as an object in JSON, on one line without a newline:
///   from, to        {name, file}
///   steps           [{action, parameter, factor, fields, claims, text}], in order
///   optimizer       [{parameter, s, adam: {…}, sgd: {…}}], factors of state and settings
///   clipping        parameter → weight of its gradient in a norm of all gradients
///   obstacles       [{name, only_in_training, text, claim}]
///   differences     [{field, stops_function, text, claim}]
///   without_effect  fields that differ and need nothing
///   not_told        text
///   keeps_function  whether neither an obstacle nor a difference stops it
std::string json_line(const Port& port);

}  // namespace embedscale::port
