#include "cuttle/bodies/neural_kinematics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "cuttle/bodies/volume_body.h"
#include "cuttle/error.h"
#include "support/body_contract.h"
#include "support/epsilon.h"
#include "support/kinematics_reference.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

constexpr Activation k_activations[] = {Activation::tanh, Activation::elu, Activation::relu, Activation::sine,
                                        Activation::identity};

NeuralParameters random_network(const std::vector<Activation>& activations, int coordinates, bool linear_weight,
                                Random& random) {
  NeuralParameters network{.length = 0.3, .scale = 0.2, .linear_weight = linear_weight, .layers = {}};
  std::size_t inputs = 3 + coordinates;
  for (std::size_t l = 0; l < activations.size(); ++l) {
    const std::size_t outputs = l + 1 == activations.size() ? 3 : 4 + l;
    NeuralLayer layer{.weight = std::vector<double>(outputs * inputs),
                      .bias = std::vector<double>(outputs),
                      .activation = activations[l]};
    const double size = l + 1 == activations.size() ? 0.02 : 0.7;
    for (double& number : layer.weight) number = size * random.uniform();
    for (double& number : layer.bias) number = size * random.uniform();
    network.layers.push_back(layer);
    inputs = outputs;
  }
  return network;
}

template <typename T>
T plain_activation(Activation activation, const T& z) {
  using std::cosh;
  using std::exp;
  using std::sin;
  using std::sinh;
  switch (activation) {
    case Activation::tanh:
      return sinh(z) / cosh(z);
    case Activation::elu:
      return z > T(0.0) ? z : exp(z) - T(1.0);
    case Activation::relu:
      return z > T(0.0) ? z : T(0.0);
    case Activation::sine:
      return sin(z);
    default:
      return z;
  }
}
template <typename T>
Vector3T<T> plain_position(const NeuralParameters& network, const Vector3T<T>& x, const T* q) {
  std::vector<T> a;
  for (int c = 0; c < 3; ++c) a.push_back(x[c] / T(network.scale));
  for (std::size_t j = 0; j + 3 < network.layers[0].inputs(); ++j) a.push_back(q[j]);
  for (const NeuralLayer& layer : network.layers) {
    std::vector<T> z;
    for (std::size_t i = 0; i < layer.outputs(); ++i) {
      z.push_back(T(layer.bias[i]));
      for (std::size_t k = 0; k < a.size(); ++k) z[i] = z[i] + T(layer.weight[i * a.size() + k]) * a[k];
      z[i] = plain_activation(layer.activation, z[i]);
    }
    a = z;
  }
  const T w = network.linear_weight ? x.z / T(network.length) : T(1.0);
  return {x.x + w * a[0], x.y + w * a[1], x.z + w * a[2]};
}

TEST(NeuralKinematicsTest, MatchesDifferentiationOfThePlainNetwork) {
  unsigned seed = 0;
  const auto expect = [&](const std::vector<Activation>& activations, int coordinates, bool linear_weight) {
    Random random(++seed);
    const NeuralParameters network = random_network(activations, coordinates, linear_weight, random);
    std::vector<Vector3> x;
    for (int i = 0; i < 12; ++i)
      x.push_back({0.05 * random.uniform(), 0.05 * random.uniform(), 0.3 * random.uniform()});
    const auto plain = [&](const Vector3T<Twice>& y, const Twice* q) { return plain_position(network, y, q); };
    const std::vector<double> sizes(coordinates, 1.0);
    KinematicsDeviations(NeuralKinematics(network), plain, 0.3, sizes, x, random)
        .expect_below(200 * k_eps,
                      "first " + std::string(activation_name(activations[0])) + ", seed " + std::to_string(seed));
  };
  for (const Activation first : k_activations) {
    for (const Activation second : k_activations) expect({first, second, Activation::identity}, 3, seed % 2 == 0);
    expect({first}, 1, true);
    expect({first, Activation::tanh, Activation::sine, first}, 2, false);
  }
}

TEST(NeuralKinematicsTest, BodiesKeepTheContract) {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    Random random(seed);
    // smooth ones: the contract takes differences
    const NeuralParameters network =
        random_network({Activation::tanh, Activation::sine, Activation::identity}, 3, seed != 2, random);
    VolumeBody body(point_cylinder(0.3, 0.05, 1050.0, 3, 1, 3), {.c1 = 7e4, .lame_lambda = 3e5, .damping_time = 0.02},
                    std::make_shared<NeuralKinematics>(network));
    body.add_port({PortLocation::Kind::point, 0.0, {0.03, 0.02, 0.17}});
    BodyContractOptions options;
    options.seed = seed, options.samples = 1, options.coordinates = std::vector<double>(3, 0.8);
    expect_body_contract(body, "neural " + std::to_string(seed), options);
  }
}

std::string error_of(const NeuralParameters& network) {
  try {
    NeuralKinematics kinematics(network);
  } catch (const ModelError& error) {
    return error.what();
  }
  return {};
}
TEST(NeuralKinematicsTest, RefusesNetworksThatDoNotFit) {
  Random random(1);
  const NeuralParameters good = random_network({Activation::tanh, Activation::identity}, 2, true, random);
  EXPECT_EQ(error_of(good), "");
  const auto with = [&](const auto& change) {
    NeuralParameters network = good;
    change(network);
    return error_of(network);
  };
  EXPECT_EQ(with([](auto& n) { n.scale = 0.0; }), "scale: found 0, expected a number > 0 [m]");
  EXPECT_EQ(with([](auto& n) { n.layers.clear(); }), "layers: found none, expected one or more");
  EXPECT_EQ(with([](auto& n) { n.layers[0].bias.clear(); }), "layers[0].bias: found no numbers, expected one or more");
  EXPECT_EQ(with([](auto& n) { n.layers[0].weight.pop_back(); }),
            "layers[0].weight: found 19 numbers, expected 4 rows, as many as numbers in bias");
  EXPECT_EQ(with([](auto& n) { n.layers[0].weight.resize(12); }),
            "layers[0].weight: found 3 columns, expected 4 or more: three of the position, then one a coordinate");
  EXPECT_EQ(with([](auto& n) { n.layers[1].weight.resize(9); }),
            "layers[1].weight: found 3 columns, expected 4, as many as outputs of the layer before");
  EXPECT_EQ(with([](auto& n) { n.layers.pop_back(); }),
            "layers[0].bias: found 4 numbers, expected 3: the last layer gives a displacement");
  EXPECT_EQ(with([](auto& n) { n.layers[1].bias[0] = std::nan(""); }),
            "layers[1].bias: found a number that is not finite");
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
