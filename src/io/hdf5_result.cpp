#include <endian.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <hdf5.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <utility>

#include "cuttle/error.h"
#include "cuttle/io/result_file.h"
#include "cuttle/version.h"
#include "io/hdf5_handle.h"
#include "io/output_file.h"
#include "io/result_block.h"

namespace cuttle {
namespace {

/// The end of the file as the file itself states it. HDF5 writes it last of all, so that a kill in the middle of a
/// flush could leave an index that leads beyond the stated end: nobody could read the file then. Between flushes the
/// file therefore states, and has, more bytes than it uses; they take no space on the disk.
class EndClaim {
 public:
  void extend(int file, off_t bytes) {
    if (bytes == 0) return;
    const std::uint64_t stated = read(file);
    if (stated == claimed_) return;  // HDF5 has not moved the end
    const std::uint64_t claim = stated + static_cast<std::uint64_t>(bytes);
    if (ftruncate(file, static_cast<off_t>(claim)) != 0) return;
    write(file, claim);
    true_end_ = stated, claimed_ = claim;
  }
  /// To be called before HDF5 closes the file.
  void restore(int file) {
    if (claimed_ == 0 || read(file) != claimed_) return;
    write(file, true_end_);
    if (ftruncate(file, static_cast<off_t>(true_end_)) != 0) return;  // more bytes than it uses: no harm
    claimed_ = 0;
  }

 private:
  static constexpr off_t k_place = 40;  // of the end's address in a superblock of version 0
  static std::uint64_t read(int file) {
    std::uint64_t end = 0;
    return pread(file, &end, sizeof end, k_place) == sizeof end ? le64toh(end) : 0;
  }
  static void write(int file, std::uint64_t end) {
    end = htole64(end);
    static_cast<void>(!pwrite(file, &end, sizeof end, k_place));
  }
  std::uint64_t true_end_ = 0, claimed_ = 0;
};

class Hdf5Recorder final : public Recorder {
 public:
  Hdf5Recorder(const std::string& path, ResultSource source) : path_(path), output_(path), source_(std::move(source)) {}
  ~Hdf5Recorder() override { close(); }

  void begin(const Model& model, const Scenario& scenario) override {
    const QuietHdf5 quiet;
    output_.prepare();
    const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS));
    // The oldest format has no checksums: half an update of an object's header, after a kill, is the old or the new
    // header. It holds 64 kB of an attribute, 16 bytes a name; beyond that format 1.8. Later ones mark the file as
    // open, and nobody could read it after a kill.
    const auto bounds = std::max(model.nq(), model.nv()) < 4000 ? H5F_LIBVER_EARLIEST : H5F_LIBVER_V18;
    check(H5Pset_libver_bounds(access, bounds, H5F_LIBVER_V18));
    check(H5Pset_fclose_degree(access, H5F_CLOSE_STRONG));
    file_ = Hdf5Handle(
        check(H5Fcreate(output_.current().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access), "cannot create the file"));
    set_number(file_, "format", H5T_NATIVE_INT64, k_result_format);
    set_text(file_, "cuttle_version", {k_version});
    set_text(file_, "status", {run_status_name(RunStatus::interrupted)});
    set_text(file_, "message", {"the simulation runs, or was killed"});
    set_text(file_, "robot_yaml", {source_.robot_yaml});
    set_text(file_, "scenario_yaml", {source_.scenario_yaml});
    set_text(file_, "overrides", source_.overrides, true);
    statistics_ = create_group("statistics");
    guarded([&] { write_files(); });
    std::vector<ResultBlock> blocks = result_blocks(model);
    double row_bytes = 0.0;
    for (const ResultBlock& block : blocks) row_bytes += 8.0 * static_cast<double>(block.width());
    // few chunks: their index then changes rarely, and a kill is harmless even in the middle of a flush; but none of a
    // size that would fill a small disk or be costly to write again at each flush
    const double rows = std::ceil(scenario.duration / scenario.output_step) + 1;
    chunk_rows_ = std::floor(std::max(k_least_rows, std::min(rows / k_chunks, k_chunk_bytes / row_bytes)));
    if (bounds == H5F_LIBVER_EARLIEST) claim_bytes_ = largest_growth(row_bytes, blocks.size());
    for (ResultBlock& block : blocks) tables_.push_back(create_table(std::move(block)));
    start_ = Clock::now();
    write_statistics({});
    flush();
  }

