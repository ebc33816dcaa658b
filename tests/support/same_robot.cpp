#include "support/same_robot.h"

#include <gtest/gtest.h>

#include <tuple>

#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/bodies/continuum_joint.h"
#include "cuttle/bodies/rigid_body.h"
#include "cuttle/bodies/rod_body.h"
#include "cuttle/bodies/volume_body.h"
#include "cuttle/elements/drone.h"
#include "cuttle/elements/input_lag.h"
#include "cuttle/elements/joint_friction.h"
#include "cuttle/elements/length_drive.h"
#include "cuttle/elements/mass_damping.h"
#include "cuttle/elements/play.h"
#include "cuttle/model/transmissions/joint.h"
#include "cuttle/model/transmissions/linear.h"
#include "cuttle/model/transmissions/tendon.h"
#include "cuttle/model/transmissions/wrench.h"
#include "cuttle/sensors/sensors.h"
#include "support/changed_load.h"
#include "support/random.h"
#include "support/random_state.h"

namespace cuttle::test {
static constexpr double k_rotation = 1e-15;

/// The rotation nearest to a matrix that rounding took off the rotations: products of random rotations are 1e-15 off,
/// and what a file holds is a rotation.
static Matrix3 nearest_rotation(const Matrix3& matrix) {
  const auto R = matrix.cast<long double>();
  const auto square = R.transpose() * R;
  Matrix3 nearest;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {  // a step of Newton's method: R (3 - R^T R) / 2
      long double sum = 1.5L * R(i, j);
      for (int k = 0; k < 3; ++k) sum -= 0.5L * R(i, k) * square(k, j);
      nearest(i, j) = static_cast<double>(sum);
    }
  }
  return nearest;
}

static void expect_same(const Matrix3& a, const Matrix3& b) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) EXPECT_NEAR(a(i, j), b(i, j), k_rotation);
  }
}

void expect_same(const Pose& a, const Pose& b) {
  EXPECT_EQ(a.position, b.position);
  expect_same(a.rotation, b.rotation);
}

static void expect_same(const SignedDistance& a, const SignedDistance& b) {
  ASSERT_EQ(a.type_name(), b.type_name());
  for (const Vector3& x : {Vector3{0.3, 0.7, 1.1}, {-2.1, 0.4, -0.6}, {0.01, -0.02, 0.4}}) {
    EXPECT_EQ(a.at(x).value, b.at(x).value);
  }
}

static void expect_same(const LinkContactT<double>& a, const LinkContactT<double>& b) {
  EXPECT_EQ(a.none, b.none);
  ASSERT_EQ(a.shapes.size(), b.shapes.size());
  for (std::size_t i = 0; i < a.shapes.size(); ++i) {
    expect_same(a.shapes[i].pose, b.shapes[i].pose);
    expect_same(*a.shapes[i].shape, *b.shapes[i].shape);
  }
}

static void expect_same(const Place& a, const Place& b) {
  EXPECT_EQ(a.link, b.link);
  EXPECT_EQ(a.at, b.at);
  expect_same(a.pose, b.pose);
}

