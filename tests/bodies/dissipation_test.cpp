#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "cuttle/bodies/continuum_joint.h"
#include "cuttle/bodies/fem_kinematics.h"
#include "cuttle/bodies/fem_modes.h"
#include "cuttle/bodies/neural_kinematics.h"
#include "cuttle/bodies/nodal_volume.h"
#include "cuttle/bodies/radial_kinematics.h"
#include "cuttle/bodies/rigid_body.h"
#include "cuttle/bodies/rod_body.h"
#include "cuttle/error.h"
#include "support/body_contract.h"
#include "support/meshes.h"
#include "support/random.h"
#include "support/toy_bodies.h"
#include "support/volume_robots.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

/// A body whose damping force and damping matrix are both wrong by a factor, so that they agree with each other.
class Misdamped final : public Body {
 public:
  Misdamped(std::unique_ptr<Body> body, double factor) : body_(std::move(body)), factor_(factor) {}

  void add_damping_force(const double* q, const double* v, double* force) const override {
    std::vector<double> right(coordinate_count(), 0.0);
    body_->add_damping_force(q, v, right.data());
    for (std::size_t k = 0; k < right.size(); ++k) force[k] += factor_ * right[k];
  }
  void damping_matrix(const double* q, const double* v, double* damping) const override {
    body_->damping_matrix(q, v, damping);
    for (int i = 0; i < coordinate_count() * coordinate_count(); ++i) damping[i] *= factor_;
  }

  // all else as it is
  std::string type_name() const override { return body_->type_name(); }
  int coordinate_count() const override { return body_->coordinate_count(); }
  std::vector<CoordinateInfo> coordinates() const override { return body_->coordinates(); }
  SpatialInertia rest_inertia() const override { return body_->rest_inertia(); }
  int add_port(const PortLocation& location) override { return body_->add_port(location); }
  int port_count() const override { return body_->port_count(); }
  std::unique_ptr<Body> clone() const override { return std::make_unique<Misdamped>(body_->clone(), factor_); }
  WorkspaceSize workspace_size() const override { return body_->workspace_size(); }
  void forward(MotionLevel level, const BodyStateT<double>& state, const WorkspaceT<double>& workspace,
               PortMotionT<double>* ports) const override {
    body_->forward(level, state, workspace, ports);
  }
  void backward(const BodyStateT<double>& state, const Wrench* port_wrenches, const WorkspaceT<double>& workspace,
                Wrench& base_wrench, double* force) const override {
    body_->backward(state, port_wrenches, workspace, base_wrench, force);
  }
  void inertia_blocks(const BodyStateT<double>& state, const WorkspaceT<double>& workspace,
                      InertiaBlocksT<double>& blocks) const override {
    body_->inertia_blocks(state, workspace, blocks);
  }
  const double* port_jacobian(const WorkspaceT<double>& workspace, int port) const override {
    return body_->port_jacobian(workspace, port);
  }
  bool eliminate(const BodyStateT<double>& state, const double* applied, const ArticulatedLoadT<double>* const* ports,
                 const PortMotionT<double>* motions, const WorkspaceT<double>& workspace,
                 ArticulatedLoadT<double>& base) const override {
    return body_->eliminate(state, applied, ports, motions, workspace, base);
  }
  void back_substitute(const Twist& base_acceleration, const WorkspaceT<double>& workspace, double* a,
                       PortMotionT<double>* ports) const override {
    body_->back_substitute(base_acceleration, workspace, a, ports);
  }
  void add_elastic_force(const double* q, double* force) const override { body_->add_elastic_force(q, force); }
  void stiffness_matrix(const double* q, double* stiffness) const override { body_->stiffness_matrix(q, stiffness); }
  double elastic_energy(const double* q) const override { return body_->elastic_energy(q); }
  bool has_dissipation() const override { return body_->has_dissipation(); }
  double dissipation(const double* q, const double* v) const override { return body_->dissipation(q, v); }
  double kinetic_energy(const BodyStateT<double>& state, const WorkspaceT<double>& workspace) const override {
    return body_->kinetic_energy(state, workspace);
  }
  Vector3 mass_moment(const WorkspaceT<double>& workspace) const override { return body_->mass_moment(workspace); }

 private:
  std::unique_ptr<Body> body_;
  double factor_;
};

/// A body of each family, with sizes of coordinates at which it stays whole.
struct Family {
  std::string name;
  std::function<std::unique_ptr<Body>()> make;
  std::vector<double> sizes;  ///< empty: those of the suite
  double tolerance = BodyContractOptions{}.tolerance;
};
std::ostream& operator<<(std::ostream& out, const Family& family) { return out << family.name; }

