#pragma once

#include "cuttle/model/effort_law.h"

namespace cuttle {

/// Of the law of friction beside one tendon, as a Model has it: the law of the same transmissions whose input is the
/// tension where the tendon is pulled [N], also if a law drives the tendon. Null: of other laws.
const EffortLawT<double>* friction_of_tension(const EffortLawT<double>& law);

}  // namespace cuttle
