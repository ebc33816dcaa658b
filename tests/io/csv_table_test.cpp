// Tables as loggers and spreadsheets write them: the same numbers as the plain one, or an error with file, line and
// column.
#include "cuttle/io/csv_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>

#include "cuttle/identification/comparison.h"
#include "cuttle/io/result_columns.h"
#include "cuttle/io/scenario_file.h"
#include "io/command_line.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using testing::HasSubstr;

const std::string k_mark = "\xEF\xBB\xBF";  // of the byte order

TEST(CsvTable, ReadsTheSameNumbersHoweverTheyAreWritten) {
  for (const std::string& text : {
           std::string("time,x\n0,0.4\n0.02,-1.5\n"),
           k_mark + "time,x\n0,0.4\n0.02,-1.5\n",
           std::string("time,x\r\n0,0.4\r\n0.02,-1.5\r\n"),
           std::string("time,x\r0,0.4\r0.02,-1.5"),
           std::string("time;x\n0;0.4\n0.02;-1.5\n"),
           std::string("time;x\n0,0;0,4\n0,02;-1,5\n"),
           std::string("time;x\n0,000;0,400\n0,020;-1,500\n"),
           std::string("time\tx\n0\t0.4\n0.02\t-1.5\n"),
           std::string("time\tx\n0\t0,4\n0,02\t-1,5\n"),
           std::string("sep=;\ntime;x\n0;0.4\n0.02;-1.5\n"),
           std::string(",time,x\n0,0,0.4\n1,0.02,-1.5\n"),
           std::string("time,x,\n0,0.4,\n0.02,-1.5,\n"),
           std::string("time,x,\n0,0.4\n0.02,-1.5\n"),
           std::string("time,x\n0,0.4,,\n0.02,-1.5,,\n,,,\n"),
           std::string("time,,x\n0,,0.4\n0.02,,-1.5\n"),
           std::string("time,x\n[s],[rad]\n0,0.4\n0.02,-1.5\n"),
           std::string("time,x\ns,\n0,0.4\n0.02,-1.5\n"),
           std::string("\"time\",\"x\"\n\"0\",\"0.4\"\n\"0.02\",\"-1.5\"\n"),
           std::string("\"time\",\"x\"\n\"0,0\",\"0,4\"\n\"0,02\",\"-1,5\"\n"),
           std::string("# a logger\n\n  time , x \n 0 ,0.4\n +0.02,\t-1.5e0\n\n"),
       }) {
    SCOPED_TRACE(text);
    const CsvTable table = read_csv_table({"t.csv", text});
    EXPECT_EQ(table.names, (std::vector<std::string>{"time", "x"}));
    EXPECT_EQ(table.rows, (std::vector<std::vector<double>>{{0.0, 0.4}, {0.02, -1.5}}));
    const MeasuredTable measured = read_measured_table({"t.csv", text});
    ASSERT_NE(measured.number("x"), nullptr);
    EXPECT_EQ(measured.number("x")->values, (std::vector<double>{0.4, -1.5}));
    EXPECT_TRUE(measured.texts.empty());
  }
}

TEST(CsvTable, KeepsTextInQuotesWhole) {
  const MeasuredTable table = read_measured_table({"t.csv", "time,\"Torque, Request\"\n0,\"a, \"\"b\"\"\"\n1,c\n"});
  ASSERT_NE(table.text("Torque, Request"), nullptr);
  EXPECT_EQ(table.text("Torque, Request")->values, (std::vector<std::string>{"a, \"b\"", "c"}));
  EXPECT_EQ(table.place("Torque, Request", 0), "t.csv:2:4");
}

TEST(CsvTable, TakesMarksOfWhatWasNotMeasured) {
  for (const char* cell : {"", "nan", "NaN", "NA", "n/a", "#N/A", "null", "None"}) {
    const MeasuredTable table = read_measured_table({"t.csv", std::string("time,x\n0,1\n1,") + cell + "\n2,3\n"});
    ASSERT_NE(table.number("x"), nullptr) << cell;
    EXPECT_TRUE(std::isnan(table.number("x")->values[1])) << cell;
    EXPECT_EQ(table.number("x")->values[2], 3.0) << cell;
  }
}

