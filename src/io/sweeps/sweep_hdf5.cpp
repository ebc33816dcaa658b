#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>

#include "cuttle/error.h"
#include "cuttle/version.h"
#include "io/results/byte_stream.h"
#include "io/results/hdf5_content.h"
#include "io/results/hdf5_handle.h"
#include "io/results/hdf5_walk.h"
#include "io/sweeps/sweep_formats.h"

namespace cuttle {
namespace {

constexpr const char* k_sweep_content = "sweep";
constexpr int k_sweep_format = 1;
const char *const k_content_name = "content", *const k_format_name = "format", *const k_names = "names",
                  *const k_units = "units", *const k_arguments = "arguments";

/// Writes into a file in memory.
class SweepImage {
 public:
  explicit SweepImage(std::string path) : path_(std::move(path)) {
    const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS));
    good(H5Pset_fapl_core(access, 1U << 20U, 0));
    file_ = made(H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access));
  }

  void add_attribute(hid_t object, const char* name, hid_t type, const void* value) {
    const Hdf5Handle space = made(H5Screate(H5S_SCALAR));
    const Hdf5Handle attribute = made(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT));
    good(H5Awrite(attribute, type, value));
  }
  void add_text(const char* name, const std::string& text) {
    add_attribute(file_, name, hdf5_text_type(std::max<std::size_t>(1, text.size())), text.c_str());
  }
  void add_integer(const char* name, std::int64_t value) { add_attribute(file_, name, H5T_NATIVE_INT64, &value); }

  /// @param type  in memory and in the file.   @param columns  0: a number a row.
  Hdf5Handle add_rows(const char* name, hid_t type, hsize_t rows, hsize_t columns, const void* values) {
    const hsize_t size[] = {rows, columns}, chunk[] = {std::max<hsize_t>(1, std::min<hsize_t>(rows, 4096)), columns};
    const int rank = columns > 0 ? 2 : 1;
    const Hdf5Handle space = made(H5Screate_simple(rank, size, nullptr));
    const Hdf5Handle layout = made(H5Pcreate(H5P_DATASET_CREATE));
    // the same words in every row take no room
    const bool same_words = H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) <= 0;
    if (same_words && rows > 0 && H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0) {
      good(H5Pset_chunk(layout, rank, chunk)), good(H5Pset_deflate(layout, 1));
    }
    Hdf5Handle set = made(H5Dcreate2(file_, name, type, space, H5P_DEFAULT, layout, H5P_DEFAULT));
    if (rows > 0) good(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    return set;
  }
  void add_list(hid_t object, const char* name, const std::vector<std::string>& texts) {
    const hsize_t count = texts.size();
    const Hdf5Handle type = hdf5_text_type();
    const Hdf5Handle space = made(H5Screate_simple(1, &count, nullptr));
    const Hdf5Handle attribute = made(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT));
    std::vector<const char*> pointers;
    pointers.reserve(texts.size());
    for (const std::string& text : texts) pointers.push_back(text.c_str());
    if (count > 0) good(H5Awrite(attribute, type, pointers.data()));
  }

  hid_t file() const { return file_; }
  std::string bytes() {
    good(H5Fflush(file_, H5F_SCOPE_GLOBAL));
    const ssize_t size = H5Fget_file_image(file_, nullptr, 0);
    if (size <= 0) fail();
    std::string bytes(static_cast<std::size_t>(size), '\0');
    if (H5Fget_file_image(file_, bytes.data(), bytes.size()) != size) fail();
    return bytes;
  }

 private:
  [[noreturn]] void fail() const {
    throw FileError(fmt::format("{}: cannot be written: {}", path_, innermost_hdf5_error()));
  }
  Hdf5Handle made(hid_t id) const {
    if (id < 0) fail();
    return Hdf5Handle(id);
  }
  void good(herr_t error) const {
    if (error < 0) fail();
  }

  QuietHdf5 quiet_;
  std::string path_;
  Hdf5Handle file_;
};

