// The rigid part of robots in SDF.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "cuttle/error.h"
#include "cuttle/geometry/shapes.h"
#include "cuttle/io/key_table.h"
#include "io/import/import_builder.h"
#include "io/import/sdf_inertia.h"
#include "io/robot/part_readers.h"

namespace cuttle {
namespace {

using std::string;

class SdfReader {
 public:
  SdfReader(const NamedText& file, string name, ImportBuilder& to)
      : file_name_(std::move(name)), root_(parse_xml(file, {"sdf"})), to_(&to), read_(root_, to) {}

  void read() {
    model_ = root_.child("model");
    const XmlElement* const world = model_ ? nullptr : root_.child("world");
    if (world != nullptr) model_ = world->child("model");
    if (model_ == nullptr) {
      to_->errors.add(root_.mark, "sdf", "no model", "a <model>");
      return;
    }
    for (const XmlElement& part : root_.children) {
      if (&part != model_ && &part != world) {
        to_->note(part.mark, fmt::format("{} beside the model: left out", part.tag), name_of(part));
      }
    }
    if (world != nullptr) {
      for (const XmlElement& part : world->children) {
        if (&part != model_) to_->note(part.mark, fmt::format("{} of a world: left out", part.tag), name_of(part));
      }
    }
    if (!name_of(*model_).empty()) to_->robot.name = name_of(*model_);
    collect();
    if (to_->errors.count() > 0) return;
    frames_.resolve_all();
    if (to_->errors.count() > 0) return;
    add_tree();
  }

 private:
  struct LinkEntry {
    const XmlElement* element;
    string joint;  // that it is the child of
    string added;  // name in the robot
    bool done = false;
  };
  struct JointEntry {
    const XmlElement* element;
    string parent_frame, child_frame;  ///< as in the file: links, or frames that move with one
    string parent, child;              ///< these links, or the world
  };

  static string name_of(const XmlElement& element) { return SdfElements::name_of(element); }
  static string text_of(const XmlElement& element, const char* tag, const string& fallback) {
    return SdfElements::text_of(element, tag, fallback);
  }

  void collect() {
    for (const XmlElement& element : model_->children) {
      const string name = name_of(element);
      if (element.tag == "link") {
        links_.push_back(name);
        link_entries_[name] = {&element, "", "", false};
        frames_.add_link(element);
      } else if (element.tag == "frame") {
        const string* const attached = element.find("attached_to");
        frames_.add(element, attached && !attached->empty() ? *attached : SdfFrames::k_model);
        read_.note_attributes(element, "a frame", name, {"name", "attached_to"});
        read_.note_children(element, "a frame", name, {"pose"});
        to_->note(element.mark, "frame of the model: made a marker", name);
        markers_.push_back(&element);
      } else if (element.tag == "joint") {
        JointEntry joint{&element, text_of(element, "parent", ""), text_of(element, "child", ""), "", ""};
        frames_.add(element, joint.child_frame);  // it moves with its child
        joint_index_.emplace(name, joints_.size());
        joints_.emplace_back(name, std::move(joint));
      } else if (element.tag == "static") {
        if (element.text == "true" || element.text == "1")
          to_->note(element.mark, "static: left out; every root is fixed");
      } else if (element.tag != "pose") {
        to_->note(element.mark, fmt::format("{} of a model: left out", element.tag), name);
      }
    }
    if (links_.empty()) {
      to_->errors.add(model_->mark, "model", "no link", "at least one");
      return;
    }
    string canonical = links_.front();
    if (const string* const given = model_->find("canonical_link"); given != nullptr && !given->empty()) {
      if (link_entries_.count(*given) == 0) {
        to_->errors.add(model_->mark, "model.canonical_link", "'" + *given + "', which is no link",
                        one_of(*given, links_));
      }
      canonical = *given;
    }
    frames_.add_model(*model_, canonical);
    for (auto& [name, joint] : joints_) connect(name, joint);
    read_.note_attributes(*model_, "a model", name_of(*model_), {"name", "canonical_link", "placement_frame"});
    if (!read_.relative_to(*model_).empty()) to_->note(model_->mark, "relative_to of the pose of a model: left out");
  }

