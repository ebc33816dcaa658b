#include "cuttle/algorithms/inverse_dynamics.h"

#include "algorithms/composite_inertia.h"
#include "algorithms/newton_euler.h"

namespace cuttle {
namespace {

template <typename S>
void check(const ModelT<S>& model, const char* function, const DataT<S>& data, VectorInT<S> q, VectorInT<S> v,
           VectorInT<S> a) {
  check_call(model, function, data, q);
  check_argument(model, function, "v", v, model.nv());
  check_argument(model, function, "a", a, model.nv());
}

}  // namespace

template <typename S>
const VectorXT<S>& inertial_inverse_dynamics(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q, VectorInT<S> v,
                                             VectorInT<S> a) {
  check(model, "inertial_inverse_dynamics", data, q, v, a);
  sweep::newton_euler<false>(model, data, q.data(), v.data(), a.data(), false, data.tau.data());
  require_finite_force(model, "inertial_inverse_dynamics", "tau", data.tau);
  return data.tau;
}

template <typename S>
const VectorXT<S>& inverse_dynamics(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q, VectorInT<S> v,
                                    VectorInT<S> a) {
  check(model, "inverse_dynamics", data, q, v, a);
  sweep::newton_euler<false>(model, data, q.data(), v.data(), a.data(), true, data.tau.data());
  sweep::visco_elastic<true, true>(model, data, q.data(), v.data(), data.tau.data());
  require_finite_force(model, "inverse_dynamics", "tau", data.tau);
  return data.tau;
}

template <typename S>
const VectorXT<S>& inverse_dynamics(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q, VectorInT<S> v,
                                    VectorInT<S> a, ExternalWrenchesT<S> external) {
  check(model, "inverse_dynamics", data, q, v, a);
  sweep::check_external(model, "inverse_dynamics", external);
  sweep::newton_euler<false>(model, data, q.data(), v.data(), a.data(), true, data.tau.data(), external);
  sweep::visco_elastic<true, true>(model, data, q.data(), v.data(), data.tau.data());
  require_finite_force(model, "inverse_dynamics", "tau", data.tau);
  return data.tau;
}

template <typename S>
const VectorXT<S>& mass_inverse_dynamics(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q, VectorInT<S> v,
                                         VectorInT<S> a) {
  check(model, "mass_inverse_dynamics", data, q, v, a);
  require_few_coordinates(model, "mass_inverse_dynamics");
  sweep::newton_euler<true>(model, data, q.data(), v.data(), a.data(), true, data.tau.data());
  sweep::visco_elastic<true, true>(model, data, q.data(), v.data(), data.tau.data());
  composite_mass_matrix(model, data, "mass_inverse_dynamics");
  require_finite_force(model, "mass_inverse_dynamics", "tau", data.tau);
  return data.tau;
}

template <typename S>
const MatrixXT<S>& mass_matrix(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q) {
  check_call(model, "mass_matrix", data, q);
  require_few_coordinates(model, "mass_matrix");
  sweep::outward<MotionLevel::pose, false, true, S>(model, data, q.data(), nullptr, nullptr, {});
  composite_mass_matrix(model, data, "mass_matrix");
  return data.mass_matrix;
}

template <typename S>
const VectorXT<S>& coriolis_force(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q, VectorInT<S> v) {
  check(model, "coriolis_force", data, q, v, data.zero);
  sweep::newton_euler<false>(model, data, q.data(), v.data(), data.zero.data(), false, data.force.data());
  require_finite_force(model, "coriolis_force", "force", data.force);
  return data.force;
}

template <typename S>
const VectorXT<S>& gravity_force(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q) {
  check_call(model, "gravity_force", data, q);
  sweep::newton_euler<false>(model, data, q.data(), data.zero.data(), data.zero.data(), true, data.force.data());
  require_finite_force(model, "gravity_force", "force", data.force);
  return data.force;
}

template <typename S>
const VectorXT<S>& elastic_force(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q) {
  check_call(model, "elastic_force", data, q);
  data.force.setZero();
  sweep::visco_elastic<true, false, S>(model, data, q.data(), nullptr, data.force.data());
  require_finite_force(model, "elastic_force", "force", data.force);
  return data.force;
}

template <typename S>
const VectorXT<S>& damping_force(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q, VectorInT<S> v) {
  check(model, "damping_force", data, q, v, data.zero);
  data.force.setZero();
  sweep::visco_elastic<false, true>(model, data, q.data(), v.data(), data.force.data());
  require_finite_force(model, "damping_force", "force", data.force);
  return data.force;
}

#define CUTTLE_INSTANTIATE(S)                                                                                       \
  template const VectorXT<S>& inertial_inverse_dynamics<S>(const ModelT<S>&, DataT<S>&, VectorInT<S>, VectorInT<S>, \
                                                           VectorInT<S>);                                           \
  template const VectorXT<S>& inverse_dynamics<S>(const ModelT<S>&, DataT<S>&, VectorInT<S>, VectorInT<S>,          \
                                                  VectorInT<S>);                                                    \
  template const VectorXT<S>& inverse_dynamics<S>(const ModelT<S>&, DataT<S>&, VectorInT<S>, VectorInT<S>,          \
                                                  VectorInT<S>, ExternalWrenchesT<S>);                              \
  template const VectorXT<S>& mass_inverse_dynamics<S>(const ModelT<S>&, DataT<S>&, VectorInT<S>, VectorInT<S>,     \
                                                       VectorInT<S>);                                               \
  template const MatrixXT<S>& mass_matrix<S>(const ModelT<S>&, DataT<S>&, VectorInT<S>);                            \
  template const VectorXT<S>& coriolis_force<S>(const ModelT<S>&, DataT<S>&, VectorInT<S>, VectorInT<S>);           \
  template const VectorXT<S>& gravity_force<S>(const ModelT<S>&, DataT<S>&, VectorInT<S>);                          \
  template const VectorXT<S>& elastic_force<S>(const ModelT<S>&, DataT<S>&, VectorInT<S>);                          \
  template const VectorXT<S>& damping_force<S>(const ModelT<S>&, DataT<S>&, VectorInT<S>, VectorInT<S>);
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
