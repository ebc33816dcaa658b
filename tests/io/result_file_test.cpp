// Result files of docs/format.md, read back with HDF5 itself: everything is there, at any moment of a run.
#include "cuttle/io/result_file.h"

#include <endian.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <set>
#include <sstream>

#include "cuttle/algorithms/energy.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/algorithms/statics.h"
#include "cuttle/error.h"
#include "cuttle/identification/measured_quantity.h"
#include "cuttle/io/robot_file.h"
#include "cuttle/simulation/rest_sample.h"
#include "cuttle/simulation/simulator.h"
#include "cuttle/version.h"
#include "io/hdf5_support.h"
#include "io/io_support.h"
#include "simulation/simulation_robots.h"
#include "support/loop_robots.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using testing::ElementsAre;

Scenario scenario(double duration) {
  Scenario s;
  s.duration = duration;
  s.output_step = 0.02;
  s.initial["arm"] = {{0.5}, {}};
  s.initial["ball"] = {{0.5, 0.5, 0.5, 0.5}, {}};
  s.inputs["motor"] = Signal::sine(0.5, 1.0, 0.0, 0.1);
  return s;
}

class ResultFileTest : public testing::Test {
 protected:
  TemporaryDirectory directory_;
  std::string path_ = directory_.path("new/folder/result.h5");
};

TEST_F(ResultFileTest, HoldsResidualsAndMultipliersOfLoops) {
  Robot robot = test::FourBar().robot();
  robot.loops.push_back(robot.loops[0]);
  robot.loops[1].name = "ball", robot.loops[1].type = LoopType::spherical;
  const Model model(robot);
  Sample sample;
  sample.q = sample.v = VectorXd::Zero(3);
  sample.tips.resize(3);
  sample.loop_residual = VectorXd::LinSpaced(8, 1.0, 8.0), sample.multipliers = 10.0 * sample.loop_residual;
  Outcome outcome;
  outcome.status = RunStatus::complete;
  outcome.redundant_rows = {"pin.axis.0", "ball.position.y"};
  const std::string csv = directory_.path("result.csv");
  std::unique_ptr<Recorder> recorders[] = {make_hdf5_recorder(path_, {"", ""}), make_csv_recorder(csv)};
  for (const auto& recorder : recorders) {
    recorder->begin(model, scenario(1.0));
    recorder->record(sample);
    recorder->finish(outcome);
  }
  const Reader reader(path_);
  EXPECT_THAT(reader.shape("loops/pin/residual"), ElementsAre(1, 5));
  EXPECT_THAT(reader.numbers("loops/pin/residual"), ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(reader.numbers("loops/ball/residual"), ElementsAre(6, 7, 8));
  EXPECT_THAT(reader.numbers("loops/pin/multipliers"), ElementsAre(10, 20, 30, 40, 50));
  EXPECT_THAT(reader.numbers("loops/ball/multipliers"), ElementsAre(60, 70, 80));
  EXPECT_THAT(reader.texts("loops/pin/residual", "names"),
              ElementsAre("position.x", "position.y", "position.z", "axis.0", "axis.1"));
  EXPECT_THAT(reader.texts("loops/pin/residual", "units"), ElementsAre("m", "m", "m", "1", "1"));
  EXPECT_THAT(reader.texts("loops/pin/multipliers", "units"), ElementsAre("N", "N", "N", "N m", "N m"));
  EXPECT_THAT(reader.texts("loops", "redundant_rows"), ElementsAre("pin.axis.0", "ball.position.y"));
  std::ifstream file(csv);
  std::string header, row;
  std::getline(file, header), std::getline(file, row);
  const std::string end =
      ",loops.ball.residual.position.x,loops.ball.residual.position.y,loops.ball.residual.position.z,"
      "loops.ball.multipliers.position.x,loops.ball.multipliers.position.y,loops.ball.multipliers.position.z";
  EXPECT_TRUE(header.ends_with(end)) << header;
  EXPECT_TRUE(row.ends_with(",6,7,8,60,70,80")) << row;
}

// One element, a law for each of its tendons: one dataset, and each of its columns can be measured.
TEST_F(ResultFileTest, HoldsTheFrictionOfSeveralTendonsTogether) {
  const Model model(read_robot_text(R"(cuttle: 1
name: finger
links: [{name: rod, body: {type: rod, length: 0.2, section: {shape: circle, radius: 0.01}, material: {density: 1000, young_modulus: 1.0e5}, strain: pcc}}]
actuators:
- {name: left, type: tendon, routing: [{link: rod, offset: [0.005, 0]}]}
- {name: right, type: tendon, routing: [{link: rod, offset: [-0.005, 0]}]}
elements: [{name: rub, type: tendon_friction, actuators: [left, right], coefficient: 0.3}]
)",
                                    "finger.yaml"));
  Data data(model);
  Sample sample = rest_sample(model, data, VectorXd::Zero(2),
                              static_equilibrium(model, data, {.u = VectorXd::Zero(2)}, model.neutral()), 0.0);
  sample.element_outputs << 3.0, 4.0;
  const auto recorder = make_hdf5_recorder(path_, {"", ""});
  recorder->begin(model, scenario(1.0));
  recorder->record(sample);
  recorder->finish({});
  const Reader reader(path_);
  EXPECT_THAT(reader.texts("elements/rub", "names"), ElementsAre("left", "right"));
  EXPECT_THAT(reader.numbers("elements/rub"), ElementsAre(3.0, 4.0));
  ElementData seen(model);
  seen.outputs = sample.element_outputs;
  const ObservedStateT<double> state{model, data.kinematics, sample.q, sample.y, seen};
  EXPECT_EQ(named_quantity(model, "elements.rub.right").quantity->value(state, 0), 4.0);
}

