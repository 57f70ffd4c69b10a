#pragma once
// How a port is made: the steps in words, and each field
// that differs. It is made up for by a step, or bears on nothing that a port keeps, or is a reason
// why the function is not kept: this last wherever nothing else is said, so that no field is passed
// over.
#include "audit/fields.hpp"
#include "port/port.hpp"

namespace embedscale::port {

/// What a port does in this order: its recipe, then what is to be done within the blocks and to
/// further tables.
std::vector<Instruction> instructions_of(const Port& port);

/// The recipe's obstacles.
std::vector<Remark> obstacles_of(const Port& port);
/// What the steps and obstacles leave of the fields that differ, each field once: among the
/// differences or without effect.
void set_differences(Port& port);
std::string not_told_of(const Port& port);

enum class Bearing {
  none,     ///< on the function: names, distributions at initialisation, what a program offers
  factor,   ///< a number that counts as the same where codes' rounding may part the two
  function  ///< what is computed
};
Bearing bearing_of(const audit::Field& field);
/// As the field has it; a token's multiplier as its code rounds it, those of merged rows with it
/// where it stands behind the merge.
audit::Told value_of(const audit::Field& field, const audit::Configuration& c);

/// Codes compute a factor in binary32 or better, but where a configuration says otherwise, and
/// round it once: of the four in c·m′ = c′·m two sides that should be equal differ by at most
/// 4·2^−24.
bool agree(double x, double y);

/// "token table", "gain".
std::string_view name_of(Parameter parameter);

}  // namespace embedscale::port
