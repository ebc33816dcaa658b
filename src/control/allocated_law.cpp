#include "control/allocated_law.h"

#include <fmt/format.h>

#include <cmath>

#include "control/bounded_slopes.h"
#include "cuttle/error.h"

namespace cuttle {
namespace {

constexpr double k_exact = 1e-9;  // relative error of an allocation that counts as exact

}  // namespace

AllocatedLaw::AllocatedLaw(const Model& model, const FeedbackSettings& settings, ControlPlaces places)
    : plant_(model, places.inputs),
      places_(std::move(places)),
      reference_(settings.reference, places_.coordinate_count()),
      kp_(gain_matrix("kp", settings.kp, places_.coordinate_count())),
      kd_(gain_matrix("kd", settings.kd, places_.coordinate_count())),
      allocation_(places_.input_count()),
      span_(places_.coordinate_count(), places_.input_count()),
      span_factor_(places_.coordinate_count(), places_.input_count()) {
  const int n = places_.coordinate_count(), m = places_.input_count(), nv = model.nv();
  if (m < n) {
    throw ArgumentError(Diagnostic(
        "inputs", fmt::format("{}: {} of them", names_of(model.input_info(), places_.inputs), m),
        fmt::format("at least {}, that span the coordinates {}", n, names_of(model.velocity_info(), places_.v))));
  }
  q_.resize(n), v_.resize(n), nu_.resize(n), w_.resize(m);
  spread_.resize(nv), error_.resize(nv);
  nu_by_q_.resize(n, nv), nu_by_v_.resize(n, nv), rows_.resize(m, nv);
  change_q_.resize(nv, nv), change_v_.resize(nv, nv);
}

void AllocatedLaw::read_coordinates(const ControlArguments& at) {
  for (int i = 0; i < places_.coordinate_count(); ++i) q_[i] = at.q[places_.q[i]], v_[i] = at.v[places_.v[i]];
}

void AllocatedLaw::add_feedback(const ControlArguments& at, VectorXd& sum) {
  off_ = reference_.at(at.time) - q_;
  sum.noalias() += kp_ * off_;
  sum.noalias() -= kd_ * v_;
}

void AllocatedLaw::describe(ControlColumns& columns) const {
  const auto& info = plant_.model().configuration_info();
  for (const int q : places_.q) columns.reference.push_back(info[static_cast<std::size_t>(q)]);
  columns.error = columns.reference;
}

void AllocatedLaw::observe(const ControlArguments& at, VectorOutT<double> reference, VectorOutT<double> error) {
  read_coordinates(at);
  reference = reference_.at(at.time), error = reference - q_;
}

/// Entries A_cj / sqrt(M_cc G_jj) are free of units, and none is above one.
void AllocatedLaw::check_span(double time) {
  for (Eigen::Index j = 0; j < span_.cols(); ++j) {
    const double input = plant_.G(j, j) > 0.0 ? 1.0 / std::sqrt(plant_.G(j, j)) : 0.0;
    for (Eigen::Index i = 0; i < span_.rows(); ++i) {
      const int c = places_.v[i];
      span_(i, j) = plant_.A(c, j) * input / std::sqrt(plant_.M(c, c));
    }
  }
  const double least = std::sqrt(Allocation::k_least_pivot);  // of rows and columns scaled by masses, at most one
  span_factor_.setThreshold(least);
  span_factor_.compute(span_);
  const auto rank = span_factor_.rank();
  if (rank == span_.rows() && span_factor_.maxPivot() > least) return;
  throw SimulationError(fmt::format("inputs {}: found rank {} at t = {:.9g} s, expected {}: they do not span {}",
                                    names_of(plant_.model().input_info(), places_.inputs), rank, time, span_.rows(),
                                    names_of(plant_.model().velocity_info(), places_.v)));
}

void AllocatedLaw::outputs(const ControlArguments& at, const OutputBounds& bounds, VectorXd& out) {
  read_coordinates(at);
  force(at, nu_);
  check_span(at.time);
  spread_.setZero();
  for (int i = 0; i < places_.coordinate_count(); ++i) spread_[places_.v[i]] = nu_[i];
  do {
    error_ = spread_;
    if (plant_.rubs()) error_ -= plant_.offset();
    w_.noalias() = plant_.Rb().transpose() * error_;
    allocation_.solve(plant_.Gb(), w_, bounds.lower, bounds.upper, out);
  } while (plant_.turn(out));
  error_ = -error_;
  error_.noalias() += plant_.B() * out;
  // in the norm of M^-1: half of the energy per time squared that the forces give to a robot at rest
  double wrong = 0.0, all = 0.0;
  plant_.divide_by_mass(spread_);
  for (int i = 0; i < places_.coordinate_count(); ++i) all += nu_[i] * spread_[places_.v[i]];
  spread_ = error_;
  plant_.divide_by_mass(error_);
  wrong = error_.dot(spread_);
  residual_ = all > 0.0 ? std::sqrt(std::max(wrong, 0.0) / all) : 0.0;
}

void AllocatedLaw::derivatives(const ControlArguments& at, const OutputBounds& bounds, const VectorXd& out,
                               const InputSlopes& before, MatrixXd& by_q, MatrixXd& by_v) {
  force_slopes(at, before, nu_by_q_, nu_by_v_);
  plant_.read_slopes(at);
  // The free inputs obey B^T M^-1 (B u + offset - nu) = 0, where B is A without friction. Differentiated, with
  // e = M^-1 (B u + offset - nu), which is error_:
  //   B^T M^-1 B du = B^T M^-1 (dM e - d(B u + offset) + dnu) - d(B)^T e
  change_q_.setZero(), change_v_.setZero();
  if (residual_ > k_exact || plant_.rubs()) {
    const InputSlopes* known = plant_.rubs() ? &before : nullptr;  // else what depends on them cancels
    const Plant::Slopes& with = plant_.motion_slopes(at, error_, &out, known);
    change_q_ = with.by_q, change_v_ = with.by_v;
    spread_.setZero();
    const Plant::Slopes& without = plant_.motion_slopes(at, spread_, nullptr, known);
    change_q_ -= without.by_q, change_v_ -= without.by_v;
  } else if (plant_.bends()) {
    for (int j = 0; j < places_.input_count(); ++j) change_q_ -= out[j] * plant_.slopes[j];
  }
  for (int i = 0; i < places_.coordinate_count(); ++i) {
    change_q_.row(places_.v[i]) += nu_by_q_.row(i);
    change_v_.row(places_.v[i]) += nu_by_v_.row(i);
  }
  const bool is_ambiguous =
      allocation_.may_be_ambiguous() && null_space_.read(plant_, at, allocation_.free(), out - allocation_.nearest());
  const auto finish = [&](const MatrixXd& change, const GivenSlopes& inputs_before, bool of_q, MatrixXd& result) {
    rows_.noalias() = plant_.Rb().transpose() * change;
    if (residual_ > k_exact) plant_.subtract_column_slopes(error_, of_q, rows_);
    allocate_slopes(allocation_, plant_.Gb(), places_, bounds, out, inputs_before, bound_, rows_);
    if (is_ambiguous) {
      nearest_rows_.setZero(rows_.rows(), rows_.cols());
      for (int k = 0; k < places_.input_count(); ++k) {
        const double nearest = allocation_.nearest()[k];
        if (nearest != 0.0) bound_slope(places_, bounds, k, nearest > 0.0, inputs_before, nearest_rows_.row(k));
      }
      null_space_.complete(plant_, of_q, nearest_rows_, rows_);
    }
    plant_.hold_slopes(inputs_before, rows_);
    result = rows_;
  };
  finish(change_q_, before.by_q, true, by_q);
  finish(change_v_, before.by_v, false, by_v);
}

}  // namespace cuttle
