#include <cmath>

#include "cuttle/error.h"
#include "cuttle/model/model.h"

namespace cuttle {
namespace {

void check_size(const char* function, const char* name, Eigen::Index found, int expected) {
  if (found == expected) return;
  throw ArgumentError(std::string(function) + ": " + name + ": found size " + std::to_string(found) + ", expected " +
                      std::to_string(expected));
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

}  // namespace

template <typename S>
void integrate(const ModelT<S>& model, VectorInT<S> q, VectorInT<S> dv, VectorOutT<S> result) {
  check_size("integrate", "q", q.size(), model.nq());
  check_size("integrate", "dv", dv.size(), model.nv());
  check_size("integrate", "result", result.size(), model.nq());
  for_each_stretch(
      model,
      [&](const Edge& e, const JointT<S>& joint) {
        joint.integrate(q.data() + e.q, dv.data() + e.v, result.data() + e.q);
      },
      [&](const Edge& e) { result.segment(e.q, e.nq) = q.segment(e.q, e.nq) + dv.segment(e.v, e.nv); });
}

template <typename S>
void difference(const ModelT<S>& model, VectorInT<S> q0, VectorInT<S> q1, VectorOutT<S> result) {
  check_size("difference", "q0", q0.size(), model.nq());
  check_size("difference", "q1", q1.size(), model.nq());
  check_size("difference", "result", result.size(), model.nv());
  for_each_stretch(
      model,
      [&](const Edge& e, const JointT<S>& joint) {
        joint.difference(q0.data() + e.q, q1.data() + e.q, result.data() + e.v);
      },
      [&](const Edge& e) { result.segment(e.v, e.nv) = q1.segment(e.q, e.nq) - q0.segment(e.q, e.nq); });
}

template <typename S>
void configuration_rate(const ModelT<S>& model, VectorInT<S> q, VectorInT<S> v, VectorOutT<S> result) {
  check_size("configuration_rate", "q", q.size(), model.nq());
  check_size("configuration_rate", "v", v.size(), model.nv());
  check_size("configuration_rate", "result", result.size(), model.nq());
  for_each_stretch(
      model,
      [&](const Edge& e, const JointT<S>& joint) {
        joint.configuration_rate(q.data() + e.q, v.data() + e.v, result.data() + e.q);
      },
      [&](const Edge& e) { result.segment(e.q, e.nq) = v.segment(e.v, e.nv); });
}

template <typename S>
void tangent_rate(const ModelT<S>& model, VectorInT<S> theta, VectorInT<S> v, VectorOutT<S> result) {
  check_size("tangent_rate", "theta", theta.size(), model.nv());
  check_size("tangent_rate", "v", v.size(), model.nv());
  check_size("tangent_rate", "result", result.size(), model.nv());
  for_each_stretch(
      model,
      [&](const Edge& e, const JointT<S>& joint) {
        joint.tangent_rate(theta.data() + e.v, v.data() + e.v, result.data() + e.v);
      },
      [&](const Edge& e) { result.segment(e.v, e.nv) = v.segment(e.v, e.nv); });
}

template <typename S>
void normalize(const ModelT<S>& model, VectorOutT<S> q) {
  check_size("normalize", "q", q.size(), model.nq());
  for_each_stretch(
      model, [&](const Edge& e, const JointT<S>& joint) { joint.normalize(q.data() + e.q); }, [](const Edge&) {});
}

template <typename S>
void check_configuration(const ModelT<S>& model, VectorOutT<S> q, const std::string& context) {
  check_size(context.c_str(), "q", q.size(), model.nq());
  for (int i = 0; i < model.nq(); ++i) {
    using std::isfinite;
    if (!isfinite(q[i])) {
      throw ArgumentError(context + ": q[" + std::to_string(i) + "] (" + model.configuration_info()[i].name +
                          "): found " + std::to_string(scalar_cast<double>(q[i])) + ", expected a finite number");
    }
  }
  for_each_stretch(
      model,
      [&](const Edge& e, const JointT<S>& joint) {
        const S violation = joint.constraint_violation(q.data() + e.q);
        if (any(violation > S(1e-6))) {
          throw ArgumentError(context + ": q[" + std::to_string(e.q) + "..] (" + model.configuration_info()[e.q].name +
                              "): found a quaternion whose norm is " +
                              std::to_string(scalar_cast<double>(violation)) + " off 1, expected at most 1e-6");
        }
        joint.normalize(q.data() + e.q);
      },
      [](const Edge&) {});
}

#define CUTTLE_INSTANTIATE(S)                                                                     \
  template void integrate<S>(const ModelT<S>&, VectorInT<S>, VectorInT<S>, VectorOutT<S>);         \
  template void difference<S>(const ModelT<S>&, VectorInT<S>, VectorInT<S>, VectorOutT<S>);        \
  template void configuration_rate<S>(const ModelT<S>&, VectorInT<S>, VectorInT<S>, VectorOutT<S>); \
  template void tangent_rate<S>(const ModelT<S>&, VectorInT<S>, VectorInT<S>, VectorOutT<S>);      \
  template void normalize<S>(const ModelT<S>&, VectorOutT<S>);                                     \
  template void check_configuration<S>(const ModelT<S>&, VectorOutT<S>, const std::string&);
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
