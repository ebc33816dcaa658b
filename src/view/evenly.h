#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "cuttle/simulation/recorder.h"

namespace cuttle {

/// At most so many samples (at least two if there are), evenly spaced, the first and the last among them.
inline std::vector<const Sample*> evenly(const std::vector<Sample>& samples, std::size_t most) {
  const std::size_t count = std::min(samples.size(), std::max<std::size_t>(most, 2));
  std::vector<const Sample*> chosen;
  for (std::size_t k = 0; k < count; ++k) {
    const double step = count > 1 ? static_cast<double>(samples.size() - 1) / static_cast<double>(count - 1) : 0.0;
    chosen.push_back(&samples[static_cast<std::size_t>(std::llround(static_cast<double>(k) * step))]);
  }
  return chosen;
}

}  // namespace cuttle
