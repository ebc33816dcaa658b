// Robots in URDF.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "cuttle/elements/coupling.h"
#include "cuttle/error.h"
#include "cuttle/geometry/shapes.h"
#include "cuttle/io/key_table.h"
#include "io/import/import_builder.h"
#include "io/robot/part_readers.h"

namespace cuttle {
namespace {

using std::string;

class UrdfReader {
 public:
  UrdfReader(const NamedText& file, string name, ImportBuilder& to)
      : file_name_(std::move(name)), root_(parse_xml(file, {"robot"})), to_(&to) {}

  void read() {
    refuse_xacro(root_);
    if (const string* name = root_.find("name")) to_->robot.name = *name;
    for (const XmlElement& element : root_.children) {
      if (element.tag == "material") read_material(element);
      if (element.tag == "link") collect_link(element);
    }
    for (const XmlElement& element : root_.children) {
      if (element.tag == "joint") collect_joint(element);
    }
    if (to_->errors.count() > 0) return;
    const string root = root_link();
    if (root.empty()) return;
    to_->robot.floating_base = to_->options().floating;
    add_links(root, "", nullptr);
    for (const auto& [name, joint] : joints_) add_effects(name, *joint.element);
    for (const XmlElement& element : root_.children) note_rest(element);
  }

 private:
  struct JointEntry {
    const XmlElement* element;
    string parent, child;
    string link;         // of the robot, once it is there
    bool turns = false;  // one coordinate, an angle
    bool slides = false;
  };

  /// @throws FileError if macros of xacro are still to be expanded.
  void refuse_xacro(const XmlElement& element) const {
    const auto refuse = [&](const string& found) {
      string made = "robot.urdf";
      for (const string ending : {".urdf.xacro", ".xacro"}) {
        if (!file_name_.ends_with(ending)) continue;
        made = file_name_.substr(0, file_name_.size() - ending.size()) + ".urdf";
        break;
      }
      throw FileError(fmt::format("{}: found {}, which is xacro, expected URDF: `xacro {} > {}` makes it first",
                                  element.mark.text(), found, file_name_, made));
    };
    if (element.tag.starts_with("xacro:")) refuse("<" + element.tag + ">");
    for (const auto& [attribute, text] : element.attributes) {
      if (text.find("${") != text.npos) refuse(fmt::format("{}=\"{}\"", attribute, text));
    }
    for (const XmlElement& child : element.children) refuse_xacro(child);
  }

  void read_material(const XmlElement& element) {
    const string* const name = element.find("name");
    const XmlElement* const color = element.child("color");
    if (name == nullptr || color == nullptr) return;
    if (const auto rgba = read_color(*color)) colors_[*name] = *rgba;
  }

  std::optional<Color> read_color(const XmlElement& element) {
    ElementReader color(element, "color", "", *to_);
    const auto c = color.numbers("rgba", 4, 4);
    if (c.empty()) return std::nullopt;
    const auto part = [](double x) { return std::clamp(x, 0.0, 1.0); };
    return Color{part(c[0]), part(c[1]), part(c[2]), part(c[3])};
  }

  void collect_link(const XmlElement& element) {
    const string* const name = element.find("name");
    if (name == nullptr || name->empty()) {
      to_->errors.add(element.mark, "link.name", "nothing", "a name");
    } else if (!links_.emplace(*name, &element).second) {
      to_->errors.add(element.mark, "link[" + *name + "].name", "'" + *name + "' again", "a name of its own");
    }
  }

  /// Attribute of a child element that must be there; empty, with an error, if it is not.
  string of_child(const XmlElement& joint, const string& name, const char* tag, const char* attribute) {
    const XmlElement* const child = joint.child(tag);
    const string* const value = child ? child->find(attribute) : nullptr;
    if (value != nullptr) return *value;
    to_->errors.add(child ? child->mark : joint.mark, fmt::format("joint[{}].{}.{}", name, tag, attribute), "nothing",
                    "the name of a link");
    return "";
  }

