#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <hdf5.h>
#include <sundials/sundials_config.h>

#include <Eigen/Core>

#include "cuttle/io/result_file.h"
#include "cuttle/simulation/integrator.h"
#include "simulation/integrators.h"
#include "spatial/instruction_set.h"

namespace cuttle {
namespace {

std::string hdf5_version() {
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  return fmt::format("{}.{}.{}", major, minor, release);
}

std::string settings_text(const Model& model, const IntegratorOptions& options) {
  const std::string type = integrator_type(model, options);
  std::string text = "{type: " + type;
  const auto add = [&text](const char* key, double value) { text += fmt::format(", {}: {}", key, value); };
  if (const auto step = integrator_step(options)) {
    add("step", *step);
  } else if (!options.method) {
    add("relative_tolerance", options.relative_tolerance);
    add("absolute_tolerance", options.absolute_tolerance);
    if (options.error == StepError::displacement) text += ", error: displacement";
    if (options.max_step) add("max_step", *options.max_step);
  }
  for (const LibraryMethod& method : library_methods()) {
    if (method.type != type || !method.option) continue;
    add(method.option->name, (options.*(method.option->value)).value_or(method.option->usual));
  }
  return text + "}";
}

}  // namespace

RunEnvironment run_environment(const Model& model, const Scenario& scenario) {
  RunEnvironment environment;
  environment.instruction_set = instruction_set_name();
#if defined(__clang__)
  environment.compiler = "Clang " __clang_version__;
#else
  environment.compiler = "GCC " __VERSION__;
#endif
  environment.libraries = {fmt::format("Eigen {}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION),
                           "SUNDIALS " SUNDIALS_VERSION, std::string("glibc ") + gnu_get_libc_version(),
                           "HDF5 " + hdf5_version()};
  environment.integrator = settings_text(model, scenario.integrator);
  return environment;
}

}  // namespace cuttle
