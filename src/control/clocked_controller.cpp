// The frame around a law of the library: where it acts, its window, clock, noise and limits.
#include "control/clocked_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numbers>
#include <optional>
#include <random>

#include "control/bent_slopes.h"
#include "control/held_outputs.h"
#include "cuttle/error.h"
#include "cuttle/model/spelling.h"

namespace cuttle {
namespace {

constexpr double k_most_events = 1e7;  // of a clock in a run

[[noreturn]] void refuse_setting(const KeyPath& key, const std::string& found, const std::string& expected) {
  throw ArgumentError(Diagnostic(key, found, expected));
}

std::string count_of(std::size_t n, const char* what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); }

/// One number for all, or one each.
VectorXd spread(const KeyPath& key, const std::vector<double>& values, int n, double missing, const char* each) {
  if (values.empty()) return VectorXd::Constant(n, missing);
  if (values.size() == 1) return VectorXd::Constant(n, values[0]);
  if (values.size() != static_cast<std::size_t>(n)) {
    refuse_setting(key, count_of(values.size(), "number"), fmt::format("one number, or {}: one {}", n, each));
  }
  return Eigen::Map<const VectorXd>(values.data(), n);
}

/// Window, clock, noise and limits around a law.
class ClockedLaw final : public ControlLaw, private HeldOutputs {
 public:
  ClockedLaw(const Model& model, const ControlSettings& settings, const ControlPlaces& places,
             std::unique_ptr<OutputLaw> law)
      : model_(model), settings_(settings), places_(places), law_(std::move(law)) {
    const int m = places_.input_count(), nv = model.nv();
    lower_ = spread({"limits", "lower"}, settings.limits.lower, m, -k_unbounded, "an input");
    upper_ = spread({"limits", "upper"}, settings.limits.upper, m, k_unbounded, "an input");
    change_ = spread({"limits", "rate"}, settings.limits.rate, m, k_unbounded, "an input");
    for (int i = 0; i < m; ++i) {
      if (lower_[i] <= upper_[i]) continue;
      refuse_setting("limits", fmt::format("lower {:g} above upper {:g}", lower_[i], upper_[i]), "lower <= upper");
    }
    bounds_.lower = lower_, bounds_.upper = upper_;
    bounds_.lower_follows.assign(static_cast<std::size_t>(m), false);
    noise_q_ = spread({"noise", "q"}, settings.noise.q, nv, 0.0, "a velocity coordinate");
    noise_v_ = spread({"noise", "v"}, settings.noise.v, nv, 0.0, "a velocity coordinate");
    resolution_q_ = spread({"resolution", "q"}, settings.resolution.q, nv, 0.0, "a velocity coordinate");
    resolution_v_ = spread({"resolution", "v"}, settings.resolution.v, nv, 0.0, "a velocity coordinate");
    out_.setZero(m), held_.setZero(m), last_.setZero(m);
    own_q_.resize(m, nv), own_v_.resize(m, nv);
    if (!settings_.rate) return;
    state_.setZero(law_->state_count()), rates_.setZero(law_->state_count());
    law_->start(state_);
    before_ = {state_, last_, false};
    q_.resize(model.nq()), v_.resize(nv), step_.resize(nv), true_q_.resize(model.nq());
    waiting_.resize(static_cast<std::size_t>(std::ceil(settings_.delay * *settings_.rate)) + 2);
    for (Waiting& waiting : waiting_) waiting.out.setZero(m);
  }

  void add_inputs(const ControlArguments& at, VectorXd& u) override {
    if (!acts(at.time)) return;
    if (!settings_.rate) evaluate(at, false);
    const VectorXd& out = settings_.rate ? held_ : out_;
    for (int i = 0; i < places_.input_count(); ++i) u[places_.inputs[i]] += pulled(i, out[i], at.u);
  }

