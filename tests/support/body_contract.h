#pragma once

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "cuttle/bodies/body.h"
#include "cuttle/error.h"
#include "cuttle/spatial/eigen.h"
#include "cuttle/spatial/exponential.h"

/// The contract of a body, for any class derived from Body:
/// @code
/// TEST(MyBodyTest, KeepsTheContract) { cuttle::test::expect_body_contract(MyBody(..), "my body"); }
/// @endcode
/// Every statement of cuttle/bodies/body.h is checked from outside, against differences of what the body itself says
/// about poses, energies and momenta. Needs GoogleTest and Eigen, and nothing else of Cuttle's tests.
namespace cuttle::test {

struct BodyContractOptions {
  unsigned seed = 1;
  int samples = 2;                  ///< random states
  std::vector<double> coordinates;  ///< size of each coordinate; empty: 0.7 rad, 0.03 m
  double step = 4e-3;               ///< of the sixth-order central differences
  /// Relative to the sum of the sizes of the terms. Differences: step^6 / 140 of the seventh derivative, and
  /// 2 eps / step = 1e-13 of rounding; the default leaves room for derivatives that grow tenfold each.
  double tolerance = 1e-10;
  /// False for bodies whose inertial force does not follow from their kinetic energy, and say so.
  bool lagrangian = true;
};

namespace contract {

template <typename S>
using Vector = Eigen::Matrix<S, Eigen::Dynamic, 1>;
template <typename S>
using Matrix = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic>;
template <typename S>
using Vector6 = Eigen::Matrix<S, 6, 1>;
template <typename S>
using Matrix6 = Eigen::Matrix<S, 6, 6>;

/// Memory for one evaluation, aligned to 64 bytes and filled with NaN: a body must not read what it has not written.
/// What lies behind each part is NaN too and must stay so.
template <typename S>
class Workspace {
 public:
  explicit Workspace(const WorkspaceSize& size)
      : persistent_(size.persistent), scratch_(size.scratch), elimination_(size.elimination) {}
  WorkspaceT<S> get() { return {persistent_.data(), scratch_.data(), elimination_.data()}; }
  /// Scratch is lost between calls.
  void lose_scratch() { scratch_.lose(); }

 private:
  class Part {
   public:
    explicit Part(std::size_t size) : size_(size), memory_(size + k_guard + 64, k_nan) {
      const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
      first_ = ((address + 63) / 64 * 64 - address + sizeof(S) - 1) / sizeof(S);
    }
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;
    ~Part() {
      for (std::size_t i = 0; i < k_guard; ++i) {
        EXPECT_TRUE(std::isnan(data()[size_ + i])) << "written " << i << " scalars behind a workspace of " << size_;
      }
    }
    S* data() { return memory_.data() + first_; }
    void lose() { std::fill(data(), data() + size_, k_nan); }

   private:
    static constexpr S k_nan = std::numeric_limits<S>::quiet_NaN();
    static constexpr std::size_t k_guard = 16;
    std::size_t size_, first_ = 0;
    std::vector<S> memory_;
  };
  Part persistent_, scratch_, elimination_;
};

/// Coordinates and base motion at one instant.
template <typename S>
struct State {
  Vector<S> q, v, a;
  TwistT<S> V, A;

  BodyStateT<S> get() const { return {q.data(), v.data(), a.data(), V, A}; }
  /// The state a time later, if a and A stay.
  State after(const S& t) const {
    State next = *this;
    next.q = q + t * v + (t * t / 2) * a;
    next.v = v + t * a;
    next.V = V + t * A;
    return next;
  }
  template <typename T>
  State<T> cast() const {
    return {q.template cast<T>(), v.template cast<T>(), a.template cast<T>(), V.template cast<T>(),
            A.template cast<T>()};
  }
};

/// Everything that a body makes for one state.
template <typename S>
struct Evaluation {
  std::vector<PortMotionT<S>> ports;
  Vector6<S> base_wrench;
  Vector<S> force;
  Matrix<S> mass;      // M_BB
  Matrix<S> coupling;  // M_0B
  SpatialInertiaT<S> base;
  std::vector<Matrix<S>> jacobians;
  S kinetic_energy;
  Vector3T<S> moment;

