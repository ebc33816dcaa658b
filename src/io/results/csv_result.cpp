#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

#include "cuttle/error.h"
#include "cuttle/io/result_file.h"
#include "io/results/csv_field.h"
#include "io/results/output_file.h"
#include "io/results/result_block.h"

namespace cuttle {
namespace {

class CsvRecorder final : public FileRecorder {
 public:
  explicit CsvRecorder(const std::string& path) : path_(path), output_(path) {}

  void begin(const Model& model, const Scenario& scenario) override {
    output_.prepare();
    in_place_ = output_.descriptor() < 0;
    file_.reset(std::fopen(output_.current().c_str(), "w"));
    if (!file_) throw FileError(path_ + ": cannot create the file: " + std::strerror(errno));
    blocks_ = result_blocks(model, recorded_controllers(model, scenario.controllers),
                            recorded_motion(model, scenario.motion));
    std::string header;
    std::size_t widest = 1;
    for (const ResultBlock& block : blocks_) {
      for (const auto& column : block.columns) {
        if (!header.empty()) header += ",";
        header += csv_field(column.header);
      }
      widest = std::max(widest, block.width());
    }
    row_.resize(widest);
    write(header + "\n");
    flush();
  }

  void record(const Sample& sample) override {
    line_.clear();
    for (const ResultBlock& block : blocks_) {
      block.read(sample, row_.data());
      for (std::size_t i = 0; i < block.width(); ++i) {
        if (!line_.empty()) line_ += ',';
        fmt::format_to(std::back_inserter(line_), "{:.17g}", row_[i]);
      }
    }
    line_ += '\n';
    write(line_);
    if (!kept() && ++rows_ % k_first_rows == 0) flush();
  }

  void tick(const IntegratorStatistics&) override {
    if (!kept() || std::chrono::steady_clock::now() - flushed_ > std::chrono::milliseconds(500)) flush();
  }

  void finish(const Outcome& outcome) override {
    complete_ = outcome.status == RunStatus::complete;
    std::string trouble;
    try {
      if (file_) flush();
    } catch (const FileError& error) {
      trouble = error.what();
    }
    file_.reset();
    output_.close();
    if (!trouble.empty()) throw FileError(trouble);
  }

  bool kept() const override { return output_.kept() || in_place_; }

 private:
  static constexpr std::size_t k_first_rows = 256;  // reach the disk at once, to be kept

  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  void write(const std::string& text) {
    if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size()) fail();
  }
  void flush() {
    if (std::fflush(file_.get()) != 0) fail();
    flushed_ = std::chrono::steady_clock::now();
    if (kept() || rows_ < least_rows(output_, complete_)) return;
    if (fdatasync(output_.descriptor()) != 0) fail();
    output_.keep();
  }
  [[noreturn]] void fail() {
    const std::string reason = std::strerror(errno);
    file_.reset();
    keep_whole_lines();
    throw FileError(path_ + ": cannot be written: " + reason);
  }
  /// Cuts off the start of a line that the disk had no room for.
  void keep_whole_lines() const {
    std::ifstream file(output_.current(), std::ios::binary | std::ios::ate);
    for (std::streamoff size = file.tellg(); size > 0; --size) {
      file.seekg(size - 1);
      if (file.get() != '\n') continue;
      std::error_code ignored;
      std::filesystem::resize_file(output_.current(), static_cast<std::uintmax_t>(size), ignored);
      return;
    }
  }

  std::string path_;
  OutputFile output_;
  std::unique_ptr<std::FILE, Close> file_;
  std::vector<ResultBlock> blocks_;
  std::vector<double> row_;
  std::string line_;
  std::size_t rows_ = 0;
  bool in_place_ = false;  ///< a pipe or a device
  bool complete_ = false;  ///< the run is
  std::chrono::steady_clock::time_point flushed_;
};

}  // namespace

std::unique_ptr<FileRecorder> make_csv_recorder(const std::string& path) { return std::make_unique<CsvRecorder>(path); }

}  // namespace cuttle
