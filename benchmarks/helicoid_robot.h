#pragma once

#include <memory>

#include "cuttle/bodies/lvp_kinematics.h"
#include "cuttle/bodies/volume_body.h"
#include "cuttle/model/model.h"
#include "cuttle/model/robot.h"

namespace cuttle::bench {

/// One body of [P] Simulation 1: Table 4's eight primitives' modes; `points` points, each with a height of its own, as
/// the centroids of a mesh's tetrahedra have.
PointParameters scattered_points(int points);
LvpParameters helicoid_kinematics();
VolumeMaterial helicoid_material();

/// The robot of [P] Simulation 1 without its tendons, of so many bodies. `kinematics`: of each body.
Robot helicoid_description(int bodies, int points, const std::shared_ptr<const VolumeKinematicsT<double>>& kinematics);
Model helicoid_robot(int bodies, int points, const std::shared_ptr<const VolumeKinematicsT<double>>& kinematics);

}  // namespace cuttle::bench
