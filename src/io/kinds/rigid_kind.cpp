// A rigid body of a robot file.
#include "cuttle/bodies/rigid_body.h"
#include "io/kinds/kind_list.h"
#include "io/robot/part_writers.h"

namespace cuttle {

using namespace key;

namespace {

const KeyTable k_rigid_body{
    .keys = body_keys(
        {required(number("mass", k_not_negative, "kg")).about("Mass."),
         numbers("com", 3, "m").about("Center of mass in the base frame.").by_default("[0, 0, 0]"),
         numbers("inertia", 6, "kg m^2")
             .about("`[Ixx, Iyy, Izz, Ixy, Ixz, Iyz]` about the center of mass in axes of the base frame; tensor "
                    "elements as in URDF.")
             .by_default("[0, 0, 0, 0, 0, 0]", "0: a point mass"),
         pose_key("tip")
             .about("Tip frame in the base frame: where the next link is attached.")
             .by_default("{}", "the base frame")})};

template <typename S>
std::shared_ptr<const BodyT<S>> read_rigid(const PartReader<S>& part) {
  RigidParametersT<S> rigid;
  rigid.mass = part.number("mass");
  rigid.com = part.vector("com");
  const std::vector<S> I = part.numbers("inertia");  // xx, yy, zz, xy, xz, yz: the order of the type too
  rigid.inertia = {I[0], I[1], I[2], I[3], I[4], I[5]};
  rigid.tip = part.pose("tip");
  return std::make_shared<const RigidBodyT<S>>(rigid);
}

}  // namespace

BodyKind rigid_kind() {
  return {"rigid",
          &k_rigid_body,
          "Does not deform.",
          "{type: rigid, mass: 0.2, com: [0, 0, 0.05], inertia: [2.0e-4, 2.0e-4, 5.0e-5, 0, 0, 0], tip: {position: [0, "
          "0, 0.1]}}",
          read_rigid<double>,
          read_rigid<ForwardDual>,
          write_rigid};
}

}  // namespace cuttle
