#pragma once

#include <string>

namespace cuttle::test {

/// Places of this build. Sources ask here, so that none is compiled with a path of the machine.
std::string source_dir();
std::string tool();
std::string describe_format();

inline const std::string k_source_dir = source_dir();  ///< root of the checkout, without a slash at the end
inline const std::string k_tool = tool();              ///< the command `cuttle`
inline const std::string k_describe_format = describe_format();

}  // namespace cuttle::test
