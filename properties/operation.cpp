#include "operation.hpp"

#include <deque>
#include <mutex>

namespace embedscale::properties {

void AnyOperation::keep(std::shared_ptr<void> state, bool is_watched) {
  static std::mutex mutex;
  static std::deque<Own> all;
  const std::lock_guard lock(mutex);
  own_ = &all.emplace_back(std::move(state), is_watched);
}

void Members::add(std::initializer_list<Named> operations) {
  for (const auto& [name, operation] : operations) {
    operation->watch();
    all_.push_back({name, number_, operation->is_ones_own(), operation->own()});
  }
}

void Members::forget() const {
  for (const auto& member : all_) member.own->forget();
}

}  // namespace embedscale::properties