template <typename Profiles>
static void expect_same_profiles(const std::optional<Profiles>& a, const std::optional<Profiles>& b) {
  EXPECT_TRUE(a == b);
}
static void expect_same_law(const std::optional<HyperelasticLawT<double>>& a,
                            const std::optional<HyperelasticLawT<double>>& b) {
  ASSERT_EQ(a.has_value(), b.has_value());
  if (!a) return;
  EXPECT_EQ(a->polynomial, b->polynomial);
  EXPECT_EQ(a->tanh, b->tanh);
}
static void expect_same_rods(const RodParameters& a, const RodParameters& b) {
  EXPECT_EQ(a.length, b.length);
  EXPECT_EQ(a.quadrature_points, b.quadrature_points);
  const Section &s = a.section, &t = b.section;
  EXPECT_TRUE(!s.is_given() || s.shape == t.shape);
  for (const auto part :
       {&Section::radius, &Section::inner_radius, &Section::radius_x, &Section::radius_y, &Section::width,
        &Section::height, &Section::area, &Section::Ix, &Section::Iy, &Section::Jz}) {
    EXPECT_EQ(s.*part, t.*part);
  }
  const RodMaterial &m = a.material, &n = b.material;
  EXPECT_EQ(m.density, n.density);
  EXPECT_EQ(m.young_modulus, n.young_modulus);
  EXPECT_EQ(m.poisson_ratio, n.poisson_ratio);
  EXPECT_EQ(m.damping_time, n.damping_time);
  EXPECT_EQ(m.viscosity, n.viscosity);
  for (int c = 0; c < 6; ++c) {
    ASSERT_EQ(a.strain[c].has_value(), b.strain[c].has_value());
    EXPECT_EQ(a.rest_strain[c], b.rest_strain[c]);
    if (!a.strain[c]) continue;
    const StrainBasis &x = *a.strain[c], &y = *b.strain[c];
    EXPECT_EQ(x.kind, y.kind);
    EXPECT_EQ(x.order, y.order);
    EXPECT_EQ(x.centers, y.centers);
    EXPECT_EQ(x.widths, y.widths);
    EXPECT_EQ(x.nodes, y.nodes);
    EXPECT_EQ(x.breaks, y.breaks);
  }
  EXPECT_EQ(a.shear_factor, b.shear_factor);
  EXPECT_EQ(a.torsion_constant, b.torsion_constant);
  expect_same_profiles(a.stiffness, b.stiffness);
  expect_same_profiles(a.damping, b.damping);
  EXPECT_EQ(a.stiffening, b.stiffening);
  expect_same_profiles(a.mass_per_length, b.mass_per_length);
  expect_same_profiles(a.rotary_inertia, b.rotary_inertia);
  expect_same_law(a.hyperelastic_stretch, b.hyperelastic_stretch);
  expect_same_law(a.hyperelastic_bend, b.hyperelastic_bend);
}
static void expect_same_volumes(const VolumeBody& a, const VolumeBody& b) {
  const PointParameters &p = a.parameters(), &r = b.parameters();
  EXPECT_EQ(p.quadrature.points, r.quadrature.points);
  EXPECT_EQ(p.quadrature.weights, r.quadrature.weights);
  EXPECT_EQ(p.density, r.density);
  EXPECT_EQ(p.tip_origin, r.tip_origin);
  EXPECT_EQ(p.tip_a, r.tip_a);
  EXPECT_EQ(p.tip_b, r.tip_b);
  EXPECT_EQ(p.shape.kind, r.shape.kind);
  EXPECT_EQ(p.shape.length, r.shape.length);
  EXPECT_EQ(p.shape.half_x, r.shape.half_x);
  EXPECT_EQ(p.shape.inner_radius, r.shape.inner_radius);
  const VolumeMaterial &m = a.material(), &n = b.material();
  EXPECT_EQ(m.model, n.model);
  EXPECT_EQ(m.c1, n.c1);
  EXPECT_EQ(m.lame_lambda, n.lame_lambda);
  EXPECT_EQ(m.damping_time, n.damping_time);
  EXPECT_EQ(m.shear_modulus(), n.shear_modulus());
}

static void expect_same(const Body& a, const Body& b) {
  ASSERT_EQ(a.type_name(), b.type_name());
  if (const auto* rigid = dynamic_cast<const RigidBody*>(&a)) {
    const RigidParameters &p = rigid->parameters(), &r = dynamic_cast<const RigidBody&>(b).parameters();
    EXPECT_EQ(p.mass, r.mass);
    EXPECT_EQ(p.com, r.com);
    const auto list = [](const SymmetricMatrix3T<double>& I) {
      return std::vector<double>{I.xx, I.yy, I.zz, I.xy, I.xz, I.yz};
    };
    EXPECT_EQ(list(p.inertia), list(r.inertia));
    expect_same(p.tip, r.tip);
  } else if (const auto* rod = dynamic_cast<const RodBody*>(&a)) {
    expect_same_rods(rod->parameters(), dynamic_cast<const RodBody&>(b).parameters());
  } else if (const auto* joint = dynamic_cast<const ContinuumJoint*>(&a)) {
    const auto &p = joint->parameters(), &r = dynamic_cast<const ContinuumJoint&>(b).parameters();
    EXPECT_EQ(p.length, r.length);
    EXPECT_EQ(p.mass, r.mass);
    EXPECT_EQ(p.radius, r.radius);
    EXPECT_EQ(p.stiffness, r.stiffness);
    EXPECT_EQ(p.coupling_stiffness, r.coupling_stiffness);
    EXPECT_EQ(p.damping, r.damping);
    EXPECT_EQ(p.momentarily_rigid, r.momentarily_rigid);
  } else if (const auto* volume = dynamic_cast<const VolumeBody*>(&a)) {
    expect_same_volumes(*volume, dynamic_cast<const VolumeBody&>(b));
  }
}

