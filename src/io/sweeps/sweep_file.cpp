#include "cuttle/io/sweep_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <unordered_set>
#include <utility>

#include "cuttle/error.h"
#include "io/regular_file.h"
#include "io/results/hdf5_content.h"
#include "io/results/output_file.h"
#include "io/sweeps/sweep_formats.h"

namespace cuttle {
namespace {

bool is_csv(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension == ".csv") return true;
  if (extension == ".h5" || extension == ".hdf5") return false;
  throw ArgumentError(fmt::format("{}: found a name that ends in '{}', expected .h5, .hdf5 or .csv", path, extension));
}

bool same(const std::vector<SweepColumn>& a, const std::vector<SweepColumn>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const SweepColumn& x, const SweepColumn& y) { return x.name == y.name && x.unit == y.unit; });
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y) || (x != x && y != y);
  });
}

std::string names_of(const std::vector<SweepColumn>& columns) {
  std::string text;
  for (const SweepColumn& column : columns) text += (text.empty() ? "" : ", ") + column.name;
  return text.empty() ? "none" : text;
}

/// @throws ArgumentError that says what is not the same.
void check_same_sweep(const SweepHead& first, const std::string& first_name, const SweepHead& other,
                      const std::string& name) {
  const auto refuse = [&](const char* what, const std::string& found, const std::string& expected) {
    throw ArgumentError(fmt::format("{}: {}: found {}, expected {} as in {}", name, what, found, expected, first_name));
  };
  if (first.hash != other.hash) refuse("robot and scenario", "those of hash " + other.hash, first.hash);
  if (first.plan != other.plan) refuse("plan", "'" + other.plan + "'", "'" + first.plan + "'");
  if (first.count != other.count) refuse("runs", std::to_string(other.count), std::to_string(first.count));
  if (!same(first.parameters, other.parameters)) {
    refuse("what varies", names_of(other.parameters), names_of(first.parameters));
  }
  if (!same(first.outputs, other.outputs)) refuse("what is kept", names_of(other.outputs), names_of(first.outputs));
}

/// @throws ArgumentError if a row is of another version or instruction set than the first one.
void check_same_kernels(const SweepRow& first, const SweepRow& row, const std::string& name) {
  const auto refuse = [&](const char* what, const std::string& found, const std::string& expected, const char* way) {
    throw ArgumentError(
        fmt::format("{}: row {}: found the {} {}, expected {} as in row {}: their numbers differ in the "
                    "last digits; {}",
                    name, row.number, what, found, expected, first.number, way));
  };
  if (row.instruction_set != first.instruction_set) {
    refuse("instruction set", row.instruction_set, first.instruction_set, "--isa makes machines equal");
  }
  if (row.version != first.version) refuse("version", row.version, first.version, "run all with one version");
}

}  // namespace

bool is_sweep_file(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension == ".csv") {
    if (!file_trouble(path).empty()) return false;
    std::ifstream file(path, std::ios::binary);
    std::string line;
    return std::getline(file, line) && line.starts_with("# written by Cuttle") && line.find(": a sweep") != line.npos;
  }
  if (extension != ".h5" && extension != ".hdf5") return false;
  try {
    const Hdf5Content content = read_hdf5_content(path, false);
    const auto root = content.objects.find("/");
    if (root == content.objects.end()) return false;
    const Hdf5Attribute* const what = root->second.attribute("content");
    return what != nullptr && what->texts == std::vector<std::string>{"sweep"};
  } catch (const FileError&) {
    return false;  // who reads it says why
  }
}

SweepTable read_sweep_file(const std::string& path) {
  SweepTable table = is_csv(path) ? read_sweep_csv(path) : read_sweep_hdf5(path);
  std::int64_t before = -1;
  for (const SweepRow& row : table.rows) {
    if (row.number <= before || row.number >= table.head.count) {
      throw FileError(fmt::format("{}: found row {} after row {}, expected ascending numbers below {}", path,
                                  row.number, before, table.head.count));
    }
    before = row.number;
  }
  return table;
}

