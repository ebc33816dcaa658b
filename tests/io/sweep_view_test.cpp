// Sweeps as they are shown - figures, bands over time, runs that are made again -, numbers drawn with the covariance of
// an identification, and files of which bytes are wrong.
#include "cuttle/view/sweep_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <regex>

#include "cuttle/error.h"
#include "cuttle/io/sweep_file.h"
#include "io/command_line.h"
#include "io/sweeps/sweep_identified.h"
#include "view/svg_support.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using testing::HasSubstr;

// A cart of mass m that a force F pushes from rest for 2 s: x = F t^2 / (2 m), which rk4 has exactly.
const char* const k_cart = R"(cuttle: 1
name: cart
gravity: [0, 0, 0]
links:
- {name: cart, joint: {type: prismatic, axis: [1, 0, 0]}, body: {type: rigid, mass: 2, com: [0, 0, 0], inertia: [0.1, 0.1, 0.1, 0, 0, 0]}}
actuators: [{name: motor, type: joint, link: cart}]
)";
const char* const k_pushed = R"(cuttle: 1
robot: cart.yaml
simulation: {duration: 2, output_step: 0.01, integrator: {type: rk4, step: 0.01}, inputs: {motor: 3}}
)";

class SweepView : public CommandLine {
 protected:
  SweepView() {
    directory_.write("cart.yaml", k_cart);
    scenario_ = directory_.write("pushed.yaml", k_pushed);
  }
  void make(const std::string& arguments) {
    const Result result = run("sweep " + scenario_ + " " + arguments + " -o " + file_);
    ASSERT_EQ(result.code, 0) << result.errors;
  }
  static std::string text_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string scenario_, file_ = directory_.path("sweep.h5"), figure_ = directory_.path("figure.svg");
};

TEST_F(SweepView, FigureHasAPointARunAndCrossesOfThoseThatFailed) {
  make("--set links.cart.body.mass=-1,1,2 --set simulation.inputs.motor=1:3:3 --keep end=cart.tip.x");
  const Result result = run("plot " + file_ + " -o " + figure_ + " --bands cart.tip.x");
  ASSERT_EQ(result.code, 0) << result.errors;
  const std::string svg = text_of(figure_);
  EXPECT_EQ(xml_problem(svg), "");
  for (const char* text : {">3 of 9 failed<", ">links.cart.body.mass [kg]<", ">end [m]<",
                           ">simulation.inputs.motor [N]<", ">median, 50 % and 90 % of 6 runs<", ">time [s]<"}) {
    EXPECT_THAT(svg, HasSubstr(text));
  }
  const std::regex circle("<circle cx=\"([0-9.]+)\" cy=\"([0-9.]+)\"");
  std::vector<double> x, y;
  for (std::sregex_iterator at(svg.begin(), svg.end(), circle), end; at != end; ++at) {
    x.push_back(std::stod((*at)[1])), y.push_back(std::stod((*at)[2]));
  }
  ASSERT_EQ(x.size(), 6U);    // by row: m = 1 and F = 1, 2, 3; m = 2 and F = 1, 2, 3
  const double pixel = 0.02;  // numbers in the file have two decimals
  EXPECT_NEAR(x[0], x[2], pixel);
  EXPECT_GT(x[3], x[0] + 20.0);
  const double meter = y[0] - y[1];  // of F / m, whose double is the position
  EXPECT_GT(meter, 10.0);
  for (std::size_t i = 0; i < 6; ++i) {
    const double F = 1.0 + static_cast<double>(i % 3), m = i < 3 ? 1.0 : 2.0;
    EXPECT_NEAR(y[0] - y[i], meter * (F / m - 1.0), 3 * pixel) << i;
  }
}

