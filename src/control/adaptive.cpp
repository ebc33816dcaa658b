// Passivity-based adaptive control: nu = Y(q, v, v_r, a_r) theta - K r and theta' = -Gamma Y^T r with r = v - v_r and
// v_r = q_d' - Lambda (q - q_d). Then V = 1/2 r^T M r + 1/2 (theta - theta*)^T Gamma^-1 (theta - theta*) never grows.
#include <fmt/format.h>

#include <algorithm>

#include "control/allocated_law.h"
#include "control/clocked_controller.h"
#include "control/regressor.h"
#include "cuttle/error.h"

namespace cuttle {
namespace {

constexpr double k_rounding = 0.01;  // part of a range at its ends in which an estimate comes to rest

std::vector<std::string> paths_of(const AdaptiveSettings& settings) {
  std::vector<std::string> paths;
  for (const EstimatedParameter& parameter : settings.parameters) paths.push_back(parameter.path);
  return paths;
}

VectorXd numbers_of(const AdaptiveSettings& settings, double EstimatedParameter::*member) {
  VectorXd numbers(static_cast<Eigen::Index>(settings.parameters.size()));
  for (Eigen::Index k = 0; k < numbers.size(); ++k)
    numbers[k] = settings.parameters[static_cast<std::size_t>(k)].*member;
  return numbers;
}

class Adaptive final : public AllocatedLaw {
 public:
  Adaptive(const Model& model, const AdaptiveSettings& settings, ControlPlaces places)
      : AllocatedLaw(model, without_gains(settings), std::move(places)),
        paths_(paths_of(settings)),
        initial_(numbers_of(settings, &EstimatedParameter::initial)),
        lower_(numbers_of(settings, &EstimatedParameter::lower)),
        upper_(numbers_of(settings, &EstimatedParameter::upper)),
        regressor_(model, paths_, initial_),
        lambda_(gain_matrix("lambda", settings.lambda, places_.coordinate_count())),
        kr_(gain_matrix("kr", settings.kr, places_.coordinate_count())),
        gamma_(gain_matrix("gamma", settings.gamma, static_cast<int>(paths_.size()))) {
    const int n = places_.coordinate_count(), nv = model.nv(), p = static_cast<int>(paths_.size());
    for (VectorXd* x : {&v_r_, &a_r_, &full_}) x->setZero(nv);
    for (VectorXd* x : {&off_, &rate_, &r_}) x->setZero(n);
    for (VectorXd* x : {&estimate_, &wanted_rate_, &free_}) x->setZero(p);
    Y_.setZero(n, p), rate_rows_.setZero(p, nv);
    // v_r and a_r follow the motion alike at all times
    for (MatrixXd* x : {&reference_slopes_.v_r_by_q, &reference_slopes_.v_r_by_v, &reference_slopes_.a_r_by_v}) {
      x->setZero(nv, nv);
    }
    reference_slopes_.v_r_by_v.setIdentity();
    for (int i = 0; i < n; ++i) {
      reference_slopes_.v_r_by_v(places_.v[i], places_.v[i]) = 0.0;
      for (int j = 0; j < n; ++j) {
        reference_slopes_.v_r_by_q(places_.v[i], places_.v[j]) = -lambda_(i, j);
        reference_slopes_.a_r_by_v(places_.v[i], places_.v[j]) = -lambda_(i, j);
      }
    }
    identity_.setIdentity(n, n);
  }

  int state_count() const override { return static_cast<int>(paths_.size()); }
  void start(VectorOutT<double> state) const override { state = initial_; }
  void project(VectorOutT<double> state) const override { state = state.cwiseMax(lower_).cwiseMin(upper_).eval(); }
  void describe(ControlColumns& columns) const override {
    AllocatedLaw::describe(columns);
    for (const std::string& path : paths_) columns.state.push_back({path, ""});
  }

