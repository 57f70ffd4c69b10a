// The core as a WebAssembly module: JavaScript writes a question into memory, calls, and reads what
// is said. One text at a time; nothing of a call outlives the next one.
#include "core/core.hpp"

#include <cstddef>
#include <exception>
#include <new>
#include <string>
#include <string_view>

namespace {

std::string& asked() {
  static std::string text;
  return text;
}
std::string& answered() {
  static std::string text;
  return text;
}
embedscale::audit::ModelTypes& types() {
  static embedscale::audit::ModelTypes known;
  return known;
}

// As the command exits: 0 done, 2 for what was asked, 3 where memory does not suffice.
template <class Action>
int guarded(Action action) {
  try {
    answered() = action();
    return 0;
  } catch (const std::bad_alloc&) {
    answered() = "not enough memory for these parameters";
    return 3;
  } catch (const std::exception& error) {
    answered() = error.what();
    return 2;
  }
}

}  // namespace

// The one thread does not end, so nothing waits for its end.
extern "C" int __cxa_thread_atexit(void (*)(void*), void*, void*) { return 0; }

#define EXPORT(name) extern "C" __attribute__((export_name(#name)))

/// Room for a text of so many bytes, in UTF-8, that the next call takes.
EXPORT(allocate) char* allocate(std::size_t size) {
  asked().resize(size);
  return asked().data();
}

/// Takes what is known of model types: TOML.
EXPORT(know_model_types) int know_model_types() {
  return guarded([] {
    types().add(asked(), "model_types");
    return std::string();
  });
}

/// Takes a question in JSON; its exit code is the command's.
EXPORT(ask) int ask() {
  return guarded(
      [] { return embedscale::core::answer(embedscale::core::question_from(asked()), types()); });
}

EXPORT(said) const char* said() { return answered().data(); }
EXPORT(said_size) std::size_t said_size() { return answered().size(); }
