#pragma once

#include <cstddef>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/bodies/body.h"

namespace CUTTLE_API cuttle {

/// Points side by side in a block, so that they can be the lanes of vector registers. One for the scalars that are
/// computed one by one.
template <typename S>
inline constexpr int k_point_lanes = 1;
template <>
inline constexpr int k_point_lanes<double> = 8;

template <typename S>
std::size_t block_count(std::size_t points) {
  return (points + k_point_lanes<S> - 1) / k_point_lanes<S>;
}
/// A vector of a block lies as x of all lanes, y of all lanes, z of all lanes.
template <typename S>
inline constexpr std::size_t k_vector_block = 3 * k_point_lanes<S>;
template <typename S>
Vector3T<S> lane_vector(const S* block, int lane) {
  constexpr int n = k_point_lanes<S>;
  return {block[lane], block[n + lane], block[2 * n + lane]};
}
template <typename S>
void set_lane_vector(S* block, int lane, const Vector3T<S>& a) {
  constexpr int n = k_point_lanes<S>;
  block[lane] = a.x, block[n + lane] = a.y, block[2 * n + lane] = a.z;
}
/// Fills the blocks of `count` points; the last point fills the lanes that are left.
template <typename S>
void fill_blocks(const Vector3T<S>* points, std::size_t count, S* blocks) {
  constexpr std::size_t n = k_point_lanes<S>;
  for (std::size_t i = 0; i < block_count<S>(count) * n; ++i) {
    set_lane_vector(blocks + i / n * k_vector_block<S>, static_cast<int>(i % n), points[i < count ? i : count - 1]);
  }
}

/// What is asked of the motion of material points.
template <typename S>
struct PointRequestT {
  MotionLevel level;
  const S* q;
  const S* v;          ///< only at level acceleration
  bool slopes = true;  ///< whether df/dq_j are wanted; only at level pose may they not be
};

/// Motions of blocks of points, one behind the other. Of each block the vectors f(x, q); df/dq_j; the curvature
/// sum_jk d2f/(dq_j dq_k) v_j v_k, which later becomes the second derivative in time; df/dt.
template <typename S>
class PointMotionsT {
 public:
  PointMotionsT(S* memory, int coordinates) : memory_(memory), stride_(k_vector_block<S> * (coordinates + 3)) {}
  static std::size_t size(std::size_t blocks, int coordinates) {
    return blocks * k_vector_block<S> * (coordinates + 3);
  }

  S* value(std::size_t block) const { return memory_ + block * stride_; }
  S* slope(std::size_t block, int j) const { return value(block) + k_vector_block<S> * (j + 1); }
  S* curvature(std::size_t block) const { return value(block) + stride_ - 2 * k_vector_block<S>; }
  S* second(std::size_t block) const { return curvature(block); }
  S* rate(std::size_t block) const { return value(block) + stride_ - k_vector_block<S>; }
  PointMotionsT from(std::size_t block) const {
    PointMotionsT later = *this;
    later.memory_ += block * stride_;
    return later;
  }

 private:
  S* memory_;
  std::size_t stride_;
};

}  // namespace cuttle
