#include "cuttle/bodies/rigid_body.h"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <sstream>

#include "cuttle/error.h"
#include "cuttle/spatial/eigen.h"
#include "spatial/number_text.h"

namespace cuttle {

namespace {

/// Rounding of an inertia's digits may make a zero principal moment negative by this fraction of the largest.
constexpr double k_semidefinite_tolerance = 1e-9;
/// Six printed digits of a flat body's moments break I_1 + I_2 = I_3 by up to 3e-6.
constexpr double k_triangle_tolerance = 1e-3;

/// Principal moments, ascending [kg m^2]; whatever the scalar, a check needs no more than double.
template <typename S>
Eigen::Vector3d principal_moments(const SymmetricMatrix3T<S>& inertia) {
  const Eigen::Matrix3d matrix = to_eigen(inertia.template cast<double>().matrix());
  return Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(matrix, Eigen::EigenvaluesOnly).eigenvalues();
}

template <typename S>
bool is_finite(const Vector3T<S>& a) {
  using std::isfinite;
  return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

}  // namespace

template <typename S>
RigidBodyT<S>::RigidBodyT(const RigidParametersT<S>& parameters)
    : parameters_(parameters),
      inertia_(SpatialInertiaT<S>::from_com(parameters.mass, parameters.com, parameters.inertia)) {
  using std::isfinite;
  if (!(parameters.mass >= S(0.0)) || !isfinite(parameters.mass)) {
    throw ModelError("mass", number_text(parameters.mass), "a number >= 0 [kg]");
  }
  if (!is_finite(parameters.com)) {
    throw ModelError("com", vector_text(parameters.com), "finite numbers [m]");
  }
  const Matrix3T<S> inertia = parameters.inertia.matrix();
  if (!is_finite(inertia.row0) || !is_finite(inertia.row1) || !is_finite(inertia.row2)) {
    throw ModelError("inertia", "a number that is not finite", "six finite numbers [kg m^2]");
  }
  const Matrix3T<S>& R = parameters.tip.rotation;
  if (!is_finite(parameters.tip.position) || !is_finite(R.row0) || !is_finite(R.row1) || !is_finite(R.row2)) {
    throw ModelError("tip", "a number that is not finite", "a pose");
  }
  const auto moments = principal_moments(parameters.inertia);
  if (moments[0] < -k_semidefinite_tolerance * std::abs(moments[2])) {
    throw ModelError("inertia", "principal moments " + list_text(moments.data(), 3), "none below 0 [kg m^2]");
  }
}

template <typename S>
std::optional<Diagnostic> RigidBodyT<S>::warning() const {
  const auto moments = principal_moments(parameters_.inertia);
  if (moments[2] <= moments[0] + moments[1] + k_triangle_tolerance * moments[2]) return std::nullopt;
  return Diagnostic("inertia", "principal moments " + list_text(moments.data(), 3) + " kg m^2",
                    "none above the sum of the other two; no real body has such an inertia");
}

template <typename S>
SpatialInertiaT<S> RigidBodyT<S>::rest_inertia() const {
  return inertia_;
}

template <typename S>
int RigidBodyT<S>::add_port(const PortLocationT<S>& location) {
  using Kind = typename PortLocationT<S>::Kind;
  std::ostringstream found;
  switch (location.kind) {
    case Kind::tip:
      return 0;
    case Kind::base:
      throw ModelError({}, "base, which is a body's own frame and not one of its ports", "");
    case Kind::section:
      found << "{s: " << scalar_cast<double>(location.s) << "}";
      throw ModelError({}, found.str(), "base or tip: a rigid body has no cross-sections");
    case Kind::point:
      break;
  }
  throw ModelError({}, "{point: " + vector_text(location.point) + "}",
                   "base or tip: a rigid body has no material points, give a pose from its base instead");
}

template <typename S>
std::unique_ptr<BodyT<S>> RigidBodyT<S>::clone() const {
  return std::make_unique<RigidBodyT>(*this);
}
template <typename S>
std::unique_ptr<BodyT<double>> RigidBodyT<S>::clone_as(ScalarTag<double>) const {
  return std::make_unique<RigidBodyT<double>>(parameters_.template cast<double>());
}
template <typename S>
std::unique_ptr<BodyT<long double>> RigidBodyT<S>::clone_as(ScalarTag<long double>) const {
  return std::make_unique<RigidBodyT<long double>>(parameters_.template cast<long double>());
}

template <typename S>
std::unique_ptr<BodyT<ForwardDual>> RigidBodyT<S>::clone_as(ScalarTag<ForwardDual>) const {
  return std::make_unique<RigidBodyT<ForwardDual>>(parameters_.template cast<ForwardDual>());
}

template <typename S>
WorkspaceSize RigidBodyT<S>::workspace_size() const {
  return {0, 0, BodyT<S>::dense_elimination_size(0, 1)};
}

template <typename S>
void RigidBodyT<S>::forward(MotionLevel level, const BodyStateT<S>& state, const WorkspaceT<S>&,
                            PortMotionT<S>* ports) const {
  const PoseT<S>& base_tip = parameters_.tip;
  ports[0].base_port = base_tip;
  if (level >= MotionLevel::velocity) ports[0].velocity = base_tip.act_inverse(state.base_velocity);
  if (level >= MotionLevel::acceleration) ports[0].acceleration = base_tip.act_inverse(state.base_acceleration);
}

template <typename S>
void RigidBodyT<S>::backward(const BodyStateT<S>& state, const WrenchT<S>* port_wrenches, const WorkspaceT<S>&,
                             WrenchT<S>& base_wrench, S*) const {
  base_wrench = inertia_ * state.base_acceleration +
                gyroscopic_wrench(state.base_velocity, inertia_ * state.base_velocity) +
                parameters_.tip.act(port_wrenches[0]);
}

template <typename S>
void RigidBodyT<S>::inertia_blocks(const BodyStateT<S>&, const WorkspaceT<S>&, InertiaBlocksT<S>& blocks) const {
  blocks.base = inertia_;
}

template <typename S>
const S* RigidBodyT<S>::port_jacobian(const WorkspaceT<S>&, int) const {
  return nullptr;  // 6 x 0
}

template <typename S>
S RigidBodyT<S>::kinetic_energy(const BodyStateT<S>& state, const WorkspaceT<S>&) const {
  return S(0.5) * dot(inertia_ * state.base_velocity, state.base_velocity);
}

template <typename S>
Vector3T<S> RigidBodyT<S>::mass_moment(const WorkspaceT<S>&) const {
  return inertia_.moment;
}

#define CUTTLE_INSTANTIATE(S) template class RigidBodyT<S>;
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
