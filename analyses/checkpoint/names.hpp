#pragma once
// Which tensor of a checkpoint is which parameter: by the names that frameworks give them, or as
// one says.
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/tensors.hpp"

namespace embedscale::checkpoint {

/// By a parameter of port.hpp, such as "token table": the patterns of its tensors' names, with
/// blanks between them, and * and ? for what may be anything.
using Patterns = std::map<std::string, std::string, std::less<>>;

/// Of "token table=model.wte.weight" each.
///
/// Errors    audit::ContentError: no such parameter, with those that there are.
Patterns patterns_from(const std::vector<std::string>& texts);

/// The tensors that are a parameter: those of its pattern, if there is one, else of the first known
/// name that the file has, in all its layers.
///
/// Errors    audit::ContentError where nothing is of one of the patterns.
std::vector<Tensor> tensors_named(const std::vector<Tensor>& all, std::string_view parameter,
                                  const Patterns& patterns);

/// The one tensor that is a parameter, or no tensor.
///
/// Errors    audit::ContentError where there are several, with their names.
std::optional<Tensor> tensor_named(const std::vector<Tensor>& all, std::string_view parameter,
                                   const Patterns& patterns);

}  // namespace embedscale::checkpoint
