#pragma once

#include <memory>
#include <vector>

#include "control/clocked_controller.h"
#include "cuttle/io/key_reader.h"

namespace cuttle {

/// What files have of a law of the library: its keys, and who reads them.
std::vector<Key> controller_keys(const LibraryLaw& law);
std::shared_ptr<const Controller> read_controller(const LibraryLaw& law, const KeyReader<double>& part);

}  // namespace cuttle
