#include "algorithms/element_slopes.h"

#include <cmath>
#include <limits>

#include "algorithms/forward_numbers.h"
#include "cuttle/error.h"
#include "spatial/number_text.h"

namespace cuttle {
namespace {

constexpr int k_most_iterations = 50;
constexpr double k_solved = 1e-13;  // relative change of a state that counts as none

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// The matrix that EffortLawT::derivatives fills, in parts: rows are efforts, then state rates. Behind it in the
/// scratch lie the equations that the states satisfy.
struct LawDerivatives {
  LawDerivatives(const BoundElementT<double>& element, EffortArgumentsT<double> at, std::vector<double>& scratch)
      : n(element.law->transmission_count()),
        m(element.state_count),
        inputs(element.law->input_count()),
        data(scratch.data()) {
    at.scratch = data + all().size();
    element.law->derivatives(at, data);
  }
  Eigen::Map<const RowMajor> all() const { return {data, n + m, 2 * n + m + inputs}; }
  auto effort_by_y() const { return all().topLeftCorner(n, n); }
  auto effort_by_rate() const { return all().block(0, n, n, n); }
  auto effort_by_state() const { return all().block(0, 2 * n, n, m); }
  auto effort_by_input() const { return all().topRightCorner(n, inputs); }
  /// State rates by y, then by rate.
  auto flow_by_motion() const { return all().bottomLeftCorner(m, 2 * n); }
  auto flow_by_state() const { return all().block(n, 2 * n, m, m); }
  auto flow_by_input() const { return all().bottomRightCorner(m, inputs); }

  Eigen::Map<RowMajor> equations() const { return {data + all().size(), m, m}; }
  /// Their right-hand sides.
  Eigen::Map<RowMajor> right(int columns) const { return {data + all().size() + m * m, m, columns}; }