  void collect_joint(const XmlElement& element) {
    const string* const name = element.find("name");
    if (name == nullptr || name->empty()) {
      to_->errors.add(element.mark, "joint.name", "nothing", "a name");
      return;
    }
    JointEntry joint;
    joint.element = &element;
    for (const auto& [end, tag] : {std::pair{&joint.parent, "parent"}, std::pair{&joint.child, "child"}}) {
      *end = of_child(element, *name, tag, "link");
      if (end->empty() || links_.count(*end) > 0) continue;
      std::vector<string> known;
      for (const auto& entry : links_) known.push_back(entry.first);
      to_->errors.add(element.child(tag)->mark, fmt::format("joint[{}].{}.link", *name, tag),
                      "'" + *end + "', which is no link", one_of(*end, known));
    }
    if (const auto other = joint_of_child_.find(joint.child); other != joint_of_child_.end()) {
      to_->errors.add(element.mark, "joint[" + *name + "].child.link",
                      fmt::format("'{}', which is the child of joint '{}' too", joint.child, other->second),
                      "a link with one parent: a tree");
    }
    if (std::any_of(joints_.begin(), joints_.end(), [&](const auto& entry) { return entry.first == *name; })) {
      to_->errors.add(element.mark, "joint[" + *name + "].name", "'" + *name + "' again", "a name of its own");
      return;
    }
    joint_of_child_[joint.child] = *name;
    children_[joint.parent].push_back(joints_.size());
    joints_.emplace_back(*name, std::move(joint));
  }

  /// The one link without a parent that all others hang on; empty, with an error, if there is none.
  string root_link() {
    string root;
    for (const XmlElement& element : root_.children) {
      if (element.tag != "link" || joint_of_child_.count(*element.find("name")) > 0) continue;
      const string& name = *element.find("name");
      if (!root.empty()) {
        to_->errors.add(element.mark, "link[" + name + "]", fmt::format("a second root, beside '{}'", root),
                        "one link that is no joint's child");
      }
      if (root.empty()) root = name;
    }
    if (root.empty()) {
      to_->errors.add(root_.mark, "robot", links_.empty() ? "no link" : "a cycle: every link is some joint's child",
                      "one link that is no joint's child");
      return root;
    }
    if (to_->errors.count() > 0) return "";
    std::set<string> reached;
    std::vector<string> waiting{root};
    while (!waiting.empty()) {
      const string link = waiting.back();
      waiting.pop_back();
      if (!reached.insert(link).second) continue;
      for (const std::size_t joint : children_[link]) waiting.push_back(joints_[joint].second.child);
    }
    for (const auto& [name, element] : links_) {
      if (reached.count(name) > 0) continue;
      to_->errors.add(element->mark, "link[" + name + "]", "a cycle of joints that does not hang on the root",
                      fmt::format("links below '{}'", root));
    }
    return to_->errors.count() > 0 ? "" : root;
  }

  Pose read_origin(const XmlElement& element, const string& path, const string& name) {
    const XmlElement* const origin = element.child("origin");
    if (origin == nullptr) return {};
    ElementReader reader(*origin, path + ".origin", name, *to_);
    const Vector3 rpy = reader.vector_or("rpy", {});
    const Vector3 xyz = reader.vector_or("xyz", {});
    reader.finish();
    return {rotation_from_rpy(rpy.x, rpy.y, rpy.z), xyz};
  }

  void add_links(const string& root, const string& root_parent, JointEntry* root_joint) {
    struct Waiting {
      string link, parent;
      JointEntry* joint;
    };
    std::vector<Waiting> stack{{root, root_parent, root_joint}};  // no recursion: chains may be long
    while (!stack.empty()) {
      const Waiting now = stack.back();
      stack.pop_back();
      const string name = add_link(now.link, now.parent, now.joint);
      const std::vector<std::size_t>& below = children_[now.link];
      for (auto joint = below.rbegin(); joint != below.rend(); ++joint) {
        stack.push_back({joints_[*joint].second.child, name, &joints_[*joint].second});
      }
    }
  }

  string add_link(const string& name, const string& parent, JointEntry* joint) {
    const XmlElement& element = *links_.at(name);
    ImportedLink link;
    link.name = name, link.parent = parent;
    if (joint != nullptr) read_joint(*joint, link);
    if (const XmlElement* const inertial = element.child("inertial")) link.mass = read_inertial(*inertial, name);
    string added = to_->add_link(element.mark, link);
    if (joint != nullptr) joint->link = added;
    for (const XmlElement& part : element.children) {
      if (part.tag == "visual") {
        read_visual(part, name, added);
      } else if (part.tag == "collision") {
        read_collision(part, name, added);
      } else if (part.tag != "inertial") {
        to_->note(part.mark, fmt::format("{} of a link: left out", part.tag), name);
      }
    }
    return added;
  }

