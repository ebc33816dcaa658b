// Results read back: the samples that were recorded, from the result alone, whatever became of everything else.
#include "cuttle/io/result_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cstring>
#include <filesystem>
#include <functional>
#include <random>
#include <regex>

#include "cuttle/algorithms/kinematics.h"
#include "cuttle/error.h"
#include "cuttle/simulation/simulator.h"
#include "cuttle/spatial/eigen.h"
#include "cuttle/version.h"
#include "cuttle/view/shown_run.h"
#include "io/hdf5_support.h"
#include "io/io_support.h"
#include "support/paths.h"

namespace cuttle::CUTTLE_FILE {
namespace {

namespace fs = std::filesystem;

std::string model_file(const std::string& name) { return test::k_source_dir + "/models/" + name; }

/// The same bits: NaN equals itself, and 0 is not -0.
bool same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

void expect_same(const VectorXd& found, const VectorXd& expected, const std::string& what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  for (int i = 0; i < found.size(); ++i) {
    EXPECT_TRUE(same_bits(found[i], expected[i])) << what << "[" << i << "]: " << found[i] << ", not " << expected[i];
  }
}

void expect_same(const Sample& found, const Sample& expected) {
  const auto number = [&](double Sample::*member, const char* what) {
    EXPECT_TRUE(same_bits(found.*member, expected.*member)) << what << " at " << expected.time;
  };
  number(&Sample::time, "time");
  number(&Sample::kinetic, "kinetic"), number(&Sample::gravity, "gravity"), number(&Sample::elastic, "elastic");
  number(&Sample::dissipated, "dissipated"), number(&Sample::input, "input"), number(&Sample::load, "load");
  expect_same(found.q, expected.q, "q"), expect_same(found.v, expected.v, "v");
  expect_same(found.u, expected.u, "u"), expect_same(found.y, expected.y, "y");
  expect_same(found.loop_residual, expected.loop_residual, "loop_residual");
  expect_same(found.multipliers, expected.multipliers, "multipliers");
  ASSERT_EQ(found.tips.size(), expected.tips.size());
  for (std::size_t i = 0; i < found.tips.size(); ++i) {
    const Vector3 &p = found.tips[i].position, &r = expected.tips[i].position;
    EXPECT_TRUE(same_bits(p.x, r.x) && same_bits(p.y, r.y) && same_bits(p.z, r.z)) << "tip " << i;
    // the file has quaternions: to them and back costs a few roundings
    const Eigen::Matrix3d difference = to_eigen(found.tips[i].rotation) - to_eigen(expected.tips[i].rotation);
    EXPECT_LT(difference.norm(), 20 * std::numeric_limits<double>::epsilon()) << "tip " << i;
  }
}

/// A folder with a scenario and all that it names, which a test can take away.
class ResultReader : public testing::Test {
 protected:
  /// Copies the folder of a model of Cuttle's.
  std::string copy_of(const std::string& scenario) {
    fs::copy(fs::path(model_file(scenario)).parent_path(), directory_.path("models"), fs::copy_options::recursive);
    return directory_.path("models/" + fs::path(scenario).filename().string());
  }

  /// Simulates, and keeps what was recorded in `samples_`.
  void simulate(const std::string& scenario, const Overrides& overrides, const std::string& result) {
    const ScenarioFile file = load_scenario_file(scenario, overrides);
    const Model model(file.robot);
    MemoryRecorder memory;
    Simulator(model, file.scenario).run({make_hdf5_recorder(result, result_source(file)).get(), &memory});
    samples_ = memory.samples();
  }

  void expect_samples(const ResultFile& result) {
    ASSERT_EQ(result.samples.size(), samples_.size());
    for (std::size_t i = 0; i < samples_.size(); ++i) expect_same(result.samples[i], samples_[i]);
  }

  /// What the reader says, without the folder.
  std::string said(const std::string& path) {
    std::string text = message<FileError>([&] { read_result_file(path); });
    const std::string prefix = directory_.path("");
    for (std::size_t at; (at = text.find(prefix)) != text.npos;) text.erase(at, prefix.size());
    return text;
  }

