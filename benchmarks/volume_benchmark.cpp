// Soft volumes: a body of [P] Simulation 1 (eight coordinates, 2,749 points) in packs against the same code point by
// point; the three-body robot against f alone; cost per point and per body.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdlib>
#include <numbers>

#include "bodies/volume/lvp/lvp_sweep.h"
#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/bodies/ritz_kinematics.h"
#include "helicoid_robot.h"
#include "random_state.h"

namespace cuttle::bench {
namespace {

constexpr int k_points = 2749;

/// Everything that a body computes of its points for mass_inverse_dynamics, with given kernels.
class BodyTerms {
 public:
  using Kernels = KinematicsKernelsT<double, LvpParameters>;
  explicit BodyTerms(int points) : parameters_(helicoid_kinematics()), points_(scattered_points(points)) {
    const QuadratureT<double>& rule = points_.quadrature;
    const std::size_t blocks = block_count<double>(rule.points.size());
    x_.resize(blocks * k_vector_block<double>);
    fill_blocks(rule.points.data(), rule.points.size(), x_.data());
    mass_.resize(blocks * k_point_lanes<double>);
    std::copy(rule.weights.begin(), rule.weights.end(), mass_.begin());
    table_ = {x_.data(), mass_.data(), mass_.data(), blocks, n};
    motions_.resize(PointMotionsT<double>::size(blocks, n));
    F_.resize(k_gradient_blocks * k_point_lanes<double> * 9);
    slopes_.resize(F_.size() * n);
  }

  void evaluate(const Kernels& kernels, const PointSums<double>& sums) {
    scratch_.resize(kernels.scratch_size(parameters_) / 64 + 1);
    const double q[n] = {0.001, 0.2, 0.001, -0.001, 0.3, 0.2, -0.4, 0.1};
    const double v[n] = {0.01, 1.0, 0.02, -0.01, 0.3, 0.2, 0.1, 0.4};
    const double viscosity = 100.0;
    const PointMotionsT<double> motions(motions_.data(), n);
    BodyStateT<double> state;
    state.q = q, state.v = v, state.a = v;
    kernels.move(parameters_, {MotionLevel::acceleration, q, v}, x_.data(), table_.blocks, motions, scratch_.data());
    sums.complete(table_, MotionLevel::acceleration, v, v, motions);
    WrenchT<double> wrench;
    double force[n] = {}, mass[n * n] = {}, coupling[6 * n] = {};
    sums.add_inertial_forces(table_, state, motions, wrench, force);
    InertiaBlocksT<double> inertia{mass, coupling, {}};
    sums.add_inertia_blocks(table_, motions, inertia);
    const VolumeMaterial material = helicoid_material();
    const auto use = [&](std::size_t first, std::size_t count) {
      const PointTable<double> part = table_.part(first, count);
      sums.add_elastic_force(part, material, {F_.data(), slopes_.data()}, force);
      sums.add_damping_force(part, viscosity, {F_.data(), slopes_.data()}, v, force);
    };
    kernels.gradients(parameters_, q, nullptr, x_.data(), table_.blocks, {F_.data(), slopes_.data()}, GradientUse(use),
                      scratch_.data());
    benchmark::DoNotOptimize(force);
    benchmark::DoNotOptimize(mass);
  }

