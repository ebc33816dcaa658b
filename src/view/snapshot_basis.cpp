#include "view/snapshot_basis.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

namespace cuttle {

std::optional<SnapshotBasis> snapshot_basis(const FrameMatrix& snapshots, double tolerance, std::size_t most) {
  using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto frames = static_cast<Eigen::Index>(snapshots.frames);
  const auto channels = static_cast<Eigen::Index>(snapshots.channels);
  const Eigen::Map<const Rows> given(snapshots.values.data(), frames, channels);
  const Eigen::RowVectorXf mean = given.colwise().mean();
  Rows residual = given.rowwise() - mean;

  SnapshotBasis basis;
  basis.mean.assign(mean.data(), mean.data() + channels);
  std::vector<Eigen::VectorXf> coefficients;
  for (;;) {
    Eigen::Index farthest = 0;
    const float distance = residual.cwiseAbs().rowwise().maxCoeff().maxCoeff(&farthest);
    if (!std::isfinite(distance)) return std::nullopt;
    if (distance <= tolerance) break;
    if (coefficients.size() == most) return std::nullopt;
    Eigen::RowVectorXf direction = residual.row(farthest);
    direction /= direction.norm();
    const Eigen::VectorXf along = residual * direction.transpose();
    residual.noalias() -= along * direction;
    const float largest = direction.cwiseAbs().maxCoeff();
    direction /= largest;
    basis.vectors.emplace_back(direction.data(), direction.data() + channels);
    coefficients.push_back(along * largest);
  }
  basis.coefficients = {snapshots.frames, coefficients.size(), {}};
  basis.coefficients.values.resize(snapshots.frames * coefficients.size());
  for (std::size_t k = 0; k < coefficients.size(); ++k) {
    for (std::size_t f = 0; f < snapshots.frames; ++f)
      basis.coefficients.at(f, k) = coefficients[k][static_cast<Eigen::Index>(f)];
  }
  return basis;
}

}  // namespace cuttle
