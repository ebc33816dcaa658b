#include "io/robot/neural_reader.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "cuttle/bodies/radial_kinematics.h"
#include "cuttle/bodies/volume_body.h"
#include "cuttle/testing/body_contract/workspace.h"
#include "io/io_support.h"
#include "support/kinematics_at_points.h"
#include "support/paths.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using test::KinematicsAtPoints;

const std::string k_head =
    "{\"format\": \"cuttle-mlp-1\", \"scale\": 0.5, \"base_weight\": \"linear\", \"layers\": [\n";
const std::string k_first =
    "{\"weight\": [[1, 2, 3, 4, 5], [-1, 0, 0.5, 1e-1, 2]], \"bias\": [6, 7], \"activation\": \"sine\"}";
const std::string k_last = "{\"weight\": [[1, 2], [3, 4], [5, 6]], \"bias\": [0, 0, -1], \"activation\": \"identity\"}";

TEST(NeuralReader, ReadsANetwork) {
  const TemporaryDirectory directory;
  const std::string file = k_head + k_first + ",\n" + k_last + "]}\n";
  std::string compact, spread;
  for (const char c : file) {
    if (c != ' ' && c != '\n') compact += c;
    spread += c;
    if (c == ',' || c == '[' || c == '{') spread += "\n\t ";
  }
  for (const std::string& text : {file, compact, spread}) {
    const NeuralParameters network = read_network_file(directory.write("n.json", text));
    EXPECT_EQ(network.scale, 0.5);
    EXPECT_TRUE(network.linear_weight);
    ASSERT_EQ(network.layers.size(), 2u);
    EXPECT_EQ(network.layers[0].weight, (std::vector<double>{1, 2, 3, 4, 5, -1, 0, 0.5, 0.1, 2}));
    EXPECT_EQ(network.layers[0].bias, (std::vector<double>{6, 7}));
    EXPECT_EQ(network.layers[0].activation, Activation::sine);
    EXPECT_EQ(network.layers[1].bias, (std::vector<double>{0, 0, -1}));
    EXPECT_EQ(network.layers[1].activation, Activation::identity);
  }
}

TEST(NeuralReader, ErrorsNameFileAndKey) {
  const TemporaryDirectory directory;
  const auto error = [&](const std::string& text) {
    const std::string path = directory.write("n.json", text);
    std::string found = message<FileError>([&] { read_network_file(path); });
    for (std::size_t at; (at = found.find(path)) != found.npos;) found.replace(at, path.size(), "n.json");
    return found;
  };
  EXPECT_EQ(error("{\"format\": \"onnx\", \"scale\": 0, \"base_weight\": \"linear\", \"layers\": []}"),
            "n.json:1:12: format: found 'onnx', expected cuttle-mlp-1\n"
            "n.json:1:29: scale: found 0, expected a number > 0 [m]");
  EXPECT_EQ(error(k_head + "]}"), "n.json:1:77: layers: found none, expected one or more");
  EXPECT_EQ(error(k_head + k_first + "]}"),
            "n.json:2:62: layers[0].bias: found 2 numbers, expected 3: the last layer gives a displacement");
  EXPECT_EQ(error(k_head + k_last + "]}"),
            "n.json:2:12: layers[0].weight: found 2 columns, expected 4 or more: three of the position, then one a "
            "coordinate");
  EXPECT_EQ(
      error(k_head + k_first + ",\n{\"weight\": [[1, 2], [3, 4, 5]], \"bias\": [0], \"activation\": \"swish\"}]}"),
      "n.json:3:21: layers[1].weight[1]: found a list of 3, expected 2 numbers, as in the first row\n"
      "n.json:3:41: layers[1].bias: found a list of 1, expected 2 numbers, one for each row of weight\n"
      "n.json:3:60: layers[1].activation: found 'swish', expected tanh, elu, relu, sine or identity");
  EXPECT_EQ(error(k_head + "{\"weight\": [[1, \"a\"]], \"bias\": [0], \"activation\": \"tanh\", \"dropout\": 1}]}"),
            "n.json:2:17: layers[0].weight[0][1]: found 'a', expected a number\n"
            "n.json:2:59: layers[0].dropout: found an unknown key, expected weight, bias or activation");
}

// What scripts/train_neural_body.py promises, against the arc itself: radial kinematics without bumps.
TEST(NeuralArm, IsNearlyABodyOfConstantCurvature) {
  const double L = 0.2, R = 0.02;
  const RobotFile file = load_robot_file(test::k_source_dir + "/models/examples/neural_arm.yaml");
  const auto& arm = dynamic_cast<const VolumeBody&>(*file.robot.links[0].body);
  const auto arc =
      std::make_shared<RadialKinematics>(RadialParameters{L, R, {RadialStrain::kappa_x, RadialStrain::kappa_y}, {}});
  const VolumeBody exact(arm.parameters(), arm.material(), arc);
  std::vector<Vector3> x;
  for (int i = 0; i <= 10; ++i) {
    x.push_back({0.0, 0.0, 0.1 * i * L});
    for (int k = 0; k < 8; ++k) x.push_back({R * std::cos(0.8 * k), R * std::sin(0.8 * k), 0.1 * i * L});
  }
  double position = 0.0, gradient = 0.0, angle = 0.0, mass_matrix = 0.0;
  for (int i = -5; i <= 5; ++i) {
    for (int k = -5; k <= 5; ++k) {
      const std::vector<double> q{0.2 * i, 0.2 * k};
      const KinematicsAtPoints<double> found(arm.kinematics(), q, {}, x), expected(*arc, q, {}, x);
      for (std::size_t p = 0; p < x.size(); ++p) {
        position = std::max(position, norm(found.position[p] - expected.position[p]));
        for (int c = 0; c < 3; ++c) {
          gradient = std::max(gradient, norm(found.F[p].column(c) - expected.F[p].column(c)));
        }
      }
      double M[2][4], z[2][3];
      int which = 0;
      for (const VolumeBody* body : {&arm, &exact}) {
        contract::Workspace<double> memory(body->workspace_size());
        PortMotionT<double> tip;
        BodyStateT<double> state;
        state.q = q.data();
        body->forward(MotionLevel::pose, state, memory.get(), &tip);
        double coupling[12];
        InertiaBlocksT<double> blocks{M[which], coupling, {}};
        body->inertia_blocks(state, memory.get(), blocks);
        for (int r = 0; r < 3; ++r) z[which][r] = tip.base_port.rotation(r, 2);
        ++which;
      }
      const Vector3 a{z[0][0], z[0][1], z[0][2]}, b{z[1][0], z[1][1], z[1][2]};
      angle = std::max(angle, std::asin(norm(cross(a, b))));
      for (int e = 0; e < 4; ++e) {
        mass_matrix = std::max(mass_matrix, std::abs(M[0][e] - M[1][e]) / std::sqrt(M[1][0] * M[1][3]));
      }
    }
  }
  RecordProperty("position_over_L", std::to_string(position / L));
  RecordProperty("gradient", std::to_string(gradient));
  RecordProperty("tip_angle", std::to_string(angle));
  RecordProperty("mass_matrix", std::to_string(mass_matrix));
  EXPECT_LT(position, 1e-3 * L);
  EXPECT_LT(angle, 0.02);
  EXPECT_LT(gradient, 0.05);
  EXPECT_LT(mass_matrix, 0.01);
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
