#include "training/recipes/train.hpp"

#include <embedscale/random.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>

#include "training/recipes/model.hpp"
#include "training/study/batches.hpp"

namespace embedscale::training {

namespace study = properties::training;
using study::Family, study::RecipeRun;
using torch::Tensor;
using Signals = RecipeModel::Signals;

namespace {

// As the first study has them.
constexpr std::uint64_t held_out_seed = 0;
constexpr int evaluated_batches = 4, last_batches = 16;

struct Pair {
  Tensor inputs, targets;
};

Pair pair_of(const Text& text, Part part, std::uint64_t seed, int number) {
  const Batch batch =
      drawn_batch(study::Task::text, text, part, seed, static_cast<std::uint64_t>(number));
  const auto tensor = [](const std::vector<std::int64_t>& values) {
    Tensor out = torch::empty({static_cast<std::int64_t>(values.size())}, torch::kLong);
    std::ranges::copy(values, out.data_ptr<std::int64_t>());
    return out;
  };
  return {tensor(batch.inputs).view({-1, static_cast<std::int64_t>(study::length)}),
          tensor(batch.targets)};
}

Tensor loss_of(const RecipeModel& model, const Pair& pair) {
  return torch::cross_entropy_loss(model.signals(pair.inputs).logits, pair.targets);
}

/// The table by its own rate, matrices and vectors by the run's, or as its widening has it.
class Optimizer {
 public:
  Optimizer(const RecipeRun& run, const RecipeModel& model)
      : run_(run), all_{{{model.table()}, model.matrices(), model.vectors()}} {
    const auto& recipe = run.recipe;
    const bool by_width = recipe.widening == study::Widening::by_width;
    rates_ = {run.rate * recipe.table_rate,
              run.rate * (by_width ? 64 / static_cast<double>(recipe.d) : 1.0), run.rate};
    if (recipe.family == Family::sinusoidal)
      method_ = made<torch::optim::Adam, torch::optim::AdamOptions>(
          {0, 0, 0}, study::beta_1, study::beta_2, study::adam_epsilon);
    else
      method_ = made<torch::optim::AdamW, torch::optim::AdamWOptions>(
          {study::decoder_decay, study::decoder_decay, 0}, study::decoder_beta_1,
          study::decoder_beta_2, study::decoder_epsilon);
  }

  /// Step 1, 2, …
  void step(const Tensor& loss, int number) {
    const double share = schedule(run_.recipe.family, number, run_.recipe.steps);
    for (std::size_t group = 0; group < all_.size(); ++group)
      method_->param_groups()[group].options().set_lr(rates_[group] * share);
    method_->zero_grad();
    loss.backward();
    if (run_.recipe.family != Family::sinusoidal) clip();
    method_->step();
  }

 private:
  template <class Method, class Options>
  std::unique_ptr<torch::optim::Optimizer> made(std::array<double, 3> decays, double beta_1,
                                                double beta_2, double epsilon) const {
    std::vector<torch::optim::OptimizerParamGroup> groups;
    for (std::size_t group = 0; group < all_.size(); ++group)
      groups.push_back({all_[group], std::make_unique<Options>(Options(rates_[group])
                                                                   .betas({beta_1, beta_2})
                                                                   .eps(epsilon)
                                                                   .weight_decay(decays[group]))});
    return std::make_unique<Method>(std::move(groups), Options(run_.rate));
  }

  void clip() const {
    std::vector<Tensor> parameters;
    for (const auto& group : all_) parameters.insert(parameters.end(), group.begin(), group.end());
    torch::nn::utils::clip_grad_norm_(parameters, study::clipped_norm);
  }

  const RecipeRun& run_;
  std::array<std::vector<Tensor>, 3> all_;
  std::array<double, 3> rates_{};
  std::unique_ptr<torch::optim::Optimizer> method_;
};

class HeldOut {
 public:
  explicit HeldOut(const Text& text) {
    for (int i = 0; i < last_batches; ++i)
      batches_.push_back(pair_of(text, Part::held_out, held_out_seed, i));
  }
  /// Mean over the first so many batches.
  double loss(const RecipeModel& model, int batches) const {
    const torch::NoGradGuard no_gradients;
    double sum = 0;
    for (int i = 0; i < batches; ++i)
      sum += loss_of(model, batches_[static_cast<std::size_t>(i)]).item<double>();
    return sum / batches;
  }
  Signals signals(const RecipeModel& model) const {
    const torch::NoGradGuard no_gradients;
    return model.signals(batches_.front().inputs);
  }

 private:
  std::vector<Pair> batches_;
};

/// RMS of what changed; 0 where that is no number.
double moved(const Tensor& from, const Tensor& to) {
  const double rms = (to - from).to(torch::kDouble).square().mean().sqrt().item<double>();
  return std::isfinite(rms) ? rms : 0;
}

}  // namespace

double schedule(Family family, int t, int steps) {
  const double w = std::max(1.0, steps / 10.0), step = t;
  if (family == Family::sinusoidal) return std::min(step / w, std::sqrt(w / step));
  if (step < w) return step / w;
  const double done = (step - w) / (steps - w);
  return study::last_rate + (1 - study::last_rate) * (1 + std::cos(std::numbers::pi * done)) / 2;
}

study::RecipeOutcome trained(const RecipeRun& run, const Text& text) {
  const RecipeModel model(run.recipe, run.seed);
  Optimizer optimizer(run, model);
  const HeldOut held_out(text);
  const double chance = study::loss_of_chance(study::Task::text);
  const int steps = run.recipe.steps, distance = std::max(1, steps / study::evaluations);
  study::RecipeOutcome out;
  auto& outcome = out.outcome;
  const auto evaluate = [&] {
    const double loss = held_out.loss(model, evaluated_batches);
    outcome.curve.push_back(std::isfinite(loss) ? loss : chance);
  };
  evaluate();
  const Signals first = held_out.signals(model);
  for (int step = 1; step <= steps; ++step) {
    optimizer.step(loss_of(model, pair_of(text, Part::train, run.seed, step)), step);
    if (step % distance == 0) evaluate();
  }
  const double last = held_out.loss(model, last_batches);
  outcome.diverged = !(last <= outcome.curve.front());
  outcome.loss = last <= chance ? last : chance;
  const Signals end = held_out.signals(model);
  out.moved = {moved(first.input, end.input), moved(first.branch, end.branch),
               moved(first.logits, end.logits)};
  const Tensor logits = end.logits.contiguous();
  outcome.bits = hash_of({static_cast<const char*>(logits.data_ptr()), logits.nbytes()});
  return out;
}

}  // namespace embedscale::training
