#pragma once

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <string>

namespace cuttle::test::contract {

/// d f / dt at 0 by the sixth-order central difference.
template <typename F>
auto derivative(const F& f, double h) {
  auto slope = (45.0 * (f(h) - f(-h)) - 9.0 * (f(2 * h) - f(-2 * h)) + (f(3 * h) - f(-3 * h))).eval();
  slope /= 60.0 * h;
  return slope;
}
template <typename F>
double scalar_derivative(const F& f, double h) {
  return (45.0 * (f(h) - f(-h)) - 9.0 * (f(2 * h) - f(-2 * h)) + (f(3 * h) - f(-3 * h))) / (60.0 * h);
}

template <typename A, typename B>
void expect_near(const A& found, const B& expected, double tolerance, double scale, const std::string& what) {
  ASSERT_EQ(found.rows(), expected.rows()) << what;
  ASSERT_EQ(found.cols(), expected.cols()) << what;
  if (found.size() == 0) return;
  EXPECT_TRUE(found.allFinite()) << what << ": not finite";
  EXPECT_LE((found - expected).cwiseAbs().maxCoeff(), tolerance * scale) << what << "\nfound\n"
                                                                         << found << "\nexpected\n"
                                                                         << expected;
}
template <typename Derived>
double size_of(const Eigen::MatrixBase<Derived>& a) {
  return a.size() == 0 ? 0.0 : static_cast<double>(a.cwiseAbs().maxCoeff());
}

}  // namespace cuttle::test::contract
