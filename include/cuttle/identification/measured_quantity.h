#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cuttle/algorithms/elements.h"
#include "cuttle/algorithms/mode_gradient.h"
#include "cuttle/api.h"
#include "cuttle/model/data.h"

namespace CUTTLE_API cuttle {

/// What a measured quantity may look at: a robot at rest, or at an instant.
template <typename S>
struct ObservedStateT {
  const ModelT<S>& model;
  const KinematicsT<S>& kinematics;
  const VectorXT<S>& q;
  const VectorXT<S>& y;             ///< actuation coordinates
  const ElementDataT<S>& elements;  ///< states and outputs
  /// As many as MeasuredQuantity::mode_count asks for, of a robot at rest; null at an instant of a motion.
  const std::vector<ModeNumbersT<S>>* modes = nullptr;
};

/// A number that sensors measure and a robot predicts. A kind is one file of src/identification/quantities: a class
/// with `template <typename S> S measure(const ObservedStateT<S>&, std::size_t row) const`, made of it by
/// MeasuredQuantityOf, and a function that makes it from the column of results of the same name.
class MeasuredQuantity {
 public:
  virtual ~MeasuredQuantity() = default;
  /// @param row  of the measurements, for quantities that are relative to what was measured.
  virtual double value(const ObservedStateT<double>& state, std::size_t row) const = 0;
  virtual ForwardDual value(const ObservedStateT<ForwardDual>& state, std::size_t row) const = 0;
  /// How many of the first modes of small motions it looks at: then it is of robots at rest alone.
  virtual std::size_t mode_count() const { return 0; }
};

template <typename Kind>
class MeasuredQuantityOf final : public MeasuredQuantity {
 public:
  explicit MeasuredQuantityOf(Kind kind) : kind_(std::move(kind)) {}
  double value(const ObservedStateT<double>& state, std::size_t row) const override {
    return kind_.measure(state, row);
  }
  ForwardDual value(const ObservedStateT<ForwardDual>& state, std::size_t row) const override {
    return kind_.measure(state, row);
  }
  std::size_t mode_count() const override {
    if constexpr (requires { kind_.mode_count(); }) return kind_.mode_count();
    return 0;
  }

 private:
  Kind kind_;
};

/// A quantity by its name, as results name their columns: hand.tip.x or marker.z (a frame's position), arm.joint.q0 (a
/// coordinate), cable.y (how much a tendon is shorter, a volume), elements.cable.tension; and of small motions about a
/// rest, by ascending |eigenvalue| as `cuttle modes` lists them, modes[0].frequency, modes[0].damping_ratio.
struct NamedQuantity {
  std::string name, unit;
  std::shared_ptr<const MeasuredQuantity> quantity;
};
/// @throws ArgumentError for a name that is no such column, with the nearest that is.
NamedQuantity named_quantity(const Model& model, const std::string& name);

/// Names of the parts of a frame's quaternion: FRAME.qw .. FRAME.qz. Empty if the name is none.
std::string frame_of_quaternion(const std::string& name);

/// How far a frame is turned from measured orientations: the components about its axes of the rotation vector that
/// turns the measured frame into the model's, the angle times the axis; zero where both are the same. It has no
/// ambiguity of signs, as the four numbers of a quaternion have; beyond half a turn it begins anew from the other side.
/// @param measured  a quaternion [w, x, y, z] a row, of any length but 0.
/// @return three quantities [rad], FRAME.rotation_x, _y, _z. @throws ArgumentError for another frame.
std::vector<NamedQuantity> rotation_quantities(const Model& model, const std::string& frame,
                                               const std::vector<std::vector<double>>& measured);

}  // namespace cuttle
