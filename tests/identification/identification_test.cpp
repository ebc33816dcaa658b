// Parameters from simulated equilibria: found again, with intervals that hold, and what cannot be told is said.
#include "cuttle/identification/identification.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "cuttle/error.h"
#include "cuttle/identification/identified_robot.h"
#include "cuttle/io/robot_file.h"

namespace cuttle {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

// A soft finger that hangs down, bent by a tendon; a marker on its side.
const char* const k_finger = R"(cuttle: 1
name: finger
base: {motion: fixed, pose: {rpy: [3.14159265358979, 0, 0]}}
materials: {silicone: {density: 1200, young_modulus: 2.0e5, poisson_ratio: 0.5}}  # soft
links:
- {name: rod, body: {type: rod, length: 0.2, material: silicone, section: {shape: circle, radius: 0.01}, sections: 6, strain: {kappa_x: {basis: legendre, order: 1}, kappa_y: {basis: legendre, order: 1}, sigma_z: constant}}}
actuators:
- {name: cable, type: tendon, routing: [{link: rod, offset: [0.008, 0.001]}]}
markers:
- {name: dot, link: rod, at: {s: 0.12}, offset: [0.0, 0.012, 0]}
)";

constexpr const char* k_modulus = "materials.silicone.young_modulus";
constexpr const char* k_density = "materials.silicone.density";
constexpr const char* k_columns[] = {"dot.x", "dot.y", "dot.z", "rod.tip.x", "rod.tip.y", "rod.tip.z"};

Model finger() { return Model(read_robot_text(k_finger, "finger.yaml")); }

/// Normal numbers that are the same on every machine (Box and Muller).
class Noise {
 public:
  explicit Noise(unsigned seed) : random_(seed) {}
  double operator()() {
    const double a = (static_cast<double>(random_()) + 0.5) / 4294967296.0;
    const double b = (static_cast<double>(random_()) + 0.5) / 4294967296.0;
    return std::sqrt(-2.0 * std::log(a)) * std::cos(2.0 * std::numbers::pi * b);
  }

 private:
  std::mt19937 random_;
};

/// What a robot shows under some tensions, with noise. @param scale  of the sensor on dot.x.
MeasuredTable measure(const Model& truth, int rows, double noise, unsigned seed, double scale = 1.0,
                      double bias = 0.0) {
  MeasuredTable table{"simulated.csv", {{"cable", "", {}}}, {}, static_cast<std::size_t>(rows)};
  for (const char* name : k_columns) table.numbers.push_back({name, "", {}});
  for (int row = 0; row < rows; ++row) {
    table.numbers[0].values.push_back(2.0 * row / (rows - 1));
    for (std::size_t c = 0; c < std::size(k_columns); ++c) table.numbers[c + 1].values.push_back(0.0);
  }
  const std::vector<FreeParameter> none;
  const auto experiment = make_equilibrium_experiment(truth, table, {});
  VectorXd predicted;
  std::string trouble;
  EXPECT_TRUE(experiment->predict(FreedRobot(truth, none, VectorXd(), false), {}, predicted, nullptr, trouble))
      << trouble;
  Noise random(seed);
  for (std::size_t i = 0; i < experiment->points().size(); ++i) {
    const MeasuredPoint& point = experiment->points()[i];
    const std::string& column = experiment->channels()[point.channel].column;
    double value = predicted[static_cast<Eigen::Index>(i)];
    if (column == "dot.x") value = scale * value + bias;
    for (NumberColumn& numbers : table.numbers) {
      if (numbers.name == column) numbers.values[point.row] = value + noise * random();
    }
  }
  return table;
}

std::vector<FreeParameter> freed(const Model& model, const MeasuredTable& table,
                                 std::initializer_list<const char*> texts) {
  std::vector<FreeParameter> parameters;
  for (const char* text : texts) parameters.push_back(parse_free_parameter(model, text, table.names()));
  return parameters;
}

Identification identify_one(const Model& model, const MeasuredTable& table,
                            const std::vector<FreeParameter>& parameters, const IdentificationOptions& options = {}) {
  const auto experiment = make_equilibrium_experiment(model, table, {});
  return identify(model, parameters, {experiment.get()}, options);
}