TEST_F(SweepView, BandsAreQuantilesOfTheClosedForm) {
  make("--set simulation.inputs.motor=1:5:5");
  const SweepTable table = read_sweep_file(file_);
  const Sweep sweep(sweep_settings(table.head.arguments));
  EXPECT_EQ(sweep.head().hash, table.head.hash);
  EXPECT_EQ(sweep.head().plan, table.head.plan);
  const SweepBands bands = sweep_bands(sweep, table, {"cart.tip.x"}, 100);
  EXPECT_EQ(bands.runs, 5U);
  ASSERT_EQ(bands.times.size(), 201U);
  ASSERT_EQ(bands.bands.size(), 1U);
  EXPECT_EQ(bands.bands[0].column.name, "cart.tip.x");
  // of forces 1 .. 5 the quantile p is 1 + 4 p
  for (std::size_t k = 0; k < k_band_quantiles.size(); ++k) {
    for (std::size_t i = 0; i < bands.times.size(); ++i) {
      const double t = bands.times[i], expected = (1.0 + 4.0 * k_band_quantiles[k]) * t * t / 4.0;
      EXPECT_NEAR(bands.bands[0].quantiles[k][i], expected, 1e-13 * (1.0 + expected)) << k << ", " << t;
    }
  }
}

TEST_F(SweepView, ShorterRunsCountAsLongAsTheyLast) {
  make("--set simulation.duration=1,2 --set simulation.output_step=0.25");
  const SweepTable table = read_sweep_file(file_);
  const SweepBands bands = sweep_bands(Sweep(sweep_settings(table.head.arguments)), table, {"cart.tip.x"}, 100);
  ASSERT_EQ(bands.times.size(), 9U);
  for (std::size_t i = 0; i < 9; ++i) {
    EXPECT_NEAR(bands.bands[0].quantiles[2][i], 0.75 * bands.times[i] * bands.times[i], 1e-12) << i;
  }
}

TEST_F(SweepView, MakesARunAgain) {
  make("--set links.cart.body.mass=-1,1,2");
  const std::string page = directory_.path("run.html");
  const Result result = run("view " + file_ + " --run 2 --no-open -o " + page);
  ASSERT_EQ(result.code, 0) << result.errors;
  EXPECT_THAT(text_of(page), HasSubstr("sweep, run 2"));
  EXPECT_THAT(run("view " + file_ + " --run 0 --no-open").errors, HasSubstr("mass: found -1"));
  EXPECT_THAT(run("view " + file_ + " --run 3 --no-open").errors, HasSubstr("found run 3, expected 0 to 2"));
}

TEST_F(SweepView, ShowsAnEquilibriumAgain) {
  const std::string arm = model("examples/tendon_arm.yaml"), page = directory_.path("run.html");
  ASSERT_EQ(run("sweep " + arm + " --statics --set right=0,2 -o " + file_).code, 0);
  const Result result = run("view " + file_ + " --run 1 --no-open -o " + page);
  ASSERT_EQ(result.code, 0) << result.errors;
  EXPECT_THAT(text_of(page), HasSubstr("sweep, run 1"));
}

TEST_F(SweepView, EquilibriaHaveATimeLimitAndUnits) {
  const std::string arm = model("examples/tendon_arm.yaml");
  const std::string same = "sweep " + arm + " --statics --set right=0,2 --set materials.silicone.young_modulus=2e5,3e5";
  EXPECT_EQ(run(same + " --time-limit 1e-9 -o " + file_).code, 1);  // none is found
  const SweepTable late = read_sweep_file(file_);
  ASSERT_EQ(late.rows.size(), 4U);
  for (const SweepRow& row : late.rows) EXPECT_THAT(row.reason, testing::StartsWith("time limit of 1e-09 s"));
  EXPECT_EQ(late.head.parameters[0].unit, "N");
  EXPECT_EQ(late.head.parameters[1].unit, "Pa");
  ASSERT_EQ(run(same + " --time-limit 1e9 -o " + file_).code, 0);
  for (const SweepRow& row : read_sweep_file(file_).rows) EXPECT_EQ(row.status, SweepStatus::complete);
}

