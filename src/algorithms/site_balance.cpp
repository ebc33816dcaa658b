#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "algorithms/balance_displacement.h"
#include "algorithms/still_sites.h"
#include "cuttle/algorithms/compliance.h"
#include "cuttle/algorithms/equation_of_motion.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/error.h"
#include "cuttle/spatial/exponential.h"
#include "model/check_argument.h"

// Bristles of a robot that begins. A displacement dx of the robot loads each by the way A dx of its site, within its
// cone: `F(dx) = (eps M + K) dx + rest(states(A dx)) = 0`, where `M a + rest = 0` and K is the stiffness of the sites'
// normal forces, which take what is out of balance along the normals. What nothing holds moves far: eps M stands for
// it, so a = eps dx, and only the direction of such a way counts. Drives and loops prescribe parts of dx by their a. F
// is the slope of a convex energy - of inertia, normal forces, and bristles that grow linearly beyond their cones - so
// there is one answer, and Newton's method with a search along its steps finds it.

namespace cuttle {
namespace {

// Of the stiffness of bristles: eps M. Nodes of a mesh are held by sites of very different stiffness.
constexpr double k_free = 1e-4, k_free_along_tree = 1e-9;
constexpr double k_settled = 1e-11;  // of the longest bristle
constexpr int k_most_balance_iterations = 200;
constexpr Precise k_enough = 0.5, k_well = 0.1;  // of the slope along a step: what may be left at its end
constexpr int k_most_doublings = 60, k_most_searches = 60;

VectorXd wrenches(const SiteActionT<double>& action, int frames) {
  VectorXd result(6 * frames);
  for (int i = 0; i < 6 * frames; ++i) result[i] = action.wrench[static_cast<std::size_t>(i / 6)][i % 6];
  return result;
}

/// Of a site at rest with straight bristles.
NormalStiffness normal_stiffness(const Sites& sites, double time, const SitePlace& place, const MatrixXd& jacobian,
                                 const SiteSlopesT<double>& slopes) {
  const int n = 6 * place.frame_count;
  const double none[4] = {};
  SiteActionT<double> action;
  sites.law(place).evaluate(place.site, time, StillFrames(sites, place, time).motion, none, action);
  const VectorXd pressed = wrenches(action, place.frame_count);
  const double size = pressed.squaredNorm(), along = pressed.dot(slopes.by_pose.topLeftCorner(n, n) * pressed);
  const bool presses = size > 0.0 && along < 0.0;
  return {&place, pressed, jacobian.transpose() * pressed, presses ? -along / (size * size) : 0.0};
}

/// Of a site with a bristle: the bristle's stiffness, which is as large but for a constant factor. Slopes by poses know
/// the curvature of what is touched, and of a user's shape from differences.
double stiffness_beside(const Sites& sites, const Bristle& bristle, const VectorXd& pressed) {
  const SitePlace& place = *bristle.place;
  double size = 0.0;  // of the forces on one side: those on both add up to nothing
  Vector3 sum;
  for (int k = 0; k < place.frame_count; ++k) {
    const Vector3 force{pressed[6 * k + 3], pressed[6 * k + 4], pressed[6 * k + 5]};
    size += 0.5 * norm(force), sum += sites.motion(place)[k].pose.rotation * force;
  }
  size += 0.5 * norm(sum);
  const double displaced = bristle.of_frames.squaredNorm();
  const double stiffness = -(bristle.of_frames * bristle.on_frames).trace();
  return size > 0.0 && displaced > 0.0 ? std::max(stiffness, 0.0) / (displaced * size * size) : 0.0;
}

/// How fast the rates of straight bristles change, as frames go on with the accelerations `A` of their own, and what
/// they touch as it is moved.
VectorXd drift(const Sites& sites, double time, const SitePlace& place, const std::vector<Twist>& A) {
  constexpr double k_step = 1e-5;  // s, forward: motions may begin at the start
  const auto rates = [&](double after) -> VectorXd {
    FrameMotionT<double> motion[k_most_site_frames];
    std::copy_n(sites.motion(place), place.frame_count, motion);
    for (std::size_t k = 0; k < A.size(); ++k) {
      Twist& V = motion[k].velocity;
      motion[k].pose = motion[k].pose * exponential(after * V + (0.5 * after * after) * A[k]);
      V += after * A[k];
    }
    const double none[4] = {};
    SiteActionT<double> action;
    sites.law(place).evaluate(place.site, time + after, motion, none, action);
    return Eigen::Map<const VectorXd>(action.rates.data(), place.state_count);
  };
  return (4.0 * rates(k_step) - 3.0 * rates(0.0) - rates(2.0 * k_step)) / (2.0 * k_step);
}

/// The search for the bristles of one start.
class BristleSearch {
 public:
  BristleSearch(EquationOfMotion& equation, const EquationOfMotion::Instant& at, BalanceDisplacement& displacement,
                const VectorXd& rest, const VectorXd& prescribed, const KinematicsT<double>& motion, bool of_bristles)
      : sites_(*equation.sites()),
        time_(at.time),
        displacement_(displacement),
        force_(rest.cast<Precise>()),
        prescribed_(prescribed.cast<Precise>()) {
    prepare_site_jacobians(equation, at.q);
    for (const int index : sites_.active()) {
      const SitePlace& place = sites_.places()[static_cast<std::size_t>(index)];
      const int n = 6 * place.frame_count, m = place.state_count;
      const double none[4] = {};
      SiteSlopesT<double> slopes;
      slopes_at_rest(sites_.law(place), place.site, time_, StillFrames(sites_, place, time_).motion, none, slopes);
      MatrixXd jacobian = site_jacobian(equation, place);
      normals_.push_back(normal_stiffness(sites_, time_, place, jacobian, slopes));
      if (m == 0) continue;
      SiteSlopesT<double>::StatesByPose way;
      sites_.stick(place, way);
      Bristle bristle;
      bristle.place = &place;
      bristle.jacobian = std::move(jacobian);
      bristle.of_frames = way.topLeftCorner(m, n), bristle.on_frames = slopes.by_state.topLeftCorner(n, m);
      bristle.way = bristle.of_frames * bristle.jacobian;
      bristle.force = bristle.jacobian.transpose() * bristle.on_frames;
      bristle.states = VectorXd::Zero(m);
      if (of_bristles) normals_.back().stiffness = stiffness_beside(sites_, bristle, normals_.back().pressed);
      straight_.push_back(pushes(bristle));
      std::vector<Twist> accelerations;
      accelerations.reserve(static_cast<std::size_t>(place.frame_count));
      for (int k = 0; k < place.frame_count; ++k) {
        accelerations.push_back(motion.acceleration_of(sites_.frame(place.frame[static_cast<std::size_t>(k)])));
      }
      drifts_.push_back(drift(sites_, time_, place, accelerations));
      bristles_.push_back(std::move(bristle));
    }
    ways_.resize(bristles_.size());
    stiffness_ = displacement_.stiffness_beside_inertia(bristles_);
  }

