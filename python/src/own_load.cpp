#include "own_load.h"

#include <algorithm>
#include <array>
#include <utility>

#include "callables.h"
#include "cuttle/error.h"

namespace cuttle::python {
namespace {

Array array_from(std::initializer_list<const Vector3*> vectors) {
  double* to = nullptr;
  const Array array = new_array({static_cast<Eigen::Index>(3 * vectors.size())}, to);
  for (const Vector3* v : vectors) *to++ = v->x, *to++ = v->y, *to++ = v->z;
  return array;
}

class PythonStateLoad final : public StateLoad {
 public:
  PythonStateLoad(SharedObject part, std::vector<Frame> frames) : part_(std::move(part)) {
    frames_ = std::move(frames);
  }
  int integral_count() const override { return 0; }
  ArticulatedInertiaT<double> added_inertia(int /*k*/) const override { return {}; }
  Wrench wrench(int /*k*/, double time, const FrameMotionT<double>& motion,
                const double* /*integrals*/) const override {
    Wrench wrench;
    const std::array<double, 6> found = ask<6>("_wrench", time, motion);
    for (int i = 0; i < 6; ++i) wrench[i] = found[static_cast<std::size_t>(i)];
    return wrench;
  }
  void integral_rates(double /*time*/, const FrameMotionT<double>& /*motion*/, double* /*rates*/) const override {}
  void derivatives(int /*k*/, double time, const FrameMotionT<double>& motion, const double* /*integrals*/,
                   StateLoadDerivativeT<double>& result) const override {
    result.by_acceleration.setZero(), result.by_integral.setZero();
    result.rate_by_pose.setZero(), result.rate_by_velocity.setZero();
    const std::array<double, 72> found = ask<72>("_slopes", time, motion);
    result.by_pose = Eigen::Map<const Eigen::Matrix<double, 6, 6>>(found.data());
    result.by_velocity = Eigen::Map<const Eigen::Matrix<double, 6, 6>>(found.data() + 36);
  }

 private:
  template <std::size_t k_count>
  std::array<double, k_count> ask(const char* method, double time, const FrameMotionT<double>& motion) const {
    const InterpreterLock lock;
    const Matrix3& R = motion.pose.rotation;
    const nb::object answer =
        (*part_).attr(method)(time, array_from({&R.row0, &R.row1, &R.row2}), array_from({&motion.pose.position}),
                              array_from({&motion.velocity.angular, &motion.velocity.linear}));
    Numbers numbers;
    numbers.take(answer.ptr());
    numbers.require("law");
    std::array<double, k_count> found;
    std::copy_n(numbers.data(), k_count, found.begin());
    return found;
  }

  SharedObject part_;
};

class PythonLoad final : public LoadLaw {
 public:
  explicit PythonLoad(const nb::object& part) : part_(part) {}
  std::string type_name() const override { return "python"; }
  std::shared_ptr<const StateLoad> bind(std::vector<Frame> frames, const Link* /*link*/) const override {
    return std::make_shared<const PythonStateLoad>(part_, std::move(frames));
  }
  std::shared_ptr<const LoadLaw> clone_as(ScalarTag<double>) const override {
    return std::make_shared<const PythonLoad>(*this);
  }
  std::shared_ptr<const LoadLawT<long double>> clone_as(ScalarTag<long double>) const override { return nullptr; }
  std::shared_ptr<const LoadLawT<ForwardDual>> clone_as(ScalarTag<ForwardDual>) const override { return nullptr; }

 private:
  SharedObject part_;
};

}  // namespace

std::shared_ptr<const LoadLaw> make_python_load(const nb::object& part) {
  return std::make_shared<const PythonLoad>(part);
}

}  // namespace cuttle::python
