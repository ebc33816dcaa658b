// Impedance of a frame: it moves as if Lambda (x'' - x_d'') = K e + D e', Lambda = (J M^-1 J^T)^-1 the robot's own
// inertia there, whatever else acts. What the task leaves free is damped: of all inputs that give the task its
// acceleration
//   J M^-1 A u = b = x_d'' + Lambda^-1 (K e + D e') - J' v - J a_0
// those with the least error A u - (-d v) in the norm of M^-1. If A spans all forces that is nu = J^T F + N^T (-d v)
// with the dynamically consistent null-space projection N.
#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <optional>

#include "control/bounded_slopes.h"
#include "control/clocked_controller.h"
#include "control/null_space_slopes.h"
#include "control/path_reference.h"
#include "control/plant.h"
#include "cuttle/algorithms/derivatives.h"
#include "cuttle/algorithms/external_wrench.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/error.h"
#include "cuttle/model/spelling.h"
#include "cuttle/spatial/logarithm.h"

namespace cuttle {
namespace {

constexpr double k_least_pivot = 1e-12;     // squared, of matrices with ones on the diagonal: sine of an angle, squared
constexpr double k_regularization = 1e-12;  // beside ones: of inputs that the null space has too many of
constexpr double k_suspect_pivot = 1e-6;    // squared: without a lesser one inputs have no null space
constexpr const char* k_axes[] = {"rx", "ry", "rz", "x", "y", "z"};

class OperationalSpace final : public OutputLaw {
 public:
  OperationalSpace(const Model& model, const OperationalSpaceSettings& settings, const ControlPlaces& places)
      : plant_(model, places.inputs),
        places_(places),
        data_(model),
        frame_(named_frame(model, settings.frame, "frame")),
        position_(settings.reference, 3),
        nullspace_damping_(settings.nullspace_damping) {
    refuse_loops(model);
    if (settings.quaternion) {
      const auto& [w, x, y, z] = *settings.quaternion;
      orientation_ = QuaternionT<double>{w, x, y, z}.normalized().matrix();
    }
    for (int i = 0; i < 6; ++i) {
      stiffness_[i] = settings.stiffness[static_cast<std::size_t>(i)];
      damping_[i] = settings.damping[static_cast<std::size_t>(i)];
      if (stiffness_[i] != 0.0 || damping_[i] != 0.0) rows_.push_back(i);
    }
    const int k = task_size(), m = places.input_count(), nv = model.nv();
    if (k == 0) throw ArgumentError(Diagnostic("stiffness", "zeros, and damping too", "a direction that is not free"));
    if (m < k) {
      throw ArgumentError(Diagnostic("inputs", fmt::format("{} of them", m),
                                     fmt::format("at least {}, one a direction that is not free", k)));
    }
    J_.setZero(6, nv), J_task_.setZero(k, nv), mobility_.setZero(k, k), MJ_.setZero(nv, k), H_.setZero(k, m);
    GH_.setZero(m, k), task_.setZero(k, k), scaled_.setZero(k, k), G_scaled_.setZero(m, m);
    for (VectorXd* x : {&b_, &multiplier_}) x->setZero(k);
    scale_.setZero(m), u_.setZero(m), force_.setZero(k), all_inputs_.assign(places.inputs.size(), true);
    no_acceleration_.setZero(nv);
  }

  void describe(ControlColumns& columns) const override {
    for (int i = 3; i < 6; ++i) columns.reference.push_back({k_axes[i], "m"});
    for (const int i : rows_) columns.error.push_back({k_axes[i], i < 3 ? "rad" : "m"});
  }
  void observe(const ControlArguments& at, VectorOutT<double> reference, VectorOutT<double> error) override {
    read_task(at);
    reference = position_.at(at.time);
    for (int i = 0; i < task_size(); ++i) error[i] = error_[rows_[i]];
  }

  Reference* reference() override { return &position_; }