  /// @param share  eps, of the stiffness of bristles beside inertia.   @return valid until the next call.
  const std::vector<Bristle>& find(double share) {
    eps_ = share * stiffness_;
    const bool holds = eps_.size() > 0 && eps_.maxCoeff() > 0.0;
    held_ = VectorXP::Zero(force_.size());
    if (!holds) eps_.setOnes();
    const VectorXP begin = prescribed_.cwiseQuotient(eps_.cast<Precise>());
    for (std::size_t i = 0; i < bristles_.size(); ++i) {
      load(bristles_[i], VectorXP::Zero(bristles_[i].way.rows()));
      ways_[i] = drifts_[i].cast<Precise>() / Precise(eps_of(bristles_[i]));
    }
    for (const NormalStiffness& normal : normals_) {
      const VectorXP along = normal.force.cast<Precise>();
      held_ += normal.stiffness * along.dot(begin) * along;
    }
    if (holds) settle();
    return bristles_;
  }

 private:
  /// Of the coordinates that a bristle follows, which are coupled.
  double eps_of(const Bristle& bristle) const {
    for (Eigen::Index k = 0; k < eps_.size(); ++k) {
      if (!bristle.way.col(k).isZero(0.0)) return eps_[k];
    }
    return eps_.maxCoeff();
  }

