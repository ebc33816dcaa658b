#include "io/robot/robot_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <type_traits>

#include "cuttle/error.h"
#include "io/kinds/kind_list.h"
#include "io/robot/joint_reader.h"
#include "io/robot/part_readers.h"
#include "io/robot/robot_tables.h"
#include "io/robot/visual_reader.h"

namespace cuttle {

template <typename S>
RobotT<S> RobotReaderT<S>::read(const YamlCursor& root) {
  const auto map = root.map(k_robot_table);
  if (!map) return {};
  check_format_version(*map);
  so_far_.robot.name = map->text("name").value_or("robot");
  so_far_.robot.gravity = read_vector3<S>(*map, "gravity", Robot().gravity);
  if (const auto base = map->map("base")) read_base(*base);
  add_visuals(*map, "base", LinkVisual::Frame::world);
  if (const auto materials = map->at("materials")) {
    const Key& rule = map->rule("materials");
    for (const auto& [name, item] : materials->named_items(rule.expected())) {
      const auto map_of_material = item.map(rule);
      ReadMaterialT<S>& material = so_far_.materials.named[name];
      if (map_of_material) material = read_material<S>(*map_of_material, so_far_.files);
      if (material.good) so_far_.robot.materials[name] = material.material;
    }
  }
  if (const auto links = map->at("links")) {
    collect_names(*links);
    if (links->kind() == YamlNode::Kind::list && links->size() == 0) links->fail("at least one link");
    for (const YamlMap& link : map->maps("links")) read_link(link, static_cast<int>(so_far_.robot.links.size()));
  } else if (!map->has("links")) {  // whose place `include` has filled
    map->fail("links", "nothing", map->rule("links").expected());
  }
  for (const YamlMap& actuator : map->maps("actuators")) read_actuator(actuator);
  for (const YamlMap& element : map->maps("elements")) read_element(element);
  for (const YamlMap& load : map->maps("loads")) read_load(load);
  for (const YamlMap& loop : map->maps("loops")) read_loop(loop);
  for (const YamlMap& obstacle : map->maps("obstacles")) read_obstacle(obstacle);
  for (const YamlMap& contact : map->maps("contacts")) read_contact(contact);
  for (const YamlMap& marker : map->maps("markers")) read_marker(marker);
  for (const YamlMap& sensor : map->maps("sensors")) read_sensor(sensor);
  for (const auto& [name, material] : so_far_.materials.named) {
    if (material.used) continue;
    so_far_.warnings.push_back(root.child("materials").child(name).mark().text() + ": materials." + name +
                               ": no link is made of it");
  }
  return std::move(so_far_.robot);
}

template <typename S>
void RobotReaderT<S>::read_base(const YamlMap& map) {
  so_far_.robot.floating_base = map.text("motion") == "floating";
  so_far_.robot.base_pose = read_pose<S>(map, "pose");
  add_visuals(map, "base", LinkVisual::Frame::base);
}

template <typename S>
void RobotReaderT<S>::add_visuals(const YamlMap& map, const std::string& link, LinkVisual::Frame frame) {
  if (so_far_.before) return;  // no number of theirs is a parameter
  for (Visual& visual : read_visuals(map, so_far_.files)) visuals_.push_back({link, frame, std::move(visual)});
}

template <typename S>
void RobotReaderT<S>::collect_names(const YamlCursor& links) {
  for (std::size_t i = 0; links.kind() == YamlNode::Kind::list && i < links.size(); ++i) {
    const YamlCursor link = links.child(i);
    if (!link.has_key("name")) continue;
    const auto name = link.child("name").as_text();
    if (!name || all_parents_.count(*name) > 0) continue;
    const auto parent = link.has_key("parent") ? link.child("parent").as_text() : std::nullopt;
    all_parents_[*name] = parent.value_or("");
    all_marks_[*name] = link.mark();
  }
}

template <typename S>
std::string RobotReaderT<S>::read_parent(const YamlMap& map, const std::string& name, int index) {
  std::string before = index == 0 ? "base" : so_far_.robot.links.back().name;
  const auto parent = map.text("parent");
  if (!parent) return before;
  if (*parent == "base" || so_far_.links.count(*parent) > 0) return *parent;
  const std::string expected = "'base' or a link that stands earlier in the file";
  if (!map.cursor().errors().keeps(map.at("parent")->mark())) {
    map.fail("parent", "no such link", expected);  // will only be counted
  } else if (*parent == name) {
    map.fail("parent", "'" + *parent + "', which is the link itself", expected);
  } else if (all_parents_.count(*parent) > 0) {
    // does the chain of parents come back here?
    std::set<std::string> seen;
    std::string ancestor = *parent;
    while (ancestor != name && all_parents_.count(ancestor) > 0 && seen.insert(ancestor).second) {
      ancestor = all_parents_.at(ancestor);
    }
    const std::string why = ancestor == name ? ", which hangs on this link itself: a cycle"
                                             : ", which stands later (" + all_marks_.at(*parent).text() + ")";
    map.fail("parent", "'" + *parent + "'" + why, expected);
  } else {
    std::vector<std::string> known{"base"};
    for (const auto& entry : so_far_.links) known.push_back(entry.first);
    map.fail("parent", "'" + *parent + "', which is no link", one_of(*parent, known));
  }
  return before;
}

template <typename S>
void RobotReaderT<S>::read_link(const YamlMap& map, int index) {
  const std::size_t errors_before = map.cursor().errors().count();
  LinkT<S> link;
  link.name = map.text("name").value_or("");
  if (link.name == "base") map.fail("name", "'base', which is reserved for the robot's base", "another name");
  if (so_far_.links.count(link.name) > 0 && !link.name.empty()) {
    map.fail("name", "'" + link.name + "' again", "a name of its own (" + all_marks_.at(link.name).text() + " has it)");
  }
  link.parent.link = read_parent(map, link.name, index);
  if (const auto attach = map.map("attach")) {
    if (const auto at = attach->at("at")) so_far_.read_at(*at, link.parent.link, false, link.parent);
    link.parent.pose = read_pose<S>(*attach, "pose");
  }
  typename RobotSoFar<S>::KnownLink known;
  known.index = index;
  if (const auto joint = map.map("joint")) {
    link.joint = read_joint(PartReader<S>(*joint, so_far_), link.joint_dynamics);
    if (joint->knows("visual")) add_visuals(*joint, link.name, LinkVisual::Frame::joint);
  }
  if (link.joint) known.joint_nv = link.joint->nv();
  const auto body = map.map("body");
  if (body) {
    link.body = read_kind<BodyKind>(PartReader<S>(*body, so_far_));
    if (body->knows("material") && body->cursor().has_key("material")) {
      link.material = body->cursor().child("material").as_text().value_or("");
    }
    if (body->knows("visual")) add_visuals(*body, link.name, LinkVisual::Frame::body);
  }
  if (const auto contact = map.at("contact")) link.contact = read_link_contact(*contact, map.rule("contact"));
  add_visuals(map, link.name, LinkVisual::Frame::body);
  known.nv = known.joint_nv + (link.body ? link.body->coordinate_count() : 0);
  known.read = map.cursor().errors().count() == errors_before && (!body || link.body);
  if (!link.name.empty() && link.name != "base") so_far_.links.emplace(link.name, known);
  so_far_.robot.links.push_back(std::move(link));
}

template <typename S>
void RobotReaderT<S>::read_actuator(const YamlMap& map) {
  so_far_.require_new_name(map);
  if (auto actuator = read_kind<ActuatorKind>(PartReader<S>(map, so_far_))) {
    so_far_.robot.actuators.push_back(std::move(*actuator));
  }
}

template <typename S>
void RobotReaderT<S>::read_element(const YamlMap& map) {
  so_far_.require_new_name(map);
  if (auto element = read_kind<ElementKind>(PartReader<S>(map, so_far_))) {
    so_far_.robot.elements.push_back(std::move(*element));
  }
}

template <typename S>
void RobotReaderT<S>::read_load(const YamlMap& map) {
  if (auto load = read_kind<LoadKind>(PartReader<S>(map, so_far_))) so_far_.robot.loads.push_back(std::move(*load));
}

template <typename S>
void RobotReaderT<S>::read_marker(const YamlMap& map) {
  const PartReader<S> part(map, so_far_);
  MarkerT<S> marker{map.text("name").value_or(""), part.place()};
  const auto same = [&](const MarkerT<S>& other) { return other.name == marker.name; };
  if (!marker.name.empty() && std::any_of(so_far_.robot.markers.begin(), so_far_.robot.markers.end(), same)) {
    map.fail("name", "'" + marker.name + "' again", "a name of its own");
  }
  marker.place.pose = marker.place.pose * PoseT<S>{read_rotation<S>(map), read_vector3<S>(map, "offset")};
  so_far_.robot.markers.push_back(std::move(marker));
}

template <typename S>
void RobotReaderT<S>::read_sensor(const YamlMap& map) {
  if constexpr (std::is_same_v<S, double>) {
    NamedSensor sensor{map.text("name").value_or(""), nullptr};
    const auto same = [&](const NamedSensor& other) { return other.name == sensor.name; };
    std::vector<NamedSensor>& sensors = so_far_.robot.sensors;
    if (!sensor.name.empty() && std::any_of(sensors.begin(), sensors.end(), same)) {
      map.fail("name", "'" + sensor.name + "' again", "a name of its own");
    }
    sensor.sensor = read_kind<SensorKind>(PartReader<S>(map, so_far_));
    if (sensor.sensor) sensors.push_back(std::move(sensor));
  } else if (so_far_.before && so_far_.robot.sensors.empty()) {
    so_far_.robot.sensors = so_far_.before->sensors;  // no number of theirs is one of the dynamics
  }
}

template class RobotReaderT<double>;
template class RobotReaderT<ForwardDual>;

}  // namespace cuttle
