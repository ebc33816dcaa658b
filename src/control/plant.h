#pragma once

#include <Eigen/Cholesky>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/transmissions.h"
#include "control/output_law.h"
#include "cuttle/algorithms/derivatives.h"
#include "cuttle/simulation/robot_system.h"

namespace cuttle {

/// The robot as a law knows it: its equation of motion `M a + rest = A u` at the instant of some ControlArguments, with
/// everything else that acts - elements, loads, other inputs - in `rest`, and added inertias in M. Memory is made once.
class Plant {
 public:
  /// @param inputs  of the law.
  Plant(const Model& model, const std::vector<int>& inputs);

  const Model& model() const { return *model_; }

  /// Into A and rate.
  void read_inputs(const ControlArguments& at);
  /// That, and M with its factor, R and G.
  void read_inertia(const ControlArguments& at);
  /// That, and rest with the acceleration that it makes.
  void read_motion(const ControlArguments& at);

  MatrixXd A;                                                            ///< nv x m, columns of the law's inputs
  const MatrixXd& all_inputs() const { return data_.actuation_matrix; }  ///< nv x nu, of all actuators
  VectorXd rate;                                                         ///< A^T v
  MatrixXd M;                                                            ///< nv x nv
  MatrixXd R, G;                                                         ///< M^-1 A and A^T M^-1 A
  VectorXd rest;                                                         ///< nv
  VectorXd free_acceleration;                                            ///< -M^-1 rest
  void divide_by_mass(VectorXd& x) const { factor_.solveInPlace(x); }
  void divide_by_mass(MatrixXd& x) const { factor_.solveInPlace(x); }

  /// Whether A depends on q.
  bool bends() const { return bends_; }
  /// Into slopes: of the columns A_j, d A_j / dq (nv x nv, by displacements of q). Zero if A does not bend.
  void read_slopes(const ControlArguments& at);
  std::vector<MatrixXd> slopes;
  /// (A^T)' v, which is the part of y'' that no acceleration makes; after read_slopes.
  void input_bias(const VectorXd& v, VectorXd& bias) const;
  /// Its derivatives by displacements of q, m x nv: third derivatives of y, by central differences of the second ones.
  void input_bias_slope(const ControlArguments& at, MatrixXd& by_q);

  /// Derivatives of `M a + rest - A u` by q and v, elements and loads following the motion as in the plant's own.
  /// @param u  nu, all that act.
  const DerivativeData& motion_slopes(const ControlArguments& at, const VectorXd& a, const VectorXd& u);

 private:
  void read_slopes_at(const VectorXd& q);

  /// Where an input's y(q) has its slopes: one that a law drives is among the transmissions of elements.
  struct Bending {
    TransmissionSet set;
    int index;
  };
  Bending bending_of(int input) const;

  const Model* model_;
  std::vector<int> inputs_;
  std::vector<Bending> bending_;  ///< of each
  Data data_;
  RobotSystem system_;
  Eigen::LLT<MatrixXd> factor_;
  std::vector<AddedInertia> added_;
  MatrixXd added_jacobian_;
  VectorXd no_acceleration_, unit_input_, unit_effort_, auxiliary_rate_, q_, moved_;
  bool bends_;
  std::optional<DerivativeData> derivatives_;
  VectorXd bias_before_, bias_after_;
};

/// @throws ArgumentError if the robot has closed loops, whose reactions the equation of motion above does not have.
void refuse_loops(const Model& model);

/// Checks a law at a configuration that is nothing special; what it throws there is an ArgumentError.
void try_law(const Model& model, OutputLaw& law, const ControlPlaces& places);

/// Names of inputs or coordinates for messages: [a, b].
std::string names_of(const std::vector<CoordinateInfo>& info, const std::vector<int>& indices);

}  // namespace cuttle
