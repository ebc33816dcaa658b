#include "cuttle/algorithms/state_loads.h"

#include "algorithms/state_load_list.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/error.h"
#include "model/check_argument.h"

namespace cuttle {
namespace {

void check_size(const char* function, const char* name, std::size_t found, std::size_t expected) {
  if (found == expected) return;
  throw ArgumentError(std::string(function) + ": " + name + ": found size " + std::to_string(found) + ", expected " +
                      std::to_string(expected));
}

template <typename S>
void check_kinematics(const ModelT<S>& model, const char* function, const KinematicsT<S>& kinematics,
                      MotionLevel level) {
  check_workspace(model, function, "kinematics", kinematics);
  if (kinematics.level >= level) return;
  throw ArgumentError(std::string(function) + ": kinematics: found no " +
                      (level == MotionLevel::velocity ? "velocities" : "accelerations") + ", expected them");
}

/// Motion of a frame; its acceleration is zero unless asked for.
template <typename S>
FrameMotionT<S> motion_of(const KinematicsT<S>& kinematics, const FrameT<S>& frame, bool with_acceleration) {
  FrameMotionT<S> motion{kinematics.pose(frame), kinematics.velocity_of(frame), {}};
  if (with_acceleration) motion.acceleration = kinematics.acceleration_of(frame);
  return motion;
}

/// Calls `each(load, k, first integral, index)` for all frames.
template <typename S, typename Each>
void for_each_frame(StateLoadsRefT<S> loads, const Each& each) {
  int integral = 0;
  std::size_t index = 0;
  for (const auto& load : loads) {
    for (int k = 0; k < static_cast<int>(load->frames().size()); ++k) each(*load, k, integral, index++);
    integral += load->integral_count();
  }
}

template <typename S>
void fill_wrenches(const char* function, const ModelT<S>& model, StateLoadsRefT<S> loads,
                   const KinematicsT<S>& kinematics, double time, const VectorInT<S>& integrals,
                   WrenchesOutT<S> wrenches, bool with_acceleration) {
  check_kinematics(model, function, kinematics, with_acceleration ? MotionLevel::acceleration : MotionLevel::velocity);
  check_size(function, "integrals", integrals.size(), load_integral_count<S>(loads));
  check_size(function, "wrenches", wrenches.size(), state_load_count<S>(loads));
  for_each_frame<S>(loads, [&](const StateLoadT<S>& load, int k, int integral, std::size_t index) {
    const FrameT<S>& frame = load.frames()[k];
    const FrameMotionT<S> motion = motion_of(kinematics, frame, with_acceleration);
    wrenches[index] = {frame, load.wrench(k, time, motion, integrals.data() + integral), Axes::body};
    for (int i = 0; i < 6; ++i) finite_result<S>(function, "wrench of a load", wrenches[index].wrench[i]);
  });
}

}  // namespace

template <typename S>
std::size_t state_load_count(StateLoadsRefT<S> loads) {
  std::size_t count = 0;
  for (const auto& load : loads) count += load->frames().size();
  return count;
}

template <typename S>
int load_integral_count(StateLoadsRefT<S> loads) {
  int count = 0;
  for (const auto& load : loads) count += load->integral_count();
  return count;
}

template <typename S>
void state_load_wrenches(const ModelT<S>& model, StateLoadsRefT<S> loads, const KinematicsT<S>& kinematics, double time,
                         VectorInT<S> integrals, WrenchesOutT<S> wrenches) {
  fill_wrenches<S>("state_load_wrenches", model, loads, kinematics, time, integrals, wrenches, true);
}

template <typename S>
void state_load_biases(const ModelT<S>& model, StateLoadsRefT<S> loads, const KinematicsT<S>& kinematics, double time,
                       VectorInT<S> integrals, WrenchesOutT<S> wrenches) {
  fill_wrenches<S>("state_load_biases", model, loads, kinematics, time, integrals, wrenches, false);
}

template <typename S>
void state_load_inertias(StateLoadsRefT<S> loads, AddedInertiasOutT<S> inertias) {
  check_size("state_load_inertias", "inertias", inertias.size(), state_load_count<S>(loads));
  for_each_frame<S>(loads, [&](const StateLoadT<S>& load, int k, int, std::size_t index) {
    inertias[index] = {load.frames()[k], load.added_inertia(k)};
  });
}

template <typename S>
void state_load_rates(const ModelT<S>& model, StateLoadsRefT<S> loads, const KinematicsT<S>& kinematics, double time,
                      VectorOutT<S> rates) {
  check_kinematics(model, "state_load_rates", kinematics, MotionLevel::velocity);
  check_size("state_load_rates", "rates", rates.size(), load_integral_count<S>(loads));
  for_each_frame<S>(loads, [&](const StateLoadT<S>& load, int k, int integral, std::size_t) {
    if (load.integral_count() == 0) return;
    load.integral_rates(time, motion_of(kinematics, load.frames()[k], false), rates.data() + integral);
    require_finite_result("state_load_rates", rates.data() + integral, load.integral_count(),
                          [](Eigen::Index i) { return "rates[" + std::to_string(i) + "] of a load"; });
  });
}

template <typename S>
void state_load_derivatives(const ModelT<S>& model, StateLoadsRefT<S> loads, const KinematicsT<S>& kinematics,
                            double time, VectorInT<S> integrals, StateLoadDerivativesOutT<S> derivatives) {
  check_kinematics(model, "state_load_derivatives", kinematics, MotionLevel::acceleration);
  check_size("state_load_derivatives", "integrals", integrals.size(), load_integral_count<S>(loads));
  check_size("state_load_derivatives", "derivatives", derivatives.size(), state_load_count<S>(loads));
  for_each_frame<S>(loads, [&](const StateLoadT<S>& load, int k, int integral, std::size_t index) {
    load.derivatives(k, time, motion_of(kinematics, load.frames()[k], true), integrals.data() + integral,
                     derivatives[index]);
  });
}

// --- those of a model

template <typename S>
std::size_t state_load_count(const ModelT<S>& model) {
  return state_load_count<S>(StateLoadsRefT<S>(model.state_loads()));
}
template <typename S>
int load_integral_count(const ModelT<S>& model) {
  return load_integral_count<S>(StateLoadsRefT<S>(model.state_loads()));
}
template <typename S>
void state_load_wrenches(const ModelT<S>& model, const KinematicsT<S>& kinematics, double time, VectorInT<S> integrals,
                         WrenchesOutT<S> wrenches) {
  state_load_wrenches<S>(model, model.state_loads(), kinematics, time, integrals, wrenches);
}
template <typename S>
void state_load_wrenches(const ModelT<S>& model, DataT<S>& data, double time, VectorInT<S> q, VectorInT<S> v,
                         VectorInT<S> a, VectorInT<S> integrals, WrenchesOutT<S> wrenches) {
  check_workspace(model, "state_load_wrenches", "data", data);
  state_load_wrenches<S>(model, forward_kinematics<S>(model, data, q, v, a), time, integrals, wrenches);
}
template <typename S>
void state_load_biases(const ModelT<S>& model, const KinematicsT<S>& kinematics, double time, VectorInT<S> integrals,
                       WrenchesOutT<S> wrenches) {
  state_load_biases<S>(model, model.state_loads(), kinematics, time, integrals, wrenches);
}
template <typename S>
void state_load_inertias(const ModelT<S>& model, AddedInertiasOutT<S> inertias) {
  state_load_inertias<S>(StateLoadsRefT<S>(model.state_loads()), inertias);
}
template <typename S>
void state_load_rates(const ModelT<S>& model, const KinematicsT<S>& kinematics, double time, VectorOutT<S> rates) {
  state_load_rates<S>(model, model.state_loads(), kinematics, time, rates);
}
template <typename S>
void state_load_derivatives(const ModelT<S>& model, const KinematicsT<S>& kinematics, double time,
                            VectorInT<S> integrals, StateLoadDerivativesOutT<S> derivatives) {
  state_load_derivatives<S>(model, model.state_loads(), kinematics, time, integrals, derivatives);
}

#define CUTTLE_INSTANTIATE(S)                                                                                          \
  template std::size_t state_load_count<S>(StateLoadsRefT<S>);                                                         \
  template int load_integral_count<S>(StateLoadsRefT<S>);                                                              \
  template void state_load_wrenches<S>(const ModelT<S>&, StateLoadsRefT<S>, const KinematicsT<S>&, double,             \
                                       VectorInT<S>, WrenchesOutT<S>);                                                 \
  template void state_load_biases<S>(const ModelT<S>&, StateLoadsRefT<S>, const KinematicsT<S>&, double, VectorInT<S>, \
                                     WrenchesOutT<S>);                                                                 \
  template void state_load_inertias<S>(StateLoadsRefT<S>, AddedInertiasOutT<S>);                                       \
  template void state_load_rates<S>(const ModelT<S>&, StateLoadsRefT<S>, const KinematicsT<S>&, double,                \
                                    VectorOutT<S>);                                                                    \
  template void state_load_derivatives<S>(const ModelT<S>&, StateLoadsRefT<S>, const KinematicsT<S>&, double,          \
                                          VectorInT<S>, StateLoadDerivativesOutT<S>);                                  \
  template std::size_t state_load_count<S>(const ModelT<S>&);                                                          \
  template int load_integral_count<S>(const ModelT<S>&);                                                               \
  template void state_load_wrenches<S>(const ModelT<S>&, const KinematicsT<S>&, double, VectorInT<S>,                  \
                                       WrenchesOutT<S>);                                                               \
  template void state_load_wrenches<S>(const ModelT<S>&, DataT<S>&, double, VectorInT<S>, VectorInT<S>, VectorInT<S>,  \
                                       VectorInT<S>, WrenchesOutT<S>);                                                 \
  template void state_load_biases<S>(const ModelT<S>&, const KinematicsT<S>&, double, VectorInT<S>, WrenchesOutT<S>);  \
  template void state_load_inertias<S>(const ModelT<S>&, AddedInertiasOutT<S>);                                        \
  template void state_load_rates<S>(const ModelT<S>&, const KinematicsT<S>&, double, VectorOutT<S>);                   \
  template void state_load_derivatives<S>(const ModelT<S>&, const KinematicsT<S>&, double, VectorInT<S>,               \
                                          StateLoadDerivativesOutT<S>);
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