TEST_F(ResultFileTest, HoldsEverySampleWithNamesAndUnits) {
  const Model model(test::mixed_arm());
  MemoryRecorder memory;
  const auto file = make_hdf5_recorder(path_, {"robot: text with \xc2\xb5", "scenario: text"});
  const Outcome outcome = Simulator(model, scenario(1.0)).run({file.get(), &memory});
  const auto& samples = memory.samples();
  const std::size_t T = samples.size();
  ASSERT_EQ(T, 51u);

  const Reader reader(path_);
  EXPECT_EQ(reader.number("/", "format"), 1.0);
  EXPECT_EQ(reader.text("cuttle_version"), k_version);
  EXPECT_EQ(reader.text("status"), "complete");
  EXPECT_EQ(reader.text("message"), "");
  EXPECT_EQ(reader.text("robot_yaml"), "robot: text with \xc2\xb5");
  EXPECT_EQ(reader.text("scenario_yaml"), "scenario: text");
  EXPECT_EQ(reader.number("statistics", "steps"), outcome.statistics.steps);
  EXPECT_EQ(reader.number("statistics", "evaluations"), outcome.statistics.evaluations);
  EXPECT_EQ(reader.number("statistics", "failures"), outcome.statistics.failures);
  EXPECT_GT(reader.number("statistics", "wall_seconds"), 0.0);
  EXPECT_FALSE(reader.has("loops"));

  const auto expect_rows = [&](const std::string& name, const auto& value_of) {
    const std::vector<double> found = reader.numbers(name);
    ASSERT_EQ(found.size() % T, 0u);
    const std::size_t width = found.size() / T;
    for (std::size_t i = 0; i < T; ++i) {
      const VectorXd expected = value_of(samples[i]);
      ASSERT_EQ(static_cast<std::size_t>(expected.size()), width) << name;
      for (std::size_t j = 0; j < width; ++j) {
        EXPECT_EQ(found[i * width + j], expected[static_cast<Eigen::Index>(j)]) << name << " at " << i;
      }
    }
  };
  const auto one = [](double value) { return VectorXd::Constant(1, value); };
  expect_rows("time", [&](const Sample& s) { return one(s.time); });
  expect_rows("q", [](const Sample& s) { return s.q; });
  expect_rows("v", [](const Sample& s) { return s.v; });
  expect_rows("u", [](const Sample& s) { return s.u; });
  expect_rows("actuation/y", [](const Sample& s) { return VectorXd(s.q.head(1)); });  // y of a joint's motor is its q
  expect_rows("energy/kinetic", [&](const Sample& s) { return one(s.kinetic); });
  expect_rows("energy/gravity", [&](const Sample& s) { return one(s.gravity); });
  expect_rows("energy/elastic", [&](const Sample& s) { return one(s.elastic); });
  expect_rows("energy/dissipated", [&](const Sample& s) { return one(s.dissipated); });
  expect_rows("energy/input", [&](const Sample& s) { return one(s.input); });
  expect_rows("energy/load", [&](const Sample& s) { return one(s.load); });
  EXPECT_EQ(reader.shape("time"), (std::vector<hsize_t>{T}));
  EXPECT_EQ(reader.shape("u"), (std::vector<hsize_t>{T, 1}));

  Data data(model);
  for (const auto& link : model.links()) {
    const std::vector<double> found = reader.numbers("frames/" + link.name + ".tip");
    ASSERT_EQ(found.size(), 7 * T);
    for (std::size_t i = 0; i < T; ++i) {
      const Pose pose = forward_kinematics<double>(model, data, samples[i].q).pose(link.tip);
      const double* row = found.data() + 7 * i;
      const Matrix3 R = Quaternion{row[3], row[4], row[5], row[6]}.matrix();
      for (int a = 0; a < 3; ++a) {
        EXPECT_EQ(row[a], pose.position[a]);
        for (int b = 0; b < 3; ++b) EXPECT_NEAR(R(a, b), pose.rotation(a, b), 1e-14);
      }
    }
  }

  EXPECT_THAT(
      reader.texts("q", "names"),
      ElementsAre("arm.joint.q0", "ball.joint.q0", "ball.joint.q1", "ball.joint.q2", "ball.joint.q3", "rod1.kappa_x.0",
                  "rod1.kappa_y.0", "rod1.sigma_z.0", "rod2.kappa_x.0", "rod2.kappa_y.0", "rod2.kappa_z.0"));
  EXPECT_THAT(reader.texts("q", "units"),
              ElementsAre("rad", "1", "1", "1", "1", "rad", "rad", "m", "rad", "rad", "rad"));
  EXPECT_EQ(reader.texts("v", "names").size(), 10u);
  EXPECT_EQ(reader.texts("v", "units").at(6), "m/s");
  EXPECT_THAT(reader.texts("u", "names"), ElementsAre("motor"));
  EXPECT_THAT(reader.texts("u", "units"), ElementsAre("N m"));
  EXPECT_THAT(reader.texts("actuation/y", "units"), ElementsAre("rad"));
  EXPECT_THAT(reader.texts("time", "units"), ElementsAre("s"));
  EXPECT_THAT(reader.texts("energy/input", "units"), ElementsAre("J"));
}

