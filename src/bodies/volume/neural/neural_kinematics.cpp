#include "cuttle/bodies/neural_kinematics.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "bodies/volume/choose_kernels.h"
#include "bodies/volume/neural/neural_sweep.h"
#include "cuttle/error.h"
#include "spatial/number_text.h"

CUTTLE_CHOOSE_KINEMATICS_KERNELS(neural_kernels, NeuralParametersT, NeuralSweep)

namespace cuttle {

const char* activation_name(Activation activation) {
  static constexpr const char* k_names[] = {"tanh", "elu", "relu", "sine", "identity"};
  return k_names[static_cast<int>(activation)];
}

template <typename S>
template <typename T>
NeuralParametersT<T> NeuralParametersT<S>::cast() const {
  const auto each = [](const std::vector<S>& from) {
    std::vector<T> to;
    to.reserve(from.size());
    for (const S& number : from) to.push_back(scalar_cast<T>(number));
    return to;
  };
  NeuralParametersT<T> other{scalar_cast<T>(length), scalar_cast<T>(scale), linear_weight, {}};
  for (const NeuralLayerT<S>& layer : layers) {
    other.layers.push_back({each(layer.weight), each(layer.bias), layer.activation});
  }
  return other;
}

namespace {

template <typename S>
const NeuralParametersT<S>& checked(const NeuralParametersT<S>& parameters) {
  using std::isfinite;
  const auto check_length = [](const char* key, const S& value) {
    if (value > S(0.0) && isfinite(value)) return;
    throw ModelError(key, number_text(value), "a number > 0 [m]");
  };
  check_length("length", parameters.length);
  check_length("scale", parameters.scale);
  if (parameters.layers.empty()) throw ModelError("layers", "none", "one or more");
  std::size_t inputs = 0;
  for (std::size_t l = 0; l < parameters.layers.size(); ++l) {
    const NeuralLayerT<S>& layer = parameters.layers[l];
    const KeyPath where{"layers", l};
    if (layer.bias.empty()) throw ModelError({where, "bias"}, "no numbers", "one or more");
    if (layer.weight.size() % layer.outputs() != 0) {
      throw ModelError({where, "weight"}, std::to_string(layer.weight.size()) + " numbers",
                       std::to_string(layer.outputs()) + " rows, as many as numbers in bias");
    }
    if (l == 0 && layer.inputs() < 4) {
      throw ModelError({where, "weight"}, std::to_string(layer.inputs()) + " columns",
                       "4 or more: three of the position, then one a coordinate");
    }
    if (l > 0 && layer.inputs() != inputs) {
      throw ModelError({where, "weight"}, std::to_string(layer.inputs()) + " columns",
                       std::to_string(inputs) + ", as many as outputs of the layer before");
    }
    const auto bad = [](const S& number) { return !isfinite(number); };
    if (std::any_of(layer.weight.begin(), layer.weight.end(), bad)) {
      throw ModelError({where, "weight"}, "a number that is not finite", "");
    }
    if (std::any_of(layer.bias.begin(), layer.bias.end(), bad)) {
      throw ModelError({where, "bias"}, "a number that is not finite", "");
    }
    inputs = layer.outputs();
  }
  if (inputs != 3) {
    throw ModelError({"layers", parameters.layers.size() - 1, "bias"}, std::to_string(inputs) + " numbers",
                     "3: the last layer gives a displacement");
  }
  return parameters;
}

}  // namespace

template <typename S>
NeuralKinematicsT<S>::NeuralKinematicsT(const NeuralParametersT<S>& parameters)
    : Base(checked(parameters), neural_kernels<S>()) {}

template <typename S>
std::vector<CoordinateInfo> NeuralKinematicsT<S>::coordinates() const {
  std::vector<CoordinateInfo> info;
  const std::size_t count = this->parameters().layers.front().inputs() - 3;
  for (std::size_t k = 0; k < count; ++k) info.push_back({"neural." + std::to_string(k), "1"});
  return info;
}

#define CUTTLE_INSTANTIATE(S) template class NeuralKinematicsT<S>;
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE
#define CUTTLE_INSTANTIATE_PAIR(S, T) template NeuralParametersT<T> NeuralParametersT<S>::cast() const;
CUTTLE_FOR_EACH_SCALAR_PAIR(CUTTLE_INSTANTIATE_PAIR)
#undef CUTTLE_INSTANTIATE_PAIR

}  // namespace cuttle
