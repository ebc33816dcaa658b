#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "cuttle/model/model.h"
#include "cuttle/model/transmission.h"

// What tendons and distances share: they act along straight lines.

namespace cuttle {

/// Norm that is 0, with no derivative, for what is 0.
template <typename S>
S length_of(const Vector3T<S>& x) {
  return any(dot(x, x) > S(0.0)) ? norm(x) : S(0.0);
}

inline void add_once(std::vector<std::string>& links, const std::string& link) {
  for (const std::string& other : links) {
    if (other == link) return;
  }
  links.push_back(link);
}

/// Rest length and what slack does, of the line that is an input.
template <typename S>
std::vector<TransmissionDetail> line_details(const TransmissionsT<S>& bound, int input) {
  for (const auto& tendon : bound.tendons) {
    if (tendon.input != input) continue;
    const double rest = scalar_cast<double>(tendon.rest_length);
    return {{"rest_length", tendon.half_square ? std::sqrt(2.0 * rest) : rest},
            {"slack", std::string(slack_name(tendon.slack))}};
  }
  return {};
}

}  // namespace cuttle
