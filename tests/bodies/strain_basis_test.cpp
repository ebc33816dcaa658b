#include "cuttle/bodies/strain_basis.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "cuttle/bodies/rod_body.h"
#include "cuttle/error.h"
#include "support/epsilon.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using Kind = StrainBasis::Kind;
constexpr double k_length = 0.4;

std::vector<double> values(const StrainBasis& basis, double t) {
  std::vector<double> result(basis.mode_count());
  basis.evaluate(t, k_length, result.data());
  return result;
}
void expect_values(const StrainBasis& basis, double t, const std::vector<double>& expected) {
  const std::vector<double> found = values(basis, t);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i], expected[i], 10 * test::k_eps) << "t " << t << ", mode " << i;
  }
}
/// What a basis says that makes no sense.
std::string problem_of(const StrainBasis& basis) {
  try {
    basis.check(k_length);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}
StrainBasis gaussian(std::vector<double> centers, std::vector<double> widths) {
  StrainBasis basis;
  basis.kind = Kind::gaussian;
  basis.centers = std::move(centers);
  basis.widths = std::move(widths);
  return basis;
}
StrainBasis hermite(int nodes) {
  StrainBasis basis;
  basis.kind = Kind::hermite;
  basis.nodes = nodes;
  return basis;
}
StrainBasis piecewise(std::vector<double> breaks) {
  StrainBasis basis;
  basis.kind = Kind::piecewise;
  basis.breaks = std::move(breaks);
  return basis;
}

TEST(StrainBasis, ConstantIsOne) { expect_values(StrainBasis::constant(), 0.3, {1}); }

TEST(StrainBasis, MonomialsArePowersOfT) {
  for (const double t : {0.0, 0.3, 1.0}) {
    expect_values(StrainBasis::of_order(Kind::monomial, 3), t, {1, t, t * t, t * t * t});
  }
}

TEST(StrainBasis, LegendreIsShiftedToTheRod) {
  for (const double t : {0.0, 0.2, 0.5, 0.9, 1.0}) {
    // the shifted polynomials as tables print them
    expect_values(StrainBasis::of_order(Kind::legendre, 3), t,
                  {1, 2 * t - 1, (6 * t - 6) * t + 1, ((20 * t - 30) * t + 12) * t - 1});
  }
}

TEST(StrainBasis, ChebyshevIsTheCosineOfMultipleAngles) {
  for (const double t : {0.0, 0.2, 0.5, 0.9, 1.0}) {
    const double angle = std::acos(2 * t - 1);
    expect_values(StrainBasis::of_order(Kind::chebyshev, 4), t,
                  {1, std::cos(angle), std::cos(2 * angle), std::cos(3 * angle), std::cos(4 * angle)});
  }
}

TEST(StrainBasis, PolynomialsAreOneAtTheTip) {
  for (const Kind kind : {Kind::monomial, Kind::legendre, Kind::chebyshev}) {
    expect_values(StrainBasis::of_order(kind, 8), 1.0, std::vector<double>(9, 1.0));
  }
}

TEST(StrainBasis, FourierHasTheSineBeforeTheCosine) {
  for (const double t : {0.0, 0.1, 0.7, 1.0}) {
    expect_values(StrainBasis::of_order(Kind::fourier, 2), t,
                  {1, std::sin(2 * std::numbers::pi * t), std::cos(2 * std::numbers::pi * t),
                   std::sin(4 * std::numbers::pi * t), std::cos(4 * std::numbers::pi * t)});
  }
}

TEST(StrainBasis, GaussianWidthsAreMetersAndTheConstantComesFirst) {
  for (const double t : {0.0, 0.25, 0.6, 1.0}) {
    const double s = t * k_length;
    expect_values(gaussian({0.1, 0.3}, {0.05, 0.2}), t,
                  {1, std::exp(-std::pow((s - 0.1) / 0.05, 2)), std::exp(-std::pow((s - 0.3) / 0.2, 2))});
  }
}

TEST(StrainBasis, HermiteInterpolatesEveryPiecewiseCubicWithItsSlopes) {
  const int nodes = 4;
  const StrainBasis basis = hermite(nodes);
  ASSERT_EQ(basis.mode_count(), 8);
  const auto cubic = [](double t) { return 0.7 + t * (-1.3 + t * (2.1 - 0.9 * t)); };
  const auto slope = [](double t) { return -1.3 + t * (4.2 - 2.7 * t); };
  for (double t = 0; t <= 1; t += 1.0 / 64) {
    const std::vector<double> shapes = values(basis, t);
    double sum = 0;
    for (int i = 0; i < nodes; ++i) {
      const double node = i / (nodes - 1.0);
      sum += shapes[2 * i] * cubic(node) + shapes[2 * i + 1] * slope(node);
    }
    EXPECT_NEAR(sum, cubic(t), 20 * test::k_eps) << "t " << t;
  }
}

TEST(StrainBasis, HermiteShapesAreOneInTheirOwnCoordinateOnly) {
  const StrainBasis basis = hermite(3);
  const double h = 1e-6;
  for (int node = 0; node < 3; ++node) {
    const double t = node / 2.0;
    std::vector<double> value(6, 0.0), slope(6, 0.0);
    value[2 * node] = slope[2 * node + 1] = 1;
    expect_values(basis, t, value);
    // one-sided within the rod; second derivatives are of the order 6 / 0.5^2
    const double side = node == 2 ? -h : h;
    const std::vector<double> at = values(basis, t), near = values(basis, t + side);
    for (int i = 0; i < 6; ++i) EXPECT_NEAR((near[i] - at[i]) / side, slope[i], 24 * h) << node << ", mode " << i;
  }
}

TEST(StrainBasis, PiecewiseModesIndicateTheirPieces) {
  const StrainBasis basis = piecewise({0.1, 0.3});
  expect_values(basis, 0.0, {1, 0, 0});
  expect_values(basis, 0.2, {1, 0, 0});
  expect_values(basis, 0.3, {0, 1, 0});
  expect_values(basis, 0.7, {0, 1, 0});
  expect_values(basis, 0.8, {0, 0, 1});
  expect_values(basis, 1.0, {0, 0, 1});
}

TEST(StrainBasis, TakesAnyFunction) {
  StrainBasis basis;
  basis.kind = Kind::function;
  basis.functions = {[](const double& t) { return t * t; }, [](const double& t) { return std::cos(t); }};
  expect_values(basis, 0.3, {0.09, std::cos(0.3)});
  EXPECT_EQ(problem_of(basis), "");
  EXPECT_FALSE(basis.is_constant());
  EXPECT_EQ(basis.cast<double>().mode_count(), 2);
  EXPECT_THROW(basis.cast<long double>(), ModelError);
}

TEST(StrainBasis, KnowsWhetherItIsConstant) {
  EXPECT_TRUE(StrainBasis::constant().is_constant());
  for (const Kind kind : {Kind::monomial, Kind::legendre, Kind::chebyshev, Kind::fourier}) {
    EXPECT_TRUE(StrainBasis::of_order(kind, 0).is_constant());
    EXPECT_FALSE(StrainBasis::of_order(kind, 1).is_constant());
  }
  EXPECT_TRUE(piecewise({}).is_constant());
  EXPECT_FALSE(piecewise({0.1}).is_constant());
  EXPECT_FALSE(hermite(2).is_constant());
  EXPECT_FALSE(gaussian({0.1}, {0.1}).is_constant());
}

TEST(StrainBasis, IsTheSameForEveryScalar) {
  for (const StrainBasis& basis : {StrainBasis::of_order(Kind::legendre, 5), StrainBasis::of_order(Kind::chebyshev, 5),
                                   StrainBasis::of_order(Kind::fourier, 3), gaussian({0.1, 0.2}, {0.3, 0.1}),
                                   hermite(4), piecewise({0.1, 0.25})}) {
    const StrainBasisT<long double> wide = basis.cast<long double>();
    ASSERT_EQ(wide.mode_count(), basis.mode_count());
    for (const double t : {0.05, 0.31, 0.77, 0.99}) {
      std::vector<long double> expected(wide.mode_count());
      wide.evaluate(t, k_length, expected.data());
      const std::vector<double> found = values(basis, t);
      for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_NEAR(found[i], static_cast<double>(expected[i]), 50 * test::k_eps) << "mode " << i << " at " << t;
      }
    }
  }
}

