#include "control/plant.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/algorithms/state_loads.h"
#include "cuttle/error.h"
#include "elements/friction_of_tension.h"

namespace cuttle {

Plant::Plant(const Model& model, const std::vector<int>& inputs)
    : model_(&model), inputs_(inputs), data_(model), equation_(model, state_layout(model)), factor_(model.nv()) {
  const int nv = model.nv(), m = static_cast<int>(inputs.size());
  A.setZero(nv, m), R.setZero(nv, m), G.setZero(m, m), M.setZero(nv, nv);
  y.setZero(m), rate.setZero(m), held.setZero(nv), rest.setZero(nv), free_acceleration.setZero(nv);
  added_.resize(state_load_count(model));
  state_load_inertias(model, added_);
  added_jacobian_.resize(6, nv);
  no_acceleration_.setZero(nv);
  own_inputs_.assign(static_cast<std::size_t>(model.nu()), false);
  for (const int input : inputs) {
    bending_.push_back(bending_of(input)), own_inputs_[static_cast<std::size_t>(input)] = true;
    only_pulls_.push_back(std::any_of(model.tendons().begin(), model.tendons().end(), [input](const auto& tendon) {
      return tendon.input == input && tendon.slack != Slack::allow;
    }));
  }
  for (const auto& [biases, set] :
       {std::pair{&actuator_biases_, TransmissionSet::actuators}, {&element_biases_, TransmissionSet::elements}}) {
    const int count = transmissions_of(model, set).count();
    biases->wanted.assign(static_cast<std::size_t>(count), false), biases->all.setZero(count);
    for (const Bending& bending : bending_) {
      if (bending.set == set) biases->wanted[static_cast<std::size_t>(bending.index)] = true;
    }
  }
  const auto& actuation = model.actuation();
  const auto& elements = model.elements();
  if (std::any_of(elements.begin(), elements.end(), [](const auto& x) { return x.law->input_count() > 0; })) {
    element_inputs_ = std::make_unique<ElementInputs>(model);
  }
  if (std::any_of(elements.begin(), elements.end(), [](const auto& x) { return friction_of_tension(*x.law); })) {
    friction_.emplace(model, inputs);
    if (!friction_->any()) friction_.reset();
  }
  bends_ = !actuation.tendons.empty() || !actuation.chambers.empty() || !actuation.wrenches.empty() ||
           !actuation.functions.empty();
  slopes.assign(static_cast<std::size_t>(m), MatrixXd::Zero(nv, nv));
  for (std::size_t j = 0; j < inputs.size(); ++j) {
    auto& wanted = bending_[j].set == TransmissionSet::actuators ? actuator_slopes_ : element_slopes_;
    wanted.push_back({bending_[j].index, &slopes[j]});
  }
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
  rubs_ = false;
  transmission_motion<double>(*model_, model_->actuation(), data_, at.q, columns_, coordinates_, &own_inputs_);
  for (std::size_t j = 0; j < inputs_.size(); ++j) {
    const auto column = static_cast<Eigen::Index>(j);
    A.col(column) = columns_.col(inputs_[j]), y[column] = coordinates_[inputs_[j]];
  }
  rate.noalias() = A.transpose() * at.v;
}

void Plant::read_inertia(const ControlArguments& at) {
  read_inputs(at);
  M = mass_matrix<double>(*model_, data_, at.q);
  finish_inertia(at.q);
}

void Plant::read_held(const ControlArguments& at) {
  read_inputs(at);
  held = mass_inverse_dynamics<double>(*model_, data_, at.q, no_acceleration_, no_acceleration_);
  M = data_.mass_matrix;
  finish_inertia(at.q);
}

void Plant::finish_inertia(const VectorXd& q) {
  for (const AddedInertia& added : added_) {
    const MatrixXd& J = frame_jacobian<double>(*model_, data_, q, added.frame);
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
  read_inputs(at);
  all_inputs_ = at.u;
  equation_.mass_and_rest(instant(at), M, rest);
  finish_inertia(at.q);
  free_acceleration = -rest;
  factor_.solveInPlace(free_acceleration);
  if (!friction_) return;
  rubs_ = true;
  friction_->read(at, all_inputs_);
  read_friction();
}

void Plant::read_friction() {
  friction_->force(A, B_, offset_);
  Rb_ = B_;
  factor_.solveInPlace(Rb_);
  Gb_.noalias() = B_.transpose() * Rb_;
}

bool Plant::turn(VectorXd& out) {
  if (!rubs_ || !friction_->turn(out)) return false;
  read_friction();
  return true;
}

EquationOfMotion::Instant Plant::instant(const ControlArguments& at) {
  try {
    apply_slack<double>(*model_, all_inputs_);
  } catch (const ArgumentError& error) {
    throw SimulationError(fmt::format("at t = {:.9g} s: {}", at.time, error.what()));
  }
  return {at.time, at.q, at.v, all_inputs_, at.robot_state, at.factor, at.stiff_factor};
}

void Plant::read_slopes(const ControlArguments& at) {
  if (!bends_) return;
  if (!derivatives_) derivatives_.emplace(*model_);
  for (const auto& [set, wanted] :
       {std::pair{TransmissionSet::actuators, &actuator_slopes_}, {TransmissionSet::elements, &element_slopes_}}) {
    if (!wanted->empty()) transmission_slopes(*model_, set, *derivatives_, at.q, *wanted);
  }
  if (rubs_) friction_->read_slopes(at, *derivatives_);
}

void Plant::subtract_column_slopes(const VectorXd& x, bool by_q, MatrixXd& rows) const {
  for (std::size_t j = 0; by_q && bends_ && j < slopes.size(); ++j) {
    rows.row(static_cast<Eigen::Index>(j)) -= x.transpose() * slopes[j];
  }
  if (rubs_) friction_->subtract_column_slopes(x, by_q, rows);
}

void Plant::hold_slopes(const GivenSlopes& before, MatrixXd& rows) const {
  if (rubs_) friction_->hold_slopes(before, rows);
}

void Plant::input_bias(const ControlArguments& at, VectorXd& bias) {
  bias.setZero(static_cast<Eigen::Index>(inputs_.size()));
  each_biases([&](TransmissionSet set, Biases& biases, const auto& each_input) {
    transmission_bias(*model_, set, *derivatives_, at.q, at.v, biases.wanted, biases.all);
    each_input([&](Eigen::Index j, int index) { bias[j] = biases.all[index]; });
  });
}

void Plant::input_bias_slope(const ControlArguments& at, MatrixXd& by_q) {
  by_q.setZero();
  each_biases([&](TransmissionSet set, Biases& biases, const auto& each_input) {
    biases.by_q.resize(biases.all.size(), model_->nv());
    transmission_bias_slope(*model_, set, *derivatives_, at.q, at.v, biases.wanted, biases.by_q);
    each_input([&](Eigen::Index j, int index) { by_q.row(j) = biases.by_q.row(index); });
  });
}

/// Calls use(set, biases, each_input) for the sets of transmissions; each_input(f) calls f(j, index in the set) for the
/// inputs whose slopes are there.
template <typename Use>
void Plant::each_biases(const Use& use) {
  if (!bends_) return;
  if (!derivatives_) derivatives_.emplace(*model_);
  for (const auto& [set, biases] :
       {std::pair{TransmissionSet::actuators, &actuator_biases_}, {TransmissionSet::elements, &element_biases_}}) {
    if (std::find(biases->wanted.begin(), biases->wanted.end(), 1) == biases->wanted.end()) continue;
    use(set, *biases, [&, own = set](const auto& f) {
      for (std::size_t j = 0; j < inputs_.size(); ++j) {
        if (bending_[j].set == own) f(static_cast<Eigen::Index>(j), bending_[j].index);
      }
    });
  }
}

const Plant::Slopes& Plant::motion_slopes(const ControlArguments& at, const VectorXd& a, const VectorXd* f,
                                          const InputSlopes* before) {
  all_inputs_ = at.u;
  // an effort is no input where a law makes it, where friction takes of it, or where it would make a tendon push
  apart_.assign(inputs_.size(), false);
  for (std::size_t j = 0; f != nullptr && j < inputs_.size(); ++j) {
    const double effort = (*f)[static_cast<Eigen::Index>(j)];
    double& input = all_inputs_[inputs_[j]];
    apart_[j] = bending_[j].set == TransmissionSet::elements || (only_pulls_[j] && input + effort < 0.0) ||
                (friction_ && friction_->rubs(static_cast<int>(j)));
    if (!apart_[j]) input += effort;
  }
  const VectorXd no_multipliers;
  const DerivativeData& d = equation_.residual_derivatives(instant(at), a, no_multipliers);
  slopes_.by_q = d.by_q, slopes_.by_v = d.by_v;
  if (std::find(apart_.begin(), apart_.end(), 1) != apart_.end()) {
    read_slopes(at);
    for (std::size_t j = 0; j < inputs_.size(); ++j) {
      if (apart_[j]) slopes_.by_q -= (*f)[static_cast<Eigen::Index>(j)] * slopes[j];
    }
    if (rubs_) friction_->subtract_force_slopes(A, *f, before, slopes_.by_q, slopes_.by_v);
  }
  if (before != nullptr && !(before->by_q.inputs.isZero(0.0) && before->by_v.inputs.isZero(0.0))) {
    const MatrixXd& force = force_by_inputs(at);
    slopes_.by_q.noalias() -= force * before->by_q.inputs;
    slopes_.by_v.noalias() -= force * before->by_v.inputs;
  }
  return slopes_;
}

const MatrixXd& Plant::force_by_inputs(const ControlArguments& at) {
  transmission_matrix<double>(*model_, model_->actuation(), data_, at.q, data_.actuation_matrix);
  if (!element_inputs_) return data_.actuation_matrix;
  auto& [data, elements, slopes_of_laws, force] = *element_inputs_;
  const StateCoupling coupling{StateCoupling::Kind::step, at.stiff_factor};
  element_motion<double>(*model_, data, at.q, at.v, elements);
  solve_element_states(*model_, at.time, at.u, at.robot_state.tail(elements.states.size()), coupling, elements);
  element_effort_slopes(*model_, at.time, at.u, coupling, elements, slopes_of_laws);
  force = data_.actuation_matrix;
  for (int k = 0; k < model_->nu(); ++k) {
    if (model_->actuation().is_driven(k)) force.col(k).setZero();
  }
  force.noalias() += elements.matrix * slopes_of_laws.by_input;
  return force;
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
  const VectorXd states = start_of_auxiliary(model), own = started(law);
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
