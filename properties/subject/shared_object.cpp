// The functions of a shared object as a subject: clients/embedscale_subject.h.
#include <dlfcn.h>

#include <algorithm>
#include <filesystem>

#include "clients/embedscale_subject.h"
#include "subject.hpp"

namespace embedscale::properties::subject {
namespace {

/// The types of the functions, in a format whose numbers are passed as this.
template <class Real>
struct Functions {
  using Sizes = const std::size_t*;
  using In = const Real*;
  using Out = Real*;
  using Tokens = const std::int64_t*;
  using Text = const char*;
  using Size = std::size_t;

  int (*multiplier)(Size d_model, Out out);
  int (*up)(In e, In p, Size n, Real m, Out out);
  int (*down)(In e, In p, Size n, Real m, Out out);
  int (*position_table)(std::int64_t first, Size count, Size d, Text rule, Text layout, double base,
                        Out out);
  int (*look_up)(In table, Size vocabulary, Size d, Tokens tokens, Size n, Real multiplier,
                 Out out);
  int (*input)(In table, Size vocabulary, Size d, Tokens tokens, Size n, In positions,
               Real multiplier, Out out);
  int (*layer_norm)(In x, Size d, Real epsilon, Out out);
  int (*rms_norm)(In x, Size d, Real epsilon, Out out);
  int (*softmax)(In z, Size n, Out out);
  int (*attention_scale)(Size d_model, Size d_k, Out out);
  int (*logits)(In q, Size d_k, In keys, Size n, Real scale, Out out);
  int (*tied_logits)(In table, Size vocabulary, Size d, In h, Real multiplier, Out out);
  int (*dropout)(In x, Tokens kept, Size n, double rate, Out out);
  int (*initialise)(Text distribution, double parameter, Size rows, Size columns, std::int64_t seed,
                    Out out);
  int (*optimizer_step)(Text kind, std::int64_t step, Size n, Out parameter, In gradient, Real rate,
                        Real penalty, Real momentum, Real beta_1, Real beta_2, Real epsilon,
                        Real decay, Real schedule, Out velocity, Out first, Out second);
  int (*clip_by_global_norm)(Size parts, Sizes sizes, In const* gradients, Real max_norm,
                             Out const* out);

