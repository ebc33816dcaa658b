// Pushes of `cuttle live`: how they pull, never by more than their limit, and their derivatives.
#include "cuttle/elements/push.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/random.h"

namespace cuttle::CUTTLE_FILE {
namespace {

// A pull g gives g / sqrt(1 + g^2 / limit^2), whose slope by g is the power -3/2 of that root's square.
TEST(CoordinatePush, PullsByItsClosedForm) {
  const PushSpring spring{30.0, 0.8, 2.0};
  const CoordinatePushLaw<double> law(spring, Signal::ramp(0.0, 1.0, 0.1, 0.5));
  test::Random random(4);
  for (int i = 0; i < 50; ++i) {
    const double time = random.uniform(0.0, 1.0), q = random.uniform(), v = random.uniform(), rest = 0.0;
    double effort, slopes[2];
    const EffortArgumentsT<double> at{time, &rest, &q, &v, nullptr, nullptr};
    law.evaluate(at, &effort, nullptr);
    law.derivatives(at, slopes);
    const double g = 30.0 * (0.1 + 0.4 * time - q) - 0.8 * v, size = 1.0 + g * g / 4.0;
    EXPECT_NEAR(effort, g / std::sqrt(size), 1e-14);
    EXPECT_LE(std::abs(effort), 2.0);
    EXPECT_NEAR(slopes[0], -30.0 * std::pow(size, -1.5), 1e-12);
    EXPECT_NEAR(slopes[1], -0.8 * std::pow(size, -1.5), 1e-13);
  }
}

TEST(PointPush, PullsToItsTargetAndNeverAboveItsLimit) {
  PointPush pull(PointPushLaw(PushSpring{30.0, 0.8, 2.0}), {Frame{}});
  pull.law().move(0.3, Signal::ramp(0.0, 1.0, 0.0, 0.2), -0.1);
  FrameMotionT<double> motion;
  motion.pose.position = {0.29, 0.1, -0.1};
  const Wrench w = pull.wrench(0, 0.5, motion, nullptr);
  EXPECT_NEAR(w.force.x, 0.3 / std::sqrt(1.0 + 0.09 / 4.0), 1e-14);
  EXPECT_NEAR(norm(w.torque) + std::abs(w.force.y) + std::abs(w.force.z), 0.0, 1e-14);
  motion.pose.position = {50.0, 20.0, 3.0};
  EXPECT_LE(norm(pull.wrench(0, 0.5, motion, nullptr).force), 2.0);
  EXPECT_GT(norm(pull.wrench(0, 0.5, motion, nullptr).force), 1.99);
  EXPECT_EQ(pull.integral_count(), 0);

  PointPush other(PointPushLaw(PushSpring{1.0, 0.0, 1.0}), {Frame{}});
  other.law().follow(pull.law());
  EXPECT_EQ(norm(other.law().target(0.5) - Vector3{0.3, 0.1, -0.1}), 0.0);
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
