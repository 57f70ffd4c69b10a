#pragma once
// Included ahead of every source: libraries name what this system has not.
#include <__config>
#undef _LIBCPP_HAS_NO_FILESYSTEM  // toml++ declares functions of std::ifstream

// Without threads libc++ has no mutex, which Boost's quadrature names.
namespace std {
struct mutex {
  void lock() {}
  void unlock() {}
  bool try_lock() { return true; }
};
}  // namespace std
