#include "io/results/hdf5_walk.h"

#include <fmt/format.h>
#include <hdf5.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "cuttle/simulation/recorded_quantities.h"
#include "io/results/hdf5_handle.h"

namespace cuttle {
namespace {

constexpr int k_most_rank = 2;
constexpr hsize_t k_part_bytes = 1U << 22;  // read at once
/// What results have in their root beside quantities.
constexpr const char* k_other_members[] = {"files", "statistics", "path", "table", "modes"};
constexpr int k_levels = 3;  // of groups below these: loops/NAME/residual, contacts/NAME/A-B/force

/// Why a part cannot be read: found and expected, as in all errors of files.
std::string unreadable() { return "data that HDF5 cannot read (" + innermost_hdf5_error() + ")"; }

class Walk {
 public:
  Walk(hid_t file, std::uint64_t file_size, bool with_rows, ByteWriter& stream)
      : file_(file), file_size_(file_size), with_rows_(with_rows), stream_(stream) {}

  void operator()() {
    visit("/", 0);
    std::vector<std::string> members, known;
    list_members("/", members);
    // `time` first: it says how many rows the others are read to
    for (const RecordedQuantity& quantity : recorded_quantities()) known.push_back(quantity.root);
    known.insert(known.end(), std::begin(k_other_members), std::end(k_other_members));
    for (const std::string& name : known) {
      const auto member = std::find(members.begin(), members.end(), name);
      if (member == members.end()) continue;
      members.erase(member);  // quantities share a root
      visit(name, k_levels);
    }
    stream_.number(0);
    stream_.flush();
  }

 private:
  /// @param levels  of groups to go down to below this one.
  void visit(const std::string& path, int levels) {
    stream_.number(1);
    stream_.text(path);
    const Hdf5Handle object(H5Oopen(file_, path.c_str(), H5P_DEFAULT));
    const H5I_type_t kind = object < 0 ? H5I_BADID : H5Iget_type(object);
    std::vector<std::string> members;
    std::string trouble;
    if (kind == H5I_GROUP && levels > 0 && !list_members(path, members)) trouble = unreadable();
    if (object < 0) trouble = unreadable();
    write_object(path, object, kind == H5I_DATASET, trouble);
    for (const std::string& member : members) visit(fmt::format("{}/{}", path, member), levels - 1);
  }

  /// Hard links only: others may lead to other files, or to pipes.
  bool list_members(const std::string& path, std::vector<std::string>& members) const {
    const Hdf5Handle group(H5Gopen2(file_, path.c_str(), H5P_DEFAULT));
    const auto add = [](hid_t, const char* name, const H5L_info_t* info, void* data) -> herr_t {
      if (info->type == H5L_TYPE_HARD) static_cast<std::vector<std::string>*>(data)->emplace_back(name);
      return 0;
    };
    hsize_t index = 0;
    return group >= 0 && H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, &index, add, &members) >= 0;
  }

  void write_object(const std::string& path, hid_t object, bool is_dataset, std::string trouble) {
    Hdf5Handle space, type;
    std::vector<hsize_t> shape;
    bool numeric = false;
    if (is_dataset) {
      space = Hdf5Handle(H5Dget_space(object)), type = Hdf5Handle(H5Dget_type(object));
      const H5T_class_t kind = H5Tget_class(type);
      numeric = kind == H5T_FLOAT || kind == H5T_INTEGER;
      const int rank = H5Sget_simple_extent_ndims(space);
      shape.resize(static_cast<std::size_t>(std::max(rank, 0)));
      if (rank > 0) H5Sget_simple_extent_dims(space, shape.data(), nullptr);
      if (space < 0 || type < 0 || rank < 0) trouble = unreadable();
    }
    stream_.text(trouble);
    stream_.number(is_dataset);
    stream_.number(numeric);
    stream_.number(shape.size());
    for (const hsize_t size : shape) stream_.number(size);
    write_attributes(object);
    // from here on what is wrong is told at the end
    trouble.clear();
    const bool is_bytes = numeric && H5Tget_class(type) == H5T_INTEGER && H5Tget_size(type) == 1;
    std::string bytes;
    if (path == "time" && !shape.empty()) time_rows_ = shape[0];
    if (numeric && !shape.empty() && shape.size() <= k_most_rank) {
      hsize_t rows = shape[0];
      if (!is_bytes) rows = with_rows_ ? std::min(rows, time_rows_) : 0;
      const hsize_t width = shape.size() == 2 ? shape[1] : 1;
      trouble = trouble_of_size(object, rows, width, H5Tget_size(type));
      if (trouble.empty() && is_bytes) trouble = read_bytes(object, rows * width, bytes);
      if (trouble.empty() && !is_bytes) trouble = write_rows(object, space, rows, width, shape.size() == 2);
    }
    stream_.end_of_parts();
    stream_.text(bytes);
    stream_.text(trouble);
  }

