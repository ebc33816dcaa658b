#include "cuttle/io/replaced_files.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "cuttle/error.h"

namespace cuttle {
namespace {

namespace fs = std::filesystem;

/// A regular file, whatever it is called: links share device and number, and a name whose file was replaced since stays
/// the same place.
struct FileIdentity {
  dev_t device = 0;
  ino_t number = 0;
  std::string place;  ///< absolute, without links
};

std::optional<FileIdentity> identity_of(const std::string& path) {
  struct stat found {};
  if (stat(path.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) return std::nullopt;
  std::error_code error;
  const fs::path place = fs::canonical(path, error);
  return FileIdentity{found.st_dev, found.st_ino, (error ? fs::absolute(path) : place).string()};
}

struct ReadFile {
  FileIdentity file;
  std::string path, what;  ///< as given
};

/// By their places: a file that is read again and again is one, also if an editor puts another in its place each time.
class ReadFiles {
 public:
  void add(ReadFile read) {
    const std::lock_guard lock(mutex_);
    const auto [known, is_new] = by_place_.try_emplace(read.file.place, read);
    if (!is_new) {
      forget_number(known->second.file);
      known->second.file = read.file;
    }
    by_number_.emplace(number_of(read.file), read.file.place);
  }
  void remove(const FileIdentity& file) {
    const std::lock_guard lock(mutex_);
    for (auto known = known_as(file); known != by_place_.end(); known = known_as(file)) {
      forget_number(known->second.file);
      by_place_.erase(known);
    }
  }
  std::optional<ReadFile> find(const FileIdentity& file) {
    const std::lock_guard lock(mutex_);
    const auto known = known_as(file);
    return known == by_place_.end() ? std::nullopt : std::optional(known->second);
  }

 private:
  using Number = std::pair<dev_t, ino_t>;
  using Places = std::map<std::string, ReadFile>;

  static Number number_of(const FileIdentity& file) { return {file.device, file.number}; }

  /// The file that was read at this place, or by another link. The number of a file that is gone may be that of
  /// another.
  Places::iterator known_as(const FileIdentity& file) {
    if (const auto known = by_place_.find(file.place); known != by_place_.end()) return known;
    const auto [begin, end] = by_number_.equal_range(number_of(file));
    for (auto link = begin; link != end; ++link) {
      struct stat there {};
      if (stat(link->second.c_str(), &there) == 0 && Number(there.st_dev, there.st_ino) == link->first) {
        return by_place_.find(link->second);
      }
    }
    return by_place_.end();
  }

  void forget_number(const FileIdentity& file) {
    const auto [begin, end] = by_number_.equal_range(number_of(file));
    const auto own = std::find_if(begin, end, [&](const auto& link) { return link.second == file.place; });
    if (own != end) by_number_.erase(own);
  }

  std::mutex mutex_;
  Places by_place_;
  std::multimap<Number, std::string> by_number_;
};

ReadFiles& read_files() {
  static ReadFiles k_files;
  return k_files;
}

/// What may be replaced whoever wrote it, by paths of outputs; "" is all.
class ReplaceableFiles {
 public:
  void add(const std::string& path) {
    const std::lock_guard lock(mutex_);
    paths_.insert(path);
  }
  void remove(const std::string& path) {
    const std::lock_guard lock(mutex_);
    paths_.erase(paths_.find(path));
  }
  bool has(const std::string& path) {
    const std::lock_guard lock(mutex_);
    return paths_.contains("") || paths_.contains(path);
  }

 private:
  std::mutex mutex_;
  std::multiset<std::string> paths_;
};

ReplaceableFiles& replaceable_files() {
  static ReplaceableFiles k_files;
  return k_files;
}

constexpr const char* k_replaces = "--force (in Python replace=True) replaces it";

/// The columns that a table of Cuttle begins with and has further on, and nobody else's has together.
struct TableHeader {
  std::string_view begin, inside, further = "";
};
constexpr std::array<TableHeader, 4> k_tables{{
    // simulate; energy.elements may stand between the two
    {"time,", ",energy.kinetic,energy.gravity,energy.elastic,energy.", ",energy.dissipated,energy.input,energy.load"},
    {"row,", ",energy.gravity,energy.elastic"},                                             // statics --table
    {"branch,kind,parameter,arc_length,", ",energy.gravity,energy.elastic"},                // statics --path
    {"frequency,damping_ratio,eigenvalue_real,eigenvalue_imaginary,", ",energy.gravity,"},  // modes
}};

/// Whether a table is of sensitivities: behind the time each output, then `d OUTPUT/d PATH` for each parameter, and no
/// other column.
bool has_sensitivities(std::string_view header) {
  if (!header.starts_with("time,")) return false;
  header.remove_prefix(4);
  std::string output;
  int derivatives = 0;
  while (!header.empty()) {
    const std::string_view rest = header.substr(1);
    const std::string start = "d " + output + "/d ";
    const std::size_t end = rest.find(',');
    if (!output.empty() && rest.starts_with(start) && rest.size() > start.size() && end != start.size()) {
      ++derivatives;
    } else if (output.empty() || derivatives > 0) {
      output = rest.substr(0, end), derivatives = 0;
    } else {
      return false;
    }
    header.remove_prefix(std::min(end == rest.npos ? header.size() : end + 1, header.size()));
  }
  return derivatives > 0;
}

bool is_table_of_cuttle(std::string_view text) {
  const std::string_view header = text.substr(0, text.find_first_of("\r\n"));
  return std::any_of(k_tables.begin(), k_tables.end(),
                     [header](const TableHeader& table) {
                       return header.starts_with(table.begin) && header.find(table.inside) != header.npos &&
                              header.find(table.further) != header.npos;
                     }) ||
         (header.starts_with("time,") && header.ends_with(",residual,stable")) ||  // statics --follow
         has_sensitivities(header);
}

}  // namespace

void note_read(const std::string& path, const std::string& what) {
  if (auto file = identity_of(path)) read_files().add({std::move(*file), path, what});
}

void forget_read(const std::string& path) {
  if (const auto file = identity_of(path)) read_files().remove(*file);
}

ReplaceAnyFile::ReplaceAnyFile(std::string path) : path_(std::move(path)) { replaceable_files().add(path_); }
ReplaceAnyFile::~ReplaceAnyFile() { replaceable_files().remove(path_); }

bool is_written_by_cuttle(const std::string& path) {
  constexpr std::size_t k_most = 16UL << 20;  // bytes: where meshes and texts of files stand before the attributes
  constexpr std::size_t k_beginning = 4096;   // bytes in which a text says who wrote it
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  std::string bytes(std::min<std::size_t>(k_most, file ? static_cast<std::size_t>(file.tellg()) : 0), '\0');
  file.seekg(0);
  if (!file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) return false;
  const std::string_view all = bytes, beginning = all.substr(0, k_beginning);
  const auto has = [](std::string_view text, std::string_view mark) { return text.find(mark) != text.npos; };
  if (all.empty()) return true;
  if (all.starts_with("\x89HDF\r\n\x1a\n")) return has(all, "cuttle_version");
  if (all.starts_with("glTF")) return has(all, "\"generator\":\"Cuttle ");
  return has(beginning, "written by Cuttle") || has(beginning, "name=\"generator\" content=\"Cuttle ") ||
         is_table_of_cuttle(all);
}

void check_replaceable(const std::string& path) { check_replaceable(path, path); }

void check_replaceable(const std::string& path, const std::string& output) {
  const auto file = identity_of(path);
  if (!file) return;
  if (const auto read = read_files().find(*file)) {
    throw FileError(fmt::format(
        "{}: found a file that is read here as {}{}, expected another one for the output: nothing that is read is "
        "replaced; give the output another name",
        path, read->what, read->path == path ? "" : fmt::format(" ({})", read->path)));
  }
  if (replaceable_files().has(output) || is_written_by_cuttle(path)) return;
  throw FileError(fmt::format(
      "{}: found a file of this name that no Cuttle wrote, expected none, or an earlier output; {}", path, k_replaces));
}

void check_free(const std::string& path, bool replace) {
  std::error_code error;
  if (replace || !fs::exists(fs::symlink_status(path, error))) return;
  throw FileError(fmt::format("{}: found a file of this name, expected none; {}", path, k_replaces));
}

}  // namespace cuttle
