#include "cuttle/model/spelling.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace cuttle {
namespace {

/// Distances take time, and nobody mistypes names that are longer than this.
constexpr std::size_t k_longest = 100;
constexpr int k_far = 2 * static_cast<int>(k_longest);

bool comparable(const std::string& a, const std::string& b) { return a.size() <= k_longest && b.size() <= k_longest; }

}  // namespace

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

std::vector<std::string> nearest_names(const std::string& name, const std::vector<std::string>& known,
                                       std::size_t count) {
  std::vector<std::pair<int, std::size_t>> order;
  for (std::size_t i = 0; i < known.size(); ++i) {
    order.emplace_back(comparable(name, known[i]) ? edit_distance(name, known[i]) : k_far, i);
  }
  count = std::min(count, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end());
  std::vector<std::string> nearest;
  for (std::size_t k = 0; k < count; ++k) nearest.push_back(known[order[k].second]);
  return nearest;
}

std::string did_you_mean(const std::string& name, const std::vector<std::string>& known) {
  const std::vector<std::string> nearest = nearest_names(name, known, 1);
  if (nearest.empty() || !comparable(name, nearest.front())) return "";
  const int distance = edit_distance(name, nearest.front());
  const int limit = std::max<int>(2, static_cast<int>(name.size()) / 3);
  const bool near = distance <= limit && distance < static_cast<int>(name.size());
  return near ? "; did you mean '" + nearest.front() + "'?" : "";
}

}  // namespace cuttle