  void settle() {
    begin_as_springs();
    for (int iteration = 0; iteration < k_most_balance_iterations; ++iteration) {
      VectorXP F = held_ + force_;
      for (std::size_t i = 0; i < bristles_.size(); ++i) {
        F -= bristles_[i].jacobian.transpose().cast<Precise>() * added(i);
      }
      Step step = step_of(F);
      const Precise slope = F.dot(step.dx);
      if (!(slope < 0)) return;
      std::vector<VectorXd> before;
      for (const Bristle& bristle : bristles_) before.push_back(bristle.states);
      const Precise part = search(step, slope);
      go(step, part);
      double change = 0.0, size = 0.0;
      for (std::size_t i = 0; i < bristles_.size(); ++i) {
        change = std::max(change, (bristles_[i].states - before[i]).cwiseAbs().maxCoeff());
        size = std::max(size, bristles_[i].states.cwiseAbs().maxCoeff());
      }
      if (part == 1 && change <= k_settled * size) return;
    }
  }

  /// A step, and the slope of the energy along it: at + t rate, and what bristles do.
  struct Step {
    VectorXP dx, held;                   ///< held: (eps M + K) dx, up to forces of loops and drives
    std::vector<VectorXP> ways, frames;  ///< A dx and J dx, of each bristle
    Precise at, rate;
  };

  /// Newton's step where the slope of the energy is F.
  Step step_of(const VectorXP& F) {
    Step step;
    step.dx = displacement_.solve(normals_, bristles_, eps_, -F);
    step.held = -F;
    for (const Bristle& bristle : bristles_) {
      step.ways.push_back(bristle.way.cast<Precise>() * step.dx);
      step.frames.push_back(bristle.jacobian.cast<Precise>() * step.dx);
      if (bristle.slides) continue;
      step.held += bristle.force.cast<Precise>() * (bristle.by_way.cast<Precise>() * step.ways.back());
    }
    step.at = held_.dot(step.dx) + force_.dot(step.dx), step.rate = step.held.dot(step.dx);
    return step;
  }
  void go(const Step& step, Precise part) {
    held_ += part * step.held;
    for (std::size_t i = 0; i < ways_.size(); ++i) ways_[i] += part * step.ways[i];
  }
  /// As if there were no cones: what is prescribed may lie far beyond them.
  void begin_as_springs() {
    VectorXP F = held_ + force_;
    for (std::size_t i = 0; i < bristles_.size(); ++i) {
      Bristle& bristle = bristles_[i];
      if (bristle.slides) {
        F -= bristle.jacobian.transpose().cast<Precise>() * added(i);
      } else {
        bristle.by_way.setIdentity();
        F -= bristle.force.cast<Precise>() * ways_[i];
      }
    }
    go(step_of(F), 1);
    for (std::size_t i = 0; i < bristles_.size(); ++i) load(bristles_[i], ways_[i]);
  }

  VectorXd pushes(const Bristle& bristle) const {
    SiteActionT<double> action;
    const SitePlace& place = *bristle.place;
    sites_.law(place).evaluate(place.site, time_, sites_.motion(place), bristle.states.data(), action);
    return wrenches(action, place.frame_count);
  }
  /// Wrenches on a site's frames beside those with a straight bristle.
  VectorXP added(std::size_t i) const { return (pushes(bristles_[i]) - straight_[i]).cast<Precise>(); }

  void load(Bristle& bristle, const VectorXP& way) const {
    const SitePlace& place = *bristle.place;
    double wanted[4] = {};
    for (int r = 0; r < place.state_count; ++r) wanted[r] = static_cast<double>(way[r]);
    SiteSlopesT<double>::StateByState by_way;
    bristle.slides =
        sites_.law(place).begin(place.site, time_, sites_.motion(place), wanted, bristle.states.data(), &by_way);
    bristle.by_way = by_way.topLeftCorner(place.state_count, place.state_count);
  }

  Precise slope_at(const Step& step, Precise t) {
    Precise slope = step.at + t * step.rate;
    for (std::size_t i = 0; i < bristles_.size(); ++i) {
      if (!bristles_[i].slides) load(bristles_[i], ways_[i] + t * step.ways[i]);
      slope -= step.frames[i].dot(added(i));
    }
    return slope;
  }

  /// Goes along a step to where the energy is nearly least.   @return how much of it; bristles are loaded so.
  Precise search(const Step& step, Precise slope) {
    Precise low = 0, low_slope = slope, high = 1, high_slope = slope_at(step, high);
    if (std::abs(high_slope) <= -k_enough * slope) return high;
    for (int i = 0; high_slope < 0 && i < k_most_doublings; ++i) {
      low = high, low_slope = high_slope, high *= 2, high_slope = slope_at(step, high);
      if (std::abs(high_slope) <= -k_enough * slope) return high;
    }
    if (high_slope < 0) return high;
    // regula falsi, with the slope of an end that stays halved
    Precise t = high;
    for (int i = 0; i < k_most_searches; ++i) {
      t = (low * high_slope - high * low_slope) / (high_slope - low_slope);
      const Precise here = slope_at(step, t);
      if (std::abs(here) <= -k_well * slope) break;
      if (here < 0) {
        low = t, low_slope = here, high_slope *= Precise(0.5);
      } else {
        high = t, high_slope = here, low_slope *= Precise(0.5);
      }
    }
    return t;
  }

