#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "cuttle/bodies/ritz_kinematics.h"
#include "cuttle/bodies/volume_body.h"
#include "cuttle/error.h"
#include "cuttle/spatial/dual_eigen.h"
#include "support/body_contract.h"
#include "support/random.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

using Model = VolumeMaterial::Model;

/// The same kinematics that do not say that they are linear: every sum goes over the points.
template <typename S>
class Unsaid final : public VolumeKinematicsT<S> {
 public:
  explicit Unsaid(std::shared_ptr<const VolumeKinematicsT<S>> kinematics) : same_(std::move(kinematics)) {}
  std::vector<CoordinateInfo> coordinates() const override { return same_->coordinates(); }
  bool keeps_volume() const override { return same_->keeps_volume(); }
  std::size_t scratch_size() const override { return same_->scratch_size(); }
  void move(const PointRequestT<S>& request, const S* x, std::size_t blocks, const PointMotionsT<S>& motions,
            void* scratch) const override {
    same_->move(request, x, blocks, motions, scratch);
  }
  void gradients(const S* q, const S* direction, const S* x, std::size_t blocks, const GradientResultsT<S>& results,
                 const GradientUse& use, void* scratch) const override {
    same_->gradients(q, direction, x, blocks, results, use, scratch);
  }
  std::shared_ptr<const VolumeKinematicsT<double>> clone_as(ScalarTag<double> tag) const override { return cast(tag); }
  std::shared_ptr<const VolumeKinematicsT<long double>> clone_as(ScalarTag<long double> tag) const override {
    return cast(tag);
  }
  std::shared_ptr<const VolumeKinematicsT<ForwardDual>> clone_as(ScalarTag<ForwardDual> tag) const override {
    return cast(tag);
  }

 private:
  template <typename T>
  std::shared_ptr<const VolumeKinematicsT<T>> cast(ScalarTag<T> tag) const {
    return std::make_shared<const Unsaid<T>>(same_->clone_as(tag));
  }
  std::shared_ptr<const VolumeKinematicsT<S>> same_;
};

std::vector<VolumeMaterial> materials() {
  return {{.model = Model::st_venant_kirchhoff, .young_modulus = 4e5, .poisson_ratio = 0.35, .damping_time = 0.01},
          {.model = Model::st_venant_kirchhoff, .young_modulus = 4e5, .poisson_ratio = -0.2},
          {.model = Model::neo_hookean, .c1 = 7e4, .lame_lambda = 3e5, .damping_time = 0.02},
          {.model = Model::neo_hookean, .c1 = 7e4, .lame_lambda = 2e5}};
}
std::vector<RitzMode> random_modes(int count, Random& random) {
  std::vector<RitzMode> modes(count);
  for (RitzMode& mode : modes) {
    for (int t = 0; t < 3; ++t) {
      RitzTerm term;
      for (int& power : term.powers) power = random.index(4);
      term.vector = {random.uniform(), random.uniform(), random.uniform()};
      mode.push_back(term);
    }
  }
  return modes;
}
/// A box of points, enough of them that forms of the strain pay for n <= 12 coordinates.
PointParameters box_points() {
  PointParameters points = point_cylinder(0.9, 0.3, 1050.0, 1, 1, 3);
  points.quadrature = box_quadrature<double>({0.5, 0.6, 0.9}, 5, 4, 4);
  return points;
}
void add_test_ports(VolumeBody& body) {
  body.add_port({PortLocation::Kind::point, 0.0, {0.1, 0.2, 0.5}});
  body.add_port({PortLocation::Kind::point, 0.0, {-0.2, 0.1, 0.8}});
}

template <typename S>
using Numbers = Eigen::Matrix<S, Eigen::Dynamic, 1>;

