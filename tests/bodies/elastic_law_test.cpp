// Materials of users: the same energy density as one of the library's must give the same volume, in every scalar.
#include "cuttle/bodies/elastic_law.h"

#include <gmock/gmock.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "cuttle/algorithms/derivatives.h"
#include "cuttle/bodies/lvp_kinematics.h"
#include "cuttle/bodies/nodal_volume.h"
#include "cuttle/bodies/ritz_kinematics.h"
#include "cuttle/bodies/volume_body.h"
#include "cuttle/error.h"
#include "spatial/aligned.h"
#include "support/body_contract.h"
#include "support/meshes.h"
#include "support/rubber_law.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

using ::testing::HasSubstr;

const double k_c1 = 7e4, k_lambda = 3e5;

VolumeMaterial library(bool resists) {
  VolumeMaterial material{.c1 = k_c1, .damping_time = 0.02};
  if (resists) material.lame_lambda = k_lambda;
  return material;
}
VolumeMaterial own(bool resists) {
  VolumeMaterial material = own_rubber(k_c1, resists ? std::optional<double>(k_lambda) : std::nullopt);
  material.damping_time = 0.02;
  return material;
}

std::shared_ptr<Body> composed(const VolumeMaterial& material) {
  LvpParameters lvp;
  lvp.length = 0.2;
  lvp.primitives = {{.type = LvpPrimitive::Type::stretch, .modes = {{0.0, 1.0}, {0.0, 0.0, 1.0}}},
                    {.type = LvpPrimitive::Type::bend, .modes = {{1.0}}, .y_modes = {{1.0}}}};
  return std::make_shared<VolumeBody>(point_cylinder(0.2, 0.03, 1000.0, 5, 2, 5), material,
                                      std::make_shared<LvpKinematics>(lvp));
}
std::shared_ptr<Body> linear(const VolumeMaterial& material) {
  RitzParameters ritz;
  ritz.modes = {{{{0, 0, 2}, {1.0, 0.0, 0.0}}, {{1, 0, 1}, {0.0, 0.0, -2.0}}},
                {{{0, 0, 1}, {0.0, 0.0, 1.0}}},
                {{{1, 1, 1}, {0.0, 1.0, 0.5}}}};
  return std::make_shared<VolumeBody>(point_cylinder(0.2, 0.03, 1000.0, 5, 2, 5), material,
                                      std::make_shared<RitzKinematics>(ritz.modes));
}
std::shared_ptr<Body> nodal(const VolumeMaterial& material) {
  const auto mesh = std::make_shared<const TetrahedralMesh>(box_mesh({0.1, 0.08, 0.2}, 1, 1, 2));
  const double L = mesh->length(), R = mesh->radius();
  return std::make_shared<NodalVolume>(NodalVolumeParameters{mesh, 1000.0, material, {0, 0, L}, {R, 0, L}, {0, R, L}});
}

template <typename S>
void expect_near(const std::vector<S>& found, const std::vector<S>& expected, const std::string& what) {
  double scale = 0.0;
  for (const S& x : expected) scale = std::max(scale, std::abs(scalar_cast<double>(x)));
  EXPECT_GT(scale, 0.0) << what;
  const auto near = [&](double a, double b, double size) { return std::abs(a - b) <= 1e-12 * size; };
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_TRUE(near(scalar_cast<double>(found[i]), scalar_cast<double>(expected[i]), scale)) << what << " " << i;
    if constexpr (std::is_same_v<S, ForwardDual>) {
      double slope_scale = scale;
      for (int k = 0; k < k_forward_width; ++k) {
        slope_scale = std::max(slope_scale, std::abs(expected[i].derivative[k]));
      }
      for (int k = 0; k < k_forward_width; ++k) {
        EXPECT_TRUE(near(found[i].derivative[k], expected[i].derivative[k], slope_scale))
            << what << " " << i << " " << k;
      }
    }
  }
}

/// Energy, force, stiffness, damping and densities at one state.
template <typename S>
void expect_same(const BodyT<S>& found, const BodyT<S>& expected, double size, const std::string& what) {
  const std::size_t n = expected.coordinate_count();
  ASSERT_EQ(found.coordinate_count(), static_cast<int>(n));
  std::vector<S> q, v;
  for (std::size_t j = 0; j < n; ++j) {
    q.push_back(S(size * std::sin(1.0 + 3.0 * j))), v.push_back(S(std::cos(2.0 + j)));
    if constexpr (std::is_same_v<S, ForwardDual>) q.back().derivative[j % k_forward_width] = 1.0;
  }
  const auto each = [&](const BodyT<S>& body) {
    std::vector<std::vector<S>> all;
    all.push_back({body.elastic_energy(q.data()), body.dissipation(q.data(), v.data())});
    all.emplace_back(n, S(0.0));
    body.add_elastic_force(q.data(), all.back().data());
    all.emplace_back(n, S(0.0));
    std::vector<S> memory(static_cast<std::size_t>(body.workspace_size().scratch) + k_cache_line / sizeof(double),
                          S(0.0));
    body.add_internal_force(InternalForces::both, q.data(), v.data(), all.back().data(), aligned<S>(memory.data()));
    all.emplace_back(n * n, S(0.0));
    body.stiffness_matrix(q.data(), all.back().data());
    all.emplace_back(n * n, S(0.0));
    body.damping_matrix(q.data(), v.data(), all.back().data());
    const Vector3T<S> x[] = {{S(0.01), S(0.005), S(0.05)}, {S(0.0), S(0.01), S(0.11)}};
    all.emplace_back(2, S(0.0));
    body.energy_density(q.data(), x, 2, all.back().data());
    return all;
  };
  const auto a = each(found), b = each(expected);
  for (std::size_t i = 0; i < a.size(); ++i) expect_near(a[i], b[i], what + ", result " + std::to_string(i));
}

