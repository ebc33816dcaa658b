#pragma once

#include <cstddef>
#include <vector>

#include "cuttle/bodies/volume_kinematics.h"

namespace cuttle::test {

/// What the kinematics of a volume say of single points.
template <typename S>
struct KinematicsAtPoints {
  std::size_t n;
  std::vector<Vector3T<S>> position, slopes, curvature;  ///< slopes of point i at [i n + j]
  std::vector<Matrix3T<S>> F, F_slopes;

  /// @param v  empty: no curvature.
  KinematicsAtPoints(const VolumeKinematicsT<S>& kinematics, const std::vector<S>& q, const std::vector<S>& v,
                     const std::vector<Vector3T<S>>& x)
      : n(q.size()) {
    constexpr std::size_t k_lanes = k_point_lanes<S>;
    const std::size_t blocks = block_count<S>(x.size());
    std::vector<S> points(blocks * k_vector_block<S>), memory(PointMotionsT<S>::size(blocks, static_cast<int>(n)));
    fill_blocks(x.data(), x.size(), points.data());
    std::vector<char> memory_of_scratch(kinematics.scratch_size() + 64);
    void* scratch = memory_of_scratch.data() + (64 - reinterpret_cast<std::uintptr_t>(memory_of_scratch.data()) % 64);
    const PointMotionsT<S> motions(memory.data(), static_cast<int>(n));
    const MotionLevel level = v.empty() ? MotionLevel::pose : MotionLevel::acceleration;
    kinematics.move({level, q.data(), v.empty() ? nullptr : v.data()}, points.data(), blocks, motions, scratch);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::size_t block = i / k_lanes;
      const int lane = static_cast<int>(i % k_lanes);
      position.push_back(lane_vector(motions.value(block), lane));
      for (std::size_t j = 0; j < n; ++j) {
        slopes.push_back(lane_vector(motions.slope(block, static_cast<int>(j)), lane));
      }
      if (!v.empty()) curvature.push_back(lane_vector(motions.curvature(block), lane));
    }
    std::vector<S> rows(k_gradient_blocks * 9 * k_lanes), slope_rows(n * rows.size());
    const auto matrix = [](const S* at) {
      Matrix3T<S> A;
      for (int i = 0; i < 9; ++i) A(i / 3, i % 3) = at[static_cast<std::size_t>(i) * k_lanes];
      return A;
    };
    const auto use = [&](std::size_t first, std::size_t count) {
      for (std::size_t i = first * k_lanes; i < (first + count) * k_lanes && i < x.size(); ++i) {
        const std::size_t block = i / k_lanes - first, lane = i % k_lanes;
        F.push_back(matrix(rows.data() + block * 9 * k_lanes + lane));
        for (std::size_t j = 0; j < n; ++j) {
          F_slopes.push_back(matrix(slope_rows.data() + (block * n + j) * 9 * k_lanes + lane));
        }
      }
    };
    kinematics.gradients(q.data(), nullptr, points.data(), blocks, {rows.data(), slope_rows.data()}, GradientUse(use),
                         scratch);
  }
};

}  // namespace cuttle::test
