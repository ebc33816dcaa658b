#pragma once

#include <vector>

#include "cuttle/api.h"
#include "cuttle/bodies/swept_kinematics.h"

namespace CUTTLE_API cuttle {

enum class Activation { tanh, elu, relu, sine, identity };
/// Name as in files.
const char* activation_name(Activation activation);

/// a -> activation(weight a + bias), one number after the other.
template <typename S>
struct NeuralLayerT {
  std::vector<S> weight;  ///< bias.size() rows, one behind the other
  std::vector<S> bias;
  Activation activation = Activation::identity;

  std::size_t outputs() const { return bias.size(); }
  std::size_t inputs() const { return bias.empty() ? 0 : weight.size() / bias.size(); }
};

template <typename S>
struct NeuralParametersT {
  S length{};                           ///< L [m], rest length
  S scale{};                            ///< [m]: the network sees x / scale
  bool linear_weight = true;            ///< w = x3 / L, so that the base does not move; false: w = 1
  std::vector<NeuralLayerT<S>> layers;  ///< from 3 + n_B inputs to 3 outputs [m]

  template <typename T>
  NeuralParametersT<T> cast() const;
};
using NeuralLayer = NeuralLayerT<double>;
using NeuralParameters = NeuralParametersT<double>;

/// p = x + w(x) network([x / scale; q]). Derivatives are carried from layer to layer, cost O(weights n_B) a point.
/// Where the activation has a kink (relu, elu's second derivative), that of the left side is taken.
/// The volume changes as the network says.
template <typename S>
class NeuralKinematicsT final : public SweptKinematicsT<NeuralKinematicsT, NeuralParametersT, S> {
  using Base = SweptKinematicsT<NeuralKinematicsT, NeuralParametersT, S>;

 public:
  /// @throws ModelError: key, what was found, what was expected.
  explicit NeuralKinematicsT(const NeuralParametersT<S>& parameters);

  std::string type_name() const override { return "neural"; }
  std::vector<CoordinateInfo> coordinates() const override;
  bool keeps_volume() const override { return false; }
};
using NeuralKinematics = NeuralKinematicsT<double>;

}  // namespace cuttle
