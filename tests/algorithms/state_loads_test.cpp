// Loads that depend on the motion: fluids and drones, as wrenches, as added inertia with a bias, and their derivatives.
#include "cuttle/algorithms/state_loads.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/bodies/rigid_body.h"
#include "cuttle/bodies/rod_body.h"
#include "cuttle/error.h"
#include "cuttle/spatial/exponential.h"
#include "support/random.h"
#include "support/random_robot.h"
#include "support/random_state.h"
#include "support/to_robot.h"

namespace cuttle {
namespace {

constexpr double k_pi = std::numbers::pi;

Load fluid_on(const std::string& link) {
  Load load;
  load.kind = Load::Kind::fluid;
  load.place.link = link;
  load.fluid.density = 1000;
  return load;
}

/// A rigid body of 2 kg that nothing holds, water around it along z from 0 to `length`.
Robot floating_body(double length, const Profile& radius_x, const Profile& radius_y) {
  Robot robot;
  robot.gravity = {};
  robot.floating_base = true;
  RigidParameters p;
  p.mass = 2.0, p.com = {0, 0, length / 2}, p.inertia = SymmetricMatrix3::diagonal(0.1, 0.1, 0.02);
  robot.links.push_back({.name = "hull", .body = std::make_shared<RigidBody>(p)});
  Load load = fluid_on("hull");
  load.fluid.length = length, load.fluid.radius_x = radius_x, load.fluid.radius_y = radius_y;
  robot.loads.push_back(load);
  return robot;
}

/// Sum of the wrenches of the state loads on a floating rigid robot, base frame.
Wrench total_wrench(const Model& model, const VectorXd& v, const VectorXd& a) {
  Data data(model);
  std::vector<ExternalWrench> wrenches(state_load_count(model));
  state_load_wrenches<double>(model, data, 0.0, model.neutral(), v, a, VectorXd::Zero(load_integral_count(model)),
                              wrenches);
  const VectorXd f = external_force<double>(model, data, model.neutral(), wrenches);
  return {{f[0], f[1], f[2]}, {f[3], f[4], f[5]}};
}

VectorXd six(double a, double b, double c, double d, double e, double f) {
  VectorXd x(6);
  x << a, b, c, d, e, f;
  return x;
}

TEST(FluidLoad, ACylinderMovedAcrossCarriesTheWaterThatItDisplaces) {
  const double length = 0.8, radius = 0.05, water = 1000 * k_pi * radius * radius * length;
  const Model model(floating_body(length, radius, radius));
  const Wrench across = total_wrench(model, VectorXd::Zero(6), six(0, 0, 0, 0.7, -0.4, 0.3));
  EXPECT_NEAR(across.force.x, -water * 0.7, 1e-12);
  EXPECT_NEAR(across.force.y, water * 0.4, 1e-12);
  EXPECT_EQ(across.force.z, 0.0);
  EXPECT_NEAR(across.torque.y, -water * 0.7 * length / 2, 1e-12);  // at the middle

  // turned about its middle: 1/12 m L^2; the middle stays where it is if the base accelerates by -alpha L/2
  const Wrench turned = total_wrench(model, VectorXd::Zero(6), six(0, 2.0, 0, -2.0 * length / 2, 0, 0));
  EXPECT_NEAR(turned.force.x, 0.0, 1e-12);
  EXPECT_NEAR(turned.torque.y, -water * length * length / 12 * 2.0, 1e-12);

  // the same through forward dynamics: pulled at the middle
  Data data(model);
  std::vector<AddedInertia> added(state_load_count(model));
  state_load_inertias<double>(model, added);
  const VectorXd pull = six(0, 3.0 * length / 2, 0, 3.0, 0, 5.0);
  const VectorXd a = forward_dynamics<double>(model, data, model.neutral(), VectorXd::Zero(6), pull, {}, added);
  EXPECT_NEAR(a[3], 3.0 / (2.0 + water), 1e-12);
  EXPECT_NEAR(a[5], 5.0 / 2.0, 1e-12);
}

TEST(FluidLoad, SteadyMotionMeetsTheMunkMomentAndNoForce) {
  const double length = 0.8, a = 0.05, b = 0.03;
  const Model model(floating_body(length, a, b));
  const double along_x = 1000 * k_pi * b * b * length, along_y = 1000 * k_pi * a * a * length;
  const double vx = 0.4, vy = -0.3, vz = 1.1;
  const Wrench w = total_wrench(model, six(0, 0, 0, vx, vy, vz), VectorXd::Zero(6));
  EXPECT_EQ(norm(w.force), 0.0);  // d'Alembert
  // -v x p with p = (m_x v_x, m_y v_y, 0)
  EXPECT_NEAR(w.torque.x, vz * along_y * vy, 1e-12);
  EXPECT_NEAR(w.torque.y, -vz * along_x * vx, 1e-12);
  EXPECT_NEAR(w.torque.z, -vx * vy * (along_y - along_x), 1e-12);
}

// Lamb's coefficients of a prolate spheroid moved across its axis: what a slender body misses is of the order of
// (radius / length)^2 ln.
TEST(FluidLoad, ASlenderSpheroidHasLambsAddedMass) {
  double before = 1.0;
  for (const double slenderness : {5.0, 10.0, 30.0}) {
    const double radius = 0.1, c = slenderness * radius, e = std::sqrt(1 - 1 / (slenderness * slenderness));
    const double beta = 1 / (e * e) - (1 - e * e) / (2 * e * e * e) * std::log((1 + e) / (1 - e));
    const double lamb = beta / (2 - beta) * 1000 * 4.0 / 3.0 * k_pi * c * radius * radius;
    std::vector<double> outline;
    for (int k = 0; k <= 400; ++k) outline.push_back(radius * std::sqrt(std::max(0.0, 1 - std::pow(k / 200.0 - 1, 2))));
    Robot robot = floating_body(2 * c, Profile(outline), Profile(outline));
    robot.loads[0].fluid.sections = 40;
    const Wrench w = total_wrench(Model(robot), VectorXd::Zero(6), six(0, 0, 0, 1, 0, 0));
    const double excess = -w.force.x / lamb - 1;
    EXPECT_GT(excess, 0.0);
    EXPECT_LT(excess, 3 * std::log(2 * slenderness) / (slenderness * slenderness));
    EXPECT_LT(excess, before);
    before = excess;
  }
}

TEST(FluidLoad, DragOfACylinderIsMorisons) {
  const double length = 0.8, radius = 0.05;
  Robot robot = floating_body(length, radius, radius);
  robot.loads[0].fluid.normal_drag = 1.1;
  robot.loads[0].fluid.tangential_drag = 0.02;
  const Model model(robot);
  const double vx = 0.3, vy = -0.4, vz = -0.8;
  const Wrench w = total_wrench(model, six(0, 0, 0, vx, vy, vz), VectorXd::Zero(6));
  const double across = 0.5 * 1000 * 1.1 * 2 * radius * length * 0.5;  // times |v_perp| = 0.5
  EXPECT_NEAR(w.force.x, -across * vx, 1e-12);
  EXPECT_NEAR(w.force.y, -across * vy, 1e-12);
  EXPECT_NEAR(w.force.z, 0.5 * 1000 * 0.02 * 2 * k_pi * radius * length * vz * vz, 1e-12);
  EXPECT_EQ(norm(total_wrench(model, VectorXd::Zero(6), VectorXd::Zero(6)).force), 0.0);
}

/// A tapered rod of elliptical sections on slides and hinges, which move it by formulas of time: heaving, pitching,
/// rolling and bending.
class PrescribedRod {
 public:
  PrescribedRod() : model_(robot()), data_(model_) {}

