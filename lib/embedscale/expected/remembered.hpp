#pragma once
// The last results of a function that takes long: the figures of one model ask for the same again.
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

namespace embedscale::expected {

/// One for each thread and function. What it gives is what the function does: nothing is told apart
/// from a first call but by its time.
template <class Key, class Value>
class Remembered {
 public:
  /// compute(), or what that was for an equal key lately. The reference holds until the next call.
  template <class Compute>
  const Value& of(const Key& key, Compute compute) {
    for (const auto& one : kept_)
      if (one && one->first == key) return one->second;
    Value value = compute();
    auto& oldest = kept_[next_];
    next_ = (next_ + 1) % kept_.size();
    return oldest.emplace(key, std::move(value)).second;
  }

 private:
  std::array<std::optional<std::pair<Key, Value>>, 8> kept_;
  std::size_t next_ = 0;
};

}  // namespace embedscale::expected
