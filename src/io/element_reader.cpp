#include <fmt/format.h>

#include "cuttle/elements/joint_limit.h"
#include "cuttle/elements/spring.h"
#include "io/part_readers.h"
#include "io/robot_reader.h"
#include "io/robot_tables.h"

// The elements of a robot file.

namespace cuttle {

template <typename S>
std::optional<ElementT<S>> RobotReaderT<S>::read_spring(const YamlMap& map, const std::string& name) {
  const auto a = read_loop_frame(map, "a"), b = read_loop_frame(map, "b");
  SpringT<S> spring;
  const auto stiffness = map.number<S>("stiffness"), damping = map.number_or<S>("damping", 0.0);
  if (map.has("rest_length")) spring.rest_length = map.number<S>("rest_length");
  if (!a || !b || !stiffness || !damping) return std::nullopt;
  spring.stiffness = *stiffness, spring.damping = *damping;
  return make_spring(name, *a, *b, spring);
}

template <typename S>
std::optional<ElementT<S>> RobotReaderT<S>::read_joint_limit(const YamlMap& map, const std::string& name) {
  const auto joint = read_joint_coordinate(map);
  const auto lower = map.number<S>("lower"), upper = map.number<S>("upper"), stiffness = map.number<S>("stiffness");
  const auto damping = map.number_or<S>("damping", 0.0), range = map.number<S>("range");
  if (!joint || !lower || !upper || !stiffness || !damping || !range) return std::nullopt;
  return make_joint_limit<S>(name, joint->first, joint->second, {*lower, *upper, *stiffness, *damping, *range});
}

template <typename S>
void RobotReaderT<S>::read_element(const YamlMap& map) {
  const std::size_t errors_before = map.cursor().errors().count();
  const std::string name = map.text("name").value_or("");
  require_new_name(map, name);
  try {
    auto element = map.variant() == "spring" ? read_spring(map, name) : read_joint_limit(map, name);
    if (element && map.cursor().errors().count() == errors_before) robot_.elements.push_back(std::move(*element));
  } catch (const ModelError& error) {
    map.cursor().fail_inside(error.diagnostic());
  }
}

template void RobotReaderT<double>::read_element(const YamlMap&);
template void RobotReaderT<Gradient>::read_element(const YamlMap&);

}  // namespace cuttle
