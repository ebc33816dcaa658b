#include "cuttle/algorithms/sites.h"

#include <Eigen/LU>
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "algorithms/still_sites.h"
#include "cuttle/error.h"

namespace cuttle {
namespace {

constexpr int k_most_states = 4;

/// A matrix within one of fixed size: no memory of its own.
template <int k_rows, int k_columns>
using Within = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, k_rows, k_columns>;

/// Of states that follow in a step: (I - factor d rate/dx)^-1 right, in place.
template <typename Right>
void solve_step(const SiteSlopesT<double>& slopes, int states, double factor, Right& right) {
  Within<k_most_states, k_most_states> equations = -factor * slopes.rate_by_state.topLeftCorner(states, states);
  equations.diagonal().array() += 1.0;
  right = equations.partialPivLu().solve(right).eval();
}

/// Nothing follows it: derivatives are zero too. A straight bristle in the air decays along with what it stands for.
bool is_nothing(double x) { return x == 0.0; }
bool is_nothing(const ForwardDual& x) {
  return x.value == 0.0 && std::all_of(x.derivative, x.derivative + k_forward_width, [](double d) { return d == 0.0; });
}

/// Also of numbers that are none.
template <typename S>
bool any_nonzero(const S* x, int count) {
  if constexpr (std::is_same_v<S, double>) {
    std::uint64_t any = 0;  // of bits but the sign: in lanes of the processor
    for (int i = 0; i < count; ++i) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, x + i, sizeof bits);
      any |= bits << 1U;
    }
    return any != 0;
  } else {
    return std::any_of(x, x + count, [](const S& value) { return !is_nothing(value); });
  }
}

FrameMotionT<double> value_of(const FrameMotionT<ForwardDual>& motion) {
  FrameMotionT<double> value;
  const auto vector = [](const Vector3T<ForwardDual>& x) { return Vector3{x.x.value, x.y.value, x.z.value}; };
  const Matrix3T<ForwardDual>& R = motion.pose.rotation;
  value.pose.rotation = {vector(R.row0), vector(R.row1), vector(R.row2)};
  value.pose.position = vector(motion.pose.position);
  value.velocity = {vector(motion.velocity.angular), vector(motion.velocity.linear)};
  return value;
}

}  // namespace

template <typename S>
SitesT<S>::SitesT(const ModelT<S>& model, const Model* plain) : model_(&model), plain_(plain) {
  int law_index = 0, first_pair = 0;
  std::size_t most_frames = 0;
  for (const auto& law : model.site_laws()) {
    const int first_frame = frame_count();
    frames_.insert(frames_.end(), law->frames().begin(), law->frames().end());
    laws_.push_back({first_frame, static_cast<int>(places_.size()), {}});
    law->prepare(laws_.back().near);
    for (std::size_t i = 0; i < law->sites().size(); ++i) {
      const auto& site = law->sites()[i];
      places_.push_back({law_index,
                         static_cast<int>(i),
                         {},
                         site.frame_count,
                         state_count_ + site.state,
                         site.state_count,
                         law->pairs().empty() ? -1 : first_pair + site.pair});
      for (int k = 0; k < k_most_site_frames; ++k) places_.back().frame[k] = first_frame + site.frame[k];
    }
    state_count_ += law->state_count(), first_pair += static_cast<int>(law->pairs().size());
    most_frames = std::max(most_frames, law->frames().size());
    ++law_index;
  }
  motions_.resize(frames_.size());
  wrenches_.resize(frames_.size());
  acts_.assign(frames_.size(), 0);
  active_.reserve(places_.size());
  asked_.assign(places_.size(), 0);
  states_.setZero(state_count_), rates_.setZero(state_count_), dissipated_by_pairs_.setZero(first_pair);
  state_acts_.assign(static_cast<std::size_t>(state_count_), 0);
}

template <typename S>
template <typename Part>
const Part* SitesT<S>::of_frames(const SitePlace& place, const std::vector<Part>& all, Part* gathered) {
  bool neighbors = true;
  for (int k = 1; k < place.frame_count; ++k) neighbors = neighbors && place.frame[k] == place.frame[0] + k;
  if (neighbors) return &all[place.frame[0]];
  for (int k = 0; k < place.frame_count; ++k) gathered[k] = all[place.frame[k]];
  return gathered;
}