SweepTable merged_sweeps(const std::vector<SweepTable>& parts, const std::vector<std::string>& names) {
  if (parts.empty()) throw ArgumentError("--merge: found no file, expected at least one");
  std::map<std::int64_t, std::pair<const SweepRow*, std::size_t>> rows;
  const SweepRow* first = nullptr;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    check_same_sweep(parts.front().head, names.front(), parts[i].head, names[i]);
    for (const SweepRow& row : parts[i].rows) {
      if (first == nullptr) first = &row;
      check_same_kernels(*first, row, names[i]);
      const auto [known, is_new] = rows.try_emplace(row.number, &row, i);
      if (is_new) continue;
      const SweepRow& other = *known->second.first;
      const bool complete = row.status == SweepStatus::complete, other_complete = other.status == SweepStatus::complete;
      if (complete && !other_complete) {
        known->second = {&row, i};
      } else if (complete && (!same_bits(row.outputs, other.outputs) || !same_bits(row.parameters, other.parameters))) {
        throw ArgumentError(fmt::format("{}: row {}: found other numbers than in {}, expected the same", names[i],
                                        row.number, names[known->second.second]));
      }
    }
  }
  SweepTable merged;
  merged.head = parts.front().head;
  for (const auto& [number, row] : rows) merged.rows.push_back(*row.first);
  return merged;
}

struct SweepWriter::State {
  using Clock = std::chrono::steady_clock;

  std::string path;
  bool csv;
  SweepTable table;
  std::unique_ptr<OutputFile> file;
  std::unordered_set<std::int64_t> numbers;
  std::size_t written = 0;  ///< rows in the file
  Clock::time_point last = Clock::now();
  Clock::duration pause = std::chrono::seconds(1);

  void write() {
    const auto begin = Clock::now();
    std::sort(table.rows.begin(), table.rows.end(),
              [](const SweepRow& a, const SweepRow& b) { return a.number < b.number; });
    const std::string bytes = csv ? sweep_csv(table) : sweep_hdf5(table, path);
    std::unique_ptr<OutputFile> next = file->kept() ? file->successor() : nullptr;
    OutputFile& target = next ? *next : *file;
    put(target.descriptor(), bytes);
    target.keep();
    if (next) file = std::move(next);
    written = table.rows.size(), last = Clock::now();
    constexpr int k_part = 20;  // of the time, at most, goes into writing
    pause = std::max<Clock::duration>(std::chrono::seconds(1), k_part * (last - begin));
  }

  void put(int descriptor, const std::string& bytes) const {
    const auto fail = [this] { throw FileError(path + ": cannot be written: " + std::strerror(errno)); };
    if (ftruncate(descriptor, 0) != 0) fail();
    for (std::size_t done = 0; done < bytes.size();) {
      const ssize_t count = pwrite(descriptor, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) fail();
      done += static_cast<std::size_t>(count);
    }
    if (fdatasync(descriptor) != 0) fail();
  }
};

SweepWriter::SweepWriter(const std::string& path, SweepTable table) : state_(std::make_unique<State>()) {
  state_->path = path, state_->csv = is_csv(path), state_->table = std::move(table);
  for (const SweepRow& row : state_->table.rows) state_->numbers.insert(row.number);
  state_->written = state_->table.rows.size();
  state_->file = std::make_unique<OutputFile>(path);
  state_->file->prepare();
  if (state_->file->descriptor() < 0) {
    throw FileError(path + ": cannot create the file: found a pipe or a device, expected a file or nothing");
  }
}
SweepWriter::~SweepWriter() = default;

void SweepWriter::add(SweepRow row) {
  std::vector<SweepRow>& rows = state_->table.rows;
  if (!rows.empty()) check_same_kernels(rows.front(), row, state_->path);
  if (!state_->numbers.insert(row.number).second) {
    throw ArgumentError(fmt::format("{}: found row {} twice, expected it once", state_->path, row.number));
  }
  rows.push_back(std::move(row));
}

void SweepWriter::tick() {
  if (state_->table.rows.size() > state_->written && State::Clock::now() - state_->last >= state_->pause) {
    state_->write();
  }
}

void SweepWriter::finish() {
  if (state_->table.rows.size() > state_->written || (!state_->table.rows.empty() && !state_->file->kept())) {
    state_->write();
  }
}

const SweepTable& SweepWriter::table() const { return state_->table; }

}  // namespace cuttle
