// oneDNN's primitives on the processor, in binary32.
#include "../../clients/embedscale_subject.h"

#include <dnnl.hpp>

#include <string>
#include <unordered_map>

namespace {

using dnnl::memory;

dnnl::engine& engine() {
  static dnnl::engine one(dnnl::engine::kind::cpu, 0);
  return one;
}

/// Runs a primitive on rows of numbers of one shape.
int run(const dnnl::primitive& primitive, const memory::desc& shape, const float* x, float* out) {
  dnnl::stream stream(engine());
  memory from(shape, engine(), const_cast<float*>(x)), to(shape, engine(), out);
  primitive.execute(stream, {{DNNL_ARG_SRC, from}, {DNNL_ARG_DST, to}});
  stream.wait();
  return 0;
}

memory::desc row(std::size_t n) {
  return {{1, static_cast<memory::dim>(n)}, memory::data_type::f32, memory::format_tag::ab};
}

}  // namespace

const char* embedscale_subject_name(void) { return "oneDNN"; }
const char* embedscale_subject_version(void) {
  static const std::string text = std::to_string(dnnl_version()->major) + "." +
                                  std::to_string(dnnl_version()->minor) + "." +
                                  std::to_string(dnnl_version()->patch);
  return text.c_str();
}

int embedscale_layer_norm_binary32(const float* x, size_t d, float epsilon, float* out) try {
  const dnnl::layer_normalization_forward::desc of(dnnl::prop_kind::forward_inference, row(d),
                                                   epsilon, dnnl::normalization_flags::none);
  return run(dnnl::layer_normalization_forward({of, engine()}), row(d), x, out);
} catch (const dnnl::error& error) {
  return error.status;
}

int embedscale_softmax_binary32(const float* z, size_t n, float* out) try {
  const dnnl::softmax_forward::desc of(dnnl::prop_kind::forward_inference, row(n), 1);
  return run(dnnl::softmax_forward({of, engine()}), row(n), z, out);
} catch (const dnnl::error& error) {
  return error.status;
}

int embedscale_logits_binary32(const float* q, size_t d_k, const float* keys, size_t n, float scale,
                               float* out) try {
  const auto of = [](std::size_t rows, std::size_t columns) {
    return memory::desc({static_cast<memory::dim>(rows), static_cast<memory::dim>(columns)},
                        memory::data_type::f32, memory::format_tag::ab);
  };
  dnnl::primitive_attr attributes;
  attributes.set_output_scales(0, {scale});
  const dnnl::matmul product(
      {dnnl::matmul::desc(of(n, d_k), of(d_k, 1), of(n, 1)), attributes, engine()});
  dnnl::stream stream(engine());
  memory left(of(n, d_k), engine(), const_cast<float*>(keys)),
      right(of(d_k, 1), engine(), const_cast<float*>(q)), result(of(n, 1), engine(), out);
  product.execute(stream,
                  {{DNNL_ARG_SRC, left}, {DNNL_ARG_WEIGHTS, right}, {DNNL_ARG_DST, result}});
  stream.wait();
  return 0;
} catch (const dnnl::error& error) {
  return error.status;
}