template <typename S>
const FrameMotionT<S>* SitesT<S>::motion(const SitePlace& place) const {
  if (found_ != Found::resting && found_ != Found::frictionless) return of_frames(place, motions_, gathered_);
  for (int k = 0; k < place.frame_count; ++k) gathered_[k] = motions_[place.frame[k]];
  law(place).still(place.site, time_, gathered_);
  return gathered_;
}

template <typename S>
const PoseT<S>* SitesT<S>::start_of(const SitePlace& place) const {
  return of_frames(place, *start_, gathered_start_);
}

template <typename S>
std::vector<PoseT<S>> SitesT<S>::frame_poses(const KinematicsT<S>& kinematics) const {
  std::vector<PoseT<S>> poses;
  poses.reserve(frames_.size());
  for (const FrameT<S>& frame : frames_) poses.push_back(kinematics.pose(frame));
  return poses;
}

template <typename S>
void SitesT<S>::move(const KinematicsT<S>& kinematics) {
  found_ = Found::given;  // what moves is not at rest
  for (std::size_t i = 0; i < frames_.size(); ++i) {
    motions_[i].pose = kinematics.pose(frames_[i]);
    motions_[i].velocity = kinematics.velocity_of(frames_[i]);
    wrenches_[i] = {}, acts_[i] = 0;
  }
  for (const int index : active_) {  // what is not zero belongs to them
    const SitePlace& place = places_[index];
    std::fill_n(state_acts_.begin() + place.state, place.state_count, 0);
    states_.segment(place.state, place.state_count).setZero();
    rates_.segment(place.state, place.state_count).setZero();
  }
  active_.clear();
  touching_ = 0;
  dissipated_by_pairs_.setZero();
  stored_energy_ = dissipated_power_ = given_power_ = S(0.0);
}

/// `states(first)`: the states from there on, or those by which it is judged whether sites may act; null: they are
/// zero.
template <typename S>
template <typename States>
void SitesT<S>::walk(const KinematicsT<S>& kinematics, double time, const States& states) {
  time_ = time;
  const Found found = found_;
  move(kinematics);
  found_ = found;
  std::fill(asked_.begin(), asked_.end(), 0);
  for (std::size_t k = 0; k < laws_.size(); ++k) {
    OfLaw& of_law = laws_[k];
    const SiteLawT<S>& of_sites = *model_->site_laws()[k];
    of_sites.find_near(motions_.data() + of_law.first_frame, of_law.near);
    for (const int site : of_law.near.sites) asked_[of_law.first_place + site] = 1;
    const auto& all = of_sites.sites();
    if (of_law.near.sites.size() == all.size() || of_sites.state_count() == 0) continue;
    // others whose states are not zero
    const S* x = states(places_[of_law.first_place].state);
    const bool any_loaded = x != nullptr && any_nonzero(x, of_sites.state_count());
    for (int r = 0; any_loaded && r < of_sites.state_count(); ++r) {
      if (is_nothing(x[r])) continue;
      const auto next =
          std::upper_bound(all.begin(), all.end(), r, [](int state, const auto& site) { return state < site.state; });
      asked_[of_law.first_place + (next - all.begin()) - 1] = 1;
    }
  }
  const char* const begin = asked_.data();
  const char* const end = begin + asked_.size();
  for (const char* at = begin; at != end; ++at) {  // most are not asked
    at = static_cast<const char*>(std::memchr(at, 1, static_cast<std::size_t>(end - at)));
    if (at == nullptr) break;
    const auto i = static_cast<int>(at - begin);
    const SitePlace& place = places_[i];
    S offset[k_most_states] = {};
    if (const S* x = states(place.state)) std::copy_n(x, place.state_count, offset);
    // laws judge states by their values
    const bool is_loaded = !std::is_same_v<S, double> && any_nonzero(offset, place.state_count);
    if (!is_loaded && !law(place).may_act(place.site, time, motion(place), offset)) continue;
    active_.push_back(i);
    std::fill_n(state_acts_.begin() + place.state, place.state_count, 1);
    if (evaluate(place, offset)) touching_ = 31 * touching_ + static_cast<unsigned long>(i) + 1;
  }
}