TEST(CsvTable, NamesWhatItCannotRead) {
  const std::map<std::string, std::string> expected{
      {"time,x\n0,1\n1,ERR\n", "t.csv:3:3: x: found 'ERR', expected a finite number"},
      {"time,x\n0,1\n1,inf\n", "t.csv:3:3: x: found 'inf', expected a finite number"},
      {"time,x\n0,1\n1\n", "t.csv:3:1: row: found 1 cell, expected 2, as many as the header has"},
      {"time,x\n0,0,0,4\n",
       "t.csv:2:1: row: found 4 cells, expected 2, as many as the header has; numbers with decimal commas"},
      {"time,,x\n0,7,1\n", "t.csv:1:6: a column: found no name"},
      {"time,x,x\n0,1,1\n", "t.csv:1:8: x: found two columns of this name"},
      {"0,0.4\n1,0.5\n", "t.csv:1:1: columns: found numbers, expected a line of names"},
      {"time;x\n1,234;2,345\n", "t.csv:2:1: a cell: found '1,234', whose comma may be of decimals or of thousands"},
      {"time;x\n0,5;2.5\n", "t.csv:2:1: a cell: found '0,5', whose comma may be of decimals or of thousands"},
      {"time,x\n[ms],[rad]\n0,1\n", "t.csv:2:1: time: found the unit 'ms', expected s, of which it is 0.001"},
      {"time,x\ns,deg\n0,1\n", "t.csv:2:3: x: found the unit 'deg', expected rad"},
      {"time,x\n0,\"1\n", "t.csv:2:3: a cell: found a quote without its end"},
      {std::string("\xFF\xFEt\0", 4), "t.csv:1:1: table: found text in UTF-16, expected text in UTF-8"},
      {"time,x\n", "t.csv:1:1: table: found no rows"},
      {"", "t.csv:1:1: table: found no rows"},
  };
  for (const auto& [text, error] : expected) {
    EXPECT_THAT(message<FileError>([&, text = text] {
                  read_csv_table({"t.csv", text});
                }),
                testing::StartsWith(error))
        << text;
  }
}

TEST(CsvTable, ARowOfUnitsHasUnitsAlone) {
  for (const char* const unit : {"rad", "[ rad ]", "1", "-", "[-]", "m/s^2", "m/s\u00b2", "N m", "N\u00b7m", "N-m",
                                 "kg m^2", "N/(m s)", "s^-1", "RAD", "Newton", "V"}) {
    const CsvTable table = read_csv_table({"t.csv", std::string("time,x\ns,") + unit + "\n0,1\n2,3\n"});
    EXPECT_EQ(table.rows, (std::vector<std::vector<double>>{{0, 1}, {2, 3}})) << unit;
  }
  const std::vector<std::pair<std::string, std::string>> others{
      {"msec", "expected s, of which it is 0.001"},
      {"Deg", "expected rad, of which it is 0.01745329252"},
      {"[ DEG ]", "expected rad, of which it is 0.01745329252"},
      {"Millimeters", "expected m, of which it is 0.001"},
      {"deg/s", "expected rad/s, of which it is 0.01745329252"},
      {"mm/s^2", "expected m/s^2, of which it is 0.001"},
      {"N/mm", "expected N/m, of which it is 1000"},
      {"N/mm^2", "expected N/m^2, of which it is 1000000"},
      {"1/(N mm)", "expected 1/(N m), of which it is 1000"},
      {"mPa", "expected Pa, of which it is 0.001"},
      {"g", "expected one of the SI; it is one of masses and of accelerations"},
      {"counts", "expected one of the SI"}};
  for (const auto& [unit, expected] : others) {
    const std::string said = message<FileError>([&, unit = unit] {
      read_csv_table({"t.csv", "time,x\ns," + unit + "\n0,1\n2,3\n"});
    });
    EXPECT_THAT(said, testing::StartsWith("t.csv:2:3: x: found the unit '")) << unit;
    EXPECT_THAT(said, HasSubstr("', " + expected + ": convert the column")) << unit;
  }
  for (const char* const text : {"OVERLOAD", "MPA", "furlong", "[lost]", "m/foo", "m^", "/"}) {
    const std::string table = std::string("time,x\ns,") + text + "\n0,1\n2,3\n";
    const std::string said =
        std::string("t.csv:2:3: x: found '") + text + "', expected a unit that is known, or a row of numbers";
    EXPECT_EQ(message<FileError>([&] { read_csv_table({"t.csv", table}); }), said);
    EXPECT_EQ(message<FileError>([&] { read_measured_table({"t.csv", table}); }), said);
  }
  // rows of data with labels are no units
  for (const char* const rows : {"A,1\nV,1\n", "open,1\n5,1\n"}) {
    EXPECT_EQ(read_measured_table({"t.csv", std::string("name,x\n") + rows}).row_count, 2U) << rows;
  }
}