TEST_F(ResultFileTest, RobotWithoutInputsHasEmptyColumns) {
  const Model model(test::floating_hub(0.1));
  Scenario s;
  s.duration = 0.1;
  const auto file = make_hdf5_recorder(path_, {});
  Simulator(model, s).run({file.get()});
  const Reader reader(path_);
  EXPECT_EQ(reader.shape("u"), (std::vector<hsize_t>{11, 0}));
  EXPECT_TRUE(reader.texts("u", "names").empty());
  EXPECT_EQ(reader.texts("q", "names").at(3), "base.qw");
}

// Attributes have no size limit: a result of thousands of coordinates says their names too, and a long text is kept.
TEST_F(ResultFileTest, ManyCoordinatesAndLongTexts) {
  Robot robot;
  for (int i = 0; i < 5000; ++i) {
    robot.links.push_back({.name = "a_link_with_a_long_name_" + std::to_string(i),
                           .parent = {"base", PortLocation::tip(), {}},
                           .joint = make_prismatic_joint<double>({0, 0, 1}),
                           .body = test::rigid_body(1.0, {}, {}, {})});
  }
  const Model model(robot);
  const std::string text(300000, 'x');
  const auto file = make_hdf5_recorder(path_, {text, "short"});
  Sample sample;
  sample.q = sample.v = VectorXd::LinSpaced(5000, 0.0, 1.0);
  sample.tips.resize(5000);
  file->begin(model, Scenario());
  const int rows = 40;
  for (int i = 0; i < rows; ++i) {
    sample.time = i;
    file->record(sample);
  }
  {
    const std::string copy = directory_.path("copy.h5");  // as a kill would leave it
    std::filesystem::copy_file(path_, copy);
    const Reader reader(copy);
    const std::size_t visible = reader.numbers("time").size();
    EXPECT_GE(visible, 10u);
    EXPECT_EQ(reader.shape("q"), (std::vector<hsize_t>{visible, 5000}));
    EXPECT_EQ(reader.numbers("v").back(), 1.0);
    EXPECT_EQ(reader.texts("v", "names").size(), 5000u);
    EXPECT_EQ(reader.text("status"), "interrupted");
  }
  Outcome outcome;
  outcome.status = RunStatus::complete;
  outcome.message = "as it should be";
  file->finish(outcome);
  const Reader reader(path_);
  EXPECT_EQ(reader.shape("q"), (std::vector<hsize_t>{rows, 5000}));
  EXPECT_EQ(reader.text("status"), "complete");
  EXPECT_EQ(reader.text("message"), "as it should be");
  EXPECT_EQ(reader.texts("q", "names").size(), 5000u);
  EXPECT_EQ(reader.texts("q", "names").back(), "a_link_with_a_long_name_4999.joint.q0");
  EXPECT_EQ(reader.text("robot_yaml"), text);
  EXPECT_EQ(reader.numbers("q").back(), 1.0);
}