  /// The links at the ends of a joint. Its ends may be frames (SDF 1.8), which stand for the links they move with.
  void connect(const string& name, JointEntry& joint) {
    const SourceMark& mark = joint.element->mark;
    const std::size_t errors_before = to_->errors.count();
    const auto link_at = [&](const string& end, const char* key) -> string {
      if (end == "world" && string(key) == "parent") return end;
      if (frames_.has(end)) return frames_.link_of(end).value_or("");
      std::vector<string> known = frames_.names();
      known.emplace_back("world");
      to_->errors.add(mark, fmt::format("joint[{}].{}", name, key), "'" + end + "', which is no link and no frame",
                      one_of(end, known));
      return "";
    };
    joint.parent = link_at(joint.parent_frame, "parent"), joint.child = link_at(joint.child_frame, "child");
    const auto child = link_entries_.find(joint.child);
    if (to_->errors.count() > errors_before || child == link_entries_.end()) return;
    if (joint.parent == joint.child) {
      to_->errors.add(mark, fmt::format("joint[{}]", name), "both ends on the link '" + joint.child + "'",
                      "two different links");
    } else if (!child->second.joint.empty()) {
      to_->errors.add(mark, fmt::format("joint[{}].child", name),
                      fmt::format("'{}', which is the child of joint '{}' too", joint.child, child->second.joint),
                      "a link with one parent: a tree");
    }
    child->second.joint = name;
  }

  void add_tree() {
    Pose world_model = read_.pose(*model_);
    if (const string* const placed = model_->find("placement_frame"); placed != nullptr && !placed->empty()) {
      world_model = world_model * frames_.pose(*placed, model_->mark).inverse();  // the pose is that of this frame
    }
    to_->robot.floating_base = to_->options().floating;
    std::size_t left = links_.size();
    while (left > 0) {  // parents first
      const std::size_t before = left;
      for (const string& name : links_) {
        LinkEntry& link = link_entries_.at(name);
        if (link.done) continue;
        const JointEntry* const joint = joint_of(link.joint);
        const bool on_world = joint == nullptr || joint->parent == "world";
        if (!on_world && !link_entries_.at(joint->parent).done) continue;
        add_link(name, link, joint, on_world ? nullptr : &link_entries_.at(joint->parent), world_model);
        link.done = true, --left;
      }
      if (left == before) {
        to_->errors.add(model_->mark, "model", "a cycle of joints that hangs on no root", "a tree");
        return;
      }
    }
    for (const XmlElement* const frame : markers_) add_marker(*frame);
  }

  const JointEntry* joint_of(const string& name) const {
    const auto found = joint_index_.find(name);
    return found == joint_index_.end() ? nullptr : &joints_[found->second].second;
  }

  /// A <frame> as a marker on the link that it moves with.
  void add_marker(const XmlElement& frame) {
    const string name = name_of(frame);
    const auto link = frames_.link_of(name);
    if (!link) return;
    const Pose link_frame = frames_.pose(*link, frame.mark).inverse() * frames_.pose(name, frame.mark);
    to_->add_marker(frame.mark, name, link_entries_.at(*link).added, link_frame);
  }

  void add_link(const string& name, LinkEntry& entry, const JointEntry* joint, const LinkEntry* parent,
                const Pose& world_model) {
    ImportedLink link;
    link.name = name;
    const SourceMark& mark = entry.element->mark;
    const Pose model_link = frames_.pose(name, mark);
    if (joint == nullptr) {
      link.parent_joint = world_model * model_link;
    } else {
      const string joint_name = name_of(*joint->element);
      const Pose model_joint = frames_.pose(joint_name, mark);
      const Pose joint_link = model_joint.inverse() * model_link;
      const Pose parent_joint =
          parent ? frames_.pose(joint->parent, mark).inverse() * model_joint : world_model * model_joint;
      read_joint(*joint->element, joint_name, link);
      // its frame and the link's differ: what turns is the joint's, the tip is the link's
      link.parent_joint = parent_joint * link.parent_joint;
      link.joint_link = link.joint_link * joint_link;
      if (parent != nullptr) link.parent = parent->added;
    }
    if (const XmlElement* const inertial = entry.element->child("inertial")) {
      link.mass = read_sdf_inertial(*inertial, *entry.element, file_name_, read_, frames_);
    }
    entry.added = to_->add_link(mark, link);
    read_.note_attributes(*entry.element, "a link", name, {"name"});
    for (const XmlElement& part : entry.element->children) {
      if (part.tag == "visual") {
        read_visual(part, name, entry.added);
      } else if (part.tag == "collision") {
        read_collision(part, name, entry.added);
      } else if (part.tag != "inertial" && part.tag != "pose") {
        to_->note(part.mark, fmt::format("{} of a link: left out", part.tag), name);
      }
    }
    if (joint != nullptr) add_effects(*joint->element, entry.added);
  }

