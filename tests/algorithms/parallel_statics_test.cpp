// Inverse statics of a robot whose legs are straight at the start: nothing moves its tip down at first, whatever basis
// the legs bend in.
#include <gtest/gtest.h>

#include <string>

#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/constraints.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/inverse_statics.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/io/robot_file.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

/// Two legs of 0.2 m on motors, pinned together at their tips.
Model two_legs(const std::string& basis, int order) {
  const auto leg = [&](const char* name, double side) {
    return "- {name: " + std::string(name) + ", parent: base, attach: {pose: {position: [" +
           std::to_string(-0.1 * side) + ", 0, 0], rpy: [0, " + std::to_string(0.5235987755982988 * side) +
           ", 0]}}, joint: {type: revolute, axis: [0, 1, 0]}, body: {type: rod, length: 0.2, section: {shape: circle, "
           "radius: 0.0008}, material: steel, strain: {kappa_y: {basis: " +
           basis + ", order: " + std::to_string(order) + "}}}}\n";
  };
  return Model(read_robot_text(
      "cuttle: 1\nname: two_legs\ngravity: [0, 0, 0]\nmaterials: {steel: {density: 7850, young_modulus: 2.0e11, "
      "poisson_ratio: 0.3}}\nlinks:\n" +
          leg("left", 1.0) + leg("right", -1.0) +
          "actuators:\n- {name: left_motor, type: joint, link: left}\n- {name: right_motor, type: joint, link: right}\n"
          "loops:\n- {name: pin, type: revolute, axis: [0, 1, 0], a: {link: left}, b: {link: right}}\n",
      "two_legs.yaml"));
}

// A basis of the same functions otherwise combined is the same robot: all hold.
TEST(ParallelStaticsTest, HoldsTheTipInEveryBasis) {
  const Vector3 goal{0.008, 0.0, 0.158};
  for (const auto& [basis, order] : {std::pair{"legendre", 6},
                                     {"legendre", 4},
                                     {"legendre", 3},
                                     {"legendre", 2},
                                     {"chebyshev", 4},
                                     {"chebyshev", 3}}) {
    SCOPED_TRACE(std::string(basis) + " " + std::to_string(order));
    const Model model = two_legs(basis, order);
    Data data(model);
    const Frame tip = model.tip_frame("left");
    const auto found = inverse_statics(model, {FrameTarget::at_position(tip, goal)}, {}, model.neutral());
    ASSERT_TRUE(found.converged);
    const VectorXd& q = found.equilibrium.q;
    EXPECT_LT(norm(forward_kinematics<double>(model, data, q).pose(tip).position - goal), 1e-8);
    // the balance by other functions: s - A u + G^T lambda = 0
    ConstraintData constraints(model);
    VectorXd left = elastic_force<double>(model, data, q);
    const double scale = left.cwiseAbs().maxCoeff();
    left -= actuation_matrix<double>(model, data, q) * found.u;
    left += constraint_jacobian<double>(model, data, constraints, q).transpose() * found.equilibrium.multipliers;
    EXPECT_LT(left.cwiseAbs().maxCoeff(), 1e-8 * scale);
    EXPECT_LT(constraint_residual<double>(model, data, constraints, q).cwiseAbs().maxCoeff(), 1e-9);
  }
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