  static constexpr double k_length = 0.6;
  static constexpr int k_points = 12;  // per half of the rod
  static constexpr double k_h = 1e-3;  // of differences

  VectorXd q(double t, int derivative = 0) const {
    VectorXd x(model_.nq());
    for (int i = 0; i < x.size(); ++i) {
      const double omega = 1.0 + 0.7 * i, amplitude = (i < 3 ? 0.15 : 0.5) / (1 + 0.3 * i);
      x[i] = amplitude * std::pow(omega, derivative) * std::sin(omega * t + 0.4 * i + derivative * k_pi / 2);
    }
    return x;
  }
  const Model& model() const { return model_; }

  /// A section as it is in the world, from poses alone: velocities by differences of fourth order.
  struct Section {
    Vector3 r, v, x, y, z;
    double mx, my;
    Vector3 momentum() const { return (mx * dot(v, x)) * x + (my * dot(v, y)) * y; }
    /// Q = m v_z w n - 1/2 m w^2 e_z.
    Vector3 flux() const {
      const Vector3 p = momentum();
      return dot(v, z) * p - (0.5 * dot(p, v)) * z;
    }
  };
  static double mass_x(double s) { return 1000 * k_pi * std::pow(half_axis(0.02, 0.008, s), 2); }
  static double mass_y(double s) { return 1000 * k_pi * std::pow(half_axis(0.03, 0.02, s), 2); }