  /// Changes a result with HDF5.
  static void edit(const std::string& path, const std::function<void(hid_t)>& change) {
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    ASSERT_GE(file, 0);
    change(file);
    H5Fclose(file);
  }
  static void set_text(hid_t object, const char* name, const std::string& text) {
    replace_texts(object, name, {text}, false);
  }
  /// Makes an attribute that is a text one of any length.
  static void make_text_old(hid_t object, const char* name) {
    const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT), type = H5Aget_type(attribute);
    const hid_t space = H5Aget_space(attribute);
    const bool is_text = H5Tget_class(type) == H5T_STRING, list = H5Sget_simple_extent_ndims(space) == 1;
    H5Sclose(space), H5Tclose(type), H5Aclose(attribute);
    if (is_text) replace_texts(object, name, attribute_texts(object, name), list);
  }

  TemporaryDirectory directory_;
  std::vector<Sample> samples_;
};

struct Shipped {
  const char* scenario;
  Overrides overrides;
};

class EveryKindOfRobot : public ResultReader, public testing::WithParamInterface<Shipped> {};

// rods, volumes with meshes, a network, loops, tables of inputs, floating bases, loads with states of their own
INSTANTIATE_TEST_SUITE_P(Models, EveryKindOfRobot,
                         testing::Values(Shipped{"examples/tendon_arm_scenario.yaml", {"simulation.duration=0.1"}},
                                         Shipped{"examples/fem_finger_scenario.yaml", {"simulation.duration=0.05"}},
                                         Shipped{"examples/neural_arm_scenario.yaml", {"simulation.duration=0.05"}},
                                         Shipped{"examples/floating_rod_scenario.yaml", {"simulation.duration=0.05"}},
                                         Shipped{"boyer2023/parallel_robot_scenario.yaml",
                                                 {"simulation.duration=0.02", "simulation.output_step=0.005"}},
                                         Shipped{"boyer2023/drones_scenario.yaml",
                                                 {"simulation.duration=0.02", "simulation.output_step=0.005"}},
                                         Shipped{"pustina2025/hybrid_arm_scenario.yaml",
                                                 {"simulation.duration=0.05", "robot.gravity[2]=-1.62",
                                                  "robot.name=\"two\r\nlines\""}}),
                         [](const auto& tested) {
                           std::string name = fs::path(tested.param.scenario).stem().string();
                           std::erase(name, '_');
                           return name;
                         });

TEST_P(EveryKindOfRobot, ComesBackFromTheResultAlone) {
  const std::string scenario = copy_of(GetParam().scenario);
  simulate(scenario, GetParam().overrides, directory_.path("first.h5"));
  const ScenarioFile original = load_scenario_file(scenario, GetParam().overrides);
  fs::create_directory(directory_.path("stick"));
  fs::rename(directory_.path("first.h5"), directory_.path("stick/moved.h5"));
  fs::remove_all(directory_.path("models"));

  const ResultFile result = read_result_file(directory_.path("stick/moved.h5"));
  expect_samples(result);
  EXPECT_EQ(result.path, directory_.path("stick/moved.h5"));
  EXPECT_EQ(result.status, RunStatus::complete);
  EXPECT_EQ(result.message, "");
  EXPECT_EQ(result.cuttle_version, k_version);
  EXPECT_EQ(result.source.overrides, GetParam().overrides);
  EXPECT_EQ(result.source.robot_yaml, original.robot_yaml);
  EXPECT_EQ(result.source.scenario_yaml, original.scenario_yaml);
  EXPECT_EQ(result.source.robot_files, original.robot_files);
  EXPECT_EQ(result.source.scenario_files, original.files);
  EXPECT_EQ(result.scenario.duration, original.scenario.duration);
  EXPECT_EQ(result.scenario.inputs.size(), original.scenario.inputs.size());
  EXPECT_EQ(result.robot.name, original.robot.name);
  std::vector<std::string> names;
  for (const ResultStatistic& statistic : result.statistics) names.push_back(statistic.name);
  EXPECT_EQ(names, (std::vector<std::string>{"steps", "evaluations", "failures", "wall_seconds"}));
  EXPECT_GT(result.statistics[0].value, 0.0);
  // the robot is the one that ran: its kinematics give the recorded tips again, to the last bit
  const Model model(result.robot);
  Data data(model);
  const Pose tip = forward_kinematics<double>(model, data, result.samples.back().q).pose(model.links().back().tip);
  EXPECT_TRUE(same_bits(tip.position.x, samples_.back().tips.back().position.x));
}

TEST_F(ResultReader, FilesOfTheSameNameStayApart) {
  fs::create_directory(directory_.path("robots"));
  const std::string robot = R"(cuttle: 1
links:
  - {name: arm, joint: {type: revolute, axis: [0, 1, 0]}, body: {type: rigid, mass: 1, com: [0, 0, 0.1]}}
actuators: [{name: motor, type: joint, link: arm}]
loads: [{type: wrench, link: arm, force: [{type: table, file: t.csv, column: f}, 0, 0]}]
)";
  directory_.write("robots/arm.yaml", robot);
  directory_.write("robots/t.csv", "time,f\n0,1\n1,2\n");
  directory_.write("t.csv", "time,u\n0,3\n1,4\n");
  const std::string scenario =
      directory_.write("s.yaml",
                       "cuttle: 1\nrobot: robots/arm.yaml\nsimulation: {duration: 0.1, inputs: {motor: {type: table, "
                       "file: ./t.csv, column: u}}}\n");
  simulate(scenario, {}, directory_.path("r.h5"));
  for (const char* file : {"robots/arm.yaml", "robots/t.csv", "t.csv", "s.yaml"}) fs::remove(directory_.path(file));
  const ResultFile result = read_result_file(directory_.path("r.h5"));
  expect_samples(result);
  EXPECT_EQ(result.source.robot_files, (FileTexts{{"t.csv", "time,f\n0,1\n1,2\n"}}));
  EXPECT_EQ(result.source.scenario_files, (FileTexts{{"./t.csv", "time,u\n0,3\n1,4\n"}}));
}

