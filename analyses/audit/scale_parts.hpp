#pragma once
// The results of an audit, part by part; scales.cpp puts them together.
#include "audit/scales.hpp"

namespace embedscale::audit {

/// m as rounded to its format.
Quantity factor_of(const Configuration& c);

InputScales input_scales(const Configuration& c, const Quantity& factor);
FirstLayer first_layer(const Configuration& c, const InputScales& input);
OutputScales output_scales(const Configuration& c, const InputScales& input,
                           const Quantity& factor);
ScaledDown scaled_down(const Configuration& c, const InputScales& input, const FirstLayer& first,
                       const Quantity& factor);

}  // namespace embedscale::audit
