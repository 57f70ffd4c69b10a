#pragma once
// One operation under test: a function, or whatever else can be called like it.
#include <algorithm>
#include <atomic>
#include <concepts>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace embedscale::properties {

/// What was put in the place of a library's function, and whether it was called. Kept until the
/// program ends, which leaves operations pairs of pointers that cost nothing to copy: a test has
/// few.
class Own {
 public:
  explicit Own(std::shared_ptr<void> state, bool is_watched = false)
      : state_(std::move(state)), is_watched_(is_watched) {}

  void* state() const { return state_.get(); }
  /// The library's, which tells whether it was called.
  bool is_watched() const { return is_watched_; }
  void call() { called_.store(true, std::memory_order_relaxed); }
  void forget() { called_.store(false, std::memory_order_relaxed); }
  bool was_called() const { return called_.load(std::memory_order_relaxed); }

 private:
  std::shared_ptr<void> state_;  ///< none of a plain function
  bool is_watched_;
  std::atomic<bool> called_ = false;
};

/// What every operation has, whatever it takes. Copies share what is one's own, and its state: it
/// is called without a lock.
class AnyOperation {
 public:
  /// Null while the operation is the library's, and not watched.
  constexpr Own* own() const { return own_; }
  constexpr bool is_ones_own() const { return own_ != nullptr && !own_->is_watched(); }
  /// Has the library's tell whether it was called, too.
  void watch() {
    if (own_ == nullptr) keep(nullptr, true);
  }

 protected:
  void replace(std::shared_ptr<void> state) { keep(std::move(state), false); }

 private:
  void keep(std::shared_ptr<void> state, bool is_watched);

  Own* own_ = nullptr;
};

/// One operation of a subject: whether it was put there, and what tells whether it was called.
struct Member {
  std::string_view name;    ///< "up"
  std::string_view number;  ///< "binary32"; "" of an operation that needs no number type
  bool ones_own;
  Own* own;
  AnyOperation* operation;  ///< while its subject stays where it is
  void (*give_zeros)(AnyOperation& operation);
};

/// All operations of a subject, from now on watched.
class Members {
 public:
  /// Of this number type, those that follow.
  void of(std::string_view number) { number_ = number; }
  /// Named in their order, with a comma between: see EMBEDSCALE_LIST.
  template <std::derived_from<AnyOperation>... Operations>
  void add(std::string_view names, Operations&... operations) {
    (add_first(names, operations,
               [](AnyOperation& of) { static_cast<Operations&>(of).give_zeros(); }),
     ...);
  }

  const std::vector<Member>& all() const { return all_; }
  /// Nothing was called yet.
  void forget() const;

 private:
  /// The first of the names, which the others then lack.
  void add_first(std::string_view& names, AnyOperation& operation,
                 void (*give_zeros)(AnyOperation& operation));

  std::string_view number_;
  std::vector<Member> all_;
};

/// Adds members of the struct that it stands in, by their names.
#define EMBEDSCALE_LIST(to, ...) (to).add(#__VA_ARGS__, __VA_ARGS__)

/// A plain pointer to a function; where a callable with state is assigned (a lambda with captures,
/// std::function, an object with operator()), that callable.
///
///   own.of<float>().up = [&kernel](float e, float p, float m) { return kernel(e, p, m); };
template <class Signature>
class Operation;

template <class Result, class... Arguments>
class Operation<Result(Arguments...)> : public AnyOperation {
 public:
  using Function = Result (*)(Arguments...);

  /// The library's: a function, or a lambda without captures.
  constexpr Operation(Function function) : function_(function) {}  // NOLINT: converts
  template <std::convertible_to<Function> Lambda>
  constexpr Operation(Lambda lambda) : function_(lambda) {}  // NOLINT: converts

  /// One's own.
  Operation& operator=(Function function) {
    function_ = function;
    replace(nullptr);
    return *this;
  }
  template <class Callable>
  requires(!std::derived_from<Callable, AnyOperation> &&
           std::is_invocable_r_v<Result, Callable&, Arguments...>) Operation&
  operator=(Callable callable) {
    if constexpr (std::convertible_to<Callable, Function>) {
      return *this = static_cast<Function>(callable);
    } else {
      with_state_ = [](void* state, Arguments... arguments) -> Result {
        const auto call = [&]() -> decltype(auto) {
          return (*static_cast<Callable*>(state))(static_cast<Arguments&&>(arguments)...);
        };
        if constexpr (std::is_void_v<Result>)
          call();  // a kernel may return its status
        else
          return call();
      };
      replace(std::make_shared<Callable>(std::move(callable)));
      return *this;
    }
  }

  /// Zeros from now on in the place of what it returns, or of each number that it writes.
  void give_zeros() {
    *this = Function([](Arguments... arguments) -> Result {
      [[maybe_unused]] const auto clear = []<class Argument>(Argument& out) {
        if constexpr (requires { std::ranges::fill(out, typename Argument::value_type(0)); })
          std::ranges::fill(out, typename Argument::value_type(0));
      };
      (clear(arguments), ...);
      if constexpr (!std::is_void_v<Result>) return Result();
    });
  }

  constexpr Result operator()(Arguments... arguments) const {
    if (own() != nullptr) {
      own()->call();
      if (own()->state() != nullptr)
        return with_state_(own()->state(), static_cast<Arguments&&>(arguments)...);
    }
    return function_(static_cast<Arguments&&>(arguments)...);
  }

  /// The library's, or a function without state that was assigned.
  constexpr Function function() const { return function_; }

 private:
  Function function_;
  Result (*with_state_)(void* state, Arguments...) = nullptr;
};

}  // namespace embedscale::properties
