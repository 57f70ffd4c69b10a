#include "candidates.hpp"

#include <algorithm>

#include "../attention/trials.hpp"
#include "../combination/trials.hpp"
#include "../conventions/trials.hpp"
#include "../embedding/trials.hpp"
#include "../normalization/trials.hpp"
#include "../optimizer/trials.hpp"
#include "../precision/claims.hpp"
#include "../sinusoidal/trials.hpp"
#include "../tied_output/trials.hpp"
#include "position_table.hpp"
#include "substitute.hpp"

namespace embedscale::properties::subject {
namespace {

template <class Real>
constexpr bool is_sent = std::is_same_v<Real, double> || std::is_same_v<Real, float> ||
                         std::is_same_v<Real, binary16> || std::is_same_v<Real, bfloat16>;

/// A case of the body: what it asks is kept if it fails.
std::function<void()> watched(std::function<void()> body, Asker& asker) {
  return [body = std::move(body), &asker] {
    asker.begin_case();
    try {
      body();
    } catch (...) {
      asker.end_failed_case();
      throw;
    }
  };
}

template <class Primitives>
void add(std::vector<Candidate>& all, Asker& asker,
         const testing::Properties<Primitives>& properties,
         const testing::Mutants<Primitives>& mutants) {
  Primitives own;
  own.change([&]<template <class> class Operations, class Real>(Operations<Real>& to) {
    if constexpr (is_sent<Real>) substitute<Real>(to, asker);
  });
  Members members;
  own.list(members);
  // A topic of which the subject has nothing is not tried.
  if (std::ranges::none_of(members.all(), &Member::ones_own)) return;
  for (const auto& property : properties) {
    Candidate candidate{property, {}, watched([body = property.body, own] { body(own); }, asker)};
    for (const auto& mutant : mutants)
      if (std::ranges::count(property.rejects, mutant.name) > 0)
        candidate.defects.push_back(mutant.defect);
    all.push_back(std::move(candidate));
  }
}

}  // namespace

const std::vector<Exempt>& exempt() {
  constexpr std::string_view once = "of the library's two roundings: what rounds once is as right",
                             order = "of the library's order: others are as right",
                             range = "of the library's order: in others a square may underflow";
  static const std::vector<Exempt> all{
      {"combination.rounds_identically.never_at_another_root", once},
      {"combination.rounds_identically.just_at_such_roots_of_every_swept_width", once},
      {"attention.sums_run_from_left_to_right.to_the_bit", order},
      {"optimizer.folded_sgd_step.same_bits_at_powers_of_two", range},
      {"optimizer.folded_adam_step.same_bits_at_powers_of_two", range},
      {"optimizer.same_function_same_path.same_bits_at_powers_of_two", range}};
  return all;
}

std::vector<Candidate> candidates(Asker& asker) {
  std::vector<Candidate> all;
  const auto of = [&](const auto& mutants, const auto&... properties) {
    (add(all, asker, properties, mutants), ...);
  };
  of(combination::mutants, combination::properties);
  of(embedding::mutants, embedding::properties);
  of(sinusoidal::mutants, sinusoidal::properties);
  of(conventions::mutants, conventions::properties);
  of(attention::mutants, attention::properties, attention::input_properties,
     attention::value_properties);
  of(normalization::mutants, normalization::properties);
  of(tied_output::mutants, tied_output::properties);
  of(optimizer::mutants, optimizer::properties, optimizer::value_properties);
  // The library's table in a format is the format's own; a subject's has to be better.
  all.push_back({{&precision::positions_in_low_precision,
                  Speaks::statement,
                  "as_good_as_in_binary32_and_rounded_once",
                  {__FILE__, __LINE__}},
                 {"Positions, frequencies or angles in half precision, as the model computes: "
                  "EleutherAI/gpt-neox#1003.",
                  "A table that was made in one format and made again, or kept, in a narrower one: "
                  "huggingface/transformers#13665."},
                 watched([&asker] { judge_an_entry_of_a_table(asker); }, asker)});
  std::erase_if(all, [](const Candidate& candidate) {
    const auto name = std::string(candidate.claim->id) + "." + candidate.name;
    return std::ranges::count(exempt(), name, &Exempt::property) > 0;
  });
  return all;
}

}  // namespace embedscale::properties::subject