  void add_derivatives(const ControlArguments& at, MatrixXd& by_q, MatrixXd& by_v) override {
    if (!acts(at.time)) return;
    if (settings_.rate) {  // what is held does not change, but for tendons that would push
      for (int i = 0; i < places_.input_count(); ++i) {
        const int input = places_.inputs[i];
        if (pulled(i, held_[i], at.u) > held_[i]) by_q.row(input).setZero(), by_v.row(input).setZero();
      }
      return;
    }
    evaluate(at, false);
    own_q_.setZero(), own_v_.setZero();
    law_->derivatives(at, bounds_, out_, {by_q, by_v}, own_q_, own_v_);
    for (int i = 0; i < places_.input_count(); ++i) {
      by_q.row(places_.inputs[i]) += own_q_.row(i);
      by_v.row(places_.inputs[i]) += own_v_.row(i);
    }
  }

  int state_count() const override { return settings_.rate ? 0 : law_->state_count(); }
  void start(VectorOutT<double> state) const override {
    if (!settings_.rate) law_->start(state);
  }
  void state_rates(const ControlArguments& at, VectorOutT<double> rates) override {
    rates.setZero();
    if (!acts(at.time)) return;
    bound(at.u);
    law_->rates(at, bounds_, rates);
  }

  bool rate_derivatives(const ControlArguments& at, MatrixXd& by_q, MatrixXd& by_v) override {
    by_q.setZero(), by_v.setZero();
    if (!acts(at.time)) return true;
    bound(at.u);
    law_->rate_slopes(at, bounds_, by_q, by_v);
    return true;
  }

  void add_events(double until, std::vector<double>& times) const override {
    if (!settings_.rate) return;
    const double last = std::min(until, settings_.end);
    if ((last - first_sample()) * *settings_.rate > k_most_events) {
      throw ArgumentError(fmt::format("rate: found {:g} Hz for {:g} s, expected at most {:g} samples", *settings_.rate,
                                      last - first_sample(), k_most_events));
    }
    for (std::int64_t k = 0; sample_time(k) < last; ++k) {
      const double time = sample_time(k);
      if (time > 0.0) times.push_back(time);
      if (settings_.delay > 0.0 && time + settings_.delay < last) times.push_back(time + settings_.delay);
    }
  }

  ControlColumns columns(const Model& /*model*/) const override {
    ControlColumns columns;
    columns.inputs = places_.inputs;
    law_->describe(columns);
    if (law_->allocation_residual()) columns.state.push_back({"allocation_residual", ""});
    return columns;
  }
  /// Of the motion as it is, at all times, also for a law that is told of it at samples and with noise.
  void record(const ControlArguments& at, VectorOutT<double> reference, VectorOutT<double> error,
              VectorOutT<double> state) override {
    law_->observe(at, reference, error);
    state.head(law_->state_count()) = settings_.rate ? state_ : at.state;
    if (const auto residual = law_->allocation_residual()) state[law_->state_count()] = *residual;
  }

  std::vector<SetPoint> set_points() const override {
    std::vector<SetPoint> all;
    ControlColumns columns;
    law_->describe(columns);
    for (const std::size_t i : constant_references()) {
      all.push_back({columns.reference[i], law_->reference()->signals()[i].at(0.0)});
    }
    return all;
  }
  void move_set_point(int index, double value) override {
    law_->reference()->set(constant_references()[static_cast<std::size_t>(index)], Signal(value));
  }

  void seed(std::uint64_t seed) override { random_.seed(seed); }

  /// Samples that follow the motion smoothly: what is rounded does not follow it at all, or jumps.
  HeldOutputs* held_outputs() override {
    const bool is_rounded = resolution_q_.any() || resolution_v_.any();
    const bool turns_by_noise = noise_q_.any() && model_.nq() != model_.nv();
    return !settings_.rate || is_rounded || turns_by_noise ? nullptr : this;
  }

