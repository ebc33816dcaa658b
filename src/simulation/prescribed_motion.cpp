#include "simulation/prescribed_motion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "cuttle/error.h"
#include "cuttle/model/spelling.h"
#include "cuttle/spatial/logarithm.h"
#include "model/pose_at.h"
#include "model/signal_jump.h"

namespace cuttle {
namespace {

[[noreturn]] void refuse_motion(const KeyPath& place, const std::string& found, const std::string& expected) {
  throw ArgumentError({"motion", place}, found, expected);
}

/// @throws ArgumentError for a signal that no motion can follow: with jumps of value or velocity while it runs.
void require_smooth(const Signal& signal, double duration, const KeyPath& place) {
  at_place({"motion", place}, "", [&] { signal.derivative(0.0, 2); });
  const auto jump = first_jump(signal, 0.0, duration, 1);
  if (!jump) return;
  refuse_motion(place,
                fmt::format("a signal whose {} jumps at t = {:g} s, from {:g} to {:g}",
                            jump->order == 0 ? "value" : "velocity", jump->time, jump->from, jump->to),
                "one with a continuous velocity, as cubic, quintic, minimum_jerk, sine, or a spline over the whole "
                "run");
}

const LinkInfoT<double>& driven_link(const Model& model, const std::string& name, const std::vector<Signal>& signals) {
  std::vector<std::string> known{"base"};
  for (const auto& link : model.links()) known.push_back(link.name);
  const auto found =
      std::find_if(model.links().begin(), model.links().end(), [&](const auto& link) { return link.name == name; });
  if (found == model.links().end()) {
    refuse_motion(name, "no link '" + name + "'", "'base' or the name of a link" + did_you_mean(name, known));
  }
  if (found->joint_nv == 0) refuse_motion(name, "a fixed joint", "a link whose joint moves");
  if (found->joint_nq != found->joint_nv) {
    refuse_motion(name, "a " + found->joint_type + " joint, whose coordinates hold a quaternion",
                  "a joint whose coordinates are angles and lengths");
  }
  if (signals.size() != static_cast<std::size_t>(found->joint_nq)) {
    std::string names;
    for (int k = 0; k < found->joint_nq; ++k) {
      names += (k > 0 ? ", " : "") +
               model.configuration_info()[static_cast<std::size_t>(found->q) + static_cast<std::size_t>(k)].name;
    }
    refuse_motion(name, fmt::format("{} signal{}", signals.size(), signals.size() == 1 ? "" : "s"),
                  fmt::format("{}, one a joint coordinate ({})", found->joint_nq, names));
  }
  return *found;
}

Vector3 values_of(const std::array<Signal, 3>& signals, double time, int order) {
  const auto value = [&](const Signal& s) { return order == 0 ? s.at(time) : s.derivative(time, order); };
  return {value(signals[0]), value(signals[1]), value(signals[2])};
}

/// Angular velocity and acceleration of R = Rz(yaw) Ry(pitch) Rx(roll), in its own axes.
struct TurningRates {
  Vector3 velocity, acceleration;