  void outputs(const ControlArguments& at, const OutputBounds& /*bounds*/, VectorXd& out) override {
    plant_.read_motion(at);
    read_task(at);
    const int k = task_size();
    for (int i = 0; i < k; ++i) J_task_.row(i) = J_.row(rows_[i]);
    MJ_ = J_task_.transpose();
    plant_.divide_by_mass(MJ_);
    mobility_.noalias() = J_task_ * MJ_;
    require_rank(mobility_, at.time, "the frame cannot move in all of its directions");
    // x'' that the impedance wants, less what the robot does by itself
    for (int i = 0; i < k; ++i) {
      const int r = rows_[i];
      force_[i] = stiffness_[r] * error_[r] + damping_[r] * rate_error_[r];
      b_[i] = reference_acceleration_[r] - bias_[r];
    }
    b_.noalias() += mobility_ * force_;
    b_.noalias() -= J_task_ * plant_.free_acceleration;
    do {
      solve(at, out);
    } while (plant_.turn(out));
    u_ = out;
  }

  void derivatives(const ControlArguments& at, const OutputBounds& bounds, const VectorXd& out,
                   const InputSlopes& before, MatrixXd& by_q, MatrixXd& by_v) override {
    if (!slopes_) slopes_.emplace(plant_.model(), task_size(), places_.input_count());
    OwnSlopes& s = *slopes_;
    // w = M^-1 (B u + offset + d v - J^T lambda), which no input moves: B^T w = 0, and a with J a + J' v = x_d''
    s.w.noalias() = plant_.B() * u_;
    if (plant_.rubs()) s.w += plant_.offset();
    s.a = s.w;
    s.a.noalias() -= J_task_.transpose() * force_;
    plant_.divide_by_mass(s.a);
    s.a += plant_.free_acceleration;
    s.w += nullspace_damping_ * at.v;
    s.w.noalias() -= J_task_.transpose() * multiplier_;
    plant_.divide_by_mass(s.w);
    // d(M a + rest - B u - offset + J^T F) and d(M w - B u - offset - d v + J^T lambda), all but the efforts' own
    // change
    read_frame_slopes(at, s);
    s.rest = plant_.motion_slopes(at, s.a, &u_, &before);
    s.without = s.a - s.w;
    const Plant::Slopes& less = plant_.motion_slopes(at, s.without, nullptr, &before);
    s.damped.by_q = s.rest.by_q - less.by_q, s.damped.by_v = s.rest.by_v - less.by_v;
    s.damped.by_v.diagonal().array() -= nullspace_damping_;
    s.rest.by_q += s.turned_force, s.damped.by_q += s.turned_multiplier;
    plant_.read_slopes(at);
    follow(s.rest.by_q, s.damped.by_q, s.force_by_q, s.motion_by_q, true, by_q);
    follow(s.rest.by_v, s.damped.by_v, s.force_by_v, s.motion_by_v, false, by_v);
    plant_.hold_slopes(before.by_q, by_q), plant_.hold_slopes(before.by_v, by_v);
    if (has_null_space_ && s.null_space.read(plant_, at, all_inputs_, u_)) {
      const MatrixXd nearest = MatrixXd::Zero(by_q.rows(), by_q.cols());
      s.null_space.complete(plant_, true, nearest, by_q);
      s.null_space.complete(plant_, false, nearest, by_v);
    }
    hold_slopes(places_, bounds, out, before.by_q, by_q);
    hold_slopes(places_, bounds, out, before.by_v, by_v);
  }

 private:
  int task_size() const { return static_cast<int>(rows_.size()); }

  /// G u = B^T M^-1 (-d v - offset) + H^T lambda and H u = b - J M^-1 offset, G = B^T M^-1 B, H = J M^-1 B.
  /// @param u  and into multiplier_.
  void solve(const ControlArguments& at, VectorXd& u) {
    const int k = task_size();
    H_.noalias() = MJ_.transpose() * plant_.B();
    factor_inputs();
    u.noalias() = -nullspace_damping_ * (plant_.Rb().transpose() * at.v);
    multiplier_ = b_;
    if (plant_.rubs()) {
      u.noalias() -= plant_.Rb().transpose() * plant_.offset();
      multiplier_.noalias() -= MJ_.transpose() * plant_.offset();
    }
    divide_by_inputs(u);  // of the null space alone
    GH_ = H_.transpose();
    for (int i = 0; i < k; ++i) {
      multiplier_m_ = GH_.col(i);
      divide_by_inputs(multiplier_m_);
      GH_.col(i) = multiplier_m_;
    }
    task_.noalias() = H_ * GH_;
    require_rank(task_, at.time, "they do not span its directions");
    add_task(u, multiplier_);
    has_null_space_ = least_input_pivot() < k_suspect_pivot && null_space_.find(plant_.Gb(), all_inputs_);
    if (has_null_space_) null_space_.leave_out(VectorXd::Zero(u.size()), u);
  }