static void expect_same(const Link& a, const Link& b, const std::string& before) {
  EXPECT_EQ(a.name, b.name);
  Place parent = a.parent;
  if (parent.link.empty()) parent.link = before;
  expect_same(parent, b.parent);
  const auto type = [](const Link& link) { return link.joint ? link.joint->type_name() : "fixed"; };
  ASSERT_EQ(type(a), type(b));
  if (type(a) != "fixed") {
    const auto axes = a.joint->packing()->axes, others = b.joint->packing()->axes;
    for (std::size_t i = 0; i < axes.size(); ++i) EXPECT_LE(norm(axes[i] - others[i]), k_rotation);
    EXPECT_EQ(a.joint_dynamics.stiffness, b.joint_dynamics.stiffness);
    EXPECT_EQ(a.joint_dynamics.damping, b.joint_dynamics.damping);
    EXPECT_EQ(a.joint_dynamics.armature, b.joint_dynamics.armature);
    ASSERT_EQ(a.joint_dynamics.rest.size(), b.joint_dynamics.rest.size());
    for (std::size_t i = 0; i < a.joint_dynamics.rest.size(); ++i) {
      EXPECT_NEAR(a.joint_dynamics.rest[i], b.joint_dynamics.rest[i],
                  a.joint->nq() == a.joint->nv() ? 0.0 : k_rotation);
    }
  }
  EXPECT_EQ(a.material, b.material);
  ASSERT_EQ(a.body == nullptr, b.body == nullptr);
  if (a.body) expect_same(*a.body, *b.body);
}

/// What it acts through, by all that kinds tell and what the library's have besides.
static void expect_same(const Transmission& a, const Transmission& b) {
  ASSERT_EQ(a.type_name(), b.type_name());
  EXPECT_EQ(a.links(), b.links());
  EXPECT_EQ(a.inputs(), b.inputs());
  const TransmissionPicture x = a.picture(), y = b.picture();
  ASSERT_EQ(x.line.size(), y.line.size());
  for (std::size_t i = 0; i < x.line.size(); ++i) {
    if (std::holds_alternative<Place>(x.line[i])) {
      expect_same(std::get<Place>(x.line[i]), std::get<Place>(y.line[i]));
    } else {
      EXPECT_EQ(std::get<Routing>(x.line[i]), std::get<Routing>(y.line[i]));
    }
  }
  ASSERT_EQ(x.chamber.has_value(), y.chamber.has_value());
  if (x.chamber) {
    EXPECT_EQ(x.chamber->chamber.surface, y.chamber->chamber.surface);
    EXPECT_EQ(x.chamber->chamber.pocket, y.chamber->chamber.pocket);
    EXPECT_EQ(x.chamber->offset, y.chamber->offset);
    EXPECT_EQ(x.chamber->area, y.chamber->area);
  }
  if (const auto* joint = dynamic_cast<const JointTransmission*>(&a)) {
    EXPECT_EQ(joint->index, dynamic_cast<const JointTransmission&>(b).index);
  } else if (const auto* linear = dynamic_cast<const LinearTransmission*>(&a)) {
    EXPECT_EQ(linear->matrix, dynamic_cast<const LinearTransmission&>(b).matrix);
  } else if (const auto* tendon = dynamic_cast<const TendonTransmission*>(&a)) {
    EXPECT_EQ(tendon->slack, dynamic_cast<const TendonTransmission&>(b).slack);
  } else if (const auto* wrench = dynamic_cast<const WrenchTransmission*>(&a)) {
    expect_same(wrench->place, dynamic_cast<const WrenchTransmission&>(b).place);
    EXPECT_EQ(wrench->axes, dynamic_cast<const WrenchTransmission&>(b).axes);
  }
}