TEST(ElasticLawTest, EqualsTheSameMaterialOfTheLibrary) {
  struct Case {
    std::string name;
    std::shared_ptr<Body> (*make)(const VolumeMaterial&);
    double size;
    bool resists;
  };
  for (const Case& one : {Case{"composed, resists", composed, 0.02, true}, Case{"composed", composed, 0.02, false},
                          Case{"linear", linear, 0.2, true}, Case{"nodal", nodal, 0.004, true}}) {
    const auto mine = one.make(own(one.resists)), theirs = one.make(library(one.resists));
    expect_same<double>(*mine, *theirs, one.size, one.name);
    expect_same<long double>(*mine->clone_as(ScalarTag<long double>{}), *theirs->clone_as(ScalarTag<long double>{}),
                             one.size, one.name + ", long double");
    expect_same<ForwardDual>(*mine->clone_as(ScalarTag<ForwardDual>{}), *theirs->clone_as(ScalarTag<ForwardDual>{}),
                             one.size, one.name + ", gradient");
    EXPECT_EQ(mine->warnings().size(), theirs->warnings().size()) << one.name;
  }
}

TEST(ElasticLawTest, SmallStrainsSayTheModuli) {
  const VolumeMaterial resists = own(true), keeps = own(false);
  EXPECT_NEAR(resists.shear_modulus(), 2 * k_c1, 1e-9 * k_c1);
  EXPECT_NEAR(resists.lambda(), k_lambda, 1e-9 * k_lambda);
  EXPECT_TRUE(resists.resists_volume());
  EXPECT_NEAR(keeps.shear_modulus(), 2 * k_c1, 1e-9 * k_c1);
  EXPECT_EQ(keeps.lambda(), 0.0);
  EXPECT_FALSE(keeps.resists_volume());
}

TEST(ElasticLawTest, VolumesKeepTheContract) {
  BodyContractOptions options;
  options.step = 3e-4;  // of differences: the bend is strong
  expect_body_contract(*composed(own(true)), "composed", options);
  options = {};
  options.samples = 2;
  options.coordinates.assign(nodal(own(true))->coordinate_count(), 0.012);
  expect_body_contract(*nodal(own(true)), "nodal", options);
}

TEST(ElasticLawTest, GivesTheSameDerivativesOfDynamics) {
  for (const auto& make : {composed, linear}) {
    const auto derivatives = [&](const VolumeMaterial& material) {
      Robot robot;
      robot.links.push_back({.name = "volume", .body = make(material)});
      const Model model(robot);
      Data data(model);
      DerivativeData d(model);
      VectorXd q(model.nv());
      for (int i = 0; i < model.nv(); ++i) q[i] = 0.02 * std::sin(1.0 + 3.0 * i);
      inverse_dynamics_derivatives(model, data, d, q, 10.0 * q, q);
      return std::pair(d.by_q, d.by_v);
    };
    const auto found = derivatives(own(true)), expected = derivatives(library(true));
    EXPECT_LT((found.first - expected.first).cwiseAbs().maxCoeff(), 1e-10 * expected.first.cwiseAbs().maxCoeff());
    EXPECT_LT((found.second - expected.second).cwiseAbs().maxCoeff(), 1e-10 * expected.second.cwiseAbs().maxCoeff());
  }
}

/// W = k (F_xx - 1)^2: no shear modulus.
template <typename S>
struct Stretchy {
  static constexpr const char* type_name = "stretchy";
  S k{};
  template <typename T>
  T energy_density(const Matrix3T<T>& F) const {
    return T(k) * (F.row0.x - T(1.0)) * (F.row0.x - T(1.0));
  }
  template <typename T>
  Stretchy<T> cast() const {
    return {scalar_cast<T>(k)};
  }
};
/// A stress at rest along x alone.
template <typename S>
struct Tense {
  static constexpr const char* type_name = "tense";
  S k{};
  template <typename T>
  T energy_density(const Matrix3T<T>& F) const {
    return T(k) * (material::first_invariant_excess(F) + F.row0.x - T(1.0));
  }
  template <typename T>
  Tense<T> cast() const {
    return {scalar_cast<T>(k)};
  }
};

TEST(ElasticLawTest, RefusesWhatIsNoSolid) {
  const auto message = [](const auto& make) -> std::string {
    try {
      make();
    } catch (const ModelError& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_THAT(message([] { make_elastic_law<double>(Stretchy<double>{2.0}); }),
              HasSubstr("energy_density: found a shear modulus of 0 Pa at rest, expected a number > 0"));
  EXPECT_THAT(message([] { make_elastic_law<double>(Tense<double>{2.0}); }),
              HasSubstr("energy_density: found a stress at rest of 4 Pa in one direction, expected the same"));
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