void add_numbers(SweepImage& image, const char* name, const SweepTable& table, const std::vector<SweepColumn>& columns,
                 std::vector<double> SweepRow::*member) {
  if (columns.empty()) return;
  std::vector<double> values;
  values.reserve(table.rows.size() * columns.size());
  for (const SweepRow& row : table.rows) values.insert(values.end(), (row.*member).begin(), (row.*member).end());
  const Hdf5Handle set = image.add_rows(name, H5T_NATIVE_DOUBLE, table.rows.size(), columns.size(), values.data());
  std::vector<std::string> names, units;
  for (const SweepColumn& column : columns) names.push_back(column.name), units.push_back(column.unit);
  image.add_list(set, k_names, names), image.add_list(set, k_units, units);
}

void add_words(SweepImage& image, const char* name, const SweepTable& table, std::string SweepRow::*member) {
  std::size_t size = 1;
  for (const SweepRow& row : table.rows) size = std::max(size, (row.*member).size());
  std::string bytes(table.rows.size() * size, '\0');
  for (std::size_t i = 0; i < table.rows.size(); ++i) (table.rows[i].*member).copy(&bytes[i * size], size);
  image.add_rows(name, hdf5_text_type(size), table.rows.size(), 0, bytes.data());
}

/// Reads what SweepImage wrote.
class SweepSource {
 public:
  /// @param file_size  which no claim of the file may exceed.
  SweepSource(std::string path, std::uint64_t file_size)
      : path_(std::move(path)), most_(k_most_compression * file_size) {
    const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS));
    H5Pset_file_locking(access, false, true);  // whoever writes it goes on undisturbed
    file_ = Hdf5Handle(H5Fopen(path_.c_str(), H5F_ACC_RDONLY, access));
    if (file_ < 0) fail("no file in HDF5", "a sweep");
    if (H5Aexists(file_, k_content_name) <= 0 || text(k_content_name) != k_sweep_content) fail("no sweep", "one");
    if (const std::int64_t format = integer(k_format_name); format != k_sweep_format) {
      fail(fmt::format("a sweep of format {}", format), fmt::format("format {}", k_sweep_format));
    }
  }

  std::string text(const char* name) const {
    const Hdf5Handle attribute = opened(H5Aopen(file_, name, H5P_DEFAULT), name);
    const Hdf5Handle type(H5Aget_type(attribute));
    const std::size_t size = H5Tget_size(type);
    std::string text(size <= most_ ? size : 0, '\0');
    if (size > most_ || H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) > 0 ||
        H5Aread(attribute, type, text.data()) < 0) {
      fail(std::string("no text ") + name, "one");
    }
    return text.substr(0, text.find('\0'));
  }
  std::int64_t integer(const char* name) const {
    const Hdf5Handle attribute = opened(H5Aopen(file_, name, H5P_DEFAULT), name);
    std::int64_t value = 0;
    if (H5Aread(attribute, H5T_NATIVE_INT64, &value) < 0) fail(std::string("no number ") + name, "one");
    return value;
  }
  bool has(const char* name) const { return H5Lexists(file_, name, H5P_DEFAULT) > 0; }

  std::vector<SweepColumn> columns(const char* name) const {
    if (!has(name)) return {};
    const Hdf5Handle set = dataset(name);
    const std::vector<std::string> names = list(set, k_names), units = list(set, k_units);
    if (names.size() != units.size())
      fail(fmt::format("{} units of {} columns", units.size(), names.size()), "as many");
    std::vector<SweepColumn> columns;
    for (std::size_t i = 0; i < names.size(); ++i) columns.push_back({names[i], units[i]});
    return columns;
  }
  /// Texts of the command that made it; none in a file that is older.
  std::vector<std::string> arguments() const {
    return H5Aexists(file_, k_arguments) > 0 ? list(file_, k_arguments) : std::vector<std::string>();
  }
  /// @param columns  numbers a row.
  template <typename Number>
  std::vector<Number> numbers(const char* name, hid_t type, std::size_t rows, std::size_t columns = 1) const {
    const std::size_t count = rows * columns;
    const Hdf5Handle set = sized(name, count);
    std::vector<Number> values(count);
    if (count > 0 && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) {
      fail(std::string("no numbers in ") + name, "them");
    }
    return values;
  }
  std::size_t length(const char* name) const {
    const Hdf5Handle set = dataset(name);
    const Hdf5Handle space(H5Dget_space(set));
    const auto count = static_cast<std::uint64_t>(std::max<hssize_t>(0, H5Sget_simple_extent_npoints(space)));
    if (count > most_) fail(fmt::format("{} values of {} in a file that is too small for them", count, name), "fewer");
    return count;
  }
  std::vector<std::string> words(const char* name, std::size_t count) const {
    const Hdf5Handle set = sized(name, count);
    const Hdf5Handle type(H5Dget_type(set));
    if (H5Tget_class(type) != H5T_STRING) fail(std::string("no texts in ") + name, "them");
    return texts_of(
        type, count, [&](hid_t as, void* into) { return H5Dread(set, as, H5S_ALL, H5S_ALL, H5P_DEFAULT, into); }, name,
        Hdf5Handle(H5Dget_space(set)));
  }
  [[noreturn]] void fail(const std::string& found, const std::string& expected) const {
    throw FileError(fmt::format("{}: found {}, expected {}", path_, found, expected));
  }

 private:
  Hdf5Handle opened(hid_t id, const char* name) const {
    if (id < 0) fail(std::string("no ") + name, "it in a sweep");
    return Hdf5Handle(id);
  }
  /// What lies in this very file: links and layouts that lead to others, or to pipes, are refused.
  Hdf5Handle dataset(const char* name) const {
    H5L_info_t link{};
    if (H5Lget_info(file_, name, &link, H5P_DEFAULT) < 0) fail(std::string("no ") + name, "it in a sweep");
    if (link.type != H5L_TYPE_HARD) fail(std::string("a link to another place as ") + name, "a dataset");
    Hdf5Handle set = opened(H5Dopen2(file_, name, H5P_DEFAULT), name);
    const Hdf5Handle layout(H5Dget_create_plist(set));
    if (H5Pget_layout(layout) == H5D_VIRTUAL || H5Pget_external_count(layout) > 0) {
      fail(fmt::format("numbers of other files in {}", name), "those of this file");
    }
    return set;
  }
  Hdf5Handle sized(const char* name, std::size_t count) const {
    Hdf5Handle set = dataset(name);
    const std::size_t found = length(name);
    if (found != count) fail(fmt::format("{} values of {}", found, name), std::to_string(count));
    return set;
  }
  std::vector<std::string> list(hid_t object, const char* name) const {
    const Hdf5Handle attribute = opened(H5Aopen(object, name, H5P_DEFAULT), name);
    const Hdf5Handle type(H5Aget_type(attribute));
    Hdf5Handle space(H5Aget_space(attribute));
    const auto count = static_cast<std::size_t>(std::max<hssize_t>(0, H5Sget_simple_extent_npoints(space)));
    return texts_of(
        type, count, [&](hid_t as, void* into) { return H5Aread(attribute, as, into); }, name, std::move(space));
  }
  std::vector<std::string> texts_of(hid_t type, std::size_t count, const std::function<herr_t(hid_t, void*)>& read,
                                    const char* name, Hdf5Handle space) const {
    std::vector<std::string> texts;
    if (count == 0) return texts;
    texts.reserve(count);
    const auto check = [&](herr_t error) {
      if (error < 0) fail(std::string("no texts in ") + name, "them");
    };
    if (H5Tis_variable_str(type) > 0) {
      std::vector<char*> pointers(count, nullptr);
      check(read(type, pointers.data()));
      for (const char* text : pointers) texts.emplace_back(text != nullptr ? text : "");
      H5Dvlen_reclaim(type, space, H5P_DEFAULT, pointers.data());
      return texts;
    }
    const std::size_t size = H5Tget_size(type);
    std::string bytes(count * size, '\0');
    check(read(type, bytes.data()));
    for (std::size_t i = 0; i < count; ++i) {
      const char* const begin = &bytes[i * size];
      texts.emplace_back(begin, strnlen(begin, size));
    }
    return texts;
  }

  QuietHdf5 quiet_;
  std::string path_;
  std::uint64_t most_;  // bytes that values of a file of this size can have
  Hdf5Handle file_;
};

