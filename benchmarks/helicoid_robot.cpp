#include "helicoid_robot.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "cuttle/model/robot.h"

namespace cuttle::bench {
namespace {

constexpr double k_length = 0.1, k_radius = 0.02, k_density = 960.0;

/// Element i of the van der Corput sequence of a base, in (0, 1).
double spread(int i, int base) {
  double value = 0.0, part = 1.0;
  for (int digit = i + 1; digit > 0; digit /= base) value += (part /= base) * (digit % base);
  return value;
}

}  // namespace

PointParameters scattered_points(int points) {
  PointParameters parameters;
  parameters.density = k_density;
  std::vector<Vector3>& x = parameters.quadrature.points;
  for (int i = 0; i < points; ++i) {
    const double r = k_radius * std::sqrt(spread(i, 2)), angle = 2.0 * std::numbers::pi * spread(i, 3);
    x.push_back({r * std::cos(angle), r * std::sin(angle), k_length * spread(i, 5)});
  }
  std::sort(x.begin(), x.end(), [](const Vector3& a, const Vector3& b) { return a.z < b.z; });
  parameters.quadrature.weights.assign(x.size(), std::numbers::pi * k_radius * k_radius * k_length / points);
  parameters.tip_origin = {0.0, 0.0, k_length};
  parameters.tip_a = {k_radius, 0.0, k_length};
  parameters.tip_b = {0.0, k_radius, k_length};
  return parameters;
}

LvpParameters helicoid_kinematics() {
  using Type = LvpPrimitive::Type;
  LvpParameters lvp;
  lvp.length = k_length;
  lvp.primitives = {{.type = Type::stretch, .modes = {{0.0, 1.0, -1.0}}},
                    {.type = Type::bend, .modes = {{1.0}, {0.0, 1.0}}, .y_modes = {{1.0}, {0.0, 1.0}}},
                    {.type = Type::twist, .modes = {{0.0, 1.0}}},
                    {.type = Type::shear, .axis = 0, .modes = {{0.0, 1.0}}},
                    {.type = Type::shear, .axis = 1, .modes = {{0.0, 1.0}}}};
  // bend last: up to it everything depends on x3 alone
  std::rotate(lvp.primitives.begin() + 1, lvp.primitives.begin() + 2, lvp.primitives.end());
  return lvp;
}

VolumeMaterial helicoid_material() {
  VolumeMaterial material;
  material.c1 = 0.178e6;
  material.damping_time = 0.025;
  return material;
}

Robot helicoid_description(int bodies, int points, const std::shared_ptr<const VolumeKinematicsT<double>>& kinematics) {
  Robot robot;
  robot.base_pose.rotation = Matrix3::from_columns({1.0, 0.0, 0.0}, {0.0, -1.0, 0.0}, {0.0, 0.0, -1.0});
  for (int i = 0; i < bodies; ++i) {
    robot.links.push_back(
        {.name = "body" + std::to_string(i + 1),
         .body = std::make_shared<VolumeBody>(scattered_points(points), helicoid_material(), kinematics)});
  }
  return robot;
}
Model helicoid_robot(int bodies, int points, const std::shared_ptr<const VolumeKinematicsT<double>>& kinematics) {
  return Model(helicoid_description(bodies, points, kinematics));
}

}  // namespace cuttle::bench
