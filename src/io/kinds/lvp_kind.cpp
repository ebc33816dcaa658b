// Kinematics of a volume that are composed of primitives, each of which keeps the volume of every part.
#include "cuttle/bodies/lvp_kinematics.h"
#include "io/kinds/kind_list.h"
#include "io/robot/part_writers.h"
#include "io/robot/volume_so_far.h"

namespace cuttle {

using namespace key;

namespace {

Key modes(const char* key_name, const char* about) {
  return other(key_name, "a list of modes, each a list of numbers", {list(-1, numbers("", 0, k_dimensionless))})
      .about(about);
}
KeyTable profile_table(const char* about) { return {.keys = {required(modes("modes", about))}}; }

const KeyTable k_stretch = profile_table("Modes of the elongation e = m [m]; their coordinates are in m.");
const KeyTable k_shear{
    .keys = {required(choice("axis", {"x", "y"})).about("Which way the sections move."),
             required(modes("modes", "Modes of the displacement m [m]; their coordinates are in m."))}};
const KeyTable k_twist = profile_table("Modes of the angle m [rad]; their coordinates are in rad.");
const KeyTable k_bend{
    .keys =
        {modes("x", "Modes of the bending about x; their coordinates are in rad.").by_default("[]", "none"),
         modes("y", "Modes of the bending about y, whose coordinates follow those about x.").by_default("[]", "none")},
    .rules = {{KeyRule::Kind::at_least_one, {"x", "y"}}}};
const KeyTable k_source = profile_table("Modes of c = m [m^2]; their coordinates are in m^2.");

const KeyVariants k_primitive_variants{
    .name = "primitive",
    .selector = "type",
    .fixed = {{"stretch", &k_stretch, "z + e, sections shrink by sqrt(1 + de/dz).", "{type: stretch, modes: [[0, 1]]}"},
              {"shear", &k_shear, "Sections move along `axis` by m.", "{type: shear, axis: x, modes: [[0, 0, 1]]}"},
              {"twist", &k_twist, "Sections turn about z by m.", "{type: twist, modes: [[0, 1]]}"},
              {"bend", &k_bend,
               "The axis gets the curvature (m_x, m_y) / L and keeps its length; sections stay normal to it.",
               "{type: bend, x: [[1]], y: [[1], [0, 1]]}"},
              {"source", &k_source, "Distances r from the axis become sqrt(r^2 + c): inflates a bore.",
               "{type: source, modes: [[1]]}"}}};
const KeyTable k_lvp{
    .keys = {required(maps("primitives", k_primitive_variants))
                 .about("The [primitives](#primitive), the one that acts first standing first; coordinates in this "
                        "order.")}};

template <typename S>
typename LvpPrimitiveT<S>::Modes read_modes(const YamlMap& map, const std::string& name) {
  typename LvpPrimitiveT<S>::Modes modes;
  const auto cursor = map.at(name);
  if (!cursor) return modes;
  const Key& rule = map.rule(name);
  for (const YamlCursor& item : cursor->items(rule.expected())) {
    const auto mode = item.numbers<S>(rule.forms.front().forms.front());
    if (mode && mode->empty()) item.fail("one or more coefficients, of z^0, z^1, ..");
    if (mode) modes.push_back(*mode);
  }
  return modes;
}

template <typename S>
LvpPrimitiveT<S> read_primitive(const YamlMap& map) {
  using Type = typename LvpPrimitiveT<S>::Type;
  LvpPrimitiveT<S> primitive;
  for (const Type type : {Type::stretch, Type::shear, Type::twist, Type::bend, Type::source}) {
    if (map.variant() == lvp_primitive_name(static_cast<int>(type))) primitive.type = type;
  }
  const bool bends = primitive.type == Type::bend;
  primitive.modes = read_modes<S>(map, bends ? "x" : "modes");
  if (bends) primitive.y_modes = read_modes<S>(map, "y");
  if (primitive.type == Type::shear) primitive.axis = map.text("axis") == "y" ? 1 : 0;
  return primitive;
}

template <typename S>
std::shared_ptr<const VolumeKinematicsT<S>> read_lvp(const KinematicsReader<S>& at) {
  LvpParametersT<S> lvp;
  lvp.length = at.length();
  for (const YamlMap& primitive : at.map().maps("primitives")) lvp.primitives.push_back(read_primitive<S>(primitive));
  return std::make_shared<const LvpKinematicsT<S>>(lvp);
}

YamlNode modes_node(const LvpPrimitive::Modes& modes) {
  std::vector<YamlNode> items;
  for (const auto& mode : modes) items.push_back(numbers_node(mode));
  return list_node(std::move(items));
}

void write_primitive(const LvpPrimitive& primitive, MapWriter& map) {
  map.text("type", lvp_primitive_name(static_cast<int>(primitive.type)));
  if (primitive.type == LvpPrimitive::Type::bend) {
    if (!primitive.modes.empty()) map.node("x", modes_node(primitive.modes));
    if (!primitive.y_modes.empty()) map.node("y", modes_node(primitive.y_modes));
    return;
  }
  if (primitive.type == LvpPrimitive::Type::shear) map.text("axis", primitive.axis == 0 ? "x" : "y");
  map.node("modes", modes_node(primitive.modes));
}

void write_lvp(const VolumeKinematics& kinematics, MapWriter& map) {
  const auto* lvp = dynamic_cast<const LvpKinematics*>(&kinematics);
  if (lvp == nullptr) refuse_to_write("other kinematics of type lvp", "LvpKinematics");
  require_length(lvp->parameters().length, map.context());
  map.maps("primitives", lvp->parameters().primitives, write_primitive);
}

}  // namespace

KinematicsKind lvp_kind() {
  return {"lvp",
          &k_lvp,
          "A composition of primitives that keep the volume of every part.",
          "{type: lvp, primitives: [{type: stretch, modes: [[0, 1]]}, {type: bend, x: [[1]], y: [[1]]}]}",
          read_lvp<double>,
          read_lvp<ForwardDual>,
          write_lvp};
}

}  // namespace cuttle
