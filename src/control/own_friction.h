#pragma once

#include <vector>

#include "control/output_law.h"
#include "cuttle/algorithms/derivatives.h"
#include "cuttle/algorithms/elements.h"

namespace cuttle {

/// What `tendon_friction` makes of the inputs of a law. While tendon j pulls with the tension T its force is
/// (A_j + E_j) T; one that pushes has no friction, and the force A_j T. A law adds u_j to the tension that is there
/// before it. So what it adds bends where T is zero. It is B u + offset with every tendon on one side of its bend.
class OwnFriction {
 public:
  /// @param inputs  of the law.
  OwnFriction(const Model& model, const std::vector<int>& inputs);

  /// Whether there is such friction.
  bool any() const { return !tendons_.empty(); }
  /// Whether input j of the law has friction.
  bool rubs(int j) const;

  /// Into E, at a motion; all tendons pull then.
  /// @param u  inputs of the model before the law, nu, of tendons without slack.
  void read(const ControlArguments& at, const VectorXd& u);
  /// How it is on these sides. @param A, B  nv x m.   @param offset  nv.
  void force(const MatrixXd& A, MatrixXd& B, VectorXd& offset) const;
  /// Takes the first tendon whose output is beyond its bend to the other side, and says so. If it does so again and
  /// again, the tendon gets no tension: its output takes away what was there before.
  bool turn(VectorXd& out);

  /// How E follows the motion, after read.
  void read_slopes(const ControlArguments& at, DerivativeData& derivatives);
  /// Subtracts x^T dB_j from row j, apart from what A_j has in that; derivatives by q or by v.
  void subtract_column_slopes(const VectorXd& x, bool by_q, MatrixXd& rows) const;
  /// Subtracts d(B f + offset) at fixed f from by_q and by_v (nv x nv), apart from what A has in that.
  /// @param before  how inputs before the law follow the motion. Null: they stay.
  void subtract_force_slopes(const MatrixXd& A, const VectorXd& f, const InputSlopes* before, MatrixXd& by_q,
                             MatrixXd& by_v) const;
  /// Into the rows of outputs of tendons without tension.
  void hold_slopes(const GivenSlopes& before, MatrixXd& rows) const;

 private:
  enum class Side { pulls, pushes, none };
  struct Tendon {
    int j, input;  ///< of the law and of the model
    bool pushes;   ///< whether it may. Then its input is its tension
    Side side = Side::pulls;
    int turns = 0;
    double before = 0.0;      ///< tension before the law [N]; 0 of one that a law drives, which never pushes
    MatrixXd by_q{}, by_v{};  ///< of E_j
  };
  /// A law of friction beside one of the tendons.
  struct Part {
    std::size_t tendon;
    const BoundElementT<double>* element;
    const EffortLawT<double>* law;  ///< of tension
  };
  EffortArgumentsT<double> arguments(const Part& part, const ControlArguments& at);

  const Model& model_;
  std::vector<Tendon> tendons_;
  std::vector<Part> parts_;
  Data data_;
  ElementData elements_;
  MatrixXd E_;
  double one_ = 1.0;  // [N]
  // of read_slopes
  VectorXd unit_;
  MatrixXd slope_, rate_by_q_, product_;
  std::vector<double> law_slopes_;
};

}  // namespace cuttle
