#pragma once

#include <memory>

#include "cuttle/identification/measured_quantity.h"
#include "io/results/result_block.h"

// The kinds of quantities that measurements may be of: each makes its own from a column of a result, or nothing. A new
// kind is a file of its own and a line in measured_quantity.cpp.

namespace cuttle {

using QuantityPointer = std::shared_ptr<const MeasuredQuantity>;

QuantityPointer coordinate_quantity(const Model& model, const ResultBlock& block, std::size_t column);
QuantityPointer frame_quantity(const Model& model, const ResultBlock& block, std::size_t column);
QuantityPointer actuation_quantity(const Model& model, const ResultBlock& block, std::size_t column);
QuantityPointer element_quantity(const Model& model, const ResultBlock& block, std::size_t column);
/// By its name, as no result has such columns; nothing for another name.
QuantityPointer mode_quantity(const std::string& name);

}  // namespace cuttle
