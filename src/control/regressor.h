#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cuttle/algorithms/parameter_gradient.h"

namespace cuttle {

/// The force M(q) a_r + C(q, v) v_r + g(q) + s(q, v_r) of a robot as an affine function of some of its parameters,
/// rest + Y theta. C(q, v) v_r = [c(q, v + v_r) - c(q, v - v_r)] / 4, which is the C of Christoffel's symbols: M' - 2 C
/// is skew. Y is exact, by the differentiation type.
class Regressor {
 public:
  /// @param values  of the parameters, about which the force is differentiated: any, as the force is affine.
  /// @throws ArgumentError for parameters in which it is not affine; ModelError for values that the robot refuses.
  Regressor(const Model& model, const std::vector<std::string>& paths, const VectorXd& values);

  void read(const VectorXd& q, const VectorXd& v, const VectorXd& v_r, const VectorXd& a_r);
  MatrixXd Y;     ///< nv x parameters
  VectorXd rest;  ///< nv

 private:
  struct Variable {
    explicit Variable(ModelT<Gradient> with_derivatives) : model(std::move(with_derivatives)), data(model) {}
    ModelT<Gradient> model;
    DataT<Gradient> data;
  };
  void require_affine(const Model& model, const std::vector<std::string>& paths);

  VectorXd values_;
  std::vector<std::unique_ptr<Variable>> variables_;  ///< each eight parameters
  VectorXT<Gradient> q_, v_, v_r_, a_r_, sum_, difference_, zero_, force_;
};

}  // namespace cuttle
