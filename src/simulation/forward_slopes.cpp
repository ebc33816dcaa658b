#include "simulation/forward_slopes.h"

#include <algorithm>

#include "algorithms/displacement.h"
#include "algorithms/forward_numbers.h"
#include "cuttle/algorithms/parameter_gradient.h"

namespace cuttle {
namespace {

constexpr double k_bristle = 1e-6;  // [m] what a direction along one is judged by

}  // namespace

ForwardSlopes::ForwardSlopes(RobotSystem& system)
    : system_(system),
      variable_(differentiate(system.model(), {})),
      nv_(system.model().nv()),
      states_(system.auxiliary_count() - system.layout().works) {}

void ForwardSlopes::along_all(const State& at, DynamicsSlopes& slopes, const Follow& follow) {
  const Model& model = system_.model();
  const int rows = 2 * nv_ + states_, all = rows + model.nu();
  MatrixXd columns(rows, all);
  const VectorXd& u = system_.held_inputs();
  const std::vector<Signal> inputs(u.begin(), u.end());
  for (int first = 0; first < all; first += k_forward_width) {
    const int count = std::min<int>(k_forward_width, all - first);
    ForwardState start;
    start.time = at.time;
    start.v = at.v.cast<ForwardDual>();
    start.auxiliary = system_.layout().feeding_back_of(at.auxiliary).cast<ForwardDual>();
    VectorXT<ForwardDual> change = VectorXT<ForwardDual>::Zero(nv_);
    std::vector<InputSlope> input_slopes;
    std::vector<double> scales(static_cast<std::size_t>(count), 1.0);
    for (int k = 0; k < count; ++k) {
      const int direction = first + k;
      if (direction < nv_) {
        change[direction].derivative[k] = 1.0;
      } else if (direction < 2 * nv_) {
        start.v[direction - nv_].derivative[k] = 1.0;
      } else if (direction < rows) {
        start.auxiliary[direction - 2 * nv_].derivative[k] = 1.0;
        if (direction >= rows - system_.layout().sites) scales[static_cast<std::size_t>(k)] = k_bristle;
      } else {
        input_slopes.push_back({direction - rows, k, Signal(1.0)});
      }
    }
    start.q.resize(model.nq());
    integrate<ForwardDual>(variable_, at.q.cast<ForwardDual>(), change, start.q);
    ForwardSystem forward(system_, variable_, inputs, std::move(input_slopes), std::move(scales), nullptr, false);
    follow(forward, start, columns.middleCols(first, count));
  }
  slopes.A = columns.leftCols(rows), slopes.B = columns.rightCols(model.nu());
}

void ForwardSlopes::of_rates(const State& at, DynamicsSlopes& slopes) {
  VectorXT<ForwardDual> a(nv_), state_rates(states_);
  along_all(at, slopes, [&](ForwardSystem& forward, const ForwardState& start, Eigen::Ref<MatrixXd> columns) {
    forward.rates(at.time, start.q, start.v, start.auxiliary, a, state_rates);
    columns.topRows(nv_) = derivatives_of(start.v).leftCols(columns.cols());
    columns.middleRows(nv_, nv_) = derivatives_of(a).leftCols(columns.cols());
    columns.bottomRows(states_) = derivatives_of(state_rates).leftCols(columns.cols());
  });
}

void ForwardSlopes::of_step(const State& at, double length, const Stretch& stretch, const IntegratorOptions& options,
                            DynamicsSlopes& slopes) {
  along_all(at, slopes, [&](ForwardSystem& forward, const ForwardState& start, Eigen::Ref<MatrixXd> columns) {
    forward.enter(stretch.begin, stretch.end);
    const double end = at.time + length;
    const auto integrator = make_forward_integrator(forward, options);
    integrator->begin(start, end);
    integrator->advance(end, end);
    const ForwardState& after = integrator->state();
    const VectorXd q = values_of(after.q);
    const MatrixXd by_q = derivatives_of(after.q);
    for (Eigen::Index k = 0; k < columns.cols(); ++k) {
      displacement(system_.model(), q, by_q.col(k), columns.col(k).head(nv_));
    }
    columns.middleRows(nv_, nv_) = derivatives_of(after.v).leftCols(columns.cols());
    columns.bottomRows(states_) = derivatives_of(after.auxiliary).leftCols(columns.cols());
  });
}

}  // namespace cuttle
