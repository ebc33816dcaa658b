// All derivatives of one rod's inverse dynamics, by q, v and a, against inverse dynamics of the same rod. 3
// coordinates: pcc; 6, 12: all six components constant, linear; 9, 20: bending and twist, and stretch too,
// by Legendre polynomials.
#include <benchmark/benchmark.h>

#include <memory>
#include <vector>

#include "cuttle/bodies/rod_body.h"
#include "soft_rod.h"

namespace cuttle::bench {
namespace {

std::array<std::optional<StrainBasis>, 6> strain(int coordinates) {
  if (coordinates == 3) return strain_shorthand<double>("pcc", 0.3);
  if (coordinates % 6 == 0) return full_strain(coordinates / 6 - 1);
  std::array<std::optional<StrainBasis>, 6> strain;
  const int components = coordinates % 4 == 0 ? 4 : 3;
  const StrainBasis basis = StrainBasis::of_order(StrainBasis::Kind::legendre, coordinates / components - 1);
  for (const int c : {kappa_x, kappa_y, kappa_z}) strain[c] = basis;
  if (components == 4) strain[sigma_z] = basis;
  return strain;
}

/// One rod with a rigid body at its tip, and memory for every call.
class Rod {
 public:
  explicit Rod(const benchmark::State& state)
      : n_(static_cast<int>(state.range(0))),
        body_(tapered_rod(strain(n_), static_cast<int>(state.range(1)))),
        q_(n_),
        v_(n_),
        a_(n_),
        force_(n_),
        twists_(18 * n_),
        matrices_(3 * n_ * n_ + 24 * n_) {
    const WorkspaceSize size = body_.workspace_size();
    persistent_.resize(size.persistent + 8), scratch_.resize(size.scratch + 8);
    memory_.resize(body_.tangent()->tangent_memory_size() + 8);
    workspace_ = {aligned(persistent_), aligned(scratch_), nullptr};
    for (int i = 0; i < n_; ++i) q_[i] = 0.3 / (1 + i), v_[i] = 0.2 - 0.01 * i, a_[i] = 0.5 - 0.1 * i;
    given_ = {q_.data(), v_.data(), a_.data(), {{0.1, 0.2, 0.3}, {0.3, 0.2, 0.1}}, {{0.3, 0.1, 0.2}, {0, 0, 9.81}}};
    tip_.inertia = SpatialInertia::from_com(0.1, {0, 0, 0.02}, SymmetricMatrix3::diagonal(1e-4, 1e-4, 1e-4));
  }

  double inverse_dynamics() {
    body_.forward(MotionLevel::acceleration, given_, workspace_, &motion_);
    const Wrench wrench = tip_.inertia * motion_.acceleration;
    body_.backward(given_, &wrench, workspace_, base_, force_.data());
    return force_[0];
  }
  void outward() {
    const PortTangent port{twists_.data(), twists_.data() + 6 * n_, twists_.data() + 12 * n_};
    body_.tangent()->tangent_outward(given_, workspace_, aligned(memory_), &port);
  }
  double inward() {
    double* at = matrices_.data();
    const auto next = [&](int rows) {
      double* const matrix = at;
      at += rows * n_;
      return matrix;
    };
    BodyDerivativesT<double> result;
    result.force_by_q = next(n_), result.force_by_v = next(n_), result.mass = next(n_);
    result.base_by_q = next(6), result.base_by_v = next(6), result.coupling = next(6);
    result.rate = next(3), result.turn = next(3);
    body_.tangent()->tangent_inward(given_, &tip_, workspace_, aligned(memory_), result);
    return result.force_by_q[0];
  }

 private:
  using PortTangent = PortTangentT<double>;
  static double* aligned(std::vector<double>& memory) {
    void* start = memory.data();
    std::size_t space = memory.size() * sizeof(double);
    return static_cast<double*>(std::align(64, 8, start, space));
  }

  int n_;
  RodBody body_;
  std::vector<double> q_, v_, a_, force_, twists_, matrices_, persistent_, scratch_, memory_;
  WorkspaceT<double> workspace_;
  BodyStateT<double> given_;
  PortMotionT<double> motion_;
  Wrench base_;
  CompositeT<double> tip_;
};

void rod_inverse(benchmark::State& state) {
  Rod rod(state);
  for (auto _ : state) benchmark::DoNotOptimize(rod.inverse_dynamics());
}

void rod_outward(benchmark::State& state) {
  Rod rod(state);
  rod.inverse_dynamics();
  for (auto _ : state) {
    rod.outward();
    benchmark::ClobberMemory();
  }
}

void rod_derivatives(benchmark::State& state) {
  Rod rod(state);
  rod.inverse_dynamics();
  for (auto _ : state) {
    rod.outward();
    benchmark::DoNotOptimize(rod.inward());
  }
}

void sizes(benchmark::internal::Benchmark* benchmark) {
  for (const int points : {10, 20}) {
    for (const int coordinates : {3, 6, 9, 12, 20}) benchmark->Args({coordinates, points});
  }
}

BENCHMARK(rod_inverse)->Name("tangent/rod/inverse_dynamics")->Apply(sizes);
BENCHMARK(rod_outward)->Name("tangent/rod/outward")->Apply(sizes);
BENCHMARK(rod_derivatives)->Name("tangent/rod/derivatives")->Apply(sizes);

}  // namespace
}  // namespace cuttle::bench
