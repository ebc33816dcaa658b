// PFBL, partial feedback linearization (collocated; input-output linearization):
// y'' = y_d'' + K_D e' + K_P e on the actuation coordinates of its inputs, all other dynamics free, [P] 8.
// As y'' = A^T a + (A^T)' v and M a + rest = A u: A^T M^-1 A u = y''_command - (A^T)' v + A^T M^-1 rest.
// Where friction of tendons makes the force of inputs B u + offset: A^T M^-1 B, which is not symmetric.
#include <fmt/format.h>

#include <cmath>

#include "control/actuation_law.h"
#include "control/bounded_slopes.h"
#include "control/clocked_controller.h"
#include "control/complementarity.h"
#include "control/law_model.h"
#include "cuttle/error.h"

namespace cuttle {
namespace {

class PartialFeedbackLinearization final : public ActuationLaw {
 public:
  PartialFeedbackLinearization(const Model& model, const FeedbackSettings& settings, const ControlPlaces& places)
      : ActuationLaw(model, settings, places),
        allocation_(places.input_count()),
        complementarity_(places.input_count()) {
    refuse_loops(model);
    const int m = places.input_count(), nv = model.nv();
    bias_.setZero(m), w_.resize(m), a_.resize(nv);
    angles_.resize(m, m), H_.resize(m, m), own_w_.resize(m);
    rows_.resize(m, nv), rate_by_q_.resize(m, nv), bias_by_q_.resize(m, nv), y_rows_.resize(m, nv);
  }

  void outputs(const ControlArguments& at, const OutputBounds& bounds, VectorXd& out) override {
    plant_.read_motion(at);
    check_least_angle(at.time);
    read_errors(at);
    plant_.input_bias(at, bias_);
    w_ = reference_.acceleration_at(at.time) - bias_;
    w_.noalias() += kd_ * rate_error_;
    w_.noalias() += kp_ * error_;
    w_.noalias() -= plant_.A.transpose() * plant_.free_acceleration;
    // within bounds: the least error of A u in the norm of M^-1, so that y'' of the inputs that no bound holds is right
    if (!plant_.rubs()) return allocation_.solve(plant_.G, w_, bounds.lower, bounds.upper, out);
    // the same of y'': none of these inputs may come closer to its acceleration
    do {
      H_.noalias() = plant_.A.transpose() * plant_.Rb();
      own_w_ = w_;
      own_w_.noalias() -= plant_.R.transpose() * plant_.offset();
      complementarity_.solve(H_, own_w_, bounds.lower, bounds.upper, out);
    } while (plant_.turn(out));
  }

  /// Of the free inputs A^T a + (A^T)' v = y''_command and M a + rest = B u + offset, differentiated:
  ///   A^T M^-1 B du = d y''_command - d(A^T) a - d((A^T)' v) + A^T M^-1 d(M a + rest - B u - offset)
  void derivatives(const ControlArguments& at, const OutputBounds& bounds, const VectorXd& out,
                   const InputSlopes& before, MatrixXd& by_q, MatrixXd& by_v) override {
    a_ = plant_.free_acceleration;
    a_.noalias() += plant_.Rb() * out;
    if (plant_.rubs()) {
      add_ = plant_.offset();
      plant_.divide_by_mass(add_);
      a_ += add_;
    }
    const Plant::Slopes& d = plant_.motion_slopes(at, a_, &out, &before);
    y_rows_ = plant_.A.transpose();
    rate_by_q_.setZero();
    rows_.noalias() = plant_.R.transpose() * d.by_q;
    if (plant_.bends()) {
      plant_.read_slopes(at);
      plant_.input_bias_slope(at, bias_by_q_);
      rows_ -= bias_by_q_;
      for (int j = 0; j < places_.input_count(); ++j) {
        rows_.row(j) -= a_.transpose() * plant_.slopes[j];
        rate_by_q_.row(j) = at.v.transpose() * plant_.slopes[j];
      }
    }
    rows_.noalias() -= kp_ * y_rows_;
    rows_.noalias() -= kd_ * rate_by_q_;
    finish(bounds, out, before.by_q, by_q);
    rows_.noalias() = plant_.R.transpose() * d.by_v;
    if (plant_.bends()) {
      for (int j = 0; j < places_.input_count(); ++j) {
        rows_.row(j) -= at.v.transpose() * plant_.slopes[j];
        rows_.row(j) -= (plant_.slopes[j] * at.v).transpose();
      }
    }
    rows_.noalias() -= kd_ * y_rows_;
    finish(bounds, out, before.by_v, by_v);
  }