  /// Direction of an axis in the joint's frame.
  Vector3 direction_of(const XmlElement& axis, const string& name) {
    const XmlElement* const xyz = axis.child("xyz");
    const auto x = xyz ? numbers_of(xyz->text) : std::vector<double>{0.0, 0.0, 1.0};
    Vector3 direction{0.0, 0.0, 1.0};
    if (x && x->size() == 3 && norm(Vector3{(*x)[0], (*x)[1], (*x)[2]}) > 0.0) {
      direction = {(*x)[0], (*x)[1], (*x)[2]};
    } else {
      to_->errors.add(xyz->mark, fmt::format("joint[{}].axis.xyz", name), "'" + xyz->text + "'",
                      "a direction: 3 numbers");
    }
    if (xyz) read_.note_attributes(*xyz, "the xyz of an axis", name, {"expressed_in"});
    const string* const expressed = xyz ? xyz->find("expressed_in") : nullptr;
    string frame = expressed ? *expressed : "";
    if (axis_is_in_model(axis, name)) frame = SdfFrames::k_model;
    if (frame.empty()) return direction;
    const Matrix3 model_joint = frames_.pose(name, axis.mark).rotation;
    return model_joint.transpose_times(frames_.pose(frame, axis.mark).rotation * direction);
  }

  /// Whether an axis is in the frame of the model: all of them before SDF 1.5, those that say so before 1.7.
  bool axis_is_in_model(const XmlElement& axis, const string& name) {
    const XmlElement* const given = axis.child("use_parent_model_frame");
    if (read_.is_before(1, 5)) {
      if (given) to_->note(given->mark, "use_parent_model_frame of an axis before SDF 1.5: left out, all are so", name);
      return true;
    }
    if (given == nullptr) return false;
    const string subject = fmt::format("joint[{}].axis.use_parent_model_frame", name);
    const bool in_model = read_.flag(given->text, given->mark, subject);
    if (in_model && !read_.is_before(1, 7)) {
      to_->errors.add(given->mark, subject, "'" + given->text + "' in SDF " + read_.version(),
                      "<xyz expressed_in=\"__model__\">, which is in its place since SDF 1.7");
    }
    return in_model;
  }

  void read_joint(const XmlElement& element, const string& name, ImportedLink& link) {
    const string* const type = element.find("type");
    const string kind = type ? *type : "";
    const XmlElement* const axis = element.child("axis");
    const Vector3 direction = axis ? direction_of(*axis, name) : Vector3{0.0, 0.0, 1.0};
    std::size_t nv = 1;
    if (kind == "revolute" || kind == "continuous") {
      link.joint = make_revolute_joint<double>(direction);
    } else if (kind == "prismatic") {
      link.joint = make_prismatic_joint<double>(direction);
    } else if (kind == "ball") {
      link.joint = make_spherical_joint<double>(), nv = 3;
    } else if (kind == "fixed") {
      nv = 0;
    } else {
      to_->errors.add(element.mark, fmt::format("joint[{}].type", name), kind.empty() ? "nothing" : "'" + kind + "'",
                      join_or({"revolute", "continuous", "prismatic", "ball", "fixed"}));
      return;
    }
    if (axis == nullptr) return;
    if (nv == 0) {
      to_->note(axis->mark, "axis of a fixed joint: left out", name);
      return;
    }
    if (const XmlElement* const dynamics = axis->child("dynamics")) read_dynamics(*dynamics, name, nv, link.dynamics);
  }

  void read_dynamics(const XmlElement& element, const string& name, std::size_t nv, JointDynamicsT<double>& dynamics) {
    const double damping = read_.positive(element, "damping", "a joint", name);
    const double stiffness = read_.positive(element, "spring_stiffness", "a joint", name);
    if (damping > 0.0) dynamics.damping.assign(nv, damping);
    if (read_.number(element, "friction", 0.0) != 0.0)
      to_->note(element.mark, "friction of a joint: left out (an element joint_friction can stand for it)", name);
    if (stiffness > 0.0 && nv == 1) {
      dynamics.stiffness = {stiffness};
      dynamics.rest = {read_.number(element, "spring_reference", 0.0)};
    } else if (stiffness > 0.0) {
      to_->note(element.mark, "spring of a ball joint: left out", name);
    }
    read_.note_attributes(element, "the dynamics of a joint", name, {});
    read_.note_children(element, "the dynamics of a joint", name,
                        {"damping", "friction", "spring_stiffness", "spring_reference"});
  }

