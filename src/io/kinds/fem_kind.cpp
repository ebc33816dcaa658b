// Kinematics of a volume by the vibration modes of a mesh. With `full` the body is another one: volume_reader.cpp.
#include <type_traits>

#include "cuttle/bodies/fem_kinematics.h"
#include "io/kinds/kind_list.h"
#include "io/robot/part_writers.h"
#include "io/robot/volume_so_far.h"

namespace cuttle {

using namespace key;

namespace {

const KeyTable k_fem{
    .keys =
        {integer("modes", from_to(1, 200)).about("Number n of vibration modes, the lowest.").if_missing("none: `full`"),
         boolean("full")
             .about("`true`: instead of modes the displacements of all nodes but those at z = 0, for small meshes; "
                    "coordinates `node<number>.x`, `.y`, `.z`.")
             .if_missing("no: `modes`"),
         boolean("derivatives")
             .about("Adds the static modal derivatives of all pairs of modes, up to n (n + 1) / 2 coordinates more: "
                    "what large deflections do at second order, as the shortening of a bent beam.")
             .by_default("false")},
    .rules = {{KeyRule::Kind::exactly_one, {"modes", "full"}}}};

/// The modes of a mesh; null if something is wrong: then there are errors. Derivatives take the modes of the body that
/// was read before as they are.
template <typename S>
std::shared_ptr<const VolumeKinematicsT<S>> read_fem(const KinematicsReader<S>& at) {
  const VolumeSoFar<S>& volume = at.volume();
  const auto count = at.map().integer("modes");
  const bool derivatives = at.map().boolean("derivatives").value_or(false);
  if (!check_fem(volume) || !count) return nullptr;
  if constexpr (!std::is_same_v<S, double>) {
    if (volume.before != nullptr) {
      return std::make_shared<const FemKinematicsT<S>>(volume.before->template part<FemBasis>());
    }
  }
  const MaterialT<S>& material = volume.material->material;
  const FemBasis basis = fem_modes(volume.mesh, material.of_volume().template cast<double>(),
                                   scalar_cast<double>(*material.density), static_cast<int>(*count), derivatives);
  return std::make_shared<const FemKinematicsT<S>>(std::make_shared<const FemBasis>(basis));
}

void write_fem(const VolumeKinematics& kinematics, MapWriter& map) {
  const auto* fem = dynamic_cast<const FemKinematics*>(&kinematics);
  if (fem == nullptr) refuse_to_write("other kinematics of type fem", "FemKinematics");
  const FemBasis& basis = *fem->basis();
  map.integer("modes", std::ssize(basis.frequencies));
  map.flag("derivatives", basis.modes.size() > basis.frequencies.size());
}

}  // namespace

KinematicsKind fem_kind() {
  return {"fem",
          &k_fem,
          "p = x + sum of phi_k(x) q_k with the lowest vibration modes phi_k of a `mesh` that is clamped at "
          "z = 0, linear in each tetrahedron; q_k is the greatest displacement of a node [m]. For materials "
          "that resist changes of volume. The modes are computed when the file is read; they depend on the "
          "ratio of the material's moduli (its Poisson's ratio), and gradients with respect to parameters "
          "leave that out. Points beside the mesh, as those of the tip, follow the nearest tetrahedron up to "
          "R from it.",
          "{type: fem, modes: 8}",
          read_fem<double>,
          read_fem<Gradient>,
          write_fem};
}

}  // namespace cuttle
