#include "io/robot_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cuttle/bodies/rigid_body.h"
#include "cuttle/error.h"
#include "cuttle/model/spelling.h"
#include "io/continuum_joint_reader.h"
#include "io/joint_reader.h"
#include "io/part_readers.h"
#include "io/robot_tables.h"
#include "io/visual_reader.h"
#include "io/volume_reader.h"

namespace cuttle {

template <typename S>
RobotT<S> RobotReaderT<S>::read(const YamlCursor& root) {
  const auto map = root.map(k_robot_table);
  if (!map) return {};
  check_format_version(*map);
  robot_.name = map->text("name").value_or("robot");
  robot_.gravity = read_vector3<S>(*map, "gravity", Robot().gravity);
  if (const auto base = map->map("base")) read_base(*base);
  add_visuals(*map, "base", LinkVisual::Frame::world);
  if (const auto materials = map->at("materials")) {
    const Key& rule = map->rule("materials");
    for (const auto& [name, item] : materials->named_items(rule.expected())) {
      const auto material = item.map(rule);
      materials_[name] = material ? read_material<S>(*material) : NamedMaterialT<S>();
    }
  }
  if (const auto links = map->at("links")) {
    collect_names(*links);
    if (links->kind() == YamlNode::Kind::list && links->size() == 0) links->fail("at least one link");
    for (const YamlMap& link : map->maps("links")) read_link(link, static_cast<int>(robot_.links.size()));
  }
  for (const YamlMap& actuator : map->maps("actuators")) read_actuator(actuator);
  for (const YamlMap& element : map->maps("elements")) read_element(element);
  for (const YamlMap& load : map->maps("loads")) read_load(load);
  for (const YamlMap& loop : map->maps("loops")) read_loop(loop);
  for (const auto& [name, material] : materials_) {
    if (material.used) continue;
    warnings_.push_back(root.child("materials").child(name).mark().text() + ": materials." + name +
                        ": no link is made of it");
  }
  return std::move(robot_);
}

template <typename S>
void RobotReaderT<S>::read_base(const YamlMap& map) {
  robot_.floating_base = map.text("motion") == "floating";
  robot_.base_pose = read_pose<S>(map, "pose");
  add_visuals(map, "base", LinkVisual::Frame::base);
}

template <typename S>
void RobotReaderT<S>::add_visuals(const YamlMap& map, const std::string& link, LinkVisual::Frame frame) {
  if (before_) return;  // no number of theirs is a parameter
  for (Visual& visual : read_visuals(map, *files_)) visuals_.push_back({link, frame, std::move(visual)});
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
  std::string before = index == 0 ? "base" : robot_.links.back().name;
  const auto parent = map.text("parent");
  if (!parent) return before;
  if (*parent == "base" || links_.count(*parent) > 0) return *parent;
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
    for (const auto& entry : links_) known.push_back(entry.first);
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
  if (links_.count(link.name) > 0 && !link.name.empty()) {
    map.fail("name", "'" + link.name + "' again", "a name of its own (" + all_marks_.at(link.name).text() + " has it)");
  }
  link.parent.link = read_parent(map, link.name, index);
  if (const auto attach = map.map("attach")) {
    if (const auto at = attach->at("at")) read_at(*at, link.parent.link, false, link.parent);
    link.parent.pose = read_pose<S>(*attach, "pose");
  }
  KnownLink known;
  known.index = index;
  if (const auto joint = map.map("joint")) {
    link.joint = read_joint(*joint, link.joint_dynamics);
    add_visuals(*joint, link.name, LinkVisual::Frame::joint);
  }
  if (link.joint) known.joint_nv = link.joint->nv();
  const auto body = map.map("body");
  if (body) {
    if (body->variant() == "rod") {
      const auto rod = read_rod(*body, materials_, warnings_);
      if (rod && rod->coordinate_count() == 0) {
        warnings_.push_back(body->cursor().mark().text() + ": " + body->cursor().path() +
                            ": a rod without strain is rigid");
      }
      link.body = rod;
    } else if (body->variant() == "volume") {
      VolumeFiles files{.named = *files_};
      if (before_) files.before = before_->links[index].body.get();
      link.body = read_volume(*body, materials_, files);
    } else if (body->variant() == "continuum_joint") {
      link.body = read_continuum_joint<S>(*body);
    } else {
      link.body = read_rigid(*body);
    }
    add_visuals(*body, link.name, LinkVisual::Frame::body);
  }
  add_visuals(map, link.name, LinkVisual::Frame::body);
  known.nv = known.joint_nv + (link.body ? link.body->coordinate_count() : 0);
  known.read = map.cursor().errors().count() == errors_before && (!body || link.body);
  if (!link.name.empty() && link.name != "base") links_.emplace(link.name, known);
  robot_.links.push_back(std::move(link));
}

template <typename S>
std::shared_ptr<const BodyT<S>> RobotReaderT<S>::read_rigid(const YamlMap& map) {
  const std::size_t errors_before = map.cursor().errors().count();
  RigidParametersT<S> rigid;
  rigid.mass = map.number<S>("mass").value_or(S(0.0));
  rigid.com = read_vector3<S>(map, "com");
  if (const auto inertia = map.numbers_or<S>("inertia", std::vector<double>(6, 0.0))) {
    const auto& I = *inertia;  // xx, yy, zz, xy, xz, yz: the order of the type too
    rigid.inertia = {I[0], I[1], I[2], I[3], I[4], I[5]};
  }
  rigid.tip = read_pose<S>(map, "tip");
  if (map.cursor().errors().count() > errors_before) return nullptr;
  try {
    return std::make_shared<const RigidBodyT<S>>(rigid);
  } catch (const ModelError& error) {
    map.cursor().fail_inside(error.diagnostic());
    return nullptr;
  }
}

template <typename S>
std::optional<std::string> RobotReaderT<S>::read_link_name(const YamlCursor& cursor, bool with_base) const {
  auto name = cursor.text({.name = {}, .kind = Key::Kind::name});
  if (!name || (with_base && *name == "base") || links_.count(*name) > 0) return name;
  if (!cursor.errors().keeps(cursor.mark())) {
    cursor.fail("the name of a link");  // will only be counted
    return std::nullopt;
  }
  std::vector<std::string> known;
  if (with_base) known.push_back("base");
  for (std::size_t i = 0; i < robot_.links.size(); ++i) {
    const auto link = links_.find(robot_.links[i].name);
    const bool first = link != links_.end() && link->second.index == static_cast<int>(i);  // of its name
    if (first) known.push_back(link->first);
  }
  cursor.fail("'" + *name + "', which is no link", one_of(*name, known));
  return std::nullopt;
}

template <typename S>
void RobotReaderT<S>::read_at(const YamlCursor& cursor, const std::string& link, bool with_points, PlaceT<S>& place) {
  const KeyTable& table = with_points ? k_place_table : k_section_port_table;
  const std::string expected =
      with_points ? "base, tip, {s: number [m]} or {point: [x, y, z]}" : "base, tip or {s: number [m]}";
  if (const auto text = cursor.as_text()) {
    if (*text == "base") {
      place.at = PortLocationT<S>::base();
    } else if (*text == "tip") {
      place.at = PortLocationT<S>::tip();
    } else {
      cursor.fail(expected + did_you_mean(*text, {"base", "tip"}));
    }
    return;
  }
  if (cursor.kind() != YamlNode::Kind::map) {
    cursor.fail(expected);
    return;
  }
  const auto map = cursor.map(table);
  if (!map) return;
  const auto known = links_.find(link);
  const bool on_base = link == "base";
  if (!on_base && (known == links_.end() || !known->second.read)) return;  // reported already
  const BodyT<S>* body = on_base ? nullptr : body_of(known->second);
  const SlenderT<S>* rod = body != nullptr ? body->slender() : nullptr;
  const std::string what = on_base           ? "the robot's base"
                           : body == nullptr ? "a link without a body"
                                             : "a " + body->type_name() + " body";
  if (with_points && map->has("s") == map->has("point")) {
    cursor.fail(map->has("s") ? "s and point together" : "neither s nor point", "one of the two");
  } else if (map->has("s")) {
    if (rod == nullptr) {
      map->fail("s", "a section on " + what, "base or tip (only rods have sections)");
      return;
    }
    const double length = scalar_cast<double>(rod->length());
    if (const auto s = map->at("s")->number<S>(key::number("s", from_to(0.0, length), "m"))) {
      place.at = PortLocationT<S>::section(*s);
    }
  } else if (with_points) {
    if (rod != nullptr) {
      map->fail("point", "a point on a rod", "base, tip or {s: number [m]}");
      return;
    }
    const bool deforms = body != nullptr && body->coordinate_count() > 0;
    if (deforms && !body->has_material_points()) {
      map->fail("point", "a point on " + what, "base or tip");
      return;
    }
    if (deforms) {
      place.at = PortLocationT<S>::at_point(read_vector3<S>(*map, "point"));
      return;
    }
    // a rigid body's points move with its base frame
    place.at = PortLocationT<S>::base();
    place.pose.position = read_vector3<S>(*map, "point");
  }
}

template class RobotReaderT<double>;
template class RobotReaderT<Gradient>;

}  // namespace cuttle