  void read_visual(const XmlElement& element, const string& name, const string& link) {
    Visual visual;
    visual.pose = frames_.pose_on(name, element);
    read_.note_attributes(element, "a visual", name, {"name"});
    read_.note_children(element, "a visual", name, {"pose", "material", "geometry"});
    if (const XmlElement* const material = element.child("material")) visual.color = read_color(*material, name);
    const XmlElement* const geometry = element.child("geometry");
    if (geometry == nullptr || geometry->children.empty()) {
      to_->note(element.mark, "visual without a geometry: not drawn", name);
      return;
    }
    const XmlElement& shape = geometry->children.front();
    if (shape.tag == "box") {
      const auto x = numbers_of(text_of(shape, "size", ""));
      if (!x || x->size() != 3 || !(std::min({(*x)[0], (*x)[1], (*x)[2]}) > 0.0)) {
        return to_->note(shape.mark, "box without a size: not drawn", name);
      }
      read_.note_children(shape, "a box", name, {"size"});
      visual.shape = Visual::Shape::box, visual.size = {(*x)[0], (*x)[1], (*x)[2]};
    } else if (shape.tag == "cylinder" || shape.tag == "sphere") {
      visual.shape = shape.tag == "sphere" ? Visual::Shape::sphere : Visual::Shape::cylinder;
      visual.radius = read_.number(shape, "radius", 1.0), visual.length = read_.number(shape, "length", 1.0);
      if (!(visual.radius > 0.0 && visual.length > 0.0)) {
        return to_->note(shape.mark, fmt::format("{} without a size: not drawn", shape.tag), name);
      }
      if (shape.tag == "sphere") {
        read_.note_children(shape, "a sphere", name, {"radius"});
      } else {
        read_.note_children(shape, "a cylinder", name, {"radius", "length"});
      }
    } else if (shape.tag == "mesh") {
      const auto s = numbers_of(text_of(shape, "scale", "1 1 1"));
      if (!s || s->size() != 3) {
        to_->errors.add(shape.mark, "mesh.scale", "'" + text_of(shape, "scale", "") + "'", "3 numbers");
        return;
      }
      read_.note_children(shape, "a mesh", name, {"uri", "scale"});
      visual.shape = Visual::Shape::mesh;
      visual.mesh =
          to_->mesh_to_draw(shape.mark, text_of(shape, "uri", ""), file_name_, Vector3{(*s)[0], (*s)[1], (*s)[2]});
      if (!visual.mesh) return;
    } else {
      return to_->note(shape.mark, fmt::format("{} of a visual: not drawn", shape.tag), name);
    }
    to_->add_visual(link, std::move(visual));
  }

  void read_collision(const XmlElement& element, const string& name, const string& link) {
    ContactShape touching;
    touching.pose = frames_.pose_on(name, element);
    const XmlElement* const geometry = element.child("geometry");
    if (geometry == nullptr || geometry->children.empty()) {
      return to_->note(element.mark, "collision without a geometry: left out", name);
    }
    const XmlElement& shape = geometry->children.front();
    const auto number = [&](const char* key) { return read_.number(shape, key, 0.0); };
    if (shape.tag == "box") {
      const auto x = numbers_of(text_of(shape, "size", ""));
      if (x && x->size() == 3 && std::min({(*x)[0], (*x)[1], (*x)[2]}) > 0.0) {
        touching.shape = std::make_shared<const Box>(Vector3{(*x)[0], (*x)[1], (*x)[2]});
      }
    } else if (shape.tag == "sphere") {
      if (const double radius = number("radius"); radius > 0.0) touching.shape = std::make_shared<const Sphere>(radius);
    } else if (shape.tag == "cylinder" || shape.tag == "capsule" || shape.tag == "cone") {
      const double radius = number("radius"), length = number("length");
      if (radius > 0.0 && length > 0.0) {
        if (shape.tag == "cylinder") touching.shape = std::make_shared<const Cylinder>(radius, length);
        if (shape.tag == "capsule") touching.shape = std::make_shared<const Capsule>(radius, length);
        if (shape.tag == "cone") touching.shape = std::make_shared<const Cone>(std::atan2(radius, length), length);
      }
    } else {
      return to_->note(shape.mark, fmt::format("{} of a collision: {}", shape.tag, k_shape_lost), name);
    }
    if (!touching.shape) {
      return to_->note(shape.mark, fmt::format("{} of a collision without a size: left out", shape.tag), name);
    }
    to_->note(element.mark, fmt::format("collision of a link: {}", k_shape_touches), name);
    to_->add_contact_shape(link, std::move(touching));
  }

