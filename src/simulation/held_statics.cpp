#include "simulation/held_statics.h"

#include <algorithm>
#include <vector>

#include "cuttle/algorithms/held_equilibrium.h"

namespace cuttle {

StaticEquilibrium held_equilibrium(const Model& model, const DrivenMotion& motion, const StaticLoads& loads,
                                   const VectorXd& q0) {
  std::vector<char> held(static_cast<std::size_t>(model.nv()), 0);
  if (!motion.base.empty()) std::fill_n(held.begin(), 6, char{1});
  for (const auto& link : model.links()) {
    if (motion.joints.count(link.name) > 0) std::fill_n(held.begin() + link.v, link.joint_nv, char{1});
  }
  StaticLoads acting = loads;
  if (loads.state_loads_at) acting.external = loads_at(model, *loads.state_loads_at);
  Data data(model);
  return held_equilibrium(model, data, acting, q0, held).equilibrium;
}

}  // namespace cuttle
