#include "algorithms/frame_targets.h"

#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "algorithms/frame_columns.h"
#include "cuttle/spatial/logarithm.h"
#include "spatial/number_text.h"

namespace cuttle {
namespace {

bool finite_vector(const Vector3& a) { return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z); }

/// f(c) = angle / sin(angle) of the cosine c of an angle, and df/dc: the two components across make the angle with it.
struct AngleFactor {
  double value, slope;
};
AngleFactor angle_factor(double c, double sine) {
  // below 0.05 rad the closed form of the slope cancels; the first term left out is 1e-9 there
  if (c > 0.0 && sine < 0.05) {
    const double x = 1.0 - c;
    return {1.0 + x / 3.0 + 2.0 * x * x / 15.0 + 2.0 * x * x * x / 35.0,
            -1.0 / 3.0 - 4.0 * x / 15.0 - 6.0 * x * x / 35.0};
  }
  const double angle = std::atan2(sine, c), s = std::max(sine, 1e-9);
  return {angle / s, -(s - angle * c) / (s * s * s)};
}

constexpr double k_opposite = 1e-7;

/// The parts of an axis across the direction that it is to have. An opposite one has none, and all ways to turn are as
/// long: it counts as turned a little on one that no symmetry distinguishes.
std::array<double, 2> parts_across(const Vector3 across[2], const Vector3& axis, double c) {
  std::array<double, 2> part{dot(across[0], axis), dot(across[1], axis)};
  if (c < 0.0 && std::hypot(part[0], part[1]) < k_opposite) part[0] += 0.8 * k_opposite, part[1] += 0.6 * k_opposite;
  return part;
}

}  // namespace

std::string FrameTargets::name_of(const std::vector<FrameTarget>& targets, std::size_t target) {
  const std::string& name = targets[target].name;
  return name.empty() ? "target " + std::to_string(target) : name;
}

FrameTargets::FrameTargets(const Model& model, const char* function, std::vector<FrameTarget> targets, double length)
    : targets_(std::move(targets)), places_(targets_.size()), length_(length) {
  const auto fail = [&](std::size_t i, const std::string& key, const std::string& found, const std::string& expected) {
    throw ArgumentError(std::string(function) + ": " + name_of(targets_, i) + ": " + key + ": found " + found +
                        ", expected " + expected);
  };
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    const FrameTarget& target = targets_[i];
    check_frame(model, function, name_of(targets_, i) + ": frame", target.frame);
    if (!(target.weight > 0.0) || !std::isfinite(target.weight)) {
      fail(i, "weight", number_text(target.weight), "a number > 0");
    }
    Place& place = places_[i];
    place.row = rows_;
    place.count = target.kind == FrameTarget::Kind::position ? 3 : (target.kind == FrameTarget::Kind::pose ? 6 : 2);
    place.jacobian.resize(6, model.nv()), place.turning.resize(6, model.nv());
    rows_ += place.count;
    if (target.kind == FrameTarget::Kind::direction) {
      if (!finite_vector(target.axis) || std::abs(norm(target.axis) - 1.0) > 1e-6) {
        fail(i, "axis", "length " + number_text(norm(target.axis)), "a unit vector");
      }
      set_direction(function, static_cast<int>(i), target.direction);
    } else {
      set_goal(function, static_cast<int>(i), target.goal);
    }
  }
}

/// @throws ArgumentError, out of line: where nothing is wrong no text is made.
void FrameTargets::fail(const char* function, std::size_t target, const std::string& found,
                        const std::string& expected) const {
  throw ArgumentError(std::string(function) + ": " + name(target) + ": found " + found + ", expected " + expected);
}

std::size_t FrameTargets::checked(const char* function, int target) const {
  if (target >= 0 && static_cast<std::size_t>(target) < targets_.size()) return static_cast<std::size_t>(target);
  throw ArgumentError(std::string(function) + ": target: found " + std::to_string(target) +
                      ", expected the number of one of " + std::to_string(targets_.size()) + " targets");
}

void FrameTargets::set_goal(const char* function, int target, const Pose& goal) {
  const std::size_t i = checked(function, target);
  FrameTarget& its = targets_[i];
  if (its.kind == FrameTarget::Kind::direction) {
    fail(function, i, "a target of a direction", "one of a position or a pose");
  }
  if (!finite_vector(goal.position)) fail(function, i, "a position that is not finite", "numbers [m]");
  if (its.kind == FrameTarget::Kind::pose) {
    const Matrix3& R = goal.rotation;
    double off = 0.0;
    for (int row = 0; row < 3; ++row) {
      for (int j = 0; j < 3; ++j) off = std::max(off, std::abs(dot(R.row(row), R.row(j)) - (row == j ? 1.0 : 0.0)));
    }
    if (!(off < 1e-6) || dot(cross(R.row0, R.row1), R.row2) < 0.0) {
      fail(function, i, "a matrix that is " + number_text(off) + " off orthonormal rows, or turns left to right",
           "a rotation, within 1e-6");
    }
  }
  its.goal = goal;
}