  Section section(double t, double s, const std::string& marker) {
    const Frame frame = model_.marker_frame(marker);
    const auto pose = [&](double time) { return forward_kinematics<double>(model_, data_, q(time)).pose(frame); };
    const double h = k_h;
    const auto r = [&](int k) { return pose(t + k * h).position; };
    const Vector3 v = (1 / (12 * h)) * (r(-2) - r(2) + 8.0 * (r(1) - r(-1)));
    const Pose g = pose(t);
    return {g.position, v, g.rotation.column(0), g.rotation.column(1), g.rotation.column(2), mass_x(s), mass_y(s)};
  }

  /// Force and moment about the world's origin of the water on the robot.
  Wrench world_wrench(double t) {
    const auto wrenches = wrenches_at(t);
    Wrench sum;
    for (const auto& w : wrenches) sum += data_.kinematics.pose(w.frame).act(w.wrench);
    return sum;
  }
  std::vector<ExternalWrench> wrenches_at(double t) {
    std::vector<ExternalWrench> wrenches(state_load_count(model_));
    state_load_wrenches<double>(model_, data_, t, q(t), q(t, 1), q(t, 2), VectorXd(), wrenches);
    return wrenches;
  }
  VectorXd generalized_force(double t) {
    const auto wrenches = wrenches_at(t);
    return external_force<double>(model_, data_, q(t), wrenches);
  }
  /// d(position of a marker)/dq by differences, 3 x nv.
  MatrixXd position_jacobian(double t, const std::string& marker) {
    MatrixXd J(3, model_.nv());
    const Frame frame = model_.marker_frame(marker);
    for (int i = 0; i < J.cols(); ++i) {
      const auto at = [&](double step) {
        VectorXd x = q(t);
        x[i] += step;
        return forward_kinematics<double>(model_, data_, x).pose(frame).position;
      };
      const double h = 1e-3;
      const Vector3 d = (1 / (12 * h)) * (at(-2 * h) - at(2 * h) + 8.0 * (at(h) - at(-h)));
      J.col(i) << d.x, d.y, d.z;
    }
    return J;
  }

  /// Gauss points (5 on each of k_points pieces) with weights.
  static std::vector<std::pair<double, double>> points() {
    const double x[] = {0.0, 0.5384693101056831, 0.9061798459386640},
                 w[] = {0.5688888888888889, 0.4786286704993665, 0.2369268850561891};
    std::vector<std::pair<double, double>> all;
    const double piece = k_length / k_points;
    for (int k = 0; k < k_points; ++k) {
      for (int i = -2; i <= 2; ++i) {
        const double u = i < 0 ? -x[-i] : x[i];
        all.emplace_back(piece * (k + 0.5 + 0.5 * u), 0.5 * piece * w[std::abs(i)]);
      }
    }
    return all;
  }
  static std::string marker(int point, int shift) { return "p" + std::to_string(point) + "_" + std::to_string(shift); }
  static constexpr double k_shift = 1e-3;  // of s, for differences along the rod

 private:
  static double half_axis(double base, double tip, double s) { return base + (tip - base) * s / k_length; }

