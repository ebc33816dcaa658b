// Differences of runs whose difference is known.
#include "cuttle/identification/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "cuttle/error.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

NumberColumn column(const std::string& name, const std::string& unit, int count, double step, double (*f)(double)) {
  NumberColumn result{name, unit, {}};
  for (int i = 0; i < count; ++i) result.values.push_back(f(i * step));
  return result;
}
double identity(double x) { return x; }
double sine(double t) { return std::sin(t); }
double shifted_sine(double t) { return std::sin(t) + 0.25; }
double zero(double) { return 0.0; }

const ComparedChannel& channel(const Comparison& comparison, const std::string& name) {
  for (const ComparedChannel& one : comparison.channels) {
    if (one.name == name) return one;
  }
  ADD_FAILURE() << name;
  return comparison.channels.front();
}

// Linear interpolation of a sine is wrong by at most h^2 / 8: that is all that different grids may cost.
TEST(Comparison, InterpolatesBetweenGrids) {
  const double h = 0.01;
  const ComparedTable run{"run", {column("time", "s", 1001, h, identity), column("x", "m", 1001, h, sine)}};
  const ComparedTable reference{
      "reference", {column("time", "", 1300, 0.0077, identity), column("x", "", 1300, 0.0077, shifted_sine)}};
  const Comparison comparison = compare(run, reference);
  EXPECT_EQ(comparison.times.size() + comparison.left_out, 1300U);
  EXPECT_EQ(comparison.left_out, 1U);  // 1299 * 0.0077 is beyond 10 s
  const ComparedChannel& x = channel(comparison, "x");
  EXPECT_EQ(x.unit, "m");
  EXPECT_NEAR(x.rms, 0.25, h * h / 8);
  EXPECT_NEAR(x.max, 0.25, h * h / 8);
  EXPECT_GT(std::abs(x.max - 0.25), 1e-7);  // it does interpolate
}

// The largest difference of t^2 and 0 on [0, 1] is 1 at 1; its RMS by rows is known.
TEST(Comparison, SaysTheLargestAndWhen) {
  const ComparedTable run{
      "run", {column("time", "s", 5, 0.25, identity), column("q", "rad", 5, 0.25, [](double t) { return -t * t; })}};
  const ComparedTable reference{"zero", {column("time", "s", 5, 0.25, identity), column("q", "rad", 5, 0.25, zero)}};
  const Comparison comparison = compare(run, reference);
  const ComparedChannel& q = channel(comparison, "q");
  EXPECT_EQ(q.max, 1.0);
  EXPECT_EQ(q.at, 1.0);
  EXPECT_NEAR(q.rms, std::sqrt((0.0 + 1.0 / 256 + 1.0 / 16 + 81.0 / 256 + 1.0) / 5), 1e-15);
  const std::vector<double> halves = comparison.rms_over_time(q, 2);
  EXPECT_NEAR(halves[0], std::sqrt((0.0 + 1.0 / 256) / 2), 1e-15);
  EXPECT_NEAR(halves[1], std::sqrt((1.0 / 16 + 81.0 / 256 + 1.0) / 3), 1e-15);
}

TEST(Comparison, MapsColumnsOfOtherUnits) {
  const ComparedTable run{"run", {column("time", "s", 11, 0.1, identity), column("tip.x", "m", 11, 0.1, sine)}};
  const ComparedTable reference{
      "mocap",
      {column("t", "", 11, 0.1, identity), column("x_mm", "", 11, 0.1, [](double t) { return 1e3 * std::sin(t) + 2; }),
       column("tip.x", "", 11, 0.1, zero)}};
  ComparisonOptions options;
  options.map = parse_column_maps({"t=time, x_mm=tip.x*0.001"});
  const Comparison comparison = compare(run, reference, options);
  ASSERT_EQ(comparison.channels.size(), 1U);
  EXPECT_NEAR(comparison.channels[0].rms, 0.002, 1e-12);
}

// A turn of 0.3 rad about z, with the other sign of the quaternion: the angle is 0.3, and a position is 3, 4 -> 5.
TEST(Comparison, KnowsDistancesAndAngles) {
  const auto constant = [](const std::string& name, double value) {
    return NumberColumn{name, "", std::vector<double>(3, value)};
  };
  const ComparedTable run{
      "a",
      {constant("hand.tip.x", 3), constant("hand.tip.y", 4), constant("hand.tip.z", 1), constant("hand.tip.qw", 1),
       constant("hand.tip.qx", 0), constant("hand.tip.qy", 0), constant("hand.tip.qz", 0)}};
  const ComparedTable reference{"b",
                                {constant("hand.tip.x", 0), constant("hand.tip.y", 0), constant("hand.tip.z", 1),
                                 constant("hand.tip.qw", -std::cos(0.15)), constant("hand.tip.qx", 0),
                                 constant("hand.tip.qy", 0), constant("hand.tip.qz", -std::sin(0.15))}};
  const Comparison comparison = compare(run, reference);
  EXPECT_TRUE(comparison.rows);
  EXPECT_NEAR(channel(comparison, "hand.tip.position").rms, 5.0, 1e-15);
  EXPECT_EQ(channel(comparison, "hand.tip.position").unit, "m");
  EXPECT_NEAR(channel(comparison, "hand.tip.rotation").max, 0.3, 1e-15);
  EXPECT_NEAR(channel(comparison, "hand.tip.qw").max, 1.0 - std::cos(0.15), 1e-15);
}

