#include "identification/quantities/quantity_kinds.h"

namespace cuttle {
namespace {

/// A state or an output of an element or a driven actuator: the tension of a tendon, the force of a spring.
struct MeasuredElement {
  bool is_state;
  Eigen::Index index;
  template <typename S>
  S measure(const ObservedStateT<S>& state, std::size_t) const {
    return is_state ? state.elements.states[index] : state.elements.outputs[index];
  }
};

}  // namespace

QuantityPointer element_quantity(const Model& model, const ResultBlock& block, std::size_t column) {
  for (const auto& element : model.elements()) {
    if (block.path != "elements/" + element.name) continue;
    const bool is_state = column < *block.outputs;
    const int index = is_state ? element.state + static_cast<int>(column)
                               : element.output + static_cast<int>(column - *block.outputs);
    return std::make_shared<MeasuredQuantityOf<MeasuredElement>>(MeasuredElement{is_state, index});
  }
  return nullptr;
}

}  // namespace cuttle
