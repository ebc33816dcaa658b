// Fluids around slender links against closed forms, momentum balance and the law as it is written.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "algorithms/state_load_robots.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/algorithms/state_loads.h"
#include "cuttle/bodies/rod_body.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using test::floating_body;

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
  const double length = 0.8, radius = 0.05, water = 1000 * std::numbers::pi * radius * radius * length;
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
  const double along_x = 1000 * std::numbers::pi * b * b * length, along_y = 1000 * std::numbers::pi * a * a * length;
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
    const double lamb = beta / (2 - beta) * 1000 * 4.0 / 3.0 * std::numbers::pi * c * radius * radius;
    std::vector<double> outline;
    for (int k = 0; k <= 400; ++k) outline.push_back(radius * std::sqrt(std::max(0.0, 1 - std::pow(k / 200.0 - 1, 2))));
    Robot robot = floating_body(2 * c, Profile(outline), Profile(outline));
    test::change_fluid(robot.loads[0], [](Fluid& fluid) { fluid.points = 40; });
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
  test::change_fluid(robot.loads[0], [](Fluid& fluid) { fluid.normal_drag = 1.1, fluid.tangential_drag = 0.02; });
  const Model model(robot);
  const double vx = 0.3, vy = -0.4, vz = -0.8;
  const Wrench w = total_wrench(model, six(0, 0, 0, vx, vy, vz), VectorXd::Zero(6));
  const double across = 0.5 * 1000 * 1.1 * 2 * radius * length * 0.5;  // times |v_perp| = 0.5
  EXPECT_NEAR(w.force.x, -across * vx, 1e-12);
  EXPECT_NEAR(w.force.y, -across * vy, 1e-12);
  EXPECT_NEAR(w.force.z, 0.5 * 1000 * 0.02 * 2 * std::numbers::pi * radius * length * vz * vz, 1e-12);
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
      x[i] =
          amplitude * std::pow(omega, derivative) * std::sin(omega * t + 0.4 * i + derivative * std::numbers::pi / 2);
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
  static double mass_x(double s) { return 1000 * std::numbers::pi * std::pow(half_axis(0.02, 0.008, s), 2); }
  static double mass_y(double s) { return 1000 * std::numbers::pi * std::pow(half_axis(0.03, 0.02, s), 2); }

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
    p.quadrature_points = 16;
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
    Fluid fluid = test::water();
    fluid.wake = true;
    robot.loads.push_back(make_fluid_load("rod", fluid));
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

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
