// What each norm has to give, as properties of any subject.
#include "../testing/rows.hpp"
#include "claims.hpp"
#include "exact.hpp"
#include "trials.hpp"

namespace embedscale::properties::normalization {

using namespace testing;

namespace {

/// One norm of a drawn row in one of the formats, with or without an ε on either side of the root.
/// Squares may leave the range either way.
template <LayerKind kind>
void gives_its_values(const Primitives& subject) {
  in_one_format<Wide, double, float, bfloat16>([&]<class Real>() {
    const auto n = drawn_width<Real>();
    const auto size = one_of("squares are", {"ordinary", "beside the smallest", "the largest"});
    const int more = named("exponent", in_range(0, 16));
    const int room = static_cast<int>(std::bit_width(n)) + 2;
    const int exponent = size == 0   ? more - 8
                         : size == 1 ? lowest_exponent<Real> / 2 - 8 + more
                                     : (highest_exponent<Real> - room - more) / 2;
    const auto epsilon = one_of("epsilon", {"0", "10^-12", "10^-5", "1/4"});
    const Real added = static_cast<Real>(std::array{0.0, 1e-12, 1e-5, 0.25}[epsilon]);
    const auto placement = one_of("epsilon is", {"under the root", "beside it"}) == 0
                               ? EpsilonPlacement::variance
                               : EpsilonPlacement::standard_deviation;
    const auto x = drawn_row_around<Real>(n, exponent);
    covers("without an epsilon", epsilon == 0, 0.1);
    covers("squares of ordinary sizes", size == 0, 0.2);
    covers("squares beside the smallest", size == 1, 0.1);
    covers("squares beside the largest", size == 2, 0.1);
    judge("norm",
          (kind == LayerKind::layer_norm ? primitives::layer_norm : primitives::rms_norm)(
              primitives::rounding_of<Real>(), primitives::wide(x), primitives::wide(added),
              placement),
          [&] {
            return normalized<Real>(x, {kind, placement, added}, subject);
          });
  });
}

}  // namespace

void layer_norm_gives_its_values(const Primitives& subject) {
  gives_its_values<LayerKind::layer_norm>(subject);
}
void rms_norm_gives_its_values(const Primitives& subject) {
  gives_its_values<LayerKind::rms_norm>(subject);
}

}  // namespace embedscale::properties::normalization
