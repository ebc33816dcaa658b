#include "identification/quantities/quantity_kinds.h"

namespace cuttle {
namespace {

/// What an actuator does work on: how much a tendon is shorter, the volume of a chamber.
struct MeasuredActuation {
  Eigen::Index input;
  template <typename S>
  S measure(const ObservedStateT<S>& state, std::size_t) const {
    return state.y[input];
  }
};

}  // namespace

QuantityPointer actuation_quantity(const Model&, const ResultBlock& block, std::size_t column) {
  if (block.path != "actuation/y") return nullptr;
  return std::make_shared<MeasuredQuantityOf<MeasuredActuation>>(MeasuredActuation{static_cast<Eigen::Index>(column)});
}

}  // namespace cuttle
