// Simulations 5 to 8 of the supplement to [P], as models/pustina2025 has them: what the paper claims, where its
// parameters allow it. The files say what the text leaves open and what was chosen.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "cuttle/io/scenario_file.h"
#include "cuttle/simulation/simulator.h"
#include "cuttle/spatial/eigen.h"
#include "support/paths.h"

namespace cuttle::CUTTLE_FILE {
namespace {

const double k_gravity = 9.81;  // [m/s^2]

/// A scenario of models/pustina2025, simulated.
class Simulated {
 public:
  explicit Simulated(const std::string& name, const Overrides& overrides = {})
      : file(load_scenario_file(test::k_source_dir + "/models/pustina2025/" + name + "_scenario.yaml", overrides)),
        model_(file.robot) {
    outcome = Simulator(model_, file.scenario).run({&memory_});
  }
  const std::vector<Sample>& samples() const { return memory_.samples(); }
  const Sample& last() const { return memory_.samples().back(); }
  /// Position of a link's tip in the world [m].
  static Eigen::Vector3d tip(const Sample& sample, int link) { return to_eigen(sample.tips[link].position); }
  /// Direction in which a link's tip points, in the world.
  static Eigen::Vector3d direction(const Sample& sample, int link) {
    return to_eigen(sample.tips[link].rotation).col(2);
  }
  /// From this time on the last link's tip stays within `distance` [m] of where it ends.
  double settled_within(double distance) const {
    double time = 0.0;
    for (const Sample& x : samples()) {
      if ((tip(x, 1) - tip(last(), 1)).norm() > distance) time = x.time;
    }
    return time;
  }

  const ScenarioFile file;
  Outcome outcome;

 private:
  Model model_;
  MemoryRecorder memory_;
};

/// Statics of soft cylinders or cones in series that bend in a vertical plane, written down anew: potential energy of
/// strains as sums over short straight pieces, made stationary by Newton's method with differences.
class PlanarArm {
 public:
  using Mode = std::function<double(double)>;  // of t = s/L
  struct Segment {
    double length, base_radius, tip_radius;
    std::vector<Mode> bend;  // modes of L d(angle)/ds
    bool stretch = false, shear = false;

    int size() const { return static_cast<int>(bend.size()) + stretch + shear; }
  };
  struct Tip {
    double forward = 0.0, up = 0.0, angle = 0.0;  // [m], [m], of the tangent above the horizontal
  };

  PlanarArm(double young_modulus, double start_angle, std::vector<Segment> segments)
      : E_(young_modulus), start_angle_(start_angle), segments_(std::move(segments)) {}

  /// Coordinates of an equilibrium near a guess. By segment: bending modes [rad], stretch [m], shear [m].
  VectorXd equilibrium(VectorXd x) const {
    const int n = static_cast<int>(x.size());
    for (int iteration = 0; iteration < 20; ++iteration) {
      VectorXd gradient(n);
      MatrixXd hessian(n, n);
      const auto at = [&](int i, double a, int j, double b) {
        VectorXd y = x;
        y[i] += a * k_step;
        y[j] += b * k_step;
        return energy(y);
      };
      for (int i = 0; i < n; ++i) {
        gradient[i] = (at(i, 1, i, 0) - at(i, -1, i, 0)) / (2 * k_step);
        for (int j = 0; j <= i; ++j) {
          const double difference = at(i, 1, j, 1) - at(i, 1, j, -1) - at(i, -1, j, 1) + at(i, -1, j, -1);
          hessian(i, j) = hessian(j, i) = difference / (4 * k_step * k_step);
        }
      }
      const VectorXd change = -hessian.ldlt().solve(gradient);
      x += change;
      if (change.norm() < 1e-7) {
        EXPECT_TRUE(hessian.llt().info() == Eigen::Success) << "an equilibrium, but not a stable one";
        return x;
      }
    }
    ADD_FAILURE() << "no equilibrium found";
    return x;
  }

  std::vector<Tip> tips(const VectorXd& x) const {
    std::vector<Tip> list;
    walk(x, &list);
    return list;
  }

 private:
  static constexpr double k_step = 1e-4;
  static constexpr int k_pieces = 500;
  static constexpr double k_density = 1070.0, k_poisson_ratio = 0.5;

  double energy(const VectorXd& x) const { return walk(x, nullptr); }