  /// [M_00 M_0B; M_B0 M_BB], for (V_0; v).
  Matrix<S> whole() const {
    const Eigen::Index n = mass.rows();
    Matrix<S> M(6 + n, 6 + n);
    M.topLeftCorner(6, 6) = to_eigen(ArticulatedInertiaT<S>::from(base));
    M.topRightCorner(6, n) = coupling;
    M.bottomLeftCorner(n, 6) = coupling.transpose();
    M.bottomRightCorner(n, n) = mass;
    return M;
  }
};

template <typename S>
std::vector<PortMotionT<S>> forward(const BodyT<S>& body, const State<S>& state, MotionLevel level,
                                    Workspace<S>& workspace) {
  std::vector<PortMotionT<S>> ports(body.port_count());
  BodyStateT<S> given = state.get();
  if (level < MotionLevel::acceleration) given.a = nullptr;
  if (level < MotionLevel::velocity) given.v = nullptr;
  body.forward(level, given, workspace.get(), ports.data());
  workspace.lose_scratch();
  return ports;
}
template <typename S>
void backward(const BodyT<S>& body, const State<S>& state, const std::vector<WrenchT<S>>& wrenches,
              Workspace<S>& workspace, Vector6<S>& base, Vector<S>& force) {
  WrenchT<S> wrench;
  force.setConstant(body.coordinate_count(), std::numeric_limits<S>::quiet_NaN());  // to be overwritten
  body.backward(state.get(), wrenches.data(), workspace.get(), wrench, force.data());
  workspace.lose_scratch();
  base = to_eigen(wrench);
}
template <typename S>
void inertia(const BodyT<S>& body, const State<S>& state, Workspace<S>& workspace, Evaluation<S>& result) {
  const int n = body.coordinate_count();
  using ByRows = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const S nan = std::numeric_limits<S>::quiet_NaN();
  ByRows mass = ByRows::Constant(n, n, nan), coupling = ByRows::Constant(6, n, nan);
  InertiaBlocksT<S> blocks{mass.data(), coupling.data(), {}};
  body.inertia_blocks(state.get(), workspace.get(), blocks);
  workspace.lose_scratch();
  result.mass = mass;
  result.coupling = coupling;
  result.base = blocks.base;
  result.jacobians.clear();
  for (int k = 0; k < body.port_count(); ++k) {
    if (n == 0) {
      result.jacobians.emplace_back(6, 0);
    } else {
      result.jacobians.emplace_back(Eigen::Map<const ByRows>(body.port_jacobian(workspace.get(), k), 6, n));
    }
  }
}
/// Calls everything, in an order that `order` (0 .. 3) varies.
template <typename S>
Evaluation<S> evaluate(const BodyT<S>& body, const State<S>& state, const std::vector<WrenchT<S>>& wrenches,
                       Workspace<S>& workspace, int order = 0) {
  Evaluation<S> r;
  r.ports = forward(body, state, MotionLevel::acceleration, workspace);
  const auto energy = [&] {
    r.kinetic_energy = body.kinetic_energy(state.get(), workspace.get());
    workspace.lose_scratch();
    r.moment = body.mass_moment(workspace.get());
    workspace.lose_scratch();
  };
  if (order & 1) energy();
  if (order & 2) inertia(body, state, workspace, r);
  backward(body, state, wrenches, workspace, r.base_wrench, r.force);
  if (!(order & 2)) inertia(body, state, workspace, r);
  if (!(order & 1)) energy();
  return r;
}
template <typename S>
Evaluation<S> evaluate(const BodyT<S>& body, const State<S>& state, const std::vector<WrenchT<S>>& wrenches) {
  Workspace<S> workspace(body.workspace_size());
  return evaluate(body, state, wrenches, workspace);
}
template <typename S>
Evaluation<S> evaluate(const BodyT<S>& body, const State<S>& state) {
  return evaluate(body, state, std::vector<WrenchT<S>>(body.port_count()));
}

/// d f / dt at 0 by the sixth-order central difference.
template <typename F>
auto derivative(const F& f, double h) {
  auto slope = (45.0 * (f(h) - f(-h)) - 9.0 * (f(2 * h) - f(-2 * h)) + (f(3 * h) - f(-3 * h))).eval();
  slope /= 60.0 * h;
  return slope;
}
template <typename F>
double scalar_derivative(const F& f, double h) {
  return (45.0 * (f(h) - f(-h)) - 9.0 * (f(2 * h) - f(-2 * h)) + (f(3 * h) - f(-3 * h))) / (60.0 * h);
}

template <typename A, typename B>
void expect_near(const A& found, const B& expected, double tolerance, double scale, const std::string& what) {
  ASSERT_EQ(found.rows(), expected.rows()) << what;
  ASSERT_EQ(found.cols(), expected.cols()) << what;
  if (found.size() == 0) return;
  EXPECT_TRUE(found.allFinite()) << what << ": not finite";
  EXPECT_LE((found - expected).cwiseAbs().maxCoeff(), tolerance * scale) << what << "\nfound\n"
                                                                         << found << "\nexpected\n"
                                                                         << expected;
}
template <typename Derived>
double size_of(const Eigen::MatrixBase<Derived>& a) {
  return a.size() == 0 ? 0.0 : static_cast<double>(a.cwiseAbs().maxCoeff());
}

class Numbers {
 public:
  explicit Numbers(unsigned seed) : engine_(seed) {}
  double operator()() { return 2.0 * (static_cast<double>(engine_()) * 0x1p-32) - 1.0; }
  Vector3 vector() {
    const double x = (*this)(), y = (*this)(), z = (*this)();
    return {x, y, z};
  }
  Twist twist() {
    const Vector3 w = vector();
    return {w, vector()};
  }
  Wrench wrench() {
    const Vector3 t = vector();
    return {t, vector()};
  }

