#include "io/results/result_layout.h"

#include <endian.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <utility>

#include "cuttle/error.h"
#include "cuttle/version.h"
#include "io/results/hdf5_handle.h"
#include "io/results/lookup3.h"

namespace cuttle {
namespace {

constexpr std::uint64_t k_page = 4096;
constexpr hsize_t k_alignment = 512;           // of whatever lies in the file: more than a header with a checksum takes
constexpr std::size_t k_most_compact = 60000;  // bytes of an attribute in a header without checksum, which holds 64 kB
constexpr std::size_t k_status_size = 16, k_message_size = 4096, k_warning_size = 500, k_most_warnings = 16;
constexpr int k_before_value = 16;  // of an attribute stand its only extent and the most that this can be
constexpr double k_chunks = 32;     // of a dataset, if these are neither too small nor too large
constexpr double k_least_chunk = 1U << 16, k_largest_chunk = 1U << 30;  // bytes; HDF5 takes 4 GB
constexpr hsize_t k_least_compressed = 512, k_file_chunk = 1 << 20;     // bytes of a file's text

std::size_t longest(const std::vector<std::string>& texts) {
  std::size_t size = 1;
  for (const std::string& text : texts) size = std::max(size, text.size());
  return size;
}

/// Does not cut a character of UTF-8 in two.
std::string cut(const std::string& text, std::size_t size) {
  if (text.size() <= size) return text;
  const std::string end = " ..";
  std::size_t length = size - end.size();
  while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xc0) == 0x80) --length;
  return text.substr(0, length) + end;
}

/// The parts of a file that are no holes.
template <typename Visit>
void for_each_extent(int file, const Visit& visit) {
  const off_t end = lseek(file, 0, SEEK_END);
  for (off_t begin = 0; (begin = lseek(file, begin, SEEK_DATA)) >= 0 && begin < end;) {
    const off_t hole = lseek(file, begin, SEEK_HOLE);
    visit(begin, hole);
    begin = hole;
  }
}

std::vector<unsigned char> bytes_of(int file, off_t begin, off_t end) {
  std::vector<unsigned char> bytes(static_cast<std::size_t>(end - begin));
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = pread(file, bytes.data() + done, bytes.size() - done, begin + static_cast<off_t>(done));
    if (count <= 0) break;
    done += static_cast<std::size_t>(count);
  }
  bytes.resize(done);
  return bytes;
}

}  // namespace

/// Makes the file in memory with HDF5, and finds the places in it that will change.
class ResultLayout::Maker {
 public:
  Maker(ResultLayout& layout, const std::vector<ResultBlock>& blocks, const ResultHead& head)
      : layout_(layout), head_(head) {
    const ResultSource& source = head.source;
    const Outcome& outcome = head.outcome;
    // room for what usually comes later, or for what there is if that is more
    const bool usual = outcome.warnings.size() <= k_most_warnings && longest(outcome.warnings) <= k_warning_size;
    const std::size_t warnings = usual ? k_most_warnings : outcome.warnings.size();
    const std::size_t warning_size = usual ? k_warning_size : longest(outcome.warnings);
    const std::size_t message_size = std::max(k_message_size, outcome.message.size());
    const bool long_texts =
        std::max({source.robot_yaml.size(), source.scenario_yaml.size(), message_size, warnings * warning_size,
                  source.overrides.size() * longest(source.overrides)}) > k_most_compact;
    create_file(long_texts);
    set_number("/", "format", H5T_STD_I64LE, std::int64_t{k_result_format});
    set_text("/", "cuttle_version", k_version);
    if (long_texts) {
      set_text("/", "status", run_status_name(outcome.status));
      set_text("/", "message", outcome.message);
      set_list("/", "warnings", outcome.warnings);
    } else {
      reserve_text("status", k_status_size, layout.status_);
      reserve_text("message", message_size, layout.message_);
      reserve_list("/", "warnings", warnings, warning_size, layout.warnings_);
    }
    set_text("/", "instruction_set", head.environment.instruction_set);
    set_text("/", "compiler", head.environment.compiler);
    set_list("/", "libraries", head.environment.libraries);
    set_text("/", "integrator", head.environment.integrator);
    set_text("/", "robot_yaml", source.robot_yaml);
    set_text("/", "scenario_yaml", source.scenario_yaml);
    set_list("/", "overrides", source.overrides);
    create_group("statistics");
    for (const auto& [name, place] :
         {std::pair("steps", &layout.steps_), {"evaluations", &layout.evaluations_}, {"failures", &layout.failures_}}) {
      set_number("statistics", name, H5T_STD_I64LE, marked(*place));
    }
    set_number("statistics", "wall_seconds", H5T_IEEE_F64LE, marked(layout.wall_seconds_));
    write_files();
    for (const ResultBlock& block : blocks) create_table(block);
    if (head.sequence != nullptr) describe_sequence(*head.sequence);
    if (!head.loop_rows.empty()) {
      const std::size_t size = longest(head.loop_rows);
      reserve_list("loops", "redundant_rows", std::min(head.loop_rows.size(), k_most_compact / size), size,
                   layout.redundant_rows_);
    }
    if (!file_.close()) fail();
    find_places();
    for (std::size_t i = 0; i < blocks.size(); ++i) find_extent(layout.tables_[i], blocks[i]);
  }

