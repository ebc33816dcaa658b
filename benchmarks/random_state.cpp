#include "random_state.h"

namespace cuttle::bench {

double Random::uniform(double low, double high) {
  std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return low + (high - low) * static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

Vector3 Random::vector3(double low, double high) {
  // one statement each: the order of evaluation within a braced list is fixed, but a reader need not know
  const double x = uniform(low, high);
  const double y = uniform(low, high);
  const double z = uniform(low, high);
  return {x, y, z};
}

MotionState random_state(const Model& model) {
  Random random(11);
  MotionState state{VectorXd(model.nq()), VectorXd(model.nv()), VectorXd(model.nv())};
  for (int i = 0; i < model.nv(); ++i) {
    const double largest = model.configuration_info()[i].unit == "m" ? 0.02 : 1.0;
    state.q[i] = random.uniform(-largest, largest);
    state.v[i] = random.uniform(-largest, largest);
    state.a[i] = random.uniform(-largest, largest);
  }
  return state;
}

}  // namespace cuttle::bench