void FrameTargets::set_direction(const char* function, int target, const Vector3& direction) {
  const std::size_t i = checked(function, target);
  if (targets_[i].kind != FrameTarget::Kind::direction) {
    fail(function, i, "a target of a position or a pose", "one of a direction");
  }
  const double length = norm(direction);
  if (!finite_vector(direction) || !(length > 0.0)) {
    fail(function, i, "a direction of length " + number_text(length), "a vector that is not zero");
  }
  const Vector3 d = (1.0 / length) * direction;
  targets_[i].direction = d;
  const Vector3 other = std::abs(d.x) < 0.6 ? Vector3{1.0, 0.0, 0.0} : Vector3{0.0, 1.0, 0.0};
  const Vector3 e = cross(d, other);
  places_[i].across[0] = (1.0 / norm(e)) * e;
  places_[i].across[1] = cross(d, places_[i].across[0]);
}

Eigen::VectorXd FrameTargets::tolerances(double tolerance) const {
  Eigen::VectorXd result(rows_);
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    result.segment(places_[i].row, places_[i].count).setConstant(tolerance * targets_[i].weight);
  }
  return result;
}

int FrameTargets::evaluate(std::size_t target, const Pose& world_frame, double* rows, Block* block) const {
  const FrameTarget& its = targets_[target];
  const Matrix3& R = world_frame.rotation;
  if (block != nullptr) block->setZero();
  if (its.kind == FrameTarget::Kind::direction) {
    const Vector3 axis = R * its.axis;
    const double c = dot(its.direction, axis);
    const auto& across = places_[target].across;
    const std::array<double, 2> part = parts_across(across, axis, c);
    const AngleFactor f = angle_factor(c, std::hypot(part[0], part[1]));
    for (int k = 0; k < 2; ++k) {
      rows[k] = its.weight * f.value * part[k];
      if (block == nullptr) continue;
      // the axis moves by R (w x axis), so its part along e by w . (axis x R^T e)
      const Vector3 along = f.value * across[k] + (f.slope * part[k]) * its.direction;
      const Vector3 by = its.weight * cross(its.axis, R.transpose_times(along));
      for (int j = 0; j < 3; ++j) (*block)(k, j) = by[j];
    }
    return 2;
  }
  const double scale = its.weight / length_;
  const Vector3 off = world_frame.position - its.goal.position;
  for (int k = 0; k < 3; ++k) {
    rows[k] = scale * off[k];
    if (block == nullptr) continue;
    for (int j = 0; j < 3; ++j) (*block)(k, 3 + j) = scale * R(k, j);
  }
  if (its.kind == FrameTarget::Kind::position) return 3;
  const Vector3 turn = rotation_logarithm(its.goal.rotation.transpose() * R);
  for (int k = 0; k < 3; ++k) rows[3 + k] = its.weight * turn[k];
  if (block != nullptr) {
    const Matrix3 T = rotation_right_tangent_inverse(turn);
    for (int k = 0; k < 3; ++k) {
      for (int j = 0; j < 3; ++j) (*block)(3 + k, j) = its.weight * T(k, j);
    }
  }
  return 6;
}

void FrameTargets::rows(const KinematicsT<double>& kinematics, Eigen::VectorXd& result) const {
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    evaluate(i, kinematics.pose(targets_[i].frame), result.data() + places_[i].row, nullptr);
  }
}

void FrameTargets::jacobian(const Model& model, const Data& data, Eigen::MatrixXd& result) {
  double rows[6];
  Block block;
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    Place& place = places_[i];
    evaluate(i, data.kinematics.pose(targets_[i].frame), rows, &block);
    sweep::frame_columns(model, data, targets_[i].frame, place.jacobian);
    result.middleRows(place.row, place.count) = block.topRows(place.count).lazyProduct(place.jacobian);
  }
}

void FrameTargets::wrenches(const KinematicsT<double>& kinematics, const Eigen::VectorXd& multipliers,
                            std::span<ExternalWrench> result) const {
  double rows[6];
  Block block;
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    const Place& place = places_[i];
    evaluate(i, kinematics.pose(targets_[i].frame), rows, &block);
    ExternalWrench& its = result[i];
    its.frame = targets_[i].frame, its.axes = Axes::body;
    for (int k = 0; k < 6; ++k) {
      its.wrench[k] = block.col(k).head(place.count).dot(multipliers.segment(place.row, place.count));
    }
  }
}