void send(const std::vector<SweepColumn>& columns, ByteWriter& stream) {
  stream.number(columns.size());
  for (const SweepColumn& column : columns) stream.text(column.name), stream.text(column.unit);
}

/// In a process of its own: first why the file cannot be read, empty if it can, then all that it has.
void send_sweep(const std::string& path, std::uint64_t file_size, ByteWriter& stream) {
  try {
    const SweepSource source(path, file_size);
    SweepHead head;
    head.plan = source.text("plan"), head.count = source.integer("runs"), head.hash = source.text("hash");
    head.arguments = source.arguments();
    head.parameters = source.columns("parameters"), head.outputs = source.columns("outputs");
    const std::size_t count = source.length("row");
    const auto numbers = source.numbers<std::int64_t>("row", H5T_NATIVE_INT64, count);
    const auto status = source.numbers<std::int8_t>("status", H5T_NATIVE_INT8, count);
    const auto numbers_of = [&](const char* name, std::size_t columns) {
      return columns > 0 ? source.numbers<double>(name, H5T_NATIVE_DOUBLE, count, columns) : std::vector<double>();
    };
    const std::vector<double> seconds = source.numbers<double>("seconds", H5T_NATIVE_DOUBLE, count),
                              parameters = numbers_of("parameters", head.parameters.size()),
                              outputs = numbers_of("outputs", head.outputs.size());
    const auto reasons = source.words("reason", count), versions = source.words("version", count),
               sets = source.words("instruction_set", count), hashes = source.words("hash_of_row", count),
               ways = source.has("run_as") ? source.words("run_as", count) : std::vector<std::string>(count);
    stream.text("");
    stream.text(head.plan), stream.number(static_cast<std::uint64_t>(head.count)), stream.text(head.hash);
    stream.number(head.arguments.size());
    for (const std::string& word : head.arguments) stream.text(word);
    send(head.parameters, stream), send(head.outputs, stream);
    stream.number(count);
    for (const auto* values : {&seconds, &parameters, &outputs}) {
      stream.part(values->data(), values->size()), stream.end_of_parts();
    }
    for (std::size_t i = 0; i < count; ++i) {
      stream.number(static_cast<std::uint64_t>(numbers[i])), stream.number(static_cast<std::uint8_t>(status[i]));
      for (const auto* words : {&reasons, &versions, &sets, &hashes, &ways}) stream.text((*words)[i]);
    }
  } catch (const FileError& error) {
    stream.text(error.what());
  }
  stream.flush();
}