TEST_F(SweepView, RefusesOtherFilesThanThoseOfTheSweep) {
  make("--set links.cart.body.mass=1,2");
  std::string other = k_cart;
  other.replace(other.find("mass: 2"), 7, "mass: 3");
  directory_.write("cart.yaml", other);
  const Result result = run("view " + file_ + " --run 1 --no-open");
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.errors, HasSubstr("found robot and scenario of the hash "));
  EXPECT_EQ(run("plot " + file_ + " -o " + figure_).code, 0);  // the rows are what they are
  std::filesystem::remove(scenario_);
  EXPECT_THAT(run("view " + file_ + " --run 1 --no-open").errors, HasSubstr("--source says where it is"));
}

TEST_F(SweepView, SaysWhatIsWrong) {
  make("--set links.cart.body.mass=1,2");
  EXPECT_THAT(run("plot " + file_ + " --x links.cart.body.mas").errors, HasSubstr("did you mean"));
  EXPECT_THAT(run("plot " + file_ + " --what q").errors, HasSubstr("a sweep has --x"));
  EXPECT_THAT(run("plot " + file_ + " --bands nothing").errors, HasSubstr("--bands nothing: found 'nothing'"));
  EXPECT_THAT(run("plot " + scenario_ + " --x row").errors, HasSubstr("found no sweep"));
  EXPECT_THROW(sweep_settings({"a.yaml", "--frobnicate", "1"}), ArgumentError);
  EXPECT_THROW(sweep_settings({"a.yaml", "--runs", "many"}), ArgumentError);
}

TEST_F(SweepView, ReadsOrRefusesFilesOfWhichBytesAreWrong) {
  make("--set links.cart.body.mass=-1,1,2 --set simulation.inputs.motor=1:3:3");
  const std::string good = text_of(file_);
  ASSERT_EQ(read_sweep_file(file_).rows.size(), 9U);
  const std::string path = directory_.path("damaged.h5");
  int refused = 0, read = 0;
  const auto attempt = [&](const std::string& bytes) {
    directory_.write("damaged.h5", bytes);
    try {
      read_sweep_file(path);
      ++read;
    } catch (const FileError& error) {
      EXPECT_THAT(error.what(), testing::StartsWith(path));
      ++refused;
    }
  };
  for (std::size_t part = 1; part < 8; ++part) attempt(good.substr(0, part * good.size() / 8));
  EXPECT_EQ(read, 0);
  for (std::size_t i = 0; i < 60; ++i) {
    std::string bytes = good;
    const std::size_t at = (i * 7919 + 48) % bytes.size();
    for (std::size_t k = 0; k < 8 && at + k < bytes.size(); ++k) bytes[at + k] = static_cast<char>(0xff - k * i);
    attempt(bytes);
  }
  EXPECT_GT(refused, 7);
}

TEST_F(SweepView, RefusesLinksToOtherFilesAndClaimsOfRowsThatItCannotHave) {
  make("--set links.cart.body.mass=1,2");
  const auto changed = [&](const auto& change) -> std::string {
    const std::string path = directory_.path("hostile.h5");
    std::filesystem::copy_file(file_, path, std::filesystem::copy_options::overwrite_existing);
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    change(file);
    H5Fclose(file);
    try {
      read_sweep_file(path);
    } catch (const FileError& error) {
      return error.what();
    }
    return "read";
  };
  EXPECT_EQ(changed([](hid_t) {}), "read");
  EXPECT_THAT(changed([](hid_t file) {
                H5Ldelete(file, "seconds", H5P_DEFAULT);
                H5Lcreate_external("/dev/stdin", "seconds", file, "seconds", H5P_DEFAULT, H5P_DEFAULT);
              }),
              HasSubstr("found a link to another place as seconds"));
  EXPECT_THAT(changed([](hid_t file) {
                H5Ldelete(file, "row", H5P_DEFAULT);
                const hsize_t many = 1ULL << 50;
                const hid_t space = H5Screate_simple(1, &many, nullptr), plan = H5Pcreate(H5P_DATASET_CREATE);
                const hsize_t chunk = 1024;
                H5Pset_chunk(plan, 1, &chunk);
                H5Dclose(H5Dcreate2(file, "row", H5T_NATIVE_INT64, space, H5P_DEFAULT, plan, H5P_DEFAULT));
                H5Pclose(plan), H5Sclose(space);
              }),
              HasSubstr("in a file that is too small for them"));
  EXPECT_THAT(changed([](hid_t file) {
                const hid_t set = H5Dopen2(file, "status", H5P_DEFAULT);
                const std::int8_t wrong[] = {0, 77};
                H5Dwrite(set, H5T_NATIVE_INT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, wrong);
                H5Dclose(set);
              }),
              HasSubstr("found the status 77"));
  EXPECT_FALSE(is_sweep_file(scenario_));
  EXPECT_FALSE(is_sweep_file(directory_.path("nothing.h5")));
  EXPECT_TRUE(is_sweep_file(file_));
}

