#include "cuttle/algorithms/idle_inputs.h"

#include <algorithm>
#include <cmath>

#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/bodies/slender.h"
#include "cuttle/error.h"

namespace cuttle {
namespace {

bool is_angle(const CoordinateInfo& velocity) { return velocity.unit.starts_with("rad"); }

/// Tangent vector to an arbitrary state: angles up to 0.3 rad, displacements up to 3 % of their link's length.
VectorXd arbitrary_step(const Model& model, const std::vector<double>& lengths, int number) {
  VectorXd step(model.nv());
  for (int j = 0; j < model.nv(); ++j) {
    constexpr double k_golden = 0.6180339887498949;  // spreads its multiples evenly over (0, 1)
    const double fraction = std::fmod((j + 1) * (number + 1) * k_golden, 1.0);
    step[j] = (2.0 * fraction - 1.0) * (is_angle(model.velocity_info()[j]) ? 0.3 : 0.03 * lengths[j]);
  }
  return step;
}

/// For each velocity coordinate the length of its link [m].
std::vector<double> link_lengths(const Model& model, Data& data) {
  const auto& kinematics = forward_kinematics<double>(model, data, model.neutral());
  constexpr double k_of_points = 0.01;  // of links without any: a guess
  std::vector<double> lengths(model.nv(), k_of_points);
  for (std::size_t i = 0; i < model.links().size(); ++i) {
    const LinkInfoT<double>& link = model.links()[i];
    const Body* body = model.robot().links[i].body.get();
    const SlenderT<double>* rod = body != nullptr ? body->slender() : nullptr;
    const double length =
        rod ? rod->length() : norm(kinematics.pose(link.tip).position - kinematics.pose(link.base).position);
    if (length > 0.0) std::fill_n(lengths.begin() + link.v, link.nv, length);
  }
  return lengths;
}

/// Largest entries of the columns of A against the size of what the inputs move.
class Authority {
 public:
  explicit Authority(const Model& model) : model_(model), largest_(VectorXd::Zero(model.nu())) {
    sizes_ = model.actuation().offset.cwiseAbs();  // volumes of chambers in rods
    lengths_ = sizes_.unaryExpr([](double volume) { return std::cbrt(volume); });
    for (const auto& tendon : model.tendons()) sizes_[tendon.input] = lengths_[tendon.input] = tendon.rest_length;
  }

  void add_rest_volumes(const VectorXd& y) {
    for (const auto& chamber : model_.actuation().chambers) {
      sizes_[chamber.input] = std::abs(y[chamber.input]);
      lengths_[chamber.input] = std::cbrt(sizes_[chamber.input]);
    }
  }
  void look_at(const MatrixXd& A) {
    for (int k = 0; k < model_.nu(); ++k) {
      for (int j = 0; j < model_.nv(); ++j) {
        const double unit = is_angle(model_.velocity_info()[j]) ? 1.0 : lengths_[k];
        const double entry = sizes_[k] > 0.0 ? std::abs(A(j, k)) * unit / sizes_[k] : std::abs(A(j, k));
        largest_[k] = std::max(largest_[k], entry);
      }
    }
  }
  /// Largest entry of the input's column.
  double of(int input) const { return largest_[input]; }

 private:
  const Model& model_;
  VectorXd largest_;
  VectorXd sizes_, lengths_;  // of each input: size of y (0: a pure number counts as it is), and a length [m] of it
};

std::vector<IdleInput> idle_ones(const Model& model, const Authority& authority) {
  std::vector<IdleInput> idle;
  int input = 0;
  for (std::size_t i = 0; i < model.robot().actuators.size(); ++i) {
    const Transmission& transmission = *model.robot().actuators[i].transmission;
    const IdleRule rule = transmission.idle_rule(model.robot());
    for (std::size_t k = 0; k < transmission.inputs().size(); ++k, ++input) {
      if (authority.of(input) <= rule.limit) idle.push_back({input, static_cast<int>(i), rule.why});
    }
  }
  return idle;
}

}  // namespace

std::vector<IdleInput> idle_inputs(const Model& model) {
  Authority authority(model);
  authority.look_at(model.actuation().constant);
  std::vector<IdleInput> idle = idle_ones(model, authority);
  const TransmissionsT<double>& t = model.actuation();
  if (idle.empty() || (t.tendons.empty() && t.chambers.empty() && t.functions.empty()))
    return idle;  // A(q) is constant

  Data data(model);
  const VectorXd rest = model.neutral();
  authority.add_rest_volumes(actuation_coordinates<double>(model, data, rest));
  authority.look_at(actuation_matrix<double>(model, data, rest));
  idle = idle_ones(model, authority);
  const std::vector<double> lengths = idle.empty() ? std::vector<double>() : link_lengths(model, data);
  constexpr int k_states = 3, k_halvings = 5;
  for (int state = 0; state < k_states && !idle.empty(); ++state) {
    VectorXd step = arbitrary_step(model, lengths, state);
    for (int halving = 0; halving <= k_halvings; ++halving, step *= 0.5) {
      VectorXd q = rest;
      integrate<double>(model, rest, step, q);
      try {
        authority.look_at(actuation_matrix<double>(model, data, q));
        break;
      } catch (const ConfigurationError&) {  // a body is not defined there: nearer to rest it is
      }
    }
    idle = idle_ones(model, authority);
  }
  return idle;
}

}  // namespace cuttle