SweepTable receive_sweep(const std::string& path, ByteReader& stream) {
  SweepTable table;
  SweepHead& head = table.head;
  head.plan = stream.text(), head.count = static_cast<std::int64_t>(stream.number()), head.hash = stream.text();
  for (std::uint64_t left = stream.number(); left > 0; --left) head.arguments.push_back(stream.text());
  for (auto* columns : {&head.parameters, &head.outputs}) {
    for (std::uint64_t left = stream.number(); left > 0; --left) {
      SweepColumn& column = columns->emplace_back();
      column.name = stream.text(), column.unit = stream.text();
    }
  }
  const std::uint64_t count = stream.number();
  const std::vector<double> seconds = stream.reals(), parameters = stream.reals(), outputs = stream.reals();
  for (std::uint64_t i = 0; i < count; ++i) {
    SweepRow& row = table.rows.emplace_back();
    row.number = static_cast<std::int64_t>(stream.number());
    const std::uint64_t status = stream.number();
    if (status > static_cast<std::uint64_t>(SweepStatus::killed)) {
      throw FileError(fmt::format("{}: found the status {}, expected 0 to 2", path, static_cast<std::int8_t>(status)));
    }
    row.status = static_cast<SweepStatus>(status), row.seconds = seconds.at(i);
    const auto piece = [i](const std::vector<double>& all, std::size_t columns) {
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>(i * columns);
      return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(columns));
    };
    row.parameters = piece(parameters, head.parameters.size()), row.outputs = piece(outputs, head.outputs.size());
    row.reason = stream.text(), row.version = stream.text();
    row.instruction_set = stream.text(), row.hash = stream.text(), row.run_as = stream.text();
  }
  return table;
}

}  // namespace

