// Loads.
#include <algorithm>

#include "cuttle/elements/drone.h"
#include "cuttle/elements/fluid.h"
#include "io/robot/part_writers.h"

namespace cuttle {
namespace {

/// The law of a load as the class that has this type's name in files.
template <typename Law>
const Law& law_of(const Load& load) {
  const auto* law = dynamic_cast<const Law*>(load.law.get());
  if (law == nullptr) refuse_to_write("another law of type " + load.law->type_name(), "the library's");
  return *law;
}

void write_timed(const Load& load, MapWriter& map) {
  const TimedWrench* timed = load.law->timed();
  if (timed == nullptr) refuse_to_write("another law of type " + load.law->type_name(), "the library's");
  write_signals("force", timed->force, map);
  write_signals("torque", timed->torque, map);
  if (!map.has("force") && !map.has("torque")) map.numbers("force", {0.0, 0.0, 0.0});  // a load has one of them
  map.text("frame", timed->axes == Axes::body ? "body" : "world", "world");
}

/// Gains, one each for the angular and the linear part if that is all.
void write_gains(const char* key, const std::array<double, 6>& gains, MapWriter& map) {
  const bool two = gains[0] == gains[1] && gains[1] == gains[2] && gains[3] == gains[4] && gains[4] == gains[5];
  if (two) {
    map.numbers(key, {gains[0], gains[3]});
  } else {
    map.numbers(key, {gains.begin(), gains.end()});
  }
}

}  // namespace

void write_wrench_load(const Load& load, MapWriter& map) {
  write_material_place(load.place, map);
  write_timed(load, map);
}

void write_distributed_load(const Load& load, MapWriter& map) {
  map.text("link", load.place.link);
  write_timed(load, map);
}

void write_fluid(const Load& load, MapWriter& map) {
  const Fluid& fluid = law_of<FluidLaw>(load).parameters();
  map.text("link", load.place.link);
  map.number("density", fluid.density);
  map.profile("radius_x", fluid.radius_x.values);
  map.profile("radius_y", fluid.radius_y.values);
  map.number("length", fluid.length, 0.0);
  map.integer("sections", fluid.sections, Fluid().sections);
  map.number("normal_drag", fluid.normal_drag, 0.0);
  map.number("tangential_drag", fluid.tangential_drag, 0.0);
  map.flag("wake", fluid.wake);
}

void write_drone(const Load& load, MapWriter& map) {
  const Drone& drone = law_of<DroneLaw>(load).parameters();
  write_material_place(load.place, map);
  write_signals("angular_velocity", drone.angular_velocity, map);
  write_signals("linear_velocity", drone.linear_velocity, map);
  write_rotation(drone.axes, map);
  write_gains("proportional", drone.proportional, map);
  if (drone.integral != std::array<double, 6>{}) write_gains("integral", drone.integral, map);
}

}  // namespace cuttle
