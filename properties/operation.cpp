#include "operation.hpp"

#include <deque>
#include <mutex>

namespace embedscale::properties {

void AnyOperation::replace(std::shared_ptr<void> state) {
  static std::mutex mutex;
  static std::deque<Own> all;
  const std::lock_guard lock(mutex);
  own_ = &all.emplace_back(std::move(state));
}

}  // namespace embedscale::properties