template <typename S>
void SitesT<S>::find(const SitePlace& place, const S* offset) {
  if (place.state_count == 0 || found_ == Found::frictionless) return;
  S* x = states_.data() + place.state;
  if (found_ == Found::resting) {
    law(place).rest_states(place.site, time_, start_of(place), motion(place), x);
    return;
  }
  if (found_ == Found::given || factor_ == 0.0) {
    std::copy(offset, offset + place.state_count, x);
    return;
  }
  if constexpr (std::is_same_v<S, ForwardDual>) {
    // values first; one more step of Newton's method is exact in the derivatives
    const SiteLaw& plain = *plain_->site_laws()[place.law];
    FrameMotionT<double> values[k_most_site_frames];
    for (int k = 0; k < place.frame_count; ++k) values[k] = value_of(motions_[place.frame[k]]);
    double found[k_most_states], at[k_most_states];
    for (int r = 0; r < place.state_count; ++r) at[r] = offset[r].value;
    plain.solve_states(place.site, time_, values, at, factor_, found);
    for (int r = 0; r < place.state_count; ++r) x[r] = ForwardDual(found[r]);
    SiteActionT<ForwardDual> action;
    law(place).evaluate(place.site, time_, motion(place), x, action);
    SiteSlopesT<double> slopes;
    plain.slopes(place.site, time_, values, found, slopes);
    Within<k_most_states, k_forward_width> change(place.state_count, k_forward_width);
    for (int r = 0; r < place.state_count; ++r) {
      for (int k = 0; k < k_forward_width; ++k) {
        change(r, k) = offset[r].derivative[k] + factor_ * action.rates[r].derivative[k];
      }
    }
    solve_step(slopes, place.state_count, factor_, change);
    for (int r = 0; r < place.state_count; ++r) {
      for (int k = 0; k < k_forward_width; ++k) x[r].derivative[k] = change(r, k);
    }
  } else {
    law(place).solve_states(place.site, time_, motion(place), offset, factor_, x);
  }
}

template <typename S>
bool SitesT<S>::evaluate(const SitePlace& place, const S* offset) {
  SiteActionT<S> action;
  S* x = states_.data() + place.state;
  if (std::is_same_v<S, double> && found_ == Found::solved && factor_ != 0.0 && place.state_count > 0) {
    law(place).solve(place.site, time_, motion(place), offset, factor_, x, action);
  } else {
    find(place, offset);
    law(place).evaluate(place.site, time_, motion(place), x, action);
  }
  S sum = action.stored_energy + action.dissipated_power + action.given_power;
  bool pushes = false;
  for (int k = 0; k < place.frame_count; ++k) {
    WrenchT<S>& wrench = wrenches_[place.frame[k]];
    wrench += action.wrench[k];
    acts_[place.frame[k]] = 1;
    for (int r = 0; r < 6; ++r) {
      sum += wrench[r];
      pushes = pushes || action.wrench[k][r] != S(0.0);
    }
  }
  for (int r = 0; r < place.state_count; ++r) {
    rates_[place.state + r] = action.rates[r];
    sum += action.rates[r];
  }
  if (!(sum - sum == S(0.0))) {
    throw SimulationError("contact '" + law(place).name() + "': its law is not finite at t = " + std::to_string(time_) +
                          " s");
  }
  stored_energy_ += action.stored_energy;
  dissipated_power_ += action.dissipated_power;
  if (place.pair >= 0) dissipated_by_pairs_[place.pair] += action.dissipated_power;
  given_power_ += action.given_power;
  return pushes;
}

template <typename S>
void SitesT<S>::take(const KinematicsT<S>& kinematics, double time, VectorInT<S> states) {
  found_ = Found::given, factor_ = 0.0;
  walk(kinematics, time, [&](int first) { return states.data() + first; });
}

