#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/model/sensor.h"

namespace CUTTLE_API cuttle {

// The library's sensors; what they are called in files stands first. They are exact: noise is for who reads them.

/// A sensor at a place.
class PlacedSensor : public Sensor {
 public:
  explicit PlacedSensor(Place place) : place_(std::move(place)) {}
  const Place& place() const { return place_; }
  std::vector<Place> places() const override { return {place_}; }
  virtual Axes axes() const { return Axes::world; }  ///< in which it gives vectors, if there is a choice

 private:
  Place place_;
};
/// `frame_position`: pose of a place in the world: x, y, z [m], then its quaternion qw, qx, qy, qz, qw >= 0.
std::shared_ptr<const Sensor> make_frame_position_sensor(Place place);
/// `frame_velocity`: its angular velocity wx, wy, wz [rad/s] and the velocity vx, vy, vz [m/s] of its origin, against
/// the world.
/// @param axes  in which both are given: those of the world, or its own.
std::shared_ptr<const Sensor> make_frame_velocity_sensor(Place place, Axes axes = Axes::world);
/// `imu`: angular velocity wx, wy, wz [rad/s] and specific force ax, ay, az [m/s^2], the acceleration of its origin
/// less that of gravity, both in its own axes. At rest it measures 9.81 m/s^2 upwards.
std::shared_ptr<const Sensor> make_imu_sensor(Place place);

/// Where on a rod a strain is measured.
struct StrainPlace {
  std::string link;
  double s = 0.0;                                    ///< [m of rest length], 0 to L
  std::optional<std::array<double, 2>> offset = {};  ///< (x, y) in the axes of the cross-section [m]
};
/// `strain` of a rod: kappa_x, kappa_y, kappa_z [rad/m] and sigma_x, sigma_y, sigma_z of the cross-section at s, in its
/// axes. With an offset `elongation` alone: by how much a fiber there, parallel to the axis, is longer than at rest,
/// relative to that: |sigma + kappa x (x, y, 0)| over the same at q = 0, less 1.
std::shared_ptr<const Sensor> make_strain_sensor(StrainPlace place);
/// Of such a sensor; else null.
const StrainPlace* strain_sensor_place(const Sensor& sensor);

/// A sensor of an actuator.
class OfActuator : public Sensor {
 public:
  explicit OfActuator(std::string actuator) : actuator_(std::move(actuator)) {}
  const std::string& actuator() const { return actuator_; }

 private:
  std::string actuator_;
};
/// `actuator_length`: y(q) and its rate: a joint's coordinate, how much a tendon is shorter than in the neutral
/// configuration, the volume of a chamber. Two numbers an input.
std::shared_ptr<const Sensor> make_actuator_length_sensor(std::string actuator);
/// `actuator_force`: the efforts that its inputs make: torque, tension - of one driven by length too -, pressure.
std::shared_ptr<const Sensor> make_actuator_force_sensor(std::string actuator);
/// `chamber_volume`: volume of a chamber [m^3] and its rate [m^3/s].
std::shared_ptr<const Sensor> make_chamber_volume_sensor(std::string actuator);

/// A sensor of a link.
class OfLink : public Sensor {
 public:
  explicit OfLink(std::string link) : link_(std::move(link)) {}
  const std::string& link() const { return link_; }

 private:
  std::string link_;
};
/// `joint_wrench`: what the parent exerts on a link through its joint - bearing, spring, damper and motor together; of
/// a fixed one what a load cell there measures: torque tx, ty, tz [N m] about the origin of the joint's frame on the
/// parent's side and force fx, fy, fz [N], in the axes of that frame. Whatever else acts between the two - a tendon
/// that runs straight from one to the other, a spring beside the joint, a loop - is not in it.
std::shared_ptr<const Sensor> make_joint_wrench_sensor(std::string link);

/// `contact`: what a contact does to the links on its side a, about a place and in its axes: torque tx, ty, tz [N m]
/// and force fx, fy, fz [N].
class ContactSensor final : public PlacedSensor {
 public:
  ContactSensor(std::string contact, Place place) : PlacedSensor(std::move(place)), contact_(std::move(contact)) {}
  const std::string& contact() const { return contact_; }
  std::string type_name() const override { return "contact"; }
  std::vector<CoordinateInfo> columns(const Model& model) const override;
  std::unique_ptr<BoundSensor> bind(const Model& model, const std::vector<Frame>& frames) const override;

 private:
  std::string contact_;
};
std::shared_ptr<const Sensor> make_contact_sensor(std::string contact, Place place);

/// `energy` of the whole robot: kinetic, gravity, elastic and that of elements [J].
std::shared_ptr<const Sensor> make_energy_sensor();

}  // namespace cuttle
