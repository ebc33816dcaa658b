// A batch whose robots differ in parameters of their file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/error.h"
#include "cuttle/io/robot_file.h"
#include "cuttle/simulation/batch.h"

namespace cuttle {
namespace {

Model arm() {
  return Model(load_robot_file(std::string(CUTTLE_SOURCE_DIR) + "/models/examples/two_segment_arm.yaml").robot);
}

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
}  // namespace cuttle
