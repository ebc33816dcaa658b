#include <cmath>

#include "cuttle/error.h"
#include "cuttle/model/model.h"
#include "model/check_argument.h"

namespace cuttle {
namespace {

void check_result(const char* function, Eigen::Index found, int expected) {
  if (found == expected) return;
  fail_argument(function, "result", "size " + std::to_string(found), std::to_string(expected));
}

/// Calls `joint` for every joint that has a manifold of its own and `plain` for every other stretch of coordinates.
template <typename S, typename OnJoint, typename OnPlain>
void for_each_stretch(const ModelT<S>& model, const OnJoint& on_joint, const OnPlain& on_plain) {
  for (const Edge& edge : model.topology().edges) {
    if (edge.kind == EdgeKind::joint && edge.nq != edge.nv) {
      on_joint(edge, *model.topology().joints[edge.index].joint);
    } else {
      on_plain(edge);
    }
  }
}

/// @throws OverflowError naming the first coordinate of a result that is not finite.
template <typename S>
void require_finite_coordinates(const char* function, const std::vector<CoordinateInfo>& info,
                                const VectorOutT<S>& result) {
  require_finite_result(function, result.data(), result.size(), [&](Eigen::Index i) {
    return "result[" + std::to_string(i) + "] (" + info[static_cast<std::size_t>(i)].name + ")";
  });
}

}  // namespace

template <typename S>
void integrate(const ModelT<S>& model, VectorInT<S> q, VectorInT<S> dv, VectorOutT<S> result) {
  check_configuration_argument(model, "integrate", "q", q);
  check_argument(model, "integrate", "dv", dv, model.nv());
  check_result("integrate", result.size(), model.nq());
  for_each_stretch(
      model,
      [&](const Edge& e, const JointT<S>& joint) {
        joint.integrate(q.data() + e.q, dv.data() + e.v, result.data() + e.q);
      },
      [&](const Edge& e) { result.segment(e.q, e.nq) = q.segment(e.q, e.nq) + dv.segment(e.v, e.nv); });
  require_finite_coordinates<S>("integrate", model.configuration_info(), result);
}

template <typename S>
void difference(const ModelT<S>& model, VectorInT<S> q0, VectorInT<S> q1, VectorOutT<S> result) {
  check_configuration_argument(model, "difference", "q0", q0);
  check_configuration_argument(model, "difference", "q1", q1);
  check_result("difference", result.size(), model.nv());
  for_each_stretch(
      model,
      [&](const Edge& e, const JointT<S>& joint) {
        joint.difference(q0.data() + e.q, q1.data() + e.q, result.data() + e.v);
      },
      [&](const Edge& e) { result.segment(e.v, e.nv) = q1.segment(e.q, e.nq) - q0.segment(e.q, e.nq); });
  require_finite_coordinates<S>("difference", model.velocity_info(), result);
}

template <typename S>
void configuration_rate(const ModelT<S>& model, VectorInT<S> q, VectorInT<S> v, VectorOutT<S> result) {
  check_argument(model, "configuration_rate", "q", q, model.nq());  // N(q) v exists off the manifold too
  check_argument(model, "configuration_rate", "v", v, model.nv());
  check_result("configuration_rate", result.size(), model.nq());
  for_each_stretch(
      model,
      [&](const Edge& e, const JointT<S>& joint) {
        joint.configuration_rate(q.data() + e.q, v.data() + e.v, result.data() + e.q);
      },
      [&](const Edge& e) { result.segment(e.q, e.nq) = v.segment(e.v, e.nv); });
  require_finite_coordinates<S>("configuration_rate", model.configuration_info(), result);
}

template <typename S>
void tangent_rate(const ModelT<S>& model, VectorInT<S> theta, VectorInT<S> v, VectorOutT<S> result) {
  check_argument(model, "tangent_rate", "theta", theta, model.nv());
  check_argument(model, "tangent_rate", "v", v, model.nv());
  check_result("tangent_rate", result.size(), model.nv());
  for_each_stretch(
      model,
      [&](const Edge& e, const JointT<S>& joint) {
        joint.tangent_rate(theta.data() + e.v, v.data() + e.v, result.data() + e.v);
      },
      [&](const Edge& e) { result.segment(e.v, e.nv) = v.segment(e.v, e.nv); });
  require_finite_coordinates<S>("tangent_rate", model.velocity_info(), result);
}

template <typename S>
void normalize(const ModelT<S>& model, VectorOutT<S> q) {
  check_argument<S>(model, "normalize", "q", q, model.nq());  // any quaternion but zero can be projected
  for_each_stretch(
      model,
      [&](const Edge& e, const JointT<S>& joint) {
        joint.normalize(q.data() + e.q);
        if constexpr (!k_has_lanes<S>) {
          if (joint.constraint_violation(q.data() + e.q) <= S(k_quaternion_tolerance)) return;
          const int first = e.q + e.nq - 4;
          fail_quaternion("normalize", "q", first, model.configuration_info()[first].name,
                          "a quaternion of zero or of numbers too large to normalize", "");
        }
      },
      [](const Edge&) {});
}

template <typename S>
void check_configuration(const ModelT<S>& model, VectorOutT<S> q, const std::string& context) {
  check_configuration_argument<S>(model, context.c_str(), "q", q);
  normalize<S>(model, q);
}

#define CUTTLE_INSTANTIATE(S)                                                                       \
  template void integrate<S>(const ModelT<S>&, VectorInT<S>, VectorInT<S>, VectorOutT<S>);          \
  template void difference<S>(const ModelT<S>&, VectorInT<S>, VectorInT<S>, VectorOutT<S>);         \
  template void configuration_rate<S>(const ModelT<S>&, VectorInT<S>, VectorInT<S>, VectorOutT<S>); \
  template void tangent_rate<S>(const ModelT<S>&, VectorInT<S>, VectorInT<S>, VectorOutT<S>);       \
  template void normalize<S>(const ModelT<S>&, VectorOutT<S>);                                      \
  template void check_configuration<S>(const ModelT<S>&, VectorOutT<S>, const std::string&);
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