  void record(const Sample& sample) override {
    output_.keep();
    for (Table& table : tables_) {
      const std::size_t size = table.pending.size();
      table.pending.resize(size + table.block.width());
      table.block.read(sample, table.pending.data() + size);
    }
    if (++pending_rows_ >= k_most_pending) flush_rows();
  }

  void tick(const IntegratorStatistics& statistics) override {
    if (Clock::now() - flushed_ < std::chrono::milliseconds(500)) return;
    guarded([&] { write_statistics(statistics); });
    flush_rows();
  }

  void finish(const Outcome& outcome) override {
    output_.discard();  // if there is no row
    if (file_ < 0) return;
    const QuietHdf5 quiet;
    std::string trouble;
    try {
      flush_rows();
    } catch (const FileError& error) {
      trouble = error.what();
    }
    if (file_ < 0) throw FileError(trouble);  // given up
    guarded([&] {
      write_statistics(outcome.statistics);
      if (H5Lexists(file_, "loops", H5P_DEFAULT) > 0) {
        const Hdf5Handle loops(check(H5Gopen2(file_, "loops", H5P_DEFAULT)));
        set_text(loops, "redundant_rows", outcome.redundant_rows, true);
      }
      const bool good = trouble.empty();
      set_text(file_, "message", {good ? outcome.message : trouble});
      set_text(file_, "status", {run_status_name(good ? outcome.status : RunStatus::failed)});
      flush();
    });
    if (!close()) throw FileError(path_ + ": cannot be written: " + innermost_hdf5_error());
    if (!trouble.empty()) throw FileError(trouble);
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr hsize_t k_most_pending = 256;    // rows in memory
  static constexpr double k_chunk_bytes = 1 << 19;  // of all datasets together
  static constexpr double k_chunks = 32, k_least_rows = 64;
  /// A node of a B-tree has 64 chunks and takes 2.6 kB. Rows are appended, so a flush splits at most one node a level,
  /// and the fifth level begins at a million chunks; the object's header keeps its size.
  static constexpr off_t k_index_bytes = 1 << 14;
  static constexpr off_t k_other_bytes = 1 << 20;
  static constexpr double k_spare_bytes = 1 << 17;  // left on the disk for what HDF5 writes beside the rows

  static constexpr hsize_t k_least_compressed = 512, k_file_chunk = 1 << 20;  // bytes of a file's text

  /// A dataset that grows, and its rows that are not yet in the file.
  struct Table {
    ResultBlock block;
    Hdf5Handle dataset;
    std::vector<double> pending;
  };

  template <typename Result>
  Result check(Result result, const char* what = "cannot be written") const {
    if (result < 0) throw FileError(path_ + ": " + what + ": " + innermost_hdf5_error());
    return result;
  }

  /// More bytes than one flush can add to the file: to each dataset the chunks that the pending rows begin and nodes of
  /// the B-tree that finds them; and what is written beside, as texts of the status.
  off_t largest_growth(double row_bytes, std::size_t datasets) const {
    const double chunks = std::ceil(static_cast<double>(k_most_pending) / chunk_rows_) + 1;
    return static_cast<off_t>(chunks * chunk_rows_ * row_bytes) + static_cast<off_t>(datasets) * k_index_bytes +
           k_other_bytes;
  }

  Table create_table(ResultBlock block) {
    const hsize_t width = block.width();
    const hsize_t dimensions[] = {0, width};
    const hsize_t limits[] = {H5S_UNLIMITED, width > 0 ? width : H5S_UNLIMITED};
    const hsize_t chunk[] = {static_cast<hsize_t>(chunk_rows_), std::max<hsize_t>(width, 1)};
    const int rank = block.scalar ? 1 : 2;
    const Hdf5Handle space(check(H5Screate_simple(rank, dimensions, limits)));
    const Hdf5Handle creation(check(H5Pcreate(H5P_DATASET_CREATE)));
    check(H5Pset_chunk(creation, rank, chunk));
    const Hdf5Handle link(check(H5Pcreate(H5P_LINK_CREATE)));
    check(H5Pset_create_intermediate_group(link, 1));
    Hdf5Handle dataset(
        check(H5Dcreate2(file_, block.path.c_str(), H5T_NATIVE_DOUBLE, space, link, creation, H5P_DEFAULT)));
    std::vector<std::string> names, units;
    for (const auto& column : block.columns) names.push_back(column.name), units.push_back(column.unit);
    if (!block.scalar) set_text(dataset, "names", names, true);
    set_text(dataset, "units", units, !block.scalar);
    return {std::move(block), std::move(dataset), {}};
  }

  /// One string, or with `list` an array of any number.
  void set_text(hid_t object, const char* name, const std::vector<std::string>& texts, bool list = false) {
    const Hdf5Handle type = hdf5_text_type();
    const hsize_t size = texts.size();
    const Hdf5Handle space(check(list ? H5Screate_simple(1, &size, nullptr) : H5Screate(H5S_SCALAR)));
    const Hdf5Handle attribute(open_attribute(object, name, type, space));
    std::vector<const char*> pointers;
    pointers.reserve(texts.size());
    for (const std::string& text : texts) pointers.push_back(text.c_str());
    if (size > 0) check(H5Awrite(attribute, type, pointers.data()));
  }
  template <typename Number>
  void set_number(hid_t object, const char* name, hid_t type, Number value) {
    const Hdf5Handle space(check(H5Screate(H5S_SCALAR)));
    const Hdf5Handle attribute(open_attribute(object, name, type, space));
    check(H5Awrite(attribute, std::is_floating_point_v<Number> ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT, &value));
  }
  hid_t open_attribute(hid_t object, const char* name, hid_t type, hid_t space) {
    return check(H5Aexists(object, name)) > 0 ? check(H5Aopen(object, name, H5P_DEFAULT))
                                              : check(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT));
  }

