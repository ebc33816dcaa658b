#include <algorithm>
#include <cstdlib>
#include <new>

#include "algorithms/derivative_workspace.h"
#include "algorithms/sweep.h"

namespace cuttle {
namespace {

constexpr int k_width = k_forward_width;

/// Memory aligned as WorkspaceT asks for.
class GradientMemory {
 public:
  explicit GradientMemory(const WorkspaceSize& size) : size_(size.persistent + size.scratch + size.elimination) {
    memory_.reset(static_cast<ForwardDual*>(std::aligned_alloc(64, (size_ * sizeof(ForwardDual) + 63) / 64 * 64 + 64)));
    if (!memory_) throw std::bad_alloc();
    std::uninitialized_fill(memory_.get(), memory_.get() + size_, ForwardDual(0.0));
    workspace_ = {memory_.get(), memory_.get() + size.persistent, memory_.get() + size.persistent + size.scratch};
  }
  const WorkspaceT<ForwardDual>& workspace() const { return workspace_; }

 private:
  struct Free {
    void operator()(void* p) const { std::free(p); }
  };
  std::size_t size_;
  std::unique_ptr<ForwardDual, Free> memory_;
  WorkspaceT<ForwardDual> workspace_;
};

TwistT<ForwardDual> constant_twist(const Twist& t) { return t.cast<ForwardDual>(); }

Twist slope_of(const TwistT<ForwardDual>& t, int direction) {
  Twist r;
  for (int i = 0; i < 6; ++i) r[i] = t[i].derivative[direction];
  return r;
}
Wrench slope_of(const WrenchT<ForwardDual>& t, int direction) {
  Wrench r;
  for (int i = 0; i < 6; ++i) r[i] = t[i].derivative[direction];
  return r;
}
template <typename T>
void store_column(double* rows, int n, int k, const T& t) {
  for (int r = 0; r < 6; ++r) rows[r * n + k] = t[r];
}

/// Differentiates forward and backward of a body for ForwardDual, eight directions at a time. The mass matrix and what
/// the ports carry come from the body for double.
class AutomaticTangent final : public BodyTangentT<double> {
 public:
  explicit AutomaticTangent(const Body& body)
      : body_(body),
        differentiated_(body.clone_as(ScalarTag<ForwardDual>{})),
        n_(body.coordinate_count()),
        ports_(body.port_count()),
        memory_(differentiated_->workspace_size()),
        q_(n_),
        v_(n_),
        a_(n_),
        force_(n_),
        motions_(ports_),
        wrenches_(ports_),
        values_(ports_),
        columns_(ports_),
        mass_(static_cast<std::size_t>(n_) * n_),
        coupling_(6 * static_cast<std::size_t>(n_)) {}

  std::size_t tangent_memory_size() const override { return 0; }

  void tangent_outward(const BodyStateT<double>& state, const WorkspaceT<double>& workspace, double*,
                       const PortTangentT<double>* ports) const override {
    // port Jacobians, and with them the poses and velocities that turn port axes into base axes
    body_.forward(MotionLevel::acceleration, state, workspace, values_.data());
    for (int first = 0; first < n_; first += k_width) {
      seed(state, first, n_);
      differentiated_->forward(MotionLevel::acceleration, gradient_state_, memory_.workspace(), motions_.data());
      const int last = std::min(n_, first + k_width);
      for (int p = 0; p < ports_; ++p) {
        const PortMotionT<double>& port = values_[p];
        for (int k = first; k < last; ++k) {
          const Twist dV = slope_of(motions_[p].velocity, k - first);
          const Twist dA = slope_of(motions_[p].acceleration, k - first);
          store_column(ports[p].rate, n_, k, port.base_port.act(dV));
          store_column(ports[p].second, n_, k, port.base_port.act(dA + bracket(port.velocity, dV)));
        }
      }
    }
    make_blocks(state, workspace);
    for (int p = 0; p < ports_; ++p) {
      const double* J = body_.port_jacobian(workspace, p);
      for (int k = 0; k < n_; ++k) {
        store_column(ports[p].jacobian, n_, k, values_[p].base_port.act(sweep::column_of(J, n_, k)));
      }
      columns_[p] = ports[p];
    }
  }

