#pragma once

#include <span>

#include "cuttle/io/visual.h"

namespace cuttle {

/// A color by its name in CSS.
struct NamedColor {
  const char* name;
  Color color;
};

/// Those that files may name.
std::span<const NamedColor> named_colors();

}  // namespace cuttle