void FrameTargets::add_turning(const KinematicsT<double>& kinematics, const Eigen::VectorXd& multipliers,
                               Eigen::MatrixXd& K, const Eigen::MatrixXd* along) {
  double rows[6];
  Block block;
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    Place& place = places_[i];
    const FrameTarget& its = targets_[i];
    const Matrix3 R = kinematics.pose(its.frame).rotation;
    evaluate(i, kinematics.pose(its.frame), rows, &block);
    const auto multiplier = [&](int k) { return multipliers[place.row + k]; };
    Matrix3 torque, force;  // derivatives of the wrench's parts by the frame's rotation, frame axes
    if (its.kind == FrameTarget::Kind::direction) {
      const Vector3 axis = R * its.axis;
      const double c = dot(its.direction, axis);
      const std::array<double, 2> part = parts_across(place.across, axis, c);
      const AngleFactor f = angle_factor(c, std::hypot(part[0], part[1]));
      Vector3 pull;   // world: the torque is axis x R^T pull
      Matrix3 pulls;  // and how it changes with the axis
      for (int k = 0; k < 2; ++k) {
        const Vector3& e = place.across[k];
        const double m = its.weight * multiplier(k);
        pull += m * (f.value * e + (f.slope * part[static_cast<std::size_t>(k)]) * its.direction);
        pulls += (m * f.slope) * (Matrix3::outer(e, its.direction) + Matrix3::outer(its.direction, e));
      }
      const Vector3 local = R.transpose_times(pull);
      const Matrix3 cross_axis = Matrix3::skew(its.axis);
      torque = cross_axis * Matrix3::skew(local);
      torque += -1.0 * (cross_axis * (R.transpose() * (pulls * (R * cross_axis))));
    } else {
      const double scale = its.weight / length_;
      const Vector3 pull{scale * multiplier(0), scale * multiplier(1), scale * multiplier(2)};
      force = Matrix3::skew(R.transpose_times(pull));  // it keeps its direction in the world
      if (its.kind == FrameTarget::Kind::pose) {
        // T^-T(turn) m is m - turn x m / 2 + .., and the turn grows with the rotation
        const Vector3 m{its.weight * multiplier(3), its.weight * multiplier(4), its.weight * multiplier(5)};
        torque = 0.5 * Matrix3::skew(m);
      }
    }
    Eigen::MatrixXd reduced;
    if (along != nullptr) reduced = place.jacobian * *along;
    const Eigen::MatrixXd& moved = along != nullptr ? reduced : place.jacobian;
    if (place.turning.cols() != moved.cols()) place.turning.resize(6, moved.cols());
    for (int column = 0; column < moved.cols(); ++column) {
      const Vector3 turn{moved(0, column), moved(1, column), moved(2, column)};
      const Vector3 t = torque * turn, f = force * turn;
      for (int k = 0; k < 3; ++k) place.turning(k, column) = t[k], place.turning(3 + k, column) = f[k];
    }
    K += moved.transpose().lazyProduct(place.turning);
  }
}

void FrameTargets::errors(const KinematicsT<double>& kinematics, std::vector<TargetError>& result) const {
  result.resize(targets_.size());
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    const FrameTarget& its = targets_[i];
    const Pose pose = kinematics.pose(its.frame);
    result[i] = {};
    if (its.kind == FrameTarget::Kind::direction) {
      const Vector3 axis = pose.rotation * its.axis;
      result[i].angle = std::atan2(norm(cross(its.direction, axis)), dot(its.direction, axis));
      continue;
    }
    result[i].position = norm(pose.position - its.goal.position);
    if (its.kind == FrameTarget::Kind::pose) {
      result[i].angle = norm(rotation_logarithm(its.goal.rotation.transpose() * pose.rotation));
    }
  }
}

FrameTarget FrameTarget::at_position(const Frame& frame, const Vector3& world_position) {
  FrameTarget target;
  target.frame = frame;
  target.goal.rotation = Matrix3::identity();
  target.goal.position = world_position;
  return target;
}

FrameTarget FrameTarget::at_pose(const Frame& frame, const Pose& world_frame) {
  FrameTarget target;
  target.frame = frame, target.kind = Kind::pose;
  target.goal = world_frame;
  return target;
}

FrameTarget FrameTarget::in_direction(const Frame& frame, const Vector3& axis, const Vector3& world_direction) {
  FrameTarget target;
  target.frame = frame, target.kind = Kind::direction;
  for (const Vector3& vector : {axis, world_direction}) {
    if (finite_vector(vector) && norm(vector) > 0.0) continue;
    throw ArgumentError("FrameTarget::in_direction: found a vector of length " + number_text(norm(vector)) +
                        ", expected one that is not zero");
  }
  target.axis = (1.0 / norm(axis)) * axis;
  target.direction = (1.0 / norm(world_direction)) * world_direction;
  return target;
}

}  // namespace cuttle
