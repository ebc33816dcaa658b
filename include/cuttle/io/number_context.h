#pragma once

#include <map>
#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/spatial/scalars.h"

namespace CUTTLE_API cuttle {

/// What reading does with the real numbers of a file besides checking them. Paths are those of cursors:
/// `links[0].body.length`.
struct NumberContext {
  struct Found {
    std::string path, unit;
    double value;
    bool given;  ///< false: the file leaves it out, and this is the default
  };
  std::map<std::string, double> changes;          ///< values that take the place of those in the file
  std::map<std::string, ForwardDual> directions;  ///< derivatives of numbers (the value does not count)
  std::vector<Found>* found = nullptr;            ///< gets all numbers in the order of reading

  const double* change(const std::string& path) const {
    const auto at = changes.find(path);
    return at == changes.end() ? nullptr : &at->second;
  }
  bool concerns(const std::string& path) const { return changes.count(path) > 0 || directions.count(path) > 0; }
};

}  // namespace cuttle
