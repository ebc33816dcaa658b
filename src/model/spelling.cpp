#include "cuttle/model/spelling.h"

#include <algorithm>

namespace cuttle {

int edit_distance(const std::string& a, const std::string& b) {
  const std::size_t columns = b.size() + 1;
  std::vector<int> d((a.size() + 1) * columns);
  const auto at = [&](std::size_t i, std::size_t j) -> int& { return d[i * columns + j]; };
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        at(i, j) = static_cast<int>(i + j);
        continue;
      }
      const int replaced = at(i - 1, j - 1) + (a[i - 1] == b[j - 1] ? 0 : 1);
      at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
      }
    }
  }
  return d.back();
}

std::string did_you_mean(const std::string& name, const std::vector<std::string>& known) {
  const std::string* best = nullptr;
  int best_distance = 0;
  for (const std::string& candidate : known) {
    const int distance = edit_distance(name, candidate);
    if (best == nullptr || distance < best_distance) best = &candidate, best_distance = distance;
  }
  const int limit = std::max<int>(2, static_cast<int>(name.size()) / 3);
  const bool near = best != nullptr && best_distance <= limit && best_distance < static_cast<int>(name.size());
  return near ? "; did you mean '" + *best + "'?" : "";
}

}  // namespace cuttle
