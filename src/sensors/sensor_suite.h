#pragma once

#include <memory>
#include <vector>

#include "cuttle/algorithms/elements.h"
#include "cuttle/model/sensor.h"

namespace cuttle {

/// The sensors of a model at work. Memory is made once.
class SensorSuite {
 public:
  /// The model must outlive it.
  explicit SensorSuite(const Model& model);
  /// Some of them alone, by their places in the robot's list, in this order.
  SensorSuite(const Model& model, const std::vector<std::size_t>& which);

  bool needs_acceleration() const { return needs_acceleration_; }
  Eigen::Index size() const { return values_.size(); }
  struct Instant {
    double time;
    const VectorXd &q, &v;
    const VectorXd& a;  ///< if it is not finite, readings that depend on it are NaN
    const VectorXd &u, &auxiliary, &multipliers;
    const ElementData& elements;  ///< in this state
    bool at_rest = false;         ///< as of SensorArguments
  };
  /// @return valid until the next call; of all sensors in the order of recorded_sensors.
  const VectorXd& read(const Instant& at);

 private:
  struct AtWork {
    std::unique_ptr<BoundSensor> sensor;
    bool needs_acceleration;
    Eigen::Index first, count;  ///< of its values
  };
  const Model& model_;
  Data data_, moving_;
  std::vector<AtWork> sensors_;
  bool needs_acceleration_ = false;
  VectorXd values_, y_, efforts_;
};

}  // namespace cuttle
