#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/model/state_load.h"

namespace CUTTLE_API cuttle {

/// Frames of the robot that a site may have: two that carry its curve, and that of the surface that it touches, or two
/// that carry another curve.
inline constexpr int k_most_site_frames = 4;

/// Sites of a law that may be near to what they touch.
struct NearSites {
  std::vector<int> sites;      ///< in order
  std::vector<double> memory;  ///< with which the law finds them
};

/// What a law does at one site.
template <typename S>
struct SiteActionT {
  std::array<WrenchT<S>, k_most_site_frames> wrench;  ///< on the robot, at the site's frames in their axes [N m, N]
  S stored_energy{};                                  ///< [J]
  S dissipated_power{};                               ///< >= 0 [W]
  S given_power{};           ///< that the world gives through the site: of obstacles that move [W]
  std::array<S, 4> rates{};  ///< of the site's states
};

/// Derivatives of that. Motions of the site's frames stand one after the other, 6 numbers each: of a pose zeta, where
/// it moves to `pose exp(zeta)`, and V; angular parts first, all in the axes of the frame.
template <typename S>
struct SiteSlopesT {
  template <int k_rows, int k_columns>
  using Matrix = Eigen::Matrix<S, k_rows, k_columns>;
  static constexpr int k_size = 6 * k_most_site_frames;
  using StatesByPose = Matrix<4, k_size>;
  using StateByState = Matrix<4, 4>;
  Matrix<k_size, k_size> by_pose, by_velocity;  ///< of the wrenches
  Matrix<k_size, 4> by_state;                   ///< of the wrenches
  StatesByPose rate_by_pose, rate_by_velocity;  ///< of the rates
  StateByState rate_by_state;
};

/// What there is to see at a site.
struct SiteObservation {
  enum class Touch { apart, sticks, slips };
  Touch touch = Touch::apart;
  double gap = 0.0;           ///< least distance, negative when pressed [m]
  Vector3T<double> position;  ///< where it touches, world axes [m]
  Vector3T<double> normal;    ///< away from side b, world axes
  double normal_force = 0.0;  ///< [N]
  Vector3T<double> friction;  ///< on side a, world axes [N]
  Vector3T<double> torque;    ///< of all forces on side a, about the world's origin, world axes [N m]
  double slip = 0.0;          ///< speed of sliding [m/s]
  double pressure = 0.0;      ///< force over weight: [N], [N/m] or [Pa] as the site is a point, a line or an area
};

/// Something that acts at some frames of the robot by how they move, site by site, with states of its own that may
/// follow faster than any step: contact. A site has one to four frames and up to four states; no site asks for another
/// one's. The equation of motion (EquationOfMotionT) solves for the states of a step site by site and condenses them.
template <typename S>
class SiteLawT {
 public:
  struct Site {
    std::array<int, k_most_site_frames> frame{};  ///< in frames()
    int frame_count = 1;
    int state = 0, state_count = 0;  ///< its states among those of the law
    int pair = 0;                    ///< in pairs()
  };
  virtual ~SiteLawT() = default;

  const std::string& name() const { return name_; }  ///< of the contact
  const std::vector<FrameT<S>>& frames() const { return frames_; }
  const std::vector<Site>& sites() const { return sites_; }
  int state_count() const { return state_count_; }
  /// Link of side a, and obstacle or link of side b, of each pair that may touch.
  const std::vector<std::array<std::string, 2>>& pairs() const { return pairs_; }

  /// Sites that are to be asked at all, by where the frames are: others do not act unless a state of theirs is not
  /// zero. By default all. `prepare` makes room once, so that `find_near` allocates nothing.
  /// @param frames  motion of frames(), all of them.
  virtual void prepare(NearSites& near) const {
    near.sites.resize(sites_.size());
    std::iota(near.sites.begin(), near.sites.end(), 0);
  }
  virtual void find_near(const FrameMotionT<S>* /*frames*/, NearSites& /*near*/) const {}

