// The discrete rod tends to the rod: against a fine Runge-Kutta integration of dg/ds = g hat(xi) with many sections.

#include <gtest/gtest.h>

#include <cmath>
#include <iostream>

#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/kinematics.h"
#include "support/lagrange_reference.h"
#include "support/plain_robot.h"
#include "support/robot_cases.h"
#include "support/to_robot.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

PlainRobot curved_rod(int sections) {
  PlainRobot plain;
  plain.gravity = {2.0, 1.0, -9.0};
  PlainLink link;
  link.name = "rod";
  link.rod.emplace();
  link.rod->length = 0.5;
  link.rod->section.lengths["radius"] = {0.03, 0.02};
  link.rod->density = 1000.0, link.rod->young_modulus = 1e5;
  link.rod->sections = sections;
  for (const int component : {0, 1, 2, 5}) {
    link.rod->strain[component].emplace();
    link.rod->strain[component]->basis = "monomial", link.rod->strain[component]->order = 2;
  }
  plain.links = {link};
  return plain;
}

// Order four: the step is that of Magnus with two points. Gauss points crowd at the ends, so each doubling divides the
// largest step by nearly two and the error by 11 to 20.
TEST(RodRefinementTest, ErrorsFallWithTheFourthPowerOfTheSections) {
  VectorXd q(12), v(12), a(12);
  q << 2.0, -3.0, 1.5, -1.0, 2.5, 1.2, 1.4, -2.2, 0.7, 0.05, -0.08, 0.06;
  v << 1.0, 0.5, -0.7, 0.8, -1.1, 0.4, -0.3, 0.9, 0.6, 0.04, -0.03, 0.05;
  a << -0.4, 0.8, 0.3, 1.1, 0.2, -0.9, 0.7, -0.5, 0.6, 0.02, 0.05, -0.06;
  const VectorXl ql = q.cast<long double>(), vl = v.cast<long double>(), al = a.cast<long double>();

  const LagrangeReference fine(curved_rod(1), {.sections = 40, .substeps = 12});
  const MatrixXl M = fine.mass_matrix(ql);
  const VectorXl c = fine.coriolis_force(ql, vl), g = fine.gravity_force(ql);
  const Matrix4l tip = fine.pose(ql, {0, "tip", 0.0, {}});
  // the reference itself, against half its steps: far below what is measured
  const LagrangeReference coarse(curved_rod(1), {.sections = 40, .substeps = 6});
  ASSERT_LE(static_cast<double>((coarse.pose(ql, {0, "tip", 0.0, {}}) - tip).cwiseAbs().maxCoeff()), 1e-9);

  double before[4] = {};
  for (const int sections : {6, 12, 24, 48}) {
    const Model model(to_robot(curved_rod(sections)));
    Data data(model);
    const Pose pose = forward_kinematics(model, data, q).pose(model.tip_frame("rod"));
    const double errors[4] = {
        size_of(to_eigen(pose) - tip.cast<double>()),
        size_of(mass_matrix(model, data, q) - M.cast<double>()) / static_cast<double>(M.cwiseAbs().maxCoeff()),
        size_of(inertial_inverse_dynamics(model, data, q, v, a) - (M * al + c).cast<double>()),
        size_of(gravity_force(model, data, q) - g.cast<double>())};
    std::cout << sections << " sections: tip " << errors[0] << ", M " << errors[1] << ", M a + c " << errors[2]
              << ", g " << errors[3] << '\n';
    for (int i = 0; i < 4; ++i) {
      if (sections >= 24) {
        EXPECT_GT(before[i] / errors[i], 10.0) << i;
        EXPECT_LT(before[i] / errors[i], 24.0) << i;
      }
      before[i] = errors[i];
    }
  }
  EXPECT_LE(before[0], 1e-5);
}

// Constant strain needs no refinement: one exponential is exact.
TEST(RodRefinementTest, ConstantStrainIsExact) {
  PlainRobot plain = curved_rod(3);
  plain.links[0].rod->shorthand = "pcs";
  VectorXd q(6);
  q << 1.5, -2.0, 1.1, 0.05, -0.04, 0.06;
  const Model model(to_robot(plain));
  Data data(model);
  const LagrangeReference fine(plain, {.sections = 40, .substeps = 40});
  const Matrix4l tip = fine.pose(q.cast<long double>(), {0, "tip", 0.0, {}});
  const Pose pose = forward_kinematics(model, data, q).pose(model.tip_frame("rod"));
  // Runge and Kutta at 1600 steps of 2e-3 rad: 1600 (2e-3)^5 / 120
  EXPECT_LE(size_of(to_eigen(pose) - tip.cast<double>()), 1e-12);
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