  /// Memory of derivatives.
  struct OwnSlopes {
    OwnSlopes(const Model& model, int k, int m) : dynamics(model), frame(model), inputs(m), task(k) {
      const int nv = model.nv();
      for (VectorXd* x : {&a, &w, &without}) x->setZero(nv);
      for (MatrixXd* x : {&force_by_q, &force_by_v, &motion_by_q, &motion_by_v, &task_rows}) x->setZero(k, nv);
      input_rows.setZero(m, nv);
    }
    DerivativeData dynamics;
    FrameDerivatives frame;
    VectorXd a, w, without, inputs, task;
    MatrixXd turned_force, turned_multiplier;  ///< d(J^T F) and d(J^T lambda) of a constant F and lambda, by q
    Plant::Slopes rest, damped;
    MatrixXd force_by_q, force_by_v;    ///< of F
    MatrixXd motion_by_q, motion_by_v;  ///< of J a + J' v
    MatrixXd input_rows, task_rows;
    NullSpaceSlopes null_space;
  };

  /// From what changes in the equations that u and lambda solve to the rows of u:
  ///   G du - H^T dlambda = B^T M^-1 d(damped) - d(B)^T w  and  H du = J M^-1 (d(rest) + J^T dF) - d(J a + J' v)
  void follow(const MatrixXd& rest, const MatrixXd& damped, const MatrixXd& force, const MatrixXd& motion, bool of_q,
              MatrixXd& result) {
    OwnSlopes& s = *slopes_;
    s.input_rows.noalias() = plant_.Rb().transpose() * damped;
    plant_.subtract_column_slopes(s.w, of_q, s.input_rows);
    s.task_rows.noalias() = MJ_.transpose() * rest;
    s.task_rows.noalias() += mobility_ * force;
    s.task_rows -= motion;
    for (Eigen::Index column = 0; column < result.cols(); ++column) {
      s.inputs = s.input_rows.col(column), s.task = s.task_rows.col(column);
      divide_by_inputs(s.inputs);
      add_task(s.inputs, s.task);
      result.col(column) = s.inputs;
    }
  }

  /// Of F, of the frame's acceleration under s.a, and of forces that F and lambda make while the frame turns.
  void read_frame_slopes(const ControlArguments& at, OwnSlopes& s) {
    const Model& model = plant_.model();
    const auto turned = [&](const VectorXd& task, MatrixXd& change) {
      ExternalWrench load{frame_, {}, Axes::world};
      for (int i = 0; i < task_size(); ++i) load.wrench[rows_[i]] = task[i];
      inverse_dynamics_derivatives(model, data_, s.dynamics, at.q, at.v, s.a, {nullptr, {&load, 1}});
      change -= s.dynamics.by_q;
    };
    inverse_dynamics_derivatives(model, data_, s.dynamics, at.q, at.v, s.a);
    s.turned_force = s.dynamics.by_q, s.turned_multiplier = s.dynamics.by_q;
    turned(force_, s.turned_force);
    turned(multiplier_, s.turned_multiplier);
    frame_derivatives(model, s.dynamics, frame_, s.frame);
    const KinematicsT<double>& motion = forward_kinematics<double>(model, data_, at.q, at.v, s.a);
    const Pose pose = motion.pose(frame_);
    const Twist twist = motion.velocity_of(frame_), acceleration = motion.acceleration_of(frame_);
    const Vector3 gravity = pose.rotation.transpose_times(model.robot().gravity);
    const Vector3 linear = acceleration.linear + cross(twist.angular, twist.linear);
    const Matrix3T<double> turn = rotation_right_tangent_inverse(Vector3{error_[0], error_[1], error_[2]});
    const auto column_of = [](const MatrixXd& matrix, Eigen::Index c) {
      return Twist{{matrix(0, c), matrix(1, c), matrix(2, c)}, {matrix(3, c), matrix(4, c), matrix(5, c)}};
    };
    const auto put = [&](Eigen::Index c, const Twist& error, const Twist& rate, const Twist& of_motion, MatrixXd& force,
                         MatrixXd& rows) {
      for (int i = 0; i < task_size(); ++i) {
        const int r = rows_[i];
        force(i, c) = -stiffness_[r] * error[r] - damping_[r] * rate[r], rows(i, c) = of_motion[r];
      }
    };
    // in the axes of the world, which do not turn with the frame
    const auto in_world = [&](const Twist& change, const Vector3& about, const Twist& of) {
      return Twist{pose.rotation * (change.angular + cross(about, of.angular)),
                   pose.rotation * (change.linear + cross(about, of.linear))};
    };
    for (Eigen::Index c = 0; c < s.force_by_q.cols(); ++c) {
      const Twist J = column_of(s.frame.jacobian, c), velocity = column_of(s.frame.velocity_by_q, c);
      const auto true_motion = [&](Twist change, const Twist& change_of_velocity) {
        change.linear +=
            cross(change_of_velocity.angular, twist.linear) + cross(twist.angular, change_of_velocity.linear);
        return change;
      };
      Twist of_q = column_of(s.frame.acceleration_by_q, c);
      of_q.linear += cross(gravity, J.angular);  // the sweep's accelerations lack it
      const Twist moved = in_world(J, {}, {});
      put(c, {turn * moved.angular, moved.linear}, in_world(velocity, J.angular, twist),
          in_world(true_motion(of_q, velocity), J.angular, {acceleration.angular, linear}), s.force_by_q,
          s.motion_by_q);
      put(c, {}, moved, in_world(true_motion(column_of(s.frame.acceleration_by_v, c), J), {}, {}), s.force_by_v,
          s.motion_by_v);
    }
  }