  /// Toward the end of its range the rate of an estimate fades, so that it does not jump.
  void rates(const ControlArguments& at, const OutputBounds& /*bounds*/, VectorOutT<double> rates) override {
    read_reference_motion(at);
    for (Eigen::Index k = 0; k < rates.size(); ++k) {
      const double left = wanted_rate_[k] < 0.0 ? at.state[k] - lower_[k] : upper_[k] - at.state[k];
      free_[k] = std::clamp(left / (k_rounding * (upper_[k] - lower_[k])), 0.0, 1.0);
      rates[k] = free_[k] * wanted_rate_[k];
      if (at.factor == 0.0) continue;
      // within an implicit step the estimate is state + factor rate
      const double within =
          std::clamp(rates[k], (lower_[k] - at.state[k]) / at.factor, (upper_[k] - at.state[k]) / at.factor);
      if (within != rates[k]) rates[k] = within, free_[k] = 0.0;
    }
  }

  void rate_slopes(const ControlArguments& at, const OutputBounds& bounds, MatrixXd& by_q, MatrixXd& by_v) override {
    VectorXd found(state_count());
    rates(at, bounds, found);
    estimate_ = at.state;
    read_force_slopes(at);
    find_rate_rows(regressor_.weighted_by_q, lambda_), by_q = rate_rows_;
    find_rate_rows(regressor_.weighted_by_v, identity_), by_v = rate_rows_;
  }

 private:
  void force(const ControlArguments& at, VectorXd& nu) override {
    plant_.read_inertia(at);
    estimate_ = at.state.cwiseMax(lower_).cwiseMin(upper_);
    reference_force(at, nu);
  }

  void force_slopes(const ControlArguments& at, const InputSlopes& /*before*/, MatrixXd& by_q,
                    MatrixXd& by_v) override {
    read_force_slopes(at);
    finish(at.factor, regressor_.force_by_q, regressor_.weighted_by_q, lambda_, by_q);
    finish(at.factor, regressor_.force_by_v, regressor_.weighted_by_v, identity_, by_v);
  }

  void read_force_slopes(const ControlArguments& at) {
    read_reference_motion(at);
    for (int i = 0; i < places_.coordinate_count(); ++i) Y_.row(i) = regressor_.Y.row(places_.v[i]);
    regressor_.read_slopes(at.q, at.v, v_r_, a_r_, reference_slopes_, estimate_, full_);
  }

  /// Of the rates, from how Y^T r changes at given r, and r: into rate_rows_.
  void find_rate_rows(const MatrixXd& weighted, const MatrixXd& of_r) {
    spread_r_.noalias() = Y_.transpose() * of_r;
    rate_rows_ = weighted;
    for (int j = 0; j < places_.coordinate_count(); ++j) rate_rows_.col(places_.v[j]) += spread_r_.col(j);
    rate_rows_ = (-gamma_ * rate_rows_).eval();
    rate_rows_.array().colwise() *= free_.array();
  }

  /// Rows of nu from those of Y theta and Y^T r at given r, and of r, which are of the controlled coordinates alone.
  void finish(double factor, const MatrixXd& force, const MatrixXd& weighted, const MatrixXd& of_r, MatrixXd& result) {
    const int n = places_.coordinate_count();
    find_rate_rows(weighted, of_r);
    for (int i = 0; i < n; ++i) result.row(i) = force.row(places_.v[i]);
    result.noalias() += factor * Y_ * rate_rows_;
    damped_r_.noalias() = kr_ * of_r;
    for (int j = 0; j < n; ++j) result.col(places_.v[j]) -= damped_r_.col(j);
  }

  /// Y theta - K r of the controlled coordinates, with the estimates as they are.
  void reference_force(const ControlArguments& at, VectorXd& nu) {
    read_reference_motion(at);
    sum_ = regressor_.rest;
    sum_.noalias() += regressor_.Y * estimate_;
    nu.resize(places_.coordinate_count());
    for (int i = 0; i < places_.coordinate_count(); ++i) nu[i] = sum_[places_.v[i]];
    nu.noalias() -= kr_ * r_;
  }