  TurningRates(const Vector3& rpy, const Vector3& rate, const Vector3& second) {
    const double cr = std::cos(rpy.x), sr = std::sin(rpy.x), cp = std::cos(rpy.y), sp = std::sin(rpy.y);
    // w = r' e_x + p' (0, cr, -sr) + y' (-sp, sr cp, cr cp), and its derivative
    const auto turned = [&](const Vector3& x) {
      return Vector3{x.x - x.z * sp, x.y * cr + x.z * sr * cp, -x.y * sr + x.z * cr * cp};
    };
    velocity = turned(rate);
    const double r = rate.x, p = rate.y, y = rate.z;
    acceleration = turned(second) + Vector3{-y * p * cp, -p * r * sr + y * (r * cr * cp - p * sr * sp),
                                            -p * r * cr - y * (r * sr * cp + p * cr * sp)};
  }
};

}  // namespace

PrescribedMotion::PrescribedMotion(const Model& model, DrivenMotion motion, double duration)
    : motion_(std::move(motion)), base_pose_(model.robot().base_pose), last_(std::nextafter(duration, 0.0)) {
  if (!motion_.base.empty()) {
    if (!model.robot().floating_base) {
      refuse_motion("base", "the fixed base of '" + model.name() + "'", "a robot with a floating base");
    }
    for (const auto& [key, signals] :
         {std::pair("position", &motion_.base.position), std::pair("rpy", &motion_.base.rpy)}) {
      if (!*signals) continue;
      for (std::size_t k = 0; k < 3; ++k) require_smooth((**signals)[k], duration, {"base", key, k});
    }
    for (int k = 0; k < 6; ++k) coordinates_.push_back(k);
  }
  for (const auto& [name, signals] : motion_.joints) {
    const LinkInfoT<double>& link = driven_link(model, name, signals);
    for (int k = 0; k < link.joint_nv; ++k) {
      const Signal& signal = signals[static_cast<std::size_t>(k)];
      require_smooth(signal, duration, {name, k});
      joints_.push_back({link.q + k, link.v + k, signal});
      coordinates_.push_back(link.v + k);
    }
  }
  std::sort(coordinates_.begin(), coordinates_.end());
}

void PrescribedMotion::impose(double time, VectorXd& q, VectorXd& v, VectorXd* a) const {
  time = std::min(time, last_);
  if (!motion_.base.empty()) impose_base(time, q, v, a);
  for (const DrivenCoordinate& joint : joints_) {
    q[joint.q] = joint.signal.at(time);
    v[joint.v] = joint.signal.derivative(time);
    if (a != nullptr) (*a)[joint.v] = joint.signal.derivative(time, 2);
  }
}

void PrescribedMotion::impose_base(double time, VectorXd& q, VectorXd& v, VectorXd* a) const {
  const Pose pose = pose_at(motion_.base, time, base_pose_);
  Vector3 rate, second;  // of its origin, in the world
  if (const auto& position = motion_.base.position) {
    rate = values_of(*position, time, 1), second = values_of(*position, time, 2);
  }
  TurningRates turning({}, {}, {});
  if (const auto& rpy = motion_.base.rpy) {
    turning = TurningRates(values_of(*rpy, time, 0), values_of(*rpy, time, 1), values_of(*rpy, time, 2));
  }
  // a free joint: its configuration composes with the base pose, twists are in axes of the base
  const Matrix3& R = pose.rotation;
  const Vector3 place = base_pose_.rotation.transpose_times(pose.position - base_pose_.position);
  Quaternion turn = quaternion_from_matrix(base_pose_.rotation.transpose() * R);
  if (turn.w * q[3] + turn.x * q[4] + turn.y * q[5] + turn.z * q[6] < 0.0) {
    turn = {-turn.w, -turn.x, -turn.y, -turn.z};  // the same rotation, without a jump of the numbers
  }
  q.head<7>() << place.x, place.y, place.z, turn.w, turn.x, turn.y, turn.z;
  const Vector3 linear = R.transpose_times(rate);
  const auto put = [](VectorXd& to, const Vector3& angular, const Vector3& moving) {
    to.head<6>() << angular.x, angular.y, angular.z, moving.x, moving.y, moving.z;
  };
  put(v, turning.velocity, linear);
  if (a != nullptr) put(*a, turning.acceleration, R.transpose_times(second) - cross(turning.velocity, linear));
}

std::vector<const Signal*> PrescribedMotion::signals() const {
  std::vector<const Signal*> all;
  for (const DrivenCoordinate& joint : joints_) all.push_back(&joint.signal);
  for (const auto* three : {&motion_.base.position, &motion_.base.rpy}) {
    if (!*three) continue;
    for (const Signal& signal : **three) all.push_back(&signal);
  }
  return all;
}

DrivenMotion motion_from(const DrivenMotion& motion, double time) {
  DrivenMotion moved = motion;
  for (auto* three : {&moved.base.position, &moved.base.rpy}) {
    if (!*three) continue;
    for (Signal& signal : **three) signal = signal.later(time);
  }
  for (auto& [name, signals] : moved.joints) {
    for (Signal& signal : signals) signal = signal.later(time);
  }
  return moved;
}

double PrescribedMotion::go_on_after(double duration) {
  constexpr double k_endless = std::numeric_limits<double>::infinity();
  double end = k_endless;
  for (const Signal* signal : signals()) {
    if (const auto jump = first_jump(*signal, duration, k_endless, 1)) end = std::min(end, jump->time);
  }
  last_ = std::nextafter(end, 0.0);
  return end;
}

std::vector<double> PrescribedMotion::discontinuities() const {
  std::vector<double> times;
  for (const Signal* signal : signals()) {
    const std::vector<double> own = signal->discontinuities();
    times.insert(times.end(), own.begin(), own.end());
  }
  return times;
}

std::vector<RecordedMotion> recorded_motion(const Model& model, const DrivenMotion& motion) {
  std::vector<RecordedMotion> recorded;
  if (!motion.base.empty()) {
    RecordedMotion& base = recorded.emplace_back(RecordedMotion{"base", {}});
    for (const char* name : {"tx", "ty", "tz", "fx", "fy", "fz"}) {
      base.efforts.push_back({name, name[0] == 't' ? "N m" : "N"});
    }
  }
  for (const auto& [name, signals] : motion.joints) driven_link(model, name, signals);  // all are there
  for (const auto& link : model.links()) {
    if (motion.joints.count(link.name) == 0) continue;
    RecordedMotion& driven = recorded.emplace_back(RecordedMotion{link.name, {}});
    for (int k = 0; k < link.joint_nq; ++k) {
      const CoordinateInfo& info =
          model.configuration_info()[static_cast<std::size_t>(link.q) + static_cast<std::size_t>(k)];
      driven.efforts.push_back({info.name.substr(link.name.size() + 1), info.unit == "m" ? "N" : "N m"});
    }
  }
  return recorded;
}

}  // namespace cuttle
