#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "cuttle/model/transmissions/linear.h"
#include "io/kinds/kind_list.h"
#include "io/robot/part_writers.h"
#include "io/robot/robot_so_far.h"

// What elements on a sum of coordinates have.

namespace cuttle {

inline Key links_of_sum_key() {
  return key::required(key::names("links")).about("Links whose coordinates, in this order, `factors` multiplies.");
}
inline Key factors_of_sum_key() {
  return key::required(key::numbers("factors", 0, k_unit_of_use))
      .about("One each coordinate: y is the sum of their products.");
}

/// Keys `links` and `factors`, as many as the links have coordinates.
template <typename S>
std::pair<std::vector<std::string>, std::vector<S>> read_coordinate_sum(const PartReader<S>& part) {
  const RobotSoFar<S>& robot = part.robot();
  std::vector<std::string> links;
  int coordinates = 0;
  bool known = true;
  if (const auto cursor = part.map().at("links")) {
    for (const YamlCursor& item : cursor->items("a list of names")) {
      const auto link = robot.read_link_name(item, false);
      known = known && link && robot.links.at(*link).read;
      if (link) links.push_back(*link), coordinates += robot.links.at(*link).nv;
    }
  }
  std::vector<S> factors = part.numbers("factors");
  if (known && static_cast<int>(factors.size()) != coordinates) {
    part.fail("factors", fmt::format("a list of {} numbers, one a coordinate of the links", coordinates));
  }
  return {std::move(links), std::move(factors)};
}

/// @param maker  the function of which such an element is.
inline void write_coordinate_sum(const Element& element, const std::string& maker, MapWriter& map) {
  const auto& linear = transmission_of<LinearTransmission>(element);
  std::vector<YamlNode> links;
  std::vector<double> factors;
  links.reserve(linear.links().size()), factors.reserve(linear.matrix.size());
  for (const std::string& link : linear.links()) links.push_back(text_node(link));
  for (const std::vector<double>& row : linear.matrix) {
    if (row.size() != 1) refuse_to_write("a matrix of several columns", "one of " + maker);
    factors.push_back(row.front());
  }
  map.node("links", list_node(std::move(links)));
  map.numbers("factors", factors);
}

}  // namespace cuttle