  void read_joint(JointEntry& joint, ImportedLink& link) {
    const XmlElement& element = *joint.element;
    const string name = *element.find("name");
    ElementReader reader(element, "joint", name, *to_);
    reader.ignore({"name"});
    const string type = reader.text_or("type", "");
    link.parent_joint = read_origin(element, "joint", name);
    Vector3 axis{1.0, 0.0, 0.0};
    const bool has_axis = type == "revolute" || type == "continuous" || type == "prismatic" || type == "planar";
    if (const XmlElement* const given = element.child("axis"); given != nullptr && has_axis) {
      ElementReader axis_reader(*given, "joint.axis", name, *to_);
      axis = axis_reader.vector_or("xyz", axis);
      if (norm(axis) == 0.0) axis_reader.fail("xyz", "a zero vector", "a direction"), axis = {1.0, 0.0, 0.0};
      axis_reader.finish();
    }
    int nv = 1;
    if (type == "revolute" || type == "continuous") {
      link.joint = make_revolute_joint<double>(axis), joint.turns = true;
    } else if (type == "prismatic") {
      link.joint = make_prismatic_joint<double>(axis), joint.slides = true;
    } else if (type == "floating") {
      link.joint = make_free_joint<double>(), nv = 6;
    } else if (type == "planar") {
      const Pose joint_plane{rotation_from_z(axis), {}};
      link.joint = make_planar_joint<double>(), nv = 3;
      link.parent_joint = link.parent_joint * joint_plane;
      link.joint_link = joint_plane.inverse();
    } else if (type == "fixed") {
      nv = 0;
    } else {
      reader.fail("type", type.empty() ? "nothing" : "'" + type + "'",
                  join_or({"revolute", "continuous", "prismatic", "fixed", "floating", "planar"}));
    }
    if (const XmlElement* const dynamics = element.child("dynamics"); dynamics != nullptr) {
      ElementReader values(*dynamics, "joint.dynamics", name, *to_);
      const double damping = values.number_or("damping", 0.0), friction = values.number_or("friction", 0.0);
      if (damping < 0.0) values.fail("damping", fmt::format("{}", damping), "a number >= 0");
      if (damping > 0.0 && nv > 0) link.dynamics.damping.assign(static_cast<std::size_t>(nv), damping);
      if (friction != 0.0)
        to_->note(dynamics->mark, "friction of a joint: left out (an element joint_friction can stand for it)", name);
      values.finish();
    }
    reader.finish();
  }

  std::optional<MassProperties> read_inertial(const XmlElement& element, const string& name) {
    const Pose link_center = read_origin(element, "link.inertial", name);
    MassProperties mass;
    if (const XmlElement* const value = element.child("mass")) {
      ElementReader reader(*value, "link.inertial.mass", name, *to_);
      mass.mass = reader.number_or("value", 0.0);
      if (mass.mass < 0.0) reader.fail("value", fmt::format("{}", mass.mass), "a number >= 0 [kg]"), mass.mass = 0.0;
      reader.finish();
    }
    if (const XmlElement* const tensor = element.child("inertia")) {
      ElementReader reader(*tensor, "link.inertial.inertia", name, *to_);
      SymmetricMatrix3& I = mass.inertia;
      for (const auto& [part, key] : {std::pair{&I.xx, "ixx"}, std::pair{&I.yy, "iyy"}, std::pair{&I.zz, "izz"},
                                      std::pair{&I.xy, "ixy"}, std::pair{&I.xz, "ixz"}, std::pair{&I.yz, "iyz"}}) {
        *part = reader.number_or(key, 0.0);
      }
      reader.finish();
    }
    return mass.seen_from(link_center);
  }