/// Copies the file at a sample, as a person who looks while the simulation runs, or a kill, would find it.
class Thief final : public Recorder {
 public:
  Thief(Recorder& victim, std::string from, std::string to)
      : victim_(victim), from_(std::move(from)), to_(std::move(to)) {}
  void begin(const Model&, const Scenario&) override {}
  void record(const Sample&) override {
    if (++count_ == 2) victim_.tick({}), copy();
    if (count_ != 700) return;
    copy();
  }
  void finish(const Outcome&) override {}

 private:
  void copy() const {
    std::filesystem::copy_file(from_, to_ + std::to_string(count_), std::filesystem::copy_options::overwrite_existing);
  }
  Recorder& victim_;
  std::string from_, to_;
  int count_ = 0;
};

TEST_F(ResultFileTest, IsReadableAtAnyMoment) {
  const Model model(test::pendulum());
  Scenario s;
  s.duration = 10.0;
  s.initial["arm"] = {{0.5}, {}};
  const auto file = make_hdf5_recorder(path_, {"r", "s"});
  Thief thief(*file, path_, directory_.path("copy"));
  MemoryRecorder memory;
  Simulator(model, s).run({file.get(), &thief, &memory});
  {
    const Reader first(directory_.path("copy2"));
    EXPECT_EQ(first.text("status"), "interrupted");
    EXPECT_EQ(first.text("message"), "the simulation runs, or was killed");
    EXPECT_EQ(first.numbers("time").size(), 2u);
    EXPECT_EQ(first.text("robot_yaml"), "r");
  }
  const Reader part(directory_.path("copy700"));
  EXPECT_EQ(part.text("status"), "interrupted");
  const std::size_t rows = part.numbers("time").size();
  EXPECT_GE(rows, 512u);
  EXPECT_LE(rows, 700u);
  const std::vector<double> q = part.numbers("q");
  ASSERT_EQ(q.size(), rows);
  for (std::size_t i = 0; i < rows; ++i) EXPECT_EQ(q[i], memory.samples()[i].q[0]);
  EXPECT_EQ(Reader(path_).numbers("time").size(), 1001u);
}

