#include "cuttle/bodies/fem_modes.h"

#include <Spectra/MatOp/SparseSymMatProd.h>
#include <Spectra/SymGEigsShiftSolver.h>

#include <Eigen/Cholesky>
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <exception>
#include <string>
#include <utility>

#include "bodies/volume/fem/fem_assembly.h"
#include "bodies/volume/fem/fem_attachments.h"
#include "bodies/volume/fem/tetrahedral_element.h"
#include "cuttle/error.h"
#include "spatial/number_text.h"

namespace cuttle {

namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Sparse = Eigen::SparseMatrix<double>;
using Factor = Eigen::SimplicialLDLT<Sparse>;

constexpr double k_same_frequency = 1e-5;      // relative difference of squares within which modes may mix
constexpr double k_least_new_part = 1e-3;      // of an attachment mode or modal derivative that is not before it
constexpr double k_most_poisson_ratio = 0.45;  // without a warning of four-node tetrahedra, or a look at ten-node ones
constexpr double k_most_error = 0.25;          // of a stiffness without a warning
constexpr double k_most_locking = 0.05;        // of ten-node tetrahedra

/// K^-1 for Spectra's shift-and-invert, whose shift stays 0.
class Inverse {
 public:
  using Scalar = double;
  Inverse(const Factor& factor, Eigen::Index size) : factor_(factor), size_(size) {}
  Eigen::Index rows() const { return size_; }
  Eigen::Index cols() const { return size_; }
  void set_shift(double) {}
  void perform_op(const double* in, double* out) const {
    Eigen::Map<Vector>(out, size_) = factor_.solve(Eigen::Map<const Vector>(in, size_));
  }

 private:
  const Factor& factor_;
  Eigen::Index size_;
};

struct Vibrations {
  Matrix modes;    // columns, mass 1
  Vector squares;  // of the frequencies, rising
};
Vibrations lowest_vibrations(const Factor& factor, const Sparse& mass, Eigen::Index count) {
  const Eigen::Index size = mass.rows();
  Inverse inverse(factor, size);
  Spectra::SparseSymMatProd<double> product(mass);
  const Eigen::Index basis = std::min(size, std::max<Eigen::Index>(2 * count + 10, 20));
  Spectra::SymGEigsShiftSolver<Inverse, Spectra::SparseSymMatProd<double>, Spectra::GEigsMode::ShiftInvert> solver(
      inverse, product, count, basis, 0.0);
  Eigen::Index found = 0;
  try {
    solver.init();  // from the same numbers each time
    found = solver.compute(Spectra::SortRule::LargestMagn, 1000, 1e-13, Spectra::SortRule::SmallestAlge);
  } catch (const std::exception& error) {  // numbers that overflow
    throw ModelError("modes", std::string("no vibration modes (") + error.what() + ")",
                     "a material and a mesh with less extreme numbers");
  }
  if (solver.info() != Spectra::CompInfo::Successful) {
    throw ModelError("modes",
                     std::to_string(found) + " of " + std::to_string(count) + " vibration modes after " +
                         std::to_string(solver.num_iterations()) + " iterations",
                     "all of them");
  }
  Vibrations vibrations{solver.eigenvectors(), solver.eigenvalues()};
  for (Eigen::Index k = 0; k < count; ++k) {
    auto mode = vibrations.modes.col(k);
    mode /= std::sqrt(mode.dot(mass * mode));
  }
  return vibrations;
}

/// sum m u of a displacement [kg m]: how it moves the center of mass.
Vector3 moved_mass(const Vector& momentum) {
  Vector3 sum{};
  for (Eigen::Index i = 0; i < momentum.size(); ++i) sum[static_cast<int>(i % 3)] += momentum[i];
  return sum;
}

/// Turns modes of one frequency among themselves, by what is large and the same on every machine.
void turn_together(Eigen::Ref<Matrix> modes, const Sparse& mass, double total_mass) {
  const Eigen::Index count = modes.cols();
  Matrix turn(count, count);  // columns: the new modes
  Eigen::Index chosen = 0;
  const auto choose = [&](Vector wish, double least) {
    for (int twice = 0; twice < 2; ++twice) {
      wish -= turn.leftCols(chosen) * (turn.leftCols(chosen).transpose() * wish);
    }
    if (chosen < count && wish.norm() > least) turn.col(chosen++) = wish.normalized();
  };
  const Matrix momentum = mass * modes;
  Matrix moved(count, 3);
  for (Eigen::Index k = 0; k < count; ++k) {
    const Vector3 sum = moved_mass(momentum.col(k));
    for (int i = 0; i < 3; ++i) moved(k, i) = sum[i];
  }
  for (int i = 0; i < 3; ++i) choose(moved.col(i), 1e-3 * std::sqrt(total_mass));
  const double largest = modes.cwiseAbs().maxCoeff();
  for (Eigen::Index i = 0; i < modes.rows() && chosen < count; ++i) choose(modes.row(i).transpose(), 0.3 * largest);
  for (Eigen::Index k = 0; k < count && chosen < count; ++k) choose(Vector::Unit(count, k), 1e-3);
  modes = (modes * turn).eval();
}

/// +1 or -1 so that a mode has the documented sign.
double sign_of(const Vector& mode, const Sparse& mass, double total_mass) {
  const Vector momentum = mass * mode;
  const Vector3 moved = moved_mass(momentum);
  const double size = std::sqrt(mode.dot(momentum) * total_mass);
  for (int i = 0; i < 3; ++i) {
    if (std::abs(moved[i]) > 1e-3 * size) return moved[i] > 0.0 ? 1.0 : -1.0;
  }
  const double largest = mode.cwiseAbs().maxCoeff();  // the center of mass stays: a large number decides
  for (const double number : mode) {
    if (std::abs(number) > 0.7 * largest) return number > 0.0 ? 1.0 : -1.0;
  }
  return 1.0;
}

/// Takes from a vector what the first columns of a basis of mass 1 hold of it; twice, against rounding.
void make_orthogonal(Vector& vector, const Matrix& basis, Eigen::Index columns, const Sparse& mass) {
  for (int twice = 0; twice < 2; ++twice) {
    vector -= basis.leftCols(columns) * (basis.leftCols(columns).transpose() * (mass * vector));
  }
}

/// Volume integral of stress : strain over mu, of a stress over mu.
double energy_of(const Matrix3& stress, double lambda_over_mu) {
  double square = 0.0;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) square += stress(i, j) * stress(i, j);
  }
  const double trace = stress(0, 0) + stress(1, 1) + stress(2, 2);
  return 0.5 * (square - lambda_over_mu / (3.0 * lambda_over_mu + 2.0) * trace * trace);
}

