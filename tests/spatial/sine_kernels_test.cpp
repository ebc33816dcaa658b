// Sines and cosines of many angles at a time.
#include "spatial/sine_kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "support/random.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

TEST(SineKernelsTest, EveryAngleHasItsOwnWhereverItStands) {
  const SineKernel kernel = sine_kernel();
  std::vector<double> given{0.0, -0.0, 1e-300, 1e-8, 0.5 * std::numbers::pi, std::numbers::pi, -1e5, 5e5, 1e6, 1e300};
  Random random(3);
  while (given.size() < 41) given.push_back(random.uniform(-20.0, 20.0));
  const int count = static_cast<int>(given.size());
  const auto padded = static_cast<std::size_t>((count + k_sine_lanes - 1) / k_sine_lanes * k_sine_lanes);
  std::vector<double> angle = given, sine(padded, 7.0), cosine(padded, 7.0);
  angle.resize(padded);
  kernel(angle.data(), count, sine.data(), cosine.data());
  for (std::size_t i = 0; i < given.size(); ++i) {
    EXPECT_NEAR(sine[i], std::sin(given[i]), 3e-16) << given[i];
    EXPECT_NEAR(cosine[i], std::cos(given[i]), 3e-16) << given[i];
    std::vector<double> alone(k_sine_lanes, 0.0), s(k_sine_lanes), c(k_sine_lanes);
    const std::size_t at = i % k_sine_lanes;
    alone[at] = given[i];
    kernel(alone.data(), static_cast<int>(at) + 1, s.data(), c.data());
    EXPECT_EQ(s[at], sine[i]) << given[i];
    EXPECT_EQ(c[at], cosine[i]) << given[i];
  }
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
