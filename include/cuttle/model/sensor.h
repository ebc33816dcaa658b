#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/model/data.h"
#include "cuttle/model/place.h"

namespace CUTTLE_API cuttle {

/// What a sensor sees of a robot at an instant.
struct SensorArguments {
  const Model& model;
  double time;                  ///< [s]
  const VectorXd &q, &v;        ///< nq, on the manifold; nv
  const VectorXd& a;            ///< nv; not a number unless the sensor asks for accelerations
  const VectorXd& u;            ///< nu, inputs that act
  const VectorXd& auxiliary;    ///< without those of controllers: works, integrals of loads, states of elements
  const VectorXd& multipliers;  ///< of the loops; not a number if the integrator gives none
  const KinematicsT<double>& kinematics;  ///< of all nodes, accelerations included if the sensor asks for them
  const VectorXd& y;                      ///< nu, actuation coordinates
  const VectorXd& efforts;                ///< nu, what inputs make of themselves: torques, tensions, pressures
  double element_energy;                  ///< [J] that elements store
  Data& data;                             ///< for algorithms; not that of `kinematics`
  bool at_rest = false;                   ///< an equilibrium: what obstacles move does not count
};

/// A sensor at work on one model, with memory of its own.
class BoundSensor {
 public:
  virtual ~BoundSensor() = default;
  /// @param values  as many as Sensor::columns names. Allocates nothing.
  virtual void read(const SensorArguments& at, double* values) = 0;
};

/// Something that a robot measures: numbers, with names and units, as functions of its motion. Exact: without noise,
/// delay or a band of its own. Const, and shared by robots and models.
/// @code
/// class Height final : public cuttle::Sensor {
///   std::string type_name() const override { return "height"; }
///   std::vector<Place> places() const override { return {{"hand"}}; }
///   std::vector<CoordinateInfo> columns(const Model&) const override { return {{"z", "m"}}; }
///   std::unique_ptr<BoundSensor> bind(const Model&, const std::vector<Frame>& frames) const override { .. }
/// };
/// robot.sensors.push_back({"altimeter", std::make_shared<Height>()});
/// @endcode
class Sensor {
 public:
  virtual ~Sensor() = default;
  virtual std::string type_name() const = 0;  ///< as in the file
  /// Where it sits: bodies make frames of these places.
  virtual std::vector<Place> places() const { return {}; }
  /// Whether it measures accelerations, or forces that depend on them: a controller then has it at samples alone.
  virtual bool needs_acceleration() const { return false; }
  /// What it measures: names within the sensor, and units. @throws ModelError if it does not fit the robot.
  virtual std::vector<CoordinateInfo> columns(const Model& model) const = 0;
  /// @param model  outlives what it gives.   @param frames  of `places`, in the model.
  virtual std::unique_ptr<BoundSensor> bind(const Model& model, const std::vector<Frame>& frames) const = 0;
};

/// What a sensor of a robot records.
struct RecordedSensor {
  std::string name;
  std::vector<CoordinateInfo> columns;
};
/// Those of a robot, in order: Sample::sensors has their numbers, one sensor after the other.
/// @throws ModelError at the sensor that does not fit the robot.
std::vector<RecordedSensor> recorded_sensors(const Model& model);

}  // namespace cuttle
