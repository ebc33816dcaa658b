#include "support/random_state.h"

#include <cmath>
#include <numbers>
#include <string>

namespace cuttle::test {

RandomState random_state(const Model& model, Random& random, double speed) {
  RandomState state{model.neutral(), VectorXd(model.nv()), VectorXd(model.nv())};
  VectorXd step(model.nv());
  const auto size = [](const CoordinateInfo& info) {
    const bool vibrates = info.name.find(".fem.") != std::string::npos;  // 0.1 m of a high mode fold a body
    return info.unit[0] == 'r' ? 1.0 : vibrates ? 0.01 : 0.1;
  };
  for (int i = 0; i < model.nv(); ++i) {
    const CoordinateInfo& info = model.velocity_info()[i];
    const bool joint_angle = info.name.find(".joint.") != std::string::npos || info.name.rfind("base.", 0) == 0;
    step[i] =
        (joint_angle && info.unit[0] == 'r' ? 0.99 * std::numbers::pi / std::sqrt(3.0) : size(info)) * random.uniform();
    state.v[i] = speed * size(info) * random.uniform();
    state.a[i] = speed * speed * size(info) * random.uniform();
  }
  const VectorXd neutral = state.q;
  integrate(model, neutral, step, state.q);
  return state;
}

}  // namespace cuttle::test
