#include "simulation/residual_linear_solver.h"

#include <algorithm>

#include "cuttle/spatial/logarithm.h"
#include "simulation/adjoint_run.h"

namespace cuttle {
namespace {

Vector3 vector_at(const double* x) { return {x[0], x[1], x[2]}; }
QuaternionT<double> quaternion_at(const double* q) { return {q[0], q[1], q[2], q[3]}; }
QuaternionT<double> pure(const Vector3& x) { return {0.0, x.x, x.y, x.z}; }

}  // namespace

ResidualLinearSolver::ResidualLinearSolver(ImplicitSystem& system, bool feeds_back, SUNContext context)
    : CvodeSolver(context),
      system_(system),
      feeds_back_(feeds_back),
      nq_(system.model().nq()),
      nv_(system.model().nv()),
      works_(system.auxiliary_count()),
      size_(nq_ + nv_ + works_),
      coordinates_(system.model()),
      tangent_(system.model()),
      mass_(system.model()),
      stiffness_(system.model()) {
  if (system.follows_tree()) {
    system.prepare_along_tree();
  } else {
    system.prepare_derivatives();
    matrices_.emplace();
  }
  for (VectorXd* x : {&q_, &trial_q_}) x->setZero(nq_);
  for (VectorXd* x : {&v_, &a_, &trial_v_, &trial_a_, &residual_, &trial_residual_, &right_, &work_, &product_, &dv_,
                      &displacement_, &effort_})
    x->setZero(nv_);
  for (VectorXd* x : {&states_, &rates_, &offset_, &trial_offset_, &trial_rates_}) x->setZero(works_);
  for (const Edge& edge : system.model().topology().edges) {
    if (edge.nq == edge.nv) continue;
    const bool free = edge.nv == 6;
    turning_.push_back({edge.q + (free ? 3 : 0), edge.v, free ? edge.q : -1, {}, {}});
  }
}

void ResidualLinearSolver::residual_at(const VectorXd& q, const VectorXd& v, const VectorXd& a, const VectorXd& offset,
                                       VectorXd& r, VectorXd& rates) {
  const double factor = feeds_back_ ? taken_gamma_ : 0.0;
  system_.residual(time_, q, v, a, {offset, factor, factor}, r, rates);
}

void ResidualLinearSolver::take() {
  taken_gamma_ = gamma_;
  offset_ = states_;
  if (feeds_back_) offset_ -= gamma_ * rates_;
  system_.impose(time_, q_, v_, &a_);
  const double factor = feeds_back_ ? gamma_ : 0.0;
  residual_at(q_, v_, a_, offset_, residual_, trial_rates_);
  is_taken_ = true;
  const VectorXd no_rows;
  if (matrices_) {
    const DerivativeData& d = system_.residual_derivatives(time_, q_, v_, a_, {offset_, factor, factor}, no_rows);
    matrices_->by_q = d.by_q, matrices_->by_v = d.by_v, matrices_->by_a = d.by_a;
    return;
  }
  derivatives_ = &system_.residual_along_tree(time_, q_, v_, a_, {offset_, factor, factor}, no_rows);
  const Model& model = system_.model();
  coordinates_.motion_directions(0.0, 0.0, 1.0, directions_);
  derivatives_->form(model, directions_, mass_);
  coordinates_.motion_directions(1.0, 0.0, 0.0, directions_);
  derivatives_->form(model, directions_, stiffness_);
}

bool ResidualLinearSolver::set_up(double time, const double* y, const double* rate, bool keep, double gamma) {
  gamma_ = gamma;
  // what is condensed has the step's length in it
  const bool anew = !keep || !is_taken_ || (feeds_back_ && gamma != taken_gamma_);
  if (anew) {
    time_ = time;
    q_ = Eigen::Map<const VectorXd>(y, nq_), v_ = Eigen::Map<const VectorXd>(y + nq_, nv_);
    states_ = Eigen::Map<const VectorXd>(y + nq_ + nv_, works_);
    a_ = Eigen::Map<const VectorXd>(rate + nq_, nv_);
    rates_ = Eigen::Map<const VectorXd>(rate + nq_ + nv_, works_);
    take();
  }
  coordinates_.motion_directions(gamma * gamma, gamma, 1.0, directions_);
  for (Turning& t : turning_) {
    const Vector3 omega = vector_at(v_.data() + t.v);
    const double size = 1.0 / (1.0 + 0.25 * gamma * gamma * dot(omega, omega)), half = 0.5 * gamma * size;
    t.at = quaternion_at(q_.data() + t.q);
    t.back = {size, half * omega.x, half * omega.y, half * omega.z};
    for (int k = 0; k < (t.origin < 0 ? 3 : 6); ++k) {
      work_.setZero(), work_[t.v + k] = gamma;
      turn(nullptr, work_.data(), nullptr, displacement_);
      for (int i = 0; i < (t.origin < 0 ? 3 : 6); ++i) directions_.q(i, t.v + k) = displacement_[t.v + i];
    }
  }
  if (matrices_) {
    form_matrix();
    return anew;
  }
  derivatives_->form(system_.model(), directions_, tangent_);
  for (const int k : system_.driven()) tangent_.pin(k);
  tangent_.factor();
  return anew;
}

void ResidualLinearSolver::form_matrix() {
  MatrixXd& tangent = matrices_->tangent;
  tangent = matrices_->by_a + gamma_ * matrices_->by_v + (gamma_ * gamma_) * matrices_->by_q;
  for (const Turning& t : turning_) {
    const int count = t.origin < 0 ? 3 : 6;
    const auto by_q = matrices_->by_q.middleCols(t.v, count);
    tangent.middleCols(t.v, count) +=
        by_q * (directions_.q.block(0, t.v, count, count) - gamma_ * gamma_ * MatrixXd::Identity(count, count));
  }
  pin_driven(system_.driven(), tangent);
  matrices_->factor.compute(tangent);
}

void ResidualLinearSolver::turn(const double* b_q, const double* dv, double* dq, VectorXd& displacement) const {
  for (const Turning& t : turning_) {
    // with dq = at e: e = (at^-1 b_q + gamma / 2 d omega) (1 - gamma omega / 2)^-1
    QuaternionT<double> c =
        dv != nullptr ? pure((0.5 * gamma_) * vector_at(dv + t.v)) : QuaternionT<double>{0, 0, 0, 0};
    if (b_q != nullptr) {
      const QuaternionT<double> b = t.at.conjugate() * quaternion_at(b_q + t.q);
      c = {c.w + b.w, c.x + b.x, c.y + b.y, c.z + b.z};
    }
    const QuaternionT<double> e = c * t.back;
    const Vector3 angle{2.0 * e.x, 2.0 * e.y, 2.0 * e.z};
    for (int k = 0; k < 3; ++k) displacement[t.v + k] = angle[k];
    if (dq != nullptr) {
      const QuaternionT<double> change = t.at * e;
      dq[t.q] = change.w, dq[t.q + 1] = change.x, dq[t.q + 2] = change.y, dq[t.q + 3] = change.z;
    }
    if (t.origin < 0) continue;
    const Matrix3 R = t.at.normalized().matrix();
    Vector3 moved = gamma_ * cross(angle, vector_at(v_.data() + t.v + 3));
    if (dv != nullptr) moved += gamma_ * vector_at(dv + t.v + 3);
    if (b_q != nullptr) moved += R.transpose_times(vector_at(b_q + t.origin));
    for (int k = 0; k < 3; ++k) displacement[t.v + 3 + k] = moved[k];
    if (dq == nullptr) continue;
    const Vector3 shift = R * moved;
    for (int k = 0; k < 3; ++k) dq[t.origin + k] = shift[k];
  }
}

int ResidualLinearSolver::solve(const double* right, double* x) {
  const Eigen::Map<const VectorXd> b_v(right + nq_, nv_), b_x(right + nq_ + nv_, works_);
  const Model& model = system_.model();
  const auto each_plain = [&](const auto& use) {
    for (const Edge& edge : model.topology().edges) {
      if (edge.nq == edge.nv) use(edge.q, edge.v, edge.nv);
    }
  };
  work_ = b_v;
  if (matrices_) {
    right_.noalias() = matrices_->by_a * work_;
  } else {
    mass_.multiply(work_, right_);
  }
  each_plain([&](int q, int v, int n) { std::copy_n(right + q, n, displacement_.data() + v); });
  turn(right, nullptr, nullptr, displacement_);
  for (const int k : system_.driven()) displacement_[k] = 0.0;
  if (matrices_) {
    product_.noalias() = matrices_->by_q * displacement_;
  } else {
    stiffness_.multiply(displacement_, product_);
  }
  right_ -= gamma_ * product_;
  trial_offset_ = offset_ + b_x;
  if (feeds_back_ && !b_x.isZero(0.0)) {
    residual_at(q_, v_, a_, trial_offset_, trial_residual_, trial_rates_);
    right_ -= gamma_ * (trial_residual_ - residual_);
  }
  for (const int k : system_.driven()) right_[k] = b_v[k];
  if (matrices_) {
    dv_ = matrices_->factor.solve(right_);
  } else {
    tangent_.solve(right_, dv_);
  }

  Eigen::Map<VectorXd> dq(x, nq_), dv(x + nq_, nv_), dx(x + nq_ + nv_, works_);
  dv = dv_;
  each_plain([&](int q, int v, int n) {
    dq.segment(q, n) = Eigen::Map<const VectorXd>(right + q, n) + gamma_ * dv_.segment(v, n);
  });
  turn(right, dv_.data(), x, displacement_);
  if (works_ > 0) {
    trial_q_ = q_ + dq, trial_v_ = v_ + dv;
    trial_a_ = a_ + (dv_ - b_v) / gamma_;
    if (!trial_q_.allFinite() || !trial_a_.allFinite()) return 1;
    system_.impose(time_, trial_q_, trial_v_, &trial_a_);
    residual_at(trial_q_, trial_v_, trial_a_, trial_offset_, trial_residual_, trial_rates_);
    if (!system_.driven().empty()) {  // what drives works too, which CVODE's own rates have
      effort_.setZero();
      for (const int k : system_.driven()) effort_[k] = trial_residual_[k];
      system_.book_efforts(effort_, trial_v_, trial_rates_);
    }
    dx = b_x + gamma_ * (trial_rates_ - rates_);
  }
  return Eigen::Map<const VectorXd>(x, size_).allFinite() ? 0 : 1;
}

}  // namespace cuttle