RodParameters rod() {
  RodParameters p;
  p.length = 0.3;
  p.section.shape = Section::Shape::rectangle;
  p.section.width = Profile({0.03, 0.02}), p.section.height = 0.025;
  p.material = {.density = 1050.0, .young_modulus = 3e5, .poisson_ratio = 0.4};
  p.shear_factor = 0.8;
  p.quadrature_points = 4;
  p.strain = strain_shorthand("pcs", p.length);
  p.strain[kappa_y] = p.strain[sigma_x] = StrainBasis::of_order(StrainBasis::Kind::legendre, 1);
  return p;
}
template <typename Change>
std::function<std::unique_ptr<Body>()> rod(const Change& change) {
  return [change] {
    RodParameters p = rod();
    change(p);
    return std::make_unique<RodBody>(p);
  };
}
HyperelasticLawT<double> polynomial(std::vector<double> coefficients) {
  HyperelasticLawT<double> law;
  law.polynomial = std::move(coefficients);
  return law;
}
/// Rods of every way to say how they resist.
std::vector<Family> rods() {
  return {{"rod_damping_time", rod([](RodParameters& p) { p.material.damping_time = 0.07; }), {}},
          {"rod_viscosity", rod([](RodParameters& p) { p.material.viscosity = 300.0; }), {}},
          {"rod_polar_torsion",
           rod([](RodParameters& p) { p.material.damping_time = 0.07, p.torsion_constant = TorsionConstant::polar; }),
           {}},
          {"rod_torsion_constant",
           rod([](RodParameters& p) {
             p.material.viscosity = 300.0, p.torsion_constant = Profile({3e-8, 5e-8});
           }),
           {}},
          {"rod_stiffness",
           rod([](RodParameters& p) {
             p.material.damping_time = 0.07;
             p.stiffness = {Profile({0.02, 0.05}), 0.03, 0.01, 40.0, 50.0, Profile({90.0, 60.0})};
           }),
           {}},
          {"rod_damping",
           rod([](RodParameters& p) {
             p.damping = {Profile({0.02, 0.05}), 0.03, 0.01, 0.4, 0.5, Profile({0.9, 0.6})};
           }),
           {}},
          {"rod_stiffening",
           rod([](RodParameters& p) {
             p.material.damping_time = 0.07;
             p.stiffening[kappa_y] = {0.1, 0.2}, p.stiffening[sigma_z] = {0.5};
           }),
           {}},
          {"rod_hyperelastic",
           rod([](RodParameters& p) {
             p.material.damping_time = 0.07;
             p.strain = strain_shorthand("pcs", p.length);
             p.hyperelastic_bend = polynomial({0.3, 0.12}), p.hyperelastic_stretch = polynomial({2.0, 0.5});
           }),
           {}}};
}

const VolumeMaterial k_rubber{.c1 = 7e4, .lame_lambda = 3e5, .damping_time = 0.02};
const VolumeMaterial k_stiff{.model = VolumeMaterial::Model::st_venant_kirchhoff,
                             .young_modulus = 4e5,
                             .poisson_ratio = 0.3,
                             .damping_time = 0.02};

std::unique_ptr<Body> cylinder(std::shared_ptr<const VolumeKinematicsT<double>> kinematics) {
  return std::make_unique<VolumeBody>(point_cylinder(0.3, 0.05, 1050.0, 3, 1, 3), k_rubber, std::move(kinematics));
}
std::unique_ptr<Body> neural() {
  Random random(1);
  NeuralParameters network{.length = 0.3, .scale = 0.2, .linear_weight = true, .layers = {}};
  for (const auto& [outputs, inputs, activation, size] :
       {std::tuple{4, 5, Activation::tanh, 0.7}, std::tuple{3, 4, Activation::identity, 0.02}}) {
    NeuralLayer layer{.weight = std::vector<double>(outputs * inputs), .bias = {}, .activation = activation};
    for (double& number : layer.weight) number = size * random.uniform();
    layer.bias.assign(outputs, 0.1 * size);
    network.layers.push_back(layer);
  }
  return cylinder(std::make_shared<NeuralKinematics>(network));
}
std::unique_ptr<Body> reduced_fem(const VolumeMaterial& material) {
  const auto mesh = std::make_shared<const TetrahedralMesh>(box_mesh({0.05, 0.04, 0.2}, 1, 1, 3));
  const auto basis = std::make_shared<const FemBasis>(fem_modes(mesh, material, 1000.0, 3, false));
  const double L = mesh->length(), R = mesh->radius();
  PointParameters points;
  points.quadrature = mesh_quadrature(*mesh, 4);
  points.density = 1000.0;
  points.tip_origin = {0, 0, L}, points.tip_a = {R, 0, L}, points.tip_b = {0, R, L};
  return std::make_unique<VolumeBody>(points, material, std::make_shared<FemKinematics>(basis), mesh);
}
std::unique_ptr<Body> full_fem() {
  const auto mesh = std::make_shared<const TetrahedralMesh>(box_mesh({0.1, 0.08, 0.2}, 1, 1, 1));
  const double L = mesh->length(), R = mesh->radius();
  return std::make_unique<NodalVolume>(NodalVolumeParameters{mesh, 1000.0, k_rubber, {0, 0, L}, {R, 0, L}, {0, R, L}});
}
std::vector<Family> volumes() {
  return {{"lvp", [] { return lvp_finger()->clone(); }, std::vector<double>(3, 0.7)},
          {"ritz", [] { return ritz_block()->clone(); }, std::vector<double>(3, 0.06)},
          {"radial",
           [] {
             return cylinder(std::make_shared<RadialKinematics>(
                 RadialParameters{0.3, 0.05, {RadialStrain::kappa_x, RadialStrain::sigma_z}, {0.3}}));
           },
           {0.5, 0.02, 0.5}},
          {"neural", neural, std::vector<double>(2, 0.8)},
          {"reduced_fem", [] { return reduced_fem(k_rubber); }, std::vector<double>(3, 0.012)},
          {"reduced_fem_of_forms", [] { return reduced_fem(k_stiff); }, std::vector<double>(3, 0.004)},
          {"full_fem", full_fem, std::vector<double>(12, 0.012)}};
}
std::vector<Family> others() {
  return {{"continuum_joint",
           [] {
             return std::make_unique<ContinuumJoint>(
                 ContinuumJointParameters{0.22, 0.8, 0.06, {12.0, 11.0}, 1.5, {0.4, 0.5}});
           },
           {}},
          {"point_body", [] { return std::make_unique<PointBody<Blob>>(blob_points()); }, {0.05, 0.5, 0.03}},
          {"point_body_by_hand", [] { return std::make_unique<PointBody<ToyBodyByHand>>(toy_points()); }, {}},
          {"function_body", [] { return std::make_unique<FunctionBody>(toy_function()); }, {}, 1e-8}};
}