class PendulumResult : public ResultReader {
 protected:
  PendulumResult() {
    simulate(model_file("examples/pendulum_scenario.yaml"), {"simulation.duration=0.2", "robot.name=p"}, path_);
  }
  /// Gives the result texts of any length.
  void make_old() {
    edit(path_, [](hid_t file) {
      const auto visit = [](hid_t object, const char* name, const H5O_info_t*, void*) -> herr_t {
        const hid_t place = H5Oopen(object, name, H5P_DEFAULT);
        hsize_t index = 0;
        std::vector<std::string> names;
        const auto add = [](hid_t, const char* attribute, const H5A_info_t*, void* data) -> herr_t {
          static_cast<std::vector<std::string>*>(data)->emplace_back(attribute);
          return 0;
        };
        H5Aiterate2(place, H5_INDEX_NAME, H5_ITER_INC, &index, add, &names);
        for (const std::string& attribute : names) make_text_old(place, attribute.c_str());
        H5Oclose(place);
        return 0;
      };
      H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, visit, nullptr);
    });
  }
  void replace_bytes(const std::string& from, const std::string& to) const {
    std::ifstream file(path_, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(file), {}};
    ASSERT_NE(bytes.find(from), std::string::npos);
    for (std::size_t at = 0; (at = bytes.find(from, at)) != std::string::npos;) bytes.replace(at, from.size(), to);
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  std::string path_ = directory_.path("r.h5");
};