  /// The diffuse color of a material; nothing if it says none.
  std::optional<Color> read_color(const XmlElement& material, const string& name) {
    read_.note_attributes(material, "a material", name, {"name"});
    read_.note_children(material, "a material", name, {"diffuse"});
    const XmlElement* const diffuse = material.child("diffuse");
    if (diffuse == nullptr) return std::nullopt;
    const auto c = numbers_of(diffuse->text);
    if (!c || c->size() < 3 || c->size() > 4) {
      to_->errors.add(diffuse->mark, "material.diffuse", "'" + diffuse->text + "'", "3 or 4 numbers");
      return std::nullopt;
    }
    const auto part = [](double x) { return std::clamp(x, 0.0, 1.0); };
    return Color{part((*c)[0]), part((*c)[1]), part((*c)[2]), c->size() > 3 ? part((*c)[3]) : 1.0};
  }

  void add_effects(const XmlElement& element, const string& link) {
    const string* const type = element.find("type");
    const string name = name_of(element), kind = type ? *type : "";
    const bool turns = kind == "revolute" || kind == "continuous", single = turns || kind == "prismatic";
    const XmlElement* const axis = element.child("axis");
    read_.note_attributes(element, "a joint", name, {"name", "type"});
    read_.note_children(element, "a joint", name, {"parent", "child", "axis", "pose"});
    if (kind == "ball" && axis != nullptr) {
      read_.note_children(*axis, "the axis of a ball joint", name, {"xyz", "dynamics", "use_parent_model_frame"});
    }
    if (!single) return;
    to_->robot.actuators.push_back(Actuator::joint(to_->effect_name(element.mark, name), link));
    if (axis == nullptr) return;
    read_.note_attributes(*axis, "an axis", name, {});
    read_.note_children(*axis, "an axis", name, {"xyz", "limit", "dynamics", "use_parent_model_frame"});
    const XmlElement* const limit = axis->child("limit");
    if (limit == nullptr) return;
    read_.note_attributes(*limit, "the limit of a joint", name, {});
    read_.note_children(*limit, "the limit of a joint", name, {"lower", "upper", "effort", "velocity"});
    constexpr double k_infinity = std::numeric_limits<double>::infinity();
    const double lower = read_.number(*limit, "lower", -k_infinity), upper = read_.number(*limit, "upper", k_infinity);
    const double effort = read_.number(*limit, "effort", 0.0);
    if (effort > 0.0) to_->note(limit->mark, "most effort of a joint: left out, as actuators have no limits", name);
    if (read_.number(*limit, "velocity", 0.0) > 0.0) to_->note(limit->mark, "most velocity of a joint: left out", name);
    if (is_no_limit(lower, upper)) return;
    if (kind == "continuous") {
      to_->note(limit->mark, "limits of a continuous joint: left out", name);
    } else if (lower < upper) {
      to_->add_limit(limit->mark, name, link, turns, lower, upper, effort);
    } else {
      to_->note(limit->mark, "limits of a joint that leave no room (lower not below upper): left out", name);
    }
  }

  string file_name_;
  XmlElement root_;
  ImportBuilder* to_;
  const XmlElement* model_ = nullptr;
  SdfElements read_;
  SdfFrames frames_{read_};
  std::vector<string> links_;
  std::vector<const XmlElement*> markers_;
  std::map<string, LinkEntry> link_entries_;
  std::vector<std::pair<string, JointEntry>> joints_;
  std::map<string, std::size_t> joint_index_;  // by name, in joints_
};

}  // namespace

void read_sdf(const NamedText& file, const std::string& name, ImportBuilder& to) { SdfReader(file, name, to).read(); }

}  // namespace cuttle
