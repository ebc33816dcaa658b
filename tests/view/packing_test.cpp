// Numbers come out of pages as they went in.
#include "view/packing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "view/packed_numbers.h"
#include "view/snapshot_basis.h"

namespace cuttle::CUTTLE_FILE {
namespace {

TEST(PackingTest, DoublesKeepAllDigits) {
  const std::vector<double> values{0.0, -0.0, 1.0 / 3.0, -1e300, 5e-324, 2.5, NAN, INFINITY};
  const auto back = test::unpacked(packed_doubles(values));
  ASSERT_EQ(back.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(std::memcmp(&back[i], &values[i], sizeof(double)), 0) << values[i];
  }
  EXPECT_TRUE(test::unpacked(packed_doubles({})).empty());
}

TEST(PackingTest, FloatsAndIntegersComeBack) {
  EXPECT_EQ(test::unpacked(packed_floats(std::vector<double>{0.5, -3.0, 1e10})),
            (std::vector<double>{0.5, -3.0, 1e10}));
  EXPECT_EQ(test::unpacked(packed_integers(std::vector<std::int32_t>{0, -1, 70000})),
            (std::vector<double>{0, -1, 70000}));
}

/// Smooth curves with jumps.
FrameMatrix curves(std::size_t frames, std::size_t channels, std::mt19937& random) {
  std::uniform_real_distribution<float> uniform(-1.0f, 1.0f);
  FrameMatrix matrix{frames, channels, std::vector<float>(frames * channels)};
  for (std::size_t c = 0; c < channels; ++c) {
    const float a = uniform(random), b = 5 * uniform(random), jump = uniform(random);
    for (std::size_t f = 0; f < frames; ++f) {
      matrix.at(f, c) = a * std::sin(b * 0.01f * static_cast<float>(f)) + (f > frames / 2 ? 100 * jump : 0.0f);
    }
  }
  return matrix;
}

TEST(PackingTest, ChannelsAreRoundedToTheirSteps) {
  std::mt19937 random(3);
  for (const std::size_t frames : {1, 2, 3, 500}) {
    const FrameMatrix matrix = curves(frames, 4, random);
    const std::vector<double> steps{1e-4, 1e-6, 0.3, 1e-4};
    const auto back = test::unpacked_channels(packed_channels(matrix, steps), frames);
    ASSERT_EQ(back.size(), 4u);
    for (std::size_t c = 0; c < 4; ++c) {
      ASSERT_EQ(back[c].size(), frames);
      for (std::size_t f = 0; f < frames; ++f) {
        EXPECT_NEAR(back[c][f], matrix.at(f, c), 0.5 * steps[c] * (1 + 1e-6) + 1e-12);
      }
    }
  }
}

TEST(PackingTest, WhatIsNotFiniteIsDrawnSomewhere) {
  FrameMatrix matrix{3, 1, {1.0f, NAN, -INFINITY}};
  const auto back = test::unpacked_channels(packed_channels(matrix, std::vector<double>{0.1}), 3);
  EXPECT_EQ(back[0], (std::vector<double>{1.0, 0.0, 0.0}));
  EXPECT_FALSE(snapshot_basis(matrix, 1e-3, 3).has_value());
}

TEST(SnapshotBasisTest, ReproducesSnapshotsToTheTolerance) {
  std::mt19937 random(5);
  std::uniform_real_distribution<float> uniform(-1.0f, 1.0f);
  // 5 directions, and noise below the tolerance
  const std::size_t frames = 80, channels = 300, rank = 5;
  std::vector<std::vector<float>> directions(rank, std::vector<float>(channels));
  for (auto& direction : directions) {
    for (float& entry : direction) entry = uniform(random);
  }
  FrameMatrix matrix{frames, channels, std::vector<float>(frames * channels)};
  for (std::size_t f = 0; f < frames; ++f) {
    std::vector<float> weights(rank);
    for (float& weight : weights) weight = uniform(random);
    for (std::size_t c = 0; c < channels; ++c) {
      matrix.at(f, c) = 7.0f + 2e-4f * uniform(random);
      for (std::size_t k = 0; k < rank; ++k) matrix.at(f, c) += weights[k] * directions[k][c];
    }
  }
  const double tolerance = 2e-3;
  const auto basis = snapshot_basis(matrix, tolerance, 20);
  ASSERT_TRUE(basis.has_value());
  EXPECT_LE(basis->vectors.size(), rank + 2);
  for (std::size_t f = 0; f < frames; ++f) {
    for (std::size_t c = 0; c < channels; ++c) {
      double value = basis->mean[c];
      for (std::size_t k = 0; k < basis->vectors.size(); ++k)
        value += basis->coefficients.at(f, k) * basis->vectors[k][c];
      EXPECT_NEAR(value, matrix.at(f, c), tolerance + 1e-5);
    }
  }
  EXPECT_FALSE(snapshot_basis(matrix, tolerance, 3).has_value());
  const auto still = snapshot_basis({4, 2, {1, 2, 1, 2, 1, 2, 1, 2}}, 1e-6, 1);
  ASSERT_TRUE(still.has_value());
  EXPECT_TRUE(still->vectors.empty());
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