/// `cuttle compare` and signals read what the table reads.
class CsvOfPeople : public CommandLine {
 protected:
  Comparison compare_with(const std::string& text, const std::vector<std::string>& map = {}) {
    const ComparedTable run = read_compared_table(directory_.write("run.csv", "time,x\n0,1\n1,2\n2,3\n"));
    ComparisonOptions options;
    options.map = parse_column_maps(map);
    return compare(run, read_compared_table(directory_.write("rec.csv", text)), options);
  }
};

TEST_F(CsvOfPeople, CompareSaysWhichCellIsText) {
  EXPECT_THAT(message<ArgumentError>([&] { compare_with("time,x\n0,1\n1,ERR\n2,3\n"); }),
              HasSubstr("rec.csv:3:3: x: found 'ERR', expected a number, or nothing where none was measured"));
  EXPECT_THAT(message<ArgumentError>([&] { compare_with("time,x\n0,1\nlate,2\n"); }),
              HasSubstr("rec.csv:3:1: time: found 'late', expected a number"));
  EXPECT_THAT(message<ArgumentError>([&] { compare_with("time,y\n0,1\n1,ERR\n2,3\n", {"y=x"}); }),
              HasSubstr("rec.csv:3:3: y: found 'ERR'"));
  const Comparison good = compare_with("time,x,note\n0,1.5,\n1,NA,lost\n2,3.5,\n");
  ASSERT_EQ(good.channels.size(), 1u);
  EXPECT_NEAR(good.channels[0].rms, 0.5, 1e-15);
}

TEST_F(CsvOfPeople, CompareRefusesOtherUnitsUnlessTheyAreConverted) {
  EXPECT_THAT(
      message<ArgumentError>([&] { compare_with("time,x\ns,mm\n0,1000\n1,2000\n"); }),
      HasSubstr("x: found the unit 'mm', expected m, of which it is 0.001: --map COLUMN=NAME*FACTOR converts it"));
  EXPECT_THAT(message<ArgumentError>([&] { compare_with("time,x\nms,m\n0,1\n1000,2\n"); }),
              HasSubstr("time: found the unit 'ms', expected s"));
  // both in millimeters, and only one converted
  const ComparedTable run = read_compared_table(directory_.write("mm.csv", "time,x\ns,mm\n0,1000\n1,2000\n"));
  for (const char* const map : {"x=x*0.001", "x=x*1+0.5"}) {
    ComparisonOptions options;
    options.map = parse_column_maps({map});
    EXPECT_THAT(message<ArgumentError>([&] { compare(run, run, options); }),
                HasSubstr("x: found the unit 'mm', expected m, of which it is 0.001: convert the column"));
  }
  EXPECT_EQ(compare(run, run).channels.at(0).max, 0.0);
  const Comparison good = compare_with("t,x\nms,mm\n0,1000\n1000,2000\n", {"t=time*0.001", "x=x*0.001"});
  EXPECT_NEAR(good.channels.at(0).max, 0.0, 1e-12);
}

// a natural cubic spline through 0, 1, 0 at 0, 1, 2 has the curvature 0, -3, 0 there: x(1/2) = 1/2 + 3/16
TEST_F(CsvOfPeople, ATableCanBeASpline) {
  directory_.write("r.yaml", R"(cuttle: 1
links: [{name: bar, joint: {type: revolute}, body: {type: rigid, mass: 1, com: [1, 0, 0], inertia: [1, 1, 1, 0, 0, 0]}}]
actuators: [{name: motor, type: joint, link: bar}]
)");
  directory_.write("t.csv", k_mark + "time;torque\r\n[s];[N m]\r\n0,0;0,0\r\n1,0;1,0\r\n2,0;0,0\r\n");
  const auto torque = [&](const std::string& keys) {
    const std::string file = directory_.write("s.yaml",
                                              "cuttle: 1\nrobot: r.yaml\nsimulation: {duration: 2, output_step: 1, "
                                              "inputs: {motor: {type: table, file: t.csv, column: torque" +
                                                  keys + "}}}\n");
    return load_scenario_file(file).scenario.inputs.at("motor");
  };
  const auto at_half = [&](const std::string& keys) { return torque(keys).at(0.5); };
  EXPECT_NEAR(at_half(", interpolation: spline"), 0.6875, 1e-15);
  EXPECT_EQ(at_half(", interpolation: linear"), 0.5);
  EXPECT_EQ(at_half(""), 0.5);
  EXPECT_EQ(at_half(", interpolation: hold"), 0.0);
  EXPECT_EQ(at_half(", hold: true"), 0.0);
  EXPECT_THAT(message<FileError>([&] { torque(", hold: true, interpolation: spline"); }), HasSubstr("interpolation"));
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
