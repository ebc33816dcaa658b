// The kinematics of volumes of a robot file, a line each.
#include "io/kinds/kind_list.h"
#include "io/robot/robot_tables.h"
#include "io/robot/volume_so_far.h"

namespace cuttle {

// each in a source of its own
KinematicsKind lvp_kind();
KinematicsKind ritz_kind();
KinematicsKind fem_kind();
KinematicsKind radial_kind();
KinematicsKind neural_kind();

template <>
KindList<KinematicsKind>& kinds() {
  static KindList<KinematicsKind> k_kinds("kinematics", {
                                                            lvp_kind(),
                                                            ritz_kind(),
                                                            fem_kind(),
                                                            radial_kind(),
                                                            neural_kind(),
                                                        });
  return k_kinds;
}

void register_kind(KinematicsKind kind) { kinds<KinematicsKind>().add(std::move(kind)); }

const KeyVariants k_kinematics_variants{
    .name = "kinematics", .selector = "type", .registered = registered_variants<KinematicsKind>};

template <typename S>
KinematicsReader<S>::KinematicsReader(const YamlMap& map, const VolumeSoFar<S>& volume)
    : KeyReader<S>(map, volume.files), volume_(&volume) {}

template <typename S>
const S& KinematicsReader<S>::length() const {
  return volume_->length;
}
template <typename S>
const S& KinematicsReader<S>::radius() const {
  return volume_->rim_x;
}
template <typename S>
const std::shared_ptr<const TetrahedralMesh>& KinematicsReader<S>::mesh() const {
  return volume_->mesh;
}

template class KinematicsReader<double>;
template class KinematicsReader<ForwardDual>;

}  // namespace cuttle
