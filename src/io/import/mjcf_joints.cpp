// Joints of a model in MJCF, the links that a body with joints becomes, and what is said by a ratio of damping: it
// follows from the inertia in the reference configuration.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>

#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/io/key_table.h"
#include "cuttle/model/model.h"
#include "cuttle/spatial/eigen.h"
#include "io/import/mjcf_model.h"

namespace cuttle {
namespace {
using std::string;

/// The links and joints alone, hung on the base: what weighs.
Robot moving_masses(const Robot& robot) {
  Robot masses;
  masses.name = robot.name;
  masses.links = robot.links;
  for (Link& link : masses.links) {
    const auto is_parent = [&link](const Link& other) { return other.name == link.parent.link; };
    if (std::none_of(masses.links.begin(), masses.links.end(), is_parent)) link.parent.link = "base";
  }
  return masses;
}

}  // namespace

string add_joint_links(MjcfModel& model, const SourceMark& mark, const string& name, const string& parent,
                       const Pose& parent_body, const std::vector<MjcfJoint>& joints,
                       const std::optional<MassProperties>& mass) {
  ImportedLink link;
  link.parent = parent, link.parent_joint = parent_body;
  Vector3 before;  // anchor of the joint before, in axes of the body
  string added;
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const MjcfJoint& joint = joints[i];
    const bool last = i + 1 == joints.size();
    link.name = last ? name : fmt::format("{}_{}", name, joint.name.empty() ? std::to_string(i) : joint.name);
    link.parent_joint = link.parent_joint * Pose{Matrix3::identity(), joint.anchor - before};
    before = joint.anchor;
    link.dynamics = joint.dynamics;
    switch (joint.kind) {
      case MjcfJoint::Kind::free:
        link.joint = make_free_joint<double>();
        if (!(link.parent_joint == Pose::identity())) {
          model.to->note(joint.mark,
                         "free joint of a body that does not stand at the origin: its coordinates are the pose from "
                         "there, 0 is the pose of the file, while qpos is the pose in the world",
                         joint.name.empty() ? name : joint.name);
        }
        break;
      case MjcfJoint::Kind::ball:
        link.joint = make_spherical_joint<double>();
        break;
      case MjcfJoint::Kind::slide:
        link.joint = make_prismatic_joint<double>(joint.axis);
        break;
      case MjcfJoint::Kind::hinge:
        link.joint = make_revolute_joint<double>(joint.axis);
        break;
    }
    if (last) {
      if (!(joint.anchor == Vector3())) link.joint_link.position = -joint.anchor;
      link.mass = mass;
    }
    added = model.to->add_link(joint.mark, link);
    if (joint.spring_damper) {
      model.spring_dampers.push_back({added, joint.name.empty() ? added : joint.name, joint.mark,
                                      (*joint.spring_damper)[0], (*joint.spring_damper)[1]});
    }
    if (!joint.name.empty()) model.joints[joint.name] = {added, joint.kind, joint.ref};
    if (joint.range && joint.kind != MjcfJoint::Kind::ball) {
      model.to->add_limit(joint.mark, joint.name.empty() ? added : joint.name, added,
                          joint.kind == MjcfJoint::Kind::hinge, (*joint.range)[0] - joint.ref,
                          (*joint.range)[1] - joint.ref, 0.0);
    } else if (joint.range) {
      model.to->note(joint.mark, "limit of a ball joint: left out", joint.name);
    }
    link = ImportedLink();
    link.parent = added;
  }
  if (!joints.empty()) return added;
  link.name = name, link.mass = mass;
  return model.to->add_link(mark, link);
}