TEST(StrainBasis, SaysWhatIsWrong) {
  EXPECT_EQ(problem_of(StrainBasis::of_order(Kind::legendre, -1)), "order: found -1, expected an integer >= 0");
  EXPECT_EQ(problem_of(StrainBasis::of_order(Kind::fourier, 3)), "");
  EXPECT_EQ(problem_of(hermite(1)), "nodes: found 1, expected an integer >= 2");
  EXPECT_EQ(problem_of(hermite(2)), "");
  EXPECT_EQ(problem_of(gaussian({0.1, 0.2}, {0.1})), "widths: found 1 values, expected 2, one for each of the centers");
  EXPECT_EQ(problem_of(gaussian({0.1}, {0.0})), "widths: found 0, expected a number > 0 [m]");
  EXPECT_EQ(problem_of(piecewise({0.1, 0.4})),
            "breaks: found 0.4, expected a point inside the rod, between 0 and 0.4 [m]");
  EXPECT_EQ(problem_of(piecewise({0.2, 0.1, -1})), "breaks: found 0.1 after 0.2, expected ascending points [m]");
  EXPECT_EQ(problem_of(piecewise({0.1, 0.3})), "");
  StrainBasis none;
  none.kind = Kind::function;
  EXPECT_EQ(problem_of(none), "functions: found none, expected at least one");
  none.functions.emplace_back();
  EXPECT_EQ(problem_of(none), "functions: found an empty function, expected one that can be called");
}