  void read_visual(const XmlElement& element, const string& name, const string& link) {
    Visual visual;
    visual.pose = read_origin(element, "link.visual", name);
    if (const XmlElement* const material = element.child("material")) {
      if (const XmlElement* const color = material->child("color")) {
        visual.color = read_color(*color);
      } else if (const string* const known = material->find("name"); known != nullptr && colors_.count(*known) > 0) {
        visual.color = colors_.at(*known);
      }
      if (material->child("texture") != nullptr) to_->note(material->mark, "texture of a visual: left out", name);
    }
    const XmlElement* const geometry = element.child("geometry");
    if (geometry == nullptr || geometry->children.empty()) {
      to_->note(element.mark, "visual without a geometry: not drawn", name);
      return;
    }
    const XmlElement& shape = geometry->children.front();
    ElementReader reader(shape, "link.visual." + shape.tag, name, *to_);
    const auto positive = [&reader](const char* key) {
      const auto value = reader.number(key);
      if (!value || *value <= 0.0) {
        reader.fail(key, value ? fmt::format("{}", *value) : "nothing", "a number > 0 [m]");
        return 1.0;
      }
      return *value;
    };
    if (shape.tag == "box") {
      visual.shape = Visual::Shape::box;
      visual.size = reader.vector_or("size", {});
      if (!(visual.size.x > 0.0 && visual.size.y > 0.0 && visual.size.z > 0.0)) {
        to_->note(shape.mark, "box without a size: not drawn", name);
        return;
      }
    } else if (shape.tag == "cylinder" || shape.tag == "capsule") {
      visual.shape = Visual::Shape::cylinder;
      visual.radius = positive("radius"), visual.length = positive("length");
      if (shape.tag == "capsule") to_->note(shape.mark, "capsule of a visual: drawn as a cylinder", name);
    } else if (shape.tag == "sphere") {
      visual.shape = Visual::Shape::sphere;
      visual.radius = positive("radius");
    } else if (shape.tag == "mesh") {
      visual.shape = Visual::Shape::mesh;
      const Vector3 scale = reader.vector_or("scale", {1.0, 1.0, 1.0});
      const string file = reader.text_or("filename", "");
      visual.mesh = to_->mesh_to_draw(shape.mark, file, file_name_, scale);
      if (!visual.mesh) return reader.finish();
    } else {
      to_->note(shape.mark, fmt::format("{} of a visual: not drawn", shape.tag), name);
      return;
    }
    reader.finish();
    to_->add_visual(link, std::move(visual));
  }

  void read_collision(const XmlElement& element, const string& name, const string& link) {
    ContactShape touching;
    touching.pose = read_origin(element, "link.collision", name);
    const XmlElement* const geometry = element.child("geometry");
    if (geometry == nullptr || geometry->children.empty()) {
      return to_->note(element.mark, "collision without a geometry: left out", name);
    }
    const XmlElement& shape = geometry->children.front();
    ElementReader reader(shape, "link.collision." + shape.tag, name, *to_);
    if (shape.tag == "box") {
      const Vector3 size = reader.vector_or("size", {});
      if (std::min({size.x, size.y, size.z}) > 0.0) touching.shape = std::make_shared<const Box>(size);
    } else if (shape.tag == "sphere") {
      const double radius = reader.number_or("radius", 0.0);
      if (radius > 0.0) touching.shape = std::make_shared<const Sphere>(radius);
    } else if (shape.tag == "cylinder" || shape.tag == "capsule") {
      const double radius = reader.number_or("radius", 0.0), length = reader.number_or("length", 0.0);
      if (radius > 0.0 && length > 0.0 && shape.tag == "cylinder") {
        touching.shape = std::make_shared<const Cylinder>(radius, length);
      } else if (radius > 0.0 && length > 0.0) {
        touching.shape = std::make_shared<const Capsule>(radius, length);
      }
    } else {
      return to_->note(shape.mark, fmt::format("{} of a collision: {}", shape.tag, k_shape_lost), name);
    }
    reader.finish();
    if (!touching.shape) {
      return to_->note(shape.mark, fmt::format("{} of a collision without a size: left out", shape.tag), name);
    }
    to_->note(element.mark, fmt::format("collision of a link: {}", k_shape_touches), name);
    to_->add_contact_shape(link, std::move(touching));
  }