 private:
  std::mt19937 engine_;
};

inline State<double> random_state(const Body& body, const BodyContractOptions& options, Numbers& numbers) {
  const int n = body.coordinate_count();
  const auto info = body.coordinates();
  State<double> state;
  state.q.resize(n), state.v.resize(n), state.a.resize(n);
  for (int i = 0; i < n; ++i) {
    const double size = !options.coordinates.empty() ? options.coordinates[i] : info[i].unit == "m" ? 0.03 : 0.7;
    state.q[i] = size * numbers();
    state.v[i] = size * numbers();
    state.a[i] = size * numbers();
  }
  state.V = numbers.twist();
  state.A = numbers.twist();
  return state;
}

inline void expect_description(const Body& body) {
  EXPECT_FALSE(body.type_name().empty());
  ASSERT_GE(body.coordinate_count(), 0);
  ASSERT_GE(body.port_count(), 1) << "port 0 is the tip";
  const auto info = body.coordinates();
  ASSERT_EQ(static_cast<int>(info.size()), body.coordinate_count());
  for (std::size_t i = 0; i < info.size(); ++i) {
    EXPECT_FALSE(info[i].name.empty());
    EXPECT_TRUE(info[i].unit == "rad" || info[i].unit == "m") << info[i].name << ": unit " << info[i].unit;
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(info[i].name, info[j].name);
  }
}

/// Velocities and accelerations of the ports are the exact derivatives of their poses and velocities.
inline void expect_exact_motions(const Body& body, const State<double>& state, const BodyContractOptions& options) {
  const auto motion = [&](double t, MotionLevel level) {
    Workspace<double> workspace(body.workspace_size());
    return forward(body, state.after(t), level, workspace);
  };
  const auto ports = motion(0.0, MotionLevel::acceleration);
  const auto poses_only = motion(0.0, MotionLevel::pose);
  const auto velocities = motion(0.0, MotionLevel::velocity);
  for (int k = 0; k < body.port_count(); ++k) {
    SCOPED_TRACE("port " + std::to_string(k));
    const Pose& g = ports[k].base_port;
    const double rounding = 100 * std::numeric_limits<double>::epsilon();
    expect_near(to_eigen(poses_only[k].base_port), to_eigen(g), rounding, 1.0, "pose at level pose");
    expect_near(to_eigen(velocities[k].base_port), to_eigen(g), rounding, 1.0, "pose at level velocity");
    expect_near(to_eigen(velocities[k].velocity), to_eigen(ports[k].velocity), rounding,
                1.0 + size_of(to_eigen(ports[k].velocity)), "velocity at level velocity");
    const Eigen::Matrix3d R = to_eigen(g.rotation);
    expect_near(R.transpose() * R, Eigen::Matrix3d::Identity(), 100 * std::numeric_limits<double>::epsilon(), 1.0,
                "rotation of the port");

    const Eigen::Matrix4d rate = derivative(
        [&](double t) -> Eigen::Matrix4d { return to_eigen(motion(t, MotionLevel::pose)[k].base_port); }, options.step);
    const Eigen::Matrix4d twist = to_eigen(g.inverse()) * rate;
    Vector6<double> relative;
    relative << twist(2, 1), twist(0, 2), twist(1, 0), twist(0, 3), twist(1, 3), twist(2, 3);
    const Vector6<double> velocity = to_eigen(g.act_inverse(state.V)) + relative;
    expect_near(to_eigen(ports[k].velocity), velocity, options.tolerance, 1.0 + size_of(velocity), "velocity");

    const Vector6<double> acceleration =
        derivative([&](double t) -> Vector6<double> { return to_eigen(motion(t, MotionLevel::velocity)[k].velocity); },
                   options.step);
    expect_near(to_eigen(ports[k].acceleration), acceleration, options.tolerance, 1.0 + size_of(acceleration),
                "acceleration");
  }
}

/// Affine in (a, A_0, wrenches), with the matrices of inertia_blocks and the port Jacobians as slopes.
inline void expect_blocks(const Body& body, const State<double>& state, Numbers& numbers) {
  const int n = body.coordinate_count();
  const Evaluation<double> at = evaluate(body, state);
  const Matrix<double> M = at.whole();
  State<double> rest = state;
  rest.a.setZero(), rest.A = {};
  const Evaluation<double> bias = evaluate(body, rest);
  const double rounding = 1e4 * std::numeric_limits<double>::epsilon();  // n-fold sums, and a difference of two forces
  const double scale = size_of(M) + size_of(bias.force) + size_of(bias.base_wrench);

  const auto column = [&](const State<double>& unit) {
    const Evaluation<double> moved = evaluate(body, unit);
    Vector<double> force(6 + n);
    force << moved.base_wrench - bias.base_wrench, moved.force - bias.force;
    return force;
  };
  for (int j = 0; j < 6 + n; ++j) {
    State<double> unit = rest;
    if (j < 6) {
      unit.A[j] = 1.0;
    } else {
      unit.a[j - 6] = 1.0;
    }
    expect_near(column(unit), M.col(j), rounding, scale, "column " + std::to_string(j) + " of the inertia");
  }
  Vector<double> acceleration(6 + n);
  acceleration << to_eigen(state.A), state.a;
  expect_near(column(state), M * acceleration, rounding, scale * (1 + size_of(acceleration)), "affinity");

  expect_near(M, M.transpose().eval(), 0.0, 0.0, "both halves of the inertia");
  EXPECT_EQ(Eigen::LLT<Matrix<double>>(at.mass).info(), Eigen::Success) << "M_BB is not positive definite";
  // with the base it is singular for a point mass: shifted by rounding
  const Matrix<double> shifted = M + rounding * size_of(M) * Matrix<double>::Identity(6 + n, 6 + n);
  EXPECT_EQ(Eigen::LLT<Matrix<double>>(shifted).info(), Eigen::Success) << "the inertia is not semidefinite";

  for (int k = 0; k < body.port_count(); ++k) {
    const std::string port = " of port " + std::to_string(k);
    const Pose& g = at.ports[k].base_port;
    expect_near(to_eigen(at.ports[k].velocity), to_eigen(g.act_inverse(state.V)) + at.jacobians[k] * state.v, rounding,
                1.0 + size_of(at.jacobians[k]), "J v" + port);
    expect_near(to_eigen(at.ports[k].acceleration),
                to_eigen(bias.ports[k].acceleration) + to_eigen(g.act_inverse(state.A)) + at.jacobians[k] * state.a,
                rounding, 1.0 + size_of(at.jacobians[k]) + size_of(to_eigen(bias.ports[k].acceleration)),
                "X A + J a + b" + port);
    std::vector<Wrench> wrenches(body.port_count());
    wrenches[k] = numbers.wrench();
    const Evaluation<double> loaded = evaluate(body, rest, wrenches);
    expect_near(loaded.force - bias.force, at.jacobians[k].transpose() * to_eigen(wrenches[k]), rounding, scale + 1.0,
                "J^T w" + port);
    expect_near(loaded.base_wrench - bias.base_wrench, to_eigen(g.act(wrenches[k])), rounding, scale + 1.0,
                "X^T w" + port);
  }
}

/// Kinetic energy, and the bias forces that follow from it: d/dt (M V) - dT/dq, with ad^T on the base.
inline void expect_lagrange(const Body& body, const State<double>& state, const BodyContractOptions& options) {
  const int n = body.coordinate_count();
  const Evaluation<double> at = evaluate(body, state);
  const auto velocity = [&](const State<double>& s) {
    Vector<double> v(6 + n);
    v << to_eigen(s.V), s.v;
    return v;
  };
  const Matrix<double> M = at.whole();
  const double energy = 0.5 * velocity(state).dot(M * velocity(state));
  const double scale = size_of(M) * (1.0 + velocity(state).squaredNorm());
  EXPECT_NEAR(at.kinetic_energy, energy, 1e4 * std::numeric_limits<double>::epsilon() * scale) << "kinetic energy";
  EXPECT_GE(at.kinetic_energy, 0.0);

  const auto momentum = [&](double t) -> Vector<double> {
    const State<double> later = state.after(t);
    return evaluate(body, later).whole() * velocity(later);
  };
  Vector<double> expected = derivative(momentum, options.step);
  const Vector<double> p = momentum(0.0);
  const Wrench p0{{p[0], p[1], p[2]}, {p[3], p[4], p[5]}};
  expected.head(6) += to_eigen(gyroscopic_wrench(state.V, p0));
  for (int k = 0; k < n; ++k) {
    expected[6 + k] -= scalar_derivative(
        [&](double t) {
          State<double> moved = state;
          moved.q[k] += t;
          return 0.5 * velocity(state).dot(evaluate(body, moved).whole() * velocity(state));
        },
        options.step);
  }
  if (options.lagrangian) {
    Vector<double> found(6 + n);
    found << at.base_wrench, at.force;
    expect_near(found, expected, options.tolerance, scale + size_of(expected), "inertial force against Lagrange's");
    const double power =
        scalar_derivative([&](double t) { return evaluate(body, state.after(t)).kinetic_energy; }, options.step);
    EXPECT_NEAR(velocity(state).dot(found), power, options.tolerance * (scale + std::abs(power))) << "power";
  }

  // mass moment: first moment of M_00, and its rate is the momentum that deformation makes
  expect_near(to_eigen(at.moment), to_eigen(at.base.moment), 1e3 * std::numeric_limits<double>::epsilon(),
              at.base.mass + size_of(to_eigen(at.moment)), "mass moment");
  State<double> still = state;
  still.V = {}, still.A = {};
  const Eigen::Vector3d rate = derivative(
      [&](double t) -> Eigen::Vector3d { return to_eigen(evaluate(body, still.after(t)).moment); }, options.step);
  expect_near((at.coupling * state.v).tail(3).eval(), rate, options.tolerance, scale, "rate of the mass moment");
}

/// Elastic force and stiffness are derivatives of the energy; damping takes power.
inline void expect_elasticity(const Body& body, const State<double>& state, const BodyContractOptions& options,
                              Numbers& numbers) {
  const int n = body.coordinate_count();
  const Vector<double> none = Vector<double>::Zero(n);
  const auto elastic = [&](const Vector<double>& q) {
    Vector<double> force = Vector<double>::Zero(n);
    body.add_elastic_force(q.data(), force.data());
    return force;
  };
  const auto damping = [&](const Vector<double>& v) {
    Vector<double> force = Vector<double>::Zero(n);
    body.add_damping_force(state.q.data(), v.data(), force.data());
    return force;
  };
  using ByRows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  ByRows K = ByRows::Constant(n, n, nan), D = K;
  body.stiffness_matrix(state.q.data(), K.data());
  body.damping_matrix(state.q.data(), state.v.data(), D.data());
  const Vector<double> force = elastic(state.q), drag = damping(state.v);
  const double scale = size_of(force) + size_of(K) * size_of(state.q),
               drag_scale = size_of(drag) + size_of(D) * size_of(state.v);
  // elastic terms vary over the size of the coordinate, which for lengths is small
  for (int k = 0; k < n; ++k) {
    const double h = options.step * (std::abs(state.q[k]) > 0.05 ? 1.0 : 0.1);
    const auto moved = [&](double t, const Vector<double>& from) {
      Vector<double> to = from;
      to[k] += t;
      return to;
    };
    const double gradient =
        scalar_derivative([&](double t) { return body.elastic_energy(moved(t, state.q).data()); }, h);
    // a difference of energies: their rounding over the step
    const double rounding =
        1e2 * std::numeric_limits<double>::epsilon() * std::abs(body.elastic_energy(state.q.data())) / h;
    EXPECT_NEAR(force[k], gradient, options.tolerance * scale + rounding)
        << "elastic force " << k << " and the energy's gradient";
    const Vector<double> K_column = derivative([&](double t) { return elastic(moved(t, state.q)); }, h);
    expect_near(K.col(k), K_column, options.tolerance, size_of(K) + scale / h * 1e-3,
                "stiffness column " + std::to_string(k));
    const Vector<double> D_column = derivative([&](double t) { return damping(moved(t, state.v)); }, h);
    expect_near(D.col(k), D_column, options.tolerance, size_of(D) + drag_scale / h * 1e-3,
                "damping column " + std::to_string(k));
  }
  expect_near(K, K.transpose().eval(), 100 * std::numeric_limits<double>::epsilon(), size_of(K),
              "symmetry of the stiffness");
  EXPECT_GE(state.v.dot(drag), 0.0) << "damping gives power";
  expect_near(damping(none), none, 0.0, 0.0, "damping at rest");
  EXPECT_GE(body.elastic_energy(state.q.data()), 0.0);

  Vector<double> sum(n);
  for (int i = 0; i < n; ++i) sum[i] = numbers();
  const Vector<double> before = sum;
  body.add_elastic_force(state.q.data(), sum.data());
  body.add_damping_force(state.q.data(), state.v.data(), sum.data());
  expect_near(sum - before, force + drag, 100 * std::numeric_limits<double>::epsilon(),
              1.0 + size_of(force) + size_of(drag), "forces are added");
}

/// eliminate and back_substitute, checked by putting their acceleration into the inverse dynamics.
inline void expect_elimination(const Body& body, const State<double>& state, Numbers& numbers, bool every_port) {
  const int n = body.coordinate_count(), ports = body.port_count();
  State<double> still = state;
  still.a.setZero(), still.A = {};
  Vector<double> applied(n);
  for (int i = 0; i < n; ++i) applied[i] = numbers();

  std::vector<ArticulatedLoadT<double>> loads(ports);
  std::vector<const ArticulatedLoadT<double>*> at_port(ports);
  for (int k = 0; k < ports; ++k) {
    const Vector3 h = 0.1 * numbers.vector();
    loads[k].inertia = ArticulatedInertia::from(
        SpatialInertia::from_com(1.5 + numbers(), h, SymmetricMatrix3::diagonal(0.02, 0.03, 0.025)));
    loads[k].inertia.subtract_outer(-0.3, numbers.wrench());  // no rigid body's
    loads[k].bias = numbers.wrench();
    at_port[k] = every_port || k % 2 == 1 ? &loads[k] : nullptr;
  }

  for (int j = 0; j <= 6; ++j) {  // six directions of the base and none
    Workspace<double> workspace(body.workspace_size());
    std::vector<PortMotionT<double>> motions = forward(body, still, MotionLevel::acceleration, workspace);
    ArticulatedLoadT<double> base;
    ASSERT_TRUE(body.eliminate(still.get(), applied.data(), at_port.data(), motions.data(), workspace.get(), base));
    workspace.lose_scratch();
    const Matrix6<double> I = to_eigen(base.inertia);
    EXPECT_GE(I.selfadjointView<Eigen::Upper>().ldlt().vectorD().minCoeff(),
              -1e3 * std::numeric_limits<double>::epsilon() * size_of(I))
        << "articulated inertia at the base";

    State<double> moving = still;
    if (j < 6) moving.A[j] = 1.0;
    moving.a.setConstant(std::numeric_limits<double>::quiet_NaN());
    body.back_substitute(moving.A, workspace.get(), moving.a.data(), motions.data());

    Workspace<double> other(body.workspace_size());
    const auto expected = forward(body, moving, MotionLevel::acceleration, other);
    std::vector<Wrench> wrenches(ports);
    double scale = 1.0;
    for (int k = 0; k < ports; ++k) {
      const double size = 1.0 + size_of(to_eigen(expected[k].acceleration));
      // the acceleration of a stiffly coupled coordinate is large: its rounding is that of the ports
      expect_near(to_eigen(motions[k].acceleration), to_eigen(expected[k].acceleration),
                  1e5 * std::numeric_limits<double>::epsilon(), size + size_of(moving.a),
                  "acceleration of port " + std::to_string(k));
      if (at_port[k] == nullptr) continue;
      wrenches[k] = loads[k].inertia * expected[k].acceleration + loads[k].bias;
      scale += size_of(to_eigen(wrenches[k])) + size_of(to_eigen(loads[k].inertia)) * size;
    }
    Vector6<double> base_wrench;
    Vector<double> force;
    backward(body, moving, wrenches, other, base_wrench, force);
    Evaluation<double> blocks;
    inertia(body, moving, other, blocks);
    scale += (size_of(blocks.mass) + size_of(blocks.coupling)) * size_of(moving.a) + size_of(blocks.coupling);
    const double rounding =
        1e6 * std::numeric_limits<double>::epsilon();  // solved with a matrix of condition 1e6 or less
    expect_near(force, applied, rounding, scale, "M a + .. = applied for base acceleration " + std::to_string(j));
    expect_near(base_wrench, to_eigen(base.inertia * moving.A + base.bias), rounding, scale,
                "I A + p for base acceleration " + std::to_string(j));
  }
}

template <typename S>
void expect_same(const Evaluation<S>& a, const Evaluation<S>& b, double tolerance, const std::string& what) {
  const auto same = [&](const auto& x, const auto& y, double scale, const std::string& name) {
    expect_near(x, y, tolerance, scale, what + ": " + name);
  };
  const double inertia = size_of(a.whole());
  const double scale = inertia * (1.0 + size_of(to_eigen(a.ports[0].velocity)));
  for (std::size_t k = 0; k < a.ports.size(); ++k) {
    const std::string port = " of port " + std::to_string(k);
    same(to_eigen(a.ports[k].base_port), to_eigen(b.ports[k].base_port), 1.0, "pose" + port);
    same(to_eigen(a.ports[k].velocity), to_eigen(b.ports[k].velocity), 1.0 + size_of(to_eigen(a.ports[k].velocity)),
         "velocity" + port);
    same(to_eigen(a.ports[k].acceleration), to_eigen(b.ports[k].acceleration),
         1.0 + size_of(to_eigen(a.ports[k].acceleration)), "acceleration" + port);
    same(a.jacobians[k], b.jacobians[k], 1.0 + size_of(a.jacobians[k]), "Jacobian" + port);
  }
  same(a.whole(), b.whole(), inertia, "inertia");
  same(a.base_wrench, b.base_wrench, 1.0 + scale + size_of(a.base_wrench), "base wrench");
  same(a.force, b.force, 1.0 + scale + size_of(a.force), "force");
  same(Vector<S>::Constant(1, a.kinetic_energy), Vector<S>::Constant(1, b.kinetic_energy), scale, "kinetic energy");
  same(to_eigen(a.moment), to_eigen(b.moment), static_cast<double>(a.base.mass), "mass moment");
}

template <typename S, typename T>
Evaluation<T> rounded(const Evaluation<S>& a) {
  Evaluation<T> b;
  for (const auto& p : a.ports) {
    b.ports.push_back(
        {p.base_port.template cast<T>(), p.velocity.template cast<T>(), p.acceleration.template cast<T>()});
  }
  b.base_wrench = a.base_wrench.template cast<T>();
  b.force = a.force.template cast<T>();
  b.mass = a.mass.template cast<T>();
  b.coupling = a.coupling.template cast<T>();
  b.base = a.base.template cast<T>();
  for (const auto& J : a.jacobians) b.jacobians.push_back(J.template cast<T>());
  b.kinetic_energy = static_cast<T>(a.kinetic_energy);
  b.moment = a.moment.template cast<T>();
  return b;
}

/// Results depend on the state alone: not on earlier calls, on their order, or on which copy is asked.
inline void expect_no_memory(const Body& body, const State<double>& state, const State<double>& other,
                             Numbers& numbers) {
  std::vector<Wrench> wrenches(body.port_count());
  for (Wrench& w : wrenches) w = numbers.wrench();
  const Evaluation<double> expected = evaluate(body, state, wrenches);
  Workspace<double> used(body.workspace_size());
  for (int order = 0; order < 4; ++order) {
    evaluate(body, other, wrenches, used, 3 - order);
    expect_same(evaluate(body, state, wrenches, used, order), expected, 0.0, "after another state");
  }
  forward(body, other, MotionLevel::pose, used);
  expect_same(evaluate(body, state, wrenches, used, 1), expected, 0.0, "after a call for poses");
  const std::unique_ptr<Body> copy = body.clone();
  EXPECT_EQ(copy->port_count(), body.port_count());
  EXPECT_EQ(copy->type_name(), body.type_name());
  expect_same(evaluate(*copy, state, wrenches), expected, 0.0, "clone");
  const std::unique_ptr<Body> cast = body.clone_as(ScalarTag<double>{});
  expect_same(evaluate(*cast, state, wrenches), expected, 0.0, "clone_as double");

  // blocks after a call for poses only
  Evaluation<double> early;
  forward(body, state, MotionLevel::pose, used);
  inertia(body, state, used, early);
  expect_near(early.whole(), expected.whole(), 0.0, 0.0, "blocks after poses");
}

/// The same body in long double. @return false if it has none, which it must say in words.
inline bool expect_same_in_long_double(const Body& body, const State<double>& state, Numbers& numbers) {
  std::unique_ptr<BodyT<long double>> wide;
  try {
    wide = body.clone_as(ScalarTag<long double>{});
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()), "");
    return false;
  }
  EXPECT_EQ(wide->port_count(), body.port_count());
  EXPECT_EQ(wide->coordinate_count(), body.coordinate_count());
  std::vector<Wrench> wrenches(body.port_count());
  std::vector<WrenchT<long double>> wide_wrenches;
  for (Wrench& w : wrenches) w = numbers.wrench(), wide_wrenches.push_back(w.cast<long double>());
  const State<long double> wide_state = state.cast<long double>();
  const double rounding = 1e3 * std::numeric_limits<double>::epsilon();
  expect_same(evaluate(body, state, wrenches), rounded<long double, double>(evaluate(*wide, wide_state, wide_wrenches)),
              rounding, "long double");
  const int n = body.coordinate_count();
  Vector<double> force = Vector<double>::Zero(n), drag = force;
  Vector<long double> wide_force = Vector<long double>::Zero(n), wide_drag = wide_force;
  body.add_elastic_force(state.q.data(), force.data());
  body.add_damping_force(state.q.data(), state.v.data(), drag.data());
  wide->add_elastic_force(wide_state.q.data(), wide_force.data());
  wide->add_damping_force(wide_state.q.data(), wide_state.v.data(), wide_drag.data());
  expect_near(force, wide_force.cast<double>(), rounding, size_of(force), "elastic force in long double");
  expect_near(drag, wide_drag.cast<double>(), rounding, size_of(drag), "damping force in long double");
  EXPECT_NEAR(body.elastic_energy(state.q.data()), static_cast<double>(wide->elastic_energy(wide_state.q.data())),
              rounding * body.elastic_energy(state.q.data()));
  return true;
}

}  // namespace contract

