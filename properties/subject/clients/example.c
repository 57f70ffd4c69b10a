/* A subject in C: LayerNorm, up and down in binary32, each sum in double and rounded once.
 *
 *   cc -std=c11 -O2 -shared -fPIC example.c -o libexample.so -lm
 *   embedscale check --library ./libexample.so
 */
#include "embedscale_subject.h"

#include <math.h>

const char* embedscale_subject_name(void) { return "example.c"; }
const char* embedscale_subject_version(void) { return "1"; }

int embedscale_layer_norm_binary32(const float* x, size_t d, float epsilon, float* out) {
  double mean = 0, square = 0;
  for (size_t j = 0; j < d; ++j) mean += x[j] / (double)d;
  for (size_t j = 0; j < d; ++j) square += (x[j] - mean) * (x[j] - mean) / (double)d;
  const double deviation = sqrt(square + epsilon);
  for (size_t j = 0; j < d; ++j) out[j] = (float)((x[j] - mean) / deviation);
  return 0;
}

int embedscale_up_binary32(const float* e, const float* p, size_t n, float m, float* out) {
  for (size_t j = 0; j < n; ++j) {
    const float scaled = m * e[j];
    out[j] = scaled + p[j];
  }
  return 0;
}

int embedscale_down_binary32(const float* e, const float* p, size_t n, float m, float* out) {
  if (m == 0) return 1;
  for (size_t j = 0; j < n; ++j) out[j] = e[j] + p[j] / m;
  return 0;
}
