#pragma once

#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/identification/identification.h"

namespace CUTTLE_API cuttle {

/// The text of a robot file with identified numbers in place of its own, each with its 95 % interval in a comment at
/// the end of its line, and all of them in comments at the top. Whatever else stands in the text stays as it is.
/// @param name  of the file, for messages.
/// @return nothing if a number is not in the text, as a default is not: then the robot is to be written anew.
std::optional<std::string> text_with_identified(const std::string& text, const std::string& name,
                                                const std::vector<FreeParameter>& parameters,
                                                const Identification& found);

/// What stands at the top: how the numbers were found, and the constants of the set-up.
std::string identified_comments(const std::vector<FreeParameter>& parameters, const Identification& found);

}  // namespace cuttle
