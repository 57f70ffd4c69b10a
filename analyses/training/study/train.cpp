#include "training/study/train.hpp"

#include <embedscale/optimizer.hpp>
#include <embedscale/random.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "training/study/batches.hpp"
#include "training/study/model.hpp"

namespace embedscale::training {

namespace study = properties::training;
using torch::Tensor;

namespace {

constexpr std::uint64_t held_out_seed = 0;               // the same sequences for every run
constexpr int evaluated_batches = 4, last_batches = 16;  // 2,048 tokens; 8,192 at the end

struct Pair {
  Tensor inputs, targets;
};

Pair tensors_of(const Batch& batch) {
  const auto n = static_cast<std::int64_t>(batch.inputs.size()),
             length = static_cast<std::int64_t>(study::length);
  const auto tensor = [](const std::vector<std::int64_t>& values) {
    Tensor out = torch::empty({static_cast<std::int64_t>(values.size())}, torch::kLong);
    std::ranges::copy(values, out.data_ptr<std::int64_t>());
    return out;
  };
  return {tensor(batch.inputs).view({n / length, length}), tensor(batch.targets)};
}

/// The table by its own settings, all else by the run's: fold = m takes the table of e′ = m·e along
/// the path of e [optimizer.folded_adam_step, optimizer.folded_sgd_step].
class Optimizer {
 public:
  Optimizer(const study::Run& run, const Model& model) : run_(run) {
    const auto vocabulary = study::vocabulary_of(run.setting.task);
    const double m =
        static_cast<double>(study::parametrisation<float>(run.arm, vocabulary, run.setting.d).fold);
    if (run.setting.method == study::Method::adam) {
      const Adam<double> by{run.rate, study::beta_1, study::beta_2, study::adam_epsilon};
      const Adam<double> of_table = folded(by, m);
      rates_ = {of_table.rate, by.rate};
      const auto options = [](const Adam<double>& of) {
        return std::make_unique<torch::optim::AdamOptions>(
            torch::optim::AdamOptions(of.rate).betas({of.beta_1, of.beta_2}).eps(of.epsilon));
      };
      method_ = std::make_unique<torch::optim::Adam>(
          std::vector<torch::optim::OptimizerParamGroup>{{{model.table()}, options(of_table)},
                                                         {model.others(), options(by)}},
          *options(by));
    } else {
      const Momentum<double> by{run.rate, study::momentum_coefficient};
      rates_ = {folded(by, m).rate, by.rate};
      const auto options = [&](double rate) {
        return std::make_unique<torch::optim::SGDOptions>(
            torch::optim::SGDOptions(rate).momentum(by.momentum));
      };
      method_ = std::make_unique<torch::optim::SGD>(
          std::vector<torch::optim::OptimizerParamGroup>{{{model.table()}, options(rates_[0])},
                                                         {model.others(), options(rates_[1])}},
          *options(by.rate));
    }
  }

  /// Step 1, 2, …
  void step(const Tensor& loss, int number) {
    const double w = std::max(1.0, run_.setting.steps / 10.0), t = number;
    const double share = run_.setting.schedule == study::Schedule::constant
                             ? 1.0
                             : std::min(t / w, std::sqrt(w / t));
    for (std::size_t group = 0; group < 2; ++group)
      method_->param_groups()[group].options().set_lr(rates_[group] * share);
    method_->zero_grad();
    loss.backward();
    method_->step();
  }

 private:
  const study::Run& run_;
  std::array<double, 2> rates_;
  std::unique_ptr<torch::optim::Optimizer> method_;
};

Tensor loss_of(const Model& model, const Pair& pair) {
  return torch::cross_entropy_loss(model.logits(pair.inputs), pair.targets);
}

class HeldOut {
 public:
  HeldOut(study::Task task, const Text& text) {
    for (int i = 0; i < last_batches; ++i)
      batches_.push_back(tensors_of(
          drawn_batch(task, text, Part::held_out, held_out_seed, static_cast<std::uint64_t>(i))));
    std::vector<Tensor> inputs;
    for (int i = 0; i < evaluated_batches; ++i)
      inputs.push_back(batches_[static_cast<std::size_t>(i)].inputs);
    tokens_ = torch::cat(inputs);
  }
  /// Mean over the first so many batches.
  double loss(const Model& model, int batches) const {
    const torch::NoGradGuard no_gradients;
    double sum = 0;
    for (int i = 0; i < batches; ++i)
      sum += loss_of(model, batches_[static_cast<std::size_t>(i)]).item<double>();
    return sum / batches;
  }
  double ratio(const Model& model) const {
    const torch::NoGradGuard no_gradients;
    return model.ratio(tokens_);
  }
  std::uint64_t bits(const Model& model) const {
    const torch::NoGradGuard no_gradients;
    const Tensor logits = model.logits(batches_.front().inputs).contiguous();
    return hash_of({static_cast<const char*>(logits.data_ptr()), logits.nbytes()});
  }

 private:
  std::vector<Pair> batches_;
  Tensor tokens_;
};

}  // namespace

study::Outcome trained(const study::Run& run, const Text& text) {
  const Model model(run.setting, run.arm, run.seed);
  Optimizer optimizer(run, model);
  const HeldOut held_out(run.setting.task, text);
  const double chance = study::loss_of_chance(run.setting.task);
  const int steps = run.setting.steps, distance = std::max(1, steps / study::evaluations);
  study::Outcome outcome;
  const auto evaluate = [&] {
    const double loss = held_out.loss(model, evaluated_batches), ratio = held_out.ratio(model);
    outcome.curve.push_back(std::isfinite(loss) ? loss : chance);
    outcome.ratio.push_back(std::isfinite(ratio) ? ratio : 0);
  };
  evaluate();
  for (int step = 1; step <= steps; ++step) {
    const auto number = static_cast<std::uint64_t>(step);
    const auto pair =
        tensors_of(drawn_batch(run.setting.task, text, Part::train, run.seed, number));
    optimizer.step(loss_of(model, pair), step);
    if (step % distance == 0) evaluate();
  }
  const double last = held_out.loss(model, last_batches);
  outcome.diverged = !(last <= outcome.curve.front());
  outcome.loss = last <= chance ? last : chance;
  outcome.bits = held_out.bits(model);
  return outcome;
}

}  // namespace embedscale::training