TEST_F(PendulumResult, CanBeReadWhileItIsWritten) {
  const ScenarioFile file = load_scenario_file(model_file("examples/pendulum_scenario.yaml"));
  const Model model(file.robot);
  const std::string path = directory_.path("running.h5");
  const auto recorder = make_hdf5_recorder(path, result_source(file));
  recorder->begin(model, file.scenario);
  std::vector<Sample> fine = samples_;
  for (int i = 0; i < 300; ++i) {  // more than wait in memory
    fine[0].time = i;
    recorder->record(fine[0]);
  }
  const ResultFile part = read_result_file(path);
  EXPECT_GE(part.samples.size(), 256u);
  EXPECT_EQ(part.status, RunStatus::interrupted);
  EXPECT_EQ(part.message, "the simulation runs, or was killed");
  // another program can, too
  const std::string figure = directory_.path("figure.svg");
  EXPECT_EQ(std::system((test::k_tool + " plot " + path + " -o " + figure + " >/dev/null").c_str()), 0);
  EXPECT_TRUE(fs::exists(figure));
  recorder->finish({});
  EXPECT_EQ(read_result_file(path).samples.size(), 300u);
}

TEST_F(PendulumResult, HasAsManyRowsAsItHasTimes) {
  edit(path_, [this](hid_t file) {
    const hid_t time = H5Dopen2(file, "time", H5P_DEFAULT);
    const hsize_t rows = samples_.size() - 3;
    H5Dset_extent(time, &rows);  // a kill between the rows and their times
    H5Dclose(time);
  });
  const ResultFile result = read_result_file(path_);
  samples_.resize(samples_.size() - 3);
  expect_samples(result);
}

TEST_F(PendulumResult, OfAnEarlierCuttleTakesOverridesFromComments) {
  const std::string scenario = copy_of("examples/fem_finger_scenario.yaml");
  simulate(scenario, {"simulation.duration=0.02", "robot.name='a\nb'"}, path_);
  edit(path_, [](hid_t file) {
    H5Adelete(file, "overrides");
    H5Ldelete(file, "files", H5P_DEFAULT);
  });
  EXPECT_EQ(said(path_),
            "r.h5: robot_yaml:13:33: links[0].body.shape.file: found 'finger.msh', which does not exist, expected a "
            "mesh of Gmsh");
  fs::copy(model_file("examples/finger.msh"), directory_.path("finger.msh"));  // beside the result
  const ResultFile result = read_result_file(path_);
  expect_samples(result);
  EXPECT_EQ(result.robot.name, "a b");  // a line break within quotes is a space in YAML
  EXPECT_EQ(result.scenario.duration, 0.02);
}

TEST_F(PendulumResult, ACommentOfTheFilesOwnIsNoOverride) {
  std::ifstream original(model_file("examples/pendulum.yaml"));
  const std::string text{std::istreambuf_iterator<char>(original), {}};
  directory_.write("pendulum.yaml", text + "# --set robot.name=other\n");
  const std::string scenario =
      directory_.write("s.yaml", "cuttle: 1\nrobot: pendulum.yaml\nsimulation: {duration: 0.1}\n");
  simulate(scenario, {}, path_);
  EXPECT_EQ(read_result_file(path_).robot.name, "pendulum");
}