  static Robot robot() {
    Robot robot;
    robot.links.push_back({.name = "x", .joint = make_prismatic_joint<double>({1, 0, 0})});
    robot.links.push_back({.name = "z", .joint = make_prismatic_joint<double>({0, 0, 1})});
    robot.links.push_back({.name = "pitch", .joint = make_revolute_joint<double>({0, 1, 0})});
    robot.links.push_back({.name = "roll", .joint = make_revolute_joint<double>({0.6, 0, 0.8})});
    RodParameters p;
    p.length = k_length;
    p.section.shape = Section_::Shape::ellipse;
    p.section.radius_x = Profile(std::vector<double>{0.03, 0.02});
    p.section.radius_y = Profile(std::vector<double>{0.02, 0.008});
    p.material = {.density = 1000, .young_modulus = 1e6};
    p.sections = 16;
    for (const int c : {kappa_x, kappa_y, kappa_z}) {
      p.strain[c] = StrainBasis::of_order(StrainBasis::Kind::chebyshev, c == kappa_z ? 0 : 2);
    }
    robot.links.push_back({.name = "rod", .body = std::make_shared<RodBody>(p)});
    const auto add = [&robot](const std::string& name, double s) {
      robot.markers.push_back({name, {"rod", PortLocation::section(s), {}}});
    };
    const auto all = points();
    for (std::size_t k = 0; k < all.size(); ++k) {
      for (const int shift : {-1, 0, 1}) add(marker(static_cast<int>(k), shift), all[k].first + shift * k_shift);
    }
    add("head", 0.0), add("tail", k_length);
    Load load = fluid_on("rod");
    load.fluid.wake = true;
    robot.loads.push_back(load);
    return robot;
  }
  using Section_ = cuttle::Section;