/// All that a body computes in a state, a list for each quantity.
template <typename S>
std::vector<std::pair<std::string, Numbers<S>>> everything(const BodyT<S>& body, const contract::State<double>& at,
                                                           const std::vector<Wrench>& wrenches) {
  const int n = body.coordinate_count();
  std::vector<std::pair<std::string, Numbers<S>>> all;
  const auto add = [&](const char* name, const auto* numbers, int count) {
    Numbers<S> list(count);
    for (int i = 0; i < count; ++i) list[i] = numbers[i];
    all.push_back({name, list});
  };
  std::vector<S> q(at.q.data(), at.q.data() + n), v(at.v.data(), at.v.data() + n), a(at.a.data(), at.a.data() + n);
  const auto cast_twist = [](const Twist& t) {
    return TwistT<S>{t.angular.template cast<S>(), t.linear.template cast<S>()};
  };
  const BodyStateT<S> state{q.data(), v.data(), a.data(), cast_twist(at.V), cast_twist(at.A)};
  const WorkspaceSize size = body.workspace_size();
  std::vector<S> persistent(size.persistent + 8), scratch(size.scratch + 8), elimination(size.elimination + 8);
  const auto aligned = [](std::vector<S>& memory) {
    auto address = (reinterpret_cast<std::uintptr_t>(memory.data()) + 63) / 64 * 64;
    return reinterpret_cast<S*>(address);
  };
  persistent.resize(persistent.size() + 64), scratch.resize(scratch.size() + 64);
  elimination.resize(elimination.size() + 64);
  const WorkspaceT<S> workspace{aligned(persistent), aligned(scratch), aligned(elimination)};
  std::vector<PortMotionT<S>> ports(body.port_count());
  body.forward(MotionLevel::acceleration, state, workspace, ports.data());
  for (const PortMotionT<S>& port : ports) {
    const S* rotation = &port.base_port.rotation.row0.x;
    add("rotation", rotation, 9);
    add("position", &port.base_port.position.x, 3);
    for (const TwistT<S>* twist : {&port.velocity, &port.acceleration}) {
      add("angular", &twist->angular.x, 3);
      add("linear", &twist->linear.x, 3);
    }
  }
  std::vector<WrenchT<S>> loads;
  for (const Wrench& w : wrenches) loads.push_back({w.torque.cast<S>(), w.force.cast<S>()});
  WrenchT<S> base;
  std::vector<S> force(n), matrix(n * n), coupling(6 * n);
  body.backward(state, loads.data(), workspace, base, force.data());
  add("base torque", &base.torque.x, 3);
  add("base force", &base.force.x, 3);
  add("force", force.data(), n);
  InertiaBlocksT<S> blocks{matrix.data(), coupling.data(), {}};
  body.inertia_blocks(state, workspace, blocks);
  add("mass matrix", matrix.data(), n * n);
  add("coupling", coupling.data(), 6 * n);
  add("inertia", &blocks.base.rotation.xx, 6);
  add("moment", &blocks.base.moment.x, 3);
  for (int k = 0; k < body.port_count(); ++k) add("jacobian", body.port_jacobian(workspace, k), 6 * n);
  const S kinetic = body.kinetic_energy(state, workspace), elastic = body.elastic_energy(q.data());
  const Vector3T<S> moment = body.mass_moment(workspace);
  const SpatialInertiaT<S> rest = body.rest_inertia();
  add("kinetic energy", &kinetic, 1);
  add("mass moment", &moment.x, 3);
  add("rest inertia", &rest.rotation.xx, 6);
  add("elastic energy", &elastic, 1);
  std::vector<S> forces(n, S(0.0)), damping(n, S(0.0));
  body.add_elastic_force(q.data(), forces.data());
  body.add_damping_force(q.data(), v.data(), damping.data());
  add("elastic force", forces.data(), n);
  add("damping force", damping.data(), n);
  body.stiffness_matrix(q.data(), matrix.data());
  add("stiffness", matrix.data(), n * n);
  body.damping_matrix(q.data(), v.data(), matrix.data());
  add("damping", matrix.data(), n * n);
  return all;
}
template <typename S>
long double value_of(const S& a) {
  return static_cast<long double>(a);
}
template <>
long double value_of(const ForwardDual& a) {
  return a.value;
}
template <typename S>
void expect_same(const BodyT<S>& body, const BodyT<S>& reference, const contract::State<double>& state,
                 const std::vector<Wrench>& wrenches, double tolerance, const std::string& what) {
  const auto found = everything(body, state, wrenches), expected = everything(reference, state, wrenches);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    long double error = 0, size = 1e-30L, slope_error = 0, slope_size = 1e-30L;
    for (Eigen::Index j = 0; j < found[i].second.size(); ++j) {
      const S &a = found[i].second[j], &b = expected[i].second[j];
      error += std::abs(value_of(S(a - b)));
      size += std::abs(value_of(b));
      if constexpr (std::is_same_v<S, ForwardDual>) {
        for (int d = 0; d < k_forward_width; ++d) {
          slope_error += std::abs(a.derivative[d] - b.derivative[d]);
          slope_size += std::abs(b.derivative[d]);
        }
      }
    }
    EXPECT_LT(static_cast<double>(error / size), tolerance) << what << ": " << found[i].first;
    EXPECT_LT(static_cast<double>(slope_error / slope_size), tolerance) << what << ": slopes of " << found[i].first;
  }
}