  /// Nothing is read, and no memory taken, for rows that the file cannot hold.
  std::string trouble_of_size(hid_t dataset, hsize_t rows, hsize_t width, std::size_t item) const {
    if (rows == 0 || width == 0) return "";
    const Hdf5Handle creation(H5Dget_create_plist(dataset));
    const H5D_layout_t layout = H5Pget_layout(creation);
    if (layout == H5D_VIRTUAL || H5Pget_external_count(creation) > 0) return "rows that lie in other files";
    std::uint64_t stored = H5Dget_storage_size(dataset);
    if (stored > file_size_) {
      return fmt::format("{} bytes of rows in a file of {} bytes", stored, file_size_);
    }
    if (H5Pget_nfilters(creation) > 0) stored *= k_most_compression;
    const double claimed = static_cast<double>(rows) * static_cast<double>(width) * static_cast<double>(item);
    if (claimed > static_cast<double>(stored)) {
      return fmt::format("{} rows, of which the file holds {} bytes", rows, stored);
    }
    const double memory = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
    if (claimed / static_cast<double>(item) * sizeof(double) > memory) {
      return fmt::format("{} rows, more than this machine's memory holds", rows);
    }
    return "";
  }

  std::string read_bytes(hid_t dataset, hsize_t count, std::string& bytes) const {
    if (count == 0) return "";
    bytes.resize(count);
    if (H5Dread(dataset, H5T_NATIVE_UCHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()) >= 0) return "";
    bytes.clear();
    return unreadable();
  }

  std::string write_rows(hid_t dataset, hid_t space, hsize_t rows, hsize_t width, bool matrix) {
    if (width == 0) return "";
    const hsize_t at_once = std::max<hsize_t>(1, k_part_bytes / sizeof(double) / width);
    std::vector<double> values;
    for (hsize_t first = 0; first < rows; first += at_once) {
      const std::array<hsize_t, 2> start{first, 0}, size{std::min(at_once, rows - first), width};
      values.resize(size[0] * width);
      const Hdf5Handle memory(H5Screate_simple(matrix ? 2 : 1, size.data(), nullptr));
      if (H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, size.data(), nullptr) < 0 ||
          H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values.data()) < 0) {
        return unreadable();
      }
      stream_.part(values.data(), values.size());
    }
    return "";
  }

  void write_attributes(hid_t object) {
    std::vector<std::string> names;
    const auto add = [](hid_t, const char* name, const H5A_info_t*, void* data) -> herr_t {
      static_cast<std::vector<std::string>*>(data)->emplace_back(name);
      return 0;
    };
    hsize_t index = 0;
    if (object >= 0) H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_NATIVE, &index, add, &names);
    stream_.number(names.size());
    for (const std::string& name : names) {
      std::vector<std::string> texts;
      bool is_text = false;
      hsize_t count = 0;
      double number = 0.0;
      const std::string trouble = read_attribute(object, name, is_text, texts, count, number);
      stream_.text(name);
      stream_.text(trouble);
      stream_.number(is_text);
      stream_.number(texts.size());
      for (const std::string& text : texts) stream_.text(text);
      stream_.number(count);
      stream_.real(number);
    }
  }

  std::string read_attribute(hid_t object, const std::string& name, bool& is_text, std::vector<std::string>& texts,
                             hsize_t& count, double& number) const {
    const Hdf5Handle attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT));
    if (attribute < 0) return unreadable();
    const Hdf5Handle space(H5Aget_space(attribute)), type(H5Aget_type(attribute));
    const hssize_t points = H5Sget_simple_extent_npoints(space);
    if (points < 0 || type < 0) return unreadable();
    count = static_cast<hsize_t>(points);
    const H5T_class_t kind = H5Tget_class(type);
    is_text = kind == H5T_STRING;
    const std::size_t size = std::max<std::size_t>(H5Tget_size(type), 1);
    if (count > file_size_ / size) return fmt::format("{} items in a file of {} bytes", count, file_size_);
    if (kind == H5T_FLOAT || kind == H5T_INTEGER) {
      return count != 1 || H5Aread(attribute, H5T_NATIVE_DOUBLE, &number) >= 0 ? "" : unreadable();
    }
    if (!is_text || count == 0) return "";
    if (H5Tis_variable_str(type) > 0) {  // of an earlier Cuttle; the memory goes with the process
      std::vector<char*> pointers(count);
      if (H5Aread(attribute, hdf5_text_type(), pointers.data()) < 0) return unreadable();
      for (const char* text : pointers) texts.emplace_back(text != nullptr ? text : "");
      return "";
    }
    std::string bytes(count * size, '\0');
    if (H5Aread(attribute, hdf5_text_type(size), bytes.data()) < 0) return unreadable();
    for (std::string_view left = bytes; !left.empty(); left.remove_prefix(size)) {
      const std::string_view text = left.substr(0, size);
      texts.emplace_back(text.substr(0, text.find_last_not_of('\0') + 1));
    }
    return "";
  }

  hid_t file_;
  std::uint64_t file_size_;
  bool with_rows_;
  ByteWriter& stream_;
  hsize_t time_rows_ = std::numeric_limits<hsize_t>::max();
};

}  // namespace

void walk_hdf5_file(const std::string& path, std::uint64_t file_size, bool with_rows, ByteWriter& stream) {
  const QuietHdf5 quiet;
  const auto refuse = [&stream](const std::string& found, const char* expected) {
    stream.text(found), stream.text(expected);
    stream.flush();
  };
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_file_locking(access, false, true);  // whoever writes it goes on undisturbed
  if (!(H5Fis_hdf5(path.c_str()) > 0)) {
    return refuse("a file that is not in HDF5", "a result in HDF5, as cuttle simulate writes");
  }
  const Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access));
  if (file < 0) {
    return refuse("a file that HDF5 cannot open (" + innermost_hdf5_error() + ")", "a whole result in HDF5");
  }
  stream.text("");
  Walk(file, file_size, with_rows, stream)();
}

}  // namespace cuttle
