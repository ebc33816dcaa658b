#include "support/paths.h"

namespace cuttle::test {

std::string source_dir() { return CUTTLE_SOURCE_DIR; }
std::string tool() { return CUTTLE_TOOL; }
std::string describe_format() { return CUTTLE_DESCRIBE_FORMAT; }

}  // namespace cuttle::test
