#include "cuttle/algorithms/mass_check.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <random>
#include <vector>

#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/error.h"

namespace cuttle {
namespace {

constexpr int k_configurations = 3;
constexpr double k_spread = 0.02;        // of coordinates [rad, m]: generic, and no body folds
constexpr int k_most_coordinates = 500;  // a dense M and its eigenvectors stay within a second
constexpr double k_share = 0.05;         // of the largest share in a motion: below, a coordinate is not named

/// Share of each coordinate in the motions that move no mass; empty if there are none. Each coordinate in its own unit.
VectorXd massless_motion(const MatrixXd& M) {
  const Eigen::Index n = M.rows();
  VectorXd scale(n);
  for (Eigen::Index i = 0; i < n; ++i) scale[i] = M(i, i) > 0.0 ? 1.0 / std::sqrt(M(i, i)) : 1.0;
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(scale.asDiagonal() * M * scale.asDiagonal());
  const double rounding = 4.0 * static_cast<double>(n) * std::numeric_limits<double>::epsilon();
  VectorXd share = VectorXd::Zero(n);
  bool found = false;
  for (Eigen::Index k = 0; k < n && !(solver.eigenvalues()[k] > rounding); ++k) {
    found = true;
    share += solver.eigenvectors().col(k).cwiseAbs2();
  }
  return found ? share : VectorXd();
}

std::string listed(const std::vector<std::string>& words) {
  constexpr std::size_t k_most = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(words.size(), k_most); ++i) text += (i > 0 ? ", " : "") + words[i];
  return words.size() > k_most ? text + ", .. " + std::to_string(words.size()) + " in all" : text;
}

}  // namespace

std::string always_singular_mass(const Model& model) {
  if (!model.loops().empty() || !model.state_loads().empty()) return "";
  if (model.nv() == 0 || model.nv() > k_most_coordinates) return "";
  Data data(model);
  std::mt19937 generator(1);
  std::uniform_real_distribution<double> spread(-k_spread, k_spread);
  VectorXd share, step(model.nv()), q(model.nq());
  for (int k = 0; k < k_configurations; ++k) {
    for (double& x : step) x = spread(generator);
    integrate<double>(model, model.neutral(), step, q);
    try {
      share = massless_motion(mass_matrix<double>(model, data, q));
    } catch (const Error&) {  // a body that cannot be so: nothing is known
      return "";
    }
    if (share.size() == 0) return "";
  }
  std::vector<std::string> links, coordinates;
  for (int i = 0; i < model.nv(); ++i) {
    if (share[i] < k_share * share.maxCoeff()) continue;
    const std::string& link = model.link_of_velocity(i);
    const std::string text = link == "base" ? "the base" : "link '" + link + "'";
    if (std::find(links.begin(), links.end(), text) == links.end()) links.push_back(text);
    coordinates.push_back(model.velocity_info()[i].name);
  }
  return listed(links) + ": the mass matrix is singular in every configuration: a motion of " + listed(coordinates) +
         " moves no mass; nothing can be simulated, expected bodies with mass and inertia that each of them moves";
}

}  // namespace cuttle
