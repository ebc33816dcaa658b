#include "cuttle/algorithms/parameter_gradient.h"

#include <algorithm>

#include "algorithms/differentiated_groups.h"
#include "cuttle/algorithms/forward_dynamics.h"
#include "cuttle/algorithms/inverse_dynamics.h"

namespace cuttle {
namespace {

/// @param f  a vector of size nv from a model and its data.
template <typename F>
MatrixXd gradient(const Model& model, const std::vector<std::string>& paths, const F& f) {
  const auto count = static_cast<Eigen::Index>(paths.size());
  MatrixXd result(model.nv(), count);
  for (Eigen::Index first = 0; first < count; first += k_forward_width) {
    const Eigen::Index width = std::min<Eigen::Index>(k_forward_width, count - first);
    const auto begin = paths.begin() + first;
    const ModelT<ForwardDual> variable = differentiate(model, {begin, begin + width});
    DataT<ForwardDual> data(variable);
    const VectorXT<ForwardDual>& value = f(variable, data);
    for (Eigen::Index i = 0; i < value.size(); ++i) {
      for (Eigen::Index k = 0; k < width; ++k) result(i, first + k) = value[i].derivative[k];
    }
  }
  return result;
}

}  // namespace

ModelT<ForwardDual> differentiate(const Model& model, const std::vector<std::string>& paths) {
  return differentiate_along(model, along_each(paths));
}

ModelT<ForwardDual> differentiate_along(const Model& model, const std::vector<ParameterDirection>& directions) {
  return ModelT<ForwardDual>(parameter_source(model.robot())->differentiated(directions));
}

MatrixXd inverse_dynamics_gradient(const Model& model, const std::vector<std::string>& paths, VectorInT<double> q,
                                   VectorInT<double> v, VectorInT<double> a) {
  const VectorXT<ForwardDual> at_q = q.cast<ForwardDual>(), at_v = v.cast<ForwardDual>(), at_a = a.cast<ForwardDual>();
  return gradient(model, paths,
                  [&](const ModelT<ForwardDual>& m, DataT<ForwardDual>& d) -> const VectorXT<ForwardDual>& {
                    return inverse_dynamics(m, d, at_q, at_v, at_a);
                  });
}

MatrixXd forward_dynamics_gradient(const Model& model, const std::vector<std::string>& paths, VectorInT<double> q,
                                   VectorInT<double> v, VectorInT<double> tau) {
  const VectorXT<ForwardDual> at_q = q.cast<ForwardDual>(), at_v = v.cast<ForwardDual>(),
                              at_tau = tau.cast<ForwardDual>();
  return gradient(model, paths,
                  [&](const ModelT<ForwardDual>& m, DataT<ForwardDual>& d) -> const VectorXT<ForwardDual>& {
                    return forward_dynamics(m, d, at_q, at_v, at_tau);
                  });
}

}  // namespace cuttle
