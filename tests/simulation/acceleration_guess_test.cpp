#include "simulation/acceleration_guess.h"

#include <gtest/gtest.h>

namespace cuttle::CUTTLE_FILE {
namespace {

VectorXd at(double time) { return VectorXd::Constant(2, 3.0 - 2.0 * time + 0.5 * time * time); }

TEST(AccelerationGuessTest, ForetellsParabolasFromUnevenSteps) {
  AccelerationGuess guess(2);
  VectorXd found;
  EXPECT_TRUE(guess.is_zero());
  for (const double time : {0.0, 0.1, 0.3, 0.35, 0.5}) guess.learn(time, at(time));
  guess.predict(0.9, found);
  EXPECT_FALSE(guess.is_zero());
  EXPECT_LT((found - at(0.9)).norm(), 1e-13);
}

TEST(AccelerationGuessTest, SaysZeroWhereSignsAlternateAndWhereNothingIsKnown) {
  AccelerationGuess guess(1);
  VectorXd found;
  for (int i = 0; i < 4; ++i) guess.learn(i, VectorXd::Constant(1, i % 2 == 0 ? 1.0 : -1.0));
  EXPECT_TRUE(guess.is_zero());
  guess.predict(4.0, found);
  EXPECT_EQ(found[0], 0.0);
  for (int i = 4; i < 14; ++i) guess.learn(i, VectorXd::Constant(1, 1.0));
  EXPECT_FALSE(guess.is_zero());
  guess.forget();
  guess.learn(20.0, VectorXd::Constant(1, 1.0));
  EXPECT_TRUE(guess.is_zero());
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
