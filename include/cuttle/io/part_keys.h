#pragma once

#include <vector>

#include "cuttle/api.h"
#include "cuttle/io/key_table.h"

namespace CUTTLE_API cuttle {

// Keys that parts of a robot or scenario share, for the tables of kinds.

/// The keys of a body: its own, and `visual`.
std::vector<Key> body_keys(std::vector<Key> own);
/// The keys of a joint that moves: its own, those of spring, damper and armature, and `visual`.
std::vector<Key> joint_keys(std::vector<Key> own);
/// @param rest  where the spring is relaxed, of a joint on another manifold than R^n.
std::vector<Key> joint_keys(std::vector<Key> own, Key rest);
/// The keys of an element: `name`, and its own.
std::vector<Key> element_keys(std::vector<Key> own);
/// The keys of an actuator of one input: `name`, and its own.
std::vector<Key> actuator_keys(std::vector<Key> own);
/// The keys of a sensor: `name`, and its own.
std::vector<Key> sensor_keys(std::vector<Key> own);
/// The keys of a material: `density`, its own, and `damping_time`.
std::vector<Key> material_keys(std::vector<Key> own);
/// The keys of an integrator with fixed steps: `step`, and its own.
std::vector<Key> fixed_step_keys(std::vector<Key> own = {});

Key visual_key();
Key link_key(const char* about);
Key place_key();                                     ///< `at` beside `link`
Key frame_key(const char* name, const char* about);  ///< {link, at, pose}
Key pose_key(const char* name);                      ///< {position, rpy, quaternion}
Key axis_key(const char* about);                     ///< `axis`, of any length but 0; z without it
Key index_key();                                     ///< `index` beside `link`: a coordinate of its joint
Key routing_key();                                   ///< `routing` of a tendon

}  // namespace cuttle
