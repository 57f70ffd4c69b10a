#pragma once
// Asks a subject, and keeps what was asked in the case that runs.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "subject.hpp"

namespace embedscale::properties::subject {

/// A request, and what came of it; no answer where none came.
struct Call {
  Request request;
  Answer answer;
};

class Asker {
 public:
  /// In all formats that the subject has, or in one.  Requires  that the subject outlives it.
  explicit Asker(Subject& subject, std::string format = {})
      : subject_(subject), only_(std::move(format)) {}

  bool has(const char* operation, std::string_view format) const {
    return (only_.empty() || only_ == format) && subject_.has(operation, format);
  }

  /// The one result "out", of this shape, into `out`.
  ///
  /// Errors    Refused; Failed, then and from then on, until `forget`.
  template <class Real>
  void ask(Request request, std::vector<std::uint64_t> shape, std::span<Real> out) {
    const auto& answered = ask(std::move(request));
    take(answered, "out", std::move(shape), out);
  }
  template <class Real>
  Real ask_one(Request request, std::vector<std::uint64_t> shape) {
    Real out(0);
    ask(std::move(request), std::move(shape), std::span<Real>(&out, 1));
    return out;
  }
  /// The results of the last request, to be taken by their names.
  const Answer& ask(Request request);
  template <class Real>
  void take(const Answer& answer, std::string_view name, std::vector<std::uint64_t> shape,
            std::span<Real> out) {
    const auto all = numbers_of<Real>(checked(answer, name, dtype_of<Real>(), shape));
    std::ranges::copy(all, out.begin());
  }

  template <class Real>
  Real take_one(const Answer& answer, std::string_view name) {
    Real out(0);
    take(answer, name, {1}, std::span<Real>(&out, 1));
    return out;
  }

  /// A case begins: its calls are kept.
  void begin_case() { calls_.clear(), ++running_case_; }
  std::uint64_t running_case() const { return running_case_; }
  /// It failed: its calls are those of the simplest case so far.
  void end_failed_case() { failed_ = calls_; }
  /// Of the case that failed last.
  const std::vector<Call>& failed() const { return failed_; }
  /// Why the subject failed, if it did.
  const std::optional<std::string>& failure() const { return failure_; }
  /// What it was asked then.
  const Call& failed_call() const { return failed_call_; }
  /// "optimizer_step (kind adamw) in binary32": what the subject lacks, and the library answered;
  /// and what of it was asked since `forget`.
  const std::set<std::string>& lacking() const { return lacking_; }
  const std::set<std::string>& lacked() const { return lacked_; }
  /// Requests since `forget` that the subject answered, by "layer_norm (binary32)".
  const std::map<std::string, std::uint64_t>& counts() const { return counts_; }
  void forget() {
    failed_.clear(), calls_.clear(), failure_.reset(), counts_.clear(), lacked_.clear();
  }

 private:
  static const Array& checked(const Answer& answer, std::string_view name, std::string_view dtype,
                              const std::vector<std::uint64_t>& shape);

  Subject& subject_;
  std::unique_ptr<Subject> library_ = library();
  std::string only_;
  std::vector<Call> calls_, failed_;
  std::optional<std::string> failure_;
  Call failed_call_;
  std::uint64_t running_case_ = 0;
  std::map<std::string, std::uint64_t> counts_;
  std::set<std::string> lacking_, lacked_;
};

}  // namespace embedscale::properties::subject
