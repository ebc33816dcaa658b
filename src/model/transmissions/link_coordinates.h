#pragma once

#include "cuttle/error.h"
#include "cuttle/model/model.h"

namespace cuttle {

/// @throws ModelError if the link's joint has quaternions.
template <typename S>
void require_vector_space(const LinkInfoT<S>& info) {
  if (info.joint_nq == info.joint_nv) return;
  throw ModelError("link '" + info.name + "' has a " + info.joint_type +
                   " joint, whose coordinates are no numbers to act on");
}

}  // namespace cuttle
