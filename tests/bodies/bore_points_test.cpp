// A chamber on the bore of a body whose sections swell in bumps: the points that it takes by default against many.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "cuttle/algorithms/actuation.h"
#include "cuttle/io/robot_file.h"
#include "cuttle/model/data.h"
#include "cuttle/model/model.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

/// @param size  how many times as large the body is.
MatrixXd pushes(const std::string& quadrature, const VectorXd& q, double size = 1.0) {
  const Model model(read_robot_text(
      R"(cuttle: 1
name: bore
materials: {soft: {model: neo_hookean, density: 1062, c1: 5.0e5, lame_lambda: 4.0e6}}
links:
  - name: body
    body:
      type: volume
      shape: {type: cylinder, )" +
          fmt::format("length: {}, radius: {}, inner_radius: {}", 0.2 * size, 0.02 * size, 0.012 * size) + R"(}
      material: soft
)" + quadrature +
          R"(
      kinematics: {type: radial, strain: {kappa_y: constant, sigma_z: constant}, bumps: [0, 3.141592653589793]}
actuators: [{name: air, type: chamber, link: body, surface: inner}]
)",
      "bore.yaml"));
  Data data(model);
  return actuation_matrix<double>(model, data, q);
}

TEST(BorePointsTest, AreEnoughForBumpsByDefault) {
  const std::string many = "      quadrature: {points: [40, 2, 512]}";
  for (const double size : {0.01, 1.0, 10.0}) {
    SCOPED_TRACE(size);
    VectorXd q(4);
    q << 0.3, 0.01, 0.002, 0.001;
    if (size != 1.0) q *= 0.01;
    const MatrixXd exact = pushes(many, q, size), found = pushes("", q, size);
    ASSERT_EQ(exact.rows(), 4);
    // the bend's is zero but for the bumps that differ; an entry of a bump was 20 % off
    for (int j = 1; j < 4; ++j) EXPECT_NEAR(found(j, 0), exact(j, 0), 5e-4 * exact(j, 0)) << j;
    EXPECT_GT(exact(2, 0), 0.0);
  }
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
