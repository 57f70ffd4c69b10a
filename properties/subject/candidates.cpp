#include "candidates.hpp"

#include <algorithm>
#include <memory>
#include <tuple>

#include "../attention/trials.hpp"
#include "../combination/trials.hpp"
#include "../conventions/trials.hpp"
#include "../embedding/trials.hpp"
#include "../normalization/trials.hpp"
#include "../optimizer/trials.hpp"
#include "../porting/trials.hpp"
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

using OfAllFormats = std::tuple<Substitutes<double>, Substitutes<float>, Substitutes<binary16>,
                                Substitutes<bfloat16>>;

template <class Primitives>
void add(std::vector<Candidate>& all, Asker& asker, const OfAllFormats& formats,
         const testing::Properties<Primitives>& properties,
         const testing::Mutants<Primitives>& mutants) {
  const auto own = std::make_shared<Primitives>(properties.front().library());
  bool is_there = false;
  own->change([&]<template <class> class Operations, class Real>(Operations<Real>& to) {
    if constexpr (is_sent<Real>)
      is_there = std::get<Substitutes<Real>>(formats).replace(to) || is_there;
  });
  // A topic of which the subject has nothing is not tried.
  if (!is_there) return;
  for (const auto& property : properties) {
    Candidate candidate{property, {}, watched([body = property.body, own] { body(*own); }, asker)};
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
                             range = "of the library's order: in others a square may underflow",
                             way =
                                 "of the library's way to frequencies: for others see "
                                 "precision.positions_in_low_precision",
                             functions =
                                 "of sines and cosines that err by less than one unit in the last "
                                 "place: for others see precision.positions_in_low_precision",
                             root =
                                 "of one rounding: those of √ and of its inverse are as right, "
                                 "see attention.factors_are_roots",
                             factor =
                                 "of a factor behind the sum: one before it is as right, "
                                 "see attention.products_are_summed";
  static const std::vector<Exempt> all{
      {"combination.rounds_identically.never_at_another_root", once},
      {"combination.rounds_identically.just_at_such_roots_of_every_swept_width", once},
      {"attention.sums_run_from_left_to_right.to_the_bit", order},
      {"attention.aligned_vectors_need_one_over_d_k.logit_is_rho_root_d_k", factor},
      {"primitives.positions_are_sines_and_cosines.at_any_width_and_position", way},
      {"sinusoidal.mean_square_is_half.at_every_position", functions},
      {"sinusoidal.mean_square_is_half.as_large_as_tokens_of_rms_1_over_root_2_alone", functions},
      {"sinusoidal.mean_square_is_half.odd_widths_lose_a_channel", functions},
      {"sinusoidal.is_not_zero_mean.variance_is_half_less_the_squared_mean", functions},
      {"sinusoidal.shift_is_linear.by_the_rotation_of_the_shift", functions},
      {"sinusoidal.product_depends_on_offset.is_a_sum_of_cosines", functions},
      {"sinusoidal.product_depends_on_offset.with_an_exchange_it_depends_on_the_sum", functions},
      {"primitives.scale_is_that_of_a_head.in_each_format", root},
      {"optimizer.folded_sgd_step.same_bits_at_powers_of_two", range},
      {"optimizer.folded_adam_step.same_bits_at_powers_of_two", range},
      {"optimizer.same_function_same_path.same_bits_at_powers_of_two", range}};
  return all;
}

std::vector<Candidate> candidates(Asker& asker) {
  std::vector<Candidate> all;
  const OfAllFormats formats{Substitutes<double>(asker), Substitutes<float>(asker),
                             Substitutes<binary16>(asker), Substitutes<bfloat16>(asker)};
  const auto of = [&](const auto& mutants, const auto&... properties) {
    (add(all, asker, formats, properties, mutants), ...);
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
  of(porting::mutants, porting::clipping_properties);
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