  /// Errors, Jacobian and its rate in the axes of the world at the frame: rotation, then position.
  void read_task(const ControlArguments& at) {
    const KinematicsT<double>& motion = forward_kinematics<double>(plant_.model(), data_, at.q, at.v, no_acceleration_);
    const Pose pose = motion.pose(frame_);
    const Twist twist = motion.velocity_of(frame_), bias = motion.acceleration_of(frame_);
    const Vector3 angular = pose.rotation * twist.angular, linear = pose.rotation * twist.linear;
    // components of twists change with the frame's axes
    const Vector3 angular_bias = pose.rotation * bias.angular;
    const Vector3 linear_bias = pose.rotation * (bias.linear + cross(twist.angular, twist.linear));
    const VectorXd& position = position_.at(at.time);
    const VectorXd& rate = position_.rate_at(at.time);
    const VectorXd& acceleration = position_.acceleration_at(at.time);
    const Vector3 turn = quaternion_logarithm(quaternion_from_matrix(orientation_ * pose.rotation.transpose()));
    for (int i = 0; i < 3; ++i) {
      error_[i] = turn[i], error_[3 + i] = position[i] - pose.position[i];
      rate_error_[i] = -angular[i], rate_error_[3 + i] = rate[i] - linear[i];
      reference_acceleration_[i] = 0.0, reference_acceleration_[3 + i] = acceleration[i];
      bias_[i] = angular_bias[i], bias_[3 + i] = linear_bias[i];
    }
    const MatrixXd& local = frame_jacobian<double>(plant_.model(), data_, at.q, frame_);
    for (Eigen::Index c = 0; c < local.cols(); ++c) {
      const Vector3 w = pose.rotation * Vector3{local(0, c), local(1, c), local(2, c)};
      const Vector3 x = pose.rotation * Vector3{local(3, c), local(4, c), local(5, c)};
      for (int i = 0; i < 3; ++i) J_(i, c) = w[i], J_(3 + i, c) = x[i];
    }
  }

  /// Factor of a k x k matrix with ones on its diagonal, into task_factor_.
  void require_rank(const MatrixXd& matrix, double time, const char* problem) {
    const int k = task_size();
    task_scale_.resize(k);
    for (int i = 0; i < k; ++i) task_scale_[i] = matrix(i, i) > 0.0 ? 1.0 / std::sqrt(matrix(i, i)) : 0.0;
    for (int i = 0; i < k; ++i) {
      for (int j = 0; j < k; ++j) scaled_(i, j) = task_scale_[i] * matrix(i, j) * task_scale_[j];
    }
    task_factor_.compute(scaled_);
    const double least =
        task_factor_.info() == Eigen::Success ? task_factor_.matrixLLT().diagonal().array().square().minCoeff() : 0.0;
    if (least > k_least_pivot) return;
    throw SimulationError(fmt::format("inputs {}: found rank loss at t = {:.9g} s ({}), expected {} directions",
                                      names_of(plant_.model().input_info(), places_.inputs), time, problem, k));
  }