static void expect_same(const NamedSensor& a, const NamedSensor& b) {
  EXPECT_EQ(a.name, b.name);
  ASSERT_EQ(a.sensor->type_name(), b.sensor->type_name());
  if (const auto* placed = dynamic_cast<const PlacedSensor*>(a.sensor.get())) {
    const auto& other = dynamic_cast<const PlacedSensor&>(*b.sensor);
    expect_same(placed->place(), other.place());
    EXPECT_EQ(placed->axes(), other.axes());
  } else if (const auto* of_actuator = dynamic_cast<const OfActuator*>(a.sensor.get())) {
    EXPECT_EQ(of_actuator->actuator(), dynamic_cast<const OfActuator&>(*b.sensor).actuator());
  } else if (const auto* of_link = dynamic_cast<const OfLink*>(a.sensor.get())) {
    EXPECT_EQ(of_link->link(), dynamic_cast<const OfLink&>(*b.sensor).link());
  } else if (const StrainPlace* x = strain_sensor_place(*a.sensor)) {
    const StrainPlace* y = strain_sensor_place(*b.sensor);
    EXPECT_EQ(std::tie(x->link, x->s, x->offset), std::tie(y->link, y->s, y->offset));
  }
}

void expect_same(const Robot& a, const Robot& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.gravity, b.gravity);
  EXPECT_EQ(a.floating_base, b.floating_base);
  expect_same(a.base_pose, b.base_pose);
  EXPECT_EQ(a.materials, b.materials);
  ASSERT_EQ(a.links.size(), b.links.size());
  for (std::size_t i = 0; i < a.links.size(); ++i) {
    SCOPED_TRACE(a.links[i].name);
    expect_same(a.links[i], b.links[i], i == 0 ? "base" : a.links[i - 1].name);
    expect_same(a.links[i].contact, b.links[i].contact);
  }
  ASSERT_EQ(a.markers.size(), b.markers.size());
  for (std::size_t i = 0; i < a.markers.size(); ++i) {
    EXPECT_EQ(a.markers[i].name, b.markers[i].name);
    const Place &x = a.markers[i].place, &y = b.markers[i].place;
    EXPECT_EQ(x.link, y.link);
    EXPECT_EQ(x.at, y.at);
    EXPECT_EQ(x.pose.position, y.pose.position);
    expect_same(nearest_rotation(x.pose.rotation), y.pose.rotation);
  }
  ASSERT_EQ(a.actuators.size(), b.actuators.size());
  for (std::size_t i = 0; i < a.actuators.size(); ++i) {
    EXPECT_EQ(a.actuators[i].name, b.actuators[i].name);
    expect_same(*a.actuators[i].transmission, *b.actuators[i].transmission);
    ASSERT_EQ(a.actuators[i].law == nullptr, b.actuators[i].law == nullptr);
    if (!a.actuators[i].law) continue;
    const double *first = input_lag_of(*a.actuators[i].law), *second = input_lag_of(*b.actuators[i].law);
    ASSERT_EQ(first == nullptr, second == nullptr);
    if (first != nullptr) {
      EXPECT_EQ(*first, *second);
      continue;
    }
    const LengthDrive *x = length_drive_parameters(*a.actuators[i].law),
                      *y = length_drive_parameters(*b.actuators[i].law);
    ASSERT_TRUE(x != nullptr && y != nullptr);
    EXPECT_EQ(std::tie(x->stiffness, x->pretension, x->range), std::tie(y->stiffness, y->pretension, y->range));
  }
  ASSERT_EQ(a.elements.size(), b.elements.size());
  for (std::size_t i = 0; i < a.elements.size(); ++i) {
    EXPECT_EQ(a.elements[i].name, b.elements[i].name);
    EXPECT_EQ(a.elements[i].law->type_name(), b.elements[i].law->type_name());
    expect_same(*a.elements[i].through.at(0), *b.elements[i].through.at(0));
    if (const JointFriction* x = joint_friction_parameters(*a.elements[i].law)) {
      const JointFriction& y = *joint_friction_parameters(*b.elements[i].law);
      EXPECT_EQ(std::tie(x->friction, x->velocity, x->stiction, x->stribeck_velocity),
                std::tie(y.friction, y.velocity, y.stiction, y.stribeck_velocity));
    } else if (const Play* p = play_parameters(*a.elements[i].law)) {
      const Play& r = *play_parameters(*b.elements[i].law);
      EXPECT_EQ(std::tie(p->gap, p->stiffness, p->damping, p->range, p->rest),
                std::tie(r.gap, r.stiffness, r.damping, r.range, r.rest));
    }
  }
  ASSERT_EQ(a.loads.size(), b.loads.size());
  for (std::size_t i = 0; i < a.loads.size(); ++i) {
    const Load &first = a.loads[i], &second = b.loads[i];
    expect_same(first.place, second.place);
    ASSERT_EQ(first.law->type_name(), second.law->type_name());
    const TimedWrench *x = first.law->timed(), *y = second.law->timed();
    if (x != nullptr) {
      EXPECT_EQ(x->axes, y->axes);
      for (int k = 0; k < 3; ++k)
        EXPECT_TRUE(x->force[k] == y->force[k] && x->torque[k] == y->torque[k]) << "load " << i;
    } else if (first.law->type_name() == "fluid") {
      EXPECT_EQ(fluid_of(first), fluid_of(second)) << "load " << i;
    } else if (first.law->type_name() == "mass_damping") {
      EXPECT_EQ(dynamic_cast<const MassDampingLaw&>(*first.law).rate(),
                dynamic_cast<const MassDampingLaw&>(*second.law).rate());
    } else {
      Drone of_first = dynamic_cast<const DroneLaw&>(*first.law).parameters();
      const Drone& of_second = dynamic_cast<const DroneLaw&>(*second.law).parameters();
      expect_same(of_first.axes, of_second.axes);
      of_first.axes = of_second.axes;
      EXPECT_TRUE(of_first == of_second) << "load " << i;
    }
  }
  ASSERT_EQ(a.sensors.size(), b.sensors.size());
  for (std::size_t i = 0; i < a.sensors.size(); ++i) expect_same(a.sensors[i], b.sensors[i]);
  ASSERT_EQ(a.loops.size(), b.loops.size());
  for (std::size_t i = 0; i < a.loops.size(); ++i) {
    EXPECT_EQ(a.loops[i].name, b.loops[i].name);
    EXPECT_EQ(a.loops[i].type, b.loops[i].type);
    EXPECT_EQ(a.loops[i].axis, b.loops[i].axis);
    expect_same(a.loops[i].a, b.loops[i].a);
    expect_same(a.loops[i].b, b.loops[i].b);
  }
  ASSERT_EQ(a.obstacles.size(), b.obstacles.size());
  for (std::size_t i = 0; i < a.obstacles.size(); ++i) {
    const Obstacle &first = a.obstacles[i], &second = b.obstacles[i];
    EXPECT_EQ(first.name, second.name);
    EXPECT_EQ(first.inside, second.inside);
    EXPECT_EQ(first.motion, second.motion);
    expect_same(first.pose, second.pose);
    expect_same(*first.shape, *second.shape);
  }
  EXPECT_TRUE(a.contacts == b.contacts);
}

void expect_same_dynamics(const Robot& a, const Robot& b) {
  const Model first(a), second(b);
  ASSERT_EQ(first.nv(), second.nv());
  Random random(7);
  auto state = random_state(first, random);
  const bool fem = std::any_of(a.links.begin(), a.links.end(), [](const Link& link) {
    return link.body && link.body->part<TetrahedralMesh>() != nullptr;
  });
  if (fem)
    integrate<double>(first, first.neutral(), VectorXd(1e-4 * state.v), state.q);  // displacements of small meshes
  Data first_data(first), second_data(second);
  const VectorXd tau = inverse_dynamics(first, first_data, state.q, state.v, state.a);
  const VectorXd other = inverse_dynamics(second, second_data, state.q, state.v, state.a);
  // poses that differ by 1e-15, along a chain of some ten links
  EXPECT_LE((tau - other).norm(), 1e-12 * (tau.norm() + 1.0));
}

}  // namespace cuttle::test
