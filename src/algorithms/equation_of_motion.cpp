#include "cuttle/algorithms/equation_of_motion.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "algorithms/equation_along_tree.h"
#include "algorithms/equation_of_motion_impl.h"
#include "algorithms/site_slopes.h"
#include "algorithms/transmissions.h"
#include "cuttle/algorithms/energy.h"
#include "spatial/number_text.h"

namespace cuttle {

template class EquationOfMotionT<double>;
template class EquationOfMotionT<ForwardDual>;

VectorXd start_of_auxiliary(const Model& model) {
  const StateLayout layout = state_layout(model);
  VectorXd states = VectorXd::Zero(layout.size());
  layout.elements_of(states) = model.element_start();
  return states;
}

EquationOfMotion::EquationOfMotion(const Model& model, const StateLayout& layout, ConstraintRows rows,
                                   StateLoads pushes)
    : EquationOfMotionT<double>(model, timed_wrenches(model), layout, std::move(pushes)),
      rows_(model, std::move(rows)),
      reactions_(2 * model.loops().size()),
      state_rates_(VectorXd::Zero(layout.size())) {
  acting_.reserve(acting_.capacity() + reactions_.size());
}
EquationOfMotion::~EquationOfMotion() = default;

void EquationOfMotion::mass_and_rest(const Instant& at, MatrixXd& M, VectorXd& rest) {
  read_loads(at.time);
  const VectorInT<double> no_acceleration = data_.zero;
  solve_states(at, no_acceleration);
  find_forces(at);
  collect_acting();
  rest = mass_inverse_dynamics<double>(*model_, data_, at.q, at.v, no_acceleration) - tau_;
  M = data_.mass_matrix;
  if (!acting_.empty()) rest -= external_force<double>(*model_, data_, at.q, acting_);
}

struct EquationOfMotion::Derivatives {
  Derivatives(const Model& model, std::size_t state_loads, const Sites* contacts)
      : dynamics(model),
        frame(model),
        loads(state_loads),
        external(load_wrench_count(model) + state_loads + 2 * model.loops().size()),
        change(6, model.nv()),
        elements(model) {
    if (contacts == nullptr) return;
    sites.emplace(model, *contacts);
    external.reserve(external.size() + static_cast<std::size_t>(contacts->frame_count()));
  }
  DerivativeData dynamics;
  FrameDerivatives frame;
  std::vector<StateLoadDerivativeT<double>> loads;
  std::vector<ExternalWrench> external;
  MatrixXd change;
  ElementSlopes elements;
  std::optional<SiteSlopeMemory> sites;
  MatrixXd force_by_input;
};

void EquationOfMotion::prepare_derivatives() {
  if (!derivatives_) derivatives_ = std::make_unique<Derivatives>(*model_, state_load_wrenches_.size(), sites_.get());
}

const DerivativeData& EquationOfMotion::residual_derivatives(const Instant& at, VectorInT<double> a,
                                                             VectorInT<double> lambda, const MatrixXd* input_by_q,
                                                             const MatrixXd* input_by_v) {
  prepare_derivatives();
  read_loads(at.time);
  solve_states(at, a);
  if (!model_->elements().empty()) element_efforts<double>(*model_, at.time, at.u, elements_);
  if (!state_load_wrenches_.empty()) {
    state_load_derivatives<double>(*model_, state_loads(), data_.kinematics, at.time, integrals_, derivatives_->loads);
  }
  std::vector<ExternalWrench>& external = derivatives_->external;
  if (sites_) external.resize(loads_.size() + state_load_wrenches_.size() + reactions_.size());
  std::copy(loads_.begin(), loads_.end(), external.begin());
  std::copy(state_load_wrenches_.begin(), state_load_wrenches_.end(),
            external.begin() + static_cast<std::ptrdiff_t>(loads_.size()));
  const bool loops = rows_.count() > 0;
  if (loops) {
    find_reactions(at.q, rows_.spread(lambda));
    std::copy(reactions_.begin(), reactions_.end(), external.end() - static_cast<std::ptrdiff_t>(reactions_.size()));
  }
  if (sites_) sites_->append_wrenches(external);
  DerivativeData& d = derivatives_->dynamics;
  inverse_dynamics_derivatives(*model_, data_, d, at.q, at.v, a, {&at.u, external});
  subtract_state_load_slopes(at.factor);
  if (sites_) subtract_site_slopes(*model_, *sites_, SiteMotion::free, d, *derivatives_->sites);
  if (!model_->elements().empty()) {
    subtract_element_slopes(*model_, d, at.time, at.q, at.v, at.u, {StateCoupling::Kind::step, at.stiff_factor},
                            elements_, derivatives_->elements);
  }
  if (input_by_q != nullptr) subtract_input_slopes(at, *input_by_q, *input_by_v);
  each_push_slope(at, [&d](int k, double by_q, double by_v) { d.by_q(k, k) -= by_q, d.by_v(k, k) -= by_v; });
  if (loops) {
    d.by_q += constraint_wrench_derivative<double>(*model_, data_, rows_.data(), at.q, rows_.spread(lambda));
  }
  return d;
}

const DerivativeData& EquationOfMotion::resting_derivatives(const Rest& at, double weight, VectorInT<double> lambda,
                                                            bool held) {
  prepare_derivatives();
  if (along_tree_) along_tree_->rests = false;
  resting_force(at);
  if (rows_.count() > 0) {
    find_reactions(at.q, rows_.spread(lambda));
    acting_.insert(acting_.end(), reactions_.begin(), reactions_.end());
  }
  DerivativeData& d = derivatives_->dynamics;
  inverse_dynamics_derivatives(*model_, data_, d, at.q, at.v, at.a, {&at.u, acting_, weight});
  if (at.time && !state_load_wrenches_.empty()) {
    const auto& kinematics = forward_kinematics<double>(*model_, data_, at.q, at.v, at.a);
    state_load_derivatives<double>(*model_, state_loads(), kinematics, *at.time, VectorXd(), derivatives_->loads);
    subtract_state_load_slopes(0.0, at.part);
  }
  if (sites_) {
    subtract_site_slopes(*model_, *sites_, held ? SiteMotion::sticking : SiteMotion::free, d, *derivatives_->sites);
  }
  if (!model_->elements().empty()) {
    const StateCoupling coupling{held ? StateCoupling::Kind::held : StateCoupling::Kind::rest};
    subtract_element_slopes(*model_, d, k_rest_time, at.q, at.v, at.u, coupling, elements_, derivatives_->elements);
  }
  if (rows_.count() > 0) {
    d.by_q += constraint_wrench_derivative<double>(*model_, data_, rows_.data(), at.q, rows_.spread(lambda));
  }
  return d;
}

ElementStateSlopes EquationOfMotion::element_states(const VectorXd& u) {
  return element_state_slopes(*model_, k_rest_time, u, elements_, derivatives_->elements);
}

const MatrixXd& EquationOfMotion::input_forces(VectorInT<double> q) {
  const bool along_tree = along_tree_ && along_tree_->rests;
  const ElementSlopes& elements = along_tree ? along_tree_->elements : derivatives_->elements;
  MatrixXd& forces = along_tree ? along_tree_->force_by_input : derivatives_->force_by_input;
  find_input_forces(q, elements, forces);
  return forces;
}

void EquationOfMotion::find_input_forces(VectorInT<double> q, const ElementSlopes& slopes, MatrixXd& forces) {
  forces = actuation_matrix<double>(*model_, data_, q);
  const TransmissionsT<double>& actuation = model_->actuation();
  for (int k = 0; k < model_->nu(); ++k) {
    if (actuation.is_driven(k)) forces.col(k).setZero();  // that of its law is among the elements'
  }
  if (!model_->elements().empty()) forces.noalias() += elements_.matrix * slopes.by_input;
}

void EquationOfMotion::find_reactions(VectorInT<double> q, const VectorXd& multipliers) {
  constraint_wrenches<double>(*model_, data_, rows_.data(), q, multipliers, reactions_);
  for (ExternalWrench& reaction : reactions_) reaction.wrench = -1.0 * reaction.wrench;
}

void EquationOfMotion::subtract_input_slopes(const Instant& at, const MatrixXd& by_q, const MatrixXd& by_v) {
  DerivativeData& d = derivatives_->dynamics;
  const MatrixXd& force_by_input = input_forces(at.q);
  d.by_q.noalias() -= force_by_input * by_q;
  d.by_v.noalias() -= force_by_input * by_v;
}

void EquationOfMotion::subtract_state_load_slopes(double coupling, double part) {
  // the wrenches' turning with their frames is in already
  DerivativeData& d = derivatives_->dynamics;
  FrameDerivatives& frame = derivatives_->frame;
  MatrixXd& change = derivatives_->change;
  const Vector3 gravity = part * model_->robot().gravity;
  for (std::size_t i = 0; i < state_load_wrenches_.size(); ++i) {
    StateLoadDerivativeT<double>& slopes = derivatives_->loads[i];
    follow_integrals(slopes, coupling);
    frame_derivatives(*model_, d, state_load_wrenches_[i].frame, frame);
    // true accelerations: gravity, which they lack, turns against the frame
    const Vector3 g = data_.kinematics.pose(state_load_wrenches_[i].frame).rotation.transpose_times(gravity);
    for (Eigen::Index k = 0; k < change.cols(); ++k) {
      const Vector3 turned = cross(g, {frame.jacobian(0, k), frame.jacobian(1, k), frame.jacobian(2, k)});
      for (int r = 0; r < 3; ++r) frame.acceleration_by_q(3 + r, k) += turned[r];
    }
    const auto add = [&](MatrixXd& to) { to.noalias() -= part * frame.jacobian.transpose() * change; };
    change.noalias() = slopes.by_pose * frame.jacobian + slopes.by_velocity * frame.velocity_by_q +
                       slopes.by_acceleration * frame.acceleration_by_q;
    add(d.by_q);
    change.noalias() = slopes.by_velocity * frame.jacobian + slopes.by_acceleration * frame.acceleration_by_v;
    add(d.by_v);
    change.noalias() = slopes.by_acceleration * frame.jacobian;
    add(d.by_a);
  }
}

void EquationOfMotion::accelerations(const Instant& at, const VectorXd& multipliers, VectorXd& a) {
  try {
    rates(at, a, state_rates_);
    if (reactions_.empty()) return;
    if (multipliers.size() != model_->constraint_count() || !multipliers.allFinite()) {
      throw SimulationError("no multipliers");
    }
    find_reactions(at.q, multipliers);
    acting_.insert(acting_.end(), reactions_.begin(), reactions_.end());
    a = solve_motion(at);
  } catch (const Error&) {  // a robot of an implicit method may have none: coordinates without mass
    a.setConstant(std::numeric_limits<double>::quiet_NaN());
    driven_.effort = a;
  }
}

const ElementData& EquationOfMotion::elements(const Instant& at) {
  if (model_->elements().empty()) return elements_;
  element_motion<double>(*model_, data_, at.q, at.v, elements_);
  elements_.states = layout_.elements_of(at.states);
  element_efforts<double>(*model_, at.time, at.u, elements_);
  element_outputs<double>(*model_, at.time, at.u, elements_);
  return elements_;
}

const Sites& EquationOfMotion::sites_in(const Instant& at) {
  sites_->take(forward_kinematics<double>(*model_, data_, at.q, at.v), at.time, layout_.sites_of(at.states));
  return *sites_;
}

RobotEnergy EquationOfMotion::energy(const Instant& at) {
  RobotEnergy energy;
  energy.kinetic = kinetic_energy<double>(*model_, data_, at.q, at.v);
  energy.gravity = gravity_energy<double>(*model_, data_, at.q);
  energy.elastic = elastic_energy<double>(*model_, data_, at.q);
  if (sites_) energy.contacts = sites_in(at).stored_energy();
  if (model_->elements().empty()) return energy;
  element_motion<double>(*model_, data_, at.q, at.v, elements_);
  elements_.states = layout_.elements_of(at.states);
  element_efforts<double>(*model_, at.time, at.u, elements_);
  energy.elastic += elements_.stored_energy;
  return energy;
}

double EquationOfMotion::longest_step(double time, VectorInT<double> q, VectorInT<double> v) {
  if (!sites_) return std::numeric_limits<double>::infinity();
  sites_->move(forward_kinematics<double>(*model_, data_, q, v));
  return sites_->longest_step(time);
}

std::string EquationOfMotion::trouble_at(double time, VectorInT<double> q, VectorInT<double> v) {
  if (!sites_) return "";
  const VectorXd unloaded = VectorXd::Zero(sites_->state_count());
  sites_->take(forward_kinematics<double>(*model_, data_, q, v), time, unloaded);
  return trouble();
}

std::string EquationOfMotion::trouble() const {
  if (!sites_) return "";
  for (const int index : sites_->active()) {
    const SitePlace& place = sites_->places()[index];
    const double gap = sites_->gap(place), deepest = sites_->law(place).deepest(place.site);
    if (!(gap < -deepest)) continue;
    const SiteLaw& law = sites_->law(place);
    std::string a, b = "an obstacle";
    if (law.pairs().empty()) {  // a law of a program
      const int link = model_->topology().nodes[sites_->frame(place.frame[0]).node].link;
      a = link < 0 ? "base" : model_->links()[link].name;
    } else {
      const auto& pair = law.pairs()[static_cast<std::size_t>(law.sites()[static_cast<std::size_t>(place.site)].pair)];
      a = pair[0];
      b = fmt::format("'{}'", pair[1]);
    }
    return fmt::format("contact '{}': '{}' is {} m deep in {}, which is more than half of what is thinner ({} m)",
                       law.name(), a, number_text(-gap), b, number_text(deepest));
  }
  return "";
}

std::string EquationOfMotion::opened_loop(VectorInT<double> q) {
  if (rows_.rows().dropped.empty()) return "";
  return cuttle::opened_loop(*model_, data_, rows_.data(), rows_.rows(), q);
}

}  // namespace cuttle
