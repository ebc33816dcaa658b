#include "io/continuum_joint_reader.h"

#include <algorithm>
#include <string>
#include <vector>

#include "cuttle/error.h"
#include "io/joint_reader.h"
#include "io/part_readers.h"

namespace cuttle {

template <typename S>
std::shared_ptr<const ContinuumJointT<S>> read_continuum_joint(const YamlMap& map) {
  const std::size_t errors_before = map.cursor().errors().count();
  ContinuumJointParametersT<S> joint;
  joint.length = map.number<S>("length").value_or(S(1.0));
  joint.mass = map.number<S>("mass").value_or(S(1.0));
  joint.radius = map.number<S>("radius").value_or(S(1.0));
  const auto read_pair = [&](const char* name, std::array<S, 2>& pair) {
    const std::vector<S> values = read_coordinates<S>(map, name, {"rad", "rad"}, "a continuum joint");
    std::copy(values.begin(), values.end(), pair.begin());
  };
  read_pair("stiffness", joint.stiffness);
  joint.coupling_stiffness = map.number_or<S>("coupling_stiffness", 0.0).value_or(S(0.0));
  read_pair("damping", joint.damping);
  joint.momentarily_rigid = map.boolean("momentarily_rigid").value_or(false);
  if (map.cursor().errors().count() > errors_before) return nullptr;
  try {
    return std::make_shared<const ContinuumJointT<S>>(joint);
  } catch (const ModelError& error) {
    map.cursor().fail_inside(error.diagnostic());
    return nullptr;
  }
}

#define CUTTLE_INSTANTIATE(S) template std::shared_ptr<const ContinuumJointT<S>> read_continuum_joint(const YamlMap&);
CUTTLE_INSTANTIATE(double)
CUTTLE_INSTANTIATE(Gradient)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
