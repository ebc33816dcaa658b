#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cuttle/bodies/rigid_body.h"
#include "cuttle/bodies/rod_body.h"
#include "cuttle/model/robot.h"

/// Robots and routes of the tests of tendons.
namespace cuttle::test {

inline std::shared_ptr<const RodBody> plain_rod(double length, const std::string& strain, int points = 10) {
  RodParameters p;
  p.length = length;
  p.section.radius = 0.02;
  p.material = {.density = 1050.0, .young_modulus = 4e5};
  p.strain = strain_shorthand<double>(strain, length);
  p.quadrature_points = points;
  return std::make_shared<RodBody>(p);
}

inline Robot one_rod(double length, const std::string& strain, int points = 10) {
  Robot robot;
  robot.links.push_back({.name = "rod", .body = plain_rod(length, strain, points)});
  return robot;
}

inline Routing parallel(const std::string& link, double x, double y) {
  Routing entry;
  entry.link = link, entry.offset = {{x, y}};
  return entry;
}
inline Routing helix(const std::string& link, double radius, double phase, double turns) {
  Routing entry;
  entry.link = link, entry.helix = Routing::Helix{radius, phase, turns};
  return entry;
}
inline Routing points(const std::string& link, std::vector<Vector3> places) {
  Routing entry;
  entry.link = link, entry.points = std::move(places);
  return entry;
}

// Two rods, joined by a hinge between rigid plates: straight in the gap.
inline Robot two_rods_and_a_plate() {
  Robot robot = one_rod(0.3, "pcc");
  RigidParameters plate;
  plate.mass = 0.1, plate.inertia = SymmetricMatrix3::diagonal(1e-4, 2e-4, 3e-4), plate.tip.position = {0.0, 0.0, 0.02};
  robot.links.push_back({.name = "plate",
                         .joint = make_universal_joint<double>({1, 0, 0}, {0, 1, 0}),
                         .body = std::make_shared<RigidBody>(plate)});
  robot.links.push_back({.name = "rod2", .body = plain_rod(0.2, "pcc")});
  return robot;
}

}  // namespace cuttle::test
