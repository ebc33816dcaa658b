#pragma once

#include "cuttle/io/key_table.h"

namespace cuttle {

/// The keys of scenario files, docs/format.md.
extern const KeyTable k_scenario_table;
extern const KeyTable k_simulation_table;
extern const KeyVariants k_integrator_variants;
extern const KeyVariants k_controller_variants;
extern const KeyTable k_control_limits_table;
extern const KeyTable k_control_noise_table;
extern const KeyTable k_control_resolution_table;
extern const KeyVariants k_control_reference_variants;
extern const KeyTable k_estimated_parameter_table;
extern const KeyTable k_frame_reference_table;
extern const KeyTable k_law_model_table;
extern const KeyTable k_equilibrium_table;
extern const KeyTable k_initial_state_table;
extern const KeyTable k_initial_statics_table;

}  // namespace cuttle
