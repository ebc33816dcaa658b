#pragma once

#include <memory>
#include <string>

#include "cuttle/bodies/rod_body.h"
#include "cuttle/bodies/volume_material.h"
#include "cuttle/io/map_writer.h"
#include "cuttle/io/visual.h"
#include "cuttle/model/robot.h"
#include "cuttle/model/transmissions/distance.h"
#include "cuttle/model/transmissions/joint.h"
#include "io/yaml/yaml_writer.h"

namespace cuttle {

/// Writers of the kinds of parts, each the counterpart of a reader: they fill the part's mapping with what the reader
/// makes the same part of, but for `type` (and, of parts that have one, `name`), which whoever chose the writer by it
/// has written. What is as it is without a key is left out.
/// @throws ModelError that names what has no text.

void write_rigid(const Body& body, MapWriter& map);
void write_rod(const Body& body, MapWriter& map);
void write_volume(const Body& body, MapWriter& map);
void write_continuum_joint(const Body& body, MapWriter& map);

void write_axis_joint(const Joint& joint, MapWriter& map);
void write_universal_joint(const Joint& joint, MapWriter& map);
void write_plain_joint(const Joint& joint, MapWriter& map);  ///< without constants
void write_joint_dynamics(const Joint& joint, const JointDynamicsT<double>& dynamics, MapWriter& map);

void write_visual(const Visual& visual, MapWriter& map);
void write_color(const Color& color, MapWriter& map);

void write_contact(const Contact& contact, MapWriter& map);

// parts that several kinds have

/// What a kind without a writer is: "a function_body, which has no text".
[[noreturn]] void refuse_to_write(const std::string& what, const std::string& expected);

void write_material(const Material& material, MapWriter& map);
/// The key `material` of a body: the name of the link's material, or what the body is made of.
/// @throws ModelError if the body is not made of the material that its link names.
void write_material_of(const RodMaterial& material, MapWriter& body);
void write_material_of(const VolumeMaterial& material, double density, MapWriter& body);

/// What an actuator, or an element by one way, acts through.
/// @param with_law  the writer knows laws of such an actuator.
template <typename T, typename Part>
const T& transmission_of(const Part& part, bool with_law = false) {
  const Transmission* transmission = nullptr;
  if constexpr (requires { part.through; }) {
    if (part.through.size() == 1) transmission = part.through.front().get();
  } else {
    transmission = part.transmission.get();
    if (part.law && !with_law) refuse_to_write("a law of type " + part.law->type_name(), "an actuator without one");
  }
  if (const auto* found = dynamic_cast<const T*>(transmission)) return *found;
  refuse_to_write("another transmission than its type has", "that of the library");
}
/// Keys link and index.
void write_joint_coordinate(const JointTransmission& joint, MapWriter& map);
/// Keys a and b.
void write_ends(const DistanceTransmission& distance, MapWriter& map);

/// Keys position and rpy of a pose in time, those that there are.
void write_pose_motion(const PoseMotion& motion, MapWriter& map);
/// `at` of a place; nothing for the tip.
void write_at(const PortLocation& at, MapWriter& map);
/// A number or a mapping. @param key  under which it will stand, for the name of a file.
YamlNode signal_node(const Signal& signal, WriteContext& context);

}  // namespace cuttle