  Model model_;
  Data data_;
};

// Errata of [B], 5: the rate of the water's momentum and the flux at the tail make up the force, integrated over time
// with Simpson's rule, the water's momentum and moment of momentum from poses alone, with points of their own.
TEST(FluidLoad, MomentumOfTheWaterIsBalanced) {
  PrescribedRod rod;
  const double begin = 0.2, end = 0.9;
  const auto momentum = [&](double t) {
    Wrench sum;
    const auto points = PrescribedRod::points();
    for (std::size_t k = 0; k < points.size(); ++k) {
      const auto section = rod.section(t, points[k].first, PrescribedRod::marker(static_cast<int>(k), 0));
      const Vector3 p = points[k].second * section.momentum();
      sum += Wrench{cross(section.r, p), p};
    }
    return sum;
  };
  const int intervals = 40;
  Wrench impulse, shed;
  for (int k = 0; k <= intervals; ++k) {
    const double t = begin + (end - begin) * k / intervals;
    const double weight = (end - begin) / (3 * intervals) * (k == 0 || k == intervals ? 1 : 2 + 2 * (k % 2));
    impulse += weight * rod.world_wrench(t);
    const auto tail = rod.section(t, PrescribedRod::k_length, "tail");
    shed += weight * Wrench{cross(tail.r, tail.flux()), tail.flux()};
  }
  const Wrench expected = momentum(begin) - momentum(end) + shed;
  EXPECT_GT(norm(shed.force), 0.01 * norm(impulse.force));  // all parts matter
  for (int i = 0; i < 6; ++i) {
    EXPECT_NEAR(impulse[i], expected[i], 2e-6 * (i < 3 ? norm(impulse.torque) : norm(impulse.force))) << i;
  }
}

// The law as it is written, f = -d/dt (m w n) + dQ/ds by differences in time and along the rod, at points of a
// quadrature of its own and with Q at a blunt head, does the same work on every coordinate as the weak form. About e_z
// the law says nothing; the half axes that turn add the rest of the Munk moment.
TEST(FluidLoad, WeakFormDoesTheWorkOfTheLaw) {
  PrescribedRod rod;
  const double t = 0.6, h = PrescribedRod::k_h, ds = PrescribedRod::k_shift;
  const auto points = PrescribedRod::points();
  VectorXd expected = VectorXd::Zero(rod.model().nv());
  Data data(rod.model());
  const auto column = [](const Vector3& x) { return Eigen::Vector3d(x.x, x.y, x.z); };
  for (std::size_t k = 0; k < points.size(); ++k) {
    const double s = points[k].first;
    const std::string name = PrescribedRod::marker(static_cast<int>(k), 0);
    const auto at = [&](double time) { return rod.section(time, s, name); };
    const Vector3 rate = (1 / (12 * h)) * (at(t - 2 * h).momentum() - at(t + 2 * h).momentum() +
                                           8.0 * (at(t + h).momentum() - at(t - h).momentum()));
    const Vector3 slope =
        (1 / (2 * ds)) * (rod.section(t, s + ds, PrescribedRod::marker(static_cast<int>(k), 1)).flux() -
                          rod.section(t, s - ds, PrescribedRod::marker(static_cast<int>(k), -1)).flux());
    expected += points[k].second * rod.position_jacobian(t, name).transpose() * column(slope - rate);
    const auto here = at(t);
    const Vector3 across = here.v - dot(here.v, here.z) * here.z;
    const Vector3 twist = -cross(across, here.momentum());
    const MatrixXd J = frame_jacobian<double>(rod.model(), data, rod.q(t), rod.model().marker_frame(name));
    expected += points[k].second * dot(twist, here.z) * J.row(2).transpose();
  }
  expected += rod.position_jacobian(t, "head").transpose() * column(rod.section(t, 0.0, "head").flux());
  const VectorXd found = rod.generalized_force(t);
  EXPECT_LT((found - expected).norm(), 2e-5 * found.norm()) << found.transpose() << "\n" << expected.transpose();
  EXPECT_GT((found - expected).norm(), 0.0);
}

/// Trees of rods and rigid links with gravity, water around every rod and one rigid link, and a drone.
Robot random_swimmer(unsigned seed) {
  test::RandomRobotOptions options;
  options.min_links = 3, options.max_links = 5, options.max_modes = 4, options.floating = seed % 2 == 0;
  const test::PlainRobot plain = test::random_robot(seed, options);
  Robot robot = test::to_robot(plain);
  test::Random random(seed + 5);
  for (const Link& link : robot.links) {
    const bool rod = link.body && link.body->type_name() == "rod",
               rigid = link.body && link.body->type_name() == "rigid";
    if (!rod && !rigid) continue;
    Load load = fluid_on(link.name);
    load.fluid.density = random.uniform(500, 1500);
    load.fluid.radius_x = Profile(std::vector<double>{0.02, 0.03, random.uniform(0.01, 0.03)});
    load.fluid.radius_y = random.uniform(0.01, 0.03);
    load.fluid.normal_drag = random.uniform(0.5, 1.5), load.fluid.tangential_drag = random.uniform(0.01, 0.1);
    load.fluid.wake = random.chance(0.5);
    if (rigid) load.fluid.length = random.uniform(0.1, 0.3), load.fluid.sections = 3;
    robot.loads.push_back(load);
  }
  Load drone;
  drone.kind = Load::Kind::drone;
  drone.place = {robot.links.back().name, PortLocation::tip(), {Matrix3::identity(), {0.01, 0.02, 0.03}}};
  drone.drone.linear_velocity[1] = Signal::sine(0.4, 0.7, 0.3, 0.2);
  drone.drone.angular_velocity[0] = 0.6;
  drone.drone.axes = rotation_exponential(Vector3{0.3, -0.5, 0.9});
  for (int i = 0; i < 6; ++i) drone.drone.proportional[i] = 1.0 + 0.3 * i, drone.drone.integral[i] = 0.5 + 0.2 * i;
  robot.loads.push_back(drone);
  return robot;
}

VectorXd random_integrals(const Model& model, test::Random& random) {
  VectorXd x(load_integral_count(model));
  for (double& value : x) value = random.uniform();
  return x;
}

TEST(StateLoads, ForwardDynamicsWithAddedInertiaBalancesTheWrenches) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const Model model(random_swimmer(seed));
    Data data(model);
    test::Random random(seed);
    const test::RandomState s = test::random_state(model, random);
    const VectorXd integrals = random_integrals(model, random);
    VectorXd tau(model.nv());
    for (double& x : tau) x = random.uniform();
    std::vector<ExternalWrench> wrenches(state_load_count(model));
    std::vector<AddedInertia> added(wrenches.size());
    state_load_biases<double>(model, forward_kinematics<double>(model, data, s.q, s.v), 0.4, integrals, wrenches);
    state_load_inertias<double>(model, added);
    const VectorXd a = forward_dynamics<double>(model, data, s.q, s.v, tau, wrenches, added);

