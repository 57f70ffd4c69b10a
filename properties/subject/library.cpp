// The library's own functions as a subject: each answer rounded as the library rounds.
#include <embedscale/attention.hpp>
#include <embedscale/clipping.hpp>
#include <embedscale/combination.hpp>
#include <embedscale/dropout.hpp>
#include <embedscale/embedding.hpp>
#include <embedscale/initializer.hpp>
#include <embedscale/normalization.hpp>
#include <embedscale/optimizer.hpp>
#include <embedscale/sinusoidal.hpp>
#include <embedscale/tied_output.hpp>

#include "subject.hpp"

namespace embedscale::properties::subject {
namespace {

/// A request whose numbers are of this format.
template <class Real>
class Answering {
 public:
  explicit Answering(const Request& request) : request_(request) {}

  Answer answer() const {
    const auto& what = request_.operation;
    const auto& arguments = request_.arguments;
    if (what == "multiplier") return one(root_multiplier<Real>(arguments.at("d_model")));
    if (what == "attention_scale") return one(attention_scale<Real>(arguments.at("d_k")));
    if (what == "up" || what == "down") {
      auto e = numbers("e");
      const auto p = numbers("p");
      const auto m = number("m");
      for (std::size_t i = 0; i < e.size(); ++i)
        e[i] = what == "up" ? up(e[i], p.at(i), m) : down(e[i], p.at(i), m);
      return out(e, shape("e"));
    }
    if (what == "look_up" || what == "input") return rows(what == "input");
    if (what == "layer_norm" || what == "rms_norm") {
      const auto x = numbers("x");
      std::vector<Real> y(x.size());
      const auto norm = what == "layer_norm" ? layer_norm<Real> : rms_norm<Real>;
      norm(x, number("epsilon"), EpsilonPlacement::variance, y);
      return out(y, shape("x"));
    }
    if (what == "softmax") {
      auto z = numbers("z");
      softmax<Real>(z);
      return out(z, shape("z"));
    }
    if (what == "logits") {
      std::vector<Real> z(shape("keys").at(0));
      logits<Real>(numbers("q"), numbers("keys"), number("scale"), z);
      return out(z, {z.size()});
    }
    if (what == "tied_logits") {
      std::vector<Real> z(shape("table").at(0));
      tied_logits<Real>(table(), numbers("h"), number("multiplier"), z);
      return out(z, {z.size()});
    }
    if (what == "dropout") {
      auto x = numbers("x");
      const auto kept = numbers_of<std::int64_t>(request_.array("kept"));
      const auto scale = dropout_scale<Real>(arguments.at("rate"));
      for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = dropout(x[i], kept.at(i) != 0 ? DropoutMask::kept : DropoutMask::dropped, scale);
      return out(x, shape("x"));
    }
    if (what == "position_table") return positions();
    if (what == "initialise") return initialised();
    if (what == "optimizer_step") return step();
    if (what == "clip_by_global_norm") return clipped(arguments.at("parts"));
    throw Refused("there is no operation '" + what + "'");
  }

 private:
  std::vector<Real> numbers(std::string_view name) const {
    return numbers_of<Real>(request_.array(name));
  }
  Real number(std::string_view name) const { return numbers(name).at(0); }
  const std::vector<std::uint64_t>& shape(std::string_view name) const {
    return request_.array(name).shape;
  }
  static Answer out(const std::vector<Real>& all, std::vector<std::uint64_t> shape) {
    return {array_of("out", std::move(shape), std::span<const Real>(all))};
  }
  static Answer one(const Real& x) { return out({x}, {}); }
  EmbeddingTable<Real> table() const {
    const auto& of = shape("table");
    return EmbeddingTable<Real>(of.at(0), of.at(1), numbers("table"));
  }

  Answer rows(bool with_positions) const {
    const auto from = table();
    const auto tokens = numbers_of<std::int64_t>(request_.array("tokens"));
    const auto m = number("multiplier");
    const auto d = from.width();
    std::vector<Real> all(tokens.size() * d);
    const auto positions = with_positions ? numbers("positions") : all;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const auto row = from.row(static_cast<std::size_t>(tokens[i]));
      for (std::size_t j = 0; j < d; ++j)
        all[i * d + j] = with_positions ? up(row[j], positions.at(i * d + j), m) : m * row[j];
    }
    return out(all, {tokens.size(), d});
  }

  Answer positions() const {
    const auto& of = request_.arguments;
    const std::uint64_t count = of.at("count"), d = of.at("d");
    const std::int64_t first = of.at("first");
    const auto rule =
        of.at("rule") == "paper" ? FrequencyRule::paper : FrequencyRule::tensor2tensor;
    const auto layout =
        of.at("layout") == "halves" ? SinusoidalLayout::halves : SinusoidalLayout::interleaved;
    const double base = of.at("base");
    std::vector<Real> all(count * d);
    const auto fill = [&]<class Computed>(std::type_identity<Computed>) {
      const auto w = sinusoidal_frequencies<Computed>(d, rule, Computed(base));
      std::vector<Computed> row(d);
      for (std::uint64_t k = 0; k < count; ++k) {
        encode_position<Computed>(first + static_cast<std::int64_t>(k), w, layout, row);
        for (std::uint64_t j = 0; j < d; ++j) all[k * d + j] = static_cast<Real>(row[j]);
      }
    };
    // In half precision, angles have no digit left: such a table is rounded from a better one.
    if constexpr (FormatTraits<Real>::digits < FormatTraits<float>::digits)
      fill(std::type_identity<double>());
    else
      fill(std::type_identity<Real>());
    return out(all, {count, d});
  }