  void tangent_inward(const BodyStateT<double>& state, const CompositeT<double>* ports, const WorkspaceT<double>&,
                      double*, BodyDerivativesT<double>& r) const override {
    for (int p = 0; p < ports_; ++p) {
      wrenches_[p] = values_[p].base_port.act_inverse(ports[p].wrench).cast<ForwardDual>();
    }
    std::copy(mass_.begin(), mass_.end(), r.mass);
    std::copy(coupling_.begin(), coupling_.end(), r.coupling);
    r.composite = {};
    r.composite.inertia = base_inertia_;
    Matrix3 columns;  // of the map `rate`, transposed
    Vector3 along[3];
    // directions: q, v, and turning velocities of the base at fixed dJ'' (so that A_0 changes by -[V_0, e])
    const int count = 2 * n_ + 3;
    for (int first = 0; first < count; first += k_width) {
      seed(state, first, count);
      differentiated_->forward(MotionLevel::acceleration, gradient_state_, memory_.workspace(), motions_.data());
      WrenchT<ForwardDual> base;
      differentiated_->backward(gradient_state_, wrenches_.data(), memory_.workspace(), base, force_.data());
      const int last = std::min(count, first + k_width);
      for (int direction = first; direction < last; ++direction) {
        const Wrench change = slope_of(base, direction - first);
        if (direction < 2 * n_) {
          const bool by_q = direction < n_;
          const int k = by_q ? direction : direction - n_;
          store_column(by_q ? r.base_by_q : r.base_by_v, n_, k, change);
          double* force = by_q ? r.force_by_q : r.force_by_v;
          for (int i = 0; i < n_; ++i) force[i * n_ + k] = force_[i].derivative[direction - first];
        } else {
          const int c = direction - 2 * n_;
          columns.row(c) = change.torque;
          along[c] = change.force;
          for (int i = 0; i < n_; ++i) r.rate[c * n_ + i] = force_[i].derivative[direction - first];
        }
      }
      if (first == 0) {
        for (int i = 0; i < 6; ++i) r.composite.wrench[i] = base[i].value;
      }
    }
    // force = d x vector
    r.composite.rate = {columns.transpose(), {-along[1].z, along[0].z, -along[0].y}};
    std::fill(r.turn, r.turn + 3 * n_, 0.0);
    for (int p = 0; p < ports_; ++p) add_port(ports[p], columns_[p], r);
  }

 private:
  void make_blocks(const BodyStateT<double>& state, const WorkspaceT<double>& workspace) const {
    InertiaBlocksT<double> blocks{mass_.data(), coupling_.data(), {}};
    body_.inertia_blocks(state, workspace, blocks);
    base_inertia_ = blocks.base;
  }

  /// Directions first .. of [q | v | base].
  void seed(const BodyStateT<double>& state, int first, int count) const {
    for (int k = 0; k < n_; ++k) q_[k] = state.q[k], v_[k] = state.v[k], a_[k] = state.a[k];
    gradient_state_ = {q_.data(), v_.data(), a_.data(), constant_twist(state.base_velocity),
                       constant_twist(state.base_acceleration)};
    for (int d = 0; d < k_width && first + d < count; ++d) {
      const int direction = first + d;
      if (direction < n_) {
        q_[direction].derivative[d] = 1.0;
      } else if (direction < 2 * n_) {
        v_[direction - n_].derivative[d] = 1.0;
      } else {
        Twist e;
        e[direction - 2 * n_] = 1.0;
        const Twist dA = -bracket(state.base_velocity, e);
        for (int i = 0; i < 6; ++i) {
          gradient_state_.base_velocity[i].derivative[d] = e[i];
          gradient_state_.base_acceleration[i].derivative[d] = dA[i];
        }
      }
    }
  }

  /// What hangs at a port, but for its wrench, which backward has carried.
  void add_port(const CompositeT<double>& load, const PortTangentT<double>& port, BodyDerivativesT<double>& r) const {
    r.composite.inertia += load.inertia, r.composite.rate += load.rate, r.composite.turn += load.turn;
    for (int k = 0; k < n_; ++k) {
      const Twist J = sweep::column_of(port.jacobian, n_, k), rate = sweep::column_of(port.rate, n_, k);
      const Twist second = sweep::column_of(port.second, n_, k);
      const Wrench by_a = load.inertia * J;
      const Wrench momentum = load.inertia * rate;
      const Wrench by_q = load.inertia * second + load.rate * rate.angular + load.turn * J.angular;
      const Wrench by_v = momentum + momentum + load.rate * J.angular;
      const Vector3 z = load.rate.transpose_times(J), y = load.turn.transpose_times(J);
      for (int i = 0; i < 6; ++i) {
        r.coupling[i * n_ + k] += by_a[i];
        r.base_by_q[i * n_ + k] += by_q[i];
        r.base_by_v[i * n_ + k] += by_v[i];
      }
      for (int i = 0; i < 3; ++i) r.rate[i * n_ + k] += z[i], r.turn[i * n_ + k] += y[i];
      for (int i = 0; i < n_; ++i) {
        const Twist row = sweep::column_of(port.jacobian, n_, i);
        r.force_by_q[i * n_ + k] += dot(by_q, row);
        r.force_by_v[i * n_ + k] += dot(by_v, row);
        r.mass[i * n_ + k] += dot(by_a, row);
      }
    }
  }

  const Body& body_;
  std::unique_ptr<BodyT<ForwardDual>> differentiated_;
  int n_, ports_;
  GradientMemory memory_;
  // of one evaluation; DerivativeData, which owns this, belongs to one thread
  mutable BodyStateT<ForwardDual> gradient_state_;
  mutable std::vector<ForwardDual> q_, v_, a_, force_;
  mutable std::vector<PortMotionT<ForwardDual>> motions_;
  mutable std::vector<WrenchT<ForwardDual>> wrenches_;
  mutable std::vector<PortMotionT<double>> values_;
  mutable std::vector<PortTangentT<double>> columns_;
  mutable std::vector<double> mass_, coupling_;
  mutable SpatialInertia base_inertia_;
};

}  // namespace

std::unique_ptr<BodyTangentT<double>> make_automatic_tangent(const Body& body) {
  return std::make_unique<AutomaticTangent>(body);
}

}  // namespace cuttle
