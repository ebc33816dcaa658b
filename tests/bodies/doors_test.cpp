#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "cuttle/algorithms/energy.h"
#include "cuttle/algorithms/forward_dynamics.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/error.h"
#include "cuttle/model/data.h"
#include "cuttle/model/model.h"
#include "support/body_contract.h"
#include "support/epsilon.h"
#include "support/toy_bodies.h"

// What users of their own bodies meet beside the right numbers: what is found and refused, and how it is said.
namespace cuttle::test::CUTTLE_FILE {
namespace {

template <typename Call>
std::string error_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

// --- wrong derivatives

/// The toy body with one derivative wrong by a thousandth.
enum class Slip { slopes, curvature, elastic_force, stiffness, damping_force, damping_matrix, all_damping };
template <Slip slip>
struct Slipped : ToyBodyByHand {
  static constexpr double k_off = 1.001;
  template <typename T>
  void slopes(const Vector3T<T>& x, const T* q, Vector3T<T>* df) const {
    ToyBodyByHand::slopes(x, q, df);
    if (slip == Slip::slopes) df[0].x = k_off * df[0].x;
  }
  template <typename T>
  Vector3T<T> curvature(const Vector3T<T>& x, const T* q, const T* v) const {
    Vector3T<T> d2f = ToyBodyByHand::curvature(x, q, v);
    if (slip == Slip::curvature) d2f.z = k_off * d2f.z;
    return d2f;
  }
  template <typename T>
  void elastic_force(const T* q, T* force) const {
    ToyBodyByHand::elastic_force(q, force);
    if (slip == Slip::elastic_force) force[0] = k_off * force[0];
  }
  template <typename T>
  void stiffness_matrix(const T* q, T* stiffness) const {
    ToyBodyByHand::stiffness_matrix(q, stiffness);
    if (slip == Slip::stiffness) stiffness[0] = k_off * stiffness[0];
  }
  template <typename T>
  void damping_force(const T* q, const T* v, T* force) const {
    ToyBodyByHand::damping_force(q, v, force);
    if (slip == Slip::damping_force) force[0] = -force[0];
    if (slip == Slip::all_damping) force[0] = 1.1 * force[0];
  }
  template <typename T>
  void damping_matrix(const T* q, const T* v, T* damping) const {
    ToyBodyByHand::damping_matrix(q, v, damping);
    if (slip == Slip::damping_matrix) damping[0] = k_off * damping[0];
    if (slip == Slip::all_damping) damping[0] = 1.1 * damping[0];
  }
};
template <Slip slip>
std::string findings_about() {
  return check_body_contract(PointBody<Slipped<slip>>(toy_points())).text();
}

TEST(DoorsTest, ContractSuiteFindsEveryWrongDerivative) {
  EXPECT_EQ(check_body_contract(PointBody<ToyBodyByHand>(toy_points())).text(), "");
  const std::string slopes = findings_about<Slip::slopes>();
  EXPECT_NE(slopes.find("point_body, seed 1: sample 0: port 0: velocity: off by"), std::string::npos) << slopes;
  EXPECT_NE(slopes.find("rate of the mass moment"), std::string::npos) << slopes;
  const std::string curvature = findings_about<Slip::curvature>();
  EXPECT_NE(curvature.find("port 0: acceleration: off by"), std::string::npos) << curvature;
  EXPECT_NE(curvature.find("inertial force against Lagrange's"), std::string::npos) << curvature;
  EXPECT_EQ(curvature.find("port 0: velocity"), std::string::npos) << curvature;
  const std::string force = findings_about<Slip::elastic_force>();
  EXPECT_NE(force.find("elastic force 0 and the energy's gradient: found"), std::string::npos) << force;
  const std::string stiffness = findings_about<Slip::stiffness>();
  EXPECT_NE(stiffness.find("stiffness column 0"), std::string::npos) << stiffness;
  const std::string damping = findings_about<Slip::damping_force>();
  EXPECT_NE(damping.find("damping gives power"), std::string::npos) << damping;
  const std::string matrix = findings_about<Slip::damping_matrix>();
  EXPECT_NE(matrix.find("damping column 0"), std::string::npos) << matrix;
  const std::string damping_and_matrix = findings_about<Slip::all_damping>();
  EXPECT_NE(damping_and_matrix.find("damping force 0 and the dissipation's gradient: found"), std::string::npos)
      << damping_and_matrix;
  EXPECT_EQ(damping_and_matrix.find("damping column"), std::string::npos) << damping_and_matrix;
}

/// Some derivatives by hand; the others come from differentiation.
struct SlopesByHand : ToyBody {
  template <typename T>
  void slopes(const Vector3T<T>& x, const T* q, Vector3T<T>* df) const {
    ToyBodyByHand{}.slopes(x, q, df);
  }
  void elastic_force(const double* q, double* force) const { ToyBodyByHand{}.elastic_force(q, force); }
};
struct CurvatureByHand : ToyBody {
  Vector3 curvature(const Vector3& x, const double* q, const double* v) const {
    return ToyBodyByHand{}.curvature(x, q, v);
  }
  void damping_matrix(const double* q, const double* v, double* damping) const {
    ToyBodyByHand{}.damping_matrix(q, v, damping);
  }
};
TEST(DoorsTest, MissingDerivativesComeFromDifferentiation) {
  PointBody<SlopesByHand> slopes(toy_points());
  PointBody<CurvatureByHand> curvature(toy_points());
  for (Body* body : {static_cast<Body*>(&slopes), static_cast<Body*>(&curvature)}) {
    body->add_port({PortLocation::Kind::point, 0.0, {0.3, -0.2, 0.6}});
    EXPECT_EQ(check_body_contract(*body).text(), "");
    EXPECT_EQ(body->clone_as(ScalarTag<ForwardDual>{})->port_count(), 2);
  }
}

/// Writes behind its workspace, or throws.
class Rude final : public PointwiseBodyT<double> {
 public:
  enum class Manner { polite, writes, throws };
  explicit Rude(Manner manner) : PointwiseBodyT(toy_points(), {{"bend", "rad"}}), manner_(manner) {}
  std::string type_name() const override { return "rude"; }
  std::unique_ptr<Body> clone() const override { return std::make_unique<Rude>(*this); }
  void add_elastic_force(const double*, double*) const override {
    if (manner_ == Manner::throws) throw std::runtime_error("not today");
  }
  void add_damping_force(const double*, const double*, double*) const override {}
  void stiffness_matrix(const double*, double* stiffness) const override { stiffness[0] = 0.0; }
  void damping_matrix(const double*, const double*, double* damping) const override { damping[0] = 0.0; }
  double elastic_energy(const double*) const override { return 0.0; }

