#pragma once

#include <string>

#include "cuttle/model/data.h"
#include "json_output.h"

namespace cuttle {

/// What each contact does: by its name quantities as results have them (recorded_contacts), null where nothing presses.
/// @param kinematics  of a forward_kinematics with velocities. @param states  of all sites.
Json contacts_json(const Model& model, const KinematicsT<double>& kinematics, double time, const VectorXd& states);

/// The same of a robot at rest, for people: a line a contact; empty without contacts.
std::string contacts_text(const Model& model, Data& data, const VectorXd& q, double time, const VectorXd& states);

}  // namespace cuttle