TEST_F(PendulumResult, ComplainsAboutWhatIsNoResult) {
  EXPECT_EQ(said(directory_.path("no.h5")), "no.h5: found no such file, expected a result in HDF5");
  EXPECT_EQ(said(directory_.path("")), ": found a directory, expected a result in HDF5");
  EXPECT_EQ(said(directory_.write("text.h5", "cuttle: 1\n")),
            "text.h5: found a file that is not in HDF5, expected a result in HDF5, as cuttle simulate writes");
  const std::string other = directory_.path("other.h5");
  H5Fclose(H5Fcreate(other.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  EXPECT_EQ(said(other),
            "other.h5: found a file in HDF5 without the attributes format and cuttle_version, expected a result, as "
            "cuttle simulate writes");
  fs::resize_file(path_, fs::file_size(path_) / 2);
  EXPECT_TRUE(said(path_).starts_with("r.h5: found a file that HDF5 cannot open (")) << said(path_);
}

TEST_F(PendulumResult, OfAnEarlierCuttleHasTextsOfAnyLength) {
  make_old();
  const ResultFile result = read_result_file(path_);
  expect_samples(result);
  EXPECT_EQ(result.robot.name, "p");
  EXPECT_EQ(result.source.overrides, (Overrides{"simulation.duration=0.2", "robot.name=p"}));
}

TEST_F(PendulumResult, SaysWhatComputedItAndWhatToKnow) {
  const ResultFile result = read_result_file(path_);
  EXPECT_EQ(result.environment.integrator, "{type: erk, relative_tolerance: 1e-08, absolute_tolerance: 1e-10}");
  EXPECT_FALSE(result.environment.instruction_set.empty());
  EXPECT_FALSE(result.environment.compiler.empty());
  EXPECT_EQ(result.environment.libraries.size(), 4u);
  EXPECT_TRUE(result.warnings.empty());
  edit(path_, [](hid_t file) {
    replace_texts(file, "warnings", {"mind the gap"}, true);
    H5Adelete(file, "compiler");  // as a result of an earlier Cuttle
  });
  const ResultFile other = read_result_file(path_);
  EXPECT_EQ(other.warnings, std::vector<std::string>{"mind the gap"});
  EXPECT_EQ(shown_result(path_).warnings, other.warnings);
  EXPECT_EQ(other.environment.compiler, "");
}

// Nothing is opened that can make a reader wait.
TEST_F(PendulumResult, ThatIsNoFileIsRefusedAtOnce) {
  const std::string pipe = directory_.path("pipe.h5"), device = directory_.path("device.h5");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  fs::create_symlink("/dev/zero", device);
  EXPECT_EQ(said(pipe), "pipe.h5: found a pipe, expected a result in HDF5");
  EXPECT_EQ(said(device), "device.h5: found a device, expected a result in HDF5");
  const std::string tool = test::k_tool, rest = " >/dev/null 2>&1";
  const std::string figure = " -o " + directory_.path("x.svg"), scene = " --gltf " + directory_.path("x.glb");
  for (const std::string& file : {pipe, device}) {
    for (const std::string& command : {"view --no-open " + file, "view --no-open --compare " + path_ + " " + file,
                                       "plot " + file + figure, "export " + file + scene}) {
      EXPECT_EQ(WEXITSTATUS(std::system((tool + " " + command + rest).c_str())), 2) << command;
    }
  }
}

// Rows that are not there take no memory: what the file holds is looked at first.
TEST_F(PendulumResult, ThatClaimsRowsWhichAreNotStoredIsRefused) {
  const std::uint64_t rows = samples_.size(), unlimited = ~std::uint64_t{0}, claim = std::uint64_t{1} << 40;
  const auto bytes_of = [](std::uint64_t number) { return std::string(reinterpret_cast<const char*>(&number), 8); };
  replace_bytes(bytes_of(rows) + bytes_of(unlimited), bytes_of(claim) + bytes_of(unlimited));
  EXPECT_THAT(said(path_), testing::MatchesRegex("r.h5: time: found 1099511627776 rows, of which the file holds "
                                                 "[0-9]+ bytes, expected a whole file"));
}

// HDF5 1.10 believes what the heap of texts of any length says of itself: it crashes or never ends, where newer ones
// complain. Whatever it does, the reader goes on.
TEST_F(PendulumResult, WithADamagedHeapOfTextsIsRefused) {
  make_old();
  const std::string good = directory_.path("good.h5");
  fs::copy(path_, good);
  // sizes in the heap's first object: none, more than there is, negative
  for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{1} << 20, ~std::uint64_t{0} - 40}) {
    fs::copy(good, path_, fs::copy_options::overwrite_existing);
    std::fstream file(path_, std::ios::binary | std::ios::in | std::ios::out);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    for (std::size_t heap = bytes.find("GCOL"); heap != std::string::npos; heap = bytes.find("GCOL", heap + 1)) {
      file.seekp(static_cast<std::streamoff>(heap) + 16 + 8);
      file.write(reinterpret_cast<const char*>(&size), sizeof size);
    }
    file.close();
    EXPECT_TRUE(said(path_).starts_with("r.h5: ")) << size << ": " << said(path_);
  }
}

