#pragma once

#include <Eigen/Cholesky>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/element_slopes.h"
#include "algorithms/transmissions.h"
#include "control/output_law.h"
#include "control/own_friction.h"
#include "cuttle/algorithms/derivatives.h"
#include "cuttle/algorithms/equation_of_motion.h"

namespace cuttle {

/// The robot as a law knows it: its equation of motion `M a + rest = A u` at the instant of some ControlArguments, with
/// everything else that acts - elements, loads, other inputs - in `rest`, and added inertias in M. Memory is made once.
class Plant {
 public:
  /// @param inputs  of the law.
  Plant(const Model& model, const std::vector<int>& inputs);

  const Model& model() const { return *model_; }

  /// Into A, y and rate.
  void read_inputs(const ControlArguments& at);
  /// That, and M with its factor, R and G.
  void read_inertia(const ControlArguments& at);
  /// That, and in the same sweep `held`.
  void read_held(const ControlArguments& at);
  /// As read_inertia, and in the same sweep rest, with the acceleration that it makes.
  void read_motion(const ControlArguments& at);

  MatrixXd A;                  ///< nv x m, columns of the law's inputs
  VectorXd y, rate;            ///< of the inputs, and A^T v
  MatrixXd M;                  ///< nv x nv
  MatrixXd R, G;               ///< M^-1 A and A^T M^-1 A
  VectorXd held;               ///< nv, g(q) + s(q, 0) of the robot alone
  VectorXd rest;               ///< nv
  VectorXd free_acceleration;  ///< -M^-1 rest
  void divide_by_mass(VectorXd& x) const { factor_.solveInPlace(x); }
  void divide_by_mass(MatrixXd& x) const { factor_.solveInPlace(x); }

  /// After read_motion: whether friction of tendons takes part in what the law's inputs do. Without that B is A.
  bool rubs() const { return rubs_; }
  /// Inputs u of the law make the force B u + offset, beyond what at.u makes. Also M^-1 B and B^T M^-1 B.
  const MatrixXd& B() const { return rubs_ ? B_ : A; }
  const MatrixXd& Rb() const { return rubs_ ? Rb_ : R; }
  const MatrixXd& Gb() const { return rubs_ ? Gb_ : G; }
  const VectorXd& offset() const { return offset_; }  ///< nv; if it rubs
  /// Whether tendons push where B and offset say that they pull, or the other way: then these are new, and to be solved
  /// with again. @param out  outputs of the law that are solved for.
  bool turn(VectorXd& out);

  /// Whether A depends on q.
  bool bends() const { return bends_; }
  /// Into slopes: of the columns A_j, d A_j / dq (nv x nv, by displacements of q). Zero if A does not bend. And what
  /// friction has of those of B_j.
  void read_slopes(const ControlArguments& at);
  /// Subtracts x^T dB_j from row j, m x nv, after read_slopes. @param by_q  else by v.
  void subtract_column_slopes(const VectorXd& x, bool by_q, MatrixXd& rows) const;
  /// Rows of outputs that friction holds at a tension of zero. @param before  by the same coordinates.
  void hold_slopes(const GivenSlopes& before, MatrixXd& rows) const;
  std::vector<MatrixXd> slopes;
  /// (A^T)' v, which is the part of y'' that no acceleration makes.
  void input_bias(const ControlArguments& at, VectorXd& bias);
  /// Its derivatives by displacements of q, m x nv: third derivatives of y (transmission_bias_slope).
  void input_bias_slope(const ControlArguments& at, MatrixXd& by_q);

  /// Derivatives by displacements of q and by v; nv x nv each.
  struct Slopes {
    MatrixXd by_q, by_v;
  };
  /// Of `M a + rest - B f - offset` at fixed a and f, elements and loads following the motion as in the plant's own.
  /// @param f       efforts of the law's inputs, beside the inputs at.u. Null: none.
  /// @param before  how at.u follows the motion. Null: it stays. After one of read_inputs and the like.
  /// @return valid until the next call.
  const Slopes& motion_slopes(const ControlArguments& at, const VectorXd& a, const VectorXd* f,
                              const InputSlopes* before);
  /// Of all inputs, nv x nu: how the force follows at.u. Laws of actuators and elements, as friction of tendons, answer
  /// for theirs. @return valid until the next call.
  const MatrixXd& force_by_inputs(const ControlArguments& at);

 private:
  /// From M of the robot alone to M, its factor, R and G.
  void finish_inertia(const VectorXd& q);
  /// Into B_, Rb_, Gb_ and offset_.
  void read_friction();

  /// Where an input's y(q) has its slopes: one that a law drives is among the transmissions of elements.
  struct Bending {
    TransmissionSet set;
    int index;
  };
  Bending bending_of(int input) const;
  /// With the inputs into all_inputs_: those that act.
  EquationOfMotion::Instant instant(const ControlArguments& at);
  const Model* model_;
  std::vector<int> inputs_;
  std::vector<char> own_inputs_;  ///< which of the model's they are
  std::vector<char> only_pulls_;  ///< of the law's inputs: tendons that cannot push
  std::vector<char> apart_;       ///< of motion_slopes, of the law's inputs
  MatrixXd columns_;              ///< of the model's inputs, theirs alone
  VectorXd coordinates_;
  std::vector<Bending> bending_;  ///< of each
  struct Biases {
    std::vector<char> wanted;  ///< of a set of transmissions
    VectorXd all;
    MatrixXd by_q;
  };
  template <typename Use>
  void each_biases(const Use& use);
  Biases actuator_biases_, element_biases_;
  Data data_;
  EquationOfMotion equation_;
  Eigen::LLT<MatrixXd> factor_;
  std::vector<AddedInertia> added_;
  MatrixXd added_jacobian_;
  VectorXd no_acceleration_;
  std::vector<TransmissionSlope> actuator_slopes_, element_slopes_;  ///< that read_slopes fills
  bool bends_;
  std::optional<DerivativeData> derivatives_;
  std::optional<OwnFriction> friction_;  ///< if there is some
  bool rubs_ = false;
  MatrixXd B_, Rb_, Gb_;
  VectorXd offset_;
  /// Of a model whose elements have inputs.
  struct ElementInputs {
    explicit ElementInputs(const Model& model) : data(model), elements(model), slopes(model) {}
    Data data;
    ElementData elements;
    ElementSlopes slopes;
    MatrixXd force;
  };
  std::unique_ptr<ElementInputs> element_inputs_;
  Slopes slopes_;
  VectorXd all_inputs_;
};

/// @throws ArgumentError if the robot has closed loops, whose reactions the equation of motion above does not have.
void refuse_loops(const Model& model);

/// Checks a law at a configuration that is nothing special; what it throws there is an ArgumentError.
void try_law(const Model& model, OutputLaw& law, const ControlPlaces& places);

/// Names of inputs or coordinates for messages: [a, b].
std::string names_of(const std::vector<CoordinateInfo>& info, const std::vector<int>& indices);

}  // namespace cuttle
