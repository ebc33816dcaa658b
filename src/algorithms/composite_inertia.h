#pragma once

#include "cuttle/model/data.h"

namespace cuttle {

/// Fills data.mass_matrix from the composite inertias of frozen subtrees. The outward sweep with blocks must have run
/// on `data` for the configuration wanted. @param function  of the user, for errors.
template <typename S>
void composite_mass_matrix(const ModelT<S>& model, DataT<S>& data, const char* function);

}  // namespace cuttle