  /// What a joint does beside moving: limits, coupling, motor.
  void add_effects(const string& name, const XmlElement& element) {
    const auto found = std::find_if(joints_.begin(), joints_.end(), [&](const auto& j) { return j.first == name; });
    const JointEntry& joint = found->second;
    const bool single = joint.turns || joint.slides;
    const string* const type = element.find("type");
    const XmlElement* const mimic = element.child("mimic");
    double effort = 0.0;
    for (const XmlElement& part : element.children) {
      if (part.tag == "limit") {
        ElementReader reader(part, "joint.limit", name, *to_);
        const auto most = [&reader](const char* key) {  // inf: as if it were not there
          const double value = reader.bound_or(key, 0.0);
          return std::isinf(value) ? 0.0 : value;
        };
        effort = most("effort");
        const double lower = reader.bound_or("lower", 0.0), upper = reader.bound_or("upper", 0.0);
        const double velocity = most("velocity");
        reader.finish();
        if (effort != 0.0) to_->note(part.mark, "most effort of a joint: left out, as actuators have no limits", name);
        if (velocity != 0.0) to_->note(part.mark, "most velocity of a joint: left out", name);
        const bool bounded = single && type != nullptr && *type != "continuous";
        if (is_no_limit(lower, upper)) continue;
        if (!bounded && (lower != 0.0 || upper != 0.0)) {
          to_->note(part.mark, "limits of a joint without bounds or of several coordinates: left out", name);
        } else if (bounded && lower < upper) {
          to_->add_limit(part.mark, name, joint.link, joint.turns, lower, upper, effort);
        } else if (bounded) {
          to_->note(part.mark, "limits of a joint that leave no room (lower not below upper): left out", name);
        }
      } else if (part.tag != "origin" && part.tag != "parent" && part.tag != "child" && part.tag != "axis" &&
                 part.tag != "dynamics" && part.tag != "mimic") {
        to_->note(part.mark, fmt::format("{} of a joint: left out", part.tag), name);
      }
    }
    if (mimic != nullptr && single) {
      add_mimic(name, joint, *mimic);
    } else if (mimic != nullptr) {
      to_->note(mimic->mark, "mimic of a joint that has not one coordinate: left out", name);
    } else if (single) {
      to_->robot.actuators.push_back(Actuator::joint(to_->effect_name(element.mark, name), joint.link));
    }
  }

  void add_mimic(const string& name, const JointEntry& follower, const XmlElement& element) {
    ElementReader reader(element, "joint.mimic", name, *to_);
    const string leader = reader.text_or("joint", "");
    const double factor = reader.number_or("multiplier", 1.0), offset = reader.number_or("offset", 0.0);
    reader.finish();
    const auto found = std::find_if(joints_.begin(), joints_.end(), [&](const auto& j) { return j.first == leader; });
    if (found == joints_.end() || !(found->second.turns || found->second.slides)) {
      to_->note(element.mark, "mimic of a joint that names no joint of one coordinate: left out",
                fmt::format("{} of '{}'", name, leader));
      return;
    }
    Coupling coupling;
    coupling.rest = offset;
    coupling.stiffness = follower.turns ? 100.0 : 1e5;
    coupling.damping = 0.005 * coupling.stiffness;
    to_->robot.elements.push_back(make_coupling<double>(to_->effect_name(element.mark, name + "_mimic"),
                                                        {follower.link, found->second.link}, {1.0, -factor}, coupling));
    to_->note(
        element.mark,
        "mimic of a joint: made a stiff coupling (an element), of a stiffness that is chosen here; the joint keeps "
        "its coordinate",
        name);
  }

  void note_rest(const XmlElement& element) {
    if (element.tag == "link" || element.tag == "joint" || element.tag == "material") return;
    const string* const name = element.find("name");
    to_->note(element.mark, fmt::format("{}: left out", element.tag), name ? *name : "");
    if (element.tag != "transmission") return;
    for (const XmlElement& part : element.children) {
      for (const XmlElement& inner : part.children) {
        if (inner.tag == "mechanicalReduction" && inner.text != "1") {
          to_->note(inner.mark, "reduction of a transmission: left out; inputs are torques and forces at the joints",
                    name ? *name : "");
        }
      }
    }
  }

  string file_name_;
  XmlElement root_;
  ImportBuilder* to_;
  std::map<string, const XmlElement*> links_;
  std::vector<std::pair<string, JointEntry>> joints_;  // in file order
  std::map<string, string> joint_of_child_;
  std::map<string, std::vector<std::size_t>> children_;  // joints by their parents
  std::map<string, Color> colors_;
};

}  // namespace

void read_urdf(const NamedText& file, const std::string& name, ImportBuilder& to) { UrdfReader(file, name, to).read(); }

}  // namespace cuttle