MjcfJoint read_mjcf_joint(MjcfModel& model, const MjcfPlaced& placed, const string& body, std::size_t index) {
  const XmlElement& element = *placed.element;
  MjcfJoint joint;
  joint.mark = element.mark;
  if (const string* const name = element.find("name")) joint.name = *name;
  const string shown = joint.name.empty() ? fmt::format("{}[{}]", body, index) : joint.name;
  if (element.tag == "freejoint") {
    ElementReader reader(element, "freejoint", shown, *model.to);
    reader.ignore({"name", "group"});
    joint.kind = MjcfJoint::Kind::free;
    reader.finish();
    return joint;
  }
  ElementReader reader = reader_of_placed(model, placed, shown);
  reader.ignore({"name", "class", "group", "user"});
  const string type = reader.text_or("type", "hinge");
  const std::map<string, MjcfJoint::Kind> kinds{{"free", MjcfJoint::Kind::free},
                                                {"ball", MjcfJoint::Kind::ball},
                                                {"slide", MjcfJoint::Kind::slide},
                                                {"hinge", MjcfJoint::Kind::hinge}};
  const auto kind = kinds.find(type);
  if (kind == kinds.end()) {
    reader.fail("type", "'" + type + "'", join_or({"hinge", "slide", "ball", "free"}));
  } else {
    joint.kind = kind->second;
  }
  const bool hinge = joint.kind == MjcfJoint::Kind::hinge, single = hinge || joint.kind == MjcfJoint::Kind::slide;
  const Vector3 anchor = reader.vector_or("pos", {}), axis = reader.vector_or("axis", {0.0, 0.0, 1.0});
  if (joint.kind != MjcfJoint::Kind::free) joint.anchor = placed.body_frame.act(anchor);
  joint.axis = placed.body_frame.rotation * axis;
  if (single && norm(axis) == 0.0) reader.fail("axis", "a zero vector", "a direction"), joint.axis = {0.0, 0.0, 1.0};
  const auto in_unit = [&](double value) { return hinge ? mjcf_angle(model, value) : value; };
  joint.ref = single ? in_unit(reader.number_or("ref", 0.0)) : 0.0;
  if (joint.ref != 0.0)
    model.to->note(element.mark, "ref of a joint: its coordinate is measured from there, 0 is ref", shown);
  const std::size_t nv = joint.kind == MjcfJoint::Kind::free ? 6 : single ? 1 : 3;
  const auto each = [&](const char* key, std::vector<double>& values) {
    const double value = reader.number_or(key, 0.0);
    if (value < 0.0) {
      reader.fail(key, fmt::format("{}", value), "a number >= 0");
    } else if (value > 0.0) {
      values.assign(nv, value);
    }
  };
  each("stiffness", joint.dynamics.stiffness);
  each("damping", joint.dynamics.damping);
  each("armature", joint.dynamics.armature);
  const double spring_ref = in_unit(reader.number_or("springref", 0.0));
  if (const auto given = reader.numbers("springdamper", 2, 2); !given.empty() && given[0] > 0.0 && given[1] > 0.0) {
    joint.spring_damper = {{given[0], given[1]}};
  }
  if ((joint.spring_damper || !joint.dynamics.stiffness.empty()) && single && spring_ref != joint.ref) {
    joint.dynamics.rest = {spring_ref - joint.ref};
  }
  const auto range = reader.numbers("range", 2, 2);
  const string limited = reader.text_or("limited", "auto");
  const bool is_limited = limited == "true" || (limited == "auto" && model.compiler.autolimits && !range.empty());
  if (is_limited && !range.empty()) {
    if (joint.kind == MjcfJoint::Kind::ball || range[0] < range[1]) {
      joint.range = {{in_unit(range[0]), in_unit(range[1])}};
    } else {
      model.to->note(element.mark, "limits of a joint that leave no room: left out", shown);
    }
  }
  if (reader.number_or("frictionloss", 0.0) != 0.0) {
    model.to->note(element.mark, "friction of a joint: left out (an element joint_friction can stand for it)", shown);
  }
  if (is_limited) {
    for (const char* const key : {"solreflimit", "solimplimit", "margin"}) {
      if (reader.text(key)) {
        model.to->note(element.mark, "softness of a joint's limit (solreflimit, solimplimit, margin): left out", shown);
      }
    }
  }
  reader.ignore({"solreflimit", "solimplimit", "margin", "solreffriction", "solimpfriction", "springref"});
  reader.finish();
  return joint;
}

const MjcfInertia& mjcf_inertia(MjcfModel& model) {
  if (model.inertia) return *model.inertia;
  MjcfInertia& inertia = model.inertia.emplace();
  const Model masses(moving_masses(model.to->robot));
  Data data(masses);
  inertia.factor.compute(mass_matrix<double>(masses, data, masses.neutral()));
  for (const auto& link : masses.links()) inertia.coordinates[link.name] = {link.v, link.nv};
  return inertia;
}

void apply_mjcf_spring_dampers(MjcfModel& model) {
  if (model.spring_dampers.empty()) return;
  const MjcfInertia& inertia = mjcf_inertia(model);
  const bool is_definite = inertia.factor.info() == Eigen::Success;
  const Eigen::Index n = inertia.factor.rows();
  const MatrixXd inverse = is_definite ? MatrixXd(inertia.factor.solve(MatrixXd::Identity(n, n))) : MatrixXd();
  for (const MjcfSpringDamper& part : model.spring_dampers) {
    const auto [first, nv] = inertia.coordinates.at(part.link);
    const double mobility = is_definite ? inverse.diagonal().segment(first, nv).mean() : 0.0;
    if (!std::isfinite(mobility) || mobility <= 0.0) {
      model.to->note(part.mark, "springdamper of a joint of a model without a definite mass matrix: left out",
                     part.shown);
      continue;
    }
    const double reflected = 1.0 / mobility, rate = 1.0 / (part.time_constant * part.ratio);
    for (Link& link : model.to->robot.links) {
      if (link.name != part.link) continue;
      link.joint_dynamics.stiffness.assign(static_cast<std::size_t>(nv), reflected * rate * rate);
      link.joint_dynamics.damping.assign(static_cast<std::size_t>(nv), 2.0 * reflected / part.time_constant);
    }
    model.to->note(part.mark, "springdamper of a joint: made its stiffness and damping, by the file's masses",
                   part.shown);
  }
}

double mjcf_reflected_inertia(MjcfModel& model, const MjcfTendon& through, double gear) {
  const MjcfInertia& inertia = mjcf_inertia(model);
  if (inertia.factor.info() != Eigen::Success) return 0.0;
  Eigen::VectorXd J = Eigen::VectorXd::Zero(inertia.factor.rows());
  for (std::size_t i = 0; i < through.links.size(); ++i) {
    J[inertia.coordinates.at(through.links[i]).first] += gear * through.factors[i];
  }
  const Eigen::VectorXd moved = inertia.factor.solve(J);
  const double mobility = J.dot(moved);
  return mobility > 0.0 ? 1.0 / mobility : 0.0;
}

}  // namespace cuttle
