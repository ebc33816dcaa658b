#include "control/plant.h"

#include <fmt/format.h>

#include <cmath>

#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/algorithms/state_loads.h"
#include "cuttle/error.h"

namespace cuttle {

Plant::Plant(const Model& model, const std::vector<int>& inputs)
    : model_(&model), inputs_(inputs), data_(model), system_(model, {}), factor_(model.nv()) {
  const int nv = model.nv(), m = static_cast<int>(inputs.size());
  A.setZero(nv, m), R.setZero(nv, m), G.setZero(m, m), M.setZero(nv, nv);
  rate.setZero(m), rest.setZero(nv), free_acceleration.setZero(nv);
  added_.resize(state_load_count(model));
  state_load_inertias(model, added_);
  added_jacobian_.resize(6, nv);
  no_acceleration_.setZero(nv), unit_input_.setZero(model.nu()), moved_.setZero(nv), q_.setZero(model.nq());
  unit_effort_.setZero(model.element_transmissions().count());
  for (const int input : inputs) bending_.push_back(bending_of(input));
  auxiliary_rate_.setZero(system_.auxiliary_count());
  bias_before_.setZero(m), bias_after_.setZero(m);
  const auto& actuation = model.actuation();
  bends_ = !actuation.tendons.empty() || !actuation.chambers.empty() || !actuation.wrenches.empty() ||
           !actuation.functions.empty();
  slopes.assign(static_cast<std::size_t>(m), MatrixXd::Zero(nv, nv));
}

Plant::Bending Plant::bending_of(int input) const {
  for (const auto& element : model_->elements()) {
    const int k = input - element.input;
    if (element.drives && k >= 0 && k < element.law->input_count()) {
      return {TransmissionSet::elements, element.first + k};
    }
  }
  return {TransmissionSet::actuators, input};
}

void Plant::read_inputs(const ControlArguments& at) {
  const MatrixXd& all = actuation_matrix<double>(*model_, data_, at.q);
  for (std::size_t j = 0; j < inputs_.size(); ++j) A.col(static_cast<Eigen::Index>(j)) = all.col(inputs_[j]);
  rate.noalias() = A.transpose() * at.v;
}

void Plant::read_inertia(const ControlArguments& at) {
  read_inputs(at);
  M = mass_matrix<double>(*model_, data_, at.q);
  for (const AddedInertia& added : added_) {
    const MatrixXd& J = frame_jacobian<double>(*model_, data_, at.q, added.frame);
    for (Eigen::Index k = 0; k < J.cols(); ++k) {
      const Twist column{{J(0, k), J(1, k), J(2, k)}, {J(3, k), J(4, k), J(5, k)}};
      const Wrench wrench = added.inertia * column;
      for (int i = 0; i < 6; ++i) added_jacobian_(i, k) = wrench[i];
    }
    M.noalias() += J.transpose() * added_jacobian_;
  }
  factor_.compute(M);
  if (factor_.info() != Eigen::Success) {
    throw SimulationError("the mass matrix is not positive definite: some coordinates move no mass");
  }
  R = A;
  factor_.solveInPlace(R);
  G.noalias() = A.transpose() * R;
}

void Plant::read_motion(const ControlArguments& at) {
  read_inertia(at);
  system_.held_inputs() = at.u;
  system_.residual(at.time, at.q, at.v, no_acceleration_, {at.robot_state, at.factor, at.stiff_factor}, rest,
                   auxiliary_rate_);
  free_acceleration = -rest;
  factor_.solveInPlace(free_acceleration);
}

void Plant::read_slopes(const ControlArguments& at) { read_slopes_at(at.q); }

void Plant::read_slopes_at(const VectorXd& q) {
  if (!bends_) return;
  if (!derivatives_) derivatives_.emplace(*model_);
  for (std::size_t j = 0; j < inputs_.size(); ++j) {
    slopes[j].setZero();
    const Bending& bending = bending_[j];
    VectorXd& unit = bending.set == TransmissionSet::actuators ? unit_input_ : unit_effort_;
    unit.setZero(), unit[bending.index] = -1.0;  // it subtracts
    subtract_transmission_slope(*model_, bending.set, *derivatives_, q, unit, slopes[j]);
  }
}

void Plant::input_bias(const VectorXd& v, VectorXd& bias) const {
  for (std::size_t j = 0; j < slopes.size(); ++j) {
    double sum = 0.0;
    if (bends_) {
      for (Eigen::Index k = 0; k < v.size(); ++k) sum += v[k] * slopes[j].col(k).dot(v);
    }
    bias[static_cast<Eigen::Index>(j)] = sum;
  }
}

void Plant::input_bias_slope(const ControlArguments& at, MatrixXd& by_q) {
  by_q.setZero();
  if (!bends_) return;
  constexpr double k_step = 1e-5;  // error of differences about 1e-10 of what changes
  for (Eigen::Index k = 0; k < moved_.size(); ++k) {
    for (const double sign : {-1.0, 1.0}) {
      moved_.setZero(), moved_[k] = sign * k_step;
      integrate<double>(*model_, at.q, moved_, q_);
      read_slopes_at(q_);
      input_bias(at.v, sign < 0.0 ? bias_before_ : bias_after_);
    }
    by_q.col(k) = (bias_after_ - bias_before_) / (2.0 * k_step);
  }
  read_slopes_at(at.q);
}

const DerivativeData& Plant::motion_slopes(const ControlArguments& at, const VectorXd& a, const VectorXd& u) {
  system_.held_inputs() = u;
  const VectorXd no_multipliers;
  return system_.residual_derivatives(at.time, at.q, at.v, a, {at.robot_state, at.factor, at.stiff_factor},
                                      no_multipliers);
}

void refuse_loops(const Model& model) {
  if (model.loops().empty()) return;
  throw ArgumentError(Diagnostic("type", "a robot with closed loops", "one without, or a law that solves no motion"));
}

namespace {
VectorXd started(const OutputLaw& law) {
  VectorXd state(law.state_count());
  law.start(state);
  return state;
}
}  // namespace

void try_law(const Model& model, OutputLaw& law, const ControlPlaces& places) {
  constexpr double k_displacement = 0.01;  // rad, m: generic, and near where every body can be ..
  constexpr double k_least = 1e-6;         // .. but for those with other units
  VectorXd step(model.nv()), q(model.nq()), out(places.input_count());
  for (Eigen::Index i = 0; i < step.size(); ++i)
    step[i] = k_displacement * std::sin(1.0 + 2.3 * static_cast<double>(i));
  const VectorXd neutral = model.neutral();
  const VectorXd v = VectorXd::Zero(model.nv()), u = VectorXd::Zero(model.nu());
  const VectorXd states = RobotSystem::start_of_auxiliary(model), own = started(law);
  OutputBounds bounds;
  bounds.lower.setConstant(places.input_count(), -std::numeric_limits<double>::infinity());
  bounds.upper = -bounds.lower;
  bounds.lower_follows.assign(places.inputs.size(), false);
  for (double factor = 1.0;; factor *= 0.1) {
    try {
      integrate<double>(model, neutral, VectorXd(factor * step), q);
      law.outputs({0.0, q, v, u, own, states}, bounds, out);
      return;
    } catch (const SimulationError& error) {
      throw ArgumentError(error.what());
    } catch (const ConfigurationError&) {
      if (factor * k_displacement < k_least) throw;
    }
  }
}

std::string names_of(const std::vector<CoordinateInfo>& info, const std::vector<int>& indices) {
  std::string names;
  for (const int i : indices) names += (names.empty() ? "" : ", ") + info[static_cast<std::size_t>(i)].name;
  return "[" + names + "]";
}

}  // namespace cuttle