  /// Whether a site may act, or has states that are not zero: others are left out, their states stay zero. Cheap and
  /// never false where it acts. @param motion  of the site's frames, here and below; `states` those of the site.
  virtual bool may_act(int site, double time, const FrameMotionT<S>* motion, const S* states) const = 0;
  virtual void evaluate(int site, double time, const FrameMotionT<S>* motion, const S* states,
                        SiteActionT<S>& action) const = 0;
  /// Solves states = offset + factor rates. Reads nothing of `states` before.
  virtual void solve_states(int site, double time, const FrameMotionT<S>* motion, const S* offset, double factor,
                            S* states) const = 0;
  /// solve_states, and evaluate with what it found.
  virtual void solve(int site, double time, const FrameMotionT<S>* motion, const S* offset, double factor, S* states,
                     SiteActionT<S>& action) const {
    solve_states(site, time, motion, offset, factor, states);
    evaluate(site, time, motion, states, action);
  }
  /// Exact derivatives, with the states as independent numbers: rows and columns of the site's frames and states alone.
  virtual void slopes(int site, double time, const FrameMotionT<S>* motion, const S* states,
                      SiteSlopesT<S>& slopes) const = 0;

  /// Velocities of the site's frames with which nothing moves at the site: those of what the world moves there. By
  /// default zero. What is asked about rest is asked with them.
  virtual void still(int site, double /*time*/, FrameMotionT<S>* motion) const {
    for (int k = 0; k < sites_[static_cast<std::size_t>(site)].frame_count; ++k) motion[k].velocity = {};
  }
  /// States of a robot at rest that has moved from `start`: the bristles take the tangential displacement since, cut at
  /// the cone. Zero states: no friction.
  virtual void rest_states(int site, double time, const PoseT<S>* start, const FrameMotionT<S>* motion,
                           S* states) const = 0;
  /// How they change with the poses.
  virtual void rest_state_slopes(int site, double time, const PoseT<S>* start, const FrameMotionT<S>* motion,
                                 typename SiteSlopesT<S>::StatesByPose& by_pose) const = 0;

  /// States with which a site begins: of those that it can hold, the ones nearest to `wanted`. By default it holds all.
  /// @param by_wanted  null, or how they follow it: symmetric, never negative; the first state_count rows and columns.
  /// @return whether the site slides already: then its states hold against that, whatever is wanted.
  virtual bool begin(int site, double /*time*/, const FrameMotionT<S>* /*motion*/, const S* wanted, S* states,
                     typename SiteSlopesT<S>::StateByState* by_wanted) const {
    std::copy_n(wanted, sites_[static_cast<std::size_t>(site)].state_count, states);
    if (by_wanted != nullptr) by_wanted->setIdentity();
    return false;
  }

  virtual SiteObservation observe(int site, double time, const FrameMotionT<S>* motion, const S* states) const = 0;
  /// Its gap alone, whatever its states.
  virtual double gap(int site, double time, const FrameMotionT<S>* motion) const {
    const S none[4] = {};
    return observe(site, time, motion, none).gap;
  }
  /// Longest step from here within which the site cannot cross what it touches unseen [s].
  virtual double longest_step(int site, double time, const FrameMotionT<S>* motion) const = 0;
  /// The least of all sites. @param frames  motion of frames(), all of them.
  virtual double longest_step_of_all(double time, const FrameMotionT<S>* frames) const {
    double longest = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < sites_.size(); ++i) {
      FrameMotionT<S> motion[k_most_site_frames];
      for (int k = 0; k < sites_[i].frame_count; ++k) motion[k] = frames[sites_[i].frame[static_cast<std::size_t>(k)]];
      longest = std::min(longest, longest_step(static_cast<int>(i), time, motion));
    }
    return longest;
  }
  /// Depth beyond which a site has as good as gone through [m].
  virtual double deepest(int site) const = 0;
  /// Whether what it touches has no other side, as a plane: it pushes out from any depth.
  virtual bool is_endless(int /*site*/) const { return true; }

 protected:
  std::string name_;
  std::vector<FrameT<S>> frames_;
  std::vector<Site> sites_;
  std::vector<std::array<std::string, 2>> pairs_;
  int state_count_ = 0;
};
using SiteLaw = SiteLawT<double>;

}  // namespace cuttle