// Any byte may be wrong: a result or an error that names the file, and this process is as before.
TEST_F(PendulumResult, WithAnyByteChangedIsReadOrRefused) {
  make_old();
  std::ifstream original(path_, std::ios::binary);
  const std::string good{std::istreambuf_iterator<char>(original), {}};
  std::mt19937 random(1);
  int refused = 0;
  for (int i = 0; i < 60; ++i) {
    std::string bytes = good;
    std::size_t place = 0;
    do place = random() % bytes.size();
    while (bytes[place] == 0);
    bytes[place] = static_cast<char>(random());
    std::ofstream(path_, std::ios::binary) << bytes;
    try {
      read_result_file(path_);
    } catch (const FileError& error) {
      ++refused;
      EXPECT_NE(std::string(error.what()).find("r.h5"), std::string::npos) << error.what();
    }
  }
  EXPECT_GT(refused, 2);
}

TEST_F(PendulumResult, ComplainsAboutWhatIsMissingOrWrong) {
  const std::string good = directory_.path("good.h5");
  fs::copy(path_, good);
  const auto broken = [&](const std::function<void(hid_t)>& change) {
    fs::copy(good, path_, fs::copy_options::overwrite_existing);
    edit(path_, change);
    return said(path_);
  };
  const std::string of_this_robot = "found no dataset of this name, expected one, as every result of this robot has";
  EXPECT_EQ(broken([](hid_t file) { H5Ldelete(file, "time", H5P_DEFAULT); }), "r.h5: time: " + of_this_robot);
  EXPECT_EQ(broken([](hid_t file) { H5Ldelete(file, "energy", H5P_DEFAULT); }),
            "r.h5: energy/kinetic: " + of_this_robot);
  EXPECT_EQ(broken([](hid_t file) {
              const hid_t v = H5Dopen2(file, "v", H5P_DEFAULT);
              const hsize_t size[] = {2, 1};
              H5Dset_extent(v, size);
              H5Dclose(v);
            }),
            "r.h5: v: found 2 rows, expected " + std::to_string(samples_.size()) + ", as the dataset time has");
  EXPECT_EQ(broken([](hid_t file) { set_text(file, "status", "great"); }),
            "r.h5: attribute status: found 'great', expected complete, interrupted or failed");
  EXPECT_EQ(broken([](hid_t file) {
              const hid_t format = H5Aopen(file, "format", H5P_DEFAULT);
              const int two = 2;
              H5Awrite(format, H5T_NATIVE_INT, &two);
              H5Aclose(format);
            }),
            "r.h5: attribute format: found 2, expected 1, the format that this Cuttle reads");
  EXPECT_EQ(broken([](hid_t file) { H5Adelete(file, "message"); }),
            "r.h5: attribute message: found none, expected one, as results of Cuttle have");
  EXPECT_EQ(broken([](hid_t file) { set_text(file, "robot_yaml", "cuttle: 1\nlinks: 5\n"); }),
            "r.h5: robot_yaml:2:8: links: found 5, expected a list of mappings");
  EXPECT_EQ(broken([](hid_t file) {
              const hid_t time = H5Dopen2(file, "time", H5P_DEFAULT);
              std::vector<double> times(static_cast<std::size_t>(H5Dget_storage_size(time) / sizeof(double)));
              H5Dread(time, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, times.data());
              times[2] = 0.0;
              H5Dwrite(time, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, times.data());
              H5Dclose(time);
            }),
            "r.h5: time: found 0 after 0.02, expected increasing times (row 2)");
}

// A robot_yaml that does not belong to the rows is seen by the names of the columns.
TEST_F(PendulumResult, ComplainsAboutRowsOfAnotherRobot) {
  const ResultSource source = read_result_file(path_).source;
  edit(path_, [&source](hid_t file) {
    for (const auto& [name, yaml] :
         {std::pair("robot_yaml", source.robot_yaml), {"scenario_yaml", source.scenario_yaml}}) {
      set_text(file, name, std::regex_replace(yaml, std::regex("\\barm\\b"), "leg"));
    }
  });
  EXPECT_EQ(said(path_), "r.h5: q: found column 0 'arm.joint.q0', expected 'leg.joint.q0', as robot_yaml has it");
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
