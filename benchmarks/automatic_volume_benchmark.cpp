// The body of [P] Simulation 1 through the automatic door: a user's own f and energy density, all else by
// differentiation, in packs of the width that this file is compiled for.
#include <benchmark/benchmark.h>

#include <cmath>

#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/bodies/point_body.h"
#include "cuttle/model/model.h"
#include "cuttle/spatial/exponential.h"
#include "helicoid_robot.h"
#include "random_state.h"

namespace cuttle::bench {
namespace {

constexpr int k_points = 2749;

/// The primitives of helicoid_kinematics() as somebody would write them down.
struct HandmadeHelicoid {
  static constexpr int coordinate_count = 8;
  static constexpr double L = 0.1;

  template <typename T>
  Vector3T<T> position(const Vector3T<T>& x, const T* q) const {
    using std::sqrt;
    const T t = x.z / T(L);
    // stretch
    const T slope = T(1.0) + q[0] * (T(1.0) - T(2.0) * t) / T(L), scale = T(1.0) / sqrt(slope);
    const T s = x.z + q[0] * t * (T(1.0) - t), u = s / T(L);
    // twist, shear
    T sine, cosine;
    sincos(q[1] * u, sine, cosine);
    const T x1 = scale * (cosine * x.x - sine * x.y) + q[2] * u, x2 = scale * (sine * x.x + cosine * x.y) + q[3] * u;
    // bend
    const T kx = (q[4] + q[5] * u) / T(L), ky = (q[6] + q[7] * u) / T(L);
    const T z = kx * x2 - ky * x1;
    T r = sqrt(T(2.0 / 3.0 / std::sqrt(3.0)) * (z + T(1.0 / std::sqrt(3.0))));
    const T target = T(2.0 / 3.0) * (z + T(1.0 / std::sqrt(3.0)));
    for (int i = 0; i < 8; ++i) {
      r = r - (r * r * (r + T(std::sqrt(3.0))) - target) / (r * (T(3.0) * r + T(2.0 * std::sqrt(3.0))));
    }
    const T rho = T(1.0) / (r + T(1.0 / std::sqrt(3.0)));
    return backbone(s, q + 4).act(Vector3T<T>{rho * x1, rho * x2, T(0.0)});
  }
  template <typename T>
  T energy_density(const Matrix3T<T>& F) const {
    return T(0.178e6) * (dot(F.row0, F.row0) + dot(F.row1, F.row1) + dot(F.row2, F.row2) - T(3.0));
  }
  template <typename T>
  T dissipation_density(const Matrix3T<T>& F, const Matrix3T<T>& F_rate) const {
    return viscous_dissipation_density(F, F_rate, T(2.0 * 0.178e6), T(0.025));
  }

 private:
  /// Four fourth-order Magnus steps.
  template <typename T>
  static PoseT<T> backbone(const T& s, const T* q) {
    constexpr int k_steps = 4;
    const T h = s / T(k_steps * 1.0), zero(0.0);
    PoseT<T> pose;
    for (int k = 0; k < k_steps; ++k) {
      const auto strain = [&](double fraction) {
        const T u = (T(k + fraction) * h) / T(L);
        return TwistT<T>{{(q[0] + q[1] * u) / T(L), (q[2] + q[3] * u) / T(L), zero}, {zero, zero, T(1.0)}};
      };
      const double offset = std::sqrt(3.0) / 6.0;
      const TwistT<T> a = strain(0.5 - offset), b = strain(0.5 + offset);
      pose = pose * exponential(T(0.5) * h * (a + b) + T(std::sqrt(3.0) / 12.0) * h * h * bracket(a, b));
    }
    return pose;
  }
};

using HostPack = Pack<k_host_lanes>;

void positions(benchmark::State& state) {
  const PointParameters points = scattered_points(k_points);
  const std::size_t blocks = block_count<double>(points.quadrature.points.size());
  std::vector<double> x(blocks * k_vector_block<double>), values(x.size());
  fill_blocks(points.quadrature.points.data(), points.quadrature.points.size(), x.data());
  const double q[8] = {0.001, 0.2, 0.001, -0.001, 0.3, 0.2, -0.4, 0.1};
  HostPack wide[8];
  std::copy(q, q + 8, wide);
  const HandmadeHelicoid body;
  for (auto _ : state) {
    for (int copy = 0; copy < 3; ++copy) {
      for (std::size_t block = 0; block < blocks; ++block) {
        for (int lane = 0; lane < k_point_lanes<double>; lane += Lanes<HostPack, double>::k_width) {
          const std::size_t at = block * k_vector_block<double> + lane;
          point::store_vector(values.data() + at, body.position(point::load_vector<HostPack>(x.data() + at), wide));
        }
      }
      benchmark::ClobberMemory();
    }
  }
}

void mass_inverse(benchmark::State& state) {
  Robot robot;
  PointParameters points = scattered_points(k_points);
  points.allow_folding = true;
  for (int i = 0; i < 3; ++i) {
    robot.links.push_back(
        {.name = "body" + std::to_string(i + 1), .body = std::make_shared<PointBody<HandmadeHelicoid>>(points)});
  }
  const Model model(robot);
  Data data(model);
  const MotionState at = random_state(model);
  const VectorXd q = 0.02 * at.q, v = 0.1 * at.v;
  for (auto _ : state) benchmark::DoNotOptimize(mass_inverse_dynamics(model, data, q, v, at.a).data());
}

BENCHMARK(positions)->Name("volume/automatic/positions");
BENCHMARK(mass_inverse)->Name("volume/automatic/mass_inverse_dynamics");

}  // namespace
}  // namespace cuttle::bench
