#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cuttle/model/robot.h"
#include "cuttle/model/transmission_binder.h"

namespace cuttle {

/// What the law of an element is besides if it adds to what actuators do, by their inputs: each of them has its own law
/// of it, which is made when a Model is built, of the actuator and the links that it acts on. The law that the element
/// is made with stands for its parameters alone, and `through` is empty.
template <typename S>
class LawBesideActuatorsT {
 public:
  virtual ~LawBesideActuatorsT() = default;
  virtual std::vector<std::string> actuators() const = 0;
  /// Binds the transmissions of the law beside one of them, and makes it. It reads the inputs of the actuator; its
  /// power counts as lost. Null, and nothing bound: it would do nothing.
  /// @throws ModelError if it cannot act beside that one.
  virtual std::shared_ptr<const EffortLawT<S>> bind(const ActuatorT<S>& actuator, TransmissionBinderT<S>& to) const = 0;
};

}  // namespace cuttle
