#include "cuttle/bodies/rod_refinement.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "bodies/rod/rod_discretization.h"
#include "cuttle/error.h"
#include "cuttle/spatial/logarithm.h"

namespace cuttle {

namespace {

/// Tip pose and mass matrix of one rod, with the memory that it takes to compute them.
class RodShape {
 public:
  explicit RodShape(std::unique_ptr<Body> rod)
      : rod_(std::move(rod)),
        n_(rod_->coordinate_count()),
        persistent_(rod_->workspace_size().persistent + k_alignment),
        scratch_(rod_->workspace_size().scratch + k_alignment),
        mass_(static_cast<std::size_t>(n_) * n_ + 1),
        coupling_(6 * static_cast<std::size_t>(n_) + 1),
        ports_(rod_->port_count()) {}

  void set(const std::vector<double>& q) {
    const Workspace workspace{aligned(persistent_), aligned(scratch_), nullptr};
    BodyStateT<double> state;
    state.q = q.data();
    rod_->forward(MotionLevel::pose, state, workspace, ports_.data());
    InertiaBlocksT<double> blocks{mass_.data(), coupling_.data(), {}};
    rod_->inertia_blocks(state, workspace, blocks);
  }
  const Pose& tip() const { return ports_.front().base_port; }
  double mass(int i, int j) const { return mass_[static_cast<std::size_t>(i) * n_ + j]; }

 private:
  using Workspace = WorkspaceT<double>;
  static constexpr std::size_t k_alignment = 64 / sizeof(double);
  static double* aligned(std::vector<double>& memory) {
    void* at = memory.data();
    std::size_t space = memory.size() * sizeof(double);
    return static_cast<double*>(std::align(64, space - 64, at, space));
  }
  std::unique_ptr<Body> rod_;
  int n_;
  std::vector<double> persistent_, scratch_, mass_, coupling_;
  std::vector<PortMotionT<double>> ports_;
};

std::unique_ptr<Body> with_points(const Body& rod, int count) {
  const SlenderT<double>* slender = rod.slender();
  std::unique_ptr<Body> other = slender != nullptr ? slender->with_quadrature_points(count) : nullptr;
  if (other) return other;
  throw ArgumentError("estimate_discretization_error: found a " + rod.type_name() +
                      ", expected a body whose points can be chosen, as a rod");
}

/// max that takes what is no number for infinite
void raise(double& largest, double value) {
  largest = std::isfinite(value) ? std::max(largest, value) : std::numeric_limits<double>::infinity();
}

}  // namespace

double RodDiscretizationError::largest() const { return std::max({mass_matrix, tip_position, tip_rotation}); }

RodDiscretizationError estimate_discretization_error(const Body& rod) {
  const int points = rod.slender() != nullptr ? rod.slender()->quadrature_points() : 1;
  const bool doubles = 2 * points <= k_most_quadrature_points;
  RodShape coarse(with_points(rod, doubles ? points : points / 2));
  RodShape fine(with_points(rod, doubles ? 2 * points : points));
  const double L = rod.slender()->length();
  std::vector<double> unit, amplitude;  // of each coordinate: what it counts as in M, how far it goes
  for (const CoordinateInfo& coordinate : rod.coordinates()) {
    const bool angle = coordinate.unit == "rad";
    unit.push_back(angle ? 1.0 : L), amplitude.push_back(angle ? 1.0 : 0.1 * L);
  }
  const int n = rod.coordinate_count();

  // a thread without rotary inertia does not resist its torsion but for this
  const double rounding = std::numeric_limits<double>::epsilon() * rod.rest_inertia().mass * L * L;
  RodDiscretizationError error;
  std::vector<double> q(n + 1, 0.0);  // one more, so that the memory exists for a rod without coordinates
  for (int moved = -1; moved < n; ++moved) {
    if (moved >= 0) q[moved] = amplitude[moved];
    coarse.set(q), fine.set(q);
    if (moved >= 0) q[moved] = 0.0;
    double change = 0.0, size = 0.0;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        const double scale = unit[i] * unit[j];
        const double entry = scale * fine.mass(i, j), difference = entry - scale * coarse.mass(i, j);
        change += difference * difference, size += entry * entry;
      }
    }
    if (!(std::sqrt(size) <= rounding)) raise(error.mass_matrix, std::sqrt(change / size));
    const Pose coarse_fine = coarse.tip().inverse() * fine.tip();
    raise(error.tip_position, norm(coarse_fine.position) / L);
    raise(error.tip_rotation, norm(rotation_logarithm(coarse_fine.rotation)));
  }
  return error;
}

std::optional<int> quadrature_points_for_error(const Body& rod, double tolerance) {
  std::unique_ptr<Body> changed;
  while (true) {
    const Body& tried = changed ? *changed : rod;
    const double error = estimate_discretization_error(tried).largest();
    const int points = tried.slender()->quadrature_points();
    if (error <= tolerance) return points;
    if (points >= k_most_quadrature_points) return std::nullopt;
    const double promised = std::ceil(points * std::pow(error / tolerance, 0.25));
    const double next = std::max(promised, points + 1.0);
    changed = with_points(rod, static_cast<int>(std::min(next, static_cast<double>(k_most_quadrature_points))));
  }
}

}  // namespace cuttle
