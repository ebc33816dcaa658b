#pragma once

#include <string>

namespace cuttle {

/// Asks the desktop to show a page: `xdg-open ADDRESS`, which returns at once and prints nothing here.
/// @param address  a URL, or the path of a file (relative to the current folder, or absolute).
/// @return whether the desktop was asked; false where there is none: no display, or no xdg-open.
bool open_in_browser(const std::string& address);

}  // namespace cuttle