class DissipationTest : public testing::TestWithParam<Family> {
 protected:
  BodyContractReport report(double factor) const {
    BodyContractOptions options;
    options.samples = 1, options.coordinates = GetParam().sizes, options.tolerance = GetParam().tolerance;
    return check_body_contract(Misdamped(GetParam().make(), factor), options);
  }
};

// The force is the matrix's and takes power: nothing but the dissipation knows that both are too large.
TEST_P(DissipationTest, ShowsThatForceAndMatrixAreWrongByTheSameFactor) {
  EXPECT_EQ(report(1.0).text(), "");
  const BodyContractReport wrong = report(1.1);
  EXPECT_EQ(wrong.violations.size(), static_cast<std::size_t>(GetParam().make()->coordinate_count())) << wrong;
  for (const std::string& violation : wrong.violations) {
    EXPECT_NE(violation.find("and the dissipation's gradient: found"), violation.npos) << violation;
  }
}

INSTANTIATE_TEST_SUITE_P(Rods, DissipationTest, testing::ValuesIn(rods()), testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(Volumes, DissipationTest, testing::ValuesIn(volumes()), testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(Others, DissipationTest, testing::ValuesIn(others()), testing::PrintToStringParamName());

// Closed form: a bar of one strain rate everywhere, in the moduli of [B]'s Kelvin-Voigt law and of a viscous fiber.
TEST(DissipationOfARodTest, OfUniformRatesIsThatOfABar) {
  const double L = 0.3, w = 0.02, h = 0.03, A = w * h, E = 4e5, tau = 0.05, eta = 200.0, rate = 0.7;
  RodParameters p;
  p.length = L;
  p.section.shape = Section::Shape::rectangle;
  p.section.width = w, p.section.height = h;
  p.strain = strain_shorthand("pcs", L);
  const auto expect = [&](const std::vector<double>& rigidities, const std::string& what) {
    const RodBody body(p);
    for (int c = 0; c < 6; ++c) {
      std::vector<double> q(6, 0.0), v(6, 0.0);
      v[c] = rate * L;  // strain = q / L
      const double exact = 0.5 * L * rigidities[c] * rate * rate;
      EXPECT_NEAR(body.dissipation(q.data(), v.data()), exact, 1e-13 * exact) << what << ", " << c;
    }
  };
  const double Ix = w * h * h * h / 12, Iy = h * w * w * w / 12, Jz = Ix + Iy;
  p.torsion_constant = TorsionConstant::polar;
  p.shear_factor = 0.8;
  p.material = {.density = 1000.0, .young_modulus = E, .poisson_ratio = 0.25, .damping_time = tau};
  const double axial = tau * E, shear = tau * E / 2.5;
  expect({axial * Ix, axial * Iy, shear * Jz, 0.8 * shear * A, 0.8 * shear * A, axial * A}, "damping_time");
  p.material.damping_time.reset(), p.material.viscosity = eta;
  expect({3 * eta * Ix, 3 * eta * Iy, eta * Jz, eta * A, eta * A, 3 * eta * A}, "viscosity");
}

TEST(DissipationOfARigidBodyTest, IsZero) {
  const RigidBody body(RigidParameters{.mass = 1.0});
  EXPECT_TRUE(body.has_dissipation());
  EXPECT_EQ(body.dissipation(nullptr, nullptr), 0.0);
}

TEST(DissipationOfAnUndampedBodyTest, IsZero) {
  RodParameters undamped = rod();
  VolumeMaterial dry = k_rubber;
  dry.damping_time.reset();
  for (const auto& body : {RodBody(undamped).clone(), reduced_fem(dry)}) {
    const std::vector<double> q(body->coordinate_count(), 0.003), v(body->coordinate_count(), 0.7);
    EXPECT_EQ(body->dissipation(q.data(), v.data()), 0.0) << body->type_name();
  }
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