 private:
  static constexpr int n = 8;
  struct alignas(64) Line {
    char bytes[64];
  };
  LvpParameters parameters_;
  PointParameters points_;
  std::vector<double> x_, mass_, motions_, F_, slopes_;
  std::vector<Line> scratch_;
  PointTable<double> table_;
};

std::shared_ptr<const LvpKinematics> kinematics() {
  return std::make_shared<const LvpKinematics>(helicoid_kinematics());
}

void terms_packed(benchmark::State& state) {
  BodyTerms terms(k_points);
  const BodyTerms::Kernels& kernels = kinematics()->kernels();
  for (auto _ : state) terms.evaluate(kernels, point_sums<double>());
}
void terms_scalar(benchmark::State& state) {
  BodyTerms terms(k_points);
  using Scalar = KinematicsKernelsOf<LvpSweep, LvpParameters, double, double>;
  for (auto _ : state) terms.evaluate(Scalar::k_table, point::k_sums<double, double>);
}

/// f alone at the points of all bodies, in the same packs.
void positions(benchmark::State& state) {
  const int points = static_cast<int>(state.range(0));
  const auto lvp = kinematics();
  const PointParameters parameters = scattered_points(points);
  const std::size_t blocks = block_count<double>(static_cast<std::size_t>(points));
  std::vector<double> x(blocks * k_vector_block<double>), memory(PointMotionsT<double>::size(blocks, 8));
  fill_blocks(parameters.quadrature.points.data(), parameters.quadrature.points.size(), x.data());
  void* scratch = std::aligned_alloc(64, (lvp->scratch_size() + 63) / 64 * 64);
  const double q[8] = {0.001, 0.2, 0.001, -0.001, 0.3, 0.2, -0.4, 0.1};
  const PointMotionsT<double> motions(memory.data(), 8);
  for (auto _ : state) {
    for (int body = 0; body < 3; ++body) {
      lvp->move({MotionLevel::pose, q, nullptr, false}, x.data(), blocks, motions, scratch);
      benchmark::ClobberMemory();
    }
  }
  std::free(scratch);
}

/// A state of small size, in which no body folds.
MotionState small_state(const Model& model) {
  MotionState state = random_state(model);
  state.q *= 0.02, state.v *= 0.1, state.a *= 0.1;
  return state;
}

template <typename Algorithm>
void robot_benchmark(benchmark::State& state, int bodies, int points, const Algorithm& algorithm) {
  const Model model = helicoid_robot(bodies, points, kinematics());
  Data data(model);
  const MotionState at = small_state(model);
  for (auto _ : state) algorithm(model, data, at);
  state.counters["per_body"] =
      benchmark::Counter(bodies, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  state.counters["per_point"] =
      benchmark::Counter(bodies * points, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
const auto k_mass_inverse = [](const Model& model, Data& data, const MotionState& at) {
  benchmark::DoNotOptimize(mass_inverse_dynamics(model, data, at.q, at.v, at.a).data());
};
const auto k_inverse = [](const Model& model, Data& data, const MotionState& at) {
  benchmark::DoNotOptimize(inverse_dynamics(model, data, at.q, at.v, at.a).data());
};

void robot_mass_inverse(benchmark::State& state) {
  robot_benchmark(state, 3, static_cast<int>(state.range(0)), k_mass_inverse);
}
void robot_inverse(benchmark::State& state) {
  robot_benchmark(state, static_cast<int>(state.range(0)), 500, k_inverse);
}

/// A body whose kinematics are linear in its eight coordinates, of a material whose energy is a polynomial of them.
void linear_mass_inverse(benchmark::State& state) {
  std::vector<RitzMode> modes;
  for (int k = 0; k < 8; ++k) {
    modes.push_back({{{k % 2, k / 2 % 2, 1 + k % 3}, {1.0, 0.5 * k, -0.3}}, {{0, 0, 2}, {0.2 * k, 1.0, 0.1}}});
  }
  VolumeMaterial material;
  material.model = VolumeMaterial::Model::st_venant_kirchhoff;
  material.young_modulus = 1e6, material.poisson_ratio = 0.3, material.damping_time = 0.02;
  Robot robot;
  robot.links.push_back(
      {.name = "body",
       .body = std::make_shared<VolumeBody>(scattered_points(static_cast<int>(state.range(0))), material,
                                            std::make_shared<const RitzKinematics>(RitzParameters(modes)))});
  const Model model(robot);
  Data data(model);
  const MotionState at = small_state(model);
  for (auto _ : state) k_mass_inverse(model, data, at);
}

void tendon_matrix(benchmark::State& state) {
  constexpr int k_corners = 6;
  Robot robot = helicoid_description(3, 500, kinematics());
  for (int i = 0; i < 9; ++i) {
    Routing path;
    path.link = "body" + std::to_string(i / 3 + 1);
    const double angle = 2.0 * std::numbers::pi * (i % 3) / 3.0;
    for (int k = 0; k < k_corners; ++k) {
      path.points.push_back({0.02 * std::cos(angle), 0.02 * std::sin(angle), 0.1 * k / (k_corners - 1.0)});
    }
    robot.actuators.push_back(Actuator::tendon("tendon" + std::to_string(i), {path}));
  }
  const Model model(robot);
  Data data(model);
  const MotionState at = small_state(model);
  for (auto _ : state) benchmark::DoNotOptimize(actuation_matrix(model, data, at.q).data());
}

BENCHMARK(terms_packed)->Name("volume/terms/packed");
BENCHMARK(terms_scalar)->Name("volume/terms/scalar");
BENCHMARK(positions)->Name("volume/positions")->Arg(k_points);
BENCHMARK(robot_mass_inverse)->Name("volume/mass_inverse_dynamics")->Arg(500)->Arg(k_points)->Arg(4 * k_points);
BENCHMARK(robot_inverse)->Name("volume/inverse_dynamics")->Arg(1)->Arg(3)->Arg(10)->Arg(30);
BENCHMARK(linear_mass_inverse)->Name("volume/linear/mass_inverse_dynamics")->Arg(1000)->Arg(100000);
BENCHMARK(tendon_matrix)->Name("volume/actuation_matrix");

}  // namespace
}  // namespace cuttle::bench
