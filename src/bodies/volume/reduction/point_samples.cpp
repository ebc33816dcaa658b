#include "bodies/volume/reduction/point_samples.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bodies/volume/fem/material_parts.h"
#include "bodies/volume/lane_matrix.h"
#include "bodies/volume/volume_material_impl.h"
#include "cuttle/bodies/fem_modes.h"
#include "cuttle/error.h"
#include "spatial/aligned.h"

namespace cuttle {
namespace {

constexpr int k_lane_count = k_point_lanes<double>;

Matrix3 symmetric_part(const Matrix3& A) { return 0.5 * (A + A.transpose()); }
double double_dot(const Matrix3& A, const Matrix3& B) {
  return dot(A.row0, B.row0) + dot(A.row1, B.row1) + dot(A.row2, B.row2);
}

}  // namespace

PointSampler::PointSampler(const VolumeBody& body, double strain, unsigned seed)
    : body_(body), strain_(strain), random_(seed), n_(body.coordinate_count()) {
  const std::vector<Vector3>& points = body.parameters().quadrature.points;
  const std::size_t blocks = block_count<double>(points.size());
  blocks_.resize(blocks * k_vector_block<double>);
  fill_blocks(points.data(), points.size(), blocks_.data());
  motions_.resize(PointMotionsT<double>::size(blocks, n_));
  gradients_.resize(k_gradient_blocks * 9 * k_lane_count * (1 + n_) + k_cache_line);
  scratch_.resize(body.kinematics().scratch_size() / sizeof(double) + 2 * k_cache_line);
  length_ = 0.0;
  for (const Vector3& x : points) length_ = std::max(length_, norm(x));
  measure_coordinates();
}

// not std::normal_distribution: its numbers differ from library to library, and the same body shall give the same
// points
double PointSampler::uniform(double from, double to) {
  return from + (to - from) * (static_cast<double>(random_()) + 0.5) / 4294967296.0;
}
double PointSampler::normal() {
  return std::sqrt(-2.0 * std::log(uniform(0.0, 1.0))) * std::cos(2.0 * M_PI * uniform(0.0, 1.0));
}

/// Calls use(point, F, slopes of the point: that of coordinate j at [9 j k_lane_count]).
template <typename Use>
void PointSampler::each_gradient(const std::vector<double>& q, bool with_slopes, const Use& use) {
  const std::size_t points = body_.parameters().quadrature.points.size();
  double* F = aligned<double>(gradients_.data());
  double* slopes = F + k_gradient_blocks * 9 * k_lane_count;
  const auto part = [&](std::size_t first, std::size_t count) {
    for (std::size_t i = 0; i < count * k_lane_count && first * k_lane_count + i < points; ++i) {
      const std::size_t block = i / k_lane_count, lane = i % k_lane_count;
      use(first * k_lane_count + i, lane_matrix(F + block * 9 * k_lane_count + lane, k_lane_count),
          slopes + block * n_ * 9 * k_lane_count + lane);
    }
  };
  body_.kinematics().gradients(q.data(), nullptr, blocks_.data(), block_count<double>(points),
                               {F, with_slopes ? slopes : nullptr}, GradientUse(part), aligned(scratch_.data()));
}

void PointSampler::measure_coordinates() {
  const auto n = static_cast<std::size_t>(n_);
  std::vector<double> most(n, 0.0);
  each_gradient(std::vector<double>(n, 0.0), true, [&](std::size_t, const Matrix3& F, const double* slopes) {
    for (std::size_t j = 0; j < n; ++j) {
      const Matrix3 strain = symmetric_part(F.transpose() * lane_matrix(slopes + 9 * j * k_lane_count, k_lane_count));
      most[j] = std::max(most[j], std::sqrt(double_dot(strain, strain)));
    }
  });
  const double largest = *std::max_element(most.begin(), most.end());
  for (const double strain : most) {
    // one that strains only at second order is drawn like the others, and the whole is scaled to the strain anyway
    scale_.push_back(strain > 1e-6 * largest ? strain_ / strain : 1.0);
  }
}

double PointSampler::largest_strain(const std::vector<double>& q) {
  double most = 0.0;
  try {
    each_gradient(q, false, [&](std::size_t, const Matrix3& F, const double*) {
      const Matrix3 E = material::green_lagrange(F);
      const bool folded = !(material::determinant(F) > 0.0);
      most = std::max(most, folded ? std::numeric_limits<double>::infinity() : std::sqrt(double_dot(E, E)));
    });
  } catch (const ConfigurationError&) {
    return std::numeric_limits<double>::infinity();
  }
  return most;
}

std::vector<double> PointSampler::draw_configuration() {
  std::vector<double> direction(scale_);
  for (double& entry : direction) entry *= normal();
  const double wanted = strain_ * std::sqrt(uniform(0.01, 1.0));
  const auto at = [&](double factor) {
    std::vector<double> q(direction);
    for (double& entry : q) entry *= factor;
    return q;
  };
  double low = 0.0, high = 1.0;
  while (largest_strain(at(high)) < wanted && high < 1e3) low = high, high *= 2.0;
  for (int i = 0; i < 12; ++i) {
    const double middle = 0.5 * (low + high);
    (largest_strain(at(middle)) < wanted ? low : high) = middle;
  }
  return at(low);
}

Eigen::Index PointSampler::rows_of_state() const { return 2 * (n_ + 6) + 2 * n_ + 1 + 3; }

void PointSampler::fill_state(Eigen::Index row, Eigen::MatrixXd& rows) {
  const auto n = static_cast<std::size_t>(n_);
  const Quadrature& rule = body_.parameters().quadrature;
  // of a material in parts these points integrate one, and the centres, which all stay, the other
  const auto basis = body_.part<FemBasis>();
  const auto parts = basis ? material_parts(*basis->mesh, body_.material()) : std::nullopt;
  const VolumeMaterial& material = parts ? parts->shape : body_.material();
  const std::vector<double> q = draw_configuration();
  std::vector<double> v(n), a(n);
  for (std::size_t j = 0; j < n; ++j) v[j] = scale_[j] * normal(), a[j] = scale_[j] * normal();
  const auto vector = [&](double size) { return Vector3{size * normal(), size * normal(), size * normal()}; };
  const Vector3 w = vector(1.0), dw = vector(1.0), a0 = vector(length_);

  const PointMotionsT<double> motions(motions_.data(), n_);
  body_.kinematics().move({MotionLevel::acceleration, q.data(), v.data()}, blocks_.data(),
                          block_count<double>(rule.points.size()), motions, aligned(scratch_.data()));
  for (std::size_t i = 0; i < rule.points.size(); ++i) {
    const std::size_t block = i / k_lane_count;
    const int lane = static_cast<int>(i % k_lane_count);
    double* at = &rows(row, static_cast<Eigen::Index>(i));
    const double weight = rule.weights[i];
    const Vector3 p = lane_vector(motions.value(block), lane);
    Vector3 rate{}, own = lane_vector(motions.curvature(block), lane);
    for (std::size_t j = 0; j < n; ++j) {
      const Vector3 slope = lane_vector(motions.slope(block, static_cast<int>(j)), lane);
      rate += v[j] * slope, own += a[j] * slope;
    }
    const Vector3 of_base = a0 + cross(dw, p) + cross(w, cross(w, p)) + 2.0 * cross(w, rate);
    for (const Vector3& acceleration : {own, of_base}) {
      for (std::size_t j = 0; j < n; ++j) {
        *at++ = weight * dot(lane_vector(motions.slope(block, static_cast<int>(j)), lane), acceleration);
      }
      const Vector3 torque = cross(p, acceleration);
      for (int k = 0; k < 3; ++k) *at++ = weight * acceleration[k];
      for (int k = 0; k < 3; ++k) *at++ = weight * torque[k];
    }
    for (int k = 0; k < 3; ++k) *at++ = weight * p[k];
  }

  const Eigen::Index elastic = row + 2 * (n_ + 6) + 3;
  each_gradient(q, true, [&](std::size_t i, const Matrix3& F, const double* slopes) {
    double* at = &rows(elastic, static_cast<Eigen::Index>(i));
    const double weight = rule.weights[i];
    const Matrix3 stress = material.stress(F);
    Matrix3 rate = 0.0 * F;
    for (std::size_t j = 0; j < n; ++j) {
      const Matrix3 slope = lane_matrix(slopes + 9 * j * k_lane_count, k_lane_count);
      *at++ = weight * double_dot(stress, slope);
      rate = rate + v[j] * symmetric_part(F.transpose() * slope);
    }
    for (std::size_t j = 0; j < n; ++j) {
      *at++ =
          weight *
          double_dot(rate, symmetric_part(F.transpose() * lane_matrix(slopes + 9 * j * k_lane_count, k_lane_count)));
    }
    *at = weight * material.energy_density(F);
  });
}

PointIntegrals PointSampler::draw(Eigen::Index states) {
  const Eigen::Index each = rows_of_state(), n = n_;
  PointIntegrals integrals;
  integrals.states = states;
  integrals.rows.resize(states * each, std::ssize(body_.parameters().quadrature.points));
  for (Eigen::Index k = 0; k < states; ++k) fill_state(k * each, integrals.rows);
  Eigen::Index first = 0;
  for (const Eigen::Index count : {n, Eigen::Index(3), Eigen::Index(3), n, Eigen::Index(3), Eigen::Index(3),
                                   Eigen::Index(3), n, n, Eigen::Index(1)}) {
    integrals.groups.push_back({first, count});
    first += count;
  }
  return integrals;
}

}  // namespace cuttle
