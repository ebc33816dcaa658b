#pragma once

#include <optional>
#include <string>

#include "io/import/sdf_frames.h"

namespace cuttle {

/// Mass properties of a link in its own frame, of its <inertial>: as written, or with auto="true" those of its
/// collisions, of their densities.
/// @param file_name  as others name it: mesh files are beside it.
/// @return nothing, with errors, if they cannot be computed.
std::optional<MassProperties> read_sdf_inertial(const XmlElement& inertial, const XmlElement& link,
                                                const std::string& file_name, SdfElements& read, SdfFrames& frames);

}  // namespace cuttle