/// Checks everything that a body promises, at random states of a fixed seed, which every failure prints.
inline void expect_body_contract(const Body& body, const std::string& name, const BodyContractOptions& options = {}) {
  using namespace contract;
  SCOPED_TRACE(name + ", seed " + std::to_string(options.seed));
  ASSERT_NO_FATAL_FAILURE(expect_description(body));
  Numbers numbers(options.seed);

  State<double> zero;
  zero.q = zero.v = zero.a = Vector<double>::Zero(body.coordinate_count());
  const Matrix<double> rest = to_eigen(ArticulatedInertia::from(body.rest_inertia()));
  expect_near(evaluate(body, zero).whole().topLeftCorner(6, 6).eval(), rest,
              100 * std::numeric_limits<double>::epsilon(), size_of(rest), "rest inertia");

  for (int sample = 0; sample < options.samples; ++sample) {
    SCOPED_TRACE("sample " + std::to_string(sample));
    const State<double> state = random_state(body, options, numbers), other = random_state(body, options, numbers);
    expect_exact_motions(body, state, options);
    expect_blocks(body, state, numbers);
    expect_lagrange(body, state, options);
    expect_elasticity(body, state, options, numbers);
    expect_elimination(body, state, numbers, true);
    expect_elimination(body, state, numbers, false);
    expect_no_memory(body, state, other, numbers);
    expect_same_in_long_double(body, state, numbers);
  }
}

}  // namespace cuttle::test
