#include "cuttle/algorithms/tendon_friction_error.h"

#include <algorithm>
#include <cmath>

#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/elements.h"
#include "cuttle/bodies/slender.h"
#include "cuttle/elements/tendon_friction.h"

namespace cuttle {
namespace {

/// A robot of links, one tendon and its friction, pulled with 1 N.
class RubbedRobot {
 public:
  RubbedRobot(const Robot& robot, const Actuator& tendon, TendonFriction friction, int more_refinement)
      : model_(of_tendon(robot, tendon, friction, more_refinement)), data_(model_), elements_(model_) {}
  const Model& model() const { return model_; }
  VectorXd friction(const VectorXd& q) {
    element_motion<double>(model_, data_, q, VectorXd::Zero(model_.nv()), elements_);
    element_efforts<double>(model_, 0.0, VectorXd::Ones(1), elements_);
    return elements_.matrix * elements_.efforts;
  }
  VectorXd pull(const VectorXd& q) { return actuation_force<double>(model_, data_, q, VectorXd::Ones(1)); }

 private:
  static Robot of_tendon(const Robot& robot, const Actuator& tendon, TendonFriction friction, int more_refinement) {
    Robot alone = robot;
    alone.actuators = {tendon};
    alone.actuators[0].law = nullptr;
    friction.sliding = Sliding::pulled, friction.refinement += more_refinement;
    alone.elements = {make_tendon_friction<double>("friction", {tendon.name}, friction)};
    alone.sensors.clear(), alone.loads.clear(), alone.loops.clear(), alone.contacts.clear(), alone.source = nullptr;
    return alone;
  }
  Model model_;
  Data data_;
  ElementData elements_;
};

/// A coordinate of a rod: how far it goes, and what its force counts.
struct Moved {
  int q, v;
  bool turns;
  double amplitude, weight;
};
std::vector<Moved> coordinates_of_rods(const Model& model) {
  std::vector<Moved> all;
  for (const Edge& edge : model.topology().edges) {
    if (edge.kind != EdgeKind::body) continue;
    const Body& body = *model.topology().bodies[static_cast<std::size_t>(edge.index)].body;
    if (body.slender() == nullptr) continue;
    const double L = body.slender()->length();
    const std::vector<CoordinateInfo> info = body.coordinates();
    for (int k = 0; k < edge.nv; ++k) {
      const bool turns = info[static_cast<std::size_t>(k)].unit == "rad";
      all.push_back({edge.q + k, edge.v + k, turns, turns ? 1.0 : 0.1 * L, turns ? 1.0 : L});
    }
  }
  return all;
}

double largest_change(RubbedRobot& coarse, RubbedRobot& fine) {
  const Model& model = coarse.model();
  const std::vector<Moved> coordinates = coordinates_of_rods(model);
  double largest = 0.0;
  const auto compare = [&](const VectorXd& q) {
    const VectorXd change = fine.friction(q) - coarse.friction(q), pull = fine.pull(q);
    double changes = 0.0, pulls = 0.0;
    for (const Moved& moved : coordinates) {
      changes += std::pow(moved.weight * change[moved.v], 2), pulls += std::pow(moved.weight * pull[moved.v], 2);
    }
    if (pulls > 0.0) largest = std::max(largest, std::sqrt(changes / pulls));
  };
  VectorXd together = model.neutral();
  int count = 0;
  for (const Moved& moved : coordinates) count += moved.turns ? 1 : 0;
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    const Moved& moved = coordinates[i];
    VectorXd q = model.neutral();
    q[moved.q] += moved.amplitude;
    compare(q);
    if (moved.turns) together[moved.q] += (i % 4 < 2 ? 1.0 : -1.0) * moved.amplitude / std::sqrt(count);
  }
  compare(together);
  return largest;
}

}  // namespace

std::vector<TendonFrictionError> estimate_tendon_friction_error(const Robot& robot, const Element& element) {
  std::vector<TendonFrictionError> errors;
  const TendonFriction* friction = tendon_friction_parameters(*element.law);
  if (friction == nullptr) return errors;
  for (const std::string& name : rubbing_tendons(*element.law)) {
    const auto tendon = std::find_if(robot.actuators.begin(), robot.actuators.end(),
                                     [&](const Actuator& actuator) { return actuator.name == name; });
    if (tendon == robot.actuators.end()) continue;  // which a Model refuses
    errors.push_back({name, 0.0});
    if (!(friction->coefficient > 0.0)) continue;
    const int more = friction->refinement < TendonFriction::k_most_refinement ? 1 : -1;
    RubbedRobot coarse(robot, *tendon, *friction, std::min(more, 0)),
        fine(robot, *tendon, *friction, std::max(more, 0));
    errors.back().force = largest_change(coarse, fine);
  }
  return errors;
}

}  // namespace cuttle
