#include "algorithms/equation_along_tree.h"

#include <algorithm>
#include <utility>

#include "algorithms/derivative_sweep.h"
#include "algorithms/equation_of_motion_impl.h"
#include "algorithms/loop_rows.h"
#include "cuttle/algorithms/compliance.h"

namespace cuttle {
namespace {

constexpr int k_few = 4;  // coordinates for each number that couples links beside the tree, at least
constexpr int k_of_loop =
    6;  // such numbers of a loop under load, beside its rows: torques that turn with the other link
constexpr int k_of_frames = 6;   // of a wrench that follows the frame of another link
constexpr int k_of_stretch = 4;  // of a straight stretch between two links

/// Whether both are at one node, or at base and ports of one edge.
bool within_edge(const Model& model, int a, int b) {
  if (a == b) return true;
  const std::vector<Edge>& edges = model.topology().edges;
  const auto carries = [&](int e, int node) {
    if (e < 0) return false;
    const Edge& edge = edges[static_cast<std::size_t>(e)];
    return node == edge.parent_node || (node >= edge.child_node && node < edge.child_node + edge.child_count);
  };
  const int of_a = model.topology().parent_edge[a], of_b = model.topology().parent_edge[b];
  return (carries(of_a, a) && carries(of_a, b)) || (carries(of_b, a) && carries(of_b, b));
}

/// Numbers that couple links by sites that act on frames of several.
int site_couplings(const Model& model, const Sites& sites) {
  std::vector<std::pair<int, int>> pairs;
  for (const SitePlace& place : sites.places()) {
    for (int i = 0; i < place.frame_count; ++i) {
      for (int k = 0; k < place.frame_count; ++k) {
        const std::pair<int, int> nodes{sites.frame(place.frame[i]).node, sites.frame(place.frame[k]).node};
        if (!within_edge(model, nodes.first, nodes.second)) pairs.push_back(nodes);
      }
    }
  }
  std::sort(pairs.begin(), pairs.end());
  return k_of_frames * static_cast<int>(std::unique(pairs.begin(), pairs.end()) - pairs.begin());
}

int transmission_couplings(const Model& model, TransmissionSet set) {
  const TransmissionsT<double>& t = transmissions_of(model, set);
  int count = 0;
  for (const auto& tendon : t.tendons) {
    if (t.is_driven(tendon.input)) continue;
    for (const auto& segment : tendon.segments) {
      if (!within_edge(model, segment.first_node, segment.second_node)) count += k_of_stretch;
    }
  }
  for (const auto& function : t.functions) count += static_cast<int>(function.v.size());
  return count;
}

bool acts_on_frames(const Model& model, TransmissionSet set) {
  const TransmissionsT<double>& t = transmissions_of(model, set);
  return !t.wrenches.empty() ||
         std::any_of(t.tendons.begin(), t.tendons.end(), [](const auto& tendon) { return !tendon.segments.empty(); });
}

/// How what loops push changes with their frames.
void load_loops(const Model& model, const ConstraintData& constraints, const VectorXd& lambda,
                TreeDerivatives& dynamics) {
  using Slopes = TreeDerivatives::LoadSlopes;
  for (std::size_t i = 0; i < model.loops().size(); ++i) {
    const BoundLoopT<double>& loop = model.loops()[i];
    const auto& ends = constraints.ends[i];
    const LoopPlaceT<double> place(loop, ends.world_a, ends.world_b);
    const LoopLoadT<double> load(loop, place, lambda.data() + loop.row);
    const Slopes::Matrix none = Slopes::Matrix::Zero();
    for (const bool of_a : {true, false}) {
      const Frame& of = of_a ? loop.a : loop.b;
      Slopes on_a{loop.a, of, none, none}, on_b{loop.b, of, none, none};
      for (int k = 0; k < 6; ++k) {
        const Twist moved = derivative::unit_twist(k), rests;
        const LoopWrenchesT<double> rate = of_a ? load.rates(moved, rests) : load.rates(rests, moved);
        for (int r = 0; r < 6; ++r) on_a.by_pose(r, k) = -rate.a[r], on_b.by_pose(r, k) = -rate.b[r];
      }
      dynamics.load(on_a, {}), dynamics.load(on_b, {});
    }
  }
}

}  // namespace

bool EquationOfMotion::follows_tree(bool inputs_follow) const {
  int couplings = model_->element_transmissions().count() + (inputs_follow ? model_->nu() : 0) + rows_.count() +
                  k_of_loop * static_cast<int>(model_->loops().size());
  if (!model_->element_transmissions().wrenches.empty() || k_few * couplings > model_->nv()) return false;
  for (const TransmissionSet set : {TransmissionSet::actuators, TransmissionSet::elements}) {
    couplings += transmission_couplings(*model_, set);
  }
  if (sites_) couplings += site_couplings(*model_, *sites_);
  return k_few * couplings <= model_->nv() || !takes_matrices(*model_);  // of all sites, of which few touch at once
}

void EquationOfMotion::prepare_along_tree() {
  if (!along_tree_) along_tree_ = std::make_unique<AlongTree>(*model_);
}

void EquationOfMotion::append_reactions_and_frame_wrenches(VectorInT<double> q, const VectorXd& u,
                                                           VectorInT<double> lambda) {
  std::vector<ExternalWrench>& external = along_tree_->external;
  if (rows_.count() > 0) {
    find_reactions(q, rows_.spread(lambda));
    external.insert(external.end(), reactions_.begin(), reactions_.end());
  }
  if (!acts_on_frames(*model_, TransmissionSet::actuators) && !acts_on_frames(*model_, TransmissionSet::elements)) {
    return;
  }
  const KinematicsT<double>& kinematics = forward_kinematics<double>(*model_, data_, q);
  TreeDerivatives::append_frame_wrenches(*model_, TransmissionSet::actuators, kinematics, u, external);
  TreeDerivatives::append_frame_wrenches(*model_, TransmissionSet::elements, kinematics, elements_.efforts, external);
}

void EquationOfMotion::load_along_tree(VectorInT<double> lambda, double factor, double part) {
  TreeDerivatives& dynamics = along_tree_->dynamics;
  if (rows_.count() > 0) load_loops(*model_, rows_.data(), rows_.spread(lambda), dynamics);
  const Vector3 gravity = part * model_->robot().gravity;
  for (std::size_t i = 0; i < along_tree_->loads.size(); ++i) {
    StateLoadDerivativeT<double>& load = along_tree_->loads[i];
    follow_integrals(load, factor);
    const Frame& frame = state_load_wrenches_[i].frame;
    dynamics.load({frame, frame, part * load.by_pose, part * load.by_velocity, part * load.by_acceleration}, gravity);
  }
}

void EquationOfMotion::load_sites_along_tree(bool held) {
  if (!sites_) return;
  SiteSlopesT<double>& site = along_tree_->site;
  for (const int index : sites_->active()) {
    const SitePlace& place = sites_->places()[index];
    if (held) {
      sites_->follow_as_springs(place, site);
    } else {
      sites_->follow(place, site);
    }
    for (int i = 0; i < place.frame_count; ++i) {
      for (int k = 0; k < place.frame_count; ++k) {
        along_tree_->dynamics.load({sites_->frame(place.frame[i]), sites_->frame(place.frame[k]),
                                    site.by_pose.block<6, 6>(6 * i, 6 * k), site.by_velocity.block<6, 6>(6 * i, 6 * k)},
                                   {});
      }
    }
  }
}

void EquationOfMotion::couple_elements_along_tree(double time, VectorInT<double> q, VectorInT<double> v,
                                                  const VectorXd& u, const StateCoupling& coupling) {
  if (model_->elements().empty()) return;
  AlongTree& along = *along_tree_;
  ElementSlopes& slopes = along.elements;
  element_effort_slopes(*model_, time, u, coupling, elements_, slopes);
  along.dynamics.subtract_slopes(*model_, TransmissionSet::elements, q, elements_.efforts);
  along.dynamics.load_frame_slopes(*model_, TransmissionSet::elements, q, elements_.efforts);
  along.by_q = -slopes.by_y * elements_.matrix.transpose();
  along.by_v = -slopes.by_rate * elements_.matrix.transpose();
  if (!slopes.by_rate.isZero(0.0)) {
    along.dynamics.transmission_rates_by_q(*model_, TransmissionSet::elements, q, v, along.rate_by_q);
    along.by_q.noalias() -= slopes.by_rate * along.rate_by_q;
  }
  along.dynamics.couple(elements_.matrix, along.by_q, along.by_v);
}

TreeDerivatives& EquationOfMotion::residual_along_tree(const Instant& at, VectorInT<double> a, VectorInT<double> lambda,
                                                       const MatrixXd* input_by_q, const MatrixXd* input_by_v) {
  prepare_along_tree();
  AlongTree& along = *along_tree_;
  TreeDerivatives& dynamics = along.dynamics;
  std::vector<ExternalWrench>& external = along.external;
  read_loads(at.time);
  solve_states(at, a);
  if (!model_->elements().empty()) element_efforts<double>(*model_, at.time, at.u, elements_);
  external = loads_;
  along.loads.resize(state_load_wrenches_.size());
  if (!state_load_wrenches_.empty()) {
    state_load_derivatives<double>(*model_, state_loads(), data_.kinematics, at.time, integrals_, along.loads);
    external.insert(external.end(), state_load_wrenches_.begin(), state_load_wrenches_.end());
  }
  if (sites_) {
    external.reserve(external.size() + static_cast<std::size_t>(sites_->frame_count()));
    sites_->append_wrenches(external);
  }
  append_reactions_and_frame_wrenches(at.q, at.u, lambda);
  dynamics.take(*model_, data_, at.q, at.v, a, {&at.u, external});
  dynamics.load_frame_slopes(*model_, TransmissionSet::actuators, at.q, at.u);
  load_along_tree(lambda, at.factor, 1.0);
  load_sites_along_tree(false);
  couple_elements_along_tree(at.time, at.q, at.v, at.u, {StateCoupling::Kind::step, at.stiff_factor});
  if (input_by_q != nullptr) {
    find_input_forces(at.q, along.elements, along.force_by_input);
    dynamics.couple(along.force_by_input, -*input_by_q, -*input_by_v);
  }
  each_push_slope(at, [&](int k, double of_q, double of_v) { dynamics.subtract(k, of_q, of_v); });
  return dynamics;
}

TreeDerivatives& EquationOfMotion::resting_along_tree(const Rest& at, double weight, VectorInT<double> lambda,
                                                      bool held) {
  prepare_along_tree();
  AlongTree& along = *along_tree_;
  along.rests = true;
  resting_force(at);
  along.external = acting_;
  append_reactions_and_frame_wrenches(at.q, at.u, lambda);
  along.dynamics.take(*model_, data_, at.q, at.v, at.a, {&at.u, along.external, weight});
  along.dynamics.load_frame_slopes(*model_, TransmissionSet::actuators, at.q, at.u);
  along.loads.clear();
  if (at.time && !state_load_wrenches_.empty()) {
    along.loads.resize(state_load_wrenches_.size());
    const auto& kinematics = forward_kinematics<double>(*model_, data_, at.q, at.v, at.a);
    state_load_derivatives<double>(*model_, state_loads(), kinematics, *at.time, VectorXd(), along.loads);
  }
  load_along_tree(lambda, 0.0, at.part);
  load_sites_along_tree(held);
  couple_elements_along_tree(k_rest_time, at.q, at.v, at.u,
                             {held ? StateCoupling::Kind::held : StateCoupling::Kind::rest});
  return along.dynamics;
}

}  // namespace cuttle
