#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "algorithms/transmissions.h"
#include "cuttle/algorithms/derivatives.h"
#include "cuttle/algorithms/elements.h"

// What implicit steps and statics need of elements: states that are solved for together with the motion, and how
// efforts then change with it. States are eliminated element by element, so the equations keep their size.

namespace cuttle {

/// For messages: "element 'spring'".
template <typename S>
std::string described(const BoundElementT<S>& element) {
  return (element.drives ? "actuator '" : "element '") + element.name + "'";
}

template <typename S>
EffortArgumentsT<S> arguments_of(const BoundElementT<S>& element, double time, const S* u, ElementDataT<S>& elements) {
  return {time,
          elements.rest.data() + element.first,
          elements.y.data() + element.first,
          elements.rate.data() + element.first,
          u + element.input,
          elements.states.data() + element.state,
          elements.scratch.data()};
}

/// Numbers that LawDerivatives take of one element, of the largest: what its law fills, and behind it what that needs
/// meanwhile, then the equations of its states.
template <typename S>
std::size_t element_scratch_size(const ModelT<S>& model) {
  std::size_t most = 0;
  for (const auto& element : model.elements()) {
    const auto n = static_cast<std::size_t>(element.law->transmission_count());
    const auto m = static_cast<std::size_t>(element.state_count);
    const auto inputs = static_cast<std::size_t>(element.law->input_count());
    const std::size_t right = std::max<std::size_t>(2 * n + inputs + 1, k_forward_width);
    const auto of_law = static_cast<std::size_t>(element.law->scratch_count());
    most = std::max(most, (n + m) * (2 * n + m + inputs) + std::max(of_law, m * m + m * right));
  }
  return most;
}

/// How states follow from the motion.
struct StateCoupling {
  enum class Kind { step, rest, held };
  Kind kind = Kind::step;
  double factor = 0.0;  ///< step: x = offset + factor rate(x); rest: rate(x) = 0; held: x stays
};

/// Solves for the states of all elements, after element_motion, into elements.states.
/// @param offset  of a step, as many as states.
/// @throws SimulationError that names an element whose states cannot be found: at rest one that only integrates.
void solve_element_states(const Model& model, double time, const VectorXd& u, const VectorInT<double>& offset,
                          StateCoupling coupling, ElementData& elements);

/// The same with derivatives, by one more step of Newton's method: of the model's parameters, and those that u, offset
/// and the motion in `elements` carry. @param values  of the same elements, working memory.
void solve_element_states(const Model& model, const ModelT<ForwardDual>& variable, double time,
                          const VectorXT<ForwardDual>& u, const VectorXT<ForwardDual>& offset, StateCoupling coupling,
                          ElementData& values, ElementDataT<ForwardDual>& elements);

/// Working memory of element slopes; made once.
struct ElementSlopes {
  /// @param matrices  whether subtract_element_slopes is to be called.
  explicit ElementSlopes(const Model& model, bool matrices = true);
  MatrixXd by_y, by_rate;   ///< of efforts, n x n, states eliminated
  MatrixXd by_input;        ///< of efforts, n x nu, states eliminated
  MatrixXd rate_by_q;       ///< n x nv at fixed v
  MatrixXd product, slope;  ///< n x nv, nv x nv
  VectorXd unit;            ///< n
  std::vector<double> scratch;
};

/// Fills by_y, by_rate and by_input, at elements.states.
void element_effort_slopes(const Model& model, double time, const VectorXd& u, StateCoupling coupling,
                           ElementData& elements, ElementSlopes& slopes);
/// Subtracts the derivatives of the elements' force from by_q and by_v, after element_efforts.
void subtract_element_slopes(const Model& model, DerivativeData& derivatives, double time, const VectorInT<double>& q,
                             const VectorInT<double>& v, const VectorXd& u, StateCoupling coupling,
                             ElementData& elements, ElementSlopes& slopes);

/// How the elements' force follows their states, and how rates of states follow states and motion, at v = 0.
struct ElementStateSlopes {
  MatrixXd force;       ///< nv x m
  MatrixXd by_q, by_v;  ///< m x nv, of the rates
  MatrixXd by_state;    ///< m x m, of the rates
};
/// After element_efforts.
ElementStateSlopes element_state_slopes(const Model& model, double time, const VectorXd& u, ElementData& elements,
                                        ElementSlopes& slopes);

}  // namespace cuttle
