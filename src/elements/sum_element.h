#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cuttle/error.h"
#include "cuttle/model/robot.h"
#include "cuttle/model/transmissions/linear.h"

namespace cuttle {

/// A law on y = sum of factors[i] q_i, over the coordinates of `links` in order.
template <typename S>
ElementT<S> element_on_sum(const std::string& name, std::vector<std::string> links, const std::vector<S>& factors,
                           std::shared_ptr<const EffortLawT<S>> law) {
  if (links.empty()) throw ModelError("links", "none", "at least one");
  std::vector<std::vector<S>> matrix;
  matrix.reserve(factors.size());
  for (const S& factor : factors) matrix.push_back({factor});
  ElementT<S> element;
  element.name = name;
  element.through.push_back(std::make_shared<const LinearTransmissionT<S>>(std::move(links), std::move(matrix)));
  element.law = std::move(law);
  return element;
}

}  // namespace cuttle
