#include "cuttle/algorithms/parameter_gradient.h"

#include <algorithm>

#include "cuttle/algorithms/forward_dynamics.h"
#include "cuttle/algorithms/inverse_dynamics.h"

namespace cuttle {
namespace {

/// @param f  a vector of size nv from a model and its data.
template <typename F>
MatrixXd gradient(const Model& model, const std::vector<std::string>& paths, const F& f) {
  const auto count = static_cast<Eigen::Index>(paths.size());
  MatrixXd result(model.nv(), count);
  for (Eigen::Index first = 0; first < count; first += k_gradient_width) {
    const Eigen::Index width = std::min<Eigen::Index>(k_gradient_width, count - first);
    const auto begin = paths.begin() + first;
    const ModelT<Gradient> variable = differentiate(model, {begin, begin + width});
    DataT<Gradient> data(variable);
    const VectorXT<Gradient>& value = f(variable, data);
    for (Eigen::Index i = 0; i < value.size(); ++i) {
      for (Eigen::Index k = 0; k < width; ++k) result(i, first + k) = value[i].derivative[k];
    }
  }
  return result;
}

}  // namespace

ModelT<Gradient> differentiate(const Model& model, const std::vector<std::string>& paths) {
  return ModelT<Gradient>(parameter_source(model.robot())->differentiated(paths));
}

MatrixXd inverse_dynamics_gradient(const Model& model, const std::vector<std::string>& paths, VectorInT<double> q,
                                   VectorInT<double> v, VectorInT<double> a) {
  const VectorXT<Gradient> at_q = q.cast<Gradient>(), at_v = v.cast<Gradient>(), at_a = a.cast<Gradient>();
  return gradient(model, paths, [&](const ModelT<Gradient>& m, DataT<Gradient>& d) -> const VectorXT<Gradient>& {
    return inverse_dynamics(m, d, at_q, at_v, at_a);
  });
}

MatrixXd forward_dynamics_gradient(const Model& model, const std::vector<std::string>& paths, VectorInT<double> q,
                                   VectorInT<double> v, VectorInT<double> tau) {
  const VectorXT<Gradient> at_q = q.cast<Gradient>(), at_v = v.cast<Gradient>(), at_tau = tau.cast<Gradient>();
  return gradient(model, paths, [&](const ModelT<Gradient>& m, DataT<Gradient>& d) -> const VectorXT<Gradient>& {
    return forward_dynamics(m, d, at_q, at_v, at_tau);
  });
}

}  // namespace cuttle
