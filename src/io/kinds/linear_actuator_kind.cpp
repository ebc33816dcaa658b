// An actuator of a robot file that is a matrix.
#include <fmt/format.h>

#include "cuttle/model/transmissions/linear.h"
#include "io/kinds/input_lag_parts.h"
#include "io/kinds/kind_list.h"
#include "io/robot/part_writers.h"
#include "io/robot/robot_so_far.h"

namespace cuttle {

using namespace key;

namespace {

const KeyTable k_linear_actuator{
    .keys = {
        required(name("name")).about("Unique name; the inputs are NAME.0, NAME.1, .."),
        required(names("links")).about("Links whose coordinates, in this order, are the rows of `matrix`."),
        required(other("matrix", "a list of rows, each a list of numbers", {list(-1, numbers("", 0, k_unit_of_use))}))
            .about("One row each coordinate, one column each input."),
        lag_key()}};

template <typename S>
std::optional<ActuatorT<S>> read_linear_actuator(const PartReader<S>& part) {
  const YamlMap& map = part.map();
  const RobotSoFar<S>& robot = part.robot();
  std::vector<std::string> links;
  std::vector<std::vector<S>> matrix;
  int rows = 0;
  bool rows_known = true;
  if (const auto cursor = map.at("links")) {
    for (const YamlCursor& item : cursor->items("a list of names")) {
      const auto link = robot.read_link_name(item, false);
      rows_known = rows_known && link && robot.links.at(*link).read;
      if (link) links.push_back(*link), rows += robot.links.at(*link).nv;
    }
  }
  const std::string expected = "a list of rows, each a list of numbers";
  std::size_t columns = 0;
  if (const auto list = map.at("matrix")) {
    for (const YamlCursor& item : list->items(expected)) {
      const auto row = item.template numbers<S>(key::numbers("", 0));
      if (!row) continue;
      if (matrix.empty()) columns = row->size();
      if (row->size() != columns || columns == 0) {
        item.fail(columns == 0 ? "at least one number"
                               : fmt::format("a list of {} numbers, as in the first row", columns));
      }
      matrix.push_back(*row);
    }
    if (rows_known && list->kind() == YamlNode::Kind::list && static_cast<int>(list->size()) != rows) {
      list->fail(fmt::format("a list of {} rows, one a coordinate of the links", rows));
    }
  }
  return read_lag(part, ActuatorT<S>::linear(part.name(), std::move(links), std::move(matrix)), "1");
}

void write_linear_actuator(const Actuator& actuator, MapWriter& map) {
  const auto& linear = transmission_of<LinearTransmission>(actuator, true);
  std::vector<YamlNode> links, rows;
  for (const std::string& link : linear.links()) links.push_back(text_node(link));
  for (std::size_t i = 0; i < linear.matrix.size(); ++i) {
    rows.push_back(at_place({"matrix", i}, "", [&] { return numbers_node(linear.matrix[i]); }));
  }
  map.node("links", list_node(std::move(links)));
  map.node("matrix", list_node(std::move(rows)));
  write_lag(actuator, map);
}

}  // namespace

ActuatorKind linear_actuator_kind() {
  return {"linear",
          &k_linear_actuator,
          "Generalized force matrix u on the coordinates of some links; the actuation coordinates are y = matrix^T q.",
          "{name: pull, type: linear, links: [finger], matrix: [[0.01, 0], [0, 0.01], [-1, -1]]}",
          read_linear_actuator<double>,
          read_linear_actuator<ForwardDual>,
          write_linear_actuator};
}

}  // namespace cuttle
