// All derivatives of shipped robots with soft volumes, by q, v and a in one call, and those of a point body from a
// user's f alone, against one inverse dynamics of the same robot near rest; and what fewer points of a volume save.
#include <benchmark/benchmark.h>

#include <string>

#include "cuttle/algorithms/derivatives.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/bodies/point_body.h"
#include "cuttle/io/robot_file.h"

namespace cuttle::bench {
namespace {

/// A cylinder that bends with constant curvature about x and y and stretches, as somebody writes it down.
struct BentCylinder {
  static constexpr int coordinate_count = 3;
  template <typename T>
  Vector3T<T> position(const Vector3T<T>& x, const T* q) const {
    using std::cos;
    using std::sin;
    const T s = x.z * (T(1.0) + q[2]);
    const T along_x = T(5.0) * q[0] * s, along_y = T(5.0) * q[1] * s;
    return {x.x * cos(along_x) + T(0.5) * along_x * s, x.y * cos(along_y) + T(0.5) * along_y * s,
            s - x.x * sin(along_x) - x.y * sin(along_y)};
  }
  template <typename T>
  T energy_density(const Matrix3T<T>& F) const {
    T sum(0.0);
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) sum += F(r, c) * F(r, c);
    }
    const T change = dot(F.column(0), cross(F.column(1), F.column(2))) - T(1.0);
    return T(2.0e4) * (sum - T(3.0) - T(2.0) * change) + T(1.0e5) * change * change;
  }
};

Robot point_body_robot() {
  Robot robot;
  robot.links.push_back({.name = "finger"});
  robot.links.back().body =
      std::make_shared<PointBodyT<double, BentCylinder>>(point_cylinder(0.2, 0.02, 1000.0, 8, 2, 6));
  return robot;
}

Robot robot_of(const std::string& file, const Overrides& set) {
  return file.empty() ? point_body_robot() : read_robot_file(CUTTLE_BENCH_MODELS "/" + file, set);
}

struct Setup {
  explicit Setup(const std::string& file, const Overrides& set = {})
      : model(robot_of(file, set)), data(model), derivatives(model), q(model.neutral()) {
    v.resize(model.nv()), a.resize(model.nv());
    for (int i = 0; i < model.nv(); ++i) v[i] = 0.02 * ((i * 7) % 5 - 2), a[i] = 0.1 * ((i * 3) % 7 - 3);
  }
  Model model;
  Data data;
  DerivativeData derivatives;
  VectorXd q, v, a;
};

void inverse(benchmark::State& state, const std::string& file) {
  Setup s(file);
  for (auto _ : state) benchmark::DoNotOptimize(inverse_dynamics(s.model, s.data, s.q, s.v, s.a).data());
}

void mass_inverse(benchmark::State& state, const std::string& file, const Overrides& set) {
  Setup s(file, set);
  for (auto _ : state) benchmark::DoNotOptimize(mass_inverse_dynamics(s.model, s.data, s.q, s.v, s.a).data());
}

void all_derivatives(benchmark::State& state, const std::string& file) {
  Setup s(file);
  for (auto _ : state) {
    inverse_dynamics_derivatives(s.model, s.data, s.derivatives, s.q, s.v, s.a);
    benchmark::DoNotOptimize(s.derivatives.by_q.data());
  }
  state.counters["nv"] = s.model.nv();
}

const bool k_added = [] {
  struct Case {
    const char *name, *file;
  };
  for (const Case& robot : {Case{"simulation1", "pustina2025/simulation1.yaml"},
                            {"simulation2", "pustina2025/simulation2.yaml"},
                            {"simulation4", "pustina2025/simulation4.yaml"},
                            {"lvp_finger", "examples/lvp_finger.yaml"},
                            {"neural_arm", "examples/neural_arm.yaml"},
                            {"fem_finger", "examples/fem_finger.yaml"},
                            {"fem_beam", "examples/fem_beam.yaml"},
                            {"ritz_block", "examples/ritz_block.yaml"},
                            {"point_body", ""}}) {
    const std::string name = std::string("shipped/") + robot.name;
    const std::string file = robot.file;
    benchmark::RegisterBenchmark((name + "/inverse_dynamics").c_str(),
                                 [file](benchmark::State& state) { inverse(state, file); });
    benchmark::RegisterBenchmark((name + "/derivatives").c_str(),
                                 [file](benchmark::State& state) { all_derivatives(state, file); });
  }
  // all points of the bodies, and those that an error of 1e-4 needs
  const std::string file = "pustina2025/simulation1.yaml";
  Overrides reduced;
  for (const char* body : {"body1", "body2", "body3"}) {
    reduced.push_back(std::string("robot.links.") + body + ".body.quadrature.reduce=1.0e-4");
  }
  benchmark::RegisterBenchmark("shipped/simulation1/mass_inverse_dynamics",
                               [file](benchmark::State& state) { mass_inverse(state, file, {}); });
  benchmark::RegisterBenchmark("shipped/simulation1_reduced/mass_inverse_dynamics",
                               [file, reduced](benchmark::State& state) { mass_inverse(state, file, reduced); });
  return true;
}();

}  // namespace
}  // namespace cuttle::bench