  double walk(const VectorXd& x, std::vector<Tip>* tips) const {
    const double G = E_ / (2 * (1 + k_poisson_ratio));
    Tip at{0.0, 0.0, start_angle_};
    double energy = 0.0;
    int k = 0;
    for (const Segment& segment : segments_) {
      const double L = segment.length, h = L / k_pieces;
      const int n_bend = static_cast<int>(segment.bend.size());
      const double stretch = segment.stretch ? x[k + n_bend] / L : 0.0;
      const double shear = segment.shear ? x[k + n_bend + segment.stretch] / L : 0.0;
      for (int piece = 0; piece < k_pieces; ++piece) {
        const double t = (piece + 0.5) / k_pieces;
        const double radius = segment.base_radius + t * (segment.tip_radius - segment.base_radius);
        const double area = std::numbers::pi * radius * radius, second_moment = area * radius * radius / 4;
        double curvature = 0.0;
        for (int i = 0; i < n_bend; ++i) curvature += x[k + i] * segment.bend[i](t) / L;
        const double angle = at.angle + 0.5 * h * curvature;
        // the section's y axis is its tangent, turned down by a right angle
        const double forward = h * ((1 + stretch) * std::cos(angle) + shear * std::sin(angle));
        const double up = h * ((1 + stretch) * std::sin(angle) - shear * std::cos(angle));
        energy +=
            0.5 * h *
            (E_ * second_moment * curvature * curvature + E_ * area * stretch * stretch + G * area * shear * shear);
        energy += h * area * k_density * k_gravity * (at.up + 0.5 * up);
        at = {at.forward + forward, at.up + up, at.angle + h * curvature};
      }
      if (tips != nullptr) tips->push_back(at);
      k += segment.size();
    }
    return energy;
  }

