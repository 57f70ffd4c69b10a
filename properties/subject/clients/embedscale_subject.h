/* The C interface of subjects: functions that `embedscale check --library ./libmine.so` tries.
 *
 * A shared object defines whichever of the functions below it has; the tester finds them by name
 * (dlsym) and reports those that are missing as not applicable. Nothing is linked to this header.
 *
 *   #include "embedscale_subject.h"
 *
 *   int embedscale_multiplier_binary32(size_t d_model, float *out) {
 *     *out = sqrtf((float)d_model);
 *     return 0;
 *   }
 *
 *   cc -std=c11 -O2 -shared -fPIC mine.c -o libmine.so -lm
 *   embedscale check --library ./libmine.so
 *
 * A function returns 0 if it is done, EMBEDSCALE_LACKS where it has no such kind, rule, layout or
 * distribution, and anything else as an error, which the tester shows with what it asked. It is
 * called by one thread at a time.
 *
 * Formats. Real is
 *
 *   double    in functions named …_binary64
 *   float     in functions named …_binary32
 *   uint16_t  in functions named …_binary16 and …_bfloat16: the bits of the number
 *
 * Arrays are row-major without padding. The tester owns all of them: inputs are const, results are
 * allocated with the size that is given, and inputs and results do not overlap. Pointers are never
 * null unless it is said; an array of no entries may have any address.
 */
#ifndef EMBEDSCALE_SUBJECT_H
#define EMBEDSCALE_SUBJECT_H

#include <stddef.h>
#include <stdint.h>

#define EMBEDSCALE_LACKS 1001

#if defined(__GNUC__)
  #define EMBEDSCALE_EXPORT __attribute__((visibility("default")))
#else
  #define EMBEDSCALE_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* What is tried, shown in every report. Both may be missing: then the file's name is shown. */
EMBEDSCALE_EXPORT const char* embedscale_subject_name(void);
EMBEDSCALE_EXPORT const char* embedscale_subject_version(void);

/* All operations of one format:
 *
 * multiplier            out (): the square root of d_model.
 *
 * up, down              e, p, out (n): m·e + p and e + p/m.
 *
 * position_table        out (count, d): row k is position first + k. rule is "paper", with the
 *                       frequencies base^(-2i/d), or "tensor2tensor", base^(-i/(d/2 - 1)), i from 0
 *                       to d/2 - 1. layout is "interleaved", sin and cos of frequency i in channels
 *                       2i and 2i + 1, or "halves", in channels i and d/2 + i. d is even.
 *
 * look_up               table (vocabulary, d), tokens (n), out (n, d): multiplier times the row of
 *                       each token. 0 <= token < vocabulary.
 *
 * input                 as look_up, plus positions (n, d): multiplier·row + position.
 *
 * layer_norm            x, out (d): gain 1 and bias 0; the variance is that of all d channels (not
 *                       d - 1), and epsilon is added to it.
 *
 * rms_norm              x, out (d): gain 1; epsilon is added to the mean square.
 *
 * softmax               z, out (n). An entry -infinity is masked: its weight is 0.
 *
 * attention_scale       out (): 1 divided by the square root of d_k.
 *
 * logits                q (d_k), keys (n, d_k), out (n): scale·<q, key>.
 *
 * tied_logits           table (vocabulary, d), h (d), out (vocabulary): multiplier·<row, h>.
 *
 * dropout               x, kept, out (n): x/(1 - rate) where kept is 1, 0 where it is 0.
 *
 * initialise            out (rows, columns). distribution is "normal" and "truncated_normal" with
 *                       the standard deviation `parameter`, the latter drawn again outside of two
 *                       of them; "uniform" on (-parameter, parameter); "xavier_normal" and
 *                       "xavier_uniform", whose fans are rows and columns and whose parameter is
 *                       unused (0). Equal seeds give equal tables.
 *
 * optimizer_step        step `step` (1, 2, …) on parameter (n), in place, as is the state. kind is
 *                         "sgd"       rate, penalty
 *                         "momentum"  rate, penalty, momentum; velocity (n)
 *                         "adam"      rate, penalty, beta_1, beta_2, epsilon; first, second (n)
 *                         "adamw"     as adam, and decay, schedule; first, second (n)
 *                       with the formulas of protocol.md. Settings that a kind has not are 0, its
 *                       missing state is null.
 *
 * clip_by_global_norm   parts gradients, the k-th of sizes[k] entries, in gradients[k] and clipped
 *                       in out[k]: all times min(1, max_norm/norm of all together).
 */
