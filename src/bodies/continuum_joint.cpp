#include "cuttle/bodies/continuum_joint.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "cuttle/bodies/rod_body.h"
#include "cuttle/error.h"
#include "cuttle/spatial/exponential.h"
#include "spatial/number_text.h"

namespace cuttle {

namespace {

/// Twice the derivative of the Stumpff function c_n by the squared angle: dc_n/du = u times this.
template <typename S>
S stumpff_slope(const Stumpff<S, 7>& c, int n) {
  return S(n) * c[n + 2] - c[n + 1];
}

template <typename S>
void require_positive(const char* key, const S& value, const char* unit) {
  using std::isfinite;
  if (value > S(0.0) && isfinite(value)) return;
  throw ModelError(key, number_text(value), std::string("a number > 0 [") + unit + "]");
}

template <typename S>
void require_pair(const char* key, const std::array<S, 2>& values, const char* unit) {
  using std::isfinite;
  if (isfinite(values[0]) && isfinite(values[1]) && values[0] >= S(0.0) && values[1] >= S(0.0)) return;
  throw ModelError(key, list_text(values.data(), 2), std::string("two numbers >= 0 [") + unit + "]");
}

template <typename S, int N>
Vector3T<S> derivative(const Vector3T<Dual<S, N>>& a, int k) {
  return {a.x.derivative[k], a.y.derivative[k], a.z.derivative[k]};
}
template <typename S, int N>
SymmetricMatrix3T<S> derivative(const SymmetricMatrix3T<Dual<S, N>>& a, int k) {
  return {a.xx.derivative[k], a.yy.derivative[k], a.zz.derivative[k],
          a.xy.derivative[k], a.xz.derivative[k], a.yz.derivative[k]};
}

}  // namespace

/// What a forward sweep keeps, in base axes but for the Jacobian; consists of scalars alone.
template <typename S>
struct ContinuumJointT<S>::Shape {
  PoseT<S> base_tip;
  S tip_jacobian[12];                     // 6 x 2 by rows, tip axes
  Vector3T<S> turn[2];                    // rotation of the tip for a change of u, of v
  Vector3T<S> com, com_slope[2];          // [J] (9)
  SymmetricMatrix3T<S> inertia;           // I_c, [J] (19)
  SymmetricMatrix3T<S> inertia_slope[2];  // in u, in v
  Vector3T<S> com_rate, turn_rate;        // relative to the base; from level velocity on
  Vector3T<S> com_second, turn_second;    // their derivatives by components; at level acceleration
};

template <typename S>
auto ContinuumJointT<S>::shape(const WorkspaceT<S>& workspace) -> Shape& {
  static_assert(sizeof(Shape) % sizeof(S) == 0 && alignof(Shape) == alignof(S));
  return *reinterpret_cast<Shape*>(workspace.persistent);
}

template <typename S>
ContinuumJointT<S>::ContinuumJointT(const ContinuumJointParametersT<S>& parameters) : parameters_(parameters) {
  using std::isfinite;
  require_positive("length", parameters_.length, "m");
  require_positive("mass", parameters_.mass, "kg");
  require_positive("radius", parameters_.radius, "m");
  require_pair("stiffness", parameters_.stiffness, "N m/rad");
  require_pair("damping", parameters_.damping, "N m s/rad");
  const auto& [Kx, Ky] = parameters_.stiffness;
  const S& Kxy = parameters_.coupling_stiffness;
  if (!isfinite(Kxy) || !(Kxy * Kxy <= Kx * Ky)) {
    throw ModelError(
        "coupling_stiffness", number_text(Kxy),
        "a number whose square is at most " + number_text(Kx * Ky) + ", the product of the two of stiffness [N m/rad]");
  }
}

template <typename S>
std::vector<Diagnostic> ContinuumJointT<S>::warnings() const {
  if (!parameters_.momentarily_rigid) return {};
  return {Diagnostic("momentarily_rigid", "the inertial force of [J] (11)-(18) does not balance power")};
}

template <typename S>
std::vector<CoordinateInfo> ContinuumJointT<S>::coordinates() const {
  return {{"kappa_x.0", "rad", "curvature about x, times length L"},
          {"kappa_y.0", "rad", "curvature about y, times length L"}};
}

template <typename S>
SpatialInertiaT<S> ContinuumJointT<S>::rest_inertia() const {
  const S straight[2] = {S(0.0), S(0.0)};
  Shape at_rest;
  lump(straight, at_rest);
  return SpatialInertiaT<S>::from_com(parameters_.mass, at_rest.com, at_rest.inertia);
}

template <typename S>
int ContinuumJointT<S>::add_port(const PortLocationT<S>& location) {
  using Kind = typename PortLocationT<S>::Kind;
  switch (location.kind) {
    case Kind::tip:
      return 0;
    case Kind::base:
      throw ModelError({}, "base, which is a body's own frame and not one of its ports", "");
    case Kind::section:
      throw ModelError({}, "{s: " + number_text(location.s) + "}",
                       "base or tip: a continuum joint is lumped, a rod has cross-sections");
    case Kind::point:
      break;
  }
  throw ModelError({}, "{point: " + vector_text(location.point) + "}",
                   "base or tip: a continuum joint has no material points");
}

template <typename S>
std::unique_ptr<BodyT<S>> ContinuumJointT<S>::clone() const {
  return std::make_unique<ContinuumJointT>(*this);
}
template <typename S>
std::unique_ptr<BodyT<double>> ContinuumJointT<S>::clone_as(ScalarTag<double>) const {
  return std::make_unique<ContinuumJointT<double>>(parameters_.template cast<double>());
}
template <typename S>
std::unique_ptr<BodyT<long double>> ContinuumJointT<S>::clone_as(ScalarTag<long double>) const {
  return std::make_unique<ContinuumJointT<long double>>(parameters_.template cast<long double>());
}
template <typename S>
std::unique_ptr<BodyT<ForwardDual>> ContinuumJointT<S>::clone_as(ScalarTag<ForwardDual>) const {
  return std::make_unique<ContinuumJointT<ForwardDual>>(parameters_.template cast<ForwardDual>());
}

template <typename S>
WorkspaceSize ContinuumJointT<S>::workspace_size() const {
  return {sizeof(Shape) / sizeof(S), 0, BodyT<S>::dense_elimination_size(2, 1)};
}

/// With e = (v, -u, 0), x = u^2 + v^2 and c_n at t^2 x, the arc at t L is p = L (t^2 c_2 e + t c_1 e_z), its tangent
/// z = t c_1 e + c_0 e_z. Integrals over t in [0, 1] of products of sines and cosines are Stumpff functions c_n at x
/// and C_n at 4 x again; none has a singularity.
template <typename S>
void ContinuumJointT<S>::lump(const S* q, Shape& shape) const {
  using D = Dual<S, 2>;  // along u and v
  const S x_value = q[0] * q[0] + q[1] * q[1];
  const Stumpff<S, 7> c_values = stumpff<7>(x_value), C_values = stumpff<7>(S(4.0) * x_value);
  const auto c = [&](int n) {
    const S slope = stumpff_slope(c_values, n);
    D r(c_values[n]);
    r.derivative[0] = slope * q[0], r.derivative[1] = slope * q[1];
    return r;
  };
  const auto C = [&](int n) {
    const S slope = S(4.0) * stumpff_slope(C_values, n);
    D r(C_values[n]);
    r.derivative[0] = slope * q[0], r.derivative[1] = slope * q[1];
    return r;
  };
  const D u = D::variable(q[0], 0), v = D::variable(q[1], 1), L(parameters_.length), m(parameters_.mass);
  const D x = u * u + v * v, c2 = c(2), c3 = c(3), C3 = C(3);

  // mean of p = L (c_3 e + c_2 e_z)
  const Vector3T<D> com{L * c3 * v, -(L * c3 * u), L * c2};
  // means of (p - com) (p - com)^T / L^2 and of z z^T, along e e^T, e e_z^T + e_z e^T and e_z e_z^T
  const D ee = D(8.0) * C(5) - D(2.0) * c(5) - c3 * c3, ez = c2 * (D(0.5) * c2 - c3), zz = D(2.0) * C3 - c2 * c2;
  const D tangent_ee = D(2.0) * C3, tangent_ez = C(2), tangent_zz = D(0.5) * (D(1.0) + C(1));
  // a disc has r^2/4 (1 + z z^T) per mass, (20); its place |d|^2 1 - d d^T
  const D disc(S(0.25) * parameters_.radius * parameters_.radius), LL = L * L;
  const D k1 = m * (disc + LL * (ee * x + zz));
  const D k_ee = m * (disc * tangent_ee - LL * ee), k_ez = m * (disc * tangent_ez - LL * ez),
          k_zz = m * (disc * tangent_zz - LL * zz);
  const SymmetricMatrix3T<D> inertia{k1 + k_ee * v * v, k1 + k_ee * u * u, k1 + k_zz,
                                     -(k_ee * u * v),   k_ez * v,          -(k_ez * u)};
  shape.com = {com.x.value, com.y.value, com.z.value};
  shape.inertia = {inertia.xx.value, inertia.yy.value, inertia.zz.value,
                   inertia.xy.value, inertia.xz.value, inertia.yz.value};
  for (int k = 0; k < 2; ++k) {
    shape.com_slope[k] = derivative(com, k);
    shape.inertia_slope[k] = derivative(inertia, k);
  }
}

template <typename S>
void ContinuumJointT<S>::forward(MotionLevel level, const BodyStateT<S>& state, const WorkspaceT<S>& workspace,
                                 PortMotionT<S>* ports) const {
  Shape& kept = shape(workspace);
  lump(state.q, kept);
  const S zero(0.0), &L = parameters_.length, &u = state.q[0], &v = state.q[1];
  const auto c = stumpff<7>(u * u + v * v);
  const TwistT<S> strain{{u, v, zero}, {zero, zero, L}};  // times L
  ports[0].base_port = kept.base_tip = exponential(strain, c);
  const Matrix3T<S>& R = kept.base_tip.rotation;
  const TangentMapT<S> tangent = right_tangent(strain, c);
  for (int k = 0; k < 2; ++k) {
    const TwistT<S> column{tangent.diagonal.column(k), tangent.lower.column(k)};
    for (int r = 0; r < 6; ++r) kept.tip_jacobian[2 * r + k] = column[r];
    kept.turn[k] = R * column.angular;
  }
  if (level < MotionLevel::velocity) return;

  const bool accelerates = level >= MotionLevel::acceleration;
  const S &du = state.v[0], &dv = state.v[1];
  const S ddu = accelerates ? state.a[0] : zero, ddv = accelerates ? state.a[1] : zero;
  TwistT<S> relative, change;
  exponential_rates<S>(strain, {{du, dv, zero}, {}}, {{ddu, ddv, zero}, {}}, c, relative, change);
  const TwistT<S> carried = kept.base_tip.act_inverse(state.base_velocity);
  ports[0].velocity = carried + relative;
  kept.turn_rate = R * relative.angular;
  kept.com_rate = du * kept.com_slope[0] + dv * kept.com_slope[1];
  if (!accelerates) return;

  ports[0].acceleration = kept.base_tip.act_inverse(state.base_acceleration) + bracket(carried, relative) + change;
  kept.turn_second = R * change.angular;
  // second derivative of com = L (c_3 v, -c_3 u, c_2) in time, with s = dx/dt / 2
  const S s = u * du + v * dv, square = du * du + dv * dv;
  const S slope2 = stumpff_slope(c, 2), slope3 = stumpff_slope(c, 3);
  const S bend2 = S(8.0) * c[6] - S(5.0) * c[5] + c[4], bend3 = S(15.0) * c[7] - S(7.0) * c[6] + c[5];
  const S rate3 = slope3 * s, second2 = bend2 * s * s + slope2 * square, second3 = bend3 * s * s + slope3 * square;
  kept.com_second = ddu * kept.com_slope[0] + ddv * kept.com_slope[1] +
                    L * Vector3T<S>{second3 * v + S(2.0) * rate3 * dv, -(second3 * u + S(2.0) * rate3 * du), second2};
}

template <typename S>
void ContinuumJointT<S>::backward(const BodyStateT<S>& state, const WrenchT<S>* port_wrenches,
                                  const WorkspaceT<S>& workspace, WrenchT<S>& base_wrench, S* force) const {
  const Shape& kept = shape(workspace);
  const Vector3T<S>&w0 = state.base_velocity.angular, &r = kept.com;
  const Vector3T<S> com_velocity = state.base_velocity.linear + cross(w0, r) + kept.com_rate;
  // (14), with a_c,rel; base axes
  const Vector3T<S> com_acceleration = state.base_acceleration.linear + cross(state.base_acceleration.angular, r) +
                                       cross(w0, kept.com_rate) + kept.com_second + cross(w0, com_velocity);
  const Vector3T<S> f = parameters_.mass * com_acceleration;
  // (11); the derivative of w by components
  const Vector3T<S> w = w0 + kept.turn_rate, dw = state.base_acceleration.angular + kept.turn_second;
  const Vector3T<S> H = kept.inertia * w;

  Vector3T<S> moment;   // dH/dt
  Vector3T<S> turning;  // what does work on the tip's rotation
  S shaping[2]{};       // what does work on the inertia's change
  if (parameters_.momentarily_rigid) {
    moment = kept.inertia * (dw + cross(w0, kept.turn_rate)) + cross(w, H);  // (18), alpha by (12)
    turning = moment;
  } else {
    const SymmetricMatrix3T<S>* slope = kept.inertia_slope;
    const Vector3T<S> change = state.v[0] * (slope[0] * w) + state.v[1] * (slope[1] * w);
    moment = kept.inertia * dw + change + cross(w0, H);
    // d/dt (turn_k . H) - d(w)/dq_k . H, where d/dt turn_k - d(turn_rate)/dq_k = turn_rate x turn_k
    turning = moment - cross(w, H);
    for (int k = 0; k < 2; ++k) shaping[k] = S(-0.5) * dot(w, slope[k] * w);
  }
  base_wrench = WrenchT<S>{cross(r, f) + moment, f} + kept.base_tip.act(port_wrenches[0]);
  for (int k = 0; k < 2; ++k) {
    force[k] = dot(kept.com_slope[k], f) + dot(kept.turn[k], turning) + shaping[k];
    for (int i = 0; i < 6; ++i) force[k] += kept.tip_jacobian[2 * i + k] * port_wrenches[0][i];
  }
}

template <typename S>
void ContinuumJointT<S>::inertia_blocks(const BodyStateT<S>&, const WorkspaceT<S>& workspace,
                                        InertiaBlocksT<S>& blocks) const {
  const Shape& kept = shape(workspace);
  blocks.base = SpatialInertiaT<S>::from_com(parameters_.mass, kept.com, kept.inertia);
  for (int j = 0; j < 2; ++j) {
    const Vector3T<S> momentum = parameters_.mass * kept.com_slope[j], spin = kept.inertia * kept.turn[j];
    const Vector3T<S> angular = cross(kept.com, momentum) + spin;
    for (int i = 0; i < 3; ++i) {
      blocks.coupling[2 * i + j] = angular[i];
      blocks.coupling[2 * (i + 3) + j] = momentum[i];
    }
    for (int k = 0; k <= j; ++k) {
      blocks.mass[2 * k + j] = blocks.mass[2 * j + k] = dot(kept.com_slope[k], momentum) + dot(kept.turn[k], spin);
    }
  }
}
template <typename S>
const S* ContinuumJointT<S>::port_jacobian(const WorkspaceT<S>& workspace, int) const {
  return shape(workspace).tip_jacobian;
}

template <typename S>
void ContinuumJointT<S>::add_elastic_force(const S* q, S* force) const {
  const auto& [Kx, Ky] = parameters_.stiffness;
  const S& Kxy = parameters_.coupling_stiffness;
  force[0] += Kx * q[0] + Kxy * q[1];
  force[1] += Kxy * q[0] + Ky * q[1];
}
template <typename S>
void ContinuumJointT<S>::add_damping_force(const S*, const S* v, S* force) const {
  for (int k = 0; k < 2; ++k) force[k] += parameters_.damping[k] * v[k];
}
template <typename S>
void ContinuumJointT<S>::stiffness_matrix(const S*, S* stiffness) const {
  const auto& [Kx, Ky] = parameters_.stiffness;
  const S& Kxy = parameters_.coupling_stiffness;
  stiffness[0] = Kx, stiffness[1] = stiffness[2] = Kxy, stiffness[3] = Ky;
}
template <typename S>
void ContinuumJointT<S>::damping_matrix(const S*, const S*, S* damping) const {
  damping[0] = parameters_.damping[0], damping[1] = damping[2] = S(0.0), damping[3] = parameters_.damping[1];
}
template <typename S>
S ContinuumJointT<S>::elastic_energy(const S* q) const {
  const auto& [Kx, Ky] = parameters_.stiffness;
  const S& Kxy = parameters_.coupling_stiffness;
  return S(0.5) * (Kx * q[0] * q[0] + Ky * q[1] * q[1]) + Kxy * q[0] * q[1];
}

template <typename S>
S ContinuumJointT<S>::kinetic_energy(const BodyStateT<S>& state, const WorkspaceT<S>& workspace) const {
  const Shape& kept = shape(workspace);
  const Vector3T<S> w = state.base_velocity.angular + kept.turn_rate;
  const Vector3T<S> velocity =
      state.base_velocity.linear + cross(state.base_velocity.angular, kept.com) + kept.com_rate;
  return S(0.5) * (parameters_.mass * dot(velocity, velocity) + dot(w, kept.inertia * w));
}
template <typename S>
Vector3T<S> ContinuumJointT<S>::mass_moment(const WorkspaceT<S>& workspace) const {
  return parameters_.mass * shape(workspace).com;
}

template <typename S>
void ContinuumJointT<S>::energy_density(const S* q, const Vector3T<S>*, std::size_t count, S* density) const {
  const S volume =
      constant<S>(std::numbers::pi_v<long double>) * parameters_.radius * parameters_.radius * parameters_.length;
  std::fill_n(density, count, elastic_energy(q) / volume);
}

template <typename S>
std::shared_ptr<const BodyT<double>> ContinuumJointT<S>::drawn_as() const {
  RodParameters rod;
  rod.length = scalar_cast<double>(parameters_.length);
  rod.section.radius = Profile(scalar_cast<double>(parameters_.radius));
  rod.material.density = 1.0, rod.material.young_modulus = 1.0;  // a drawing needs no mass
  rod.quadrature_points = 1;
  rod.strain[kappa_x].emplace(), rod.strain[kappa_y].emplace();
  return std::make_shared<const RodBody>(rod);
}

#define CUTTLE_INSTANTIATE(S) template class ContinuumJointT<S>;
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
