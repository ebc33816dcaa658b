#include "cuttle/io/replaced_files.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

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
  return FileIdentity{found.st_dev, found.st_ino, fs::canonical(path, error).string()};
}

/// Whether a file is the one that was read, or has its place. The number of a file that is gone may be that of another.
bool is_read_file(const FileIdentity& file, const FileIdentity& read) {
  if (!file.place.empty() && file.place == read.place) return true;
  struct stat there {};
  return file.device == read.device && file.number == read.number && stat(read.place.c_str(), &there) == 0 &&
         there.st_dev == read.device && there.st_ino == read.number;
}

struct ReadFile {
  FileIdentity file;
  std::string path, what;  ///< as given
};

class ReadFiles {
 public:
  void add(ReadFile read) {
    const std::lock_guard lock(mutex_);
    const auto known =
        std::find_if(all_.begin(), all_.end(), [&](const ReadFile& one) { return is_read_file(read.file, one.file); });
    if (known == all_.end()) all_.push_back(std::move(read));
  }
  void remove(const FileIdentity& file) {
    const std::lock_guard lock(mutex_);
    std::erase_if(all_, [&](const ReadFile& one) { return is_read_file(file, one.file); });
  }
  std::optional<ReadFile> find(const FileIdentity& file) {
    const std::lock_guard lock(mutex_);
    const auto known =
        std::find_if(all_.begin(), all_.end(), [&](const ReadFile& one) { return is_read_file(file, one.file); });
    return known == all_.end() ? std::nullopt : std::optional(*known);
  }

 private:
  std::mutex mutex_;
  std::vector<ReadFile> all_;
};

ReadFiles& read_files() {
  static ReadFiles k_files;
  return k_files;
}

thread_local int replacing_any = 0;

/// The columns that a table of Cuttle begins with and has further on, and nobody else's has together.
struct TableHeader {
  std::string_view begin, inside;
};
constexpr std::array<TableHeader, 6> k_tables{{
    {"time,", ",energy.kinetic,energy.gravity,energy.elastic,energy.dissipated,energy.input,energy.load"},  // simulate
    {"row,", ",energy.gravity,energy.elastic"},                                             // statics --table
    {"branch,kind,parameter,arc_length,", ",energy.gravity,energy.elastic"},                // statics --path
    {"frequency,damping_ratio,eigenvalue_real,eigenvalue_imaginary,", ",energy.gravity,"},  // modes
    {"time,", ",residual,stable"},                                                          // statics --follow
    {"time,", ",d "},                                                                       // sensitivities
}};

bool is_table_of_cuttle(std::string_view text) {
  const std::string_view header = text.substr(0, text.find_first_of("\r\n"));
  return std::any_of(k_tables.begin(), k_tables.end(), [header](const TableHeader& table) {
    return header.starts_with(table.begin) && header.find(table.inside) != header.npos;
  });
}

}  // namespace

void note_read(const std::string& path, const std::string& what) {
  if (auto file = identity_of(path)) read_files().add({std::move(*file), path, what});
}

void forget_read(const std::string& path) {
  if (const auto file = identity_of(path)) read_files().remove(*file);
}

ReplaceAnyFile::ReplaceAnyFile() { ++replacing_any; }
ReplaceAnyFile::~ReplaceAnyFile() { --replacing_any; }

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

void check_replaceable(const std::string& path) {
  const auto file = identity_of(path);
  if (!file) return;
  if (const auto read = read_files().find(*file)) {
    throw FileError(fmt::format(
        "{}: found a file that is read here as {}{}, expected another one for the output: nothing that is read is "
        "replaced; give the output another name",
        path, read->what, read->path == path ? "" : fmt::format(" ({})", read->path)));
  }
  if (replacing_any > 0 || is_written_by_cuttle(path)) return;
  throw FileError(
      path +
      ": found a file of this name that no Cuttle wrote, expected none, or an earlier output; --force replaces it");
}

}  // namespace cuttle