  /// From the u of G u = c to that of G u = c + H^T lambda with H u = b. @param b  becomes lambda.
  void add_task(VectorXd& u, VectorXd& b) const {
    b.noalias() -= H_ * u;
    b.array() *= task_scale_.array();
    task_factor_.solveInPlace(b);
    b.array() *= task_scale_.array();
    u.noalias() += GH_ * b;
  }

  /// G may be singular where there are more inputs than forces: its regularization chooses the smallest ones.
  void factor_inputs() {
    const MatrixXd& G = plant_.Gb();
    const Eigen::Index m = G.rows();
    for (Eigen::Index i = 0; i < m; ++i) scale_[i] = G(i, i) > 0.0 ? 1.0 / std::sqrt(G(i, i)) : 0.0;
    for (Eigen::Index i = 0; i < m; ++i) {
      for (Eigen::Index j = 0; j < m; ++j) G_scaled_(i, j) = scale_[i] * G(i, j) * scale_[j];
      G_scaled_(i, i) += scale_[i] > 0.0 ? k_regularization : 1.0;
    }
    input_factor_.compute(G_scaled_);
  }
  double least_input_pivot() const { return input_factor_.matrixLLT().diagonal().array().square().minCoeff(); }
  void divide_by_inputs(VectorXd& x) const {
    x.array() *= scale_.array();
    input_factor_.solveInPlace(x);
    x.array() *= scale_.array();
  }

  Plant plant_;
  ControlPlaces places_;
  Data data_;
  Frame frame_;
  Reference position_;
  double nullspace_damping_;
  Matrix3T<double> orientation_ = Matrix3T<double>::identity();
  std::array<double, 6> stiffness_{}, damping_{}, error_{}, rate_error_{}, reference_acceleration_{}, bias_{};
  std::vector<int> rows_;  ///< of the task
  std::vector<char> all_inputs_;
  InputNullSpace null_space_;
  bool has_null_space_ = false;
  MatrixXd J_, J_task_, mobility_, MJ_, H_, GH_, task_, scaled_, G_scaled_;
  VectorXd b_, force_, multiplier_, multiplier_m_, scale_, task_scale_, no_acceleration_;
  VectorXd u_;  ///< what it says, before anybody clips it
  Eigen::LLT<MatrixXd> task_factor_, input_factor_;
  std::optional<OwnSlopes> slopes_;
};

LawT<OperationalSpaceSettings> operational_space() {
  return {.type = "operational_space",
          .about = "A frame moves like a mass on a spring and damper to its reference, whatever else acts.",
          .example =
              "{name: hand, type: operational_space, frame: shoulder.tip, reference: {position: [0, 0, 0], quaternion: "
              "[1, 0, 0, 0]}, stiffness: [0, 0, 2, 0, 0, 0], damping: [0, 0, 0.3, 0, 0, 0]}",
          .describe =
              [](OperationalSpaceSettings& settings, SettingVisitor& visitor) {
                visitor.inputs(settings.inputs);
                visitor.text("frame", settings.frame, "LINK.tip, LINK.base, or a [marker](#marker).");
                visitor.frame_reference(settings), visitor.impedance(settings);
                visitor.number("nullspace_damping", settings.nullspace_damping, "N m s/rad, N s/m",
                               "Of all velocities, as far as that does not disturb the frame.");
              },
          .bind = bind_effort_law<OperationalSpace, OperationalSpaceSettings>,
          .solves_motion = true};
}

}  // namespace

std::shared_ptr<const Controller> make_operational_space(OperationalSpaceSettings settings) {
  for (const auto& [key, values] : {std::pair{"stiffness", &settings.stiffness}, {"damping", &settings.damping}}) {
    if (values->size() != 6) {
      throw ArgumentError(
          Diagnostic(key, fmt::format("{} numbers", values->size()), "6: about x, y, z, along x, y, z"));
    }
  }
  const bool turns =
      std::any_of(settings.stiffness.begin(), settings.stiffness.begin() + 3, [](double k) { return k != 0.0; });
  if (turns && !settings.quaternion) {
    throw ArgumentError(Diagnostic("reference", "no quaternion, and stiffness about axes", "both or none"));
  }
  return clocked_controller(operational_space(), std::move(settings));
}

LibraryLaw operational_space_law() { return library_law(operational_space(), make_operational_space); }

}  // namespace cuttle