  int n, m, inputs;
  double* data;
};

/// Solves A X = B in place of B, by Gauss's elimination with row pivots. @return whether A is regular to rounding.
bool solve_in_place(Eigen::Map<RowMajor> A, Eigen::Map<RowMajor> B) {
  const Eigen::Index m = A.rows();
  const double least = static_cast<double>(m) * std::numeric_limits<double>::epsilon() * A.cwiseAbs().maxCoeff();
  for (Eigen::Index k = 0; k < m; ++k) {
    Eigen::Index pivot = k;
    for (Eigen::Index i = k + 1; i < m; ++i) {
      if (std::abs(A(i, k)) > std::abs(A(pivot, k))) pivot = i;
    }
    if (!(std::abs(A(pivot, k)) > least)) return false;
    if (pivot != k) A.row(k).swap(A.row(pivot)), B.row(k).swap(B.row(pivot));
    for (Eigen::Index i = k + 1; i < m; ++i) {
      const double factor = A(i, k) / A(k, k);
      A.row(i).tail(m - k) -= factor * A.row(k).tail(m - k);
      B.row(i) -= factor * B.row(k);
    }
  }
  for (Eigen::Index k = m - 1; k >= 0; --k) {
    for (Eigen::Index i = k + 1; i < m; ++i) B.row(k) -= A(k, i) * B.row(i);
    B.row(k) /= A(k, k);
  }
  return true;
}

/// Of the equations that states satisfy: I - factor d rate/dx of a step, d rate/dx at rest.
void fill_equations(const LawDerivatives& d, StateCoupling coupling) {
  auto equations = d.equations();
  equations = d.flow_by_state();
  if (coupling.kind == StateCoupling::Kind::rest) return;
  equations *= -coupling.factor;
  equations.diagonal().array() += 1.0;
}

}  // namespace

void solve_element_states(const Model& model, double time, const VectorXd& u, const VectorInT<double>& offset,
                          StateCoupling coupling, ElementData& elements) {
  const bool rest = coupling.kind == StateCoupling::Kind::rest;
  if (!rest) elements.states = offset;
  if (!rest && coupling.factor == 0.0) return;
  for (const auto& element : model.elements()) {
    const int m = element.state_count;
    if (m == 0) continue;
    auto x = elements.states.segment(element.state, m);
    const auto flow = elements.state_rates.segment(element.state, m);
    for (int iteration = 0;; ++iteration) {
      const EffortArgumentsT<double> at = arguments_of<double>(element, time, u.data(), elements);
      element.law->evaluate(at, elements.efforts.data() + element.first, elements.state_rates.data() + element.state);
      const LawDerivatives d(element, at, elements.scratch);
      fill_equations(d, coupling);
      auto change = d.right(1);
      if (rest) {
        change.col(0) = flow;
      } else {
        change.col(0) = x - offset.segment(element.state, m) - coupling.factor * flow;
      }
      if (!solve_in_place(d.equations(), change)) {
        throw SimulationError(described(element) + (rest ? ": its states never rest: they only integrate"
                                                         : ": its states cannot be found in a step"));
      }
      x -= change.col(0);
      if (!x.allFinite() || iteration == k_most_iterations) {
        throw SimulationError(described(element) + ": its states cannot be found" +
                              (rest ? " at rest" : " in a step of this length"));
      }
      if (change.cwiseAbs().maxCoeff() <= k_solved * (1.0 + x.cwiseAbs().maxCoeff())) break;
    }
  }
}

void solve_element_states(const Model& model, const ModelT<ForwardDual>& variable, double time,
                          const VectorXT<ForwardDual>& u, const VectorXT<ForwardDual>& offset, StateCoupling coupling,
                          ElementData& values, ElementDataT<ForwardDual>& elements) {
  const bool rest = coupling.kind == StateCoupling::Kind::rest;
  if (!rest) elements.states = offset;
  if (elements.states.size() == 0 || (!rest && coupling.factor == 0.0)) return;
  values.y = values_of(elements.y), values.rate = values_of(elements.rate);
  values.states = values_of(elements.states);
  const VectorXd inputs = values_of(u);
  solve_element_states(model, time, inputs, values_of(offset), coupling, values);
  elements.states = values.states.cast<ForwardDual>();
  for (std::size_t i = 0; i < model.elements().size(); ++i) {
    const auto& element = model.elements()[i];
    const int m = element.state_count;
    if (m == 0) continue;
    variable.elements()[i].law->evaluate(arguments_of<ForwardDual>(variable.elements()[i], time, u.data(), elements),
                                         elements.efforts.data() + element.first,
                                         elements.state_rates.data() + element.state);
    const LawDerivatives d(element, arguments_of<double>(element, time, inputs.data(), values), values.scratch);
    fill_equations(d, coupling);
    auto left = d.right(k_forward_width);
    for (int r = 0; r < m; ++r) {
      const ForwardDual& flow = elements.state_rates[element.state + r];
      for (int k = 0; k < k_forward_width; ++k) {
        left(r, k) =
            rest ? flow.derivative[k] : -offset[element.state + r].derivative[k] - coupling.factor * flow.derivative[k];
      }
    }
    if (!solve_in_place(d.equations(), left)) {
      throw SimulationError(described(element) + ": its states do not follow from the motion");
    }
    for (int r = 0; r < m; ++r) {
      for (int k = 0; k < k_forward_width; ++k) elements.states[element.state + r].derivative[k] = -left(r, k);
    }
  }
}

ElementSlopes::ElementSlopes(const Model& model, bool matrices) {
  const int n = model.element_transmissions().count(), nv = model.nv();
  by_y.setZero(n, n), by_rate.setZero(n, n), by_input.setZero(n, model.nu());
  if (matrices) rate_by_q.setZero(n, nv), product.setZero(n, nv), slope.setZero(nv, nv);
  unit.setZero(n);
  scratch.resize(element_scratch_size(model));
}

void element_effort_slopes(const Model& model, double time, const VectorXd& u, StateCoupling coupling,
                           ElementData& elements, ElementSlopes& slopes) {
  slopes.by_y.setZero(), slopes.by_rate.setZero(), slopes.by_input.setZero();
  for (const auto& element : model.elements()) {
    const LawDerivatives d(element, arguments_of<double>(element, time, u.data(), elements), slopes.scratch);
    auto by_y = slopes.by_y.block(element.first, element.first, d.n, d.n);
    auto by_rate = slopes.by_rate.block(element.first, element.first, d.n, d.n);
    // without inputs there may be no memory to point into
    auto by_input = slopes.by_input.block(d.inputs > 0 ? element.first : 0, element.input, d.n, d.inputs);
    by_y = d.effort_by_y(), by_rate = d.effort_by_rate(), by_input = d.effort_by_input();
    if (d.m == 0 || coupling.kind == StateCoupling::Kind::held) continue;
    const double sign = coupling.kind == StateCoupling::Kind::rest ? -1.0 : coupling.factor;
    fill_equations(d, coupling);
    auto state_slopes = d.right(2 * d.n + d.inputs);  // by y, rate, input
    state_slopes.leftCols(2 * d.n) = d.flow_by_motion();
    state_slopes.rightCols(d.inputs) = d.flow_by_input();
    if (!solve_in_place(d.equations(), state_slopes)) {
      throw SimulationError(described(element) + ": its states do not follow from the motion");
    }
    state_slopes *= sign;
    by_y += d.effort_by_state().lazyProduct(state_slopes.leftCols(d.n));
    by_rate += d.effort_by_state().lazyProduct(state_slopes.middleCols(d.n, d.n));
    by_input += d.effort_by_state().lazyProduct(state_slopes.rightCols(d.inputs));
  }
}

void subtract_element_slopes(const Model& model, DerivativeData& derivatives, double time, const VectorInT<double>& q,
                             const VectorInT<double>& v, const VectorXd& u, StateCoupling coupling,
                             ElementData& elements, ElementSlopes& slopes) {
  element_effort_slopes(model, time, u, coupling, elements, slopes);
  const MatrixXd& B = elements.matrix;
  subtract_transmission_slope(model, TransmissionSet::elements, derivatives, q, elements.efforts, derivatives.by_q);
  slopes.product.noalias() = slopes.by_y * B.transpose();
  if (!slopes.by_rate.isZero(0.0)) {
    for (Eigen::Index k = 0; k < slopes.unit.size(); ++k) {
      slopes.unit.setZero(), slopes.unit[k] = 1.0;
      slopes.slope.setZero();
      subtract_transmission_slope(model, TransmissionSet::elements, derivatives, q, slopes.unit, slopes.slope);
      slopes.rate_by_q.row(k).noalias() = -(v.transpose() * slopes.slope);
    }
    slopes.product.noalias() += slopes.by_rate * slopes.rate_by_q;
  }
  derivatives.by_q.noalias() -= B * slopes.product;
  slopes.product.noalias() = slopes.by_rate * B.transpose();
  derivatives.by_v.noalias() -= B * slopes.product;
}

ElementStateSlopes element_state_slopes(const Model& model, double time, const VectorXd& u, ElementData& elements,
                                        ElementSlopes& slopes) {
  const Eigen::Index m = elements.states.size(), nv = model.nv();
  ElementStateSlopes all{MatrixXd::Zero(nv, m), MatrixXd::Zero(m, nv), MatrixXd::Zero(m, nv), MatrixXd::Zero(m, m)};
  for (const auto& element : model.elements()) {
    if (element.state_count == 0) continue;
    const LawDerivatives d(element, arguments_of<double>(element, time, u.data(), elements), slopes.scratch);
    const auto B = elements.matrix.middleCols(element.first, d.n);
    all.force.middleCols(element.state, d.m).noalias() = B * d.effort_by_state();
    all.by_q.middleRows(element.state, d.m).noalias() = d.flow_by_motion().leftCols(d.n) * B.transpose();
    all.by_v.middleRows(element.state, d.m).noalias() = d.flow_by_motion().rightCols(d.n) * B.transpose();
    all.by_state.block(element.state, element.state, d.m, d.m) = d.flow_by_state();
  }
  return all;
}

}  // namespace cuttle