TEST(Profile, InterpolatesBetweenEquallySpacedValues) {
  const Profile constant(2.5);
  EXPECT_EQ(constant.at(0.0), 2.5);
  EXPECT_EQ(constant.at(0.7), 2.5);
  const Profile pair(std::vector<double>{1.0, 3.0});
  EXPECT_DOUBLE_EQ(pair.at(0.25), 1.5);
  const Profile list(std::vector<double>{1.0, 3.0, -2.0, 0.5});
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(list.at(i / 3.0), list.values[i], 5 * test::k_eps) << i;
  EXPECT_NEAR(list.at(0.5), 0.5, 5 * test::k_eps);
  EXPECT_NEAR(list.at(5.0 / 6), -0.75, 5 * test::k_eps);
  EXPECT_EQ(Profile(std::vector<double>(5, 0.1)).at(0.37), 0.1);  // a list of equal values is a constant, exactly
}

TEST(StrainShorthand, NamesTheDocumentedComponents) {
  const auto modes = [](const std::string& name) {
    std::vector<int> counts;
    for (const auto& basis : strain_shorthand(name, k_length)) counts.push_back(basis ? basis->mode_count() : 0);
    return counts;
  };
  EXPECT_EQ(modes("pcc"), (std::vector<int>{1, 1, 0, 0, 0, 1}));
  EXPECT_EQ(modes("planar_cc"), (std::vector<int>{0, 1, 0, 0, 0, 0}));
  EXPECT_EQ(modes("pcs"), (std::vector<int>{1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(modes("pac"), (std::vector<int>{2, 2, 0, 0, 0, 0}));
  EXPECT_EQ(modes("pgc"), (std::vector<int>{2, 2, 0, 0, 0, 1}));
  EXPECT_EQ(modes("kirchhoff"), (std::vector<int>{1, 1, 1, 0, 0, 0}));
  expect_values(*strain_shorthand("pgc", k_length)[kappa_y], 0.75, {1, std::exp(-1.0)});
  expect_values(*strain_shorthand("pac", k_length)[kappa_x], 0.75, {1, 0.75});
  try {
    strain_shorthand("pccc", k_length);
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_STREQ(error.what(), "strain: found 'pccc', expected pcc, planar_cc, pcs, pac, pgc or kirchhoff");
  }
}

TEST(StrainShorthand, OfPiecesHasEqualOnes) {
  const auto strain = strain_shorthand("pcs", k_length, 4);
  for (const auto& basis : strain) {
    ASSERT_TRUE(basis);
    EXPECT_EQ(basis->kind, Kind::piecewise);
    EXPECT_EQ(basis->breaks, (std::vector<double>{k_length / 4, 2 * k_length / 4, 3 * k_length / 4}));
  }
  EXPECT_EQ(strain_shorthand("pcc", k_length, 2)[sigma_z]->mode_count(), 2);
  EXPECT_FALSE(strain_shorthand("pcc", k_length, 2)[kappa_z]);
  EXPECT_EQ(strain_shorthand("pcs", k_length, 1)[kappa_x]->kind, Kind::constant);
  const auto problem = [](const std::string& name, int pieces) {
    try {
      strain_shorthand(name, k_length, pieces);
    } catch (const ModelError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(problem("pcs", 0), "pieces: found 0, expected an integer >= 1");
  EXPECT_EQ(problem("pgc", 2),
            "pieces: found it beside pgc, whose strain varies along a piece, expected a shorthand of constant strain: "
            "pcc, planar_cc, pcs or kirchhoff");
  EXPECT_EQ(problem("pac", 1), "");
}

TEST(StrainBasis, SaysWhatItsModesAre) {
  const auto meanings = [](const StrainBasis& basis) {
    std::vector<std::string> all;
    for (int k = 0; k < basis.mode_count(); ++k) all.push_back(basis.mode_meaning(k, k_length));
    return all;
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(meanings(StrainBasis::constant()), Texts{""});
  EXPECT_EQ(meanings(StrainBasis::of_order(Kind::monomial, 2)),
            (Texts{"coefficient of 1", "coefficient of (s/L)^1", "coefficient of (s/L)^2"}));
  EXPECT_EQ(meanings(StrainBasis::of_order(Kind::legendre, 1)),
            (Texts{"coefficient of the Legendre polynomial P_0(2 s/L - 1)",
                   "coefficient of the Legendre polynomial P_1(2 s/L - 1)"}));
  EXPECT_EQ(meanings(StrainBasis::of_order(Kind::chebyshev, 1))[1],
            "coefficient of the Chebyshev polynomial T_1(2 s/L - 1)");
  const StrainBasis fourier = StrainBasis::of_order(Kind::fourier, 2);
  EXPECT_EQ(meanings(fourier),
            (Texts{"coefficient of 1", "coefficient of sin(2 pi s/L)", "coefficient of cos(2 pi s/L)",
                   "coefficient of sin(4 pi s/L)", "coefficient of cos(4 pi s/L)"}));
  EXPECT_NEAR(values(fourier, 0.1)[3], std::sin(4 * std::numbers::pi * 0.1), 10 * test::k_eps);
  EXPECT_EQ(meanings(gaussian({0.1}, {0.05})),
            (Texts{"coefficient of 1", "coefficient of the bell exp(-((s - 0.1 m) / 0.05 m)^2)"}));
  EXPECT_EQ(meanings(hermite(3)),
            (Texts{"its value at s = 0 m", "its slope in s/L at s = 0 m", "its value at s = 0.2 m",
                   "its slope in s/L at s = 0.2 m", "its value at s = 0.4 m", "its slope in s/L at s = 0.4 m"}));
  expect_values(hermite(3), 0.5, {0, 0, 1, 0, 0, 0});
  EXPECT_EQ(meanings(piecewise({0.1, 0.3})),
            (Texts{"from s = 0 m to 0.1 m", "from s = 0.1 m to 0.3 m", "from s = 0.3 m to 0.4 m"}));
  StrainBasis own;
  own.kind = Kind::function;
  own.functions = {[](const double& t) { return t; }};
  EXPECT_EQ(meanings(own), Texts{"coefficient of function 0"});
}

// A coordinate is a strain beyond rest times the length of the whole rod, also where it holds for a piece alone.
TEST(RodCoordinates, AreStrainTimesLength) {
  RodParameters p;
  p.length = k_length;
  p.section.radius = 0.01;
  p.material = {.density = 1000, .young_modulus = 1e6};
  p.strain = strain_shorthand("pcs", k_length, 2);
  p.rest_strain[kappa_y] = 3.0;
  const RodBody rod(p);
  const std::vector<CoordinateInfo> info = rod.coordinates();
  ASSERT_EQ(info.size(), 12u);
  const char* const of[] = {"curvature about x", "curvature about y", "twist about z",
                            "shear along x",     "shear along y",     "stretch along z"};
  for (int c = 0; c < 6; ++c) {
    const CoordinateInfo& second = info[2 * c + 1];
    EXPECT_EQ(second.name, std::string(strain_component_name(c)) + ".1");
    EXPECT_EQ(second.meaning, of[c] + std::string(" beyond rest, times length L, from s = 0.2 m to 0.4 m"));
    EXPECT_EQ(second.unit, c < 3 ? "rad" : "m");
    std::vector<double> q(12, 0.0);
    q[2 * c + 1] = 0.2;
    const std::vector<double> rest(12, 0.0);
    const auto change = [&](double s) { return rod.strain_at(s, q.data())[c] - rod.strain_at(s, rest.data())[c]; };
    EXPECT_NEAR(change(0.3) * k_length, 0.2, 10 * test::k_eps);
    EXPECT_EQ(change(0.1), 0.0);
  }
}

TEST(StrainComponent, HasTheNameOfTheFile) {
  EXPECT_STREQ(strain_component_name(kappa_x), "kappa_x");
  EXPECT_STREQ(strain_component_name(sigma_z), "sigma_z");
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