double poisson_ratio_of(double lambda_over_mu) { return 0.5 * lambda_over_mu / (1.0 + lambda_over_mu); }

/// FemBasis::estimated_error of four-node tetrahedra in a displacement.
double estimated_error(const TetrahedralMesh& mesh, double lambda_over_mu, const std::vector<Vector3>& u) {
  if (!mesh.edge_nodes.empty()) return 0.0;
  std::vector<Matrix3> stresses, means(mesh.nodes.size());
  std::vector<double> volumes, weights(mesh.nodes.size());
  each_element_point<double>(mesh, 1, [&](std::size_t t, const ElementPlace<double>& place, double volume) {
    Matrix3 H{};
    const ElementNodes nodes(mesh, t);
    for (int i = 0; i < 4; ++i) H += Matrix3::outer(u[nodes[i]], place.gradients[i]);
    stresses.push_back((lambda_over_mu * (H(0, 0) + H(1, 1) + H(2, 2))) * Matrix3::identity() + (H + H.transpose()));
    volumes.push_back(volume);
    for (const int node : nodes) {
      means[node] += volume * stresses.back();
      weights[node] += volume;
    }
  });
  for (std::size_t i = 0; i < means.size(); ++i) means[i] = (1.0 / weights[i]) * means[i];
  double error = 0.0, energy = 0.0;
  for (std::size_t t = 0; t < stresses.size(); ++t) {
    energy += volumes[t] * energy_of(stresses[t], lambda_over_mu);
    for (const ElementPoint& point : element_rule(4)) {
      const double x = double(point.xi.x), y = double(point.xi.y), z = double(point.xi.z);
      const auto& [a, b, c, d] = mesh.tetrahedra[t];
      const Matrix3 smooth = (1.0 - x - y - z) * means[a] + x * means[b] + y * means[c] + z * means[d];
      error += volumes[t] * double(point.weight) * energy_of(smooth - stresses[t], lambda_over_mu);
    }
  }
  return error / std::max(energy - error, 0.01 * energy);
}

