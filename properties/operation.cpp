#include "operation.hpp"

#include <algorithm>
#include <deque>
#include <mutex>

namespace embedscale::properties {

void AnyOperation::keep(std::shared_ptr<void> state, bool is_watched) {
  static std::mutex mutex;
  static std::deque<Own> all;
  const std::lock_guard lock(mutex);
  own_ = &all.emplace_back(std::move(state), is_watched);
}

void Members::add_first(std::string_view& names, AnyOperation& operation,
                        void (*give_zeros)(AnyOperation& operation)) {
  const auto name = names.substr(0, names.find(','));
  names.remove_prefix(std::min(names.size(), name.size() + 2));
  operation.watch();
  all_.push_back({name, number_, operation.is_ones_own(), operation.own(), &operation, give_zeros});
}

void Members::forget() const {
  for (const auto& member : all_) member.own->forget();
}

}  // namespace embedscale::properties