TEST(Identification, JacobianIsExact) {
  const Model model = finger();
  const MeasuredTable table = measure(model, 4, 0.0, 1);
  const auto parameters =
      freed(model, table,
            {k_modulus, k_density, "markers[0].offset[1]", "base.pose.rpy[1]", "cable.bias", "dot.x.scale",
             "dot.x.bias", "actuators.cable.routing[0].offset[0]", "links.rod.body.section.radius", "rod.tip.z.bias"});
  ASSERT_GT(parameters.size(), 8U);  // more than one pass
  const auto experiment = make_equilibrium_experiment(model, table, {});
  VectorXd values(static_cast<Eigen::Index>(parameters.size()));
  for (std::size_t i = 0; i < parameters.size(); ++i) values[static_cast<Eigen::Index>(i)] = parameters[i].start;
  values[4] = 0.05;  // tension that no slack tendon clips
  std::string trouble;
  VectorXd at, forth, back;
  MatrixXd jacobian;
  ASSERT_TRUE(experiment->predict(FreedRobot(model, parameters, values, true), {}, at, &jacobian, trouble)) << trouble;
  for (Eigen::Index k = 0; k < values.size(); ++k) {
    const auto slope = [&](double step) {
      VectorXd moved = values;
      moved[k] += step;
      EXPECT_TRUE(experiment->predict(FreedRobot(model, parameters, moved, false), {}, forth, nullptr, trouble));
      moved[k] -= 2 * step;
      EXPECT_TRUE(experiment->predict(FreedRobot(model, parameters, moved, false), {}, back, nullptr, trouble));
      return VectorXd((forth - back) / (2 * step));
    };
    const double step = 1e-3 * std::max(std::abs(values[k]), 1e-2);
    const VectorXd expected = (4.0 * slope(0.5 * step) - slope(step)) / 3.0;
    EXPECT_GT(expected.norm(), 0.0) << parameters[static_cast<std::size_t>(k)].name;
    EXPECT_LT((jacobian.col(k) - expected).norm(), 1e-7 * expected.norm())
        << parameters[static_cast<std::size_t>(k)].name;
  }
}

TEST(Identification, FindsWhatWasSimulated) {
  const Model truth = finger().with({{k_modulus, 3.1e5}, {k_density, 1050.0}});
  const MeasuredTable table = measure(truth, 5, 0.0, 1);
  const Identification found = identify_one(
      finger(), table, freed(finger(), table, {"materials.silicone.young_modulus=1e5:1e6:log", k_density}));
  EXPECT_EQ(found.status, LeastSquaresStatus::converged);
  EXPECT_NEAR(found.values[0], 3.1e5, 3.1e5 * 1e-7);
  EXPECT_NEAR(found.values[1], 1050.0, 1050.0 * 1e-7);
  EXPECT_LT(found.rms, 1e-9);
  EXPECT_EQ(found.rms_unit, "m");
}

// Ten seeds of noise, four parameters: of 40 intervals 38 should hold; fewer than 33 do with a probability of 1e-4.
TEST(Identification, IntervalsHold) {
  const Model truth = finger();
  int held = 0;
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const MeasuredTable table = measure(truth, 6, 1e-3, seed, 1.1, 0.002);
    const auto parameters =
        freed(truth, table, {"materials.silicone.young_modulus=5e4:1e6:log", k_density, "dot.x.scale", "dot.x.bias"});
    const Identification found = identify_one(truth.with(k_modulus, 1.5e5), table, parameters);
    const double expected[] = {2.0e5, 1200.0, 1.1, 0.002};
    for (std::size_t i = 0; i < 4; ++i) {
      const IdentifiedParameter& one = found.parameters[i];
      held += one.lower95 <= expected[i] && expected[i] <= one.upper95 ? 1 : 0;
      EXPECT_LT(one.lower95, one.value);
    }
    EXPECT_NEAR(found.rms, 1e-3, 3e-4);
  }
  EXPECT_GE(held, 33);
}