  Hdf5Handle create_group(const char* name) {
    return Hdf5Handle(check(H5Gcreate2(file_, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
  }

  /// The files that robot and scenario name. Their names are no names of HDF5, where a slash has a meaning.
  void write_files() {
    const Hdf5Handle group = create_group(k_files_group);
    int index = 0;
    for (const auto& [of, files] : {std::pair("robot", &source_.robot_files), {"scenario", &source_.scenario_files}}) {
      for (const auto& [name, text] : *files) {
        const Hdf5Handle dataset = write_bytes(group, std::to_string(index++), text);
        set_text(dataset, k_file_of, {of});
        set_text(dataset, k_file_name, {name});
      }
    }
  }
  Hdf5Handle write_bytes(hid_t group, const std::string& name, const std::string& text) {
    const hsize_t size = text.size();
    const Hdf5Handle space(check(H5Screate_simple(1, &size, nullptr)));
    const Hdf5Handle creation(check(H5Pcreate(H5P_DATASET_CREATE)));
    if (size > k_least_compressed) {
      const hsize_t chunk = std::min<hsize_t>(size, k_file_chunk);
      check(H5Pset_chunk(creation, 1, &chunk));
      check(H5Pset_deflate(creation, 6));
    }
    Hdf5Handle dataset(check(H5Dcreate2(group, name.c_str(), H5T_STD_U8LE, space, H5P_DEFAULT, creation, H5P_DEFAULT)));
    if (size > 0) check(H5Dwrite(dataset, H5T_NATIVE_UCHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()));
    return dataset;
  }

  void write_statistics(const IntegratorStatistics& statistics) {
    const QuietHdf5 quiet;
    const std::pair<const char*, long> counts[] = {
        {"steps", statistics.steps}, {"evaluations", statistics.evaluations}, {"failures", statistics.failures}};
    for (const auto& [name, value] : counts) {
      const Hdf5Handle space(check(H5Screate(H5S_SCALAR)));
      const Hdf5Handle attribute(open_attribute(statistics_, name, H5T_NATIVE_INT64, space));
      check(H5Awrite(attribute, H5T_NATIVE_LONG, &value));
    }
    set_number(statistics_, "wall_seconds", H5T_NATIVE_DOUBLE,
               std::chrono::duration<double>(Clock::now() - start_).count());
  }

  /// Moves the pending rows into the file, those of `time` last.
  void flush_rows() {
    const QuietHdf5 quiet;
    require_space();
    guarded([&] {
      for (std::size_t i = 1; i < tables_.size(); ++i) append(tables_[i]);
      flush();
      append(tables_.front());
      flush();
    });
    rows_ += pending_rows_;
    pending_rows_ = 0;
  }
  /// Refuses before HDF5 meets a full disk, from which it does not recover.
  void require_space() {
    if (pending_rows_ == 0) return;
    const double chunks = std::ceil(static_cast<double>(rows_ + pending_rows_) / chunk_rows_) -
                          std::ceil(static_cast<double>(rows_) / chunk_rows_);
    double needed = k_spare_bytes;
    for (const Table& table : tables_) needed += chunks * chunk_rows_ * 8.0 * static_cast<double>(table.block.width());
    std::error_code error;
    const auto available = static_cast<double>(std::filesystem::space(path_, error).available);
    if (error || available >= needed) return;
    for (Table& table : tables_) table.pending.clear();
    pending_rows_ = 0;
    throw FileError(fmt::format("{}: the disk is full: found {:.0f} kB free, {:.0f} kB needed", path_, available / 1000,
                                needed / 1000));
  }
  /// Runs calls that write; if one fails, gives the file up and leaves it as it is on the disk.
  template <typename Function>
  void guarded(const Function& function) {
    try {
      function();
    } catch (...) {
      give_up();
      throw;
    }
  }
  /// HDF5 cannot close a file that it cannot write: it fails again when the program ends, in the end by a crash. So the
  /// file is closed into memory.
  void give_up() {
    if (const int* file = descriptor()) {
      const int memory = memfd_create("cuttle", MFD_CLOEXEC);
      if (memory >= 0) {
        const off_t size = lseek(*file, 0, SEEK_END);
        if (ftruncate(memory, std::max<off_t>(size, 0)) == 0) dup2(memory, *file);
        ::close(memory);
      }
    }
    claim_ = {};
    close();
  }
  void append(Table& table) {
    if (pending_rows_ == 0) return;
    const int rank = table.block.scalar ? 1 : 2;
    const hsize_t width = table.block.width();
    const hsize_t size[] = {rows_ + pending_rows_, width};
    const hsize_t start[] = {rows_, 0}, count[] = {pending_rows_, width};
    check(H5Dset_extent(table.dataset, size));
    if (width > 0) {
      const Hdf5Handle memory(check(H5Screate_simple(rank, count, nullptr)));
      const Hdf5Handle space(check(H5Dget_space(table.dataset)));
      check(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, count, nullptr));
      check(H5Dwrite(table.dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, table.pending.data()));
    }
    table.pending.clear();
  }
  void flush() {
    check(H5Fflush(file_, H5F_SCOPE_GLOBAL));
    if (const int* file = descriptor()) claim_.extend(*file, claim_bytes_);
    flushed_ = Clock::now();
  }
  /// Of the file beneath HDF5; null if there is none.
  const int* descriptor() const {
    int* file = nullptr;
    const bool found = file_ >= 0 && H5Fget_vfd_handle(file_, H5P_DEFAULT, reinterpret_cast<void**>(&file)) >= 0;
    return found ? file : nullptr;
  }
  bool close() {
    const QuietHdf5 quiet;
    if (const int* file = descriptor()) claim_.restore(*file);
    tables_.clear();
    statistics_ = Hdf5Handle();
    return file_.close();
  }

  std::string path_;
  OutputFile output_;
  ResultSource source_;
  Hdf5Handle file_, statistics_;
  EndClaim claim_;
  off_t claim_bytes_ = 0;  // 0: the format has no claim that can be changed
  std::vector<Table> tables_;
  double chunk_rows_ = 1.0;
  hsize_t rows_ = 0, pending_rows_ = 0;
  Clock::time_point start_, flushed_;
};

}  // namespace

ResultSource result_source(const ScenarioFile& file) {
  return {file.robot_yaml, file.scenario_yaml, file.overrides, file.robot_files, file.files};
}

std::unique_ptr<Recorder> make_hdf5_recorder(const std::string& path, const ResultSource& source) {
  return std::make_unique<Hdf5Recorder>(path, source);
}

}  // namespace cuttle
