#pragma once

namespace cuttle {

/// Products of the slopes of sites with how their frames move, along coordinates. Of a frame six columns of numbers,
/// `stride` apart, have one number for each coordinate.
struct SiteSlopeKernels {
  /// by_q += J P^T + W V^T, by_v += J V^T. @param jacobian, velocity_by_q  J and W of the frame that moves.
  /// @param by_pose, by_velocity  P and V, 6 x 6 by columns that are `lead` apart.   @param count  of coordinates.
  void (*add_block)(const double* by_pose, const double* by_velocity, long lead, const double* jacobian,
                    const double* velocity_by_q, double* by_q, double* by_v, int count, long stride);
  /// from -= J B^T, rows x columns. @param terms  columns of J and B.   @param from_stride  of its columns.
  void (*subtract_product)(const double* jacobian, const double* by, long stride, int terms, int rows, int columns,
                           double* from, long from_stride);
};

/// The fastest that this CPU runs.
SiteSlopeKernels site_slope_kernels();

}  // namespace cuttle
