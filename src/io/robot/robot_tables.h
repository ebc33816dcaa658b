#pragma once

#include "cuttle/io/part_keys.h"

namespace cuttle {

/// The keys of robot files, docs/format.md: name, type, range, unit, default and meaning of each stand in these tables
/// and nowhere else.
extern const KeyTable k_robot_table;
extern const KeyTable k_base_table;
extern const KeyTable k_include_table;
extern const KeyTable k_pose_table;
extern const KeyTable k_link_table;
extern const KeyTable k_attach_table;
extern const KeyTable k_section_port_table;  ///< at: {s}
extern const KeyTable k_place_table;         ///< at: {s} or {point}
extern const KeyTable k_rod_quadrature_table;
extern const KeyTable k_volume_quadrature_table;
extern const KeyTable k_rod_body;
extern const KeyTable k_volume_body;
extern const KeyVariants k_shape_variants;
extern const KeyVariants k_kinematics_variants;
extern const KeyTable k_tip_points_table;
extern const KeyVariants k_material_variants;
extern const KeyVariants k_joint_variants;
extern const KeyVariants k_body_variants;
extern const KeyVariants k_section_variants;
extern const KeyVariants k_basis_variants;
extern const std::vector<std::string> k_strain_shorthands;
extern const std::vector<std::string> k_torsion_constants;
extern const KeyTable k_strain_table;     ///< strain: by component
extern const KeyTable k_kirchhoff_table;  ///< strain: {kirchhoff: ..}
extern const KeyTable k_rest_strain_table;
extern const KeyTable k_hyperelastic_table;
extern const KeyTable k_tanh_table;
extern const KeyVariants k_actuator_variants;
extern const KeyVariants k_element_variants;
extern const KeyVariants k_load_variants;
extern const KeyTable k_loop_place_table;  ///< a and b of a loop or spring
extern const KeyTable k_pose_motion_table;
extern const KeyVariants k_loop_variants;
extern const KeyVariants k_obstacle_variants;
extern const KeyVariants k_contact_shape_variants;
extern const KeyTable k_contact_table;
extern const KeyTable k_marker_table;
extern const KeyVariants k_sensor_variants;
extern const KeyVariants k_visual_variants;
extern const KeyVariants k_signal_variants;

/// Version of the file format, the value of the key `cuttle`.
inline constexpr int k_format_version = 1;

Key version_key();
Key material_key();      ///< of a body
Key color_key();         ///< of what is drawn
Key link_contact_key();  ///< `contact` of a link

}  // namespace cuttle
