#include "support/contact_reference.h"

#include <gtest/gtest.h>

#include <random>

// What the law promises, of the prototype alone: the library's law is held against the prototype elsewhere.

namespace cuttle::CUTTLE_FILE {
namespace {

using Eigen::Vector3d;

ContactReference::State random_state(std::mt19937& random, const ContactReference& law) {
  std::normal_distribution<double> normal;
  const auto vector = [&] { return Vector3d(normal(random), normal(random), normal(random)); };
  ContactReference::State x;
  const double depth = std::pow(10.0, -6 + 3 * std::uniform_real_distribution<double>(0, 1)(random));
  Vector3d n = Vector3d::UnitZ();
  if (law.surface != 0.0) n = vector().normalized();
  x.position =
      law.surface == 0.0 ? Vector3d(0, 0, law.radius - depth) : Vector3d((law.surface + law.radius - depth) * n);
  if (law.surface < 0.0) x.position = (-law.surface - law.radius + depth) * n;
  const double speed = std::pow(10.0, -4 + 4 * std::uniform_real_distribution<double>(0, 1)(random));
  x.velocity = speed * vector(), x.spin = speed / law.radius * vector();
  x.ratio = 1 + (law.static_ratio - 1) * std::uniform_real_distribution<double>(0, 1)(random);
  // within the cone, and beyond as far as steps may lead
  Vector3d xi = vector();
  xi -= n * n.dot(xi);
  x.bristle = 1e-3 * xi;
  std::uniform_real_distribution<double> part(0, 1);
  const double used = law.at(x).used, wanted = (part(random) < 0.3 ? 8.0 : 1.1) * part(random);
  x.bristle *= wanted / used;
  return x;
}

TEST(ContactReference, NeverMakesEnergy) {
  for (const double surface : {0.0, 0.3, -0.3}) {
    for (const bool anisotropic : {false, true}) {
      ContactReference law;
      law.surface = surface, law.static_ratio = anisotropic ? 1.0 : 1.4;
      if (anisotropic) law.forward = 0.2, law.backward = 1.1, law.sideways = 2.0;
      std::mt19937 random(3);
      for (int i = 0; i < 20000; ++i) {
        const ContactReference::State x = random_state(random, law);
        const ContactReference::Result r = law.at(x);
        const double size = r.force.norm() * (x.velocity.norm() + law.radius * x.spin.norm());
        ASSERT_GE(r.dissipated, -1e-13 * size) << i;
      }
    }
  }
}

TEST(ContactReference, KeepsTheBookThroughObliqueBounces) {
  for (const double surface : {0.0, 0.3, -0.3}) {
    ReferenceBall ball;
    ball.law.surface = surface, ball.law.stiffness = 1e6;
    ball.mass = 0.1;
    const double gap = 0.002;
    ball.state.position = {0.0, 0.0, surface + ball.law.radius + gap};
    if (surface < 0.0) ball.state.position = {0.0, 0.0, surface + ball.law.radius + gap};
    ball.state.velocity = {0.8, -0.3, -2.0}, ball.state.spin = {5.0, 20.0, -8.0};
    const double before = ball.energy();
    bool touched = false;
    for (int i = 0; i < 40000; ++i) {
      ball.step(2.5e-7);
      touched |= ball.law.at(ball.state).energy > 0;
    }
    EXPECT_TRUE(touched);
    EXPECT_GT(ball.dissipated, 0.01);
    EXPECT_NEAR(ball.energy() + ball.dissipated, before, 1e-7 * before) << surface;
  }
}

TEST(ContactReference, DoesNotKnowDirections) {
  // the same bounce, turned about the normal
  Vector3d first;
  for (const double turn : {0.0, 0.7, 2.0}) {
    const Eigen::Matrix3d R = Eigen::AngleAxisd(turn, Vector3d::UnitZ()).toRotationMatrix();
    ReferenceBall ball;
    ball.law.static_ratio = 1.3, ball.state.ratio = 1.3;
    ball.state.position = {0, 0, 0.051}, ball.state.velocity = R * Vector3d(0.5, 0.1, -1),
    ball.state.spin = R * Vector3d(3, -9, 4);
    for (int i = 0; i < 10000; ++i) ball.step(2e-6);
    const Vector3d end = R.transpose() * ball.state.velocity;
    if (turn == 0.0) first = end;
    EXPECT_LT((end - first).norm(), 1e-11);
  }
}

TEST(ContactReference, BouncesAsHuntAndCrossleySay) {
  // a v - ln(1 + a v) is the same before and after, with -v after: free of stiffness and mass
  for (const double speed : {0.1, 0.5, 2.0}) {
    ReferenceBall ball;
    ball.gravity.setZero();
    ball.state.position = {0, 0, ball.law.radius}, ball.state.velocity = {0, 0, -speed}, ball.state.spin.setZero();
    double h = 2e-7;
    while (ball.state.velocity.z() < 0 || ball.law.at(ball.state).energy > 0) ball.step(h);
    const double after = ball.state.velocity.z();
    const auto invariant = [&](double v) { return ball.law.dissipation * v - std::log(1 + ball.law.dissipation * v); };
    double low = 0, high = speed;  // invariant(-e) = invariant(speed)
    for (int i = 0; i < 100; ++i) {
      const double middle = (low + high) / 2;
      (invariant(-middle) < invariant(speed) ? low : high) = middle;
    }
    EXPECT_NEAR(after, low, 1e-5 * speed);
  }
}

TEST(ContactReference, HoldsWithoutCreep) {
  // a ball that cannot roll on a slope of 0.78 of the limit: gravity is turned
  ReferenceBall ball;
  ball.mass = 0.2;
  // three quarters of the limit and a little
  const double limit = std::atan(0.5), slope = std::atan(0.78 * std::tan(limit));
  ball.gravity = 9.81 * Vector3d(std::sin(slope), 0, -std::cos(slope));
  const double d = std::pow(ball.mass * 9.81 * std::cos(slope) / ball.law.stiffness, 2.0 / 3);
  ball.state.position = {0, 0, ball.law.radius - d}, ball.state.velocity.setZero(), ball.state.spin.setZero();
  ball.gyration = 1e30;
  // strong damping, so that what is left of the start is below rounding
  ball.law.damping_time = 5e-3, ball.law.dissipation = 20;
  ball.state.bristle.x() = 0.2 * 9.81 * std::sin(slope) / (1.2 * ball.law.stiffness * std::sqrt(d));
  double at_rest = 0;
  for (int i = 0; i < 200000; ++i) {
    ball.step(1e-5);
    if (i == 100000) at_rest = ball.state.position.x();
  }
  EXPECT_LT(std::abs(ball.state.position.x() - at_rest), 1e-15);
  EXPECT_LT(ball.state.velocity.norm(), 1e-12);
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