 private:
  /// From rows_ to the outputs' derivatives; those that a bound holds follow it.
  void finish(const OutputBounds& bounds, const VectorXd& out, const GivenSlopes& before, MatrixXd& result) {
    if (plant_.rubs()) {
      for (int k = 0; k < places_.input_count(); ++k) {
        if (complementarity_.is_free(k)) continue;
        bound_slope(places_, bounds, k, !(out[k] > bounds.lower[k]), before, rows_.row(k));
      }
      plant_.hold_slopes(before, rows_);
      complementarity_.solve_free(rows_);
    } else {
      allocate_slopes(allocation_, plant_.G, places_, bounds, out, before, bound_, rows_);
    }
    result = rows_;
  }

  void check_least_angle(double time) {
    const MatrixXd& G = plant_.G;
    for (Eigen::Index i = 0; i < G.rows(); ++i) {
      for (Eigen::Index j = 0; j < G.cols(); ++j) {
        const double scale = std::sqrt(G(i, i) * G(j, j));
        angles_(i, j) = scale > 0.0 ? G(i, j) / scale : 0.0;
      }
    }
    pivots_.compute(angles_);
    const double least =
        pivots_.info() == Eigen::Success ? pivots_.matrixLLT().diagonal().array().square().minCoeff() : 0.0;
    if (least > Allocation::k_least_pivot) return;
    throw SimulationError(
        fmt::format("inputs {}: found them dependent at t = {:.9g} s, expected accelerations A^T M^-1 A of full rank",
                    names_of(plant_.model().input_info(), places_.inputs), time));
  }

  Allocation allocation_;
  Complementarity complementarity_;  ///< in its place where friction takes part
  VectorXd bias_, w_, own_w_, a_, add_;
  MatrixXd H_, angles_, rows_, rate_by_q_, bias_by_q_, y_rows_;
  Eigen::RowVectorXd bound_;
  Eigen::LLT<MatrixXd> pivots_;
};

LawT<PartialFeedbackLinearizationSettings> partial_feedback_linearization() {
  return {
      .type = "partial_feedback_linearization",
      .about =
          "Actuation coordinates of its inputs follow their references, y'' = y_d'' + K_D e' + K_P e exactly; all else "
          "moves as it will.",
      .example =
          "{name: arm, type: partial_feedback_linearization, inputs: [motor], window: [0, 3], reference: [0.5], kp: "
          "100, kd: 10}",
      .describe =
          [](PartialFeedbackLinearizationSettings& settings, SettingVisitor& visitor) {
            visitor.inputs(settings.inputs);
            describe_feedback(settings, visitor);
            visitor.model(settings.model);
          },
      .bind =
          [](const Model& model, const PartialFeedbackLinearizationSettings& settings, const ControlPlaces& places) {
            const auto bound = [&settings](const Model& known, const ControlPlaces& own) {
              return bind_effort_law<PartialFeedbackLinearization>(known, settings, own);
            };
            return law_with_model(model, settings.model, places, bound);
          },
      .solves_motion = true};
}

}  // namespace

std::shared_ptr<const Controller> make_partial_feedback_linearization(PartialFeedbackLinearizationSettings settings) {
  return clocked_controller(partial_feedback_linearization(), std::move(settings));
}

LibraryLaw partial_feedback_linearization_law() {
  return library_law(partial_feedback_linearization(), make_partial_feedback_linearization);
}

}  // namespace cuttle