  void sample(const ControlArguments& at) override {
    if (!settings_.rate) return;
    give_out(at.time);
    if (!acts(at.time) || at.time < sample_time(next_)) return;
    while (sample_time(next_ + 1) <= at.time) ++next_;  // what began later than the window: the latest alone
    const double time = sample_time(next_++);
    measure(at);
    ControlArguments measured{at.time, q_, v_, at.u, state_, at.robot_state};
    measured.sensors = at.sensors, measured.heartbeat = at.heartbeat;
    before_ = {state_, last_, began_};
    take(measured);
    ++taken_;
    Waiting& waiting = waiting_[(first_waiting_ + waiting_count_++) % waiting_.size()];
    waiting.time = time + settings_.delay, waiting.out = out_;
    give_out(at.time);
  }

 private:
  const std::vector<int>& inputs() const override { return places_.inputs; }
  const VectorXd& held() const override { return held_; }
  void hold(const VectorXd& held) override { held_ = held; }
  Gets gets(int input, double time, const VectorXd& u) const override {
    if (!acts(time)) return Gets::nothing;
    return pulled(input, held_[input], u) == held_[input] ? Gets::held : Gets::what_is_left;
  }
  std::int64_t taken() const override { return taken_; }
  std::int64_t given_out() const override { return given_out_; }
  void slopes(const ControlArguments& at, const InputSlopes& before, MatrixXd& by_q, MatrixXd& by_v) override {
    law_->derivatives(sampled(at), bounds_, out_, before, by_q, by_v);
  }
  int memory_count() const override {
    const bool follows = (change_.array() < k_unbounded).any();
    return static_cast<int>(state_.size() + (follows ? last_.size() : 0));
  }
  void memory_slopes(const ControlArguments& at, const MatrixXd& output_by_q, const MatrixXd& output_by_v,
                     MatrixXd& by_q, MatrixXd& by_v) override {
    const Eigen::Index states = state_.size(), rest = memory_count() - states;
    by_q.bottomRows(rest) = output_by_q.topRows(rest), by_v.bottomRows(rest) = output_by_v.topRows(rest);
    if (states == 0) return;
    own_q_.resize(states, by_q.cols()), own_v_.resize(states, by_v.cols());
    law_->rate_slopes(sampled(at), bounds_, own_q_, own_v_);
    law_->rates(sampled(at), bounds_, rates_);
    for (Eigen::Index k = 0; k < states; ++k) {
      const double part = is_projected(k) ? 0.0 : 1.0 / *settings_.rate;
      by_q.row(k) = part * own_q_.row(k), by_v.row(k) = part * own_v_.row(k);
    }
    own_q_.resize(places_.input_count(), by_q.cols()), own_v_.resize(places_.input_count(), by_v.cols());
  }
  /// Differences of the sample, taken again with other memories.
  void slopes_of_memory(const ControlArguments& at, MatrixXd& outputs, MatrixXd& memory) override {
    const VectorXd state_after = state_;
    const Eigen::Index states = state_.size(), count = memory_count();
    outputs.setZero(out_.size(), count), memory.setZero(count, count);
    for (Eigen::Index k = 0; k < count; ++k) {
      const bool of_state = k < states;
      if (!of_state && !before_.began) continue;  // nothing was said before the first
      const double value = of_state ? before_.state[k] : before_.last[k - states];
      if (!of_state && std::isinf(change_[k - states])) continue;
      const double change = of_state ? std::abs(state_after[k] - value) : change_[k - states] / *settings_.rate;
      const double step = of_state ? 1e-3 * std::abs(value) + 1e-2 * change + k_least_memory_step
                                   : 1e-5 * (std::abs(value) + change) + k_least_memory_step;
      const VectorXd slope = slope_beside_bends(step, [&](double by) {
        Memory before = before_;
        (of_state ? before.state[k] : before.last[k - states]) += by;
        return taken_again(at, before, at.robot_state);
      });
      outputs.col(k) = slope.head(out_.size()), memory.col(k) = slope.tail(count);
    }
  }
  VectorXd said_with(const ControlArguments& at, const VectorXd& robot_state) override {
    return taken_again(at, before_, robot_state);
  }