 protected:
  void move_points(const Request& request, const Vector3* x, std::size_t count, const Motions& motions) const override {
    const ToyBodyByHand toy;
    for (std::size_t i = 0; i < count; ++i) {
      motions[i].value = toy.position(x[i], request.q);
      toy.slopes(x[i], request.q, motions[i].slopes);
      if (request.level == MotionLevel::acceleration) motions[i].curvature = toy.curvature(x[i], request.q, request.v);
    }
    // behind the scratch memory of a workspace; other callers, at level pose, have less and nothing behind it
    if (manner_ == Manner::writes && request.level == MotionLevel::acceleration) motions[25].value = {1.0, 2.0, 3.0};
  }
  void move_point_axes(const Request&, const Vector3&, const Motions&) const override {}
  double determinant_at(const double*, const Vector3&) const override { return 1.0; }
  bool knows_axes() const override { return false; }
  bool knows_folding() const override { return false; }

 private:
  Manner manner_;
};
TEST(DoorsTest, ContractSuiteReportsWhatABodyThrows) {
  EXPECT_EQ(check_body_contract(Rude(Rude::Manner::polite)).text(), "");
  EXPECT_EQ(check_body_contract(Rude(Rude::Manner::throws)).text(),
            "rude, seed 1: sample 0: threw \"not today\"\nrude, seed 1: sample 1: threw \"not today\"\n");
  BodyContractOptions options;
  options.coordinates = {0.1, 0.2};
  EXPECT_EQ(check_body_contract(Rude(Rude::Manner::polite), options).text(),
            "rude, seed 1: options: coordinates: found 2 sizes, expected 1\n");
#if !defined(CUTTLE_SANITIZE_ADDRESS)  // it ends the program at the first write
  const std::string text = check_body_contract(Rude(Rude::Manner::writes)).text();
  EXPECT_NE(text.find("written 1 scalars behind a part of 226, the size that workspace_size asked for"),
            std::string::npos)
      << text;
#endif
}

// --- configurations

TEST(DoorsTest, FoldingAndNumbersThatAreNotFiniteAreNamed) {
  PointParameters points = toy_points();
  points.allow_folding = false;
  points.quadrature = {{{-0.5, 0.0, 0.25}, {0.5, 0.0, 0.75}}, {1.0, 1.0}};
  FunctionParameters function = toy_function();
  function.points = points;
  const std::shared_ptr<Body> doors[] = {std::make_shared<PointBody<ToyBody>>(points),
                                         std::make_shared<PointBody<ToyBodyByHand>>(points),
                                         std::make_shared<FunctionBody>(function)};
  const auto error_at = [](const std::shared_ptr<Body>& body, double q) {
    Robot robot;
    robot.links.push_back({.name = "finger", .body = body});
    const Model model(robot);
    Data data(model);
    return error_of([&] { mass_matrix(model, data, Eigen::VectorXd::Constant(1, q)); });
  };
  for (const auto& body : doors) {
    EXPECT_EQ(error_at(body, 1.9), "no error");  // 1 + q x = 0.05
    EXPECT_EQ(error_at(body, 2.5),
              "finger: point 0 (at rest [-0.5, 0, 0.25]): found det(df/dx) = -0.25, expected > 0: the body folds onto "
              "itself, at q = [2.5]");
    EXPECT_EQ(error_at(body, -3.0),
              "finger: point 1 (at rest [0.5, 0, 0.75]): found det(df/dx) = -0.5, expected > 0: the body folds onto "
              "itself, at q = [-3]");
  }
}

/// Moves along z by sqrt(q), which has no derivative at 0 and no value below.
struct Root {
  static constexpr int coordinate_count = 1;
  template <typename T>
  Vector3T<T> position(const Vector3T<T>& x, const T* q) const {
    using std::sqrt;
    return {x.x, x.y, x.z + x.x * sqrt(q[0])};
  }
};
TEST(DoorsTest, PositionsAndDerivativesMustBeFinite) {
  PointParameters points = toy_points();
  points.quadrature = {{{0.5, 0.0, 0.25}}, {1.0}};
  const PointBody<Root> body(points);
  const auto error_at = [&](double q) {
    contract::State<double> state;
    state.q = Eigen::VectorXd::Constant(1, q), state.v = state.a = Eigen::VectorXd::Ones(1);
    return error_of([&] { contract::evaluate(body, state); });
  };
  EXPECT_EQ(error_at(1.0), "no error");
  const std::string negative = error_at(-1.0), zero = error_at(0.0);
  EXPECT_TRUE(negative.find("point 0 (at rest [0.5, 0, 0.25]): found position [0.5, 0, ") == 0 &&
              negative.find("nan], expected finite numbers, at q = [-1]") != std::string::npos)
      << negative;
  EXPECT_EQ(zero,
            "point 0 (at rest [0.5, 0, 0.25]): found derivative [0, 0, inf] of the position in q0, expected finite "
            "numbers, at q = [0]");
}

// An energy that knows F alone; and whatever the algorithm, the message begins with the link.
TEST(DoorsTest, EnergyOfAFoldedBodyIsAnError) {
  const PointBody<Blob> blob(blob_points());
  const double folded[] = {-0.4, 0.0, 0.0};  // z (1 - 0.4 / 0.3)
  double force[3];
  EXPECT_NE(error_of([&] { blob.elastic_energy(folded); }).find("the body folds onto itself"), std::string::npos);
  EXPECT_NE(error_of([&] { blob.add_elastic_force(folded, force); }).find("at q = [-0.4, 0, 0]"), std::string::npos);

  Robot robot;
  robot.links.push_back({.name = "blob", .body = blob.clone()});
  const Model model(robot);
  Data data(model);
  const Eigen::VectorXd q = Eigen::Vector3d(-0.4, 0.0, 0.0), v = Eigen::VectorXd::Zero(3);
  EXPECT_EQ(error_of([&] { elastic_energy(model, data, q); }).rfind("blob: point 0 (at rest [", 0), 0U);
  EXPECT_EQ(error_of([&] { elastic_force(model, data, q); }).rfind("blob: point 0 (at rest [", 0), 0U);
  EXPECT_EQ(error_of([&] { forward_dynamics(model, data, q, v, v); }).rfind("blob: point 0 (at rest [", 0), 0U);
}

// --- other scalars

TEST(DoorsTest, BodiesForDoubleOnlySaySoAndNameTheLink) {
  Robot robot;
  robot.links.push_back({.name = "finger", .body = std::make_shared<FunctionBody>(toy_function())});
  EXPECT_EQ(
      error_of([&] { robot.cast<ForwardDual>(); }),
      "finger: body: found a function_body that exists for double only, expected one that exists for ForwardDual too");
  EXPECT_EQ(error_of([&] { robot.cast<long double>(); }),
            "finger: body: found a function_body that exists for double only, expected one that exists for long double "
            "too");
  robot.links[0] = {.name = "blob", .body = std::make_shared<PointBody<BlobByHand>>(blob_points())};
  EXPECT_EQ(error_of([&] { robot.cast<ForwardDual>(); }),
            "blob: body: found a point_body that exists for double only, expected one that exists for ForwardDual too");
  EXPECT_EQ(robot.cast<double>().links[0].body->coordinate_count(), 3);
  robot.links[0] = {.name = "toy", .body = std::make_shared<PointBody<ToyBodyByHand>>(toy_points())};
  EXPECT_EQ(robot.cast<ForwardDual>().links[0].body->coordinate_count(), 1);
}

/// Positions for every scalar, the energy for double only.
struct HalfToy : ToyBody {
  double elastic_energy(const double* q) const { return q[0] * q[0]; }
  void elastic_force(const double* q, double* force) const { force[0] = 2.0 * q[0]; }
  void stiffness_matrix(const double*, double* stiffness) const { stiffness[0] = 2.0; }
};
TEST(DoorsTest, NoScalarLosesTheElasticitySilently) {
  const PointBody<HalfToy> body(toy_points());
  EXPECT_EQ(check_body_contract(body).text(), "");
  EXPECT_EQ(error_of([&] { body.clone_as(ScalarTag<ForwardDual>{}); }),
            "found a point_body that exists for double only, expected one that exists for ForwardDual too");
}

/// The toy body of any length l [m], which is a parameter of its own: q is the angle of the tip.
template <typename S>
struct LongToy {
  static constexpr int coordinate_count = 1;
  S length{1.0};
  template <typename T>
  LongToy<T> cast() const {
    return {scalar_cast<T>(length)};
  }
  template <typename T>
  Vector3T<T> position(const Vector3T<T>& x, const T* q) const {
    const T curvature = q[0] / length;
    return ToyBody{}.position(x, &curvature);
  }
  template <typename T>
  T elastic_energy(const T* q) const {
    return std::numbers::pi / 8 / length * q[0] * q[0];
  }
};
TEST(DoorsTest, ParametersOfTheKinematicsAreDifferentiated) {
  const PointParameters points = toy_points();
  const PointBody<LongToy<double>> body(points, {1.2});
  EXPECT_EQ(check_body_contract(body).text(), "");
  EXPECT_EQ(body.clone_as(ScalarTag<long double>{})->coordinate_count(), 1);

  using G = ForwardDual;
  const PointBodyT<G, LongToy<G>> differentiated(points.cast<G>(), {G::variable(1.2, 0)});
  const G q(0.8);
  contract::State<double> state;
  state.q = Eigen::VectorXd::Constant(1, 0.8), state.v = state.a = Eigen::VectorXd::Ones(1);
  G stiffness;
  differentiated.stiffness_matrix(&q, &stiffness);
  EXPECT_NEAR(stiffness.derivative[0], -std::numbers::pi / 4 / (1.2 * 1.2), 10 * k_eps);

  const auto mass_of = [&](double length) {
    return contract::evaluate(PointBody<LongToy<double>>(points, {length}), state).mass(0, 0);
  };
  const double h = 1e-3, slope = contract::scalar_derivative([&](double t) { return mass_of(1.2 + t); }, h);
  Eigen::Matrix<G, Eigen::Dynamic, 1> memory(differentiated.workspace_size().persistent),
      scratch(differentiated.workspace_size().scratch);
  BodyStateT<G> at;
  at.q = &q;
  PortMotionT<G> port;
  const WorkspaceT<G> workspace{memory.data(), scratch.data(), nullptr};
  differentiated.forward(MotionLevel::pose, at, workspace, &port);
  G mass, coupling[6];
  InertiaBlocksT<G> blocks{&mass, coupling, {}};
  differentiated.inertia_blocks(at, workspace, blocks);
  EXPECT_NEAR(mass.value, mass_of(1.2), 10 * k_eps);
  EXPECT_NEAR(mass.derivative[0], slope, 1e-12);  // 2 eps / h of the differences
}

// --- damping, functions

/// Simple shear by q: E_xz = q / 2, E_zz = q^2 / 2.
struct Shear {
  static constexpr int coordinate_count = 1;
  template <typename T>
  Vector3T<T> position(const Vector3T<T>& x, const T* q) const {
    return {x.x + q[0] * x.z, x.y, x.z};
  }
  template <typename T>
  T dissipation_density(const Matrix3T<T>& F, const Matrix3T<T>& F_rate) const {
    return viscous_dissipation_density(F, F_rate, T(3e4), T(0.1));
  }
};
TEST(DoorsTest, ViscosityIsThatOfTheGreenLagrangeStrain) {
  const PointBody<Shear> body(blob_points());
  EXPECT_EQ(check_body_contract(body).text(), "");
  const double volume = 0.1 * 0.06 * 0.3, q = 0.7, v = 0.4;
  double force = 0.0;
  body.add_damping_force(&q, &v, &force);  // tau mu (2 (v/2)^2 + (q v)^2) differentiated
  EXPECT_NEAR(force, volume * 0.1 * 3e4 * v * (1 + 2 * q * q), 1e-13 * force);
}

TEST(DoorsTest, FunctionsSayWhatIsMissing) {
  const auto with = [](const auto& change) {
    FunctionParameters parameters = toy_function();
    change(parameters);
    return error_of([&] { FunctionBody body(parameters); });
  };
  EXPECT_EQ(with([](FunctionParameters&) {}), "no error");
  EXPECT_EQ(with([](FunctionParameters& p) { p.position = nullptr; }), "position: found no function, expected f(x, q)");
  EXPECT_EQ(with([](FunctionParameters& p) { p.coordinates.clear(); }),
            "coordinates: found none, expected one or more: a body without coordinates is a RigidBody");
  EXPECT_EQ(with([](FunctionParameters& p) { p.coordinates[0].unit = "deg"; }),
            "coordinates: bend: found unit 'deg', expected rad or m");
  EXPECT_EQ(with([](FunctionParameters& p) {
              p.coordinates.resize(65, {"q", "rad"});
            }),
            "coordinates: found 65, expected at most 64");
  EXPECT_EQ(with([](FunctionParameters& p) {
              p.steps = {0.1, 0.2};
            }),
            "steps: found 2, expected 1, one for each coordinate");
  EXPECT_EQ(with([](FunctionParameters& p) { p.steps = {0.0}; }), "steps: found 0, expected numbers > 0");
  EXPECT_EQ(with([](FunctionParameters& p) { p.points.density = -1.0; }),
            "density: found -1, expected a number > 0 [kg/m^3]");
}

struct Misnamed : ToyBody {
  std::vector<CoordinateInfo> coordinates() const { return {{"bend", "rad"}, {"twist", "rad"}}; }
};
TEST(DoorsTest, KinematicsNameAsManyCoordinatesAsTheyHave) {
  EXPECT_EQ(error_of([] { PointBody<Misnamed> body(toy_points()); }),
            "coordinates: found 2, expected 1 (coordinate_count)");
}

TEST(DoorsTest, DoubleOnlyKinematicsHaveNoPortsAtPoints) {
  PointBody<BlobByHand> body(blob_points());
  EXPECT_EQ(error_of([&] {
              body.add_port({PortLocation::Kind::point, 0.0, {0.01, 0.0, 0.1}});
            }),
            "found {point: [0.01, 0, 0.1]}, expected base or tip: the axes at a point are columns of df/dx, which "
            "this body does not have");
}

// The stated order: each halving of a coarse step cuts the error by 2^6.
TEST(DoorsTest, FunctionsAreDifferencedToSixthOrder) {
  contract::State<double> state;
  state.q = Eigen::VectorXd::Constant(1, 0.9), state.v = state.a = Eigen::VectorXd::Constant(1, 0.6);
  const auto exact = contract::evaluate(PointBody<ToyBody>(toy_points()), state);
  double before = 0.0;
  for (const double step : {0.8, 0.4, 0.2}) {
    FunctionParameters function = toy_function();
    function.steps = {step};
    const double error = std::abs(contract::evaluate(FunctionBody(function), state).force[0] - exact.force[0]);
    if (before > 0.0) {
      EXPECT_NEAR(std::log2(before / error), 6.0, 0.5) << step;
    }
    before = error;
  }
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