/// Loads by which mesh and modes are compared: a column each, and what it is.
struct TestLoads {
  Matrix columns;
  std::vector<std::string> names;
};
constexpr Eigen::Index k_end_loads = 3;  ///< of the loads the first
/// A force of 1 N along x, y and z, spread over the nodes of the end: what they move, too, says how the end moves. Then
/// a pressure in each cavity of the mesh.
TestLoads test_loads(const std::shared_ptr<const TetrahedralMesh>& mesh, const FreeNodes& nodes) {
  constexpr double k_least_volume = 1e-3;  // of a cavity, beside the mesh's; less is a face
  const auto node_count = static_cast<int>(mesh->nodes.size());
  TestLoads loads{Matrix::Zero(nodes.size(), k_end_loads), {}};
  loads.names.assign(k_end_loads, "force on the end");
  const double end = mesh->length() * (1.0 - 1e-9);
  for (int i = 0; i < node_count; ++i) {
    const int row = nodes.at(i);
    if (mesh->nodes[static_cast<std::size_t>(i)].z < end || row < 0) continue;
    for (int k = 0; k < k_end_loads; ++k) loads.columns(row + k, k) = 1.0;
  }
  for (int k = 0; k < k_end_loads; ++k) loads.columns.col(k) /= loads.columns.col(k).sum();
  for (const TetrahedralMesh::Group& group : mesh->groups) {
    if (group.triangles.empty()) continue;
    Matrix pressure;
    try {
      pressure =
          attachment_loads(mesh, nodes, {FemAttachment{.kind = FemAttachment::Kind::surface, .surface = group.name}});
    } catch (const ModelError&) {  // a group around no cavity, on which no chamber can press either
      continue;
    }
    double volume = 0.0;  // but for what fixed nodes have of it: homogeneous of degree 3 in the nodes
    for (int i = 0; i < node_count; ++i) {
      const int row = nodes.at(i);
      for (int k = 0; k < 3 && row >= 0; ++k) {
        volume += pressure(row + k, 0) * mesh->nodes[static_cast<std::size_t>(i)][k] / 3.0;
      }
    }
    if (!(std::abs(volume) > k_least_volume * mesh->volume())) continue;
    loads.columns.conservativeResize(Eigen::NoChange, loads.columns.cols() + 1);
    loads.columns.rightCols(1) = pressure;
    loads.names.push_back("pressure in '" + group.name + "'");
  }
  return loads;
}

/// K^-1 f in the span of some modes.
class ModalStiffness {
 public:
  ModalStiffness(const Sparse& stiffness, const Matrix& modes) : modes_(modes) {
    factor_.compute(modes.transpose() * (stiffness * modes));
  }
  Vector moved(const Vector& load) const { return modes_ * factor_.solve(modes_.transpose() * load); }

 private:
  const Matrix& modes_;
  Eigen::LDLT<Matrix> factor_;
};

/// Of ten-node tetrahedra: by how much the stiffest of loads meets too much stiffness.
/// @param moved  what the loads move in the mesh, a column each.
double locking_error(const TetrahedralMesh& mesh, const FreeNodes& nodes, double lambda_over_mu, const Matrix& loads,
                     const Matrix& moved) {
  const Factor unlocked(fem_stiffness(mesh, nodes, parts_of_ratio(lambda_over_mu)));
  if (unlocked.info() != Eigen::Success) return 0.0;
  const Matrix freely = unlocked.solve(loads);
  double error = 0.0;
  for (Eigen::Index i = 0; i < loads.cols(); ++i) {
    error = std::max(error, loads.col(i).dot(freely.col(i)) / loads.col(i).dot(moved.col(i)) - 1.0);
  }
  return error;
}

/// FemBasis::stiffening. Energy over mu of the lowest mode u at the amplitude a, where all else follows it at its
/// minimum: k a^2 / 2 + (c - b) a^4, b = 1/8 f2 . K^-1 f2 without what f2 does to u itself.
double stiffening(const TetrahedralMesh& mesh, const FreeNodes& nodes, const LameRatios& ratios,
                  const Sparse& stiffness, const Factor& factor, const Matrix& modes) {
  Vector u = modes.col(0);
  const std::vector<Vector3> shape = nodes.displacements(u);
  double largest = 0.0;
  for (const Vector3& x : shape) largest = std::max(largest, norm(x));
  const double a = k_fem_deflection * mesh.length() / largest;
  const Vector second = fem_second_force(mesh, nodes, ratios, shape, shape);
  const double k = u.dot(stiffness * u), along = u.dot(second);
  const double fourth = fem_fourth_energy(mesh, ratios, shape);
  const auto secant = [&](double compliance) {  // force over amplitude
    return k + 4.0 * (fourth - 0.125 * (compliance - along * along / k)) * a * a;
  };
  const double in_mesh = secant(second.dot(factor.solve(second)));
  const double in_modes = secant(second.dot(ModalStiffness(stiffness, modes).moved(second)));
  return in_mesh > 0.1 * k ? std::max(1.0, in_modes / in_mesh) : 1.0;  // below, four orders say nothing
}

