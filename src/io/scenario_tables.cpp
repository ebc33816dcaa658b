#include "io/scenario_tables.h"

namespace cuttle {

using namespace key;

namespace {

const KeyTable k_adaptive{{number("relative_tolerance", k_positive), number("absolute_tolerance", k_positive),
                           number("max_step", k_positive, "s")}};
const KeyTable k_fixed_step{{required(number("step", k_positive, "s"))}};

}  // namespace

const KeyVariants k_integrator_variants{"type",
                                        {{"bdf", &k_adaptive},
                                         {"erk", &k_adaptive},
                                         {"rk4", &k_fixed_step},
                                         {"tsit5", &k_fixed_step},
                                         {"newmark", nullptr},
                                         {"hht", nullptr},
                                         {"generalized_alpha", nullptr},
                                         {"midpoint", nullptr}},
                                        "bdf"};
const KeyTable k_initial_state_table{{profile("q", 0, k_any_number), profile("v", 0, k_any_number)}};
const KeyTable k_simulation_table{
    {number("duration", k_positive, "s"), number("output_step", k_positive, "s"), integer("seed", k_not_negative),
     map("integrator", k_integrator_variants), named_maps("initial", k_initial_state_table),
     other("inputs", "a mapping from actuators to numbers or signals"), other("controllers", "an empty list")}};
const KeyTable k_scenario_table{{required(other("cuttle", "1, the version of the format")), required(text("robot")),
                                 required(map("simulation", k_simulation_table))}};

}  // namespace cuttle