    state_load_wrenches<double>(model, data, 0.4, s.q, s.v, a, integrals, wrenches);
    const VectorXd force = external_force<double>(model, data, s.q, wrenches);
    const VectorXd residual = inverse_dynamics<double>(model, data, s.q, s.v, a) - force - tau;
    const double scale = mass_matrix<double>(model, data, s.q).norm() * a.norm() + force.norm() + tau.norm();
    EXPECT_LT(residual.norm(), 1e-11 * scale) << "seed " << seed;
  }
}

TEST(StateLoads, WrenchesAreAffineInTheAcceleration) {
  const Model model(random_swimmer(3));
  Data data(model);
  test::Random random(3);
  const test::RandomState s = test::random_state(model, random);
  const VectorXd integrals = random_integrals(model, random);
  const std::size_t count = state_load_count(model);
  std::vector<ExternalWrench> whole(count), bias(count);
  std::vector<AddedInertia> added(count);
  state_load_wrenches<double>(model, data, 0.4, s.q, s.v, s.a, integrals, whole);
  state_load_biases<double>(model, data.kinematics, 0.4, integrals, bias);
  state_load_inertias<double>(model, added);
  for (std::size_t k = 0; k < count; ++k) {
    const Wrench sum = bias[k].wrench - added[k].inertia * data.kinematics.acceleration_of(added[k].frame);
    for (int i = 0; i < 6; ++i) EXPECT_NEAR(whole[k].wrench[i], sum[i], 1e-12 * (1 + norm(sum.force)));
  }
}

Pose moved(const Pose& pose, int direction, double step) {
  Twist zeta;
  zeta[direction] = step;
  return pose * exponential(zeta);
}

TEST(StateLoads, DerivativesAreThoseOfDifferences) {
  const Model model(random_swimmer(4));
  test::Random random(8);
  const double time = 0.3, h = 1e-4;
  for (const auto& load : model.state_loads()) {
    for (int k = 0; k < static_cast<int>(load->frames().size()); ++k) {
      FrameMotionT<double> m;
      Twist zeta;
      double x[6];
      for (int i = 0; i < 6; ++i) {
        zeta[i] = random.uniform(), m.velocity[i] = random.uniform(), m.acceleration[i] = random.uniform();
        x[i] = random.uniform();
      }
      m.pose = exponential(zeta);
      StateLoadDerivativeT<double> d;
      load->derivatives(k, time, m, x, d);
      const bool keeps = load->integral_count() == 6;
      // central differences of fourth order of what a change of one number does
      const auto check = [&](const char* what, const Eigen::Matrix<double, 6, 6>& found, bool of_rates,
                             const std::function<void(FrameMotionT<double>&, double*, int, double)>& change) {
        for (int j = 0; j < 6; ++j) {
          const auto at = [&](double step) {
            FrameMotionT<double> other = m;
            double y[6];
            std::copy(x, x + 6, y);
            change(other, y, j, step);
            double result[6] = {};
            if (of_rates) {
              load->integral_rates(time, other, result);
            } else {
              const Wrench w = load->wrench(k, time, other, y);
              for (int i = 0; i < 6; ++i) result[i] = w[i];
            }
            return Eigen::Matrix<double, 6, 1>(result);
          };
          const Eigen::Matrix<double, 6, 1> expected = (at(-2 * h) - at(2 * h) + 8 * (at(h) - at(-h))) / (12 * h);
          EXPECT_LT((found.col(j) - expected).norm(), 1e-9 * (1 + found.norm())) << what << " " << j << ", frame " << k;
        }
      };
      const auto pose = [](FrameMotionT<double>& o, double*, int j, double e) { o.pose = moved(o.pose, j, e); };
      const auto velocity = [](FrameMotionT<double>& o, double*, int j, double e) { o.velocity[j] += e; };
      check("pose", d.by_pose, false, pose);
      check("velocity", d.by_velocity, false, velocity);
      check("acceleration", d.by_acceleration, false,
            [](FrameMotionT<double>& o, double*, int j, double e) { o.acceleration[j] += e; });
      check("integral", d.by_integral, false,
            [keeps](FrameMotionT<double>&, double* y, int j, double e) { y[j] += keeps ? e : 0.0; });
      if (!keeps) continue;
      check("rate by pose", d.rate_by_pose, true, pose);
      check("rate by velocity", d.rate_by_velocity, true, velocity);
    }
  }
}

