#include "identification/quantities/quantity_kinds.h"

namespace cuttle {
namespace {

/// A coordinate of the configuration, as an encoder measures it.
struct MeasuredCoordinate {
  Eigen::Index index;
  template <typename S>
  S measure(const ObservedStateT<S>& state, std::size_t) const {
    return state.q[index];
  }
};

}  // namespace

QuantityPointer coordinate_quantity(const Model&, const ResultBlock& block, std::size_t column) {
  if (block.path != "q") return nullptr;
  return std::make_shared<MeasuredQuantityOf<MeasuredCoordinate>>(
      MeasuredCoordinate{static_cast<Eigen::Index>(column)});
}

}  // namespace cuttle
