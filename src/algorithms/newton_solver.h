#pragma once

#include <Eigen/Core>
#include <memory>
#include <string>
#include <vector>

#include "algorithms/tangent_solver.h"

namespace cuttle {

/// Equations f(z) = 0 of as many unknowns: displacements first, then multipliers.
class NewtonProblem {
 public:
  NewtonProblem() = default;
  NewtonProblem(const NewtonProblem&) = delete;
  NewtonProblem& operator=(const NewtonProblem&) = delete;
  virtual ~NewtonProblem() = default;

  /// f(z). @return false where it does not exist; `trouble` says why.
  virtual bool equations(const Eigen::VectorXd& z, Eigen::VectorXd& result, std::string& trouble) = 0;
  /// df/dz at the z of the last call of `equations`.
  virtual void tangent(const Eigen::VectorXd& z, Eigen::MatrixXd& result) = 0;
  /// The same, factored by the problem itself and valid until the next call. Null: only `tangent` is known.
  virtual const TangentSolver* factored(const Eigen::VectorXd& /*z*/) { return nullptr; }
};

/// Newton's method. The tangent is kept as long as it converges well. A correction is shortened until the next one of
/// the same tangent is smaller (the natural level function: it does not depend on the units of forces).
class NewtonSolver {
 public:
  /// @param displacements  how many of the unknowns are rad or m: they decide when it has converged.
  /// @param matrices  whether problems have tangents that are not `factored`.
  NewtonSolver(int unknowns, int displacements, bool matrices = true);

  struct Iteration {
    double residual = 0.0;    ///< largest entry of the equations that belong to displacements
    double correction = 0.0;  ///< of z, largest of the displacements
    double damping = 1.0;     ///< part of it that was taken
    int worst = 0;            ///< entry of the largest residual
  };

  /// A tangent is kept as long as corrections shrink by this factor at least, 0.1 at first: more where a new one costs
  /// many of them.
  void set_good_contraction(double factor) { good_contraction_ = factor; }
  /// Of a correction, before the search ends: more where forces are much stiffer a little further, as those of
  /// contacts.
  void set_most_halvings(int count) { most_halvings_ = count; }

  /// From the guess z. @return false if it does not converge: see iterations() and trouble().
  /// Converged: `equations` was last called at the solution.
  bool solve(NewtonProblem& problem, Eigen::VectorXd& z);
  /// From a solution that `solve` has found to one at which nothing but rounding is left: with a tangent of its own.
  /// Where it returns true, `equations` was last called there.
  bool polish(NewtonProblem& problem, Eigen::VectorXd& z);
  /// The tangent that `polish` has made, until the next one. Null where the solution was moved by more since: of forces
  /// that are not far stiffer a little further it is that of the solution to 1e-10.
  const TangentSolver* polished() const { return moved_ <= k_same_place ? factored_ : nullptr; }
  /// What `right` is of the last tangent: tangent^-1 right. After a solution.
  void apply_inverse(const Eigen::VectorXd& right, Eigen::VectorXd& result) const;
  /// The tangent of the last solution does not serve the next.
  void forget_tangent() { has_tangent_ = false; }

  const std::vector<Iteration>& iterations() const { return iterations_; }
  /// Whether the last solution was hard to find: corrections had to be shortened, or were many.
  bool strained() const;
  const std::string& trouble() const { return trouble_; }
  long tangents() const { return tangents_; }  ///< made so far

 private:
  static constexpr double k_same_place = 1e-14;  // rad, m

  bool small(const Eigen::VectorXd& correction, const Eigen::VectorXd& z, double factor) const;
  /// What the next correction will leave, of displacements of which each goes on shrinking as it did last.
  double left_after_next() const;
  /// Whether a correction is rounding alone.
  bool is_nothing(const Eigen::VectorXd& correction, const Eigen::VectorXd& z) const;
  /// Whether a correction leaves the multipliers nearly as they are.
  bool steady_multipliers(const Eigen::VectorXd& correction, const Eigen::VectorXd& z) const;
  double largest(const Eigen::VectorXd& z) const;
  void take_tangent(NewtonProblem& problem, const Eigen::VectorXd& z);

  int displacements_;
  double good_contraction_ = 0.1;
  int most_halvings_ = 10;
  Eigen::VectorXd equations_, correction_, next_, trial_;
  Eigen::MatrixXd matrix_;
  std::unique_ptr<FactoredMatrix> dense_;    // of matrix_
  const TangentSolver* factored_ = nullptr;  ///< the last tangent
  bool has_tangent_ = false;
  double moved_ = 0.0;  // by the last polish
  long tangents_ = 0;
  std::vector<Iteration> iterations_;
  std::string trouble_;
};

}  // namespace cuttle
