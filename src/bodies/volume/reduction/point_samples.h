#pragma once

#include <Eigen/Core>
#include <memory>
#include <random>
#include <vector>

#include "cuttle/bodies/volume_body.h"

namespace cuttle {

/// Integrals over a body in random states, by point. Rows: the integrals of one state after the other; columns: the
/// points, each with its weight. The sum of a row is the integral over all points.
struct PointIntegrals {
  Eigen::MatrixXd rows;
  Eigen::Index states = 0;
  /// Numbers that one thing has in a state, as the generalized elastic force: rows of each state that belong together.
  struct Group {
    Eigen::Index first, count;
  };
  std::vector<Group> groups;  ///< of a state
};

/// Draws states of a body and computes what its points add to the integrals that its dynamics need: the generalized
/// force and the base wrench of inertia with and without a moving base, elastic and damping forces, energy, moment of
/// mass.
class PointSampler {
 public:
  /// @param strain  largest strain at a point. The body must live longer.
  PointSampler(const VolumeBody& body, double strain, unsigned seed);

  Eigen::Index rows_of_state() const;
  PointIntegrals draw(Eigen::Index states);

 private:
  template <typename Use>
  void each_gradient(const std::vector<double>& q, bool with_slopes, const Use& use);
  void fill_state(Eigen::Index first_row, Eigen::MatrixXd& rows);
  std::vector<double> draw_configuration();
  /// Largest strain at a point; infinite where the body folds or f is not defined.
  double largest_strain(const std::vector<double>& q);
  void measure_coordinates();
  double uniform(double from, double to);
  double normal();

  const VolumeBody& body_;
  double strain_;
  std::mt19937 random_;
  int n_;
  std::vector<double> blocks_;  // rest positions
  std::vector<double> motions_, gradients_, scratch_;
  std::vector<double> scale_;  // of each coordinate: that which alone makes the strain
  double length_;
};

}  // namespace cuttle
