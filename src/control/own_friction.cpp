#include "control/own_friction.h"

#include <algorithm>

#include "algorithms/element_slopes.h"
#include "elements/friction_of_tension.h"

namespace cuttle {
namespace {

constexpr int k_most_turns = 8;  // of a tendon, at an instant

/// Whether an input is a tension that may be below zero.
bool may_push(const Model& model, int input) {
  if (model.actuation().is_driven(input)) return false;
  return std::any_of(model.tendons().begin(), model.tendons().end(),
                     [input](const auto& tendon) { return tendon.input == input && tendon.slack == Slack::allow; });
}

}  // namespace

OwnFriction::OwnFriction(const Model& model, const std::vector<int>& inputs)
    : model_(model), data_(model), elements_(model) {
  const int nv = model.nv(), m = static_cast<int>(inputs.size());
  for (int j = 0; j < m; ++j) {
    const int input = inputs[static_cast<std::size_t>(j)];
    const std::size_t tendon = tendons_.size();
    for (const auto& element : model.elements()) {
      const EffortLawT<double>* law = element.input == input ? friction_of_tension(*element.law) : nullptr;
      if (law != nullptr) parts_.push_back({tendon, &element, law});
    }
    if (parts_.empty() || parts_.back().tendon != tendon) continue;
    tendons_.push_back({j, input, may_push(model, input)});
    tendons_.back().by_q.setZero(nv, nv), tendons_.back().by_v.setZero(nv, nv);
  }
  E_.setZero(nv, m);
}

bool OwnFriction::rubs(int j) const {
  return std::any_of(tendons_.begin(), tendons_.end(), [j](const Tendon& tendon) { return tendon.j == j; });
}

EffortArgumentsT<double> OwnFriction::arguments(const Part& part, const ControlArguments& at) {
  EffortArgumentsT<double> arguments = arguments_of<double>(*part.element, at.time, at.u.data(), elements_);
  arguments.input = &one_;
  return arguments;
}

void OwnFriction::read(const ControlArguments& at, const VectorXd& u) {
  element_motion<double>(model_, data_, at.q, at.v, elements_);
  E_.setZero();
  for (Tendon& tendon : tendons_) {
    tendon.side = Side::pulls, tendon.turns = 0;
    tendon.before = model_.actuation().is_driven(tendon.input) ? 0.0 : u[tendon.input];
  }
  for (const Part& part : parts_) {
    const int first = part.element->first, n = part.law->transmission_count();
    part.law->evaluate(arguments(part, at), elements_.efforts.data() + first, nullptr);
    E_.col(tendons_[part.tendon].j).noalias() +=
        elements_.matrix.middleCols(first, n) * elements_.efforts.segment(first, n);
  }
}

void OwnFriction::force(const MatrixXd& A, MatrixXd& B, VectorXd& offset) const {
  B = A;
  offset.setZero(A.rows());
  for (const Tendon& tendon : tendons_) {
    const auto E = E_.col(tendon.j);
    if (tendon.side == Side::pulls) {
      B.col(tendon.j) += E, offset += std::min(tendon.before, 0.0) * E;
    } else {
      offset -= std::max(tendon.before, 0.0) * E;
    }
    if (tendon.side == Side::none) B.col(tendon.j).setZero(), offset -= tendon.before * A.col(tendon.j);
  }
}

bool OwnFriction::turn(VectorXd& out) {
  for (Tendon& tendon : tendons_) {
    if (!tendon.pushes) continue;
    const double tension = tendon.before + out[tendon.j];
    if (tendon.side == Side::none) out[tendon.j] = -tendon.before;
    const bool pulls = tendon.side == Side::pulls;
    if (tendon.side == Side::none || (pulls ? tension >= 0.0 : tension <= 0.0)) continue;
    tendon.side = ++tendon.turns == k_most_turns ? Side::none : pulls ? Side::pushes : Side::pulls;
    return true;
  }
  return false;
}

void OwnFriction::read_slopes(const ControlArguments& at, DerivativeData& derivatives) {
  const Eigen::Index nv = model_.nv();
  unit_.resize(elements_.efforts.size());
  for (Tendon& tendon : tendons_) tendon.by_q.setZero(), tendon.by_v.setZero();
  for (const Part& part : parts_) {
    const int first = part.element->first, n = part.law->transmission_count();
    const auto C = elements_.matrix.middleCols(first, n);
    Tendon& tendon = tendons_[part.tendon];
    // E_j = C e: at fixed efforts e, which are subtracted ..
    unit_.setZero(), unit_.segment(first, n) = -elements_.efforts.segment(first, n);
    subtract_transmission_slope(model_, TransmissionSet::elements, derivatives, at.q, unit_, tendon.by_q);
    // .. and as e follows y and its rate
    law_slopes_.resize(static_cast<std::size_t>(n) * static_cast<std::size_t>(2 * n + 1));
    part.law->derivatives(arguments(part, at), law_slopes_.data());
    const Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> of_law(
        law_slopes_.data(), n, 2 * n + 1);
    const auto by_y = of_law.leftCols(n), by_rate = of_law.middleCols(n, n);
    product_.noalias() = by_y * C.transpose();
    if (!by_rate.isZero(0.0)) {
      rate_by_q_.resize(n, nv);
      for (int k = 0; k < n; ++k) {
        unit_.setZero(), unit_[first + k] = -1.0;
        slope_.setZero(nv, nv);
        subtract_transmission_slope(model_, TransmissionSet::elements, derivatives, at.q, unit_, slope_);
        rate_by_q_.row(k).noalias() = at.v.transpose() * slope_;
      }
      product_.noalias() += by_rate * rate_by_q_;
    }
    tendon.by_q.noalias() += C * product_;
    product_.noalias() = by_rate * C.transpose();
    tendon.by_v.noalias() += C * product_;
  }
}

void OwnFriction::subtract_column_slopes(const VectorXd& x, bool by_q, MatrixXd& rows) const {
  for (const Tendon& tendon : tendons_) {
    if (tendon.side == Side::pulls) rows.row(tendon.j).noalias() -= x.transpose() * (by_q ? tendon.by_q : tendon.by_v);
  }
}

void OwnFriction::subtract_force_slopes(const MatrixXd& A, const VectorXd& f, const InputSlopes* before, MatrixXd& by_q,
                                        MatrixXd& by_v) const {
  for (const Tendon& tendon : tendons_) {
    const bool pulls = tendon.side == Side::pulls, pulled = tendon.before > 0.0;
    const double factor = pulls ? f[tendon.j] + std::min(tendon.before, 0.0) : -std::max(tendon.before, 0.0);
    by_q -= factor * tendon.by_q, by_v -= factor * tendon.by_v;
    if (before == nullptr || model_.actuation().is_driven(tendon.input)) continue;
    const double more_rubs = (pulls ? 1.0 : 0.0) - (pulled ? 1.0 : 0.0);
    const double more_acts = tendon.side == Side::none ? -1.0 : 0.0;
    if (more_rubs == 0.0 && more_acts == 0.0) continue;
    const auto force = more_rubs * E_.col(tendon.j) + more_acts * A.col(tendon.j);
    by_q.noalias() -= force * before->by_q.inputs.row(tendon.input);
    by_v.noalias() -= force * before->by_v.inputs.row(tendon.input);
  }
}

void OwnFriction::hold_slopes(const GivenSlopes& before, MatrixXd& rows) const {
  for (const Tendon& tendon : tendons_) {
    if (tendon.side == Side::none) rows.row(tendon.j) = -before.inputs.row(tendon.input);
  }
}

}  // namespace cuttle
