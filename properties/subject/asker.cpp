#include "asker.hpp"

#include <algorithm>

#include "program.hpp"

namespace embedscale::properties::subject {
namespace {

std::string text_of(const std::vector<std::uint64_t>& shape) {
  std::string text;
  for (const auto n : shape) text += (text.empty() ? "" : ", ") + std::to_string(n);
  return "(" + text + ")";
}

/// What is chosen of an operation, the arguments that are words: "kind adamw".
std::string choices_of(const Request& request) {
  std::string text;
  for (const auto& [name, value] : request.arguments.items())
    if (value.is_string())
      text += (text.empty() ? "" : ", ") + name + " " + value.get<std::string>();
  return text;
}

}  // namespace

const Answer& Asker::ask(Request request) {
  // What has failed is not asked for each simpler case again.
  if (failure_) throw Failed(*failure_);
  auto& call = calls_.emplace_back(Call{std::move(request), {}});
  const auto what = call.request.operation + " (" + call.request.format + ")";
  const auto choices = choices_of(call.request);
  const auto chosen = call.request.operation + " (" + choices + ") in " + call.request.format;
  const auto by_library = [&]() -> const Answer& {
    lacked_.insert(chosen);
    return call.answer = library_->answer(call.request);
  };
  if (lacking_.contains(chosen)) return by_library();
  ++counts_[what];
  try {
    call.answer = subject_.answer(call.request);
  } catch (const Lacking&) {
    if (choices.empty())
      throw Refused("it lacks " + call.request.operation + ", which it says that it has");
    lacking_.insert(chosen);
    if (--counts_[what] == 0) counts_.erase(what);
    return by_library();
  } catch (const Failed& error) {
    failure_ = error.what();
    failed_call_ = call;
    throw;
  }
  return call.answer;
}

const Array& Asker::checked(const Answer& answer, std::string_view name, std::string_view dtype,
                            const std::vector<std::uint64_t>& shape) {
  const auto found = std::ranges::find(answer, name, &Array::name);
  if (found == answer.end()) throw Refused("its answer has no '" + std::string(name) + "'");
  if (found->dtype != dtype || found->shape != shape)
    throw Refused("it answers '" + std::string(name) + "' in " + found->dtype + " of shape " +
                  text_of(found->shape) + ", and not in " + std::string(dtype) + " of shape " +
                  text_of(shape));
  return *found;
}

}  // namespace embedscale::properties::subject
