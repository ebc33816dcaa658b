// Columns of results: those of HDF5 files as a recorder of CSV has them.
#include "cuttle/io/result_columns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "cuttle/io/result_file.h"
#include "cuttle/io/scenario_file.h"
#include "cuttle/simulation/simulator.h"
#include "io/io_support.h"

namespace cuttle::CUTTLE_FILE {
namespace {

// with a controller and a driven joint, whose efforts are columns too
TEST(ResultColumns, AreThoseOfTheCsvFile) {
  const TemporaryDirectory directory;
  directory.write("crane.yaml", R"(cuttle: 1
links:
  - {name: boom, joint: {type: cylindrical}, body: {type: rigid, mass: 1, com: [0.3, 0, 0], inertia: [0.1, 0.1, 0.1, 0, 0, 0]}}
  - {name: load, joint: {type: revolute, axis: [0, 1, 0]}, body: {type: rigid, mass: 0.5, com: [0, 0, -0.4], inertia: [0.01, 0.01, 0.01, 0, 0, 0]}}
actuators: [{name: motor, type: joint, link: load}]
)");
  const ScenarioFile file = load_scenario_file(directory.write("s.yaml", R"(cuttle: 1
robot: crane.yaml
simulation:
  duration: 0.1
  output_step: 0.05
  motion: {boom: [{type: sine, amplitude: 0.1, frequency: 2}, 0]}
  controllers: [{name: hold, type: pid, inputs: [motor], reference: [0.2], kp: 1, ki: 1}]
)"));
  const std::string h5 = directory.path("r.h5"), csv = directory.path("r.csv");
  const auto hdf5 =
      make_hdf5_recorder(h5, {file.robot_yaml, file.scenario_yaml, file.overrides, file.robot_files, file.files});
  const auto table = make_csv_recorder(csv);
  Simulator(Model(file.robot), file.scenario).run({hdf5.get(), table.get()});
  std::vector<std::string> names;
  const std::vector<NumberColumn> columns = result_columns(read_result_file(h5));
  for (const NumberColumn& column : columns) names.push_back(column.name);
  const MeasuredTable expected = read_measured_file(csv);
  EXPECT_EQ(names, expected.names());
  EXPECT_THAT(names, testing::Contains(testing::HasSubstr("motion")));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    for (std::size_t row = 0; row < expected.row_count; ++row) {  // rotations went through a matrix and back
      EXPECT_NEAR(columns[i].values.at(row), expected.numbers.at(i).values[row], 1e-14) << names[i];
    }
  }
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