TEST(StateLoads, DerivativesExistWithoutMotion) {
  const Model model(random_swimmer(4));
  const FrameMotionT<double> rest;
  const double x[6] = {};
  for (const auto& load : model.state_loads()) {
    StateLoadDerivativeT<double> d;
    load->derivatives(0, 0.0, rest, x, d);
    EXPECT_TRUE(d.by_pose.allFinite() && d.by_velocity.allFinite() && d.by_acceleration.allFinite());
  }
}

TEST(FluidLoad, DragTakesPower) {
  Robot robot = random_swimmer(5);
  for (Load& load : robot.loads) load.fluid.wake = false;
  const Model with(robot);
  for (Load& load : robot.loads) load.fluid.normal_drag = load.fluid.tangential_drag = 0.0;
  const Model without(robot);
  test::Random random(11);
  ASSERT_GT(with.state_loads().size(), 2u);
  for (std::size_t i = 0; i + 1 < with.state_loads().size(); ++i) {  // the last one is the drone
    for (int trial = 0; trial < 50; ++trial) {
      FrameMotionT<double> m;
      for (int j = 0; j < 6; ++j) m.velocity[j] = random.uniform();
      const Wrench drag =
          with.state_loads()[i]->wrench(0, 0.0, m, nullptr) - without.state_loads()[i]->wrench(0, 0.0, m, nullptr);
      EXPECT_LT(dot(drag, m.velocity), 0.0);
      // and nothing but drag does work on motion that does not change
      const Wrench rest = without.state_loads()[i]->wrench(0, 0.0, m, nullptr);
      EXPECT_NEAR(dot(rest, m.velocity), 0.0, 1e-15 + 1e-15 * norm(rest.force));
    }
  }
}

TEST(StateLoads, TheModelSaysWhatIsWrong) {
  const auto message = [](const Robot& robot) -> std::string {
    try {
      const Model model(robot);
    } catch (const ModelError& error) {
      return error.what();
    }
    return "";
  };
  Robot robot = floating_body(0.8, 0.05, 0.05);
  robot.loads[0].fluid.density = -1;
  EXPECT_EQ(message(robot), "loads[0]: density: found -1, expected a number > 0 [kg/m^3]");
  robot = floating_body(0.8, 0.05, 0.05);
  robot.loads[0].fluid.radius_y = {};
  EXPECT_EQ(message(robot), "loads[0]: radius_y: found nothing, expected half axes of the outline [m]");
  robot.loads[0].fluid.length = 0.0;
  EXPECT_EQ(message(robot), "loads[0]: length: found 0, expected a number > 0 [m]");
  robot = floating_body(0.8, 0.0, 0.0);
  EXPECT_EQ(message(robot), "loads[0]: radius_x: found only zeros, expected half axes of the outline > 0 [m]");
  robot.loads[0].place.link = "base";
  EXPECT_EQ(message(robot), "loads[0]: link: found 'base', expected a link whose body is a rod or rigid");
  robot = floating_body(0.8, 0.05, 0.05);
  robot.loads[0].kind = Load::Kind::drone;
  robot.loads[0].drone.integral[2] = -0.5;
  EXPECT_EQ(message(robot), "loads[0]: integral: found -0.5, expected numbers >= 0");
  robot.loads[0].drone.axes.row2.z = -1;
  EXPECT_EQ(message(robot), "loads[0]: drone.axes.rotation: found a reflection, expected a rotation");

  const Model model(floating_body(0.8, 0.05, 0.05));
  Data data(model);
  const auto& poses = forward_kinematics<double>(model, data, model.neutral());
  std::vector<ExternalWrench> wrenches(state_load_count(model));
  EXPECT_THROW(state_load_wrenches<double>(model, poses, 0.0, VectorXd(), wrenches), ArgumentError);
  EXPECT_THROW(state_load_biases<double>(model, poses, 0.0, VectorXd(), wrenches), ArgumentError);
}

}  // namespace
}  // namespace cuttle