// Without gravity a tension bends by tension / E alone: a scale of the tensions and E cannot be told apart, their ratio
// can.
TEST(Identification, SaysWhichCombinationDataCannotTell) {
  const Model model = finger().with("gravity[2]", 0.0);
  const MeasuredTable table = measure(model, 6, 1e-4, 3);
  const Identification found = identify_one(
      model, table, freed(model, table, {"materials.silicone.young_modulus=1e4:1e7:log", "cable.scale=0.1:10:log"}));
  ASSERT_EQ(found.combinations.size(), 2U);
  EXPECT_FALSE(found.combinations[0].undetermined());
  ASSERT_TRUE(found.combinations[1].undetermined());
  const VectorXd direction = found.combinations[1].direction;
  EXPECT_NEAR(direction[0], direction[1], 1e-5);  // both grow by the same part
  EXPECT_NEAR(std::abs(found.correlation(0, 1)), 1.0, 1e-6);
  const auto texts = undetermined_texts(found);
  ASSERT_EQ(texts.size(), 1U);
  EXPECT_THAT(texts[0], HasSubstr("0.71 of materials.silicone.young_modulus"));
  EXPECT_THAT(texts[0], HasSubstr("0.71 of cable.scale"));
}

TEST(Identification, StopsAtBoundsAndSaysSo) {
  const Model model = finger();
  const MeasuredTable table = measure(model, 5, 1e-4, 3);
  const Identification found =
      identify_one(model.with(k_modulus, 3.5e5), table,
                   freed(model.with(k_modulus, 3.5e5), table, {"materials.silicone.young_modulus=3e5:4e5", k_density}));
  EXPECT_TRUE(found.parameters[0].at_bound);
  EXPECT_NEAR(found.parameters[0].value, 3e5, 1e2);
  EXPECT_TRUE(std::isnan(found.parameters[0].lower95));
  EXPECT_FALSE(found.parameters[1].at_bound);
}

// One marker jumps by 0.1 m in one row: squares follow it, a robust loss does not.
TEST(Identification, RobustLossIgnoresAnOutlier) {
  const Model model = finger();
  MeasuredTable table = measure(model, 8, 2e-4, 5);
  table.numbers[4].values[6] += 0.1;
  const auto parameters = freed(model, table, {k_modulus, k_density});
  const auto error = [&](Loss loss) {
    IdentificationOptions options;
    options.loss = loss, options.loss_scale = 5e-4;
    return std::abs(identify_one(model, table, parameters, options).values[0] / 2e5 - 1.0);
  };
  const double squares = error(Loss::squares);
  EXPECT_GT(squares, 0.02);
  EXPECT_LT(error(Loss::cauchy), 0.1 * squares);
  EXPECT_LT(error(Loss::huber), 0.3 * squares);
}

TEST(Identification, OneNumberForSeveralPaths) {
  std::string text = k_finger;
  text.replace(text.find("radius: 0.01"), 12, "radius: [0.01, 0.01]");
  const Model model(read_robot_text(text, "finger.yaml"));
  const Model truth =
      model.with({{"links.rod.body.section.radius[0]", 0.011}, {"links.rod.body.section.radius[1]", 0.011}});
  const MeasuredTable table = measure(truth, 5, 0.0, 1);
  const Identification found = identify_one(model, table, freed(model, table, {"links.rod.body.section.radius*"}));
  EXPECT_NEAR(found.values[0], 0.011, 1e-9);
}

// The rows' groups are left out together, and a fold's prediction does not know its rows.
TEST(Identification, CrossValidationPredictsWhatItDoesNotKnow) {
  const Model model = finger();
  MeasuredTable table = measure(model, 6, 1e-3, 4);
  table.texts.push_back({"set", {"a", "a", "b", "b", "c", "c"}});
  EquilibriumExperimentOptions reading;
  reading.group = "set";
  const auto experiment = make_equilibrium_experiment(model, table, reading);
  const auto parameters = freed(model, table, {k_modulus, k_density});
  const Identification found = identify(model, parameters, {experiment.get()}, {});
  const CrossValidation cross = cross_validate(model, parameters, {experiment.get()}, found, 3, {});
  ASSERT_EQ(cross.values.size(), 3U);
  EXPECT_TRUE(cross.fits[0].predicted.allFinite());
  EXPECT_GT(cross.rms, found.rms);
  EXPECT_LT(cross.rms, 2.0 * found.rms);
  // the first fold by hand: rows of b and c alone
  MeasuredTable rest = table;
  rest.row_count = 4, rest.texts.clear();
  for (NumberColumn& column : rest.numbers) column.values.erase(column.values.begin(), column.values.begin() + 2);
  const Identification by_hand = identify_one(model, rest, parameters);
  EXPECT_NEAR(cross.values[0][0], by_hand.values[0], 1e-5 * by_hand.values[0]);
  EXPECT_THAT([&] { cross_validate(model, parameters, {experiment.get()}, found, 4, {}); },
              ThrowsMessage<ArgumentError>(HasSubstr("found 4 folds, expected 2 to 3")));
}

