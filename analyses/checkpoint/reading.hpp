#pragma once
// What a file of tensors says of itself, as text: the header of safetensors, the index of shards, a
// shape. Read event by event, so that memory is bounded by what is kept.
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/tensors.hpp"

namespace embedscale::checkpoint {

/// Throws ContentError "<file>: <what>".
[[noreturn]] void refuse(const std::filesystem::path& file, std::string_view what);

/// The tensors that a safetensors header tells of, `begin` and `bytes` as it has them, `file`
/// unset.
///
/// Errors    ContentError: no JSON, a key twice, another member or type, an end ahead of its begin.
std::vector<Tensor> read_header(std::string_view json, const std::filesystem::path& file);

/// By the name of each tensor, that of its shard.
///
/// Errors    ContentError, as above.
std::map<std::string, std::string> read_index(std::string_view json,
                                              const std::filesystem::path& file);

/// "8002, 256" as a shape; a comma may end it.
///
/// Errors    ContentError.
std::vector<std::uint64_t> read_shape(std::string_view text, const std::filesystem::path& file);

}  // namespace embedscale::checkpoint