std::mutex& sweep_hdf5_mutex() {
  static std::mutex k_mutex;
  return k_mutex;
}

std::string sweep_hdf5(const SweepTable& table, const std::string& path) {
  const std::lock_guard lock(sweep_hdf5_mutex());
  SweepImage image(path);
  image.add_text("cuttle_version", k_version);
  image.add_text(k_content_name, k_sweep_content);
  image.add_integer(k_format_name, k_sweep_format);
  image.add_text("plan", table.head.plan);
  image.add_integer("runs", table.head.count);
  image.add_text("hash", table.head.hash);
  image.add_list(image.file(), k_arguments, table.head.arguments);
  const std::size_t count = table.rows.size();
  std::vector<std::int64_t> numbers;
  std::vector<std::int8_t> status;
  std::vector<double> seconds;
  std::vector<const char*> reasons;
  for (const SweepRow& row : table.rows) {
    numbers.push_back(row.number), status.push_back(static_cast<std::int8_t>(row.status));
    seconds.push_back(row.seconds), reasons.push_back(row.reason.c_str());
  }
  image.add_rows("row", H5T_NATIVE_INT64, count, 0, numbers.data());
  add_numbers(image, "parameters", table, table.head.parameters, &SweepRow::parameters);
  add_numbers(image, "outputs", table, table.head.outputs, &SweepRow::outputs);
  const Hdf5Handle set = image.add_rows("status", H5T_NATIVE_INT8, count, 0, status.data());
  image.add_list(set, "labels",
                 {sweep_status_name(SweepStatus::complete), sweep_status_name(SweepStatus::failed),
                  sweep_status_name(SweepStatus::killed)});
  image.add_rows("reason", hdf5_text_type(), count, 0, reasons.data());
  image.add_rows("seconds", H5T_NATIVE_DOUBLE, count, 0, seconds.data());
  add_words(image, "version", table, &SweepRow::version);
  add_words(image, "instruction_set", table, &SweepRow::instruction_set);
  add_words(image, "hash_of_row", table, &SweepRow::hash);
  add_words(image, "run_as", table, &SweepRow::run_as);
  return image.bytes();
}

SweepTable read_sweep_hdf5(const std::string& path) {
  const std::lock_guard lock(sweep_hdf5_mutex());  // the other process has HDF5 as it is here now
  SweepTable table;
  const auto write = [&path](const RegularFile& file, ByteWriter& stream) { send_sweep(path, file.size, stream); };
  read_in_own_process(path, "a sweep in HDF5", write, [&](ByteReader& stream) {
    if (const std::string trouble = stream.text(); !trouble.empty()) throw FileError(trouble);
    table = receive_sweep(path, stream);
  });
  return table;
}

}  // namespace cuttle