#define EMBEDSCALE_DECLARE(Real, format)                                                           \
  EMBEDSCALE_EXPORT int embedscale_multiplier_##format(size_t d_model, Real* out);                 \
  EMBEDSCALE_EXPORT int embedscale_up_##format(const Real* e, const Real* p, size_t n, Real m,     \
                                               Real* out);                                         \
  EMBEDSCALE_EXPORT int embedscale_down_##format(const Real* e, const Real* p, size_t n, Real m,   \
                                                 Real* out);                                       \
  EMBEDSCALE_EXPORT int embedscale_position_table_##format(int64_t first, size_t count, size_t d,  \
                                                           const char* rule, const char* layout,   \
                                                           double base, Real* out);                \
  EMBEDSCALE_EXPORT int embedscale_look_up_##format(const Real* table, size_t vocabulary,          \
                                                    size_t d, const int64_t* tokens, size_t n,     \
                                                    Real multiplier, Real* out);                   \
  EMBEDSCALE_EXPORT int embedscale_input_##format(                                                 \
      const Real* table, size_t vocabulary, size_t d, const int64_t* tokens, size_t n,             \
      const Real* positions, Real multiplier, Real* out);                                          \
  EMBEDSCALE_EXPORT int embedscale_layer_norm_##format(const Real* x, size_t d, Real epsilon,      \
                                                       Real* out);                                 \
  EMBEDSCALE_EXPORT int embedscale_rms_norm_##format(const Real* x, size_t d, Real epsilon,        \
                                                     Real* out);                                   \
  EMBEDSCALE_EXPORT int embedscale_softmax_##format(const Real* z, size_t n, Real* out);           \
  EMBEDSCALE_EXPORT int embedscale_attention_scale_##format(size_t d_model, size_t d_k,            \
                                                            Real* out);                            \
  EMBEDSCALE_EXPORT int embedscale_logits_##format(const Real* q, size_t d_k, const Real* keys,    \
                                                   size_t n, Real scale, Real* out);               \
  EMBEDSCALE_EXPORT int embedscale_tied_logits_##format(                                           \
      const Real* table, size_t vocabulary, size_t d, const Real* h, Real multiplier, Real* out);  \
  EMBEDSCALE_EXPORT int embedscale_dropout_##format(const Real* x, const int64_t* kept, size_t n,  \
                                                    double rate, Real* out);                       \
  EMBEDSCALE_EXPORT int embedscale_initialise_##format(const char* distribution, double parameter, \
                                                       size_t rows, size_t columns, int64_t seed,  \
                                                       Real* out);                                 \
  EMBEDSCALE_EXPORT int embedscale_optimizer_step_##format(                                        \
      const char* kind, int64_t step, size_t n, Real* parameter, const Real* gradient, Real rate,  \
      Real penalty, Real momentum, Real beta_1, Real beta_2, Real epsilon, Real decay,             \
      Real schedule, Real* velocity, Real* first, Real* second);                                   \
  EMBEDSCALE_EXPORT int embedscale_clip_by_global_norm_##format(size_t parts, const size_t* sizes, \
                                                                const Real* const* gradients,      \
                                                                Real max_norm, Real* const* out);

EMBEDSCALE_DECLARE(double, binary64)
EMBEDSCALE_DECLARE(float, binary32)
EMBEDSCALE_DECLARE(uint16_t, binary16)
EMBEDSCALE_DECLARE(uint16_t, bfloat16)

#ifdef __cplusplus
}
#endif

#endif