template <typename S>
void SitesT<S>::solve(const KinematicsT<S>& kinematics, double time, VectorInT<S> offset, double factor) {
  found_ = Found::solved, factor_ = factor;
  walk(kinematics, time, [&](int first) { return offset.data() + first; });
}

template <typename S>
void SitesT<S>::rest(const KinematicsT<S>& kinematics, double time, const std::vector<PoseT<S>>* start) {
  found_ = start != nullptr ? Found::resting : Found::frictionless;
  start_ = start, factor_ = 0.0;
  walk(kinematics, time, [](int) -> const S* { return nullptr; });
}

template <typename S>
double SitesT<S>::longest_step(double time) const {
  double longest = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < laws_.size(); ++k) {
    const SiteLawT<S>& law = *model_->site_laws()[k];
    longest = std::min(longest, law.longest_step_of_all(time, motions_.data() + laws_[k].first_frame));
  }
  return longest;
}

template <typename S>
void SitesT<S>::append_wrenches(std::vector<ExternalWrenchT<S>>& wrenches) const {
  for (std::size_t i = 0; i < frames_.size(); ++i) {
    if (acts_[i]) wrenches.push_back({frames_[i], wrenches_[i], Axes::body});
  }
}

template <typename S>
void SitesT<S>::raw_slopes(const SitePlace& place, SiteSlopesT<S>& slopes) const {
  const S* states = states_.data() + place.state;
  if (found_ == Found::resting || found_ == Found::frictionless) {
    slopes_at_rest(law(place), place.site, time_, motion(place), states, slopes);
  } else {
    law(place).slopes(place.site, time_, motion(place), states, slopes);
  }
}

template <typename S>
void SitesT<S>::follow(const SitePlace& place, SiteSlopesT<S>& slopes) const {
  raw_slopes(place, slopes);
  const int m = place.state_count, n = 6 * place.frame_count;
  if (m == 0) return;
  const auto by_state = slopes.by_state.topLeftCorner(n, m);
  if constexpr (std::is_same_v<S, double>) {
    if (found_ == Found::solved && factor_ != 0.0) {
      Within<k_most_states, 12 * k_most_site_frames> change(m, 2 * n);  // by pose, then by velocity
      change << slopes.rate_by_pose.topLeftCorner(m, n), slopes.rate_by_velocity.topLeftCorner(m, n);
      change *= factor_;
      solve_step(slopes, m, factor_, change);
      slopes.by_pose.topLeftCorner(n, n) += by_state.lazyProduct(change.leftCols(n));
      slopes.by_velocity.topLeftCorner(n, n) += by_state.lazyProduct(change.rightCols(n));
    } else if (found_ == Found::resting) {
      typename SiteSlopesT<S>::StatesByPose change;
      law(place).rest_state_slopes(place.site, time_, start_of(place), motion(place), change);
      slopes.by_pose.topLeftCorner(n, n) += by_state.lazyProduct(change.topLeftCorner(m, n));
    }
  }
}

template <typename S>
void SitesT<S>::stick(const SitePlace& place, typename SiteSlopesT<S>::StatesByPose& by_pose) const {
  PoseT<S> here[k_most_site_frames];
  for (int k = 0; k < place.frame_count; ++k) here[k] = motions_[place.frame[k]].pose;
  law(place).rest_state_slopes(place.site, time_, here, motion(place), by_pose);
}

template <typename S>
void SitesT<S>::follow_as_springs(const SitePlace& place, SiteSlopesT<S>& slopes) const {
  raw_slopes(place, slopes);
  const int m = place.state_count, n = 6 * place.frame_count;
  if (m == 0 || found_ == Found::frictionless) return;
  typename SiteSlopesT<S>::StatesByPose change;
  stick(place, change);
  if constexpr (std::is_same_v<S, double>) {
    slopes.by_pose.topLeftCorner(n, n) += slopes.by_state.topLeftCorner(n, m).lazyProduct(change.topLeftCorner(m, n));
  }
}

template class SitesT<double>;
template class SitesT<ForwardDual>;

}  // namespace cuttle
