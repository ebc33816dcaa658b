#include "io/robot/reduction_cache.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <optional>
#include <sstream>
#include <string>

#include "bodies/volume/reduction/point_samples.h"
#include "cuttle/error.h"
#include "cuttle/io/replaced_files.h"
#include "cuttle/io/whole_file.h"
#include "io/regular_file.h"

namespace cuttle {
namespace {

const char* const k_title = "cuttle points 1";  // with another number, earlier files are not read

/// 64 bits of numbers, after Fowler, Noll and Vo (FNV-1a).
class NumberHash {
 public:
  void add(const double* numbers, std::size_t count) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(numbers);
    for (std::size_t i = 0; i < count * sizeof(double); ++i) value_ = (value_ ^ bytes[i]) * 0x100000001b3ULL;
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325ULL;
};

/// Where the points of a body are kept: by its points and by what these do in a few states, which is all that the
/// choice sees of shape, kinematics and material. Empty: there is no such folder.
std::string cache_path(const VolumeBody& body, const PointReductionOptions& options) {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  std::string folder;
  if (cache != nullptr && *cache == '/') {
    folder = cache;
  } else if (home != nullptr && *home == '/') {
    folder = std::string(home) + "/.cache";
  } else {
    return "";
  }
  NumberHash hash;
  hash.add(&options.tolerance, 1), hash.add(&options.strain, 1);
  const Quadrature& rule = body.parameters().quadrature;
  for (const Vector3& x : rule.points) hash.add(&x.x, 1), hash.add(&x.y, 1), hash.add(&x.z, 1);
  hash.add(rule.weights.data(), rule.weights.size());
  const PointIntegrals states = PointSampler(body, options.strain, 0).draw(2);
  hash.add(states.rows.data(), static_cast<std::size_t>(states.rows.size()));
  return fmt::format("{}/cuttle/points/{:016x}.txt", folder, hash.value());
}

/// What a file has; nothing if it is not what `write` wrote for as many points.
std::optional<PointReduction> read(const std::string& path, const Quadrature& full,
                                   const PointReductionOptions& options) {
  if (!file_trouble(path).empty()) return std::nullopt;
  std::ifstream file(path);
  std::string title;
  std::size_t points = 0, kept = 0;
  PointReduction reduction{options, full, {}, {}, 0.0};
  if (!std::getline(file, title) || title != k_title) return std::nullopt;
  if (!(file >> points >> kept >> reduction.error) || points != full.points.size() || kept == 0 || kept > points) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < kept; ++i) {
    std::size_t point = 0;
    double factor = 0.0;
    if (!(file >> point >> factor) || point >= points || !(factor > 0.0)) return std::nullopt;
    if (i > 0 && point <= reduction.kept.back()) return std::nullopt;
    reduction.kept.push_back(point), reduction.factors.push_back(factor);
  }
  return reduction;
}

std::string text_of(const PointReduction& reduction) {
  std::ostringstream out;
  out << k_title << "\n" << std::setprecision(17);
  out << reduction.full.points.size() << " " << reduction.kept.size() << " " << reduction.error << "\n";
  for (std::size_t i = 0; i < reduction.kept.size(); ++i) {
    out << reduction.kept[i] << " " << reduction.factors[i] << "\n";
  }
  return out.str();
}

}  // namespace

PointReduction cached_reduction(const VolumeBody& body, const PointReductionOptions& options) {
  const std::string path = cache_path(body, options);
  if (!path.empty()) {
    if (auto found = read(path, body.parameters().quadrature, options)) return *found;
  }
  PointReduction reduction = reduce_points(body, options);
  if (!path.empty()) {
    try {
      const ReplaceAnyFile damaged(path);
      write_whole_file(path, text_of(reduction));
    } catch (const FileError&) {  // a folder that cannot be written costs time, no more
    }
  }
  return reduction;
}

}  // namespace cuttle
