#include "simulation/live_statics.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "algorithms/element_slopes.h"
#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/simulation/live_simulation.h"

namespace cuttle {
namespace {

constexpr double k_standard_gravity = 9.81;       // also where a robot has none: a scale
constexpr double k_push_rate = 2.0 * M_PI * 2.2;  // of the spring with the mass that it moves [rad/s]
constexpr double k_joint_firmness = 10.0;         // of a push at a joint, beside what holds the joint
constexpr double k_visible_part = 0.4;            // of the reach, by which an input moves a tip
constexpr double k_rounding = 1e-9;               // of the way that a lever as long as the reach makes tips go
constexpr double k_beyond_scenario = 1.5;

/// What hangs at each link, itself included: mass [kg], and the longest way to a tip [m].
struct Carried {
  double mass = 0.0, length = 0.0;
};
std::vector<Carried> carried_by_links(const Model& model) {
  Data data(model);
  const auto& kinematics = forward_kinematics<double>(model, data, model.neutral());
  const auto& links = model.links();
  std::vector<Carried> carried(links.size());
  for (std::size_t i = links.size(); i-- > 0;) {
    carried[i].mass += links[i].rest_inertia.mass;
    carried[i].length += norm(kinematics.pose(links[i].tip).position - kinematics.pose(links[i].base).position);
    if (links[i].parent < 0) continue;
    Carried& parent = carried[static_cast<std::size_t>(links[i].parent)];
    parent.mass += carried[i].mass;
    parent.length = std::max(parent.length, carried[i].length);
  }
  return carried;
}

double total_mass(const Model& model) {
  double mass = 0.0;
  for (const auto& link : model.links()) mass += link.rest_inertia.mass;
  return mass;
}

/// 1, 2 or 5 times a power of ten, not below x.
double round_up(double x) {
  if (!(x > 0.0) || !std::isfinite(x)) return 1.0;
  const double power = std::pow(10.0, std::floor(std::log10(x)));
  for (const double digit : {1.0, 2.0, 5.0}) {
    if (x <= digit * power * (1.0 + 1e-9)) return digit * power;
  }
  return 10.0 * power;
}

/// Least and greatest value of a signal while the scenario lasts.
std::pair<double, double> extremes(const Signal& signal, double duration) {
  constexpr int k_times = 1000;
  double least = signal.at(0.0), greatest = least;
  const auto look = [&](double time) {
    least = std::min(least, signal.at(time)), greatest = std::max(greatest, signal.at(time));
  };
  for (int k = 1; k <= k_times; ++k) look(duration * k / k_times);
  for (const double time : signal.discontinuities()) {
    if (time <= duration) look(time);
  }
  return {least, greatest};
}

}  // namespace

double robot_reach(const Model& model) {
  double reach = 0.0;
  Data data(model);
  const auto& kinematics = forward_kinematics<double>(model, data, model.neutral());
  for (const auto& link : model.links()) {
    reach += norm(kinematics.pose(link.tip).position - kinematics.pose(link.base).position);
  }
  return reach > 0.0 ? reach : 1.0;
}

MatrixXd holding_stiffness(const Model& model, VectorInT<double> q) {
  MatrixXd K = MatrixXd::Zero(model.nv(), model.nv());
  const std::vector<Carried> carried = carried_by_links(model);
  const double reach = robot_reach(model);
  const auto by_weight = [](double mass, double length, const std::string& unit) {
    const double weight = std::max(mass, 1e-6) * k_standard_gravity;
    return unit.rfind("rad", 0) == 0 ? weight * length : weight / length;
  };
  const double mass = total_mass(model);
  if (model.robot().floating_base) {
    for (int i = 0; i < 6; ++i) K(i, i) = by_weight(mass, reach, model.velocity_info()[i].unit);
  }
  for (std::size_t i = 0; i < model.links().size(); ++i) {
    const auto& info = model.links()[i];
    const auto& springs = model.robot().links[i].joint_dynamics.stiffness;
    const double length = carried[i].length > 0.0 ? carried[i].length : reach;
    for (int k = 0; k < info.joint_nv; ++k) {
      const int v = info.v + k;
      const double spring = static_cast<std::size_t>(k) < springs.size() ? springs[static_cast<std::size_t>(k)] : 0.0;
      K(v, v) = spring + by_weight(carried[i].mass, length, model.velocity_info()[v].unit);
    }
  }
  std::vector<double> block;
  for (const Edge& edge : model.topology().edges) {
    if (edge.kind != EdgeKind::body) continue;
    const Body& body = *model.topology().bodies[static_cast<std::size_t>(edge.index)].body;
    block.assign(static_cast<std::size_t>(edge.nv) * edge.nv, 0.0);
    body.stiffness_matrix(q.data() + edge.q, block.data());
    K.block(edge.v, edge.v, edge.nv, edge.nv) = Eigen::Map<MatrixXd>(block.data(), edge.nv, edge.nv);
  }
  return K;
}

namespace {

/// Rows of the frame's linear motion.
Eigen::Matrix<double, 3, Eigen::Dynamic> linear_jacobian(const Model& model, Data& data, VectorInT<double> q,
                                                         const Frame& frame) {
  return frame_jacobian<double>(model, data, q, frame).bottomRows<3>();
}

/// Mean of a symmetric matrix's inverse along the rows of J, 1 / mean(J A^-1 J^T), where driven coordinates stay.
double seen_at(MatrixXd J, MatrixXd A, std::span<const int> driven) {
  for (const int k : driven) {
    J.col(k).setZero();
    A.row(k).setZero(), A.col(k).setZero();
    A(k, k) = 1.0;
  }
  const MatrixXd moved = A.ldlt().solve(J.transpose());
  const double mean = (J * moved).trace() / static_cast<double>(J.rows());
  return mean > 0.0 && std::isfinite(mean) ? 1.0 / mean : 0.0;
}

PushSpring spring_of(double mass, double stiffness, double distance) {
  PushSpring spring;
  spring.stiffness = stiffness;
  spring.damping = 2.0 * std::sqrt(mass * stiffness);
  spring.limit = stiffness * distance;
  return spring;
}

}  // namespace

PushSpring point_spring(const Model& model, Data& data, VectorInT<double> q, const Frame& frame,
                        std::span<const int> driven) {
  const MatrixXd J = linear_jacobian(model, data, q, frame);
  const double mass =
      std::max(seen_at(J, mass_matrix<double>(model, data, q), driven), 1e-6 * total_mass(model) + 1e-9);
  const double held = seen_at(J, holding_stiffness(model, q), driven);
  return spring_of(mass, std::max(mass * k_push_rate * k_push_rate, held), 0.5 * robot_reach(model));
}

PushSpring coordinate_spring(const Model& model, Data& data, VectorInT<double> q, int v, double range,
                             std::span<const int> driven) {
  const MatrixXd unit = VectorXd::Unit(model.nv(), v).transpose();
  const double mass = std::max(seen_at(unit, mass_matrix<double>(model, data, q), driven), 1e-12);
  const double held = holding_stiffness(model, q)(v, v);
  return spring_of(mass, std::max(mass * k_push_rate * k_push_rate, k_joint_firmness * held), 0.5 * range);
}

namespace {

/// From responses to efforts to those to inputs of actuators with laws: an effort that grows by k with the input, and
/// by c with y, where the robot yields by r = A^T response, gives k / (1 - c r) of them.
void wind(const Model& model, Data& data, VectorInT<double> q, const MatrixXd& A, MatrixXd& response) {
  ElementData elements(model);
  element_motion<double>(model, data, q, VectorXd::Zero(model.nv()), elements);
  const VectorXd u = VectorXd::Zero(model.nu());
  for (const auto& element : model.elements()) {
    const int n = element.law->transmission_count(), columns = 2 * n + element.state_count + n;
    if (!element.drives) continue;
    std::vector<double> slopes(static_cast<std::size_t>((n + element.state_count) * columns));
    element.law->derivatives(arguments_of<double>(element, 0.0, u.data(), elements), slopes.data());
    for (int k = 0; k < n; ++k) {
      const double* row = slopes.data() + static_cast<std::ptrdiff_t>(k) * columns;
      const int input = element.input + k;
      response.col(input) *= row[columns - n + k] / (1.0 - row[k] * A.col(input).dot(response.col(input)));
    }
  }
}

}  // namespace

std::vector<InputRange> input_ranges(const Model& model, const Scenario& scenario, VectorInT<double> q) {
  std::vector<InputRange> ranges;
  if (model.nu() == 0) return ranges;
  Data data(model);
  const MatrixXd A = actuation_matrix<double>(model, data, q);
  MatrixXd response = holding_stiffness(model, q).ldlt().solve(A);
  wind(model, data, q, A, response);
  const double reach = robot_reach(model);
  VectorXd farthest = VectorXd::Zero(model.nu()), turned = farthest;
  for (const auto& link : model.links()) {
    const MatrixXd motion = frame_jacobian<double>(model, data, q, link.tip) * response;
    farthest = farthest.cwiseMax(motion.bottomRows<3>().colwise().norm().transpose());
    turned = turned.cwiseMax(motion.topRows<3>().colwise().norm().transpose());
  }
  // a torque about an axis that all tips are on moves them by rounding alone
  farthest = (farthest.array() > k_rounding * reach * turned.array()).select(farthest, reach * turned);
  std::vector<const Transmission*> transmissions;  // of each input; null: an element's
  for (const Actuator& actuator : model.robot().actuators) {
    transmissions.insert(transmissions.end(), actuator.inputs().size(), actuator.transmission.get());
  }
  transmissions.resize(static_cast<std::size_t>(model.nu()), nullptr);
  for (int input = 0; input < model.nu(); ++input) {
    const Transmission* transmission = transmissions[static_cast<std::size_t>(input)];
    const auto given = scenario.inputs.find(model.input_info()[input].name);
    double least = 0.0, greatest = 0.0;
    if (given != scenario.inputs.end()) std::tie(least, greatest) = extremes(given->second, scenario.duration);
    const double size = std::max(-least, greatest);
    const bool driven = size > 0.0 && std::isfinite(size);
    const double limit = round_up(driven                    ? k_beyond_scenario * size
                                  : farthest[input] > 0.0   ? k_visible_part * reach / farthest[input]
                                  : transmission == nullptr ? 1.0  // what its law makes of it is not known here
                                                            : 0.0);
    InputRange range{-limit, limit};
    if (transmission != nullptr && !(least < 0.0)) range.min = transmission->least_input() * limit;
    ranges.push_back(range);
  }
  return ranges;
}

}  // namespace cuttle
