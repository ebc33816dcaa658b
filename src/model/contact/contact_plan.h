#pragma once

#include "cuttle/model/robot.h"
#include "model/contact/contact_law.h"

namespace cuttle {

/// What of robots with contacts does not need to know the contact. @throws ModelError
template <typename S>
void check_obstacles(const RobotT<S>& robot);

/// Numbers of a contact alone. @throws ModelError
template <typename S>
void check_contact(const ContactT<S>& contact);

/// @throws ModelError: key, what was found, what was expected; paths begin at the keys of the contact, or at the robot
/// (`links`, ..) and then say so by a path of their own.
template <typename S>
ContactPlanT<S> plan_contact(const RobotT<S>& robot, const ContactT<S>& contact);

}  // namespace cuttle
