#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "algorithms/balance_displacement.h"
#include "cuttle/algorithms/compliance.h"
#include "cuttle/algorithms/equation_of_motion.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/spatial/exponential.h"
#include "model/check_argument.h"

// Bristles of a robot that begins. A displacement dx of the robot loads each by the way of its site, cut at its cone:
// `(eps M + K) dx - sum B cut(A dx) = -rest`, where `M a + rest = 0` without bristles and K is the stiffness of the
// sites' normal forces, which take what is out of balance along the normals. What nothing holds moves far: eps M stands
// for it, so that there is always one answer, and only the direction of such a way counts. Where the cones cut, their
// secants are iterated.

namespace cuttle {
namespace {

constexpr double k_free = 1e-9;                         // of the stiffness of bristles: eps M
constexpr double k_sliding_time = 1e-3;                 // s: who slides through a bristle in less, slides
constexpr double k_short_way = 1e-7, k_long_way = 0.1;  // m, of bristles
constexpr double k_beyond = 0.25;  // part of a way that a cone leaves, from where on its direction counts alone
constexpr double k_cut = 1e-6, k_settled = 1e-10;  // relative
constexpr int k_most_balance_iterations = 200;
constexpr double k_least_part = 1e-12;  // of a way that a cone leaves

/// Loads a bristle by a displacement x. @return the part of x that its cone lets it take.
double load(const Sites& sites, double time, const VectorXd& x, Bristle& bristle) {
  const SitePlace& place = *bristle.place;
  const double norm = x.norm();
  const FrameMotionT<double>* motion = sites.motion(place);
  double states[4] = {}, length = std::min(norm, k_short_way), found = 0.0;
  while (true) {
    const VectorXd zeta = bristle.to_frames * (norm > 0.0 ? VectorXd((length / norm) * x) : x);
    Pose start[k_most_site_frames];
    for (int k = 0; k < place.frame_count; ++k) {
      Twist back;
      for (int r = 0; r < 6; ++r) back[r] = -zeta[6 * k + r];
      start[k] = motion[k].pose * exponential(back);
    }
    sites.law(place).rest_states(place.site, time, start, motion, states);
    bristle.states = Eigen::Map<const VectorXd>(states, place.state_count);
    // states that do not follow the motion are no way
    found = 0.0;
    for (int r = 0; r < place.state_count; ++r) {
      if (!bristle.way.row(r).isZero(0.0)) found = std::hypot(found, states[r]);
    }
    if (norm == 0.0) return 1.0;
    if (length == norm || length >= k_long_way || found < k_beyond * length) return found / norm;
    length = std::min(4.0 * length, norm);
  }
}

/// Slope of a site's wrenches by the motion of its frames along what it presses: of rank 1, never positive. The whole
/// slope turns forces with their frames too. That would tell of motions as long as those of what nothing holds.
MatrixXd along_pressure(const Sites& sites, double time, const SitePlace& place, const SiteSlopesT<double>& slopes) {
  const int n = 6 * place.frame_count;
  FrameMotionT<double> still[k_most_site_frames];
  for (int k = 0; k < place.frame_count; ++k) still[k].pose = sites.motion(place)[k].pose;
  const double none[4] = {};
  SiteActionT<double> action;
  sites.law(place).evaluate(place.site, time, still, none, action);
  VectorXd pressed(n);
  for (int k = 0; k < place.frame_count; ++k) {
    for (int i = 0; i < 6; ++i) pressed[6 * k + i] = action.wrench[static_cast<std::size_t>(k)][i];
  }
  const double size = pressed.squaredNorm(), along = pressed.dot(slopes.by_pose.topLeftCorner(n, n) * pressed);
  if (!(size > 0.0) || !(along < 0.0)) return MatrixXd::Zero(n, n);
  return along / (size * size) * pressed * pressed.transpose();
}

}  // namespace

void EquationOfMotion::begin_in_balance(const Instant& at, VectorOutT<double> states) {
  if (!sites_) return;
  VectorXd unloaded = at.states;
  layout_.sites_of(unloaded).setZero();
  layout_.sites_of(states).setZero();
  const Instant start{at.time, at.q, at.v, at.u, unloaded};
  const Sites& sites = *sites_;
  read_loads(at.time);
  solve_states(start, data_.zero);
  const bool rubs = std::any_of(sites.active().begin(), sites.active().end(), [&](int index) {
    return sites.places()[static_cast<std::size_t>(index)].state_count > 0;
  });
  if (!rubs) return;
  std::unique_ptr<BalanceDisplacement> displacement;
  VectorXd rest;
  const bool large = !takes_matrices(*model_);
  if (large && follows_tree()) {
    find_forces(start);
    collect_acting();
    rest = inverse_dynamics<double>(*model_, data_, at.q, at.v, data_.zero, acting_) - tau_;
    displacement = std::make_unique<TreeDisplacement>(*this, start);
  } else {
    require_few_coordinates(*model_, "a start at which friction acts");
    MatrixXd M;
    mass_and_rest(start, M, rest);
    displacement = std::make_unique<DenseDisplacement>(*this, at.q, std::move(M));
  }
  std::vector<NormalStiffness> normals;
  std::vector<Bristle> bristles;
  for (const int index : sites.active()) {
    const SitePlace& place = sites.places()[index];
    const int m = place.state_count, n = 6 * place.frame_count;
    SiteSlopesT<double> slopes;
    const double none[4] = {};
    sites.law(place).slopes(place.site, at.time, sites.motion(place), none, slopes);
    normals.push_back({&place, slopes.by_pose.topLeftCorner(n, n)});
    if (large) normals.back().by_pose = along_pressure(sites, at.time, place, slopes);
    if (m == 0) continue;
    SiteSlopesT<double>::StatesByPose way;
    sites.stick(place, way);
    const MatrixXd of_frames = way.topLeftCorner(m, n);
    const MatrixXd J = site_jacobian(*this, at.q, place), by_state = slopes.by_state.topLeftCorner(n, m);
    Bristle bristle;
    bristle.place = &place;
    bristle.of_frames = of_frames, bristle.on_frames = by_state;
    bristle.way = of_frames * J;
    bristle.force = J.transpose() * by_state;
    bristle.to_frames = of_frames.completeOrthogonalDecomposition().pseudoInverse();
    SiteActionT<double> action;
    sites.law(place).evaluate(place.site, at.time, sites.motion(place), none, action);
    VectorXd slip(m);
    for (int r = 0; r < m; ++r) slip[r] = bristle.way.row(r).isZero(0.0) ? 0.0 : k_sliding_time * action.rates[r];
    bristle.slides = load(sites, at.time, slip, bristle) < 1.0 - k_cut;
    bristles.push_back(std::move(bristle));
  }
  VectorXd pull = -rest;
  for (const Bristle& bristle : bristles) {
    if (bristle.slides) pull += bristle.force * bristle.states;
  }
  double of_bristles = 0.0;  // their stiffness against inertia
  for (const Bristle& bristle : bristles) {
    of_bristles = std::max(of_bristles, displacement->stiffness_beside_inertia(bristle));
  }
  for (int iteration = 0; iteration < k_most_balance_iterations; ++iteration) {
    const VectorXd dx = displacement->solve(normals, bristles, k_free * of_bristles, pull);
    double change = 0.0, size = 0.0;
    for (Bristle& bristle : bristles) {
      if (bristle.slides) continue;
      const VectorXd before = bristle.states;
      bristle.part = std::max(load(sites, at.time, bristle.way * dx, bristle), k_least_part);
      change = std::max(change, (bristle.states - before).cwiseAbs().maxCoeff());
      size = std::max(size, bristle.states.cwiseAbs().maxCoeff());
    }
    if (change <= k_settled * size) break;
  }
  for (const Bristle& bristle : bristles) {
    layout_.sites_of(states).segment(bristle.place->state, bristle.place->state_count) = bristle.states;
  }
}

}  // namespace cuttle
