#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/model/data.h"

namespace CUTTLE_API cuttle {

/// Numbers that results have of a contact at an instant, under one name.
struct RecordedContact {
  std::string contact;                  ///< its name, or NAME/A-B of one of several pairs
  std::string quantity;                 ///< "force", "normal", ..
  std::vector<CoordinateInfo> columns;  ///< names within the quantity, and units
  bool scalar = false;                  ///< a number, not a row
};
/// Those of a robot, in order: Sample::contacts has their numbers, one after the other. Of each contact the force on
/// side a in world axes, the sum of normal forces, the magnitude of friction, the least gap, the largest speed of
/// sliding, the energy that it has dissipated so far, where it presses and friction as a vector; of contacts with
/// several pairs the same of each pair; and what each site does where `record: sites` asks for that.
std::vector<RecordedContact> recorded_contacts(const Model& model);

/// Reads them, and what contacts store. Memory is made once.
class ContactReader {
 public:
  /// The model must outlive it.
  explicit ContactReader(const Model& model);
  ~ContactReader();
  ContactReader(ContactReader&&) noexcept;
  ContactReader& operator=(ContactReader&&) noexcept;

  /// @param kinematics  of a forward_kinematics with velocities.
  /// @param states  of all sites (StateLayout::sites_of).
  /// @param dissipated  by each pair so far (StateLayout::pair_works_of) [J]; empty: nothing.
  /// @return in the order of recorded_contacts; valid until the next call.
  const VectorXd& read(const KinematicsT<double>& kinematics, double time, VectorInT<double> states,
                       VectorInT<double> dissipated = VectorXd());
  /// The same of an equilibrium: nothing slides, also where an obstacle moves.
  const VectorXd& read_at_rest(const KinematicsT<double>& kinematics, double time, VectorInT<double> states);
  /// Of the last reading: energy that contacts store [J].
  double stored_energy() const;
  /// Contacts that some reading found pressed in by more than half of the radius or half thickness there, as a warning
  /// each: they are too soft for what their shapes say.
  std::vector<std::string> too_soft() const;

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace cuttle