// COLUMN=QUANTITY*FACTOR+OFFSET; of the time also without a factor. Names of quantities may have signs.
TEST(ColumnMap, HasFactorAndOffset) {
  struct Case {
    const char* text;
    const char* quantity;
    double factor, offset;
  };
  for (const Case& one : {Case{"t=time", "time", 1.0, 0.0},
                          {"t=time-12.5", "time", 1.0, -12.5},
                          {"t = time + 2e-3", "time", 1.0, 2e-3},
                          {"t=time*1e-3-1.7e+3", "time", 1e-3, -1.7e3},
                          {"t=time*-1+4", "time", -1.0, 4.0},
                          {"t=tip.x*0.001-0.2", "tip.x", 1e-3, -0.2},
                          {"t=arm-2.tip.x", "arm-2.tip.x", 1.0, 0.0},
                          {"t=arm-2.tip.x*2e+1", "arm-2.tip.x", 20.0, 0.0},
                          {"t=time-out.tip.x*2", "time-out.tip.x", 2.0, 0.0}}) {
    const ColumnMap map = parse_column_maps({one.text}).at(0);
    EXPECT_EQ(map.column, "t") << one.text;
    EXPECT_EQ(map.quantity, one.quantity) << one.text;
    EXPECT_EQ(map.factor, one.factor) << one.text;
    EXPECT_EQ(map.offset, one.offset) << one.text;
  }
}

// A recording in milliseconds is compared at its seconds.
TEST(Comparison, TimesHaveFactorsToo) {
  const ComparedTable run{"run", {column("time", "s", 101, 0.01, identity), column("x", "m", 101, 0.01, sine)}};
  const ComparedTable reference{
      "camera", {{"t_ms", "", {0, 250, 500, 1000}}, {"x", "", {0, std::sin(0.25), std::sin(0.5), std::sin(1.0)}}}};
  ComparisonOptions options;
  options.map = parse_column_maps({"t_ms=time*0.001"});
  const Comparison comparison = compare(run, reference, options);
  EXPECT_EQ(comparison.left_out, 0U);
  EXPECT_EQ(comparison.times.back(), 1.0);
  EXPECT_LT(channel(comparison, "x").max, 1e-15);
}

// A file with fewer digits may end a little later than the other; that is no instant of its own.
TEST(Comparison, TheEndMayBeLaterByRounding) {
  const ComparedTable run{"run", {{"time", "s", {0, 0.1, 0.3}}, {"x", "m", {0, 1, 3}}}};
  const auto left_out = [&](double end) {
    return compare(run, {"b", {{"time", "", {0, 0.1, end}}, {"x", "", {0, 1, 3}}}}).left_out;
  };
  EXPECT_EQ(left_out(0.1 + 0.2), 0U);
  EXPECT_GT(0.1 + 0.2, 0.3);
  EXPECT_EQ(left_out(0.3 * (1 + 5e-10)), 0U);
  EXPECT_EQ(left_out(0.3 * (1 + 1e-8)), 1U);
}

TEST(Comparison, CountsRowsThatOnlyTheRunHas) {
  const ComparedTable longer{"a", {{"q", "rad", {1, 2, 3, 4, 5}}}}, shorter{"b", {{"q", "", {1, 2, 3}}}};
  const Comparison more = compare(longer, shorter), fewer = compare(shorter, longer);
  EXPECT_EQ(more.surplus, 2U);
  EXPECT_EQ(more.left_out, 0U);
  EXPECT_EQ(fewer.surplus, 0U);
  EXPECT_EQ(fewer.left_out, 2U);
}

// The volume of a chamber ends in .y as the position of a frame does.
TEST(Comparison, OnlyPositionsAreMeters) {
  const ComparedTable table{"a.csv",
                            {{"air.y", "", {1, 2}},
                             {"sensors.imu.acceleration.x", "", {1, 2}},
                             {"hand.tip.x", "", {1, 2}},
                             {"hand.tip.y", "", {1, 2}},
                             {"energy.elastic", "", {1, 2}}}};
  const Comparison comparison = compare(table, table);
  EXPECT_EQ(channel(comparison, "air.y").unit, "");
  EXPECT_EQ(channel(comparison, "sensors.imu.acceleration.x").unit, "");
  EXPECT_EQ(channel(comparison, "hand.tip.x").unit, "m");
  EXPECT_EQ(channel(comparison, "hand.tip.y").unit, "m");
  EXPECT_EQ(channel(comparison, "energy.elastic").unit, "J");
}

