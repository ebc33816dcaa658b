// Shapes to draw.
#include "io/meshes/triangle_file.h"
#include "io/robot/named_colors.h"
#include "io/robot/part_writers.h"

namespace cuttle {
void write_color(const Color& color, MapWriter& map) {
  for (const NamedColor& named : named_colors()) {
    const Color& c = named.color;
    if (c.red == color.red && c.green == color.green && c.blue == color.blue && c.opacity == color.opacity) {
      return map.text("color", named.name);
    }
  }
  std::vector<double> numbers{color.red, color.green, color.blue};
  if (color.opacity != 1.0) numbers.push_back(color.opacity);
  map.numbers("color", numbers);
}

void write_visual(const Visual& visual, MapWriter& map) {
  switch (visual.shape) {
    case Visual::Shape::box:
      map.text("shape", "box");
      map.vector("size", visual.size);
      break;
    case Visual::Shape::cylinder:
      map.text("shape", "cylinder");
      map.number("radius", visual.radius);
      map.number("length", visual.length);
      break;
    case Visual::Shape::sphere:
      map.text("shape", "sphere");
      map.number("radius", visual.radius);
      break;
    case Visual::Shape::mesh:
      map.text("shape", "mesh");
      map.file("file", ".obj", [&] { return obj_text(*visual.mesh); });
      break;
  }
  if (visual.color) write_color(*visual.color, map);
  map.map("pose", [&](MapWriter& pose) { write_pose(visual.pose, pose); });
}

}  // namespace cuttle