  /// Regressor, r and -Gamma Y^T r. Coordinates that are not controlled move as they do and are not accelerated.
  void read_reference_motion(const ControlArguments& at) {
    read_coordinates(at);
    off_ = reference_.at(at.time) - q_;
    const VectorXd &rate = reference_.rate_at(at.time), &acceleration = reference_.acceleration_at(at.time);
    rate_ = rate;
    rate_.noalias() += lambda_ * off_;
    r_ = v_ - rate_;
    v_r_ = at.v, a_r_.setZero();
    off_ = rate - v_;
    for (int i = 0; i < places_.coordinate_count(); ++i) v_r_[places_.v[i]] = rate_[i];
    rate_ = acceleration;
    rate_.noalias() += lambda_ * off_;
    for (int i = 0; i < places_.coordinate_count(); ++i) a_r_[places_.v[i]] = rate_[i];
    regressor_.read(at.q, at.v, v_r_, a_r_);
    full_.setZero();
    for (int i = 0; i < places_.coordinate_count(); ++i) full_[places_.v[i]] = r_[i];
    slope_.noalias() = regressor_.Y.transpose() * full_;
    wanted_rate_.noalias() = -gamma_ * slope_;
  }

  std::vector<std::string> paths_;
  VectorXd initial_, lower_, upper_;
  Regressor regressor_;
  MatrixXd lambda_, kr_, gamma_;
  Regressor::ReferenceSlopes reference_slopes_;
  VectorXd v_r_, a_r_, full_, sum_, off_, rate_, r_, estimate_, slope_, wanted_rate_, free_;
  MatrixXd Y_, rate_rows_, spread_r_, damped_r_, identity_;
};

LawT<AdaptiveSettings> adaptive() {
  return {.type = "adaptive",
          .about =
              "Coordinates of links follow their references by a model with parameters that it estimates as it goes: "
              "nu = Y theta - K r.",
          .example =
              "{name: arm, type: adaptive, links: [shoulder], inputs: [motor], reference: [{type: sine, amplitude: "
              "0.5, frequency: 0.5}], lambda: 5, kr: 2, gamma: 1, parameters: [{path: links.shoulder.body.mass, "
              "initial: 0.5, lower: 0.1, upper: 2}]}",
          .describe =
              [](AdaptiveSettings& settings, SettingVisitor& visitor) {
                visitor.inputs(settings.inputs), visitor.links(settings.links);
                visitor.reference(settings);
                visitor.gain("lambda", settings.lambda,
                             "Lambda, how fast errors decay [1/s]: a gain as `kp` of other laws.");
                visitor.gain("kr", settings.kr, "K, of the sliding velocity r, likewise.");
                visitor.gain("gamma", settings.gamma,
                             "Gamma, how fast estimates move: a number, one a parameter, or a matrix by rows.");
                visitor.estimates(settings.parameters);
              },
          .bind = bind_effort_law<Adaptive, AdaptiveSettings>,
          .controls = Controls::configuration};
}

}  // namespace

std::shared_ptr<const Controller> make_adaptive(AdaptiveSettings settings) {
  if (settings.parameters.empty()) throw ArgumentError(Diagnostic("parameters", "none", "at least one to estimate"));
  for (std::size_t k = 0; k < settings.parameters.size(); ++k) {
    const auto& [path, initial, lower, upper] = settings.parameters[k];
    if (lower < upper && lower <= initial && initial <= upper) continue;
    throw ArgumentError(Diagnostic({"parameters", k}, fmt::format("{:g} in [{:g}, {:g}]", initial, lower, upper),
                                   "lower < upper and an initial value between them"));
  }
  return clocked_controller(adaptive(), std::move(settings));
}

LibraryLaw adaptive_law() { return library_law(adaptive(), make_adaptive); }

}  // namespace cuttle