TEST(Identification, PriorsPullAsTheirDeviationSays) {
  const Model model = finger();
  const MeasuredTable table = measure(model, 5, 0.0, 1);
  auto parameters = freed(model, table, {k_modulus, k_density});
  apply_prior("materials.silicone.density=1300:1e-6", parameters);
  const auto experiment = make_equilibrium_experiment(model, table, {});
  for (MeasuredChannel& channel : experiment->channels()) channel.deviation = 1e-3;
  const Identification found = identify(model, parameters, {experiment.get()}, {});
  EXPECT_NEAR(found.values[1], 1300.0, 1e-3);
  EXPECT_NEAR(found.parameters[1].deviation, 1e-6, 1e-8);
}

TEST(Identification, StopsWithTheBestSoFar) {
  const Model model = finger();
  const MeasuredTable table = measure(model.with(k_modulus, 4e5), 5, 0.0, 1);
  std::atomic<bool> stop{false};
  IdentificationOptions options;
  options.stop = &stop;
  int count = 0;
  options.progress = [&](const LeastSquaresProgress&) { stop = ++count == 2; };
  const Identification found = identify_one(model, table, freed(model, table, {k_modulus}), options);
  EXPECT_EQ(found.status, LeastSquaresStatus::stopped);
  EXPECT_GT(found.values[0], 2.1e5);  // better than where it began
  EXPECT_THAT(found.message, HasSubstr("the best so far"));
}

TEST(Identification, OrientationsAreMeasuredToo) {
  const Model truth = finger().with(k_modulus, 2.6e5);
  MeasuredTable table = measure(truth, 5, 0.0, 1);
  const auto experiment = make_equilibrium_experiment(truth, table, {});
  const std::vector<FreeParameter> none;
  const FreedRobot robot(truth, none, VectorXd(), false);
  MeasuredTable turned{"turned.csv", {table.numbers[0]}, {}, table.row_count};
  for (const char* part : {"qw", "qx", "qy", "qz"}) turned.numbers.push_back({std::string("rod.tip.") + part, "", {}});
  for (std::size_t row = 0; row < table.row_count; ++row) {
    const Quaternion q = quaternion_from_matrix(experiment->sample(robot, row).tips[0].rotation);
    const double sign = row % 2 == 0 ? 1.0 : -1.0;  // both are the same rotation
    const double parts[] = {q.w, q.x, q.y, q.z};
    for (std::size_t k = 0; k < 4; ++k) turned.numbers[k + 1].values.push_back(sign * parts[k]);
  }
  const Identification found = identify_one(finger(), turned, freed(finger(), turned, {k_modulus}));
  EXPECT_NEAR(found.values[0], 2.6e5, 1.0);
  EXPECT_EQ(found.rms_unit, "rad");
}

TEST(Identification, WritesNumbersIntoTheText) {
  const Model model = finger();
  const MeasuredTable table = measure(model.with(k_modulus, 2.5e5), 5, 1e-4, 1);
  const auto parameters = freed(model, table, {k_modulus, "markers[0].offset[1]"});
  const Identification found = identify_one(model, table, parameters);
  const auto text = text_with_identified(k_finger, "finger.yaml", parameters, found);
  ASSERT_TRUE(text);
  const Model changed(read_robot_text(*text, "changed.yaml"));
  EXPECT_EQ(changed.parameter(k_modulus).value, found.values[0]);
  EXPECT_EQ(changed.parameter("markers[0].offset[1]").value, found.values[1]);
  EXPECT_EQ(changed.parameter(k_density).value, 1200.0);
  EXPECT_THAT(*text, HasSubstr("# soft  # young_modulus: 95 % in ["));
  EXPECT_THAT(*text, HasSubstr("#   materials.silicone.young_modulus = "));
  // a default stands nowhere in the text
  EXPECT_FALSE(text_with_identified(k_finger, "f", freed(model, table, {"links.rod.body.shear_factor"}),
                                    identify_one(model, table, parameters)));
}

