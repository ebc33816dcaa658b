#include "algorithms/material_polygons.h"

#include <algorithm>
#include <utility>

#include "cuttle/bodies/point_block.h"
#include "spatial/aligned.h"

namespace cuttle {
namespace {

constexpr double k_no_edge = 1e-12;  // of a tendon's length: shorter edges have no direction, as in actuation.cpp
constexpr std::size_t k_polygon_lanes = k_point_lanes<double>;
constexpr std::size_t k_polygon_block = k_vector_block<double>;

}  // namespace

MaterialPolygons::MaterialPolygons(std::shared_ptr<const VolumeKinematics> kinematics, int q, int v, int nv)
    : kinematics_(std::move(kinematics)),
      q_(q),
      v_(v),
      n_(nv),
      linear_(kinematics_->is_linear()),
      rates_(VectorXd::Zero(nv)),
      zero_(VectorXd::Zero(nv)),
      slope_(nv),
      hessian_(nv, nv),
      slope_edges_(static_cast<std::size_t>(nv)) {}

void MaterialPolygons::add(const BoundTendonT<double>& tendon, const TendonPolygonT<double>& polygon) {
  polygons_.push_back({tendon.input, k_no_edge * tendon.rest_length, points_.size(), polygon.points.size()});
  points_.insert(points_.end(), polygon.points.begin(), polygon.points.end());
}

void MaterialPolygons::prepare() {
  const auto n = static_cast<std::size_t>(n_);
  blocks_ = block_count<double>(points_.size());
  const std::size_t each = linear_ ? 0 : std::max(2 * n, SecondSlopesT<double>::pairs(n)) * k_polygon_block;
  const std::size_t bytes =
      std::max(kinematics_->scratch_size(), linear_ ? 0 : kinematics_->second_slopes_scratch_size());
  const std::size_t positions = padded(blocks_ * k_polygon_block);
  const std::size_t motions = padded(PointMotionsT<double>::size(blocks_, n_));
  const std::size_t part = padded(k_gradient_blocks * each), seconds = padded(blocks_ * each);
  constexpr std::size_t k_line = k_cache_line / sizeof(double);
  memory_.resize(positions + motions + part + seconds + bytes / sizeof(double) + 1 + k_line);
  x_ = aligned<double>(memory_.data());
  motions_ = x_ + positions;
  part_ = motions_ + motions;
  seconds_ = part_ + part;
  scratch_ = seconds_ + seconds;
  fill_blocks(points_.data(), points_.size(), x_);
}

/// Calls use(i, edge, length) for the edges from point i to the next one that have a direction.
template <typename Use>
void MaterialPolygons::each_edge(std::size_t polygon, const Use& use) const {
  const Polygon& at = polygons_[polygon];
  for (std::size_t i = at.first; i + 1 < at.first + at.count; ++i) {
    const Vector3 edge = value_edge(i);
    const double length = norm(edge);
    if (length > at.tiny) use(i, edge, length);
  }
}

/// From point i to the next one the change of a vector that a table has of each point.
/// @param each  vectors of a point. @param entry  which one.
Vector3 MaterialPolygons::edge_of(const double* table, std::size_t each, std::size_t entry, std::size_t i) const {
  const auto at = [&](std::size_t point) {
    return lane_vector(table + (point / k_polygon_lanes * each + entry) * k_polygon_block,
                       static_cast<int>(point % k_polygon_lanes));
  };
  return at(i + 1) - at(i);
}
Vector3 MaterialPolygons::value_edge(std::size_t i) const {
  const PointMotionsT<double> motions(motions_, n_);
  const auto at = [&](std::size_t point) {
    return lane_vector(motions.value(point / k_polygon_lanes), static_cast<int>(point % k_polygon_lanes));
  };
  return at(i + 1) - at(i);
}
Vector3 MaterialPolygons::slope_edge(std::size_t i, int j) const {
  const PointMotionsT<double> motions(motions_, n_);
  const auto at = [&](std::size_t point) {
    return lane_vector(motions.slope(point / k_polygon_lanes, j), static_cast<int>(point % k_polygon_lanes));
  };
  return at(i + 1) - at(i);
}
/// First or second derivative of a slope along the motion.
Vector3 MaterialPolygons::path_edge(std::size_t i, int j, std::size_t order) const {
  if (linear_) return {};
  return edge_of(seconds_, 2 * static_cast<std::size_t>(n_), 2 * static_cast<std::size_t>(j) + order - 1, i);
}

void MaterialPolygons::carry(MotionLevel level, const double* q, const double* v) {
  if (v != nullptr) rates_ = Eigen::Map<const VectorXd>(v + v_, n_);
  kinematics_->move({level, q + q_, rates_.data(), true}, x_, blocks_, PointMotionsT<double>(motions_, n_), scratch_);
}

/// Second derivatives of all points, as `results` asks for a few blocks: along the motion, or by coordinates in pairs.
void MaterialPolygons::carry_seconds(const double* q, const SecondSlopesT<double>& results, std::size_t each) {
  if (linear_) return;
  const auto keep = [&](std::size_t first, std::size_t count) {
    std::copy_n(part_, count * each * k_polygon_block, seconds_ + first * each * k_polygon_block);
  };
  kinematics_->second_slopes(q + q_, rates_.data(), zero_.data(), x_, blocks_, results, GradientUse(keep), scratch_);
}

void MaterialPolygons::read_hessians(const double* q) {
  carry(MotionLevel::pose, q, nullptr);
  SecondSlopesT<double> results;
  results.hessians = part_;
  carry_seconds(q, results, SecondSlopesT<double>::pairs(static_cast<std::size_t>(n_)));
}

/// Of an edge e with slopes s_j and second derivatives h_jk, direction d and length l:
/// dl/dq_j = d.s_j, d2l/(dq_j dq_k) = (s_j.s_k - d.s_j d.s_k) / l + d.h_jk.
const MatrixXd& MaterialPolygons::hessian(std::size_t i) {
  const std::size_t pairs = SecondSlopesT<double>::pairs(static_cast<std::size_t>(n_));
  hessian_.setZero();
  each_edge(i, [&](std::size_t point, const Vector3& edge, double length) {
    const Vector3 direction = (1.0 / length) * edge;
    std::size_t pair = 0;
    for (int j = 0; j < n_; ++j) {
      const Vector3 slope = slope_edge(point, j);
      slope_edges_[static_cast<std::size_t>(j)] = slope;
      const Vector3 across = (1.0 / length) * (slope - dot(direction, slope) * direction);
      for (int k = 0; k <= j; ++k, ++pair) {
        double second = dot(across, slope_edges_[static_cast<std::size_t>(k)]);
        if (!linear_) second += dot(direction, edge_of(seconds_, pairs, pair, point));
        hessian_(k, j) += second;
      }
    }
  });
  for (int j = 0; j < n_; ++j) {
    for (int k = 0; k < j; ++k) hessian_(j, k) = hessian_(k, j);
  }
  return hessian_;
}

void MaterialPolygons::read_bias(const double* q, const double* v) { carry(MotionLevel::acceleration, q, v); }

double MaterialPolygons::bias(std::size_t i) const {
  const PointMotionsT<double> motions(motions_, n_);
  const auto curvature = [&](std::size_t point) {
    return lane_vector(motions.curvature(point / k_polygon_lanes), static_cast<int>(point % k_polygon_lanes));
  };
  double bias = 0.0;
  each_edge(i, [&](std::size_t point, const Vector3& edge, double length) {
    Vector3 rate;
    for (int j = 0; j < n_; ++j) rate += rates_[j] * slope_edge(point, j);
    const double along = dot(edge, rate) / length;
    const Vector3 second = curvature(point + 1) - curvature(point);
    bias += (dot(rate, rate) - along * along + dot(edge, second)) / length;
  });
  return bias;
}

void MaterialPolygons::read_bias_slopes(const double* q, const double* v) {
  carry(MotionLevel::pose, q, v);
  SecondSlopesT<double> results;
  results.paths = part_;
  carry_seconds(q, results, 2 * static_cast<std::size_t>(n_));
}

/// Third derivatives are symmetric, so this is the second derivative of dl/dq_j = e.s_j / l = p / l along q + t v:
/// (p/l)'' = p''/l - 2 p' l'/l^2 - p l''/l^2 + 2 p l'^2/l^3, with e' = sum v_j s_j and e'' = sum v_j s_j'.
const VectorXd& MaterialPolygons::bias_slope(std::size_t i) {
  slope_.setZero();
  each_edge(i, [&](std::size_t point, const Vector3& edge, double length) {
    Vector3 rate, second;
    for (int j = 0; j < n_; ++j) {
      rate += rates_[j] * slope_edge(point, j);
      second += rates_[j] * path_edge(point, j, 1);
    }
    const double inverse = 1.0 / length;
    const double length_rate = inverse * dot(edge, rate);
    const double length_second = inverse * (dot(rate, rate) + dot(edge, second) - length_rate * length_rate);
    for (int j = 0; j < n_; ++j) {
      const Vector3 s = slope_edge(point, j), s_rate = path_edge(point, j, 1), s_second = path_edge(point, j, 2);
      const double p = dot(edge, s);
      const double p_rate = dot(rate, s) + dot(edge, s_rate);
      const double p_second = dot(second, s) + 2.0 * dot(rate, s_rate) + dot(edge, s_second);
      slope_[j] += inverse * (p_second - inverse * (2.0 * p_rate * length_rate + p * length_second) +
                              2.0 * inverse * inverse * p * length_rate * length_rate);
    }
  });
  return slope_;
}

}  // namespace cuttle