  Answer initialised() const {
    const auto& of = request_.arguments;
    const std::size_t rows = of.at("rows"), columns = of.at("columns");
    const auto distribution = of.at("distribution").get<std::string>();
    const auto parameter = of.value("parameter", 0.0);
    const auto by = [&]() -> Initializer {
      if (distribution == "normal") return Normal{parameter};
      if (distribution == "uniform") return Uniform{parameter};
      if (distribution == "truncated_normal") return TruncatedNormal{parameter};
      if (distribution == "xavier_normal") return XavierNormal{rows, columns};
      return XavierUniform{rows, columns};
    }();
    const Stream stream(of.at("seed"), "initialise");
    std::vector<Real> all;
    for (std::uint64_t i = 0; i < rows * columns; ++i)
      all.push_back(static_cast<Real>(draw(by, stream, i)));
    return out(all, {rows, columns});
  }

  Answer clipped(std::size_t parts) const {
    std::vector<std::vector<Real>> gradients;
    for (std::size_t k = 0; k < parts; ++k)
      gradients.push_back(numbers("gradient_" + std::to_string(k)));
    std::vector<GradientPart<Real>> of;
    for (const auto& gradient : gradients) of.push_back({gradient});
    const auto factor = clipping_factor<Real>(of, number("max_norm"));
    Answer all;
    for (std::size_t k = 0; k < parts; ++k) {
      for (Real& g : gradients[k]) g = factor * g;
      all.push_back(array_of("out_" + std::to_string(k), shape("gradient_" + std::to_string(k)),
                             std::span<const Real>(gradients[k])));
    }
    return all;
  }

  Answer step() const {
    auto t = numbers("parameter");
    const auto g = numbers("gradient");
    const auto kind = request_.arguments.at("kind").get<std::string>();
    const auto n = std::vector<std::uint64_t>{t.size()};
    if (kind == "sgd") {
      const Sgd<Real> by{number("rate"), number("penalty")};
      for (std::size_t i = 0; i < t.size(); ++i) t[i] = sgd(t[i], g.at(i), by);
      return {array_of("parameter", n, std::span<const Real>(t))};
    }
    if (kind == "momentum") {
      const Momentum<Real> by{number("rate"), number("momentum"), number("penalty")};
      auto v = numbers("velocity");
      for (std::size_t i = 0; i < t.size(); ++i) {
        Velocity<Real> state{v.at(i)};
        t[i] = momentum(t[i], g.at(i), by, state);
        v[i] = state.v;
      }
      return {array_of("parameter", n, std::span<const Real>(t)),
              array_of("velocity", n, std::span<const Real>(v))};
    }
    if constexpr (AnalyticScalar<Real>) {
      const Adam<Real> by{number("rate"), number("beta_1"), number("beta_2"), number("epsilon"),
                          number("penalty")};
      auto first = numbers("first"), second = numbers("second");
      for (std::size_t i = 0; i < t.size(); ++i) {
        Moments<Real> state{first.at(i), second.at(i)};
        for (std::uint64_t k = 1; k < request_.arguments.at("step"); ++k)
          state.power_1 = state.power_1 * by.beta_1, state.power_2 = state.power_2 * by.beta_2;
        t[i] = kind == "adam" ? adam(t[i], g.at(i), by, state)
                              : adamw(t[i], g.at(i),
                                      AdamW<Real>{by, number("decay"), number("schedule")}, state);
        first[i] = state.first, second[i] = state.second;
      }
      return {array_of("parameter", n, std::span<const Real>(t)),
              array_of("first", n, std::span<const Real>(first)),
              array_of("second", n, std::span<const Real>(second))};
    }
  }

  const Request& request_;
};

class LibrarySubject : public Subject {
 public:
  LibrarySubject() {
    for (const auto& operation : described())
      for (const auto format : formats())
        operations_[std::string(operation.name)].insert(std::string(format));
  }
  std::string name() const override { return "embedscale"; }
  const std::map<std::string, std::set<std::string>>& operations() const override {
    return operations_;
  }
  Answer answer(const Request& request) override {
    try {
      if (request.format == "binary64") return Answering<double>(request).answer();
      if (request.format == "binary32") return Answering<float>(request).answer();
      if (request.format == "binary16") return Answering<binary16>(request).answer();
      if (request.format == "bfloat16") return Answering<bfloat16>(request).answer();
    } catch (const std::logic_error& error) {  // what a primitive requires, or an index
      throw Refused(error.what());
    } catch (const nlohmann::json::exception& error) {
      throw Refused(error.what());
    }
    throw Refused("there is no format '" + request.format + "'");
  }

 private:
  std::map<std::string, std::set<std::string>> operations_;
};

}  // namespace

std::unique_ptr<Subject> library() { return std::make_unique<LibrarySubject>(); }

}  // namespace embedscale::properties::subject
