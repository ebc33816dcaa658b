#include "algorithms/target_units.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "cuttle/algorithms/kinematics.h"

namespace cuttle {

double reach_of(const Model& model, Data& data) {
  const KinematicsT<double>& kinematics = forward_kinematics<double>(model, data, model.neutral());
  const Vector3 origin = kinematics.pose(model.base_frame()).position;
  double reach = 0.0;
  for (const auto& link : model.links()) reach = std::max(reach, norm(kinematics.pose(link.tip).position - origin));
  return reach > 0.0 ? reach : 1.0;
}

VectorXd units_of(const Model& model, Data& data, double length) {
  VectorXd motion = VectorXd::Zero(model.nv());
  const VectorXd q = model.neutral();
  for (const auto& link : model.links()) {
    const MatrixXd& J = frame_jacobian<double>(model, data, q, link.tip);
    for (int k = 0; k < model.nv(); ++k) {
      motion[k] = std::max({motion[k], J.col(k).head<3>().norm(), J.col(k).tail<3>().norm() / length});
    }
  }
  // Higher modes of a body, which leave its tip where it is, count like a tenth of its lowest ones of the same unit.
  const std::vector<CoordinateInfo>& info = model.velocity_info();
  for (const auto& link : model.links()) {
    std::map<std::string, double> most;
    for (int k = link.v; k < link.v + link.nv; ++k) {
      double& its = most[info[static_cast<std::size_t>(k)].unit];
      its = std::max(its, motion[k]);
    }
    for (int k = link.v; k < link.v + link.nv; ++k) {
      motion[k] = std::max(motion[k], 0.1 * most[info[static_cast<std::size_t>(k)].unit]);
    }
  }
  return motion.unaryExpr([](double m) { return m > 0.0 ? 1.0 / m : 1.0; });
}

}  // namespace cuttle
