// The pad of examples/own_kinds: a material and an integrator of its own.
#include <cmath>
#include <numbers>

#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/parameter_gradient.h"
#include "cuttle/io/kinds.h"
#include "cuttle/io/result_file.h"
#include "cuttle/io/result_reader.h"
#include "cuttle/io/robot_writer.h"
#include "cuttle/simulation/batch.h"
#include "cuttle/simulation/simulator.h"
#include "own_kinds_fixture.h"

namespace cuttle::CUTTLE_FILE {
namespace {

double pad_energy(const Model& model, double elongation) {
  const Body& body = *model.robot().links[0].body;
  const double q[] = {elongation, 0.0};
  return body.elastic_energy(q);
}

// A cylinder that is stretched evenly: I1 = s^2 + 2 / s.
TEST_F(OwnKinds, MaterialStoresTheEnergyOfGent) {
  const Model model(read_robot_file(k_example + "pad.yaml"));
  const double mu = 1e5, limit = 2.0, volume = std::numbers::pi * 0.03 * 0.03 * 0.12;
  const auto expected = [&](double q) {
    const double s = 1 + q / 0.12, excess = s * s + 2 / s - 3;
    return -0.5 * mu * limit * volume * std::log(1 - excess / limit);
  };
  for (const double q : {-0.02, 0.01, 0.06}) {
    EXPECT_NEAR(pad_energy(model, q), expected(q), 1e-12 * expected(q)) << q;
    const double at[] = {q, 0.0}, h = 1e-5;
    double force[] = {0.0, 0.0};
    model.robot().links[0].body->add_elastic_force(at, force);
    EXPECT_NEAR(force[0], (expected(q + h) - expected(q - h)) / (2 * h), 1e-6 * std::abs(force[0])) << q;
  }
  // far stiffer than neo-Hookean rubber, with which it begins
  const auto slope = [&](double q) { return (pad_energy(model, q + 1e-4) - pad_energy(model, q - 1e-4)) / 2e-4; };
  EXPECT_NEAR(slope(1e-3) / 1e-3, 3 * mu * volume / (0.12 * 0.12), 0.02 * 3 * mu * volume / (0.12 * 0.12));
  // its numbers are parameters
  const std::string path = "materials.rubber.shear_modulus";
  EXPECT_NEAR(pad_energy(model.with(path, 2 * mu), 0.03), 2 * pad_energy(model, 0.03), 1e-12 * pad_energy(model, 0.03));
  const Model set(read_robot_file(k_example + "pad.yaml", {"robot.materials.rubber.limit=4"}));
  EXPECT_EQ(pad_energy(set, 0.03), pad_energy(model.with("materials.rubber.limit", 4.0), 0.03));
  const VectorXd q = (VectorXd(2) << 0.01, 0.4).finished(), zero = VectorXd::Zero(2);
  const MatrixXd gradient = inverse_dynamics_gradient(model, {path, "materials.rubber.limit"}, q, zero, zero);
  for (int k = 0; k < 2; ++k) {
    const std::string name = k == 0 ? path : "materials.rubber.limit";
    const double value = k == 0 ? mu : limit, h = 1e-5 * value;
    const Model up = model.with(name, value + h), down = model.with(name, value - h);
    Data a(up), b(down);
    const VectorXd difference =
        (inverse_dynamics(up, a, q, zero, zero) - inverse_dynamics(down, b, q, zero, zero)) / (2 * h);
    EXPECT_GT(difference.norm(), 0.0);
    EXPECT_LT((gradient.col(k) - difference).norm(), 1e-7 * difference.norm()) << name;
  }
}

TEST_F(OwnKinds, MaterialIsWrittenAndReadBack) {
  Robot robot = read_robot_file(k_example + "pad.yaml");
  robot.gravity = {0.0, 0.0, -1.62};
  const WrittenRobot text = write_robot(robot);
  EXPECT_THAT(text.yaml, AllOf(HasSubstr("model: gent"), HasSubstr("limit: 2"), HasSubstr("material: rubber")));
  const Model before(robot), after(read_robot(text, "again.yaml"));
  EXPECT_EQ(pad_energy(before, 0.03), pad_energy(after, 0.03));
  robot.links[0].material = "";  // then it stands at the body
  robot.materials.clear();
  const Model apart(read_robot(write_robot(robot), "apart.yaml"));
  EXPECT_EQ(pad_energy(before, 0.03), pad_energy(apart, 0.03));
  const std::string rod =
      "{cuttle: 1, materials: {r: {model: gent, density: 1, shear_modulus: 1, limit: 1}}, links: [{name: a, body: "
      "{type: "
      "rod, length: 1, section: {shape: circle, radius: 0.1}, material: r, strain: pcc}}]}";
  EXPECT_THAT(robot_errors(rod), HasSubstr("material: found 'r' of model gent, expected a linear or neo_hookean"));
  EXPECT_THAT(robot_errors("{cuttle: 1, materials: {r: {model: gent, density: 1, shear_modulus: -1}}, links: []}"),
              AllOf(HasSubstr("materials.r.shear_modulus: found -1, expected a number > 0 [Pa]"),
                    HasSubstr("materials.r.limit: found nothing, expected a number > 0")));
  EXPECT_EQ(message<ArgumentError>([] { register_kind(gent_kind()); }),
            "kind of material: model: found 'gent' again, expected a model that is not there yet");
}

std::vector<Sample> pad_run(const std::string& integrator, double* energy_error = nullptr) {
  const ScenarioFile file =
      load_scenario_file(k_example + "pad_scenario.yaml", {"simulation.integrator=" + integrator});
  const Model model(file.robot);
  MemoryRecorder memory;
  const Outcome outcome = Simulator(model, file.scenario).run({&memory});
  if (energy_error != nullptr) *energy_error = outcome.energy_error;
  return memory.samples();
}

TEST_F(OwnKinds, IntegratorIsOfOrderThree) {
  const VectorXd reference = pad_run("{type: tsit5, step: 5.0e-5}").back().q;
  double last = 0.0, last_energy = 0.0, energy = 0.0;
  for (const char* step : {"4.0e-4", "2.0e-4", "1.0e-4"}) {
    const VectorXd q = pad_run(std::string("{type: ralston, step: ") + step + "}", &energy).back().q;
    const double error = (q - reference).norm();
    if (last > 0.0) {
      EXPECT_NEAR(std::log2(last / error), 3.0, 0.3) << step;
      EXPECT_GT(last_energy / energy, 6.0) << step;
    }
    last = error, last_energy = energy;
  }
  EXPECT_GT(last, 1e-12);
  EXPECT_LT(last, 1e-6);
}

TEST_F(OwnKinds, IntegratorIsNamedInScenariosResultsAndBatches) {
  const std::string scenario = k_example + "pad_scenario.yaml";
  const ScenarioFile file = load_scenario_file(scenario, {"simulation.integrator.step=5e-4"});
  EXPECT_EQ(file.scenario.integrator.method->step(), 5e-4);
  const std::string text = scenario_text(file.scenario, "pad.yaml");
  EXPECT_THAT(text, AllOf(HasSubstr("type: ralston"), HasSubstr("step: 0.0005")));
  const Model model(file.robot);
  const std::string path = directory_.path("pad.h5");
  Simulator(model, file.scenario).run({make_hdf5_recorder(path, result_source(file)).get()});
  EXPECT_EQ(read_result_file(path).samples.size(), 11u);
  EXPECT_THAT(message<FileError>([&] { load_scenario_file(scenario, {"simulation.integrator.step=-1"}); }),
              HasSubstr("simulation.integrator.step: found -1, expected a number >= 1e-12 [s]"));
  EXPECT_THAT(message<FileError>([&] { load_scenario_file(scenario, {"simulation.integrator.type=ralstn"}); }),
              HasSubstr("did you mean 'ralston'?"));
  // a batch takes its tableau
  Batch batch(model, 2);
  RowMatrixXd q(2, 2), v = RowMatrixXd::Zero(2, 2);
  q << 0.02, 0.5, 0.02, 0.5;
  RolloutOptions options{.step = 5e-4, .duration = 0.1, .output_step = 0.01};
  options.tableau = *file.scenario.integrator.method->tableau();
  const Rollout rollout = batch.rollout(q, v, options);
  EXPECT_TRUE(batch.all_good());
  MemoryRecorder memory;
  Simulator(model, file.scenario).run({&memory});
  EXPECT_LT((rollout.q.row(1).transpose() - memory.samples().back().q).norm(), 1e-12);
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
