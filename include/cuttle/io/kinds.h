#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "cuttle/api.h"
#include "cuttle/control/controller.h"
#include "cuttle/geometry/signed_distance.h"
#include "cuttle/io/key_table.h"
#include "cuttle/io/kinematics_reader.h"
#include "cuttle/io/map_writer.h"
#include "cuttle/io/part_keys.h"
#include "cuttle/io/part_reader.h"
#include "cuttle/model/material.h"
#include "cuttle/model/sensor.h"
#include "cuttle/simulation/scenario.h"

namespace CUTTLE_API cuttle {

/// A kind of body, joint, element, .. that robot or scenario files can have: what follows `type`, the keys beside it,
/// and who reads them. It lies in one source file and joins by one line. The library's own kinds are such ones too.
/// @code
/// const KeyTable k_keys{.keys = joint_keys({axis_key("Axis."), key::required(key::number("pitch", k_any_number,
/// "m/rad"))})};
///
/// template <typename S>
/// std::shared_ptr<const JointT<S>> read_screw(const PartReader<S>& part) {
///   const Vector3T<S> axis = part.axis("axis");
///   return std::make_shared<const ScrewJointT<S>>(axis, part.number("pitch"));
/// }
///
/// JointKind screw_kind() {
///   return {"screw", &k_keys, "Advances as it turns.", "{type: screw, pitch: 0.01}", read_screw<double>,
///   read_screw<ForwardDual>};
/// }
///
/// int main() {
///   register_kind(screw_kind());
/// @endcode
/// @tparam Part    what is read, for a scalar.   @tparam Reader  what it is read from.
template <template <typename> class Part, template <typename> class Reader>
struct KindT {
  template <typename S>
  using Read = std::function<Part<S>(const Reader<S>&)>;
  using Written = std::remove_cvref_t<decltype(*std::declval<const Part<double>&>())>;
  using Write = std::function<void(const Written&, MapWriter&)>;

  KindT(std::string type_name, const KeyTable* key_table, std::string description, std::string yaml_example,
        Read<double> reads, Read<ForwardDual> reads_gradient = nullptr, Write writes = nullptr)
      : type(std::move(type_name)),
        keys(key_table),
        text(std::move(description)),
        example(std::move(yaml_example)),
        read(std::move(reads)),
        read_gradient(std::move(reads_gradient)),
        write(std::move(writes)) {}

  std::string type;      ///< value of the key `type`
  const KeyTable* keys;  ///< besides `type`; never goes away
  std::string text;      ///< for users: what it is, in a sentence
  std::string example;   ///< YAML of such a mapping
  /// Makes the part. Errors that it throws are reported at the part.
  Read<double> read;
  /// The same with derivatives by the numbers of the file; null if the kind exists for double alone: then the gradient
  /// by parameters of a robot that has it is an error.
  Read<ForwardDual> read_gradient;
  /// Fills the mapping, but for `type` and a name, with what reads as the same part; null: a robot that was made or
  /// changed in C++ and has such a part has no text. @throws ModelError that names what has none.
  Write write;

  template <typename S>
  const Read<S>& reader() const {
    if constexpr (std::is_same_v<S, double>) {
      return read;
    } else {
      return read_gradient;
    }
  }
};

template <typename S>
using BodyPart = std::shared_ptr<const BodyT<S>>;
template <typename S>
using JointPart = std::shared_ptr<const JointT<S>>;
template <typename S>
using ElementPart = std::optional<ElementT<S>>;
template <typename S>
using ActuatorPart = std::optional<ActuatorT<S>>;
template <typename S>
using LoadPart = std::optional<LoadT<S>>;
template <typename S>
using SignalPart = std::optional<Signal>;  // of whatever scalar: no number of it is a parameter
template <typename S>
using ControllerPart = std::shared_ptr<const Controller>;  // likewise
template <typename S>
using SensorPart = std::shared_ptr<const Sensor>;  // likewise
template <typename S>
using IntegratorPart = std::optional<IntegratorOptions>;  // likewise; of a user: its `method`
/// Without density and damping, which all materials have (material_keys). Of a user: its `law`.
template <typename S>
using MaterialPart = std::optional<MaterialT<S>>;
template <typename S>
using KinematicsPart = std::shared_ptr<const VolumeKinematicsT<S>>;

/// A shape that robots touch or touch with. Keys that all obstacles have (name, pose, motion, inside, color) are none
/// of its own.
template <typename S>
using DistancePart = std::shared_ptr<const SignedDistanceT<S>>;

using BodyKind = KindT<BodyPart, PartReader>;
using JointKind = KindT<JointPart, PartReader>;
using ElementKind = KindT<ElementPart, PartReader>;
using ActuatorKind = KindT<ActuatorPart, PartReader>;
using LoadKind = KindT<LoadPart, PartReader>;
using SensorKind = KindT<SensorPart, PartReader>;  // double alone: derivatives have no need of it
using SignalKind = KindT<SignalPart, KeyReader>;
using ControllerKind = KindT<ControllerPart, KeyReader>;         // of `simulation.controllers` of a scenario
using IntegratorKind = KindT<IntegratorPart, KeyReader>;         // of `simulation.integrator`
using MaterialKind = KindT<MaterialPart, KeyReader>;             // of `materials`; its type is what follows `model`
using KinematicsKind = KindT<KinematicsPart, KinematicsReader>;  // of volumes
using DistanceKind = KindT<DistancePart, KeyReader>;  // of `obstacles` and `contact`; its type is what follows `shape`

/// From now on files may have parts of this kind. Any thread may call it at any time; who reads a file meanwhile may or
/// may not know the kind. Not before main: tables of the library may not be there yet.
/// @throws ArgumentError if there is such a type already, or if something of the kind is missing.
void register_kind(BodyKind kind);
void register_kind(JointKind kind);
void register_kind(ElementKind kind);
void register_kind(ActuatorKind kind);
void register_kind(LoadKind kind);
void register_kind(SensorKind kind);
void register_kind(SignalKind kind);
void register_kind(ControllerKind kind);
void register_kind(IntegratorKind kind);
void register_kind(MaterialKind kind);
void register_kind(KinematicsKind kind);
void register_kind(DistanceKind kind);

}  // namespace cuttle
