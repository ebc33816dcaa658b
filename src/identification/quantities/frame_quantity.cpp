#include <cmath>

#include "cuttle/error.h"
#include "cuttle/model/frame_names.h"
#include "cuttle/spatial/logarithm.h"
#include "identification/quantities/quantity_kinds.h"

namespace cuttle {
namespace {

/// A component of the position of a tip or marker in the world.
struct MeasuredPosition {
  std::string frame;
  int component;
  template <typename S>
  S measure(const ObservedStateT<S>& state, std::size_t) const {
    return state.kinematics.pose(*find_frame(state.model, frame)).position[component];
  }
};

/// A component of the rotation vector from the measured orientation to the model's, in the frame's axes.
struct MeasuredRotation {
  std::string frame;
  int component;
  std::shared_ptr<const std::vector<Matrix3>> measured;  // a row each
  template <typename S>
  S measure(const ObservedStateT<S>& state, std::size_t row) const {
    const Matrix3T<S> Q = (*measured)[row].template cast<S>();
    return rotation_logarithm<S>(Q.transpose() *
                                 state.kinematics.pose(*find_frame(state.model, frame)).rotation)[component];
  }
};

constexpr const char* k_quaternion_parts[] = {".qw", ".qx", ".qy", ".qz"};

}  // namespace

QuantityPointer frame_quantity(const Model&, const ResultBlock& block, std::size_t column) {
  const std::string group = "frames/";
  if (!block.path.starts_with(group) || column >= 3) return nullptr;
  return std::make_shared<MeasuredQuantityOf<MeasuredPosition>>(
      MeasuredPosition{block.path.substr(group.size()), static_cast<int>(column)});
}

std::string frame_of_quaternion(const std::string& name) {
  for (const char* part : k_quaternion_parts) {
    if (name.ends_with(part)) return name.substr(0, name.size() - 3);
  }
  return "";
}

std::vector<NamedQuantity> rotation_quantities(const Model& model, const std::string& frame,
                                               const std::vector<std::vector<double>>& measured) {
  if (!find_frame(model, frame)) {
    throw ArgumentError("found no tip or marker '" + frame + "' of '" + model.name() + "', expected one");
  }
  auto rotations = std::make_shared<std::vector<Matrix3>>();
  for (const std::vector<double>& given : measured) {
    double norm = 0.0;
    for (const double x : given) norm += x * x;
    norm = std::sqrt(norm);
    rotations->push_back(Quaternion{given[0] / norm, given[1] / norm, given[2] / norm, given[3] / norm}.matrix());
  }
  std::vector<NamedQuantity> quantities;
  for (int i = 0; i < 3; ++i) {
    const char axis = static_cast<char>('x' + i);
    quantities.push_back(
        {frame + ".rotation_" + axis, "rad",
         std::make_shared<MeasuredQuantityOf<MeasuredRotation>>(MeasuredRotation{frame, i, rotations})});
  }
  return quantities;
}

}  // namespace cuttle
