#include "cuttle/identification/least_squares.h"

#include <cminpack-1/cminpack.h>

#include <cmath>
#include <limits>
#include <vector>

#include "cuttle/error.h"

namespace cuttle {
namespace {

constexpr int k_stop_lmder = -1;

/// What lmder hands to its callback.
struct LmderCall {
  const Residuals& residuals;
  const LeastSquaresOptions& options;
  LeastSquaresResult& best;
  VectorXd z, values;
  MatrixXd jacobian;
  bool stopped = false;

  int call(int m, int n, const double* x, double* fvec, double* fjac, int ldfjac, int flag) {
    if (stopped || (options.stop && options.stop())) return stopped = true, k_stop_lmder;
    z = Eigen::Map<const VectorXd>(x, n);
    if (flag == 2) {
      // lmder asks for derivatives where it has just taken a step to
      if (!residuals(z, values, &jacobian)) return stopped = options.stop && options.stop(), k_stop_lmder;
      for (int k = 0; k < n; ++k) {
        for (int i = 0; i < m; ++i) fjac[i + k * ldfjac] = jacobian(i, k);
      }
      return 0;
    }
    ++best.evaluations;
    const bool good = residuals(z, values, nullptr) && values.allFinite();
    if (!good && options.stop && options.stop()) return stopped = true, k_stop_lmder;
    if (!good) {
      // so large that the step is refused and the region of trust shrinks, but finite
      const double bad = 1e10 * (1.0 + std::sqrt(2.0 * best.cost)) / std::sqrt(static_cast<double>(m));
      for (int i = 0; i < m; ++i) fvec[i] = bad;
      return best.z.size() == 0 ? k_stop_lmder : 0;
    }
    for (int i = 0; i < m; ++i) fvec[i] = values[i];
    const double cost = 0.5 * values.squaredNorm();
    if (best.z.size() == 0 || cost < best.cost) {
      best.z = z, best.cost = cost;
      if (options.improved && options.improved({best.evaluations, cost, z})) return stopped = true, k_stop_lmder;
    }
    return 0;
  }
};

int lmder_callback(void* call, int m, int n, const double* x, double* fvec, double* fjac, int ldfjac, int flag) {
  return static_cast<LmderCall*>(call)->call(m, n, x, fvec, fjac, ldfjac, flag);
}

}  // namespace

Loss loss_of_name(const std::string& name) {
  if (name == "squares") return Loss::squares;
  if (name == "soft_l1") return Loss::soft_l1;
  if (name == "huber") return Loss::huber;
  if (name == "cauchy") return Loss::cauchy;
  throw ArgumentError("loss: found '" + name + "', expected squares, soft_l1, huber or cauchy");
}

LossyResidual lossy(Loss loss, double scale, double residual) {
  if (loss == Loss::squares) return {residual, 1.0};
  const double x = residual / scale, z = x * x;
  double rho = z, slope = 1.0;  // and rho'(z)
  switch (loss) {
    case Loss::squares:
      break;
    case Loss::soft_l1:
      rho = 2.0 * z / (1.0 + std::sqrt(1.0 + z)), slope = 1.0 / std::sqrt(1.0 + z);
      break;
    case Loss::huber:
      if (z > 1.0) rho = 2.0 * std::sqrt(z) - 1.0, slope = 1.0 / std::sqrt(z);
      break;
    case Loss::cauchy:
      rho = std::log1p(z), slope = 1.0 / (1.0 + z);
      break;
  }
  // sqrt(rho) = |x| sqrt(rho / z), and rho / z tends to 1
  const double ratio = z < std::numeric_limits<double>::min() ? 1.0 : std::sqrt(rho / z);
  return {residual * ratio, slope / ratio};
}

LeastSquaresResult minimize_squares(const Residuals& residuals, const VectorXd& start, int count,
                                    const LeastSquaresOptions& options) {
  const auto n = static_cast<int>(start.size());
  if (n == 0 || count < n) {
    throw ArgumentError("minimize_squares: found " + std::to_string(count) + " residuals for " + std::to_string(n) +
                        " parameters, expected at least one parameter and as many residuals");
  }
  LeastSquaresResult best;
  LmderCall call{residuals, options, best, {}, {}, {}};
  VectorXd x = start, fvec(count), diag(n), qtf(n), work1(n), work2(n), work3(n), work4(count);
  MatrixXd fjac(count, n);
  std::vector<int> pivots(static_cast<std::size_t>(n));
  int evaluations = 0, derivatives = 0;
  const int info =
      lmder(lmder_callback, &call, count, n, x.data(), fvec.data(), fjac.data(), count, options.tolerance,
            options.tolerance, 0.0, options.max_evaluations, diag.data(), 1, 100.0, 0, &evaluations, &derivatives,
            pivots.data(), qtf.data(), work1.data(), work2.data(), work3.data(), work4.data());
  best.status = call.stopped         ? LeastSquaresStatus::stopped
                : best.z.size() == 0 ? LeastSquaresStatus::failed
                : info == 5          ? LeastSquaresStatus::most_evaluations
                : info < 0           ? LeastSquaresStatus::failed
                                     : LeastSquaresStatus::converged;
  if (best.z.size() == 0) best.z = start, best.cost = std::numeric_limits<double>::infinity();
  return best;
}

}  // namespace cuttle
