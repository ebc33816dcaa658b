#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/diagnostic.h"
#include "cuttle/spatial/scalars.h"

namespace CUTTLE_API cuttle {

template <typename S>
struct RobotT;

/// A real number of a robot's description, by the path of keys that leads to it.
struct ParameterInfo {
  std::string path;    ///< links.segment1.body.section.radius[1] | materials.silicone.young_modulus | gravity[2]
  std::string unit;    ///< "m", "kg/m^3", ..; empty: none
  double value = 0.0;  ///< in that unit
  bool given = true;   ///< false: the description leaves it out, and this is the default
};

/// A parameter and the value that it shall have.
struct ParameterChange {
  std::string path;
  double value = 0.0;
};

/// Parameters that change together, each by as much.
using ParameterDirection = std::vector<std::string>;

/// Where a robot's numbers come from: a description that can be read again with some of them replaced, or as variables
/// to differentiate by. Robots from files have one (`RobotT::source`), of others `describe` makes it. Const: threads
/// share it.
///
/// Paths: links and actuators go by name (or index, as `links[0]`), other lists by index from 0; `robot.` may stand in
/// front, as for `--set`. A number that several parts use, as a shared material's density, is one parameter.
class ParameterSource {
 public:
  virtual ~ParameterSource() = default;

  /// What the numbers are read from, for messages: a file's name.
  virtual const std::string& name() const = 0;
  /// The robot as described here, without a source of its own.
  virtual const RobotT<double>& robot() const = 0;
  /// In the order of the description.
  virtual std::vector<ParameterInfo> parameters() const = 0;
  /// @throws ArgumentError with the nearest known path if there is no such parameter.
  virtual ParameterInfo parameter(const std::string& path) const = 0;
  /// The robot with other numbers; its own source has them. The later of two changes of one path counts.
  /// @throws ArgumentError for an unknown path; ModelError with all values that the description refuses, each as if it
  /// stood there: place, key, value found, values expected.
  virtual RobotT<double> with(const std::vector<ParameterChange>& changes) const = 0;
  /// The robot with derivatives along at most k_forward_width directions.
  /// @throws ArgumentError for an unknown path, or too many directions.
  virtual RobotT<ForwardDual> differentiated(const std::vector<ParameterDirection>& directions) const = 0;
  /// Where a path of the robot stands in the description ("arm.yaml:3:20"), or the deepest part of it that is there.
  virtual std::string place(const KeyPath& path) const = 0;
};

/// The description of a robot as it is, whatever it comes from, in the keys of a robot file. Who asks for the
/// parameters of a robot from C++ many times keeps it: `robot.source = describe(robot)`.
/// @throws ModelError that names the first part without text: `links[2].body: found a FunctionBody, ..`.
std::shared_ptr<const ParameterSource> describe(const RobotT<double>& robot);

/// The source of a robot's numbers: its own if that describes the robot as it is, else - if it was changed after it was
/// read - a new one of `describe`.
/// @throws ModelError as describe.
std::shared_ptr<const ParameterSource> parameter_source(const RobotT<double>& robot);

}  // namespace cuttle