/// FemBasis::load_errors: of the forces across the end, of which the worse counts, and of the pressures.
std::vector<FemBasis::LoadError> load_errors(const TestLoads& loads, const Matrix& moved, const Sparse& stiffness,
                                             const Matrix& modes) {
  const ModalStiffness modal(stiffness, modes);
  const auto end_of = [&](const Vector& u) -> Vector { return loads.columns.leftCols(k_end_loads).transpose() * u; };
  std::vector<FemBasis::LoadError> errors;
  for (std::size_t i = 0; i < loads.names.size(); ++i) {
    if (i == 2) continue;  // along the axis bodies hardly give way
    const auto column = static_cast<Eigen::Index>(i);
    const Vector end = end_of(moved.col(column));
    const double error = (end_of(modal.moved(loads.columns.col(column))) - end).norm() / end.norm();
    if (errors.empty() || errors.back().load != loads.names[i]) errors.push_back({loads.names[i], 0.0});
    errors.back().displacement = std::max(errors.back().displacement, error);
  }
  return errors;
}

void check(const std::shared_ptr<const TetrahedralMesh>& mesh, const VolumeMaterial& material, double density) {
  if (!mesh) throw ModelError("mesh", "none", "the shape of the body");
  mesh->check();
  material.check();
  if (!material.resists_volume()) {
    throw ModelError("material", "one that does not resist changes of volume",
                     "st_venant_kirchhoff or neo_hookean with lame_lambda: the modes of a mesh do not keep the volume");
  }
  if (!(density > 0.0) || !std::isfinite(density)) {
    throw ModelError("density", number_text(density), "a number > 0 [kg/m^3]");
  }
}

}  // namespace

FemBasis fem_modes(std::shared_ptr<const TetrahedralMesh> mesh, const VolumeMaterial& material, double density,
                   int count, bool derivatives, const std::vector<FemAttachment>& attachments) {
  check(mesh, material, density);
  const FreeNodes nodes(*mesh);
  if (count < 1 || count > nodes.size() / 2) {
    throw ModelError(
        "modes", std::to_string(count),
        "an integer from 1 to " + std::to_string(nodes.size() / 2) + ", half the free coordinates of the mesh");
  }
  const Matrix loads = attachment_loads(mesh, nodes, attachments);
  // of mu = 1 and density 1: stiffer or heavier material has the same modes, to the last digit
  const LameRatios ratios = lame_ratios(*mesh, material);
  const double mu = material.shear_modulus();
  const Sparse stiffness = fem_stiffness(*mesh, nodes, ratios), mass = fem_mass(*mesh, nodes);
  const Factor factor(stiffness);
  if (factor.info() != Eigen::Success) throw ModelError("mesh", "a stiffness matrix that is singular", "");
  const double total_mass = mesh->volume();

  // two more, so that a pair is not cut in two
  const Vibrations vibrations = lowest_vibrations(factor, mass, std::min<Eigen::Index>(count + 2, nodes.size() - 1));
  Matrix modes = vibrations.modes;
  for (Eigen::Index first = 0; first < modes.cols();) {
    Eigen::Index past = first + 1;
    while (past < modes.cols() &&
           vibrations.squares[past] - vibrations.squares[past - 1] < k_same_frequency * vibrations.squares[past]) {
      ++past;
    }
    if (past - first > 1) turn_together(modes.middleCols(first, past - first), mass, total_mass);
    first = past;
  }
  Eigen::Index columns = count;
  const Eigen::Index most = count + loads.cols();
  modes.conservativeResize(Eigen::NoChange, derivatives ? most + most * (most + 1) / 2 : most);
  const auto add = [&](Vector shape) {
    const double whole = std::sqrt(shape.dot(mass * shape));
    make_orthogonal(shape, modes, columns, mass);
    const double part = std::sqrt(shape.dot(mass * shape));
    if (part > k_least_new_part * whole) modes.col(columns++) = shape / part;
  };

  FemBasis basis{.mesh = std::move(mesh), .modes = {}, .frequencies = {}, .attachments = attachments};
  for (int k = 0; k < count; ++k) basis.frequencies.push_back(std::sqrt(vibrations.squares[k] * mu / density));
  const TestLoads tests = test_loads(basis.mesh, nodes);
  const Matrix moved = factor.solve(tests.columns);
  basis.estimated_error = estimated_error(*basis.mesh, ratios.shape, nodes.displacements(modes.col(0)));
  if (!basis.mesh->edge_nodes.empty() && poisson_ratio_of(ratios.shape) > k_most_poisson_ratio) {
    basis.estimated_error = locking_error(*basis.mesh, nodes, ratios.shape, tests.columns, moved);
  }
  for (Eigen::Index k = 0; k < loads.cols(); ++k) add(factor.solve(loads.col(k)));
  basis.attachment_modes = columns - count;
  const Eigen::Index past = columns;  // derivatives of what is there now
  for (Eigen::Index i = 0; derivatives && i < past; ++i) {
    const std::vector<Vector3> u = nodes.displacements(modes.col(i));
    for (Eigen::Index j = i; j < past; ++j) {
      const std::vector<Vector3> v = nodes.displacements(modes.col(j));
      add(-factor.solve(fem_second_force(*basis.mesh, nodes, ratios, u, v)));
    }
  }
  modes.conservativeResize(Eigen::NoChange, columns);
  basis.load_errors = load_errors(tests, moved, stiffness, modes);
  basis.stiffening = stiffening(*basis.mesh, nodes, ratios, stiffness, factor, modes);
  for (Eigen::Index k = 0; k < columns; ++k) {
    std::vector<Vector3> mode = nodes.displacements(sign_of(modes.col(k), mass, total_mass) * modes.col(k));
    double largest = 0.0;
    for (const Vector3& u : mode) largest = std::max(largest, norm(u));
    for (Vector3& u : mode) u = (1.0 / largest) * u;
    basis.modes.push_back(std::move(mode));
  }
  return basis;
}

