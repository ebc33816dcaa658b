#pragma once

#include <string>

#include "cuttle/api.h"
#include "cuttle/view/shown_run.h"

namespace CUTTLE_API cuttle {

struct GltfOptions {
  std::size_t frames = 600;  ///< most of the animation; of a longer run they are evenly spaced
};

/// A run as an animated scene in binary glTF 2.0 (.glb), for Blender and viewers of glTF: rods as skins over joints
/// along their backbone, volumes by morph targets, rigid shapes, joints, tendons and chambers. y points up there, so
/// the robot hangs in a node that turns z to y; meters and seconds stay. What is seen as colors over time - tension,
/// pressure, energy - is not in it, nor are the arrows of loads.
/// @throws ArgumentError if the run has no sample.
std::string gltf_binary(const ShownRun& run, const GltfOptions& options = {});

}  // namespace cuttle