  const Sites& sites_;
  double time_;
  BalanceDisplacement& displacement_;
  VectorXP force_;              ///< rest, with straight bristles
  VectorXP prescribed_;         ///< a of drives and loops
  VectorXd stiffness_, eps_;    ///< of each coordinate
  VectorXP held_;               ///< (eps M + K) dx
  std::vector<VectorXP> ways_;  ///< A dx, of each bristle
  std::vector<NormalStiffness> normals_;
  std::vector<Bristle> bristles_;
  std::vector<VectorXd> drifts_;    ///< of each, m: A a + A' v of drives and loops, less that of what is touched
  std::vector<VectorXd> straight_;  ///< wrenches on the frames of each bristle, where it is straight
};

}  // namespace

void EquationOfMotion::begin_in_balance(const Instant& at, VectorOutT<double> states) {
  if (!sites_) return;
  VectorXd unloaded = at.states;
  layout_.sites_of(unloaded).setZero();
  layout_.sites_of(states).setZero();
  const Instant start{at.time, at.q, at.v, at.u, unloaded};
  read_loads(at.time);
  solve_states(start, data_.zero);
  const bool rubs = std::any_of(sites_->active().begin(), sites_->active().end(), [&](int index) {
    return sites_->places()[static_cast<std::size_t>(index)].state_count > 0;
  });
  if (!rubs) return;
  VectorXd a = VectorXd::Zero(model_->nv());  // of drives
  for (std::size_t k = 0; k < driven_.driven.size(); ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    if (driven_.driven[k] != 0) a[i] = driven_.a[i];
  }
  if (rows_.count() > 0) {  // and what keeps the loops closed
    MatrixXd G = rows_.jacobian(data_, at.q);
    const VectorXd opening = rows_.bias(data_, at.q, at.v) + G * a;
    for (std::size_t k = 0; k < driven_.driven.size(); ++k) {
      if (driven_.driven[k] != 0) G.col(static_cast<Eigen::Index>(k)).setZero();
    }
    if (!opening.isZero(0.0)) a -= G.completeOrthogonalDecomposition().solve(opening);
  }
  std::unique_ptr<BalanceDisplacement> displacement;
  VectorXd rest;
  const bool along_tree = !takes_matrices(*model_) && follows_tree();
  if (along_tree) {
    find_forces(start);
    collect_acting();
    rest = inverse_dynamics<double>(*model_, data_, at.q, at.v, a, acting_) - tau_;
    displacement = std::make_unique<TreeDisplacement>(*this, start);
  } else {
    require_few_coordinates(*model_, "a start at which friction acts");
    MatrixXd M;
    mass_and_rest(start, M, rest);
    rest += M * a;
    displacement = std::make_unique<DenseDisplacement>(*this, at.q, std::move(M));
  }
  Data own(*model_);
  const KinematicsT<double>& motion = forward_kinematics<double>(*model_, own, at.q, at.v, a);
  BristleSearch search(*this, start, *displacement, rest, a, motion, !along_tree);
  const auto found = [&](double share) {
    VectorXd result = VectorXd::Zero(sites_->state_count());
    for (const Bristle& bristle : search.find(share)) {
      result.segment(bristle.place->state, bristle.place->state_count) = bristle.states;
    }
    return result;
  };
  if (along_tree) {
    layout_.sites_of(states) = found(k_free_along_tree);
    return;
  }
  const VectorXd coarse = found(4 * k_free), middle = found(2 * k_free), fine = found(k_free);
  const VectorXd wanted = (8.0 * fine - 6.0 * middle + coarse) / 3.0;
  for (const int index : sites_->active()) {
    const SitePlace& place = sites_->places()[static_cast<std::size_t>(index)];
    if (place.state_count == 0) continue;
    sites_->law(place).begin(place.site, at.time, sites_->motion(place), wanted.data() + place.state,
                             layout_.sites_of(states).data() + place.state, nullptr);
  }
}

}  // namespace cuttle
