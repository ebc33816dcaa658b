// Kinematics of a volume by the vibration modes of a mesh. With `full` the body is another one: volume_reader.cpp.
#include <type_traits>

#include "cuttle/bodies/fem_kinematics.h"
#include "io/kinds/kind_list.h"
#include "io/robot/part_writers.h"
#include "io/robot/volume_so_far.h"

namespace cuttle {

using namespace key;

namespace {

const KeyTable k_attachments{
    .name = "fem attachments",
    .keys = {boolean("tip")
                 .about("Unit forces and torques on the tip frame, which the next link hangs at: six modes.")
                 .by_default("false"),
             other("points", "a list of points [x, y, z]", {list(-1, numbers("", 3, "m"))})
                 .about(
                     "Points of the rest shape, three modes each: unit forces along x, y and z. Those of tendons and "
                     "springs, and those at which links are attached.")
                 .by_default("[]"),
             names("surfaces")
                 .about("Groups of the mesh around cavities, a mode each: unit pressure of a chamber.")
                 .by_default("[]")},
    .example = "{tip: true, points: [[0.01, 0, 0.1]], surfaces: [cavity]}"};
const KeyTable k_fem{
    .keys =
        {integer("modes", from_to(1, 200)).about("Number n of vibration modes, the lowest.").if_missing("none: `full`"),
         boolean("full")
             .about("`true`: instead of modes the displacements of all nodes but those at z = 0: statics and "
                    "implicit steps with their derivatives, inverse statics, `bdf` and vibration modes take any "
                    "number, all else up to 200 free nodes. Coordinates `node<number>.x`, `.y`, `.z`.")
             .if_missing("no: `modes`"),
         boolean("derivatives")
             .about("Adds the static modal derivatives of all pairs of modes, up to n (n + 1) / 2 coordinates more: "
                    "what large deflections do at second order, as the shortening of a bent beam. Without them "
                    "(`false`) a beam that bends by 3 % of its length is already some 2 times too stiff; "
                    "`cuttle info` says how much.")
             .by_default("true"),
         map("attachments", k_attachments)
             .about("Adds the static responses to unit loads where something acts on the body (attachment modes, after "
                    "Craig and Bampton): it then gives way to small loads there as the whole mesh does. They have "
                    "derivatives too: n counts them.")
             .by_default("{}", "vibration modes alone")},
    .rules = {{KeyRule::Kind::exactly_one, {"modes", "full"}}}};

/// Derivatives take modes as they are, which follow the places of attachments.
template <typename S>
void require_held(const YamlCursor& at, const Vector3T<S>& point) {
  if constexpr (std::is_same_v<S, ForwardDual>) {
    for (int i = 0; i < 3; ++i) {
      for (const double slope : point[i].derivative) {
        if (slope == 0.0) continue;
        at.fail("a derivative by the place of an attachment",
                "one by another number: modes follow such a place, and derivatives take them as they are");
        return;
      }
    }
  }
}

template <typename S>
std::vector<FemAttachment> read_attachments(const YamlMap& fem, const VolumeSoFar<S>& volume) {
  std::vector<FemAttachment> all;
  const auto map = fem.map("attachments");
  if (!map) return all;
  if (map->boolean("tip").value_or(false)) {
    FemAttachment tip{.kind = FemAttachment::Kind::frame};
    for (int i = 0; i < 3; ++i) tip.points[i] = volume.tip[i].template cast<double>();
    for (const Vector3T<S>& point : volume.tip) require_held(map->cursor(), point);
    all.push_back(tip);
  }
  if (const auto points = map->at("points")) {
    const Key& rule = map->rule("points");
    for (const YamlCursor& item : points->items(rule.expected())) {
      const auto x = item.numbers<S>(rule.forms.front().forms.front());
      if (!x) continue;
      const Vector3T<S> point{(*x)[0], (*x)[1], (*x)[2]};
      require_held(item, point);
      all.push_back({.kind = FemAttachment::Kind::point, .points = {point.template cast<double>()}});
    }
  }
  for (const std::string& name : map->names("surfaces").value_or(std::vector<std::string>())) {
    all.push_back({.kind = FemAttachment::Kind::surface, .surface = name});
  }
  return all;
}

/// The modes of a mesh; null if something is wrong: then there are errors. Derivatives take the modes of the body that
/// was read before as they are.
template <typename S>
std::shared_ptr<const VolumeKinematicsT<S>> read_fem(const KinematicsReader<S>& at) {
  const VolumeSoFar<S>& volume = at.volume();
  const auto count = at.map().integer("modes");
  const bool derivatives = at.map().boolean("derivatives").value_or(true);
  const std::vector<FemAttachment> attachments = read_attachments(at.map(), volume);
  if (!check_fem(volume) || !count) return nullptr;
  if constexpr (!std::is_same_v<S, double>) {
    if (volume.before != nullptr) {
      return std::make_shared<const FemKinematicsT<S>>(volume.before->template part<FemBasis>());
    }
  }
  const MaterialT<S>& material = volume.material->material;
  const FemBasis basis =
      fem_modes(volume.mesh, material.of_volume().template cast<double>(), scalar_cast<double>(*material.density),
                static_cast<int>(*count), derivatives, attachments);
  return std::make_shared<const FemKinematicsT<S>>(std::make_shared<const FemBasis>(basis));
}

void write_fem(const VolumeKinematics& kinematics, MapWriter& map) {
  const auto* fem = dynamic_cast<const FemKinematics*>(&kinematics);
  if (fem == nullptr) refuse_to_write("other kinematics of type fem", "FemKinematics");
  const FemBasis& basis = *fem->basis();
  map.integer("modes", std::ssize(basis.frequencies));
  const bool derivatives = basis.modes.size() > basis.frequencies.size() + basis.attachment_modes;
  if (!derivatives) map.node("derivatives", boolean_node(false));  // the default is true
  map.map("attachments", [&basis](MapWriter& attachments) {
    std::vector<YamlNode> points, surfaces;
    for (const FemAttachment& at : basis.attachments) {
      if (at.kind == FemAttachment::Kind::frame) attachments.flag("tip", true);
      if (at.kind == FemAttachment::Kind::surface) surfaces.push_back(text_node(at.surface));
      if (at.kind == FemAttachment::Kind::point) {
        points.push_back(numbers_node({at.points[0].x, at.points[0].y, at.points[0].z}));
      }
    }
    if (!points.empty()) attachments.node("points", list_node(std::move(points)));
    if (!surfaces.empty()) attachments.node("surfaces", list_node(std::move(surfaces)));
  });
}

}  // namespace

KinematicsKind fem_kind() {
  return {
      "fem",
      &k_fem,
      "p = x + sum of phi_k(x) q_k with the lowest vibration modes phi_k of a `mesh` that is clamped at "
      "z = 0, in each tetrahedron of degree 1 (4 nodes) or 2 (10 nodes); q_k is the greatest displacement of a node "
      "[m]. "
      "4-node tetrahedra are too stiff in bending and near Poisson's ratio 0.5; `cuttle check` says by how much. For "
      "materials "
      "that resist changes of volume. The modes are computed when the file is read; they depend on the "
      "ratio of the material's moduli (its Poisson's ratio), and gradients with respect to parameters "
      "leave that out. Points beside the mesh, as those of the tip, follow the nearest point of it up to "
      "R away.",
      "{type: fem, modes: 8}",
      read_fem<double>,
      read_fem<ForwardDual>,
      write_fem};
}

}  // namespace cuttle
