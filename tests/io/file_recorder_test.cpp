// Files that runs write: when they take the place of earlier ones, what room they have, and what they say of the run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cuttle/io/replaced_files.h"
#include "cuttle/io/result_file.h"
#include "io/hdf5_support.h"
#include "io/io_support.h"
#include "simulation/simulation_robots.h"

namespace cuttle::CUTTLE_FILE {
namespace {

class FileRecorderTest : public testing::Test {
 protected:
  FileRecorderTest() {
    sample.q = sample.v = VectorXd::Zero(1);
    sample.tips.resize(model.links().size());
  }
  const Model model{test::pendulum()};
  Sample sample;
  TemporaryDirectory directory_;
  std::string path_ = directory_.path("new/folder/result.h5");
};

// Another recorder may fail to begin, or the run itself: what has no rows on the disk replaces nothing.
TEST_F(FileRecorderTest, EarlierFilesStayUntilRowsAreOnTheDisk) {
  const ReplaceAnyFile any;
  for (const bool hdf5 : {true, false}) {
    const std::string path = directory_.write(hdf5 ? "old.h5" : "old.csv", "earlier");
    const auto text = [&path] {
      std::ifstream file(path, std::ios::binary);
      return std::string(std::istreambuf_iterator<char>(file), {});
    };
    const auto begun = [&] {
      auto recorder = hdf5 ? make_hdf5_recorder(path, {}) : make_csv_recorder(path);
      recorder->begin(model, Scenario());
      return recorder;
    };
    const auto expect_earlier = [&](const FileRecorder* recorder) {
      EXPECT_EQ(text(), "earlier");
      EXPECT_FALSE(recorder != nullptr && recorder->kept());
    };
    auto recorder = begun();
    expect_earlier(recorder.get());
    recorder->finish({});
    expect_earlier(recorder.get());
    recorder.reset();
    recorder = begun();
    recorder.reset();
    expect_earlier(nullptr);
    EXPECT_FALSE(std::filesystem::exists(path + ".new"));

    recorder = begun();
    recorder->record(sample);  // the initial state
    recorder->tick({});
    expect_earlier(recorder.get());
    Outcome failed;
    failed.status = RunStatus::failed;
    recorder->finish(failed);
    expect_earlier(recorder.get());
    recorder.reset();
    EXPECT_FALSE(std::filesystem::exists(path + ".new"));

    recorder = begun();
    recorder->record(sample);
    sample.time = 1.0;
    recorder->record(sample);
    expect_earlier(recorder.get());
    recorder->tick({});
    EXPECT_TRUE(recorder->kept());
    EXPECT_NE(text(), "earlier");
    EXPECT_FALSE(std::filesystem::exists(path + ".new"));
    recorder->finish(failed);
    recorder.reset();
    if (hdf5) {
      EXPECT_EQ(Reader(path).numbers("time").size(), 2u);
      EXPECT_EQ(Reader(path).text("status"), "failed");
    } else {
      EXPECT_EQ(text().find("time,"), 0u);
    }
  }
}

TEST_F(FileRecorderTest, TwoRecordersDoNotShareAFile) {
  const std::string path = directory_.path("x.h5");
  const auto first = make_hdf5_recorder(path, {}), second = make_hdf5_recorder(path, {});
  first->begin(model, Scenario());
  EXPECT_EQ(message<FileError>([&] { second->begin(model, Scenario()); }),
            path + ": cannot create the file: another run is writing it now, and has " + path + ".new");
  EXPECT_TRUE(std::filesystem::exists(path + ".new"));
}

// What Outcome says is in the file as it is, and too much of it in another one.
TEST_F(FileRecorderTest, HoldsWarningsAndWhatComputedIt) {
  for (const std::size_t size : {30U, 30000U}) {
    Outcome outcome;
    outcome.status = RunStatus::complete;
    outcome.warnings = {std::string(size, 'w'), "short"};
    Scenario s;
    s.integrator.type = "hht";
    const auto recorder = make_hdf5_recorder(path_, {});
    recorder->begin(model, s);
    recorder->record(sample);
    recorder->finish(outcome);
    const Reader reader(path_);
    EXPECT_EQ(reader.texts("/", "warnings"), outcome.warnings);
    EXPECT_EQ(reader.text("integrator"),
              "{type: hht, relative_tolerance: 1e-06, absolute_tolerance: 1e-08, alpha: -0.05}");
    EXPECT_THAT(reader.text("instruction_set"), testing::AnyOf("baseline", "avx2", "avx512"));
    EXPECT_THAT(reader.text("compiler"), testing::MatchesRegex("(GCC|Clang) [0-9]+\\..*"));
    EXPECT_THAT(reader.texts("/", "libraries"), testing::Each(testing::MatchesRegex("[A-Za-z0-9]+ [0-9]+\\.[0-9.]+")));
  }
}

TEST_F(FileRecorderTest, RunningOneHasTheStatisticsOfTheLastTick) {
  const auto recorder = make_hdf5_recorder(path_, {});
  recorder->begin(model, Scenario());
  for (int i = 0; i < 300; ++i) {
    sample.time = i;
    recorder->record(sample);
    IntegratorStatistics statistics;
    statistics.steps = i;
    recorder->tick(statistics);
  }
  EXPECT_GE(Reader(path_).number("statistics", "steps"), 255);
}

// A run with more rows than its scenario says moves to a larger file, one with far fewer to a smaller one.
TEST_F(FileRecorderTest, HasRoomForAnyNumberOfRows) {
  for (const auto& [duration, rows] : {std::pair(0.05, 5000), {1e5, 700}, {7.0, 701}}) {
    Scenario s;
    s.duration = duration;
    const auto recorder = make_hdf5_recorder(path_, {});
    recorder->begin(model, s);
    for (int i = 0; i < rows; ++i) {
      sample.time = i, sample.q[0] = 0.5 * i;
      recorder->record(sample);
    }
    recorder->finish({});
    const Reader reader(path_);
    const std::vector<double> time = reader.numbers("time"), q = reader.numbers("q");
    ASSERT_EQ(time.size(), static_cast<std::size_t>(rows));
    for (int i = 0; i < rows; ++i) {
      EXPECT_EQ(time[static_cast<std::size_t>(i)], i);
      EXPECT_EQ(q[static_cast<std::size_t>(i)], 0.5 * i);
    }
    EXPECT_LT(std::filesystem::file_size(path_), 200000u + 400u * static_cast<unsigned>(rows));
    EXPECT_FALSE(std::filesystem::exists(path_ + ".new"));
  }
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