  struct Memory {
    VectorXd state, last;
    bool began = false;
  };
  /// What the last sample would have said, and the memory after it. Then all is as it was.
  VectorXd taken_again(const ControlArguments& at, const Memory& before, const VectorXd& robot_state) {
    const Memory after{state_, last_, began_};
    const VectorXd said = out_;
    const OutputBounds held_by = bounds_;
    state_ = before.state, last_ = before.last, began_ = before.began;
    take({at.time, q_, v_, at.u, before.state, robot_state});
    const Eigen::Index states = state_.size(), count = memory_count();
    VectorXd all(out_.size() + count);
    all << out_, state_, last_.head(count - states);
    state_ = after.state, last_ = after.last, began_ = after.began, out_ = said, bounds_ = held_by;
    law_->outputs(sampled(at), bounds_, out_);  // as the slopes of the same arguments want
    out_ = said;
    return all;
  }
  /// A sample: what it says, and what is kept of it.
  void take(const ControlArguments& measured) {
    evaluate(measured, began_);
    began_ = true;
    last_ = out_;
    if (state_.size() == 0) return;
    law_->rates(measured, bounds_, rates_);
    state_ += rates_ / *settings_.rate;
    law_->project(state_);
  }
  /// What the last sample saw.
  ControlArguments sampled(const ControlArguments& at) const {
    return {at.time, q_, v_, at.u, before_.state, at.robot_state};
  }
  /// Whether a state of the last sample was brought back to where it may be.
  bool is_projected(Eigen::Index k) const { return state_[k] != before_.state[k] + rates_[k] / *settings_.rate; }
  static constexpr double k_least_memory_step = 1e-9;

  static constexpr double k_unbounded = std::numeric_limits<double>::infinity();
  struct Waiting {
    double time = 0.0;
    VectorXd out;
  };

  std::vector<std::size_t> constant_references() const {
    std::vector<std::size_t> places;
    const Reference* reference = law_->reference();
    for (std::size_t i = 0; reference != nullptr && i < reference->signals().size(); ++i) {
      if (reference->signals()[i].is_constant()) places.push_back(i);
    }
    return places;
  }

  bool acts(double time) const { return time >= settings_.begin && time < settings_.end; }
  double first_sample() const { return std::max(0.0, settings_.begin); }
  double sample_time(std::int64_t k) const { return first_sample() + static_cast<double>(k) / *settings_.rate; }

  /// Limits, and tendons that pull no less than nothing together with what pulls already.
  void bound(const VectorXd& u) {
    for (int i = 0; i < places_.input_count(); ++i) {
      const double slack = places_.pulls[i] ? -u[places_.inputs[i]] : -k_unbounded;
      bounds_.upper[i] = upper_[i];
      bounds_.lower_follows[i] = slack > lower_[i] && slack <= upper_[i];
      bounds_.lower[i] = std::min(std::max(lower_[i], slack), upper_[i]);
    }
  }

  /// @param follows  whether limits.rate holds it near the last sample: a law knows of that as of other limits.
  void evaluate(const ControlArguments& at, bool follows) {
    bound(at.u);
    for (int i = 0; follows && i < places_.input_count(); ++i) {
      const double most = change_[i] / *settings_.rate;
      bounds_.upper[i] = std::max(std::min(bounds_.upper[i], last_[i] + most), bounds_.lower[i]);
      const double lower = std::min(std::max(bounds_.lower[i], last_[i] - most), bounds_.upper[i]);
      if (lower != bounds_.lower[i]) bounds_.lower_follows[static_cast<std::size_t>(i)] = false;
      bounds_.lower[i] = lower;
    }
    law_->outputs(at, bounds_, out_);
    out_ = out_.cwiseMax(bounds_.lower).cwiseMin(bounds_.upper);
  }

  /// What is set for an input: of a tendon that cannot push no less than minus what pulls now.
  double pulled(int i, double out, const VectorXd& u) const {
    return places_.pulls[static_cast<std::size_t>(i)] ? std::max(out, -u[places_.inputs[i]]) : out;
  }

