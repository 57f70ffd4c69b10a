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

/// One thing to do, in this order.
struct Instruction {
  std::string_view action;  ///< as Action has it: "multiply"; "rewrite" of how a gain is stored
  std::string_view parameter;
  std::optional<double> factor;
  std::string text;
  std::vector<std::string_view> claims;
};

/// What a parameter that is multiplied by s needs to go on training alike: state and settings are
/// multiplied by these [porting.optimizer_state_follows].
struct Followed {
  Parameter parameter;
  double s;
  struct {
    double first_moment, second_moment, epsilon, rate;
    double decay;  ///< decoupled, where the rate multiplies it
    double l2;
  } adam;
  struct {
    double buffer, rate, l2;
  } sgd;  ///< and momentum
};

/// What no step makes up for, or what differs besides and what to do about it.
struct Remark {
  std::string name;     ///< of the obstacle, or the field that differs
  bool stops_function;  ///< else it concerns training alone, or is made up for as the text says
  std::string text;
  std::string_view claim = {};        ///< "" where there is none
  std::optional<double> factor = {};  ///< that the text advises
};

struct Port {
  audit::Configuration from, to;
  Recipe<double> recipe;
  std::vector<Instruction> steps;
  std::vector<Followed> optimizer;
  std::vector<Remark> obstacles, differences;
  std::string not_told;  ///< fields that one side does not tell, hence not compared

  bool keeps_function() const;
};

/// Errors    audit::ContentError, one line: widths that differ, a field that is needed and not
///           told, a factor 0 or beyond 2^±500, a place that TO does not have.
Port port_of(audit::Configuration from, audit::Configuration to,
             std::optional<FactorPlace> place = {});

/// What a port does in this order, from its recipe.
std::vector<Instruction> instructions_of(const Port& port);

/// The recipe's obstacles, and all else that differs and counts.
std::vector<Remark> obstacles_of(const Port& port);
std::vector<Remark> differences_of(const Port& port);
std::string not_told_of(const Port& port);

Followed followed(Parameter parameter, double s);

/// The same for people: a column for each s, with the parameters that have it.
struct OptimizerTable {
  static constexpr std::string_view note =
      "(1) 1 where the rate does not multiply it; (2) s where it holds the rate";
  std::vector<std::string> columns;  ///< "gain, bias"
  std::vector<std::pair<std::string_view, std::vector<std::string>>> rows;
};
OptimizerTable optimizer_table(const Port& port);

/// "token table", "gain".
std::string_view name_of(Parameter parameter);

/// 12 digits, fewer where these are all: "55.5".
std::string number(double x);

/// "22.6274166107, √512 rounded to binary32": how a token's multiplier comes about.
std::string multiplier_words(const audit::Configuration& configuration);

/// A port as plain text, ending in a newline, at most 79 columns wide.
std::string words_of(const Port& port);

/// A port as an object in JSON, on one line without a newline:
///   from, to        {name, file}
///   steps           [{action, parameter, factor, claims, text}], in order
///   optimizer       [{parameter, s, adam: {…}, sgd: {…}}], factors of state and settings
///   clipping        parameter → weight of its gradient in a norm of all gradients
///   obstacles       [{name, only_in_training, text, claim}]
///   differences     [{field, stops_function, factor, text, claim}]
///   not_told        text
///   keeps_function  whether neither an obstacle nor a difference stops it
std::string json_line(const Port& port);

}  // namespace embedscale::port
