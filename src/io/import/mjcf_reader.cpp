// Robots in MJCF, MuJoCo's format.
#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "cuttle/spatial/eigen.h"
#include "io/import/mjcf_model.h"
#include "io/import/solid.h"

namespace cuttle {
namespace {

using std::string;

MassProperties read_inertial(MjcfModel& model, const MjcfPlaced& placed, const string& body) {
  ElementReader reader(*placed.element, "inertial", body, *model.to);
  const Pose body_center = placed.body_frame * read_mjcf_frame(model, reader);
  MassProperties mass;
  mass.mass = reader.number_or("mass", 0.0);
  if (mass.mass < 0.0) reader.fail("mass", fmt::format("{}", mass.mass), "a number >= 0 [kg]"), mass.mass = 0.0;
  const auto diagonal = reader.numbers("diaginertia", 3, 3), full = reader.numbers("fullinertia", 6, 6);
  if (!full.empty()) {
    mass.inertia = {full[0], full[1], full[2], full[3], full[4], full[5]};
  } else if (!diagonal.empty()) {
    mass.inertia = SymmetricMatrix3::diagonal(diagonal[0], diagonal[1], diagonal[2]);
  }
  reader.finish();
  return mass.seen_from(body_center);
}

/// boundmass, boundinertia and balanceinertia.
void bound_mass(MjcfModel& model, MassProperties& mass, const SourceMark& mark, const string& body) {
  mass.mass = std::max(mass.mass, model.compiler.bound_mass);
  if (model.compiler.bound_inertia <= 0.0 && !model.compiler.balance_inertia) return;
  const Eigen::Matrix3d tensor = to_eigen(mass.inertia.matrix());
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(tensor);
  Eigen::Vector3d moments = solver.eigenvalues();
  const Eigen::Vector3d before = moments;
  moments = moments.cwiseMax(model.compiler.bound_inertia);
  if (model.compiler.balance_inertia && moments[2] > moments[0] + moments[1]) {
    moments.setConstant(moments.sum() / 3.0);
    model.to->note(mark, "inertia that no real body has: made a sphere's, as balanceinertia asks", body);
  }
  if (moments == before) return;
  const Eigen::Matrix3d bounded = solver.eigenvectors() * moments.asDiagonal() * solver.eigenvectors().transpose();
  mass.inertia = {bounded(0, 0), bounded(1, 1), bounded(2, 2), bounded(0, 1), bounded(0, 2), bounded(1, 2)};
}

void note_in_body(MjcfModel& model, const XmlElement& element, const string& body) {
  model.to->note(element.mark, fmt::format("{} of a body: left out", element.tag),
                 element.find("name") ? *element.find("name") : body);
}

void read_body(MjcfModel& model, const MjcfPlaced& placed, const string& parent, const Pose& parent_world) {
  const XmlElement& element = *placed.element;
  ++model.body_count;
  const string* const given = element.find("name");
  const string name = given && !given->empty() ? *given : fmt::format("body_{}", model.body_count);
  ElementReader reader(element, "body", name, *model.to);
  reader.ignore({"name"});
  const string childclass = reader.text_or("childclass", placed.childclass);
  const Pose parent_body = placed.body_frame * read_mjcf_frame(model, reader), world = parent_world * parent_body;
  if (reader.flag("mocap", false)) model.to->note(element.mark, "mocap of a body: left out, it is fixed", name);
  if (const double share = reader.number_or("gravcomp", 0.0); share != 0.0) {
    model.to->note(element.mark, "gravity compensation of a body: left out", name);
  }
  reader.ignore({"sleep", "user"});
  reader.finish();

  std::vector<MjcfPlaced> all;
  flatten_mjcf_frames(model, element, {}, childclass, all);
  std::vector<MjcfJoint> joints;
  std::optional<MassProperties> inertial, of_geoms;
  std::vector<Visual> shapes;
  std::vector<ContactShape> touching;
  const bool wants_geoms = model.compiler.inertia_from_geom == "true" ||
                           (model.compiler.inertia_from_geom == "auto" && element.child("inertial") == nullptr);
  for (const MjcfPlaced& part : all) {
    const string& tag = part.element->tag;
    if (tag == "joint" || tag == "freejoint") joints.push_back(read_mjcf_joint(model, part, name, joints.size()));
    if (tag == "inertial") inertial = read_inertial(model, part, name);
    if (tag == "geom") read_mjcf_geom(model, part, name, wants_geoms ? &of_geoms : nullptr, &shapes, &touching);
  }
  if (model.compiler.inertia_from_geom == "true") inertial = of_geoms;
  if (!inertial) inertial = of_geoms;
  if (inertial) bound_mass(model, *inertial, element.mark, name);
  const bool frees = std::any_of(joints.begin(), joints.end(),
                                 [](const MjcfJoint& joint) { return joint.kind == MjcfJoint::Kind::free; });
  if (frees && (joints.size() > 1 || !parent.empty())) {
    reader.fail("joint", "a free joint that is not alone, or not of a body of the world",
                "the one joint of a body in <worldbody>");
    return;
  }
  const string link = add_joint_links(model, element.mark, name, parent, parent_body, joints, inertial);
  if (!model.bodies.emplace(name, MjcfBodyEntry{link, world}).second) {
    reader.fail("name", "'" + name + "' again", "a name of its own");
  }
  for (Visual& shape : shapes) model.to->add_visual(link, std::move(shape));
  for (ContactShape& shape : touching) model.to->add_contact_shape(link, std::move(shape));
  for (const MjcfPlaced& part : all) {
    const string& tag = part.element->tag;
    if (tag == "site") {
      read_mjcf_site(model, part, name, link, {});
    } else if (tag == "body") {
      read_body(model, part, link, world);
    } else if (tag != "joint" && tag != "freejoint" && tag != "inertial" && tag != "geom") {
      note_in_body(model, *part.element, name);
    }
  }
}

void read_world(MjcfModel& model, const XmlElement& world) {
  model.bodies["world"] = {};
  const string* const childclass = world.find("childclass");
  std::vector<MjcfPlaced> all;
  flatten_mjcf_frames(model, world, {}, childclass ? *childclass : "", all);
  for (const MjcfPlaced& placed : all) {
    const string& tag = placed.element->tag;
    if (tag == "body") {
      read_body(model, placed, "", {});
    } else if (tag == "geom") {
      read_mjcf_geom(model, placed, "world", nullptr, &model.world_geoms, nullptr);
    } else if (tag == "site") {
      read_mjcf_site(model, placed, "world", "", {});
    } else {
      note_in_body(model, *placed.element, "world");
    }
  }
  if (!model.world_geoms.empty() && model.to->options().mount.link != "base") {
    model.to->note(world.mark,
                   "shapes of the world: not drawn, as only on the base of a robot does the world stand still");
  }
  for (Visual& visual : model.world_geoms) model.to->add_visual("", std::move(visual));
  model.world_geoms.clear();
}

void scale_total_mass(MjcfModel& model) {
  if (model.compiler.total_mass <= 0.0) return;
  double total = 0.0;
  const auto parameters_of = [](const Link& link) -> const RigidParameters* {
    const auto* body = dynamic_cast<const RigidBody*>(link.body.get());
    return body ? &body->parameters() : nullptr;
  };
  for (const Link& link : model.to->robot.links) {
    if (const RigidParameters* rigid = parameters_of(link)) total += rigid->mass;
  }
  if (total <= 0.0) return;
  const double scale = model.compiler.total_mass / total;
  for (Link& link : model.to->robot.links) {
    const RigidParameters* const rigid = parameters_of(link);
    if (rigid == nullptr) continue;
    RigidParameters scaled = *rigid;
    const MassProperties mass = with_mass({rigid->mass, rigid->com, rigid->inertia}, scale * rigid->mass);
    scaled.mass = mass.mass;
    if (rigid->mass > 0.0) scaled.inertia = mass.inertia;
    link.body = std::make_shared<const RigidBody>(scaled);
  }
}

void note_other_sections(MjcfModel& model) {
  const std::set<string> read{"compiler", "default",  "option",    "asset",  "worldbody", "tendon",
                              "actuator", "equality", "statistic", "visual", "size"};
  for (const XmlElement& section : model.root.children) {
    if (read.count(section.tag) > 0) continue;
    for (const XmlElement& element : section.children) {
      model.to->note(element.mark, fmt::format("{} of type {}: left out", section.tag, element.tag),
                     element.find("name") ? *element.find("name") : "");
    }
    if (section.children.empty()) model.to->note(section.mark, section.tag + ": left out");
  }
}

template <typename Use>
void for_each_section(const MjcfModel& model, const char* tag, const Use& use) {
  for (const XmlElement& element : model.root.children) {
    if (element.tag == tag) use(element);
  }
}

}  // namespace

void read_mjcf(const NamedText& file, const std::string& name, ImportBuilder& to) {
  MjcfModel model(file, name, to);
  splice_includes(model.root, name, to);
  if (to.errors.count() > 0) return;
  if (const string* given = model.root.find("model")) to.robot.name = *given;
  for_each_section(model, "compiler", [&](const XmlElement& element) { read_mjcf_compiler(model, element); });
  expand_replicates(model);
  for_each_section(model, "default", [&](const XmlElement& element) { model.defaults.read(element, to); });
  for_each_section(model, "option", [&](const XmlElement& element) { read_mjcf_option(model, element); });
  for_each_section(model, "asset", [&](const XmlElement& element) { read_mjcf_assets(model, element); });
  if (to.errors.count() > 0) return;
  for_each_section(model, "worldbody", [&](const XmlElement& element) { read_world(model, element); });
  if (to.errors.count() > 0) return;
  scale_total_mass(model);
  apply_mjcf_spring_dampers(model);
  const auto for_each_item = [&](const char* tag, void (*read)(MjcfModel&, const XmlElement&)) {
    for_each_section(model, tag, [&](const XmlElement& section) {
      for (const XmlElement& element : section.children) read(model, element);
    });
  };
  for_each_item("tendon", read_mjcf_tendon);
  for_each_item("actuator", read_mjcf_actuator);
  for_each_item("equality", read_mjcf_equality);
  note_other_sections(model);
}

}  // namespace cuttle