  /// What the law is told of the motion, into q_ and v_.
  void measure(const ControlArguments& at) {
    for (Eigen::Index i = 0; i < step_.size(); ++i) step_[i] = noise_q_[i] * normal();
    true_q_ = at.q;
    integrate<double>(model_, true_q_, step_, q_);
    for (Eigen::Index i = 0; i < v_.size(); ++i) v_[i] = at.v[i] + noise_v_[i] * normal();
    const auto rounded = [](double x, double unit) { return unit > 0.0 ? unit * std::round(x / unit) : x; };
    for (const Edge& edge : model_.topology().edges) {
      // of coordinates with a quaternion the position alone, whose velocities stand last
      const int count = edge.nq == edge.nv ? edge.nq : edge.nv - 3;
      for (int i = 0; i < count; ++i) {
        q_[edge.q + i] = rounded(q_[edge.q + i], resolution_q_[edge.v + edge.nv - count + i]);
      }
    }
    for (Eigen::Index i = 0; i < v_.size(); ++i) v_[i] = rounded(v_[i], resolution_v_[i]);
  }

  /// Normally distributed, the same on every machine (std::normal_distribution is not): Box and Muller.
  double normal() {
    const double radius = 1.0 - static_cast<double>(random_() >> 11) * 0x1p-53;  // in (0, 1]
    const double turn = static_cast<double>(random_() >> 11) * 0x1p-53;
    return std::sqrt(-2.0 * std::log(radius)) * std::cos(2.0 * std::numbers::pi * turn);
  }

  /// Outputs whose time has come.
  void give_out(double time) {
    while (waiting_count_ > 0 && waiting_[first_waiting_].time <= time) {
      held_ = waiting_[first_waiting_].out;
      first_waiting_ = (first_waiting_ + 1) % waiting_.size();
      --waiting_count_, ++given_out_;
    }
  }

  const Model& model_;
  ControlSettings settings_;
  ControlPlaces places_;
  std::unique_ptr<OutputLaw> law_;
  VectorXd lower_, upper_, change_;
  OutputBounds bounds_;
  VectorXd out_;
  MatrixXd own_q_, own_v_;
  // of a clock
  std::mt19937_64 random_;
  VectorXd noise_q_, noise_v_, resolution_q_, resolution_v_;
  VectorXd q_, v_, true_q_, step_, state_, rates_, held_, last_;
  std::vector<Waiting> waiting_;
  std::size_t first_waiting_ = 0, waiting_count_ = 0;
  std::int64_t next_ = 0;
  std::int64_t taken_ = 0, given_out_ = 0;
  bool began_ = false;
  Memory before_;  ///< the last sample
};

}  // namespace

void place_inputs(const Model& model, const std::vector<std::string>& names, ControlPlaces& places) {
  const auto& info = model.input_info();
  int count = 0;  // of the actuators' inputs: they stand first
  std::vector<std::string> known;
  std::vector<std::pair<int, int>> ranges;
  for (const Actuator& actuator : model.robot().actuators) {
    known.push_back(actuator.name);
    const int inputs = static_cast<int>(actuator.inputs().size());
    ranges.emplace_back(count, inputs);
    count += inputs;
  }
  for (int i = 0; i < count; ++i) {
    if (std::find(known.begin(), known.end(), info[i].name) != known.end()) continue;
    known.push_back(info[i].name);
    ranges.emplace_back(i, 1);
  }
  const auto add = [&](int first, int n, std::size_t index) {
    for (int i = first; i < first + n; ++i) {
      if (std::find(places.inputs.begin(), places.inputs.end(), i) != places.inputs.end()) {
        refuse_setting({"inputs", index}, "'" + info[i].name + "' again", "each input once");
      }
      places.inputs.push_back(i);
    }
  };
  if (names.empty()) add(0, count, 0);
  for (std::size_t k = 0; k < names.size(); ++k) {
    const auto found = std::find(known.begin(), known.end(), names[k]);
    if (found == known.end()) {
      refuse_setting(
          {"inputs", k}, "no input of an actuator '" + names[k] + "'",
          known.empty() ? "none: the robot has no actuators" : "an actuator" + did_you_mean(names[k], known));
    }
    const auto [first, n] = ranges[static_cast<std::size_t>(found - known.begin())];
    add(first, n, k);
  }
  if (places.inputs.empty()) refuse_setting("inputs", "a robot without actuators", "at least one input");
  places.pulls.assign(places.inputs.size(), false);
  for (const auto& tendon : model.tendons()) {
    const auto at = std::find(places.inputs.begin(), places.inputs.end(), tendon.input);
    if (at != places.inputs.end()) {
      places.pulls[static_cast<std::size_t>(at - places.inputs.begin())] = tendon.slack != Slack::allow;
    }
  }
}