TEST(Identification, DigitsThatMeanSomething) {
  EXPECT_EQ(meaningful_digits(315432.1, 2345.0), "3.154e+05");
  EXPECT_EQ(meaningful_digits(0.0123456, 0.00034), "0.01235");
  EXPECT_EQ(meaningful_digits(1.23456, 0.2), "1.23");
  EXPECT_EQ(meaningful_digits(12.0, 400.0), "1e+01");
}

TEST(Identification, ErrorsSayWhatWasFound) {
  const Model model = finger();
  const MeasuredTable table = measure(model, 3, 0.0, 1);
  const auto free_error = [&](const char* text) {
    try {
      parse_free_parameter(model, text, table.names());
      return std::string("none");
    } catch (const ArgumentError& error) {
      return std::string(error.what());
    }
  };
  EXPECT_THAT(free_error("materials.silicone.young_modulu"),
              HasSubstr("did you mean 'materials.silicone.young_modulus'"));
  EXPECT_THAT(free_error("materials.silicone.density=2000:3000"),
              HasSubstr("is 1200 in the file, outside of its bounds"));
  EXPECT_THAT(free_error("materials.silicone.density=3:2"), HasSubstr("lower bound is not below"));
  EXPECT_THAT(free_error("materials.silicone.density=1"), HasSubstr("bounds are not two"));
  EXPECT_THAT(free_error("materials.silicone.density=a:2"), HasSubstr("bound 'a' is no number"));
  EXPECT_THAT(free_error("cable.bias=::log"), HasSubstr("has no logarithm"));
  EXPECT_THAT(free_error("nothing.*"), HasSubstr("matches none"));
  EXPECT_THAT(free_error("materials.silicone.density+materials.silicone.young_modulus"), HasSubstr("different units"));
  MeasuredTable wrong = table;
  wrong.numbers[1].name = "dot.q";
  EquilibriumExperimentOptions options;
  options.map = {{"dot.q", "dott.x", 1.0}};
  EXPECT_THAT([&] { make_equilibrium_experiment(model, wrong, options); },
              ThrowsMessage<ArgumentError>(HasSubstr("did you mean 'dot.x'?")));
  options.map = {{"dot", "dot.x", 1.0}};
  EXPECT_THAT([&] { make_equilibrium_experiment(model, wrong, options); },
              ThrowsMessage<ArgumentError>(HasSubstr("found no column of numbers 'dot', which --map names")));
  MeasuredTable few = table;
  few.numbers.resize(2), few.row_count = 1;
  for (NumberColumn& column : few.numbers) column.values.resize(1);
  EXPECT_THAT(
      [&] {
        identify_one(model, few, freed(model, few, {k_modulus, k_density}));
      },
      ThrowsMessage<ArgumentError>(HasSubstr("found 1 measurements for 2 free parameters")));
}

TEST(ParameterTransform, StaysWithinBoundsAndGoesBack) {
  FreeParameter parameter{"x", {"x"}, "", 2.0};
  const double inf = std::numeric_limits<double>::infinity();
  for (const auto& [lower, upper] : {std::pair{-inf, inf}, {1.0, 5.0}, {1.0, inf}, {-inf, 5.0}}) {
    for (const bool logarithmic : {false, true}) {
      parameter.lower = lower, parameter.upper = upper, parameter.logarithmic = logarithmic;
      const ParameterTransform transform(parameter);
      for (const double value : {1.2, 2.0, 4.9}) {
        EXPECT_NEAR(transform.value(transform.free(value)), value, 1e-12 * value);
      }
      for (const double z : {-3.0, -0.7, 0.4, 1.9}) {
        EXPECT_GE(transform.value(z), lower);
        EXPECT_LE(transform.value(z), upper);
        const double h = 1e-5, slope = (transform.value(z + h) - transform.value(z - h)) / (2 * h);
        EXPECT_NEAR(transform.slope(z), slope, 1e-8 * (1.0 + std::abs(slope)));
      }
    }
  }
}

}  // namespace
}  // namespace cuttle
