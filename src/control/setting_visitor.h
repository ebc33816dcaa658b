#pragma once

#include <map>
#include <string>
#include <vector>

#include "cuttle/control/controllers.h"

namespace cuttle {

/// Is shown the settings of a law one after the other, with their keys in files: each law has one list of them
/// (LawT::describe), of which they are documented, read, and found by number.
class SettingVisitor {
 public:
  virtual ~SettingVisitor() = default;
  virtual void inputs(std::vector<std::string>& names) = 0;
  virtual void links(ControlledLinks& names) = 0;
  virtual void reference(ReferenceSettings& settings) = 0;
  /// One number, one a coordinate, or a matrix by rows; none: 0. @param about  for users, as of the others.
  virtual void gain(const char* key, std::vector<double>& values, const char* about) = 0;
  virtual void weight(const char* key, std::vector<double>& values, const char* about) = 0;  ///< one that must be there
  /// Not negative; what it is stands for none.
  virtual void number(const char* key, double& value, const char* unit, const char* about) = 0;
  virtual void text(const char* key, std::string& value, const char* about) = 0;
  virtual void model(LawModel& model) = 0;
  // of one law each
  virtual void fed_inputs(FeedForwardSettings& settings) = 0;
  virtual void estimates(std::vector<EstimatedParameter>& parameters) = 0;
  virtual void frame_reference(OperationalSpaceSettings& settings) = 0;
  virtual void impedance(OperationalSpaceSettings& settings) = 0;
  virtual void equilibrium(std::map<std::string, double>& inputs) = 0;
  virtual void program(ExternalProgram& program) = 0;
  /// Window, clock, noise and limits: of every law, after its own.
  virtual void common(ControlSettings& settings) = 0;
};

inline void describe_feedback(FeedbackSettings& settings, SettingVisitor& visitor) {
  visitor.reference(settings);
  visitor.gain("kp", settings.kp,
               "K_P, of the error of each coordinate: a number, one a coordinate, or a matrix by rows.");
  visitor.gain("kd", settings.kd, "K_D, of its rate, likewise.");
}

}  // namespace cuttle