/// @tparam S  scalar to compare in; with ForwardDual also the slopes in density, size and moduli.
template <typename S>
void compare_with_sums(double tolerance) {
  unsigned seed = 100;
  for (const VolumeMaterial& material : materials()) {
    for (const int n : {1, 3, 5, 12}) {
      Random random(++seed);
      PointParametersT<S> points = box_points().cast<S>();
      VolumeMaterialT<S> stuff = material.cast<S>();
      if constexpr (std::is_same_v<S, ForwardDual>) {
        points.density.derivative[0] = 1.0;
        for (Vector3T<S>& x : points.quadrature.points) x.x.derivative[1] = x.x.value;
        for (S& weight : points.quadrature.weights) weight.derivative[1] = weight.value;
        stuff.young_modulus.derivative[2] = 1.0, stuff.poisson_ratio.derivative[3] = 1.0, stuff.c1.derivative[2] = 1.0;
        if (stuff.lame_lambda) stuff.lame_lambda->derivative[4] = 1.0;
        if (stuff.damping_time) stuff.damping_time->derivative[5] = 1.0;
      }
      const auto kinematics = RitzKinematics(random_modes(n, random)).clone_as(ScalarTag<S>());
      VolumeBodyT<S> body(points, stuff, kinematics), sums(points, stuff, std::make_shared<Unsaid<S>>(kinematics));
      for (VolumeBodyT<S>* each : {&body, &sums}) {
        each->add_port(PortLocation{PortLocation::Kind::point, 0.0, {0.1, 0.2, 0.5}}.cast<S>());
        each->add_port(PortLocation{PortLocation::Kind::point, 0.0, {-0.2, 0.1, 0.8}}.cast<S>());
      }
      contract::Numbers numbers(seed);
      contract::State<double> state;
      state.q.resize(n), state.v.resize(n), state.a.resize(n);
      for (int k = 0; k < n; ++k) state.q[k] = 0.1 * numbers(), state.v[k] = numbers(), state.a[k] = numbers();
      state.V = numbers.twist(), state.A = numbers.twist();
      const std::vector<Wrench> wrenches{numbers.wrench(), numbers.wrench(), numbers.wrench()};
      expect_same<S>(body, sums, state, wrenches, tolerance,
                     "model " + std::to_string(static_cast<int>(material.model)) + ", n " + std::to_string(n));
    }
  }
}

// Moments and forms made once against sums over the points in the state. Differences cancel in the elastic energy.
TEST(LinearKinematicsTest, ConstantsAgreeWithSumsOverPoints) { compare_with_sums<double>(1e-13); }
TEST(LinearKinematicsTest, ConstantsAgreeWithSumsOverPointsInLongDouble) { compare_with_sums<long double>(1e-16); }
TEST(LinearKinematicsTest, ConstantsTakeTheParametersAlong) { compare_with_sums<ForwardDual>(1e-12); }

// Many coordinates and few points: sums over the points are cheaper than forms and are taken, from tables.
TEST(LinearKinematicsTest, ManyCoordinatesAgreeWithSumsOverPoints) {
  Random random(7);
  const int n = 24;
  PointParameters points = box_points();
  points.quadrature = box_quadrature<double>({0.5, 0.6, 0.9}, 3, 2, 2);
  const auto kinematics = std::make_shared<RitzKinematics>(random_modes(n, random));
  for (const VolumeMaterial& material : {materials()[0], materials()[2]}) {
    VolumeBody body(points, material, kinematics), sums(points, material, std::make_shared<Unsaid<double>>(kinematics));
    add_test_ports(body), add_test_ports(sums);
    contract::Numbers numbers(11);
    contract::State<double> state;
    state.q.resize(n), state.v.resize(n), state.a.resize(n);
    for (int k = 0; k < n; ++k) state.q[k] = 0.03 * numbers(), state.v[k] = numbers(), state.a[k] = numbers();
    state.V = numbers.twist(), state.A = numbers.twist();
    expect_same<double>(body, sums, state, std::vector<Wrench>(3, numbers.wrench()), 1e-13, "many coordinates");
  }
}