// Of 4096 points of Sobol' in three numbers sums are those of the distribution to about 1e-3.
TEST_F(SweepView, DrawsIdentifiedNumbersWithTheirCovariance) {
  const std::string report = directory_.write("found.json", R"({"parameters": [
    {"path": "links.cart.body.mass", "value": 2.0}, {"path": "simulation.inputs.motor", "value": 3.0},
    {"path": "simulation.integrator.step", "value": 0.01}],
    "covariance": [[0.04, -0.054, 0], [-0.054, 0.09, 0], [0, 0, 0]]})");
  const Sweep sweep({.file = scenario_, .sample = "sobol", .runs = 4096, .identified = report});
  ASSERT_EQ(sweep.head().parameters.size(), 3U);
  EXPECT_EQ(sweep.head().count, 4096);
  double mean[2] = {0, 0}, square[2][2] = {};
  for (std::int64_t i = 0; i < 4096; ++i) {
    const std::vector<double> x = sweep.values(i);
    EXPECT_EQ(x[2], 0.01);
    const double d[2] = {x[0] - 2.0, x[1] - 3.0};
    for (int a = 0; a < 2; ++a) {
      mean[a] += d[a] / 4096;
      for (int b = 0; b < 2; ++b) square[a][b] += d[a] * d[b] / 4096;
    }
  }
  EXPECT_NEAR(mean[0], 0.0, 2e-3 * 0.2);
  EXPECT_NEAR(mean[1], 0.0, 2e-3 * 0.3);
  EXPECT_NEAR(square[0][0], 0.04, 0.04 * 1e-2);
  EXPECT_NEAR(square[1][1], 0.09, 0.09 * 1e-2);
  EXPECT_NEAR(square[0][1], -0.054, 0.06 * 1e-2);
}

TEST_F(SweepView, RefusesReportsWithoutACovariance) {
  const auto said = [](const std::string& text) -> std::string {
    try {
      read_identified(text, "found.json");
    } catch (const FileError& error) {
      return error.what();
    }
    return "read";
  };
  EXPECT_THAT(said("no JSON"), HasSubstr("found no list 'parameters'"));
  EXPECT_THAT(said(R"({"parameters": [{"path": "a", "value": 1}]})"), HasSubstr("no 'covariance' of 1 rows"));
  EXPECT_THAT(said(R"({"parameters": [{"path": "a", "value": 1}], "covariance": [[null]]})"),
              HasSubstr("no covariance of 'a'"));
  EXPECT_THAT(said(R"({"parameters": [{"path": "a", "value": 1}], "covariance": [[-1]]})"),
              HasSubstr("negative variance"));
  Eigen::Matrix3d A;
  A << 1.0, 2.0, -0.5, 0.3, -1.0, 2.0, 1.3, 1.0, 1.5;  // its last row is the sum of the others: of rank 2
  const Eigen::MatrixXd C = A * A.transpose(), L = semidefinite_factor(C);
  EXPECT_LT((L * L.transpose() - C).norm(), 1e-7 * C.norm());  // the root of the rounding of a variance that vanishes
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
