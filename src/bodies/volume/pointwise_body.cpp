#include "cuttle/bodies/pointwise_body.h"

#include <algorithm>
#include <vector>

#include "bodies/volume/point_sums.h"
#include "cuttle/error.h"

namespace cuttle {

template <typename S>
void PointwiseBodyT<S>::material_points(const S* q, const Vector3T<S>* x, std::size_t count,
                                        const MaterialPointsT<S>& points) const {
  if (points.F && !this->knows_axes()) {
    throw ModelError("material_points: found no df/dx of a " + this->type_name() +
                     ", expected a body whose position is a template on the scalar");
  }
  const int n = this->coordinate_count();
  std::vector<Vector3T<S>> own;
  if (points.scratch == nullptr) own.resize(Motions::size(k_axes_motions, n));
  const Motions motions(points.scratch ? reinterpret_cast<Vector3T<S>*>(points.scratch) : own.data(), n);
  const Request request{MotionLevel::pose, q, nullptr};
  for (std::size_t i = 0; i < count; ++i) {
    if (points.F) {
      move_point_axes(request, x[i], motions);
    } else {
      move_points(request, x + i, 1, motions);
    }
    points.position[i] = motions[0].value;
    if (points.slopes) std::copy_n(motions[0].slopes, n, points.slopes + i * n);
    if (!points.F) continue;
    points.F[i] = Matrix3T<S>::from_columns(motions[1].value, motions[2].value, motions[3].value);
    for (int j = 0; points.F_slopes && j < n; ++j) {
      points.F_slopes[i * n + j] =
          Matrix3T<S>::from_columns(motions[1].slopes[j], motions[2].slopes[j], motions[3].slopes[j]);
    }
  }
}

template <typename S>
void PointwiseBodyT<S>::move(const Request& request, const S* x, std::size_t blocks,
                             const typename Base::Motions& motions, void* scratch) const {
  constexpr int k_lanes = k_point_lanes<S>;
  const int n = this->coordinate_count();
  const Motions one_block(static_cast<Vector3T<S>*>(scratch), n);
  const bool second = request.level == MotionLevel::acceleration;
  for (std::size_t block = 0; block < blocks; ++block) {
    Vector3T<S> points[k_lanes];
    for (int lane = 0; lane < k_lanes; ++lane) points[lane] = lane_vector(x + block * k_vector_block<S>, lane);
    move_points(request, points, k_lanes, one_block);
    for (int lane = 0; lane < k_lanes; ++lane) {
      const Motion motion = one_block[lane];
      set_lane_vector(motions.value(block), lane, motion.value);
      for (int j = 0; j < n; ++j) set_lane_vector(motions.slope(block, j), lane, motion.slopes[j]);
      if (second) set_lane_vector(motions.curvature(block), lane, motion.curvature);
    }
  }
}

template <typename S>
void PointwiseBodyT<S>::move_axes(const Request& request, const Vector3T<S>& x, typename Base::Direction (&axes)[2],
                                  void* scratch) const {
  const int n = this->coordinate_count();
  const Motions motions(static_cast<Vector3T<S>*>(scratch), n);
  move_point_axes(request, x, motions);
  for (int axis = 0; axis < 2; ++axis) {
    const Motion motion = motions[axis + 1];
    axes[axis].value = motion.value, axes[axis].curvature = motion.curvature;
    std::copy_n(motion.slopes, n, axes[axis].slopes);
  }
}

template <typename S>
std::size_t PointwiseBodyT<S>::first_folded(const S* q, void*) const {
  const auto& points = this->parameters().quadrature.points;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!(this->determinant_at(q, points[i]) > S(0.0))) return i / k_point_lanes<S>;
  }
  return this->table().blocks;
}

#define CUTTLE_INSTANTIATE(S) template class PointwiseBodyT<S>;
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
