// What a place does: its pose, its velocity, and what an inertial measurement unit there says.
#include <utility>

#include "cuttle/sensors/sensors.h"
#include "cuttle/spatial/logarithm.h"

namespace cuttle {
namespace {

std::vector<CoordinateInfo> three(const char* prefix, const char* unit) {
  std::vector<CoordinateInfo> columns;
  for (const char* axis : {"x", "y", "z"}) columns.push_back({std::string(prefix) + axis, unit});
  return columns;
}
std::vector<CoordinateInfo> joined(std::vector<CoordinateInfo> first, const std::vector<CoordinateInfo>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

void put(const Vector3& x, double* values) {
  for (int k = 0; k < 3; ++k) values[k] = x[k];
}

/// A sensor at one place, whose readings are a function of its frame's motion.
template <typename Read>
class AtFrame final : public BoundSensor {
 public:
  AtFrame(const Frame& frame, Read read) : frame_(frame), read_(std::move(read)) {}
  void read(const SensorArguments& at, double* values) override { read_(at, frame_, values); }

 private:
  Frame frame_;
  Read read_;
};
template <typename Read>
std::unique_ptr<BoundSensor> at_frame(const std::vector<Frame>& frames, Read read) {
  return std::make_unique<AtFrame<Read>>(frames.front(), std::move(read));
}

class FramePosition final : public PlacedSensor {
 public:
  using PlacedSensor::PlacedSensor;
  std::string type_name() const override { return "frame_position"; }
  std::vector<CoordinateInfo> columns(const Model& /*model*/) const override {
    return joined(three("", "m"), {{"qw", "1"}, {"qx", "1"}, {"qy", "1"}, {"qz", "1"}});
  }
  std::unique_ptr<BoundSensor> bind(const Model& /*model*/, const std::vector<Frame>& frames) const override {
    return at_frame(frames, [](const SensorArguments& at, const Frame& frame, double* values) {
      const Pose pose = at.kinematics.pose(frame);
      const Quaternion q = quaternion_from_matrix(pose.rotation);
      const double sign = q.w < 0.0 ? -1.0 : 1.0;
      put(pose.position, values);
      values[3] = sign * q.w, values[4] = sign * q.x, values[5] = sign * q.y, values[6] = sign * q.z;
    });
  }
};

class FrameVelocity final : public PlacedSensor {
 public:
  FrameVelocity(Place place, Axes axes) : PlacedSensor(std::move(place)), axes_(axes) {}
  std::string type_name() const override { return "frame_velocity"; }
  Axes axes() const override { return axes_; }
  std::vector<CoordinateInfo> columns(const Model& /*model*/) const override {
    return joined(three("w", "rad/s"), three("v", "m/s"));
  }
  std::unique_ptr<BoundSensor> bind(const Model& /*model*/, const std::vector<Frame>& frames) const override {
    return at_frame(frames, [axes = axes_](const SensorArguments& at, const Frame& frame, double* values) {
      Twist V = at.kinematics.velocity_of(frame);
      if (axes == Axes::world) {
        const Matrix3 R = at.kinematics.pose(frame).rotation;
        V = {R * V.angular, R * V.linear};
      }
      put(V.angular, values), put(V.linear, values + 3);
    });
  }

 private:
  Axes axes_;
};

class Imu final : public PlacedSensor {
 public:
  using PlacedSensor::PlacedSensor;
  std::string type_name() const override { return "imu"; }
  bool needs_acceleration() const override { return true; }
  std::vector<CoordinateInfo> columns(const Model& /*model*/) const override {
    return joined(three("w", "rad/s"), three("a", "m/s^2"));
  }
  std::unique_ptr<BoundSensor> bind(const Model& /*model*/, const std::vector<Frame>& frames) const override {
    return at_frame(frames, [](const SensorArguments& at, const Frame& frame, double* values) {
      const Twist V = at.kinematics.velocity_of(frame), A = at.kinematics.acceleration_of(frame);
      const Matrix3 R = at.kinematics.pose(frame).rotation;
      // d/dt of velocity components in axes that turn, and what the turning adds
      const Vector3 acceleration = A.linear + cross(V.angular, V.linear);
      put(V.angular, values), put(acceleration - R.transpose_times(at.model.robot().gravity), values + 3);
    });
  }
};

}  // namespace

std::shared_ptr<const Sensor> make_frame_position_sensor(Place place) {
  return std::make_shared<const FramePosition>(std::move(place));
}
std::shared_ptr<const Sensor> make_frame_velocity_sensor(Place place, Axes axes) {
  return std::make_shared<const FrameVelocity>(std::move(place), axes);
}
std::shared_ptr<const Sensor> make_imu_sensor(Place place) { return std::make_shared<const Imu>(std::move(place)); }

}  // namespace cuttle
