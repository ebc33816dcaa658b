// Robot files: what a robot touches, and how.
#include <deque>
#include <map>
#include <mutex>

#include "io/kinds/kind_list.h"
#include "io/robot/robot_tables.h"

namespace cuttle {

using namespace key;

namespace {

const KeyTable k_friction_table{
    .name = "friction",
    .keys = {number("kinetic", k_not_negative, k_dimensionless)
                 .about("Coefficient while it slides: friction over normal force, in all directions that have none of "
                        "their own.")
                 .if_missing("`static`; without that 0.5"),
             number("static", k_not_negative, k_dimensionless)
                 .about("The same at rest, at least `kinetic`. Directions with coefficients of their own have the same "
                        "ratio of both.")
                 .if_missing("`kinetic`"),
             number("forward", k_not_negative, k_dimensionless)
                 .about("Of kinetic friction where a point of `a` slides along its link's z axis, along a rod towards "
                        "its tip.")
                 .if_missing("`kinetic`"),
             number("backward", k_not_negative, k_dimensionless)
                 .about("Where it slides against that axis.")
                 .if_missing("`kinetic`"),
             number("sideways", k_not_negative, k_dimensionless)
                 .about("Where it slides across that axis.")
                 .if_missing("`kinetic`"),
             number("stribeck_velocity", k_positive, "m/s")
                 .about("Speed at which what static friction has beyond kinetic friction has fallen to 1/e.")
                 .by_default("0.01"),
             number("damping_time", k_not_negative, "s")
                 .about("Damping of the springs by which friction holds, over their stiffness.")
                 .by_default("5.0e-4")},
    .example = "{static: 0.6, kinetic: 0.5, stribeck_velocity: 0.02}"};

/// Variants of all shapes, each with the keys of the shape and those of a place where shapes stand.
class ShapeVariants {
 public:
  using Extend = KeyTable (*)(const KeyTable& shape);
  explicit ShapeVariants(Extend extend) : extend_(extend) {}

  const std::vector<KeyVariants::Variant>& all() {
    const std::vector<KeyVariants::Variant>& shapes = registered_variants<DistanceKind>();
    const std::lock_guard lock(mutex_);
    std::vector<KeyVariants::Variant>& variants = of_[&shapes];  // a list of kinds never changes: there is a longer one
    if (!variants.empty()) return variants;
    variants = shapes;
    for (KeyVariants::Variant& variant : variants) {
      const auto [table, is_new] = tables_.try_emplace(variant.choice);
      if (is_new) table->second = extend_(*variant.table);
      variant.table = &table->second;
      if (extend_ == in_obstacle) variant.example = "{name: thing, " + variant.example.substr(1);
    }
    return variants;
  }

  static KeyTable in_obstacle(const KeyTable& shape) {
    KeyTable table = shape;
    table.keys.insert(table.keys.begin(),
                      required(name("name")).about("Unique name, also among links; contacts name it."));
    table.keys.push_back(map("pose", k_pose_table).about("Of the shape, in the world.").by_default("{}", "identity"));
    table.keys.push_back(map("motion", k_pose_motion_table)
                             .about("Moves it: its pose in time, relative to `pose`.")
                             .if_missing("it stays where it is"));
    table.keys.push_back(boolean("inside")
                             .about("Robots are within it, as in a tube or a bowl: its surface faces inwards.")
                             .by_default("false"));
    table.keys.push_back(color_key());
    return table;
  }
  static KeyTable on_link(const KeyTable& shape) {
    KeyTable table = shape;
    table.keys.push_back(map("pose", k_pose_table)
                             .about("Of the shape, in the base frame of the link's body.")
                             .by_default("{}", "identity"));
    return table;
  }

 private:
  Extend extend_;
  std::mutex mutex_;
  std::map<const void*, std::vector<KeyVariants::Variant>> of_;
  std::map<std::string, KeyTable> tables_;
};

const std::vector<KeyVariants::Variant>& obstacle_variants() {
  static ShapeVariants variants(ShapeVariants::in_obstacle);
  return variants.all();
}
const std::vector<KeyVariants::Variant>& link_shape_variants() {
  static ShapeVariants variants(ShapeVariants::on_link);
  return variants.all();
}

Key side(const char* key_name, const char* about) {
  return required(other(key_name, "a name or a list of names", {name(""), names("")})).about(about);
}

}  // namespace

const KeyVariants k_obstacle_variants{.name = "obstacle", .selector = "shape", .registered = obstacle_variants};
const KeyVariants k_contact_shape_variants{
    .name = "contact shape", .selector = "shape", .registered = link_shape_variants};

Key link_contact_key() {
  return other("contact", "none, a shape or a list of shapes",
               {choice("", {"none"}), map("", k_contact_shape_variants), maps("", k_contact_shape_variants)})
      .about(
          "By which [shapes](#contact-shape) it touches. Rods and volumes have their own surface; `none` takes it "
          "away.")
      .if_missing("of rods and volumes their surface; of others none");
}

const KeyTable k_contact_table{
    .name = "contact",
    .keys = {required(name("name")).about("Unique name; results and parameters use it."),
             side("a", "Links that touch: one or several."),
             side("b",
                  "What they touch: one or several obstacles or links, or `self`: each link of `a` touches itself."),
             other("friction", "a number >= 0 or a mapping",
                   {number("", k_not_negative, k_dimensionless), map("", k_friction_table)})
                 .about("Coefficient of friction, or more of it ([friction](#friction)).")
                 .by_default("0.5"),
             number("modulus", k_positive, "Pa")
                 .about("Contact modulus E*: how stiff both sides are together.")
                 .if_missing("of the materials of both sides: 1/E* is the sum of (1 - nu^2)/E, 0 for rigid sides; "
                             "needed if both are rigid"),
             number("dissipation", k_not_negative, "s/m")
                 .about("Factor c of damping: the normal force is that of rest times 1 + c d', where d' is the speed "
                        "of approach. It says how bodies bounce.")
                 .by_default("1"),
             number("rounding", k_positive, "m")
                 .about("Radius of corners, edges and vertices of rigid sides.")
                 .if_missing("1 % of the least half extent"),
             number("spacing", k_positive, "m")
                 .about(
                     "Largest distance between points at which edges touch; between corners of facets of volumes that "
                     "touch each other about the mean one.")
                 .if_missing("by the shape's size, or the number of facets"),
             choice("record", {"resultant", "sites"})
                 .about("What results have: the contact as a whole, or each point at which it touches too.")
                 .by_default("resultant")},
    .example = "{name: floor, a: arm, b: ground, friction: 0.6, modulus: 1.0e6}"};

}  // namespace cuttle
