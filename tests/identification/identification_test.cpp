// Parameters from simulated equilibria: found again, with intervals that hold, and what cannot be told is said.
#include "cuttle/identification/identification.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>
#include <random>

#include "cuttle/error.h"
#include "cuttle/identification/identified_robot.h"
#include "cuttle/io/robot_file.h"
#include "cuttle/spatial/logarithm.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

// A soft finger that hangs down, bent by a tendon; a marker on its side.
const char* const k_finger = R"(cuttle: 1
name: finger
base: {motion: fixed, pose: {rpy: [3.14159265358979, 0, 0]}}
materials: {silicone: {density: 1200, young_modulus: 2.0e5, poisson_ratio: 0.5}}  # soft
links:
- {name: rod, body: {type: rod, length: 0.2, material: silicone, section: {shape: circle, radius: 0.01}, quadrature: {points: 6}, strain: {kappa_x: {basis: legendre, order: 1}, kappa_y: {basis: legendre, order: 1}, sigma_z: constant}}}
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

/// What a robot shows under values of an input, with noise. @param scale  of the sensor on dot.x.
template <typename Columns>
MeasuredTable measure_columns(const Model& truth, const NumberColumn& input, const Columns& columns, double noise,
                              unsigned seed, double scale = 1.0, double bias = 0.0) {
  const std::size_t rows = input.values.size();
  MeasuredTable table{"simulated.csv", {input}, {}, rows};
  for (const char* name : columns) table.numbers.push_back({name, "", std::vector<double>(rows, 0.0)});
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

NumberColumn evenly(const char* name, int rows, double last) {
  NumberColumn column{name, "", {}};
  for (int row = 0; row < rows; ++row) column.values.push_back(last * row / (rows - 1));
  return column;
}

/// The finger under tensions up to 2 N.
MeasuredTable measure(const Model& truth, int rows, double noise, unsigned seed, double scale = 1.0,
                      double bias = 0.0) {
  return measure_columns(truth, evenly("cable", rows, 2.0), k_columns, noise, seed, scale, bias);
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

// A finger that air bends. Modulus and density are known together or not at all (gravity against elasticity), so of ten
// seeds: fewer than 7 hold with a probability of 1e-3.
TEST(Identification, IntervalsHoldOfAFingerUnderPressure) {
  const Model truth(read_robot_text(R"(cuttle: 1
name: pressure_finger
materials: {silicone: {density: 1070, young_modulus: 3.0e5, poisson_ratio: 0.5}}
links:
- {name: finger, body: {type: rod, length: 0.12, material: silicone, section: {shape: circle, radius: 0.012}, quadrature: {points: 6}, strain: {kappa_x: {basis: legendre, order: 1}, kappa_y: {basis: legendre, order: 1}, sigma_z: constant}}}
actuators: [{name: air, type: chamber, link: finger, offset: [0.006, 0], area: 5.0e-5}]
)",
                                    "finger.yaml"));
  constexpr const char* k_tip[] = {"finger.tip.x", "finger.tip.z"};
  int modulus_held = 0, density_held = 0;
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const MeasuredTable table = measure_columns(truth, evenly("air", 8, 3e4), k_tip, 5e-4, seed);
    const Model begin = truth.with(k_modulus, 4e5);
    const Identification found =
        identify_one(begin, table, freed(begin, table, {"materials.silicone.young_modulus=5e4:5e6:log", k_density}));
    const auto holds = [&](std::size_t i, double value) {
      return found.parameters[i].lower95 <= value && value <= found.parameters[i].upper95 ? 1 : 0;
    };
    modulus_held += holds(0, 3e5), density_held += holds(1, 1070.0);
    EXPECT_NEAR(found.rms, 5e-4, 3e-4) << seed;
  }
  EXPECT_GE(modulus_held, 7);
  EXPECT_GE(density_held, 7);
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
  for (unsigned seed = 1; seed <= 8; ++seed) {  // rounding decides of which sign a slope along it is
    const MeasuredTable other = measure(model, 6, 1e-4, seed);
    const Identification again = identify_one(
        model, other, freed(model, other, {"materials.silicone.young_modulus=1e4:1e7:log", "cable.scale=0.1:10:log"}));
    EXPECT_TRUE(again.converged()) << seed << ": " << again.message;
  }
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

TEST(Identification, AStopBeforeAnythingWasComparedIsAnInterruption) {
  const Model model = finger();
  const MeasuredTable table = measure(model, 5, 0.0, 1);
  std::atomic<bool> stop{true};
  IdentificationOptions options;
  options.stop = &stop;
  EXPECT_THROW(identify_one(model, table, freed(model, table, {k_modulus}), options), InterruptedError);
}

/// A tension that the finger has no equilibrium under: the rod folds onto itself [N].
constexpr double k_far_too_much = 1e6;

TEST(Identification, RowsWithoutAMeasurementAreNotSolved) {
  const Model model = finger();
  MeasuredTable table = measure(model, 5, 1e-4, 2);
  for (NumberColumn& column : table.numbers) column.values[2] = column.name == "cable" ? k_far_too_much : NAN;
  const Identification found = identify_one(model, table, freed(model, table, {k_modulus}));
  EXPECT_NEAR(found.values[0], 2e5, 2e4);
  EXPECT_TRUE(found.fits[0].missing.empty());
  EXPECT_EQ(found.fits[0].channels[0].count, 4U);
}

// What is predicted after a fit lacks a row, and says why; the others are as they were.
TEST(Identification, RowsWithoutEquilibriumAreNotPredicted) {
  const Model model = finger();
  MeasuredTable table = measure(model, 5, 1e-4, 2);
  const auto good = make_equilibrium_experiment(model, table, {});
  table.numbers[0].values[3] = k_far_too_much;
  const auto bad = make_equilibrium_experiment(model, table, {});
  const auto parameters = freed(model, table, {k_modulus});
  const VectorXd values = VectorXd::Constant(1, 2e5);
  const ExperimentFit all = fit_of(model, parameters, values, *good), lacking = fit_of(model, parameters, values, *bad);
  EXPECT_TRUE(all.missing.empty());
  ASSERT_EQ(lacking.missing.size(), 1U);
  EXPECT_EQ(lacking.missing[0].first, 3U);
  EXPECT_EQ(lacking.missing[0].last, 3U);
  EXPECT_NE(lacking.missing[0].why, "");
  for (std::size_t i = 0; i < bad->points().size(); ++i) {
    const auto at = static_cast<Eigen::Index>(i);
    if (bad->points()[i].row == 3) {
      EXPECT_TRUE(std::isnan(lacking.predicted[at]));
    } else {
      EXPECT_NEAR(lacking.predicted[at], all.predicted[at], 1e-9);
    }
  }
  EXPECT_EQ(lacking.channels[0].count, 4U);
  EXPECT_THAT([&] { identify(model, parameters, {bad.get()}, {}); },
              ThrowsMessage<ArgumentError>(HasSubstr("simulated.csv: row 3")));
}

// A first start that leads nowhere leaves the others their chance.
TEST(Identification, OtherStartsGoOnWhereTheFirstFails) {
  const Model truth = finger();
  const MeasuredTable table = measure(truth, 5, 1e-5, 1);
  const Model begin = truth.with(k_modulus, 1.0);  // far too soft to stand
  const auto parameters = freed(begin, table, {"materials.silicone.young_modulus=0.5:1e7:log"});
  IdentificationOptions options;
  EXPECT_THAT([&] { identify_one(begin, table, parameters, options); },
              ThrowsMessage<ArgumentError>(HasSubstr("beginning with the values of the file: simulated.csv: row")));
  options.starts = 12;
  const Identification found = identify_one(begin, table, parameters, options);
  EXPECT_TRUE(std::isinf(found.start_costs.front()));
  EXPECT_NEAR(found.values[0], 2e5, 2e3);
}

// A fold whose search was stopped is not counted.
TEST(Identification, AnInterruptedFoldIsDropped) {
  const Model model = finger();
  const MeasuredTable table = measure(model, 6, 1e-3, 4);
  const auto experiment = make_equilibrium_experiment(model, table, {});
  const auto parameters = freed(model, table, {k_modulus, k_density});
  const Identification found = identify(model, parameters, {experiment.get()}, {});

  /// Stops after some predictions.
  class Stopping final : public Experiment {
   public:
    Stopping(Experiment& inner, std::atomic<bool>& stop, int left) : inner_(inner), flag_(stop), left_(left) {
      label_ = inner.label(), channels_ = inner.channels(), points_ = inner.points(), groups_ = inner.groups();
      row_count_ = inner.row_count();
    }
    bool predict(const FreedRobot& robot, const std::vector<char>& left_out, VectorXd& predicted, MatrixXd* jacobian,
                 std::string& trouble) override {
      if (--left_ == 0) flag_ = true;
      return inner_.predict(robot, left_out, predicted, jacobian, trouble);
    }
    std::vector<UnpredictedRows> predict_rows(const FreedRobot& robot, const std::vector<char>& left_out,
                                              VectorXd& predicted) override {
      ++folds_;
      return inner_.predict_rows(robot, left_out, predicted);
    }
    std::vector<Sample> samples(const FreedRobot&, const std::vector<std::size_t>&) override { return {}; }
    int folds() const { return folds_; }

   private:
    Experiment& inner_;
    std::atomic<bool>& flag_;
    int left_, folds_ = 0;
  };
  int most = 0;
  for (const int left : {1, 2, 5, 9, 14}) {
    std::atomic<bool> stop{false};
    Stopping stopping(*experiment, stop, left);
    IdentificationOptions options;
    options.stop = &stop;
    const CrossValidation cross = cross_validate(model, parameters, {&stopping}, found, 3, options);
    ASSERT_TRUE(stop);
    EXPECT_LT(cross.folds, 3) << left;
    if (left <= 2) {
      EXPECT_EQ(cross.folds, 0) << left;  // no search is done after a prediction and its derivatives
    }
    EXPECT_EQ(cross.folds, stopping.folds()) << left;
    EXPECT_EQ(cross.values.size(), static_cast<std::size_t>(cross.folds));
    std::size_t predicted = 0;
    for (const double x : cross.fits[0].predicted) predicted += std::isfinite(x) ? 1 : 0;
    EXPECT_EQ(predicted, static_cast<std::size_t>(cross.folds) * 2 * std::size(k_columns)) << left;
    EXPECT_EQ(std::isnan(cross.rms) && std::isnan(cross.fits[0].channels[0].rms), cross.folds == 0);
    most = std::max(most, cross.folds);
  }
  EXPECT_GE(most, 1);
}

TEST(Identification, PriorsAreNoMeasurements) {
  const Model model = finger();
  const MeasuredTable table = measure(model, 5, 1e-3, 1);
  auto parameters = freed(model, table, {k_modulus, k_density});
  apply_prior("materials.silicone.density=1300:50", parameters);
  const auto experiment = make_equilibrium_experiment(model, table, {});
  for (MeasuredChannel& channel : experiment->channels()) channel.deviation = 1e-3;
  const Identification found = identify(model, parameters, {experiment.get()}, {});
  EXPECT_EQ(found.measurement_count, 30U);
  EXPECT_EQ(found.prior_count, 1U);
  EXPECT_THAT(identified_comments(parameters, found), HasSubstr("# Identified from 30 measurements and 1 prior: RMS"));
}

TEST(Identification, OneNumberIsFreeOnce) {
  const Model model = finger();
  const MeasuredTable table = measure(model, 5, 1e-4, 1);
  const auto error = [&](std::initializer_list<const char*> texts) {
    try {
      identify_one(model, table, freed(model, table, texts));
      return std::string("none");
    } catch (const ArgumentError& refusal) {
      return std::string(refusal.what());
    }
  };
  EXPECT_EQ(error({k_modulus, k_modulus}),
            "--free: found 'materials.silicone.young_modulus' twice, in 'materials.silicone.young_modulus' and in "
            "'materials.silicone.young_modulus', expected it in one of them");
  EXPECT_EQ(error({"links.*.body.section.radius", k_modulus, "links.rod.body.section.radius"}),
            "--free: found 'links.rod.body.section.radius' twice, in 'links.*.body.section.radius' and in "
            "'links.rod.body.section.radius', expected it in one of them");
  EXPECT_THAT(error({"dot.x.bias", k_modulus, "dot.x.bias"}), HasSubstr("found 'dot.x.bias' twice"));
  EXPECT_EQ(error({"dot.x.bias", "dot.x.scale", k_modulus}), "none");
  // parts of one entry that overlap are one number all the same
  EXPECT_EQ(parse_free_parameter(model, "links.*.body.section.radius+links.rod.body.section.radius", table.names())
                .paths.size(),
            1U);
}

TEST(Identification, FoldsNeedMeasurementsToLearnFrom) {
  const Model model = finger();
  const MeasuredTable table = measure(model, 6, 1e-3, 4);
  const auto experiment = make_equilibrium_experiment(model, table, {});
  const auto parameters = freed(model, table, {k_modulus, k_density});
  EXPECT_NO_THROW(check_folds(parameters, {experiment.get()}, 6));
  EXPECT_THAT([&] { check_folds(parameters, {experiment.get()}, 7); },
              ThrowsMessage<ArgumentError>(HasSubstr("found 7 folds, expected 2 to 6")));
  MeasuredTable few{"few.csv", {table.numbers[0], table.numbers[1]}, {}, table.row_count};
  for (std::size_t row = 2; row < 6; ++row) few.numbers[1].values[row] = NAN;
  few.texts.push_back({"set", {"a", "a", "b", "b", "b", "b"}});
  EquilibriumExperimentOptions reading;
  reading.group = "set";
  const auto gaps = make_equilibrium_experiment(model, few, reading);
  EXPECT_THAT([&] { check_folds(freed(model, few, {k_modulus}), {gaps.get()}, 2); },
              ThrowsMessage<ArgumentError>(HasSubstr("found 0 measurements for 1 free parameters without one of the")));
}

// Two cameras see one marker: both are channels, and the marker has one distance.
TEST(Identification, AQuantityMayBeMeasuredTwice) {
  const Model model = finger();
  MeasuredTable table = measure(model, 5, 0.0, 1);
  table.numbers.push_back({"camera2", "", table.numbers[1].values});
  for (double& value : table.numbers.back().values) value += 0.002;
  EquilibriumExperimentOptions reading;
  reading.map = {{"camera2", "dot.x", 1.0}};
  const auto experiment = make_equilibrium_experiment(model, table, reading);
  const std::vector<FreeParameter> none;
  const ExperimentFit fit = fit_of(model, none, VectorXd(), *experiment);
  std::map<std::string, double> rms;
  for (const ChannelFit& channel : fit.channels) rms[channel.name] = channel.rms;
  EXPECT_EQ(rms.size(), fit.channels.size());
  ASSERT_EQ(fit.channels.size(), 7U);
  // the mapped column comes first
  EXPECT_NEAR(rms.at("dot.x"), 0.002, 1e-12);
  EXPECT_NEAR(rms.at("dot.x (dot.x)"), 0.0, 1e-12);
  ASSERT_EQ(fit.frames.size(), 2U);
  EXPECT_EQ(fit.frames[0].name, "dot.position");
  EXPECT_NEAR(fit.frames[0].rms, 0.002 / std::sqrt(2.0), 1e-12);
  EXPECT_EQ(fit.frames[0].count, 5U);
}

TEST(Identification, ColumnsThatContradictEachOtherAreRefused) {
  const Model model = finger();
  const auto error = [&](const std::string& text, std::vector<ColumnMap> map) {
    EquilibriumExperimentOptions options;
    options.map = std::move(map);
    try {
      make_equilibrium_experiment(model, read_measured_table({"m.csv", text}), options);
      return std::string("none");
    } catch (const ArgumentError& refusal) {
      return std::string(refusal.what());
    }
  };
  EXPECT_EQ(error("cable,servo_mm,dot.x\n1,1000,0\n", {{"servo_mm", "cable", 1e-3}}),
            "m.csv:1:1: column 'cable': found a second column of the input 'cable', beside column 'servo_mm' at "
            "m.csv:1:7, expected one: take the other out of the table, or call it something else");
  EXPECT_EQ(error("old_cable,servo_mm,dot.x\n1,1000,0\n", {{"servo_mm", "cable", 1e-3}}), "none");
  EXPECT_THAT(error("a,cable,b\n0,1,2\n", {{"a", "dot.x", 1.0}, {"a", "dot.x", 1e-3}}),
              HasSubstr("m.csv:1:1: found 'a=dot.x' twice in --map"));
  const std::string head = "cable,rod.tip.qw,rod.tip.qx,rod.tip.qy,rod.tip.qz\n1,1,0,0,0\n";
  EXPECT_EQ(error(head + "2,0,0,0,0\n", {}),
            "m.csv:3:3: column 'rod.tip.qw', row 1: found a quaternion 0, 0, 0, 0 of 'rod.tip', which is no "
            "orientation, expected one of length 1, or empty cells where nothing was tracked");
  EXPECT_EQ(error(head + "2,,,,\n", {}), "none");
  EXPECT_THAT(error("cable,rod.tip.qw,rod.tip.qx,w,rod.tip.qz\n1,1,0,0,0\n", {{"w", "rod.tip.qw", 1.0}}),
              HasSubstr("m.csv:1:29: frame 'rod.tip': found two columns of 'rod.tip.qw'"));
}

/// The rotation vector that a frame's quantities say, for measured rotations by an angle about an axis of the model's.
class MeasuredRotations : public testing::Test {
 protected:
  Vector3 measured(const Vector3& axis, double angle) {
    const Model model = finger();
    const std::vector<FreeParameter> parameters{
        parse_free_parameter(model, "base.pose.rpy[1]", std::vector<std::string>{})};
    const double half = -0.5 * angle;  // the measured frame is turned back from the model's
    MeasuredTable table{"t.csv", {{"cable", "", {1.0}}}, {}, 1};
    const auto plain =
        make_equilibrium_experiment(model, {"p.csv", {{"cable", "", {1.0}}, {"rod.tip.x", "", {0.0}}}, {}, 1}, {});
    const FreedRobot robot(model, parameters, VectorXd::Constant(1, 0.0), true);
    const Matrix3 now = plain->sample(robot, 0).tips[0].rotation;
    const Quaternion turn{std::cos(half), std::sin(half) * axis.x, std::sin(half) * axis.y, std::sin(half) * axis.z};
    const Quaternion seen = quaternion_from_matrix(now * turn.matrix());
    const double parts[] = {seen.w, seen.x, seen.y, seen.z};
    const char* const names[] = {"rod.tip.qw", "rod.tip.qx", "rod.tip.qy", "rod.tip.qz"};
    for (int k = 0; k < 4; ++k) table.numbers.push_back({names[k], "", {parts[k]}});
    const auto experiment = make_equilibrium_experiment(model, table, {});
    std::string trouble;
    EXPECT_TRUE(experiment->predict(robot, {}, predicted_, &jacobian_, trouble)) << trouble;
    EXPECT_TRUE(predicted_.allFinite() && jacobian_.allFinite()) << angle;
    const auto at = [&](double value) {
      VectorXd found;
      EXPECT_TRUE(experiment->predict(FreedRobot(model, parameters, VectorXd::Constant(1, value), false), {}, found,
                                      nullptr, trouble));
      return found;
    };
    differences_ = (at(1e-5) - at(-1e-5)) / 2e-5;
    return {predicted_[0], predicted_[1], predicted_[2]};
  }
  VectorXd predicted_, differences_;
  MatrixXd jacobian_;
};

TEST_F(MeasuredRotations, AreRotationVectorsUpToHalfATurn) {
  const Vector3 axis = Vector3{0.6, -0.48, 0.64};
  for (const double angle : {1e-9, 1e-4, 0.3, 1.5, std::numbers::pi / 2, 2.5, 3.1, std::numbers::pi - 1e-3}) {
    const Vector3 found = measured(axis, angle);
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(found[k], angle * axis[k], 1e-9) << angle;
    EXPECT_LT((jacobian_.col(0) - differences_).norm(), 1e-6 * (1.0 + differences_.norm())) << angle;
  }
  for (const double angle : {std::numbers::pi - 1e-9, std::numbers::pi, std::numbers::pi + 1e-9}) {
    EXPECT_NEAR(norm(measured(axis, angle)), std::numbers::pi, 1e-8);  // of either sign
  }
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

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
