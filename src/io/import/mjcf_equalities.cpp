// Equalities of a model in MJCF: couplings of joints, loops of bodies.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "cuttle/elements/coupling.h"
#include "cuttle/spatial/logarithm.h"
#include "io/import/mjcf_model.h"
#include "io/robot/part_readers.h"

namespace cuttle {
namespace {

using std::string;

void add_equality_loop(MjcfModel& model, const XmlElement& element, const string& shown, ElementReader& reader) {
  Loop loop;
  loop.type = element.tag == "weld" ? LoopType::fixed : LoopType::spherical;
  if (reader.has("site1") || reader.has("site2")) {
    for (const auto& [attribute, place] : {std::pair{"site1", &loop.a}, std::pair{"site2", &loop.b}}) {
      const string name = reader.text_or(attribute, "");
      const auto site = model.sites.find(name);
      if (site == model.sites.end())
        return reader.fail(attribute, "'" + name + "', which is no site", "the name of a site");
      *place = model.to->place(site->second.link, site->second.link_site);
    }
  } else {
    const string first = reader.text_or("body1", "world"), second = reader.text_or("body2", "world");
    for (const auto& [attribute, name] : {std::pair{"body1", &first}, std::pair{"body2", &second}}) {
      if (model.bodies.count(*name) > 0) continue;
      return reader.fail(attribute, "'" + *name + "', which is no body", "the name of a body");
    }
    const MjcfBodyEntry &a = model.bodies.at(first), &b = model.bodies.at(second);
    Pose a_loop, b_loop;  // the loop's frame on each
    if (loop.type == LoopType::spherical) {
      a_loop.position = reader.vector_or("anchor", {});
      b_loop = b.world.inverse() * a.world * a_loop;
    } else {
      const auto relative = reader.numbers("relpose", 7, 7);
      Pose a_b = a.world.inverse() * b.world;
      if (!relative.empty()) {
        const Quaternion q{relative[3], relative[4], relative[5], relative[6]};
        if (q.squared_norm() > 0.0) a_b = {rotation_from_quaternion(q), {relative[0], relative[1], relative[2]}};
      }
      b_loop.position = reader.vector_or("anchor", {});
      a_loop = a_b * b_loop;
    }
    loop.a = model.to->place(a.link, a_loop), loop.b = model.to->place(b.link, b_loop);
  }
  reader.ignore({"torquescale", "anchor", "relpose"});
  reader.finish();
  loop.name = model.to->loop_name(element.mark, shown);
  model.to->robot.loops.push_back(std::move(loop));
  model.to->note(element.mark, "equality of bodies: made a closed loop, which holds exactly", shown);
}

}  // namespace

void read_mjcf_equality(MjcfModel& model, const XmlElement& element) {
  const string shown = shown_mjcf_name(element);
  ElementReader reader = reader_in_section(model, element, "equality", shown, "equality");
  reader.ignore({"name", "class", "solref", "solimp"});
  if (!reader.flag("active", true)) {
    model.to->note(element.mark, "equality that is not active: left out", shown);
    return;
  }
  if (element.tag == "connect" || element.tag == "weld") {
    add_equality_loop(model, element, shown, reader);
  } else if (element.tag == "joint") {
    const MjcfJointEntry* const first = single_mjcf_joint(model, reader, "joint1");
    const MjcfJointEntry* const second = reader.has("joint2") ? single_mjcf_joint(model, reader, "joint2") : nullptr;
    std::array<double, 5> c{0.0, 1.0, 0.0, 0.0, 0.0};  // what is not given stays so
    const auto given = reader.numbers("polycoef", 1, c.size());
    std::copy(given.begin(), given.end(), c.begin());
    reader.finish();
    const bool bends = reader.has("joint2") && (c[2] != 0.0 || c[3] != 0.0 || c[4] != 0.0);
    if (first == nullptr || bends || (reader.has("joint2") && second == nullptr)) {
      model.to->note(element.mark, "equality of joints that is not linear, or not of one coordinate: left out", shown);
      return;
    }
    std::vector<string> links{first->link};
    std::vector<double> factors{1.0};
    if (second != nullptr) links.push_back(second->link), factors.push_back(-c[1]);
    Coupling coupling;
    coupling.stiffness = first->kind == MjcfJoint::Kind::hinge ? 100.0 : 1e5;
    coupling.damping = 0.005 * coupling.stiffness;
    coupling.rest = c[0];
    model.to->robot.elements.push_back(
        make_coupling<double>(model.to->effect_name(element.mark, shown), links, factors, coupling));
    model.to->note(element.mark,
                   "equality of joints: made a stiff coupling (an element), of a stiffness that is chosen here", shown);
  } else {
    model.to->note(element.mark, fmt::format("equality of type {}: left out", element.tag), shown);
  }
}

}  // namespace cuttle
