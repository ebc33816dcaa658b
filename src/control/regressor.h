#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cuttle/algorithms/derivatives.h"
#include "cuttle/model/data.h"

namespace cuttle {

/// The force M(q) a_r + C(q, v) v_r + g(q) + s(q, v_r) of a robot as an affine function of some of its parameters,
/// rest + Y theta. C(q, v) v_r = [c(q, v + v_r) - c(q, v - v_r)] / 4, which is the C of Christoffel's symbols: M' - 2 C
/// is skew. As the force is affine, differences between two values of a parameter have no error but rounding; and it is
/// a sum of inverse dynamics, which has exact derivatives.
class Regressor {
 public:
  /// @param values  of the parameters, about which the force is taken: any, as it is affine.
  /// @throws ArgumentError for parameters in which it is not affine; ModelError for values that the robot refuses.
  Regressor(const Model& model, const std::vector<std::string>& paths, const VectorXd& values);

  void read(const VectorXd& q, const VectorXd& v, const VectorXd& v_r, const VectorXd& a_r);
  MatrixXd Y;     ///< nv x parameters
  VectorXd rest;  ///< nv

  /// How v_r and a_r follow the motion, nv x nv each; a_r does not follow q.
  struct ReferenceSlopes {
    MatrixXd v_r_by_q, v_r_by_v, a_r_by_v;
  };
  /// Derivatives by displacements of q and by v, after `read` of the same motion: of rest + Y theta (nv x nv), and of
  /// Y^T r (parameters x nv), at fixed theta and r.
  void read_slopes(const VectorXd& q, const VectorXd& v, const VectorXd& v_r, const VectorXd& a_r,
                   const ReferenceSlopes& reference, const VectorXd& theta, const VectorXd& r);
  MatrixXd force_by_q, force_by_v, weighted_by_q, weighted_by_v;

 private:
  /// One summand: weight ID(q, of_v v + of_v_r v_r, of_a_r a_r).
  struct Summand {
    double weight, of_v, of_v_r, of_a_r;
  };
  /// The robot with one parameter changed, or with none.
  struct Variant {
    explicit Variant(Model changed) : model(std::move(changed)), data(model), force(VectorXd::Zero(model.nv())) {}
    Model model;
    Data data;
    VectorXd force;
    std::optional<DerivativeData> derivatives;
    MatrixXd by_q, by_v;
  };
  void choose_summands(const Model& model);
  void require_affine(const Model& model, const std::vector<std::string>& paths);
  void differentiate(Variant& variant, const VectorXd& q, const VectorXd& v, const VectorXd& v_r, const VectorXd& a_r,
                     const ReferenceSlopes& reference);

  VectorXd values_, changes_;
  std::vector<std::unique_ptr<Variant>> variants_;  ///< first the robot itself, then one a parameter
  std::vector<Summand> summands_;
  VectorXd velocity_, acceleration_;
  VectorXd q_, v_, v_r_, a_r_;  ///< that was read
};

}  // namespace cuttle
