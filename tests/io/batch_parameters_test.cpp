// A batch whose robots differ in parameters of their file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cuttle/algorithms/energy.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/error.h"
#include "cuttle/io/robot_file.h"
#include "cuttle/simulation/batch.h"
#include "support/paths.h"

namespace cuttle::CUTTLE_FILE {
namespace {

Model arm() { return Model(load_robot_file(test::k_source_dir + "/models/examples/two_segment_arm.yaml").robot); }

TEST(BatchParametersTest, EveryRobotHasItsOwn) {
  const Model model = arm();
  const std::vector<std::string> paths{"links.segment1.body.length", "gravity[2]"};
  constexpr int count = 5;
  RowMatrixXd values(count, 2);
  for (int i = 0; i < count; ++i) values.row(i) << 0.2 + 0.03 * i, -9.81 + i;
  Batch batch(model, paths, values);
  const RowMatrixXd q = RowMatrixXd::Constant(count, model.nq(), 0.1),
                    v = RowMatrixXd::Constant(count, model.nv(), 0.2);
  const RowMatrixXd tau = batch.inverse_dynamics(q, v, v);
  for (int i = 0; i < count; ++i) {
    const Model alone = model.with({{paths[0], values(i, 0)}, {paths[1], values(i, 1)}});
    Data data(alone);
    const VectorXd expected = inverse_dynamics(alone, data, q.row(i), v.row(i), v.row(i));
    EXPECT_LE((VectorXd(tau.row(i)) - expected).norm(), 1e-12 * expected.norm()) << i;
  }
}

// Rods side by side, each with its own laws of the section.
TEST(BatchParametersTest, RodsDampAndStiffenByThemselves) {
  const Model model(read_robot_text(
      "cuttle: 1\nlinks:\n  - {name: arm, body: {type: rod, length: 0.3, section: {shape: circle, radius: [0.02, "
      "0.01]}, "
      "material: {density: 1000, young_modulus: 1e5}, quadrature: {points: 4}, strain: {kappa_x: {basis: legendre, "
      "order: 2}, "
      "sigma_z: constant}, damping: [0.02, 1, 1, 1, 1, 0.7], stiffening: {kappa_x: [0.02, 0.01], sigma_z: [0.5]}}}\n",
      "r.yaml"));
  const std::string body = "links.arm.body.";
  const std::vector<std::string> paths{body + "stiffening.kappa_x[1]", body + "stiffening.sigma_z[0]",
                                       body + "damping[0]"};
  constexpr int count = 5;
  RowMatrixXd values(count, 3);
  for (int i = 0; i < count; ++i) values.row(i) << 0.01 * i, 0.5 - 0.3 * i, 0.02 + 0.01 * i;
  Batch batch(model, paths, values);
  EXPECT_GT(batch.width(), 1);
  const RowMatrixXd q = RowMatrixXd::Constant(count, model.nq(), 0.6),
                    v = RowMatrixXd::Constant(count, model.nv(), 0.2);
  const RowMatrixXd tau = batch.inverse_dynamics(q, v, v), energies = batch.energies(q, v);
  for (int i = 0; i < count; ++i) {
    const Model alone = model.with({{paths[0], values(i, 0)}, {paths[1], values(i, 1)}, {paths[2], values(i, 2)}});
    Data data(alone);
    const VectorXd expected = inverse_dynamics(alone, data, q.row(i), v.row(i), v.row(i));
    EXPECT_LE((VectorXd(tau.row(i)) - expected).norm(), 1e-12 * expected.norm()) << i;
    const double elastic = elastic_energy<double>(alone, data, q.row(i).transpose().eval());
    EXPECT_NEAR(energies(i, 2), elastic, 1e-12 * elastic) << i;
    if (i > 0) {
      EXPECT_GT((tau.row(i) - tau.row(0)).norm(), 1e-3 * tau.row(0).norm()) << i;
    }
  }
}

TEST(BatchParametersTest, SaysWhichRobotIsWrong) {
  const Model model = arm();
  const std::string path = "links.segment1.body.length";
  RowMatrixXd values(3, 1);
  values << 0.2, -0.3, 0.4;
  try {
    Batch batch(model, {path}, values);
    FAIL() << "no error";
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("Batch: robot 1: "));
    EXPECT_THAT(error.what(), ::testing::HasSubstr("found -0.3"));
  }
  EXPECT_THROW(Batch(model, {path, "gravity[2]"}, values), ArgumentError);
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
