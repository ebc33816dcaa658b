#pragma once

#include <optional>
#include <vector>

#include "cuttle/algorithms/external_wrench.h"
#include "cuttle/api.h"
#include "cuttle/model/data.h"
#include "cuttle/model/site_law.h"

namespace CUTTLE_API cuttle {

/// Where a site stands in the lists of SitesT: all contacts' frames, and all their states, one contact after the other.
struct SitePlace {
  int law, site;                  ///< among ModelT::site_laws, and of that law
  int frame[k_most_site_frames];  ///< among all
  int frame_count;
  int state, state_count;  ///< among all
  int pair;                ///< among all: those of a contact after those of the contacts before;
                           ///< -1: a law of a program that names none
};

/// What a robot's contacts do at an instant: the sites that may act, their states, wrenches, energy and powers. Made
/// once for a model; nothing is allocated later.
///
/// States are taken as they are, solved for in a step (x = offset + factor dx/dt), or those of a robot at rest. Sites
/// know nothing of each other, so each is solved alone.
template <typename S>
class SitesT {
 public:
  /// @param plain  the model without derivatives, where S is ForwardDual: what `solve` needs. Both must outlive this.
  explicit SitesT(const ModelT<S>& model, const Model* plain = nullptr);
  /// Goes on with another model of the same contacts.
  void serve(const ModelT<S>& model) { model_ = &model; }

  int state_count() const { return state_count_; }
  int frame_count() const { return static_cast<int>(frames_.size()); }
  const std::vector<SitePlace>& places() const { return places_; }
  const SiteLawT<S>& law(const SitePlace& place) const { return *model_->site_laws()[place.law]; }

  /// @param kinematics  of a forward_kinematics with velocities, here and below. @param states  state_count numbers.
  /// @throws SimulationError naming a contact whose law is not finite, here and below.
  void take(const KinematicsT<S>& kinematics, double time, VectorInT<S> states);
  void solve(const KinematicsT<S>& kinematics, double time, VectorInT<S> offset, double factor);
  /// @param start  poses of all frames where the robot's bristles hold nothing (frame_poses); null: no friction.
  void rest(const KinematicsT<S>& kinematics, double time, const std::vector<PoseT<S>>* start);

  /// Motion of the frames alone, for what is asked of the laws.
  void move(const KinematicsT<S>& kinematics);
  /// What there is to see at a site, as it was asked last.
  SiteObservation observe(const SitePlace& place) const {
    return law(place).observe(place.site, time_, motion(place), states_.data() + place.state);
  }

  /// Its gap alone, negative where it is pressed in [m].
  double gap(const SitePlace& place) const { return law(place).gap(place.site, time_, motion(place)); }

  /// Longest step within which no site can cross what it touches unseen, after `move` [s].
  double longest_step(double time) const;

  /// Poses of all frames in the world.
  std::vector<PoseT<S>> frame_poses(const KinematicsT<S>& kinematics) const;

  const VectorXT<S>& states() const { return states_; }
  const VectorXT<S>& rates() const { return rates_; }  ///< of the states
  const S& stored_energy() const { return stored_energy_; }
  const S& dissipated_power() const { return dissipated_power_; }
  const VectorXT<S>& dissipated_by_pairs() const { return dissipated_by_pairs_; }  ///< parts of it
  const S& given_power() const { return given_power_; }                            ///< by obstacles that move
  /// Appends one wrench for each frame at which something acts.
  void append_wrenches(std::vector<ExternalWrenchT<S>>& wrenches) const;

  /// Another number for each set of sites that push; 0: none does.
  unsigned long touching() const { return touching_; }
  /// Whether a state, of all, belongs to a site that may act.
  bool acts(int state) const { return state_acts_[state] != 0; }
  /// Sites that may act, indices of places().
  const std::vector<int>& active() const { return active_; }
  /// Motion of the frames of a site, one after the other; of a robot at rest without what moves beside it. Valid until
  /// the next call.
  const FrameMotionT<S>* motion(const SitePlace& place) const;
  const FrameT<S>& frame(int index) const { return frames_[index]; }

  /// Derivatives of what an active site does, with states that follow the motion as they were found: as given, they are
  /// held; solved for or at rest, they are eliminated. Only by_pose and by_velocity of the result, the first
  /// 6 frame_count rows and columns.
  void follow(const SitePlace& place, SiteSlopesT<S>& slopes) const;
  /// The same with bristles as springs: without sliding, for small motions about rest.
  void follow_as_springs(const SitePlace& place, SiteSlopesT<S>& slopes) const;
  /// How bristles would follow a motion without sliding.
  void stick(const SitePlace& place, typename SiteSlopesT<S>::StatesByPose& by_pose) const;

 private:
  enum class Found { given, solved, resting, frictionless };
  /// @return whether it pushes.
  bool evaluate(const SitePlace& place, const S* offset);
  void find(const SitePlace& place, const S* offset);
  template <typename States>
  void walk(const KinematicsT<S>& kinematics, double time, const States& states);
  const PoseT<S>* start_of(const SitePlace& place) const;
  /// Of the frames of a site, one after the other: within `all`, or put into `gathered`.
  template <typename Part>
  static const Part* of_frames(const SitePlace& place, const std::vector<Part>& all, Part* gathered);
  void raw_slopes(const SitePlace& place, SiteSlopesT<S>& slopes) const;

  const ModelT<S>* model_;
  const Model* plain_;
  std::vector<SitePlace> places_;
  std::vector<FrameT<S>> frames_;
  struct OfLaw {
    int first_frame, first_place;
    NearSites near;
  };
  std::vector<OfLaw> laws_;
  std::vector<char> asked_;  ///< of places: whether the site may be near
  int state_count_ = 0;

  double time_ = 0.0, factor_ = 0.0;
  Found found_ = Found::given;
  const std::vector<PoseT<S>>* start_ = nullptr;
  std::vector<FrameMotionT<S>> motions_;
  std::vector<WrenchT<S>> wrenches_;  ///< of frames
  std::vector<char> acts_;            ///< frames with a wrench
  std::vector<int> active_;
  std::vector<char> state_acts_;
  unsigned long touching_ = 0;
  VectorXT<S> states_, rates_, dissipated_by_pairs_;
  S stored_energy_{}, dissipated_power_{}, given_power_{};
  mutable FrameMotionT<S> gathered_[k_most_site_frames];  ///< of a site whose frames are no neighbors
  mutable PoseT<S> gathered_start_[k_most_site_frames];
};
using Sites = SitesT<double>;

extern template class SitesT<double>;
extern template class SitesT<ForwardDual>;

}  // namespace cuttle
