#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <vector>

#include "cuttle/algorithms/equation_of_motion.h"
#include "cuttle/algorithms/kinematics.h"
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

/// A site's bristle: how it follows the robot, and what it does to it.
struct Bristle {
  const SitePlace* place;
  MatrixXd way;        ///< A: displacement of the bristle by the robot's, states x nv
  MatrixXd force;      ///< B: generalized force by states, nv x states
  MatrixXd to_frames;  ///< a motion of the frames that displaces the bristle so, 6 frames x states
  VectorXd states;
  bool slides = false;
};

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

}  // namespace

void EquationOfMotion::begin_in_balance(const Instant& at, VectorOutT<double> states) {
  if (!sites_) return;
  VectorXd unloaded = at.states;
  layout_.sites_of(unloaded).setZero();
  layout_.sites_of(states).setZero();
  const int nv = model_->nv();
  const Instant start{at.time, at.q, at.v, at.u, unloaded};
  const Sites& sites = *sites_;
  read_loads(at.time);
  solve_states(start, data_.zero);
  const bool rubs = std::any_of(sites.active().begin(), sites.active().end(), [&](int index) {
    return sites.places()[static_cast<std::size_t>(index)].state_count > 0;
  });
  if (!rubs) return;
  require_few_coordinates(*model_, "a start at which friction acts");
  MatrixXd M;
  VectorXd rest;
  mass_and_rest(start, M, rest);
  std::vector<Bristle> bristles;
  MatrixXd normal_stiffness = MatrixXd::Zero(nv, nv);
  for (const int index : sites.active()) {
    const SitePlace& place = sites.places()[index];
    const int m = place.state_count, n = 6 * place.frame_count;
    MatrixXd J(n, nv);
    for (int k = 0; k < place.frame_count; ++k) {
      J.middleRows(6 * k, 6) = frame_jacobian<double>(*model_, data_, at.q, sites.frame(place.frame[k]));
    }
    SiteSlopesT<double> slopes;
    const double none[4] = {};
    sites.law(place).slopes(place.site, at.time, sites.motion(place), none, slopes);
    normal_stiffness -= J.transpose() * slopes.by_pose.topLeftCorner(n, n) * J;
    if (m == 0) continue;
    SiteSlopesT<double>::StatesByPose way;
    sites.stick(place, way);
    const MatrixXd of_frames = way.topLeftCorner(m, n);
    Bristle bristle;
    bristle.place = &place;
    bristle.way = of_frames * J;
    bristle.force = J.transpose() * slopes.by_state.topLeftCorner(n, m);
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
    const VectorXd stiffness = -(bristle.force * bristle.way).diagonal();
    for (int k = 0; k < nv; ++k) {
      if (M(k, k) > 0.0) of_bristles = std::max(of_bristles, stiffness[k] / M(k, k));
    }
  }
  const int held = rows_.count();
  MatrixXd matrix = MatrixXd::Zero(nv + held, nv + held), equations;
  matrix.topLeftCorner(nv, nv) = k_free * of_bristles * M + normal_stiffness;
  if (held > 0) {
    matrix.bottomLeftCorner(held, nv) = rows_.jacobian(data_, at.q);
    matrix.topRightCorner(nv, held) = matrix.bottomLeftCorner(held, nv).transpose();
  }
  const auto is_driven = [&](int k) { return !driven_.empty() && driven_.driven[static_cast<std::size_t>(k)] != 0; };
  VectorXd right = VectorXd::Zero(nv + held);
  right.head(nv) = pull;
  std::vector<double> part(bristles.size(), 1.0);
  for (int iteration = 0; iteration < k_most_balance_iterations; ++iteration) {
    equations = matrix;
    for (std::size_t i = 0; i < bristles.size(); ++i) {
      if (bristles[i].slides) continue;
      equations.topLeftCorner(nv, nv) -= part[i] * bristles[i].force * bristles[i].way;
    }
    for (int k = 0; k < nv; ++k) {
      if (!is_driven(k)) continue;
      equations.row(k).setZero(), equations.col(k).setZero(), equations(k, k) = 1.0, right[k] = 0.0;
    }
    // rows of loops may follow from others
    const VectorXd dx = equations.completeOrthogonalDecomposition().solve(right).head(nv);
    double change = 0.0, size = 0.0;
    for (std::size_t i = 0; i < bristles.size(); ++i) {
      Bristle& bristle = bristles[i];
      if (bristle.slides) continue;
      const VectorXd before = bristle.states;
      part[i] = std::max(load(sites, at.time, bristle.way * dx, bristle), k_least_part);
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