void place_coordinates(const Model& model, const ControlledLinks& names, ControlPlaces& places) {
  const auto add = [&](const auto& link, const KeyPath& key) {
    if (link.nq != link.nv) {
      refuse_setting(key, "'" + link.name + "', whose joint has a quaternion", "links with coordinates of R^n");
    }
    for (int i = 0; i < link.nv; ++i) {
      if (std::find(places.v.begin(), places.v.end(), link.v + i) != places.v.end()) {
        refuse_setting(key, "'" + link.name + "' again", "each link once");
      }
      places.q.push_back(link.q + i), places.v.push_back(link.v + i);
    }
  };
  if (names.empty()) {
    if (model.robot().floating_base) {
      refuse_setting("links", "none, on a robot with a floating base", "names of links with coordinates of R^n");
    }
    for (const auto& link : model.links()) add(link, "links");
  }
  for (std::size_t k = 0; k < names.size(); ++k) {
    std::vector<std::string> known;
    for (const auto& link : model.links()) known.push_back(link.name);
    const auto found = std::find(known.begin(), known.end(), names[k]);
    if (found == known.end()) {
      refuse_setting({"links", k}, "no link '" + names[k] + "'", "a link" + did_you_mean(names[k], known));
    }
    add(model.links()[static_cast<std::size_t>(found - known.begin())], {"links", k});
  }
  if (places.v.empty()) refuse_setting("links", "links without coordinates", "at least one coordinate");
}

std::unique_ptr<ControlLaw> clocked_law(const Model& model, const ControlSettings& settings,
                                        const ControlPlaces& places, std::unique_ptr<OutputLaw> law) {
  return std::make_unique<ClockedLaw>(model, settings, places, std::move(law));
}

void check_common(const ControlSettings& settings) {
  if (!(settings.begin < settings.end)) {
    refuse_setting("window", fmt::format("[{:g}, {:g}]", settings.begin, settings.end), "begin before end");
  }
  if (settings.rate) {
    const double rate = *settings.rate, waiting = settings.delay * rate;
    if (!(rate > 0.0) || !std::isfinite(rate)) {
      refuse_setting("rate", fmt::format("{:g}", rate), "a finite number > 0 [Hz]");
    }
    if (!(waiting >= 0.0 && waiting <= k_most_events)) {
      refuse_setting("delay", fmt::format("{:g} s, {:g} samples", settings.delay, waiting),
                     fmt::format("a number >= 0 [s], at most {:g} samples", k_most_events));
    }
    return;
  }
  const auto needs_clock = [](bool given, const KeyPath& key) {
    if (given) refuse_setting(key, "it, and no `rate`", "a `rate`: a continuous law has none of it");
  };
  needs_clock(settings.delay != 0.0, "delay");
  needs_clock(!settings.noise.q.empty() || !settings.noise.v.empty(), "noise");
  needs_clock(!settings.resolution.q.empty() || !settings.resolution.v.empty(), "resolution");
  needs_clock(!settings.limits.rate.empty(), {"limits", "rate"});
}

}  // namespace cuttle
