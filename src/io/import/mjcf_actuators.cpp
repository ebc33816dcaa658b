// Tendons and actuators of a model in MJCF.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "cuttle/elements/coupling.h"
#include "cuttle/elements/input_lag.h"
#include "cuttle/io/key_table.h"
#include "io/import/mjcf_model.h"

namespace cuttle {
namespace {

using std::string;

bool read_fixed_tendon(MjcfModel& model, const XmlElement& element, const string& shown, MjcfTendon& tendon) {
  tendon.fixed = true;
  for (const XmlElement& part : element.children) {
    ElementReader reader(part, "tendon." + part.tag, shown, *model.to);
    const MjcfJointEntry* const joint = single_mjcf_joint(model, reader, "joint");
    const double factor = reader.number_or("coef", 0.0);
    reader.finish();
    if (joint == nullptr) {
      model.to->note(part.mark, "fixed tendon of a joint that has not one coordinate: left out", shown);
      return false;
    }
    tendon.links.push_back(joint->link), tendon.factors.push_back(factor);
    tendon.reference += factor * joint->ref;
  }
  return !tendon.links.empty();
}

/// A place at the tip of a rigid link, as a point of its base frame: that is what tendons take.
Vector3 point_in_base(const MjcfModel& model, const Place& place) {
  for (const Link& link : model.to->robot.links) {
    if (link.name != place.link) continue;
    const auto* const body = dynamic_cast<const RigidBody*>(link.body.get());
    return body ? body->parameters().tip.act(place.pose.position) : place.pose.position;
  }
  return place.pose.position;
}

bool read_spatial_tendon(MjcfModel& model, const XmlElement& element, const string& shown, MjcfTendon& tendon) {
  for (const XmlElement& part : element.children) {
    if (part.tag != "site") {
      model.to->note(part.mark, fmt::format("tendon through a {}: left out", part.tag), shown);
      return false;
    }
    ElementReader reader(part, "tendon.site", shown, *model.to);
    const string name = reader.text_or("site", "");
    const auto site = model.sites.find(name);
    if (site == model.sites.end()) {
      reader.fail("site", "'" + name + "', which is no site", "the name of a site");
      return false;
    }
    const Place place = model.to->place(site->second.link, site->second.link_site);
    Routing routing;
    routing.link = place.link;
    routing.points = {point_in_base(model, place)};
    if (!tendon.routing.empty() && tendon.routing.back().link == routing.link) {
      tendon.routing.back().points.push_back(routing.points.front());
    } else {
      tendon.routing.push_back(std::move(routing));
    }
  }
  return tendon.routing.size() > 1;
}

void add_tendon_spring(MjcfModel& model, const string& shown, const MjcfTendon& tendon, double stiffness,
                       double damping, const std::vector<double>& spring_length) {
  if (spring_length.size() == 2 && spring_length[0] != spring_length[1]) {
    model.to->note(tendon.mark, "spring of a tendon with a range without force: left out", shown);
    return;
  }
  const bool own_length = !spring_length.empty() && spring_length[0] >= 0.0;
  if (!tendon.fixed) {
    model.to->note(tendon.mark, "spring of a spatial tendon: left out", shown);
    return;
  }
  Coupling coupling;
  coupling.stiffness = stiffness, coupling.damping = damping;
  coupling.rest = own_length ? spring_length[0] - tendon.reference : 0.0;
  model.to->robot.elements.push_back(make_coupling<double>(model.to->effect_name(tendon.mark, shown + "_spring"),
                                                           tendon.links, tendon.factors, coupling));
}

/// Gain and bias of an actuator: force = gain u + bias[0] + bias[1] length + bias[2] velocity. Where gain = -bias[1], a
/// bias[2] above 0 is a ratio of damping.
struct MjcfServo {
  double gain = 1.0;
  double bias[3] = {0.0, 0.0, 0.0};
  string gain_type = "fixed", bias_type = "none", dynamics = "none", trouble;
  double time_constant = 1.0;
};

void apply_to_servo(const XmlElement& element, MjcfServo& servo) {
  const auto number = [&element](const char* key) -> std::optional<double> {
    const string* const text = element.find(key);
    const auto values = text ? numbers_of(*text) : std::nullopt;
    return values && !values->empty() ? std::optional((*values)[0]) : std::nullopt;
  };
  const auto word = [&element](const char* key, string& value) {
    if (const string* const text = element.find(key)) value = *text;
  };
  if (element.tag == "general") {
    word("gaintype", servo.gain_type), word("biastype", servo.bias_type), word("dyntype", servo.dynamics);
    if (const auto gain = number("gainprm")) servo.gain = *gain;
    if (const auto constant = number("dynprm")) servo.time_constant = *constant;
    if (const string* const text = element.find("biasprm")) {
      const auto values = numbers_of(*text);
      for (std::size_t i = 0; values && i < std::min<std::size_t>(3, values->size()); ++i) servo.bias[i] = (*values)[i];
    }
  } else if (element.tag == "motor") {
    servo = MjcfServo();
  } else if (element.tag == "position") {
    servo.gain_type = "fixed", servo.bias_type = "affine";
    if (const auto kp = number("kp")) servo.gain = *kp;
    servo.bias[0] = 0.0, servo.bias[1] = -servo.gain;
    if (const auto kv = number("kv")) servo.bias[2] = -*kv;
    if (const auto ratio = number("dampratio")) servo.bias[2] = *ratio;
    if (const auto constant = number("timeconst"); constant && *constant > 0.0) {
      servo.dynamics = "filterexact", servo.time_constant = *constant;
    }
  } else if (element.tag == "velocity") {
    servo.gain_type = "fixed", servo.bias_type = "affine";
    if (const auto kv = number("kv")) servo.gain = *kv;
    servo.bias[0] = servo.bias[1] = 0.0, servo.bias[2] = -servo.gain;
  } else {
    servo.trouble = element.tag;
  }
}

void add_mjcf_actuator(MjcfModel& model, const SourceMark& mark, const string& shown, const MjcfServo& servo,
                       double gear, const MjcfTendon& through, bool filter) {
  const string name = model.to->effect_name(mark, shown);
  const double gain = gear * servo.gain;
  if (!through.fixed) {
    model.to->robot.actuators.push_back(Actuator::tendon(name, through.routing, Slack::allow));
    model.to->note(mark, "actuator of a spatial tendon: its input is the tension, which is -gear gain times MuJoCo's",
                   shown);
  } else if (through.links.size() == 1 && gain * through.factors[0] == 1.0 && !filter) {
    model.to->robot.actuators.push_back(Actuator::joint(name, through.links[0]));
  } else {
    std::vector<std::vector<double>> matrix;
    for (const double factor : through.factors) matrix.push_back({gain * factor});
    Actuator actuator = Actuator::linear(name, through.links, std::move(matrix));
    if (filter && servo.time_constant > 0.0) actuator = with_input_lag(std::move(actuator), servo.time_constant, "1");
    model.to->robot.actuators.push_back(std::move(actuator));
  }
  if (!through.fixed && filter) model.to->note(mark, "filter of an actuator of a spatial tendon: left out", shown);
  const double stiffness = -gear * gear * servo.bias[1], damping = -gear * gear * servo.bias[2];
  if (stiffness == 0.0 && damping == 0.0 && servo.bias[0] == 0.0) return;
  if (!through.fixed || stiffness < 0.0 || damping < 0.0 || (stiffness == 0.0 && servo.bias[0] != 0.0)) {
    model.to->note(mark, "bias of an actuator that is not a spring with a damper on coordinates: left out", shown);
    return;
  }
  Coupling coupling;
  coupling.stiffness = stiffness, coupling.damping = damping;
  if (stiffness > 0.0) coupling.rest = gear * servo.bias[0] / stiffness - through.reference;
  model.to->robot.elements.push_back(
      make_coupling<double>(model.to->effect_name(mark, shown + "_servo"), through.links, through.factors, coupling));
  model.to->note(mark, "servo: made an actuator and a coupling (an element), its spring and damper", shown);
}

}  // namespace

ElementReader reader_in_section(MjcfModel& model, const XmlElement& element, const char* what, const string& shown,
                                const string& tag) {
  const string* const own = element.find("class");
  return {element, what, shown, *model.to, model.defaults.of(element, own ? *own : "", tag, *model.to)};
}

string shown_mjcf_name(const XmlElement& element) {
  const string* const name = element.find("name");
  return name ? *name : element.tag;
}

const MjcfJointEntry* single_mjcf_joint(MjcfModel& model, ElementReader& reader, const char* attribute) {
  const auto name = reader.text(attribute);
  if (!name) {
    reader.fail(attribute, "nothing", "the name of a joint");
    return nullptr;
  }
  const auto found = model.joints.find(*name);
  if (found == model.joints.end()) {
    std::vector<string> known;
    for (const auto& entry : model.joints) known.push_back(entry.first);
    reader.fail(attribute, "'" + *name + "', which is no joint", one_of(*name, known));
    return nullptr;
  }
  const bool single = found->second.kind == MjcfJoint::Kind::hinge || found->second.kind == MjcfJoint::Kind::slide;
  return single ? &found->second : nullptr;
}

void read_mjcf_tendon(MjcfModel& model, const XmlElement& element) {
  const string shown = shown_mjcf_name(element);
  ElementReader reader = reader_in_section(model, element, "tendon", shown, "tendon");
  reader.ignore({"name", "class", "group", "width", "material", "rgba", "user", "solreflimit", "solimplimit", "margin",
                 "solreffriction", "solimpfriction"});
  const double stiffness = reader.number_or("stiffness", 0.0), damping = reader.number_or("damping", 0.0);
  const auto spring_length = reader.numbers("springlength", 1, 2);
  const auto range = reader.numbers("range", 2, 2);
  const string limited = reader.text_or("limited", "auto");
  if (limited == "true" || (limited == "auto" && model.compiler.autolimits && !range.empty())) {
    model.to->note(element.mark, "limit of a tendon: left out", shown);
  }
  if (reader.number_or("frictionloss", 0.0) != 0.0)
    model.to->note(element.mark, "friction of a tendon: left out", shown);
  if (reader.number_or("armature", 0.0) != 0.0) model.to->note(element.mark, "armature of a tendon: left out", shown);
  reader.finish();
  MjcfTendon tendon;
  tendon.mark = element.mark;
  const bool good = element.tag == "fixed" ? read_fixed_tendon(model, element, shown, tendon)
                                           : read_spatial_tendon(model, element, shown, tendon);
  if (!good) return;
  if (stiffness > 0.0 || damping > 0.0) add_tendon_spring(model, shown, tendon, stiffness, damping, spring_length);
  if (element.find("name") != nullptr) model.tendons[*element.find("name")] = std::move(tendon);
}

void read_mjcf_actuator(MjcfModel& model, const XmlElement& element) {
  const string shown = shown_mjcf_name(element);
  const string* const own_class = element.find("class");
  const auto others = model.defaults.of(element, own_class ? *own_class : "", "actuator", *model.to);
  ElementReader reader(element, "actuator", shown, *model.to, others);
  MjcfServo servo;
  for (const XmlElement* other : others) apply_to_servo(*other, servo);
  apply_to_servo(element, servo);
  reader.ignore({"name", "class", "group", "user", "kp", "kv", "gainprm", "biasprm", "dynprm", "gaintype", "biastype",
                 "dyntype", "dampratio", "timeconst", "inheritrange", "actdim", "actearly", "lengthrange"});
  const auto gears = reader.numbers("gear", 1, 6);
  const double gear = gears.empty() ? 1.0 : gears[0];
  if (const string range = reader.text_or("inheritrange", "");
      !range.empty() && numbers_of(range) != std::vector{0.0}) {
    model.to->note(element.mark, "inheritrange of an actuator: left out, as inputs have no limits", shown);
  }
  for (const char* const key : {"ctrlrange", "forcerange", "actrange"}) {
    if (reader.text(key)) model.to->note(element.mark, fmt::format("{} of an actuator: left out", key), shown);
  }
  reader.ignore({"ctrllimited", "forcelimited", "actlimited"});
  const bool fixed_gain = servo.gain_type == "fixed" && (servo.bias_type == "none" || servo.bias_type == "affine");
  const bool filter = servo.dynamics == "filter" || servo.dynamics == "filterexact";
  if (servo.trouble.empty() && !fixed_gain) servo.trouble = "gain or bias that is not a constant or affine";
  if (servo.trouble.empty() && servo.dynamics != "none" && !filter) servo.trouble = servo.dynamics + " dynamics";
  if (!servo.trouble.empty()) {
    model.to->note(element.mark, fmt::format("actuator with {}: left out", servo.trouble), shown);
    return;
  }
  if (servo.bias_type == "none") servo.bias[0] = servo.bias[1] = servo.bias[2] = 0.0;
  MjcfTendon through;
  if (reader.has("joint") || reader.has("jointinparent")) {
    const MjcfJointEntry* const joint =
        single_mjcf_joint(model, reader, reader.has("joint") ? "joint" : "jointinparent");
    if (joint == nullptr) {
      model.to->note(element.mark, "actuator of a joint that has not one coordinate: left out", shown);
      return;
    }
    through.fixed = true;
    through.links = {joint->link}, through.factors = {1.0}, through.reference = joint->ref;
  } else if (const auto tendon = reader.text("tendon")) {
    const auto found = model.tendons.find(*tendon);
    if (found == model.tendons.end()) {
      model.to->note(element.mark, "actuator of a tendon that is left out: left out", shown);
      return;
    }
    through = found->second;
  } else {
    model.to->note(element.mark, "actuator at a site, a body or a crank: left out", shown);
    return;
  }
  reader.finish();
  if (servo.bias[2] > 0.0 && servo.gain > 0.0 && servo.gain == -servo.bias[1] && through.fixed) {
    const double inertia = mjcf_reflected_inertia(model, through, gear);
    servo.bias[2] *= -2.0 * std::sqrt(servo.gain * inertia);
    model.to->note(element.mark, "dampratio of a servo: made its damping, by the file's masses", shown);
  }
  add_mjcf_actuator(model, element.mark, shown, servo, gear, through, filter);
}

}  // namespace cuttle