TEST(Comparison, ColumnsThatMeanTheSameKeepTheirNames) {
  const ComparedTable run{"a", {{"q", "rad", {1, 2}}}}, reference{"b", {{"one", "", {1, 2}}, {"two", "", {1, 3}}}};
  ComparisonOptions options;
  options.map = parse_column_maps({"one=q,two=q"});
  const Comparison comparison = compare(run, reference, options);
  EXPECT_EQ(channel(comparison, "q").max, 0.0);
  EXPECT_EQ(channel(comparison, "q (two)").max, 1.0);
}

TEST(Comparison, LeavesOutWhatIsNotKnown) {
  const double nan = NAN;
  const ComparedTable run{"a", {{"q", "rad", {1, 2, 3}}}}, reference{"b", {{"q", "", {1, nan, 5}}}};
  const ComparedChannel q = compare(run, reference).channels[0];
  EXPECT_NEAR(q.rms, std::sqrt(2.0), 1e-15);
  EXPECT_EQ(q.at, 2.0);
}

TEST(Comparison, ErrorsSayWhatIsMissing) {
  const ComparedTable timed{"a.h5", {column("time", "s", 3, 1, identity), column("arm.joint.q0", "rad", 3, 1, sine)}};
  const ComparedTable rows{"b.csv", {column("arm.joint.q0", "", 3, 1, sine)}};
  const ComparedTable late{"c.csv", {{"time", "", {7, 8}}, {"arm.joint.q0", "", {0, 0}}}};
  const ComparedTable back{"d.csv", {{"time", "", {1, 0}}, {"arm.joint.q0", "", {0, 0}}}};
  ComparisonOptions wrong;
  wrong.map = {{"arm.joint.q0", "arm.joint.q", 1.0}};
  EXPECT_THAT([&] { compare(timed, rows); },
              ThrowsMessage<ArgumentError>(HasSubstr("b.csv: found no column of times")));
  EXPECT_THAT([&] { compare(timed, late); }, ThrowsMessage<ArgumentError>(HasSubstr("no time that both have")));
  EXPECT_THAT([&] { compare(timed, back); }, ThrowsMessage<ArgumentError>(HasSubstr("d.csv: time: found 0 in row 1")));
  EXPECT_THAT(
      [&] {
        compare(timed, {"e", {{"x", "", {1}}}});
      },
      ThrowsMessage<ArgumentError>(HasSubstr("same name in both")));
  EXPECT_THAT([&] { compare(timed, timed, wrong); },
              ThrowsMessage<ArgumentError>(HasSubstr("did you mean 'arm.joint.q0'?")));
  EXPECT_THAT([&] { parse_column_maps({"x"}); }, ThrowsMessage<ArgumentError>(HasSubstr("--map: found 'x', expected")));
  for (const std::string bad : {"x=y*0", "x=time-", "x=time+one", "x=y*2-", "x=y*", "x=time-inf"}) {
    EXPECT_THAT([&] { parse_column_maps({bad}); }, ThrowsMessage<ArgumentError>(HasSubstr("found '" + bad + "'")));
  }
}

TEST(MeasuredTable, HasNumbersTextAndGaps) {
  const MeasuredTable table = read_measured_table({"m.csv", "# recorded\nset,u,x\na1,0,1.5\nb2,2,\n"});
  ASSERT_NE(table.number("x"), nullptr);
  EXPECT_EQ(table.number("x")->values[0], 1.5);
  EXPECT_TRUE(std::isnan(table.number("x")->values[1]));
  ASSERT_NE(table.text("set"), nullptr);
  EXPECT_EQ(table.text("set")->values[1], "b2");
  EXPECT_EQ(table.number("set"), nullptr);
  EXPECT_EQ(table.row_count, 2U);
  EXPECT_THAT(
      [] {
        read_measured_table({"m.csv", "x,x\n1,2\n"});
      },
      ThrowsMessage<FileError>("m.csv:1:3: x: found two columns of this name, expected one"));
  EXPECT_THAT(
      [] {
        read_measured_table({"m.csv", "x,y\n1\n"});
      },
      ThrowsMessage<FileError>("m.csv:2:1: row: found 1 cell, expected 2, as many as the header has"));
  EXPECT_THAT(
      [] {
        read_measured_table({"m.csv", "x\n.inf\n"});
      },
      ThrowsMessage<FileError>(HasSubstr("m.csv:2:1: x: found '.inf', expected a finite number")));
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
