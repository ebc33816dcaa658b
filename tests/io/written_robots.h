#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cuttle/bodies/rigid_body.h"
#include "cuttle/bodies/rod_body.h"
#include "cuttle/io/robot_writer.h"
#include "cuttle/model/coordinate_transmission.h"
#include "io/io_support.h"
#include "support/same_robot.h"

// Robots that are written, and what must come back.

namespace cuttle::test {

/// Of a kind that nobody registered.
template <typename S>
class GearTransmission final : public CoordinateTransmission<GearTransmission, S, 1> {
 public:
  explicit GearTransmission(std::string link = "arm") : link_(std::move(link)) {}
  std::string type_name() const override { return "gear"; }
  std::array<LinkCoordinate, 1> coordinates() const override { return {LinkCoordinate{link_, 0}}; }
  std::string unit() const override { return "N m"; }
  template <typename T>
  T y(const T* q) const {
    return q[0] + T(0.1) * q[0] * q[0];
  }
  template <typename T>
  GearTransmission<T> cast() const {
    return GearTransmission<T>(link_);
  }

 private:
  std::string link_;
};

/// Writes a robot and reads it again, twice. @return what was read.
inline Robot expect_round_trip(const Robot& robot, const std::vector<LinkVisual>& visuals = {}) {
  const WrittenRobot written = write_robot(robot, visuals);
  SCOPED_TRACE(written.yaml);
  const Robot read = read_robot(written, "written.yaml");
  expect_same(robot, read);
  const WrittenRobot again = write_robot(read, visuals);
  EXPECT_EQ(again.yaml, written.yaml);
  EXPECT_EQ(again.files, written.files);
  return read;
}

inline std::string refusal(const Robot& robot) {
  return message<ModelError>([&] { write_robot(robot); });
}

inline Robot robot_of(std::shared_ptr<const Body> body, const std::string& name = "arm") {
  Robot robot;
  robot.name = "mine";
  robot.links.push_back({.name = name, .body = std::move(body)});
  return robot;
}
inline Place on(const std::string& link) { return {link, PortLocation::tip(), {}}; }
inline std::shared_ptr<const RigidBody> some_mass(double mass = 1.5) {
  return std::make_shared<RigidBody>(
      RigidParameters{.mass = mass, .com = {0.1, 0.2, 0.3}, .inertia = {0.1, 0.1, 0.1, 0, 0, 0}});
}
inline Routing cable_along(const std::string& link) {
  Routing routing;
  routing.link = link, routing.offset = {{0.01, 0.0}};
  return routing;
}
inline RodParameters some_rod() {
  RodParameters rod;
  rod.length = 0.3;
  rod.section.radius = Profile(std::vector{0.02, 0.01});
  rod.material = {.density = 1070.0, .young_modulus = 5e5, .damping_time = 0.1};
  rod.strain = strain_shorthand("pcc", rod.length);
  rod.quadrature_points = 4;
  return rod;
}

}  // namespace cuttle::test