  /// Calls visit(name, function) for each.
  void each(const auto& visit) {
#define EMBEDSCALE_VISIT(name)                                                            \
  static_assert(!std::is_same_v<Real, float> ||                                           \
                std::is_same_v<decltype(name), decltype(&embedscale_##name##_binary32)>); \
  visit(#name, name)
    EMBEDSCALE_VISIT(multiplier);
    EMBEDSCALE_VISIT(up);
    EMBEDSCALE_VISIT(down);
    EMBEDSCALE_VISIT(position_table);
    EMBEDSCALE_VISIT(look_up);
    EMBEDSCALE_VISIT(input);
    EMBEDSCALE_VISIT(layer_norm);
    EMBEDSCALE_VISIT(rms_norm);
    EMBEDSCALE_VISIT(softmax);
    EMBEDSCALE_VISIT(attention_scale);
    EMBEDSCALE_VISIT(logits);
    EMBEDSCALE_VISIT(tied_logits);
    EMBEDSCALE_VISIT(dropout);
    EMBEDSCALE_VISIT(initialise);
    EMBEDSCALE_VISIT(optimizer_step);
    EMBEDSCALE_VISIT(clip_by_global_norm);
#undef EMBEDSCALE_VISIT
  }
};

/// The numbers of a request as the functions take them.
template <class Real>
class Asking {
 public:
  Asking(const Functions<Real>& of, const Request& request) : of_(of), request_(request) {}

  Answer answer() const {
    const auto& what = request_.operation;
    const auto& a = request_.arguments;
    const auto size = [&](const char* name) { return a.at(name).template get<std::size_t>(); };
    const auto text = [&](const char* name) { return a.at(name).template get<std::string>(); };
    const auto result = [&](Shape shape, const auto& call) {
      return one("out", std::move(shape), call);
    };
    if (what == "multiplier")
      return result({}, [&](Real* out) { return of_.multiplier(size("d_model"), out); });
    if (what == "attention_scale")
      return result(
          {}, [&](Real* out) { return of_.attention_scale(size("d_model"), size("d_k"), out); });
    if (what == "up" || what == "down") {
      const auto e = numbers("e"), p = numbers("p");
      const auto function = what == "up" ? of_.up : of_.down;
      return result({e.size()}, [&](Real* out) {
        return function(e.data(), p.data(), e.size(), number("m"), out);
      });
    }
    if (what == "position_table") {
      const auto rule = text("rule"), layout = text("layout");
      return result({size("count"), size("d")}, [&](Real* out) {
        return of_.position_table(a.at("first"), size("count"), size("d"), rule.c_str(),
                                  layout.c_str(), a.at("base"), out);
      });
    }
    if (what == "look_up" || what == "input") {
      const auto table = numbers("table");
      const auto& shape = request_.array("table").shape;
      const auto tokens = numbers_of<std::int64_t>(request_.array("tokens"));
      const auto m = number("multiplier");
      return result({tokens.size(), shape.at(1)}, [&](Real* out) {
        if (what == "look_up")
          return of_.look_up(table.data(), shape[0], shape[1], tokens.data(), tokens.size(), m,
                             out);
        return of_.input(table.data(), shape[0], shape[1], tokens.data(), tokens.size(),
                         numbers("positions").data(), m, out);
      });
    }
    if (what == "layer_norm" || what == "rms_norm") {
      const auto x = numbers("x");
      const auto function = what == "layer_norm" ? of_.layer_norm : of_.rms_norm;
      return result({x.size()}, [&](Real* out) {
        return function(x.data(), x.size(), number("epsilon"), out);
      });
    }
    if (what == "softmax") {
      const auto z = numbers("z");
      return result({z.size()}, [&](Real* out) { return of_.softmax(z.data(), z.size(), out); });
    }
    if (what == "logits") {
      const auto q = numbers("q"), keys = numbers("keys");
      const auto n = request_.array("keys").shape.at(0);
      return result({n}, [&](Real* out) {
        return of_.logits(q.data(), q.size(), keys.data(), n, number("scale"), out);
      });
    }
    if (what == "tied_logits") {
      const auto table = numbers("table"), h = numbers("h");
      const auto words = request_.array("table").shape.at(0);
      return result({words}, [&](Real* out) {
        return of_.tied_logits(table.data(), words, h.size(), h.data(), number("multiplier"), out);
      });
    }
    if (what == "dropout") {
      const auto x = numbers("x");
      const auto kept = numbers_of<std::int64_t>(request_.array("kept"));
      return result({x.size()}, [&](Real* out) {
        return of_.dropout(x.data(), kept.data(), x.size(), a.at("rate"), out);
      });
    }
    if (what == "initialise") {
      const auto distribution = text("distribution");
      return result({size("rows"), size("columns")}, [&](Real* out) {
        return of_.initialise(distribution.c_str(), a.value("parameter", 0.0), size("rows"),
                              size("columns"), a.at("seed"), out);
      });
    }
    if (what == "optimizer_step") return step(text("kind"));
    if (what == "clip_by_global_norm") return clipped(size("parts"));
    throw Refused("there is no operation '" + what + "'");
  }

 private:
  using Shape = std::vector<std::uint64_t>;

  std::vector<Real> numbers(std::string_view name) const {
    return numbers_of<Real>(request_.array(name));
  }
  Real number(std::string_view name) const { return numbers(name).at(0); }
  bool has(std::string_view name) const {
    return std::ranges::count(request_.arrays, name, &Array::name) > 0;
  }
  Real number_or_0(std::string_view name) const { return has(name) ? number(name) : Real(0); }

  Array result(std::string name, Shape shape, const std::vector<Real>& numbers) const {
    Array out{std::move(name), request_.format, std::move(shape), {}};
    out.bytes.assign(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Real));
    return out;
  }
  void done(int code) const {
    if (code == EMBEDSCALE_LACKS) throw Lacking("its function lacks that");
    if (code != 0) throw Refused("its function returned " + std::to_string(code));
  }
  Answer one(std::string name, Shape shape, const auto& call) const {
    std::uint64_t n = 1;
    for (const auto size : shape) n *= size;
    std::vector<Real> out(n);
    done(call(out.data()));
    return {result(std::move(name), std::move(shape), out)};
  }

  Answer step(const std::string& kind) const {
    auto t = numbers("parameter");
    const auto g = numbers("gradient");
    const Shape shape{t.size()};
    std::vector<std::vector<Real>> states;
    for (const auto* name : {"velocity", "first", "second"})
      states.push_back(has(name) ? numbers(name) : std::vector<Real>());
    const auto at = [&](std::size_t i) { return states[i].empty() ? nullptr : states[i].data(); };
    done(of_.optimizer_step(kind.c_str(), request_.arguments.at("step"), t.size(), t.data(),
                            g.data(), number("rate"), number_or_0("penalty"),
                            number_or_0("momentum"), number_or_0("beta_1"), number_or_0("beta_2"),
                            number_or_0("epsilon"), number_or_0("decay"), number_or_0("schedule"),
                            at(0), at(1), at(2)));
    Answer all{result("parameter", shape, t)};
    for (std::size_t i = 0; i < states.size(); ++i)
      if (!states[i].empty())
        all.push_back(result(std::array{"velocity", "first", "second"}[i], shape, states[i]));
    return all;
  }

  Answer clipped(std::size_t parts) const {
    std::vector<std::vector<Real>> gradients, out;
    std::vector<std::size_t> sizes;
    for (std::size_t k = 0; k < parts; ++k) {
      gradients.push_back(numbers("gradient_" + std::to_string(k)));
      sizes.push_back(gradients[k].size());
      out.emplace_back(sizes[k]);
    }
    std::vector<const Real*> in;
    std::vector<Real*> to;
    for (std::size_t k = 0; k < parts; ++k)
      in.push_back(gradients[k].data()), to.push_back(out[k].data());
    done(of_.clip_by_global_norm(parts, sizes.data(), in.data(), number("max_norm"), to.data()));
    Answer all;
    for (std::size_t k = 0; k < parts; ++k)
      all.push_back(result("out_" + std::to_string(k),
                           request_.array("gradient_" + std::to_string(k)).shape, out[k]));
    return all;
  }

  const Functions<Real>& of_;
  const Request& request_;
};

/// Stays loaded until the program ends, as what it started may run on.
class SharedObject : public Subject {
 public:
  explicit SharedObject(const std::string& path) {
    // A path without a slash would be looked for in the system's places.
    void* library = ::dlopen(std::filesystem::absolute(path).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw std::runtime_error(path + ": " + ::dlerror());
    const auto find = [&](auto& functions, const std::string& format) {
      functions.each([&](const std::string& name, auto& function) {
        void* found = ::dlsym(library, ("embedscale_" + name + "_" + format).c_str());
        function = reinterpret_cast<std::decay_t<decltype(function)>>(found);
        if (found != nullptr) operations_[name].insert(format);
      });
    };
    find(binary64_, "binary64"), find(binary32_, "binary32");
    find(binary16_, "binary16"), find(bfloat16_, "bfloat16");
    if (operations_.empty())
      throw std::runtime_error(path + ": has no function embedscale_<operation>_<format>");
    const auto text = [&](const char* name) -> std::string {
      auto* of = reinterpret_cast<const char* (*)()>(::dlsym(library, name));
      return of == nullptr ? "" : of();
    };
    name_ = text("embedscale_subject_name");
    if (name_.empty()) name_ = std::filesystem::path(path).filename().string();
    if (const auto version = text("embedscale_subject_version"); !version.empty())
      name_ += " " + version;
  }

  std::string name() const override { return name_; }
  const std::map<std::string, std::set<std::string>>& operations() const override {
    return operations_;
  }
  Answer answer(const Request& request) override {
    if (request.format == "binary64") return Asking(binary64_, request).answer();
    if (request.format == "binary32") return Asking(binary32_, request).answer();
    if (request.format == "binary16") return Asking(binary16_, request).answer();
    return Asking(bfloat16_, request).answer();
  }

 private:
  std::string name_;
  std::map<std::string, std::set<std::string>> operations_;
  Functions<double> binary64_;
  Functions<float> binary32_;
  Functions<std::uint16_t> binary16_, bfloat16_;
};

}  // namespace

std::unique_ptr<Subject> shared_object(const std::string& path) {
  return std::make_unique<SharedObject>(path);
}

}  // namespace embedscale::properties::subject
