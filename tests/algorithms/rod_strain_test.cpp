// Rods beyond what materials bear: closed forms of one that is pulled, sheared and bent; and inverse kinematics, which
// leaves every rod a length.
#include "cuttle/algorithms/rod_strain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

#include "cuttle/algorithms/inverse_kinematics.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/io/robot_file.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

using testing::HasSubstr;

/// One rod of 0.2 m, 10 mm thick, with these strains.
Model rod(const std::string& strain, const std::string& section = "{shape: circle, radius: 0.01}") {
  return Model(
      read_robot_text("cuttle: 1\nname: arm\nmaterials: {rubber: {density: 1000, young_modulus: 1.0e6, "
                      "poisson_ratio: 0.45}}\nlinks:\n- {name: finger, body: {type: rod, length: 0.2, section: " +
                          section + ", material: rubber, strain: " + strain + "}}\n",
                      "arm.yaml"));
}

VectorXd numbers(std::initializer_list<double> values) {
  return Eigen::Map<const VectorXd>(values.begin(), static_cast<Eigen::Index>(values.size()));
}

// a coordinate of kappa is the angle over the whole rod, one of sigma the elongation in m
TEST(RodStrainsTest, NameTheWorstFiber) {
  const Model model = rod("{kappa_x: constant, kappa_y: constant, sigma_x: constant, sigma_z: constant}");
  const RodStrains strains(model);
  const auto said = [&](double kx, double ky, double sx, double sz) {
    return strains.beyond_sense(numbers({kx, ky, sx, sz}));
  };
  EXPECT_EQ(said(0, 0, 0, 0), "");
  EXPECT_EQ(said(6.0, 0, 0, 0), "");         // a circle with a radius of 33 mm
  EXPECT_EQ(said(0, 0, 0, 0.2 * 1.99), "");  // 2.99 times as long
  EXPECT_THAT(said(0, 0, 0, 0.2 * 2.01), HasSubstr("finger: stretched to 3.01 times its length at s = 0 m: "));
  EXPECT_THAT(said(0, 0, 0, 0.2 * 2.01), HasSubstr("no material bears that, so the numbers mean little"));
  EXPECT_THAT(said(0, 0, -0.41, 0), HasSubstr("finger: sheared by 2.05 times its length"));
  EXPECT_THAT(said(0, 0, 0, -0.21), HasSubstr("finger: pressed to -0.05 times its length"));
  // 1 / radius = 20 / m times 25 rad over 0.2 m: 125 / m, 8 mm, within the section of 10 mm; the longest fiber 2.25
  EXPECT_EQ(said(15.0, 12.0, 0, 0), "");
  EXPECT_THAT(said(15.0, 20.0, 0, 0), HasSubstr("finger: bent to a radius of 0.008 m, within its own section"));
  EXPECT_THAT(said(0, 25.0, 0, -0.1), HasSubstr("finger: bent to a radius of 0.004 m"));
  EXPECT_TRUE(strains.runs_forward(numbers({30, 0, 0, 0})));
  EXPECT_TRUE(strains.runs_forward(numbers({0, 0, 0, -0.199})));
  EXPECT_FALSE(strains.runs_forward(numbers({0, 0, 0, -0.2})));
}

// 4 mm along x and 20 mm along y: bending about y, along x, may be five times as sharp
TEST(RodStrainsTest, AskTheSectionHowThickItIs) {
  const Model model = rod("{kappa_x: constant, kappa_y: constant}", "{shape: rectangle, width: 0.004, height: 0.02}");
  const RodStrains strains(model);
  EXPECT_EQ(strains.beyond_sense(numbers({0, 0.2 * 499})), "");
  EXPECT_NE(strains.beyond_sense(numbers({0, 0.2 * 501})), "");
  EXPECT_EQ(strains.beyond_sense(numbers({0.2 * 99, 0})), "");
  EXPECT_NE(strains.beyond_sense(numbers({0.2 * 101, 0})), "");
}

// strain that changes along the rod: pressed together at the tip alone
TEST(RodStrainsTest, LookAtTheEnds) {
  const Model model = rod("{sigma_z: {basis: monomial, order: 1}}");
  const RodStrains strains(model);
  EXPECT_TRUE(strains.runs_forward(numbers({0, -0.199})));
  EXPECT_FALSE(strains.runs_forward(numbers({0, -0.2})));
  EXPECT_THAT(strains.beyond_sense(numbers({0, 0.5})), HasSubstr("stretched to 3.5 times its length at s = 0.2 m"));
}

/// Of the axis, where the last coordinate is a constant sigma_z.
double stretch_of(const Model& model, const VectorXd& q) { return 1.0 + q[model.nq() - 1] / 0.2; }

// A target behind the base was "reached" by a finger of negative length. One that cannot bend stays in front.
TEST(RodStrainsTest, InverseKinematicsLeavesRodsALength) {
  for (const double z : {-0.05, -0.3, -2.0}) {
    for (const char* const strain :
         {"{sigma_z: constant}", "{kappa_x: constant, kappa_y: constant, sigma_z: constant}"}) {
      const Model model = rod(strain);
      const auto found = inverse_kinematics(model, {FrameTarget::at_position(model.tip_frame("finger"), {0.0, 0.0, z})},
                                            VectorXd::Zero(model.nq()));
      EXPECT_FALSE(found.converged) << z << strain;
      EXPECT_GT(stretch_of(model, found.q), 0.0) << z << strain;
      EXPECT_LE(found.residual, 0.2 - z) << z << strain;  // no worse than where it began
      if (model.nq() == 1) {
        EXPECT_GE(found.residual, -z);
      }
      EXPECT_TRUE(found.q.allFinite());
    }
  }
  const Model model = rod("{kappa_x: constant, kappa_y: constant, sigma_z: constant}");
  // what can be reached still is: beside the base, by a finger that is bent or short
  for (const Vector3& there : {Vector3{0.05, 0.0, -0.02}, Vector3{0.0, 0.08, 0.1}, Vector3{0.0, 0.0, 0.1}}) {
    const auto found =
        inverse_kinematics(model, {FrameTarget::at_position(model.tip_frame("finger"), there)}, VectorXd::Zero(3));
    EXPECT_TRUE(found.converged) << there.x << ' ' << there.y << ' ' << there.z;
    EXPECT_LT(found.residual, 1e-8);
    EXPECT_GT(stretch_of(model, found.q), 0.0);
  }
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