  double E_, start_angle_;
  std::vector<Segment> segments_;
};

const PlanarArm::Mode k_constant = [](double) { return 1.0; };
const PlanarArm::Mode k_linear = [](double t) { return t; };

/// The arm of Simulations 6 to 8 with other strains, reaching out horizontally.
PlanarArm cylinders(const std::vector<PlanarArm::Mode>& bend, bool stretch, bool shear) {
  const PlanarArm::Segment segment{0.3, 0.01, 0.01, bend, stretch, shear};
  return PlanarArm(3 * 0.555e6, 0.0, {segment, segment});
}

double angle_between(const Eigen::Vector3d& a, const Eigen::Vector3d& b) {
  return std::atan2(a.cross(b).norm(), a.dot(b));
}

class PustinaScenario : public testing::TestWithParam<const char*> {};

// Most of the start's elastic energy is gone before anything moves much: it is up to 54 times the peak kinetic energy,
// yet the balance holds to 20 rtol of the latter.
TEST_P(PustinaScenario, EnergyBalancesAndOnlyFalls) {
  const Simulated run(GetParam());
  ASSERT_EQ(run.outcome.status, RunStatus::complete);
  EXPECT_LT(run.outcome.energy_error, 20 * run.file.scenario.integrator.relative_tolerance * run.outcome.peak_kinetic);
  const double rounding = 2 * run.outcome.energy_error;
  const double least_work = run.file.scenario.integrator.absolute_tolerance;  // known to that, at rest
  for (std::size_t i = 1; i < run.samples().size(); ++i) {
    EXPECT_GE(run.samples()[i].dissipated, run.samples()[i - 1].dissipated - least_work);
    EXPECT_LE(run.samples()[i].energy(), run.samples()[i - 1].energy() + rounding) << run.samples()[i].time;
  }
}
INSTANTIATE_TEST_SUITE_P(All, PustinaScenario,
                         testing::Values("simulation5_pgc", "simulation6_pcc", "simulation7_pac", "simulation8_pcs"));

/// Tips of two rods in series from the strain (kappa, sigma) of [P], by many small rotations about constant axes.
std::vector<Eigen::Vector3d> tips_of(const std::function<Eigen::Matrix<double, 6, 1>(int segment, double t)>& strain,
                                     double length, const Eigen::Matrix3d& base) {
  const int pieces = 2000;
  const double h = length / pieces;
  Eigen::Matrix3d R = base;
  Eigen::Vector3d p(0, 0, 0);
  std::vector<Eigen::Vector3d> tips;
  for (int segment = 0; segment < 2; ++segment) {
    for (int i = 0; i < pieces; ++i) {
      const Eigen::Matrix<double, 6, 1> xi = strain(segment, (i + 0.5) / pieces);
      const Eigen::Vector3d kappa = xi.head<3>();
      const Eigen::AngleAxisd half(0.5 * h * kappa.norm(), kappa.normalized());
      p += h * (R * half * xi.tail<3>());
      R = R * half * half;
    }
    tips.push_back(p);
  }
  return tips;
}

// The coordinates of the files have other signs and another order than [P]'s. Here are [P]'s.
TEST(PustinaScenarios, StartWhereThePaperStarts) {
  const double q5[2][5] = {{0.3, 1, 0, 1, 0.1}, {-1, 0, 0.1, 2, 0}};
  const double q6[2][3] = {{1.5, 1, 0}, {1, -1, 0.1}};
  const double q7[2][4] = {{1.5, 0, 1, 0}, {1, 0, -1, 0}};
  const double q8[2][6] = {{1.5, 1, 0.2, 0.02, 0, 0}, {1, -1, -0.1, 0, -0.01, 0.1}};
  using Strain = Eigen::Matrix<double, 6, 1>;
  const auto strain = [](double kappa_x, double kappa_y, double elongation) {
    return (Strain() << kappa_x, kappa_y, 0, 0, 0, 1 + elongation).finished();
  };
  const auto simulation5 = [&](int i, double t) {
    const double L = 0.2, bump = std::exp(-std::pow(L * t - L / 2, 2));
    return strain(-(q5[i][2] + bump * q5[i][3]) / L, (q5[i][0] + bump * q5[i][1]) / L, q5[i][4] / L);
  };
  // in the convention that Simulation 7 spells out
  const auto simulation6 = [&](int i, double) { return strain(-q6[i][1] / 0.3, q6[i][0] / 0.3, q6[i][2] / 0.3); };
  const auto simulation7 = [&](int i, double t) {
    return strain(-(q7[i][2] + t * q7[i][3]) / 0.3, (q7[i][0] + t * q7[i][1]) / 0.3, 0);
  };
  const auto simulation8 = [&](int i, double) {
    return Strain(Eigen::Map<const Strain>(q8[i]) / 0.3 + strain(0, 0, 0));
  };
  const Eigen::Matrix3d upright = Eigen::Matrix3d::Identity();
  Eigen::Matrix3d along_y;
  along_y << Eigen::Vector3d::UnitX(), -Eigen::Vector3d::UnitZ(), Eigen::Vector3d::UnitY();
  const auto expect_start = [](const std::string& name, const std::vector<Eigen::Vector3d>& tips) {
    const Simulated run(name, {"simulation.duration=0.001"});
    const Sample& start = run.samples().front();
    EXPECT_EQ(start.kinetic, 0.0) << name;
    for (int link = 0; link < 2; ++link) {
      // pieces of length 1/2000, of second order; ten sections of fourth order in the rod
      EXPECT_LT((Simulated::tip(start, link) - tips[link]).norm(), 1e-6) << name << ", link " << link;
    }
  };
  expect_start("simulation5_pgc", tips_of(simulation5, 0.2, upright));
  expect_start("simulation6_pcc", tips_of(simulation6, 0.3, along_y));
  expect_start("simulation7_pac", tips_of(simulation7, 0.3, along_y));
  expect_start("simulation8_pcs", tips_of(simulation8, 0.3, along_y));
}

// "After a transient of approximately 5 s, the arm reaches a steady-state position consistent with the direction of the
// gravitational force": it hangs, in a vertical plane, as its statics want. The 5 s hold for what is lively, kinetic
// energy above 1 % of its peak (2.3 s). They cannot hold for the tip: the swing of a hanging arm is hardly damped by
// eta = 0.01 s, whatever the elastic constant that lets it hang. To within 1 cm it takes 25 s.
TEST(PustinaSimulation5, HangsAsItsStaticsWant) {
  const Simulated run("simulation5_pgc");
  const Sample& end = run.last();
  const Eigen::Vector3d bend = Simulated::tip(end, 0), tip = Simulated::tip(end, 1), up = Eigen::Vector3d::UnitZ();
  EXPECT_LT(angle_between(tip - bend, -up), 0.15);
  EXPECT_LT(tip.z(), -0.1);  // below the base, from which the straight arm points up
  const double azimuth = std::atan2(tip.y(), tip.x());
  const Eigen::Vector3d normal(-std::sin(azimuth), std::cos(azimuth), 0.0);
  EXPECT_NEAR(bend.dot(normal), 0.0, 0.003);

  // [P]'s modes are 1 and the bump; here 1 and what the bump lacks to 1, times 100, which differ enough for Newton
  const PlanarArm::Mode missing = [](double t) { return 100.0 * (1.0 - std::exp(-std::pow(0.2 * (t - 0.5), 2))); };
  const std::vector<PlanarArm::Mode> modes = {k_constant, missing};
  const PlanarArm arm(3 * 0.111e6, std::numbers::pi / 2,
                      {{0.2, 0.01, 0.005, modes, true}, {0.2, 0.005, 0.002, modes, true}});
  VectorXd guess = VectorXd::Zero(6);
  for (int segment = 0; segment < 2; ++segment) {
    const auto q = end.q.segment(5 * segment, 5);  // kappa_x: 1, bump; kappa_y: 1, bump; sigma_z
    const Eigen::Vector2d in_plane = normal.x() * q.head<2>() + normal.y() * q.segment<2>(2);
    guess[3 * segment] = -in_plane.sum();
    guess[3 * segment + 1] = 0.01 * in_plane[1];
  }
  const std::vector<PlanarArm::Tip> rest = arm.tips(arm.equilibrium(guess));
  int count = 0;
  double mean[2][2] = {};  // over about four swings, by link: forward, up
  for (const Sample& sample : run.samples()) {
    if (sample.time < 5.0) continue;
    EXPECT_LT(sample.kinetic, 0.01 * run.outcome.peak_kinetic) << sample.time;
    if (sample.time < 27.0) continue;
    ++count;
    for (int link = 0; link < 2; ++link) {
      const Eigen::Vector3d p = Simulated::tip(sample, link);
      const double forward = p.head<2>().norm();
      EXPECT_LT(std::hypot(forward - rest[link].forward, p.z() - rest[link].up), 0.01) << sample.time;
      mean[link][0] += forward, mean[link][1] += p.z();
    }
  }
  for (int link = 0; link < 2; ++link) {
    EXPECT_NEAR(mean[link][0] / count, rest[link].forward, 0.0005);
    EXPECT_NEAR(mean[link][1] / count, rest[link].up, 0.0005);
  }
}

TEST(PustinaSimulation6, SettlesWhereItsStaticsWant) {
  const Simulated run("simulation6_pcc");
  EXPECT_LT(run.settled_within(1e-4), 10.0);
  const VectorXd& q = run.last().q;
  const VectorXd x = cylinders({k_constant}, true, false).equilibrium(Eigen::Vector4d(-1.7, 0, 0.1, 0));
  VectorXd expected(6);
  expected << x[0], 0, x[1], x[2], 0, x[3];
  EXPECT_LT((q - expected).norm(), 1e-4) << q.transpose() << "\n" << expected.transpose();
}

// "The steady-state configuration is different to the previous." It is, by centimeters.
// "However, as expected, the strain attains similar values at the tip of the two segments." That cannot be, see
// StiffArmsBendAsBeams: at the tips kappa_x L is 0.67 and 0.04, in Simulation 6 -1.70 and 0.09. What is similar is the
// strain's integral: where the segments' tips point.
TEST(PustinaSimulation7, SettlesElsewhereThanSimulation6) {
  // the pose of a curvature that varies is of fourth order in the quadrature: {points: 10} of them are 7e-4 off, in
  // norm
  const Overrides finer = {"robot.links.segment1.body.quadrature.points=20",
                           "robot.links.segment2.body.quadrature.points=20"};
  const Simulated run("simulation7_pac", finer), other("simulation6_pcc");
  EXPECT_LT(run.settled_within(1e-4), 12.0);
  const VectorXd& q = run.last().q;
  const VectorXd x = cylinders({k_constant, k_linear}, false, false).equilibrium(Eigen::Vector4d(-3.6, 4.2, -0.2, 0.2));
  VectorXd expected(8);
  expected << x[0], x[1], 0, 0, x[2], x[3], 0, 0;
  EXPECT_LT((q - expected).norm(), 1e-4) << q.transpose() << "\n" << expected.transpose();

  EXPECT_GT((Simulated::tip(run.last(), 0) - Simulated::tip(other.last(), 0)).norm(), 0.05);
  EXPECT_GT((Simulated::tip(run.last(), 1) - Simulated::tip(other.last(), 1)).norm(), 0.03);
  EXPECT_LT(angle_between(Simulated::direction(run.last(), 0), Simulated::direction(other.last(), 0)), 0.3);
  EXPECT_LT(angle_between(Simulated::direction(run.last(), 1), Simulated::direction(other.last(), 1)), 0.1);
}

// "[S7] starts from the exact spatial configuration of Simulation 6", but for the elongation that it has not.
TEST(PustinaSimulation7, StartsAsSimulation6WithoutElongation) {
  const Simulated run("simulation7_pac", {"simulation.duration=0.01"});
  const Simulated other("simulation6_pcc", {"simulation.duration=0.01", "simulation.initial.segment2.q[2]=0"});
  for (int link = 0; link < 2; ++link) {
    const Sample &a = run.samples().front(), &b = other.samples().front();
    EXPECT_LT((Simulated::tip(a, link) - Simulated::tip(b, link)).norm(), 1e-14);
    EXPECT_LT((Simulated::direction(a, link) - Simulated::direction(b, link)).norm(), 1e-14);
  }
}

// Small deflections of a cantilever under its own weight: its moment, w (2 L - s)^2 / 2, is approximated in the mean on
// each segment, by constants in Simulation 6 and by lines in Simulation 7. At the segments' tips they differ even in
// sign, for any material: so similar strains there, as [P] expects them, are not to be had. Damping acts as stiffness
// does, so stiffer arms settle as fast.
TEST(PustinaSimulation7, StiffArmsBendAsBeams) {
  const double E = 1.665e9, L = 0.3, radius = 0.01;
  const Overrides stiff = {"robot.materials.silicone.young_modulus=1.665e9", "simulation.duration=6"};
  const double area = std::numbers::pi * radius * radius, second_moment = area * radius * radius / 4;
  const double unit = 1070 * area * k_gravity * L * L * L / (E * second_moment);  // of q = kappa L
  const double tolerance = 2e-3 * unit;                                           // the arm has come down by 0.01 rad
  const VectorXd constant = Simulated("simulation6_pcc", stiff).last().q;
  EXPECT_NEAR(constant[0], -7.0 / 6 * unit, tolerance);
  EXPECT_NEAR(constant[3], -1.0 / 6 * unit, tolerance);
  const VectorXd line = Simulated("simulation7_pac", stiff).last().q;
  EXPECT_NEAR(line[0], -23.0 / 12 * unit, tolerance);
  EXPECT_NEAR(line[0] + line[1], -5.0 / 12 * unit, tolerance);
  EXPECT_NEAR(line[4], -5.0 / 12 * unit, tolerance);
  EXPECT_NEAR(line[4] + line[5], 1.0 / 12 * unit, tolerance);
}

// "The steady-state value of the curvature variables and elongations is consistent with those observed in Simulation
// 6", and the new strains are those of the statics: no twist, shear only in the vertical plane.
TEST(PustinaSimulation8, SettlesLikeSimulation6) {
  const Simulated run("simulation8_pcs"), other("simulation6_pcc");
  EXPECT_LT(run.settled_within(1e-3), 10.0);
  const VectorXd &q = run.last().q, &q6 = other.last().q;
  for (int segment = 0; segment < 2; ++segment) {
    const VectorXd strains = q.segment(6 * segment, 6), strains6 = q6.segment(3 * segment, 3);
    EXPECT_NEAR(strains[0], strains6[0], 0.005);  // kappa_x, 0.3 % of the larger one
    EXPECT_NEAR(strains[1], strains6[1], 1e-4);   // kappa_y
    EXPECT_NEAR(strains[5], strains6[2], 1e-6);   // sigma_z [m], 0.2 %
  }
  Eigen::Matrix<double, 6, 1> guess;
  guess << -1.7, 0, 0, 0.1, 0, 0;
  const VectorXd x = cylinders({k_constant}, true, true).equilibrium(guess);
  VectorXd expected = VectorXd::Zero(12);
  expected[0] = x[0], expected[5] = x[1], expected[4] = x[2];
  expected[6] = x[3], expected[11] = x[4], expected[10] = x[5];
  EXPECT_LT((q - expected).norm(), 1e-4) << q.transpose() << "\n" << expected.transpose();
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