// A bar stretched by q: E = (s^2 - 1) / 2 with s = 1 + q, W = (lambda/2 + mu) E^2 per volume.
TEST(LinearKinematicsTest, StretchedBarOfClosedForm) {
  const VolumeMaterial material = materials()[0];
  const PointParameters points = box_points();
  const VolumeBody body(points, material,
                        std::make_shared<RitzKinematics>(std::vector<RitzMode>{{{{0, 0, 1}, {0.0, 0.0, 1.0}}}}));
  const double volume = 0.5 * 0.6 * 0.9, modulus = material.lambda() + 2.0 * material.shear_modulus();
  const double viscosity = 2.0 * *material.damping_time * material.shear_modulus();
  for (const double q : {-0.6, -0.1, 0.0, 0.4, 2.5}) {
    const double s = 1.0 + q, E = 0.5 * (s * s - 1.0), scale = volume * modulus;
    double force = 0.0, stiffness = 0.0, damping = 0.0;
    body.add_elastic_force(&q, &force);
    body.stiffness_matrix(&q, &stiffness);
    body.damping_matrix(&q, nullptr, &damping);
    EXPECT_NEAR(body.elastic_energy(&q), 0.5 * volume * modulus * E * E, 1e-13 * scale * (1 + E * E));
    EXPECT_NEAR(force, volume * modulus * E * s, 1e-13 * scale * (1 + E * E));
    EXPECT_NEAR(stiffness, volume * modulus * (s * s + E), 1e-13 * scale * (1 + E * E));
    EXPECT_NEAR(damping, volume * viscosity * s * s, 1e-13 * volume * viscosity * s * s);
  }
}

// det F = 1 + q x^2-like bending never folds however far it goes; where the bound does not decide, the points do.
TEST(LinearKinematicsTest, FoldingIsFoundAtThePoints) {
  const auto forward_fails = [](const VolumeBody& body, double q) {
    contract::Workspace<double> memory(body.workspace_size());
    std::vector<PortMotionT<double>> ports(body.port_count());
    BodyStateT<double> state;
    state.q = &q;
    double force = 0.0;
    int failures = 0;
    try {
      body.forward(MotionLevel::pose, state, memory.get(), ports.data());
    } catch (const ConfigurationError& error) {
      EXPECT_NE(std::string(error.what()).find("found det(df/dx) = "), std::string::npos) << error.what();
      ++failures;
    }
    try {
      body.add_elastic_force(&q, &force);
    } catch (const ConfigurationError&) {
      ++failures;
    }
    return failures;
  };
  for (const VolumeMaterial& material : materials()) {
    // x + q z: det F = 1 for every q
    const VolumeBody shear(box_points(), material,
                           std::make_shared<RitzKinematics>(std::vector<RitzMode>{{{{0, 0, 1}, {1.0, 0.0, 0.0}}}}));
    for (const double q : {0.5, -3.0, 40.0}) EXPECT_EQ(forward_fails(shear, q), 0) << q;
    // z + q x z: det F = 1 + q x, x below 0.25
    const VolumeBody squeeze(box_points(), material,
                             std::make_shared<RitzKinematics>(std::vector<RitzMode>{{{{1, 0, 1}, {0.0, 0.0, 1.0}}}}));
    double farthest = 0.0;
    for (const Vector3& x : box_points().quadrature.points) farthest = std::max(farthest, x.x);
    for (const double sign : {-1.0, 1.0}) {
      EXPECT_EQ(forward_fails(squeeze, sign * 0.999 / farthest), 0);
      EXPECT_EQ(forward_fails(squeeze, sign * 1.001 / farthest), 2);
    }
  }
}

TEST(LinearKinematicsTest, CoordinatesThatAreNotNumbersAreANamedError) {
  const VolumeBody body(box_points(), materials()[0],
                        std::make_shared<RitzKinematics>(std::vector<RitzMode>{{{{0, 0, 1}, {1.0, 0.0, 0.0}}}}));
  const double q = std::numeric_limits<double>::quiet_NaN();
  contract::Workspace<double> memory(body.workspace_size());
  std::vector<PortMotionT<double>> ports(body.port_count());
  BodyStateT<double> state;
  state.q = &q;
  try {
    body.forward(MotionLevel::pose, state, memory.get(), ports.data());
    FAIL() << "no error";
  } catch (const ConfigurationError& error) {
    EXPECT_NE(std::string(error.what()).find("found moments of the moved points that are not finite"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
