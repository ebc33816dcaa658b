#include "algorithms/element_slopes.h"

#include <Eigen/LU>
#include <cmath>

#include "cuttle/error.h"
#include "spatial/number_text.h"

namespace cuttle {
namespace {

constexpr int k_most_iterations = 50;
constexpr double k_solved = 1e-13;  // relative change of a state that counts as none

/// The matrix that EffortLawT::derivatives fills, in parts: rows are efforts, then state rates.
struct LawDerivatives {
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  LawDerivatives(const BoundElementT<double>& element, const EffortArgumentsT<double>& at, std::vector<double>& memory)
      : n(element.law->transmission_count()), m(element.state_count) {
    memory.resize(static_cast<std::size_t>((n + m) * (2 * n + m)));
    element.law->derivatives(at, memory.data());
    data = memory.data();
  }
  Eigen::Map<const Matrix> all() const { return {data, n + m, 2 * n + m}; }
  auto effort_by_y() const { return all().topLeftCorner(n, n); }
  auto effort_by_rate() const { return all().block(0, n, n, n); }
  auto effort_by_state() const { return all().topRightCorner(n, m); }
  auto flow_by_y() const { return all().bottomLeftCorner(m, n); }
  auto flow_by_rate() const { return all().block(n, n, m, n); }
  auto flow_by_state() const { return all().bottomRightCorner(m, m); }

  int n, m;
  const double* data = nullptr;
};

std::string name_of(const Model& model, const BoundElementT<double>& element) {
  return "element '" + model.robot().elements[static_cast<std::size_t>(&element - model.elements().data())].name + "'";
}

/// The matrix of the equations that states satisfy: I - factor d rate/dx of a step, d rate/dx at rest.
MatrixXd state_matrix(const LawDerivatives& d, StateCoupling coupling) {
  if (coupling.kind == StateCoupling::Kind::rest) return d.flow_by_state();
  return MatrixXd::Identity(d.m, d.m) - coupling.factor * d.flow_by_state();
}

}  // namespace

void solve_element_states(const Model& model, double time, const VectorXd& u, const VectorInT<double>& offset,
                          StateCoupling coupling, ElementData& elements) {
  const bool rest = coupling.kind == StateCoupling::Kind::rest;
  if (!rest) elements.states = offset;
  if (!rest && coupling.factor == 0.0) return;
  std::vector<double> memory;
  for (const auto& element : model.elements()) {
    const int m = element.state_count;
    if (m == 0) continue;
    auto x = elements.states.segment(element.state, m);
    const auto flow = elements.state_rates.segment(element.state, m);
    for (int iteration = 0;; ++iteration) {
      const EffortArgumentsT<double> at = arguments_of<double>(element, time, u.data(), elements);
      element.law->evaluate(at, elements.efforts.data() + element.first, elements.state_rates.data() + element.state);
      const LawDerivatives d(element, at, memory);
      const Eigen::FullPivLU<MatrixXd> lu(state_matrix(d, coupling));
      if (!lu.isInvertible()) {
        throw SimulationError(name_of(model, element) + (rest ? ": its states never rest: they only integrate"
                                                              : ": its states cannot be found in a step"));
      }
      const VectorXd left =
          rest ? VectorXd(flow) : VectorXd(x - offset.segment(element.state, m) - coupling.factor * flow);
      const VectorXd change = lu.solve(left);
      x -= change;
      if (!x.allFinite() || iteration == k_most_iterations) {
        throw SimulationError(name_of(model, element) + ": its states cannot be found" +
                              (rest ? " at rest" : " in a step of this length"));
      }
      if (change.cwiseAbs().maxCoeff() <= k_solved * (1.0 + x.cwiseAbs().maxCoeff())) break;
    }
  }
}

ElementSlopes::ElementSlopes(const Model& model) {
  const int n = model.element_transmissions().count(), nv = model.nv();
  by_y.setZero(n, n), by_rate.setZero(n, n);
  rate_by_q.setZero(n, nv), product.setZero(n, nv), slope.setZero(nv, nv);
  unit.setZero(n);
}

void subtract_element_slopes(const Model& model, DerivativeData& derivatives, double time, const VectorInT<double>& q,
                             const VectorInT<double>& v, const VectorXd& u, StateCoupling coupling,
                             const ElementData& elements, ElementSlopes& slopes) {
  slopes.by_y.setZero(), slopes.by_rate.setZero();
  for (const auto& element : model.elements()) {
    const LawDerivatives d(element, arguments_of<double>(element, time, u.data(), elements), slopes.law);
    auto by_y = slopes.by_y.block(element.first, element.first, d.n, d.n);
    auto by_rate = slopes.by_rate.block(element.first, element.first, d.n, d.n);
    by_y = d.effort_by_y(), by_rate = d.effort_by_rate();
    if (d.m == 0) continue;
    const double sign = coupling.kind == StateCoupling::Kind::rest ? -1.0 : coupling.factor;
    const Eigen::FullPivLU<MatrixXd> lu(state_matrix(d, coupling));
    by_y += sign * d.effort_by_state() * lu.solve(MatrixXd(d.flow_by_y()));
    by_rate += sign * d.effort_by_state() * lu.solve(MatrixXd(d.flow_by_rate()));
  }
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

}  // namespace cuttle
