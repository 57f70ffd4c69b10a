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

void Members::add(std::initializer_list<Named> operations) {
  for (const auto& [name, operation] : operations) {
    const bool ones_own = operation->own() != nullptr;
    if (!ones_own) operation->watch();
    all_.push_back({name, number_, ones_own, operation->own()});
  }
}

void Members::forget() const {
  for (const auto& member : all_) member.own->forget();
}

}  // namespace embedscale::properties
