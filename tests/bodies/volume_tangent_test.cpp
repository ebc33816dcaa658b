#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "cuttle/bodies/lvp_kinematics.h"
#include "cuttle/bodies/neural_kinematics.h"
#include "cuttle/bodies/radial_kinematics.h"
#include "cuttle/bodies/ritz_kinematics.h"
#include "cuttle/bodies/volume_body.h"
#include "support/random.h"
#include "support/tangent_check.h"

// The contract suite compares the tangent of volumes with differences in double. Here it is held against automatic
// differentiation of the same volume, which is exact, and against differences in long double.

namespace cuttle::test::CUTTLE_FILE {
namespace {

constexpr double k_length = 0.2, k_radius = 0.02;

PointParameters tube() {
  PointParameters points = point_cylinder(k_length, k_radius, 1000.0, 4, 1, 3);
  // a number of points that fills no block, and none on the axis
  points.quadrature = cylinder_quadrature(k_length, k_radius, 0.5 * k_radius, 5, 1, 3);
  return points;
}

struct Case {
  std::string name;
  std::shared_ptr<const VolumeKinematicsT<double>> kinematics;
  std::vector<double> sizes;  ///< of the coordinates
};

LvpPrimitive primitive(LvpPrimitive::Type type, const LvpPrimitive::Modes& modes,
                       const LvpPrimitive::Modes& y_modes = {}, int axis = 0) {
  LvpPrimitive made;
  made.type = type, made.axis = axis, made.modes = modes, made.y_modes = y_modes;
  return made;
}

std::shared_ptr<const LvpKinematics> lvp(const std::vector<LvpPrimitive>& primitives) {
  LvpParameters parameters;
  parameters.length = k_length, parameters.primitives = primitives;
  return std::make_shared<const LvpKinematics>(parameters);
}

NeuralParameters network(int coordinates, bool linear_weight) {
  Random random(3);
  NeuralParameters network{.length = k_length, .scale = k_length, .linear_weight = linear_weight, .layers = {}};
  std::size_t inputs = 3 + coordinates;
  const Activation activations[] = {Activation::tanh, Activation::sine, Activation::elu, Activation::identity};
  for (int l = 0; l < 4; ++l) {
    const std::size_t outputs = l == 3 ? 3 : 5 + l;
    NeuralLayer layer{.weight = std::vector<double>(outputs * inputs),
                      .bias = std::vector<double>(outputs),
                      .activation = activations[l]};
    for (double& number : layer.weight) number = (l == 3 ? 0.02 : 0.7) * random.uniform();
    for (double& number : layer.bias) number = (l == 3 ? 0.02 : 0.7) * random.uniform();
    network.layers.push_back(layer);
    inputs = outputs;
  }
  return network;
}

std::vector<Case> cases() {
  using Type = LvpPrimitive::Type;
  const auto sizes = [](int n, double size) { return std::vector<double>(n, size); };
  std::vector<Case> all;
  // every primitive; x3 of later ones depends on the others behind a bend
  all.push_back({"all primitives",
                 lvp({primitive(Type::source, {{0.0, 1e-4}}), primitive(Type::stretch, {{0.0, 0.2}}),
                      primitive(Type::shear, {{0.0, 0.0, 0.2}}, {}, 1), primitive(Type::twist, {{0.0, 0.5}}),
                      primitive(Type::bend, {{0.5}}, {{0.6}, {0.0, 0.4}})}),
                 {0.3, 0.03, 0.03, 0.7, 0.7, 0.7, 0.7}});
  all.push_back({"bend before others",
                 lvp({primitive(Type::bend, {{0.5}, {0.0, 0.3}}, {{0.6}}), primitive(Type::twist, {{0.0, 0.5}, {0.1}}),
                      primitive(Type::stretch, {{0.0, 0.2}})}),
                 {0.7, 0.7, 0.7, 0.7, 0.7, 0.03}});
  all.push_back({"constant curvature", lvp({primitive(Type::bend, {{1.0}}, {})}), {0.7}});
  all.push_back({"stretch alone", lvp({primitive(Type::stretch, {{0.0, 0.2}, {0.1, 0.1}})}), {0.03, 0.03}});
  all.push_back(
      {"two bends", lvp({primitive(Type::bend, {{0.5}}, {}), primitive(Type::bend, {}, {{0.0, 0.3}})}), {0.4, 0.4}});
  const std::vector<RadialStrain> strain{RadialStrain::kappa_x, RadialStrain::kappa_y, RadialStrain::sigma_z};
  all.push_back({"radial",
                 std::make_shared<const RadialKinematics>(RadialParameters{k_length, k_radius, strain, {0.2, 2.3}}),
                 {0.7, 0.7, 0.03, 5e-3, 5e-3}});
  all.push_back({"radial without bumps",
                 std::make_shared<const RadialKinematics>(RadialParameters{k_length, k_radius, strain, {}}),
                 {0.7, 0.7, 0.03}});
  for (const int n : {1, 2, 5}) {
    all.push_back(
        {"neural " + std::to_string(n), std::make_shared<const NeuralKinematics>(network(n, n != 2)), sizes(n, 0.5)});
  }
  std::vector<RitzMode> modes;
  for (int k = 0; k < 5; ++k) {
    modes.push_back({{{k % 2, k / 2 % 2, 1 + k % 3}, {1.0, 0.5 * k, -0.3}}, {{0, 0, 2}, {0.2 * k, 1.0, 0.1}}});
  }
  all.push_back({"ritz", std::make_shared<const RitzKinematics>(modes), sizes(5, 0.05)});
  return all;
}

std::vector<std::pair<std::string, VolumeMaterial>> materials() {
  using Model = VolumeMaterial::Model;
  std::vector<std::pair<std::string, VolumeMaterial>> all;
  all.emplace_back("neo-Hookean", VolumeMaterial{.c1 = 5e4});
  all.emplace_back("neo-Hookean, damped, compressible",
                   VolumeMaterial{.c1 = 5e4, .lame_lambda = 2e5, .damping_time = 0.05});
  all.emplace_back("Mooney-Rivlin", VolumeMaterial{.model = Model::mooney_rivlin, .c1 = 5e4, .c2 = 2e4});
  all.emplace_back("Yeoh",
                   VolumeMaterial{.model = Model::yeoh, .c1 = 5e4, .c2 = 2e3, .c3 = 100.0, .damping_time = 0.1});
  all.emplace_back(
      "St. Venant-Kirchhoff",
      VolumeMaterial{
          .model = Model::st_venant_kirchhoff, .young_modulus = 1e5, .poisson_ratio = 0.3, .damping_time = 0.05});
  return all;
}

std::unique_ptr<VolumeBody> body_of(const Case& c, const VolumeMaterial& material) {
  PointParameters points = tube();
  points.allow_folding = true;
  auto body = std::make_unique<VolumeBody>(points, material, c.kinematics);
  body->add_port(PortLocation::at_point({0.4 * k_radius, -0.5 * k_radius, 0.7 * k_length}));
  body->add_port(PortLocation::at_point({-0.6 * k_radius, 0.2 * k_radius, 0.0}));
  return body;
}

BodyContractOptions options_of(const Case& c) {
  BodyContractOptions options;
  options.coordinates = c.sizes;
  return options;
}

TEST(VolumeTangentTest, AgreesWithAutomaticDifferentiation) {
  unsigned seed = 1;
  for (const Case& c : cases()) {
    for (int i = 0; i < 3; ++i) {
      expect_exact(*body_of(c, materials()[0].second), ++seed, c.name, options_of(c), 1e-11);
    }
  }
}

TEST(VolumeTangentTest, AgreesWithDifferencesInLongDouble) {
  unsigned seed = 100;
  for (const Case& c : cases()) {
    const auto body = body_of(c, materials()[0].second);
    const auto wide = body->clone_as(ScalarTag<long double>{});
    Numbers numbers(++seed);
    const State<double> state = random_state(*body, options_of(c), numbers);
    const std::vector<PortLoad> loads = random_loads(body->port_count(), 0.3, numbers);
    Findings findings;
    check_tangent(
        findings, evaluate_tangent<double>(*body, state, loads), state,
        [&](const Direction& direction) { return wide_slope(*wide, state, direction, loads); }, 1e-9);
    for (const std::string& text : findings.texts()) ADD_FAILURE() << c.name << ": " << text;
  }
}

TEST(VolumeTangentTest, InternalForcesAgreeWithAutomaticDifferentiation) {
  unsigned seed = 200;
  for (const Case& c : cases()) {
    for (const auto& [name, material] : materials()) {
      const auto body = body_of(c, material);
      Numbers numbers(++seed);
      expect_internal_derivatives(*body, random_state(*body, options_of(c), numbers), c.name + ", " + name);
    }
  }
}

TEST(VolumeTangentTest, OnlyDoubleHasOne) {
  const auto body = body_of(cases()[0], materials()[0].second);
  EXPECT_NE(body->tangent(), nullptr);
  const auto copy = body->clone();
  EXPECT_NE(copy->tangent(), nullptr);
  EXPECT_NE(copy->tangent(), body->tangent());
  EXPECT_EQ(body->clone_as(ScalarTag<long double>{})->tangent(), nullptr);
  EXPECT_EQ(body->clone_as(ScalarTag<ForwardDual>{})->tangent(), nullptr);
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
