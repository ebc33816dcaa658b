#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cuttle/bodies/lvp_kinematics.h"
#include "cuttle/bodies/ritz_kinematics.h"
#include "cuttle/bodies/volume_body.h"
#include "cuttle/model/robot.h"
#include "support/random.h"

/// Volumes in robots; coordinates of a tenth of a meter and of one radian keep them whole (random_state).
namespace cuttle::test {

inline constexpr double k_tube_length = 0.2, k_tube_radius = 0.02, k_tube_bore = 0.012;

/// A hollow cylinder moved by the primitives of `moved`.
inline std::shared_ptr<const VolumeBody> lvp_tube(const LvpParameters& moved) {
  PointParameters points = point_cylinder(k_tube_length, k_tube_radius, 1000.0, 6, 2, 8);
  points.quadrature = cylinder_quadrature(k_tube_length, k_tube_radius, k_tube_bore, 6, 2, 8);
  points.shape.inner_radius = k_tube_bore;
  LvpParameters lvp = moved;
  lvp.length = k_tube_length;
  const VolumeMaterial rubber{.c1 = 5e4, .damping_time = 0.05};
  return std::make_shared<VolumeBody>(points, rubber, std::make_shared<LvpKinematics>(lvp));
}
/// Every kind of primitive.
inline std::shared_ptr<const VolumeBody> lvp_tube() {
  using Type = LvpPrimitive::Type;
  LvpParameters lvp;
  lvp.primitives = {{.type = Type::source, .modes = {{0.0, 4e-4}}},
                    {.type = Type::stretch, .modes = {{0.0, 0.2}}},
                    {.type = Type::shear, .axis = 1, .modes = {{0.0, 0.0, 0.2}}},
                    {.type = Type::twist, .modes = {{0.0, 0.5}}},
                    {.type = Type::bend, .modes = {{0.5}}, .y_modes = {{0.6}, {0.0, 0.4}}}};
  return lvp_tube(lvp);
}

/// Without a source, so that points on the axis may move too.
inline std::shared_ptr<const VolumeBody> lvp_finger() {
  using Type = LvpPrimitive::Type;
  LvpParameters lvp;
  lvp.primitives = {{.type = Type::bend, .modes = {{0.5}}, .y_modes = {{0.0, 0.6}}},
                    {.type = Type::stretch, .modes = {{0.0, 0.2}}}};
  return lvp_tube(lvp);
}

inline std::shared_ptr<const VolumeBody> ritz_block() {
  PointParameters points;
  points.quadrature = box_quadrature<double>({0.06, 0.05, 0.15}, 3, 2, 2);
  points.density = 800.0;
  points.tip_origin = {0.0, 0.0, 0.15}, points.tip_a = {0.03, 0.0, 0.15}, points.tip_b = {0.0, 0.025, 0.15};
  points.shape = {PointShape::Kind::box, 0.15, 0.03, 0.025};
  const std::vector<RitzMode> modes{{{{0, 0, 2}, {3.0, 1.0, 0.0}}},
                                    {{{0, 0, 1}, {0.0, 0.0, 0.8}}, {{1, 0, 1}, {2.0, 0.0, 0.0}}},
                                    {{{1, 1, 1}, {8.0, -9.0, 20.0}}}};
  const VolumeMaterial foam{.c1 = 3e4, .lame_lambda = 6e4, .damping_time = 0.05};
  return std::make_shared<VolumeBody>(points, foam, std::make_shared<RitzKinematics>(modes));
}

/// Points of the body's quadrature, in any order.
inline std::vector<Vector3> random_material_points(const PointBodyBaseT<double>& body, int count, Random& random) {
  const std::vector<Vector3>& all = body.parameters().quadrature.points;
  std::vector<Vector3> points;
  for (int i = 0; i < count; ++i) points.push_back(all[random.index(static_cast<int>(all.size()))]);
  return points;
}

}  // namespace cuttle::test