 private:
  template <typename Result>
  Result check(Result result) const {
    if (result < 0) fail();
    return result;
  }
  [[noreturn]] void fail() const { layout_.fail(innermost_hdf5_error()); }

  void create_file(bool long_texts) {
    const Hdf5Handle access(check(H5Pcreate(H5P_FILE_ACCESS)));
    // what is oldest has no checksums, and nothing that says whether the file is open
    const auto oldest = long_texts ? H5F_LIBVER_V18 : H5F_LIBVER_EARLIEST;
    check(H5Pset_libver_bounds(access, oldest, H5F_LIBVER_V18));
    check(H5Pset_fclose_degree(access, H5F_CLOSE_STRONG));
    check(H5Pset_file_locking(access, false, true));
    check(H5Pset_alignment(access, 1, k_alignment));
    check(H5Pset_fapl_stdio(access));  // the usual driver wants a name that leads to a file
    const std::string name = "/proc/self/fd/" + std::to_string(layout_.image_);
    file_ = Hdf5Handle(check(H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access)));
    check(H5Fset_libver_bounds(file_, H5F_LIBVER_EARLIEST, H5F_LIBVER_V18));
  }

  void describe_sequence(const ResultSequence& sequence) {
    const char* const group = sequence_kind_name(sequence.kind);
    set_text("/", k_content, group);
    if (sequence.kind != ResultSequence::Kind::path) return;
    set_text(group, "along", sequence.along);
    set_text(group, "along_unit", sequence.along_unit);
    set_list(group, "branch_end", sequence.branch_end);
    std::vector<std::string> parents;
    for (const double parent : sequence.branch_parent) parents.push_back(std::to_string(static_cast<int>(parent)));
    set_list(group, "branch_parent", parents);
  }

  void create_group(const char* name) {
    const Hdf5Handle group(check(H5Gcreate2(file_, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
  }

  void create_table(const ResultBlock& block) {
    std::vector<std::string> names, units;
    for (const auto& column : block.columns) names.push_back(column.name), units.push_back(column.unit);
    const bool long_lists = names.size() * std::max(longest(names), longest(units)) > k_most_compact ||
                            block.labels.size() * longest(block.labels) > k_most_compact;
    Table table;
    table.width = block.width();
    const double bytes = 8.0 * static_cast<double>(layout_.capacity_ * table.width);
    const double chunks = std::max({1.0, std::min(k_chunks, bytes / k_least_chunk), bytes / k_largest_chunk});
    const auto pieces = std::min(layout_.capacity_, static_cast<hsize_t>(chunks));
    table.chunk_rows = (layout_.capacity_ + pieces - 1) / pieces;
    const hsize_t dimensions[] = {layout_.capacity_, table.width};
    const hsize_t limits[] = {H5S_UNLIMITED, table.width > 0 ? table.width : H5S_UNLIMITED};
    const hsize_t chunk[] = {table.chunk_rows, std::max<hsize_t>(table.width, 1)};
    const int rank = block.scalar ? 1 : 2;
    const Hdf5Handle space(check(H5Screate_simple(rank, dimensions, limits)));
    const Hdf5Handle creation(check(H5Pcreate(H5P_DATASET_CREATE)));
    check(H5Pset_chunk(creation, rank, chunk));
    check(H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY));
    check(H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER));
    const Hdf5Handle link(check(H5Pcreate(H5P_LINK_CREATE)));
    check(H5Pset_create_intermediate_group(link, 1));
    if (long_lists) check(H5Fset_libver_bounds(file_, H5F_LIBVER_V18, H5F_LIBVER_V18));
    const Hdf5Handle dataset(
        check(H5Dcreate2(file_, block.path.c_str(), H5T_NATIVE_DOUBLE, space, link, creation, H5P_DEFAULT)));
    if (!block.scalar) set_list(block.path, "names", names);
    block.scalar ? set_text(block.path, "units", units.front()) : set_list(block.path, "units", units);
    if (!block.labels.empty()) set_list(block.path, "labels", block.labels);
    if (long_lists) check(H5Fset_libver_bounds(file_, H5F_LIBVER_EARLIEST, H5F_LIBVER_V18));
    for (hsize_t row = 0; row < layout_.capacity_ && table.width > 0; row += table.chunk_rows) {
      const hsize_t first[] = {row, 0};
      unsigned filters = 0;
      haddr_t place = 0;
      hsize_t size = 0;
      check(H5Dget_chunk_info_by_coord(dataset, first, &filters, &place, &size));
      table.chunks.push_back(place);
    }
#if H5_VERSION_GE(1, 12, 0)
    H5O_info1_t info;
#else
    H5O_info_t info;
#endif
    check(H5Oget_info2(dataset, &info, H5O_INFO_BASIC));
    table.header = info.addr;
    layout_.tables_.push_back(std::move(table));
  }

  /// The files that robot and scenario name. Their names are no names of HDF5, where a slash has a meaning.
  void write_files() {
    create_group(k_files_group);
    int index = 0;
    for (const auto& [of, files] :
         {std::pair("robot", &head_.source.robot_files), {"scenario", &head_.source.scenario_files}}) {
      for (const auto& [name, text] : *files) {
        const std::string path = std::string(k_files_group) + "/" + std::to_string(index++);
        write_bytes(path, text);
        set_text(path, k_file_of, of);
        set_text(path, k_file_name, name);
      }
    }
  }
  void write_bytes(const std::string& path, const std::string& text) {
    const hsize_t size = text.size();
    const Hdf5Handle space(check(H5Screate_simple(1, &size, nullptr)));
    const Hdf5Handle creation(check(H5Pcreate(H5P_DATASET_CREATE)));
    if (size > k_least_compressed) {
      const hsize_t chunk = std::min<hsize_t>(size, k_file_chunk);
      check(H5Pset_chunk(creation, 1, &chunk));
      check(H5Pset_deflate(creation, 6));
    }
    const Hdf5Handle dataset(
        check(H5Dcreate2(file_, path.c_str(), H5T_STD_U8LE, space, H5P_DEFAULT, creation, H5P_DEFAULT)));
    if (size > 0) check(H5Dwrite(dataset, H5T_NATIVE_UCHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()));
  }

  void set_text(const std::string& object, const char* name, const std::string& text) {
    set_texts(object, name, {text}, std::max<std::size_t>(text.size(), 1), false);
  }
  void set_list(const std::string& object, const char* name, const std::vector<std::string>& texts) {
    set_texts(object, name, texts, longest(texts), true);
  }
  /// Texts of a fixed size, shorter ones filled with zeros.
  void set_texts(const std::string& object, const char* name, const std::vector<std::string>& texts, std::size_t size,
                 bool list) {
    const Hdf5Handle type = hdf5_text_type(size);
    const hsize_t count = texts.size();
    const Hdf5Handle space(check(list ? H5Screate_simple(1, &count, nullptr) : H5Screate(H5S_SCALAR)));
    std::string bytes(count * size, '\0');
    for (std::size_t i = 0; i < texts.size(); ++i) texts[i].copy(bytes.data() + i * size, size);
    set_attribute(object, name, type, space, type, bytes.empty() ? nullptr : bytes.data());
  }
  template <typename Number>
  void set_number(const std::string& object, const char* name, hid_t type, Number value) {
    const Hdf5Handle space(check(H5Screate(H5S_SCALAR)));
    set_attribute(object, name, type, space, type, &value);
  }
  void set_attribute(const std::string& object, const char* name, hid_t type, hid_t space, hid_t memory,
                     const void* value) {
    const Hdf5Handle attribute(
        check(H5Acreate_by_name(file_, object.c_str(), name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
    if (value != nullptr) check(H5Awrite(attribute, memory, value));
  }

  // What changes later is written as a random number first, by which it is found.

  std::uint64_t marked(std::uint64_t& place) {
    const std::uint64_t mark = std::uint64_t{random_()} << 32 | random_();
    marks_.emplace_back(mark, &place);
    return mark;
  }
  static std::string text_of(std::uint64_t mark) { return {reinterpret_cast<const char*>(&mark), sizeof mark}; }
  void reserve_text(const char* name, std::size_t size, TextPlace& text) {
    text.size = size, text.most = 1;
    set_texts("/", name, {text_of(marked(text.place))}, size, false);
  }
  void reserve_list(const std::string& object, const char* name, std::size_t most, std::size_t size, TextPlace& text) {
    text.size = std::max(size, sizeof(std::uint64_t)), text.most = most;
    std::vector<std::string> texts(most);
    texts.front() = text_of(marked(text.place));
    set_texts(object, name, texts, text.size, true);
    lists_.push_back(&text);
  }
  void find_places() {
    for_each_extent(layout_.image_, [this](off_t begin, off_t end) {
      const std::vector<unsigned char> bytes = bytes_of(layout_.image_, begin, end);
      for (const auto& [mark, place] : marks_) {
        const unsigned char* from = bytes.data();
        const unsigned char* const last = bytes.data() + bytes.size();
        const void* found = nullptr;
        while ((found = memmem(from, static_cast<std::size_t>(last - from), &mark, sizeof mark)) != nullptr) {
          if (*place != 0) layout_.fail("a random number is in the file twice");
          from = static_cast<const unsigned char*>(found) + 1;
          *place = static_cast<std::uint64_t>(begin) + static_cast<std::uint64_t>(from - 1 - bytes.data());
        }
      }
    });
    for (const auto& [mark, place] : marks_) {
      if (*place == 0) layout_.fail("HDF5 has not written an attribute");
    }
    for (const TextPlace* list : lists_) {
      const auto place = static_cast<off_t>(list->place);
      const std::vector<unsigned char> bytes = bytes_of(layout_.image_, place - k_before_value, place);
      const std::uint64_t extents[] = {htole64(list->most), htole64(list->most)};
      if (std::memcmp(bytes.data(), extents, sizeof extents) != 0) {
        layout_.fail("HDF5 has not written the length of a list");
      }
    }
  }

  /// HDF5 has written the whole capacity as the number of rows, beside what follows in a dataspace.
  void find_extent(Table& table, const ResultBlock& block) const {
    std::vector<std::uint64_t> sizes{layout_.capacity_};
    if (!block.scalar) sizes.push_back(table.width);
    sizes.push_back(H5S_UNLIMITED);
    if (!block.scalar) sizes.push_back(table.width > 0 ? table.width : H5S_UNLIMITED);
    for (std::uint64_t& size : sizes) size = htole64(size);
    const auto begin = static_cast<off_t>(table.header);
    const std::vector<unsigned char> bytes = bytes_of(layout_.image_, begin, begin + static_cast<off_t>(k_page));
    const void* found = memmem(bytes.data(), bytes.size(), sizes.data(), sizes.size() * sizeof sizes[0]);
    if (found == nullptr) layout_.fail("HDF5 has not written the size of " + block.path);
    table.extent = table.header + static_cast<std::uint64_t>(static_cast<const unsigned char*>(found) - bytes.data());
    if (std::memcmp(bytes.data(), "OHDR", 4) != 0) return;
    // version 2, HDF5 File Format Specification IV.A.1.b: signature, version, flags, then what the flags say
    std::size_t at = 6;
    const unsigned flags = bytes[5];
    if ((flags & 0x20U) != 0) at += 16;
    if ((flags & 0x10U) != 0) at += 4;
    const std::size_t width = std::size_t{1} << (flags & 3U);
    std::uint64_t size = 0;
    std::memcpy(&size, &bytes[at], width);
    at += width + le64toh(size);
    std::uint32_t checksum = 0;
    const bool in_one_page = at + sizeof checksum <= bytes.size() &&
                             table.header / k_page == (table.header + at + sizeof checksum - 1) / k_page;
    if (in_one_page) std::memcpy(&checksum, &bytes[at], sizeof checksum);
    table.header_bytes.assign(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(in_one_page ? at : 0));
    if (!in_one_page || le32toh(checksum) != lookup3(table.header_bytes)) {
      layout_.fail("HDF5 has written an unknown header of " + block.path);
    }
  }

  ResultLayout& layout_;
  const ResultHead& head_;
  Hdf5Handle file_;
  std::random_device random_;
  std::vector<std::pair<std::uint64_t, std::uint64_t*>> marks_;
  std::vector<const TextPlace*> lists_;
};

double largest_file() {
  struct rlimit limit {};
  const bool known = getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return known ? static_cast<double>(limit.rlim_cur) : std::numeric_limits<double>::infinity();
}

/// HDF5 does not survive that a file cannot become as large as it wants, so this is looked at before.
void ResultLayout::check_size(const std::vector<ResultBlock>& blocks, const ResultHead& head) const {
  constexpr double k_structure = 1U << 17, k_block = 33 * k_alignment, k_rounding = 1.0 + 1.5 / k_chunks;
  double bytes = k_structure + static_cast<double>(head.source.robot_yaml.size() + head.source.scenario_yaml.size());
  for (const FileTexts* const files : {&head.source.robot_files, &head.source.scenario_files}) {
    for (const auto& [name, text] : *files) bytes += static_cast<double>(name.size() + text.size()) + k_block;
  }
  for (const ResultBlock& block : blocks) {
    bytes += k_block + k_rounding * 8.0 * static_cast<double>(block.width() * capacity_);
  }
  if (bytes > largest_file()) fail(std::strerror(EFBIG));
}

ResultLayout::ResultLayout(std::string path, const std::vector<ResultBlock>& blocks, hsize_t rows,
                           const ResultHead& head)
    : path_(std::move(path)), capacity_(rows) {
  const QuietHdf5 quiet;
  check_size(blocks, head);
  image_ = memfd_create("cuttle", MFD_CLOEXEC);
  if (image_ < 0) fail(std::strerror(errno));
  try {
    const Maker made(*this, blocks, head);
    show(image_, 0);
    write_statistics(image_, head.outcome.statistics, head.outcome.wall_seconds);
    write_end(image_, head.outcome);
    // a kill must not leave half of it: another file says it at the end
    if (status_.place / k_page != (status_.place + k_status_size - 1) / k_page) status_.place = 0;
  } catch (...) {
    close(image_);
    throw;
  }
}

ResultLayout::~ResultLayout() {
  if (image_ >= 0) close(image_);
}

bool ResultLayout::can_say(const Outcome& outcome) const {
  return status_.place != 0 && outcome.message.size() <= message_.size && outcome.warnings.size() <= warnings_.most &&
         longest(outcome.warnings) <= warnings_.size;
}

void ResultLayout::create(int file) {
  for_each_extent(image_, [&](off_t begin, off_t end) {
    const std::vector<unsigned char> bytes = bytes_of(image_, begin, end);
    write(file, bytes.data(), bytes.size(), static_cast<std::uint64_t>(begin));
  });
  if (ftruncate(file, lseek(image_, 0, SEEK_END)) != 0) fail(std::strerror(errno));
  close(std::exchange(image_, -1));
}

/// Rows that lie together in the file: those of one chunk.
template <typename Transfer>
void ResultLayout::for_each_piece(std::size_t block, hsize_t first, hsize_t count, const Transfer& transfer) const {
  const Table& table = tables_[block];
  if (table.width == 0) return;
  const hsize_t row_bytes = table.width * sizeof(double);
  for (hsize_t done = 0; done < count;) {
    const hsize_t row = first + done, in_chunk = row % table.chunk_rows;
    const hsize_t rows = std::min(count - done, table.chunk_rows - in_chunk);
    transfer(table.chunks[row / table.chunk_rows] + in_chunk * row_bytes, done * table.width, rows * row_bytes);
    done += rows;
  }
}

void ResultLayout::write_rows(int file, std::size_t block, hsize_t first, hsize_t count, const double* values) const {
  for_each_piece(block, first, count,
                 [&](std::uint64_t place, hsize_t at, hsize_t size) { write(file, values + at, size, place); });
}

void ResultLayout::read_rows(int file, std::size_t block, hsize_t first, hsize_t count, double* values) const {
  for_each_piece(block, first, count, [&](std::uint64_t place, hsize_t at, hsize_t size) {
    const auto begin = static_cast<off_t>(place);
    const std::vector<unsigned char> bytes = bytes_of(file, begin, begin + static_cast<off_t>(size));
    if (bytes.size() != size) fail("its rows cannot be read again");
    std::memcpy(values + at, bytes.data(), bytes.size());
  });
}

void ResultLayout::show(int file, hsize_t rows) {
  for (std::size_t i = tables_.size(); i-- > 0;) {
    Table& table = tables_[i];
    if (table.header_bytes.empty()) {
      write_number(file, rows, table.extent);
      continue;
    }
    const std::uint64_t number = htole64(rows);
    std::memcpy(&table.header_bytes[table.extent - table.header], &number, sizeof number);
    std::vector<unsigned char> bytes = table.header_bytes;
    const std::uint32_t checksum = htole32(lookup3(bytes));
    bytes.resize(bytes.size() + sizeof checksum);
    std::memcpy(&bytes[bytes.size() - sizeof checksum], &checksum, sizeof checksum);
    write(file, bytes.data(), bytes.size(), table.header);
  }
}

void ResultLayout::write_statistics(int file, const IntegratorStatistics& statistics, double wall_seconds) const {
  write_number(file, static_cast<std::uint64_t>(statistics.steps), steps_);
  write_number(file, static_cast<std::uint64_t>(statistics.evaluations), evaluations_);
  write_number(file, static_cast<std::uint64_t>(statistics.failures), failures_);
  write_number(file, std::bit_cast<std::uint64_t>(wall_seconds), wall_seconds_);
}

void ResultLayout::write_end(int file, const Outcome& outcome) const {
  if (redundant_rows_.place != 0) write_texts(file, redundant_rows_, outcome.redundant_rows, true);
  if (status_.place == 0) return;
  write_texts(file, warnings_, outcome.warnings, true);
  write_texts(file, message_, {outcome.message}, false);
  write_texts(file, status_, {run_status_name(outcome.status)}, false);
}

void ResultLayout::write_texts(int file, const TextPlace& text, const std::vector<std::string>& texts,
                               bool list) const {
  const std::size_t count = std::min(texts.size(), text.most);
  std::string bytes(text.most * text.size, '\0');
  for (std::size_t i = 0; i < count; ++i) cut(texts[i], text.size).copy(bytes.data() + i * text.size, text.size);
  write(file, bytes.data(), bytes.size(), text.place);
  if (list) write_number(file, count, text.place - k_before_value);
}

void ResultLayout::write_number(int file, std::uint64_t number, std::uint64_t place) const {
  number = htole64(number);
  write(file, &number, sizeof number, place);
}

void ResultLayout::write(int file, const void* bytes, std::size_t size, std::uint64_t place) const {
  const char* from = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t count = pwrite(file, from, size, static_cast<off_t>(place));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) fail(std::strerror(count < 0 ? errno : ENOSPC));
    from += count, size -= static_cast<std::size_t>(count), place += static_cast<std::uint64_t>(count);
  }
}

void ResultLayout::fail(const std::string& reason) const { throw FileError(path_ + ": cannot be written: " + reason); }

}  // namespace cuttle
