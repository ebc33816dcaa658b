#include "cuttle/bodies/rod_refinement.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "bodies/rod_discretization.h"
#include "cuttle/spatial/logarithm.h"

namespace cuttle {

namespace {

/// Tip pose and mass matrix of one rod, with the memory that it takes to compute them.
class RodShape {
 public:
  explicit RodShape(const RodParameters& parameters)
      : rod_(parameters),
        n_(rod_.coordinate_count()),
        persistent_(rod_.workspace_size().persistent),
        scratch_(rod_.workspace_size().scratch),
        mass_(static_cast<std::size_t>(n_) * n_ + 1),
        coupling_(6 * static_cast<std::size_t>(n_) + 1),
        ports_(rod_.port_count()) {}

  void set(const std::vector<double>& q) {
    const Workspace workspace{persistent_.data(), scratch_.data(), nullptr};
    BodyStateT<double> state;
    state.q = q.data();
    rod_.forward(MotionLevel::pose, state, workspace, ports_.data());
    InertiaBlocksT<double> blocks{mass_.data(), coupling_.data(), {}};
    rod_.inertia_blocks(state, workspace, blocks);
  }
  const Pose& tip() const { return ports_.front().base_port; }
  double mass(int i, int j) const { return mass_[static_cast<std::size_t>(i) * n_ + j]; }

 private:
  using Workspace = WorkspaceT<double>;
  RodBody rod_;
  int n_;
  std::vector<double> persistent_, scratch_, mass_, coupling_;
  std::vector<PortMotionT<double>> ports_;
};

/// max that takes what is no number for infinite
void raise(double& largest, double value) {
  largest = std::isfinite(value) ? std::max(largest, value) : std::numeric_limits<double>::infinity();
}

}  // namespace

double RodDiscretizationError::largest() const { return std::max({mass_matrix, tip_position, tip_rotation}); }

RodDiscretizationError estimate_discretization_error(const RodBody& rod) {
  const double L = rod.parameters().length;
  std::vector<double> unit, amplitude;  // of each coordinate: what it counts as in M, how far it goes
  for (const CoordinateInfo& coordinate : rod.coordinates()) {
    const bool angle = coordinate.unit == "rad";
    unit.push_back(angle ? 1.0 : L), amplitude.push_back(angle ? 1.0 : 0.1 * L);
  }
  const int n = rod.coordinate_count();
  RodParameters few = rod.parameters(), many = few;
  if (2 * few.sections <= k_most_sections) {
    many.sections *= 2;
  } else {
    few.sections /= 2;
  }
  RodShape coarse(few), fine(many);

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

std::optional<int> sections_for_error(const RodBody& rod, double tolerance) {
  RodParameters parameters = rod.parameters();
  while (true) {
    const double error = estimate_discretization_error(RodBody(parameters)).largest();
    if (error <= tolerance) return parameters.sections;
    if (parameters.sections == k_most_sections) return std::nullopt;
    const double promised = std::ceil(parameters.sections * std::pow(error / tolerance, 0.25));
    const double next = std::max(promised, parameters.sections + 1.0);
    parameters.sections = static_cast<int>(std::min(next, static_cast<double>(k_most_sections)));
  }
}

}  // namespace cuttle