namespace {

std::string percent_text(double part) { return number_text(std::round(100.0 * part)) + " %"; }

}  // namespace

std::vector<Diagnostic> fem_warnings(const TetrahedralMesh& mesh, const VolumeMaterial& material,
                                     double estimated_error) {
  std::vector<Diagnostic> warnings;
  if (!material.resists_volume()) return warnings;
  const double poisson_ratio = poisson_ratio_of(lame_ratios(mesh, material).shape);
  if (!mesh.edge_nodes.empty()) {
    if (poisson_ratio > k_most_poisson_ratio && estimated_error > k_most_locking) {
      warnings.emplace_back("the 10-node tetrahedra are too few for a Poisson's ratio of " +
                            number_text(poisson_ratio) + " of a law of your own: they lock, and resist loads some " +
                            percent_text(estimated_error) +
                            " too much, beside the same mesh with one change of volume a tetrahedron; take more and "
                            "smaller ones, or a material of the library");
    }
    return warnings;
  }
  const std::string advice = "; take 10-node tetrahedra (Gmsh: Mesh.ElementOrder = 2) or more and smaller ones";
  if (poisson_ratio > k_most_poisson_ratio) {
    warnings.emplace_back(
        "4-node tetrahedra with a Poisson's ratio of " + number_text(poisson_ratio) +
        ", above 0.45: they lock, that is they resist bending and every other change of shape because "
        "each must keep its volume" +
        advice);
  }
  if (estimated_error > k_most_error) {
    warnings.emplace_back(
        "the 4-node tetrahedra are too few across the body for how it bends: the square of its lowest "
        "frequency comes out some " +
        percent_text(estimated_error) + " too large, by the jumps of stress between them" + advice);
  }
  return warnings;
}

std::vector<Diagnostic> fem_warnings(const FemBasis& basis, const VolumeMaterial& material) {
  std::vector<Diagnostic> warnings = fem_warnings(*basis.mesh, material, basis.estimated_error);
  if (basis.stiffening > 1.0 + k_most_error) {
    warnings.emplace_back("without modal derivatives: bent by " + percent_text(k_fem_deflection) +
                          " of its length the body is some " + number_text(std::round(10.0 * basis.stiffening) / 10.0) +
                          " times as stiff as its mesh; leave `derivatives: false` away");
  }
  for (const FemBasis::LoadError& at : basis.load_errors) {
    if (at.displacement <= k_most_error) continue;
    warnings.emplace_back("under a small " + at.load + " the modes move the end by " + percent_text(at.displacement) +
                          " else than the mesh; take more modes, or attachments where something acts");
  }
  return warnings;
}

}  // namespace cuttle
