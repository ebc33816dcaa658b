#pragma once

#include <Eigen/Core>
#include <array>
#include <optional>
#include <vector>

#include "cuttle/algorithms/sites.h"

namespace cuttle {

/// A site with states that was apart at the instant before and touches now.
///
/// There the rates of its states jump. A touch that has begun earlier by dt leaves a bristle that is longer by v dt,
/// with steps of any length. The map of a step says something else of that: a bristle grows by some weight of the step
/// whenever in it the touch began, but where it is too long for a cone that has hardly opened. So values go up a
/// staircase of the instant of touch, with ramps between, and lack less than a step. Its slopes are those of no
/// solution. What they tend to where steps get short, derivatives begin with here: those of states that have grown from
/// nothing for as long as the site touches, x = t r(x). Just after the touch began all is in proportion to t, and x is
/// exact: v t of what sticks, the end of the cone of what slides.
///
/// How long that is follows from what the site stores, E(d): along any number p of which the depth d is a function,
/// dt/dp = (dE/dp) / (dE/dt). Just after the touch began other parts of dE/dp, as by a stiffness, are nothing.
struct TouchDown {
  int place = 0;                                                     ///< in SitesT::places
  double since = 0.0;                                                ///< how long before the instant E is looked at [s]
  double power = 0.0;                                                ///< dE/dt there [W]
  double lasted = 0.0;                                               ///< t [s]
  Eigen::Vector4d states = Eigen::Vector4d::Zero(), rates = states;  ///< x, r(x)
  Eigen::Matrix4d solved = Eigen::Matrix4d::Zero();                  ///< (I - t dr/dx)^-1
};

/// Finds the touch-downs of a run, from one instant to the next.
class TouchWatch {
 public:
  /// @param model  outlives this.
  explicit TouchWatch(const Model& model);
  /// Whether there is anything to watch: a site that has states.
  bool watches() const { return sites_.has_value(); }

  /// Where a run begins: what touches there has not touched down.
  void begin(double time, const VectorXd& q, const VectorXd& v);
  /// At the end of a step. @return valid until the next call.
  const std::vector<TouchDown>& see(double time, const VectorXd& q, const VectorXd& v);
  /// The same once more for the last time, in place of what was seen. @param length  of the step.
  const std::vector<TouchDown>& see_again(double time, const VectorXd& q, const VectorXd& v, double length);
  /// What was seen, with the states of all sites there in place of x: where errors are controlled these are a solution
  /// as it is some time after its touch, whatever it began with, and what it does when shifted in time is its rate.
  const std::vector<TouchDown>& with_states(VectorInT<double> states);

 private:
  /// Sites that touch at an instant, into touch_.
  void look(double time, const VectorXd& q, const VectorXd& v);
  void add(int place, double length);
  /// Finds r(x) and (I - t dr/dx)^-1 for its states. @return dr/dx.
  Eigen::Matrix4d solve(TouchDown& touch) const;

  const Model& model_;
  std::optional<Data> data_;  ///< none without anything to watch
  std::optional<Sites> sites_;
  double time_ = 0.0;
  VectorXd no_states_;
  std::vector<char> touch_, touched_;  ///< of places: now, and at the instant before
  std::vector<TouchDown> found_;
};

/// Touch-downs of those steps of a run that have some, for the way back.
class TouchRecords {
 public:
  struct OfStep {
    std::size_t steps;  ///< with it
    double time;        ///< at which the touch-downs were seen
    std::vector<TouchDown> touches;
  };
  void keep(std::size_t steps, double time, const std::vector<TouchDown>& touches) {
    if (!touches.empty()) kept_.push_back({steps, time, touches});
  }
  /// Of the last of so many steps; null: it has none.
  const OfStep* find(std::size_t steps) const {
    return !kept_.empty() && kept_.back().steps == steps ? &kept_.back() : nullptr;
  }
  void drop_last() { kept_.pop_back(); }

 private:
  std::vector<OfStep> kept_;
};

/// Derivatives with which the states of a site begin at a touch-down, along the directions of the motion and of the
/// robot's numbers; values are of no meaning.
/// @param sites  as they were asked at that instant.
std::array<ForwardDual, 4> begun_states(const SitesT<ForwardDual>& sites, const TouchDown& touch, double time);

/// Calls use(state, begun) with each of them, and which state of all sites it belongs to.
template <typename Use>
void for_each_begun(const SitesT<ForwardDual>& sites, const std::vector<TouchDown>& touches, double time,
                    const Use& use) {
  for (const TouchDown& touch : touches) {
    const SitePlace& place = sites.places()[static_cast<std::size_t>(touch.place)];
    const auto begun = begun_states(sites, touch, time);
    for (int r = 0; r < place.state_count; ++r) use(place.state + r, begun[static_cast<std::size_t>(r)]);
  }
}
/// The derivatives of one number, the value of the other.
inline ForwardDual with_value(ForwardDual derivatives, const ForwardDual& value) {
  derivatives.value = value.value;
  return derivatives;
}

/// A touch-down, and what the states of its site are worth after it.
struct WorthOfTouch {
  const TouchDown& touch;
  Eigen::Vector4d by_states = Eigen::Vector4d::Zero();

  /// What the motion and the numbers behind them are worth along direction k.
  double along(const std::array<ForwardDual, 4>& begun, int k) const {
    double worth = 0.0;
    for (int r = 0; r < 4; ++r) worth += by_states[r] * begun[static_cast<std::size_t>(r)].derivative[k];
    return worth;
  }
};
/// Takes from what the states of all sites are worth after touch-downs that of the sites that touch down: before, their
/// states are worth nothing.
std::vector<WorthOfTouch> take_worth_of_touches(const std::vector<SitePlace>& places,
                                                const std::vector<TouchDown>& touches, Eigen::Ref<VectorXd> by_states);

}  // namespace cuttle