TEST_F(ResultFileTest, SaysHowTheRunEnded) {
  const Model model(test::mixed_arm());
  std::atomic<bool> stop{true};
  RunOptions options;
  options.stop = &stop;
  const auto interrupted = make_hdf5_recorder(path_, {});
  Simulator(model, scenario(1.0)).run({interrupted.get()}, options);
  EXPECT_EQ(Reader(path_).text("status"), "interrupted");
  EXPECT_EQ(Reader(path_).text("message"), "stopped by the user at t = 0 s");

  Scenario unstable = scenario(5.0);
  unstable.integrator.type = "rk4";
  unstable.integrator.step = 0.02;
  const auto failed = make_hdf5_recorder(path_, {});
  EXPECT_THROW(Simulator(model, unstable).run({failed.get()}), SimulationError);
  const Reader reader(path_);
  EXPECT_EQ(reader.text("status"), "failed");
  EXPECT_THAT(reader.text("message"), testing::HasSubstr("last good state at t = "));
  for (const double q : reader.numbers("q")) EXPECT_TRUE(std::isfinite(q));
}

TEST_F(ResultFileTest, RefusesAPathThatCannotBeWritten) {
  const Model model(test::pendulum());
  const std::string blocked = directory_.write("file", "") + "/result";
  for (const auto& file : {make_hdf5_recorder(blocked + ".h5", {}), make_csv_recorder(blocked + ".csv")}) {
    try {
      file->begin(model, Scenario());
      ADD_FAILURE();
    } catch (const FileError& error) {
      EXPECT_EQ(std::string(error.what()).find(blocked), 0u) << error.what();
    }
  }
}

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> parts;
  std::istringstream stream(line);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

// CSV: the same numbers, to the last bit, under unique names.
TEST_F(ResultFileTest, CsvHoldsTheSameRows) {
  const Model model(test::mixed_arm());
  MemoryRecorder memory;
  const std::string path = directory_.path("result.csv");
  const auto file = make_csv_recorder(path);
  Simulator(model, scenario(0.5)).run({file.get(), &memory});
  std::ifstream stream(path);
  std::string line;
  std::getline(stream, line);
  const std::vector<std::string> header = split(line);
  EXPECT_EQ(std::set<std::string>(header.begin(), header.end()).size(), header.size());
  const auto column = [&](const std::string& name) {
    const auto at = std::find(header.begin(), header.end(), name);
    EXPECT_NE(at, header.end()) << name;
    return static_cast<std::size_t>(at - header.begin());
  };
  std::size_t rows = 0;
  for (; std::getline(stream, line); ++rows) {
    const std::vector<std::string> fields = split(line);
    ASSERT_EQ(fields.size(), header.size());
    const auto value = [&](const std::string& name) { return std::stod(fields[column(name)]); };
    const Sample& sample = memory.samples()[rows];
    EXPECT_EQ(value("time"), sample.time);
    EXPECT_EQ(value("arm.joint.q0"), sample.q[0]);
    EXPECT_EQ(value("arm.joint.v0"), sample.v[0]);
    EXPECT_EQ(value("rod1.sigma_z.0"), sample.q[7]);
    EXPECT_EQ(value("rod1.sigma_z.0.rate"), sample.v[6]);
    EXPECT_EQ(value("motor"), sample.u[0]);
    EXPECT_EQ(value("motor.y"), sample.y[0]);
    EXPECT_EQ(value("rod2.tip.z"), sample.tips.back().position.z);
    EXPECT_EQ(value("energy.kinetic"), sample.kinetic);
    EXPECT_EQ(value("energy.load"), sample.load);
  }
  EXPECT_EQ(rows, memory.samples().size());
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
