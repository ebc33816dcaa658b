#include "cuttle/simulation/sensitivities.h"

#include "simulation/motion_outputs.h"

namespace cuttle {

Sensitivities sensitivities(const Model& model, const Scenario& scenario, const std::vector<std::string>& of,
                            const std::vector<std::string>& by, const std::vector<double>& times,
                            const RunOptions& options) {
  std::vector<MotionOutput> outputs;
  Sensitivities result;
  for (const std::string& name : of) {
    outputs.push_back(find_motion_output(model, name));
    const auto& columns = outputs.back().columns;
    result.outputs.insert(result.outputs.end(), columns.begin(), columns.end());
  }
  const MotionDerivatives motions(model, scenario, by);
  result.parameters = motions.parameters();
  result.times = times;
  const auto count = static_cast<Eigen::Index>(result.outputs.size());
  result.values.assign(times.size(), VectorXd::Zero(count));
  result.derivatives.assign(times.size(), MatrixXd::Zero(count, static_cast<Eigen::Index>(by.size())));
  std::size_t at = 0;
  motions.run(
      times,
      [&](const DifferentiatedMotion& motion) {
        std::vector<ForwardDual> numbers;
        for (const MotionOutput& output : outputs) output.read(motion, numbers);
        for (Eigen::Index i = 0; i < count; ++i) {
          const ForwardDual& number = numbers[static_cast<std::size_t>(i)];
          result.values[at][i] = number.value;
          for (std::size_t k = 0; k < motion.paths.size(); ++k) {
            result.derivatives[at](i, static_cast<Eigen::Index>(motion.paths[k])) = number.derivative[k];
          }
        }
        at = (at + 1) % times.size();
      },
      options);
  return result;
}

}  // namespace cuttle
