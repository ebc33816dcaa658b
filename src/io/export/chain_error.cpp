// How well chains stand for soft bodies: Cuttle computes both.
#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/algorithms/statics.h"
#include "cuttle/error.h"
#include "cuttle/model/data.h"
#include "io/export/export_tree.h"
#include "io/import/import_builder.h"

namespace cuttle {
namespace {

/// A soft body alone, clamped at its base, or its chain; the marker "end" is at its tip.
Robot clamped_alone(std::shared_ptr<const Body> body, const Vector3& gravity) {
  Robot robot;
  robot.gravity = gravity;
  robot.links.push_back({.name = "soft", .body = std::move(body)});
  robot.markers.push_back({"end", {"soft", PortLocation::tip(), {}}});
  return robot;
}

/// First frequency [Hz] of small motions about the shape without stress, gravity and damping; 0 if nothing moves.
double first_frequency(Robot robot) {
  robot.gravity = {};
  const Model model(std::move(robot));
  if (model.nv() == 0) return 0.0;
  Data data(model);
  StaticEquilibrium rest;
  rest.q = model.neutral();
  const LinearizedMotion motion = linearized_motion(model, data, {}, rest);
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> solver(motion.stiffness, motion.mass,
                                                                  Eigen::EigenvaluesOnly);
  return std::sqrt(std::max(0.0, solver.eigenvalues()[0])) / (2.0 * std::numbers::pi);
}

/// Where the tip rests under gravity; nothing if no rest is found.
std::optional<Vector3> resting_tip(const Robot& robot) {
  const Model model(robot);
  Data data(model);
  try {
    const StaticEquilibrium rest = static_equilibrium(model, data, {}, model.neutral());
    return forward_kinematics<double>(model, data, rest.q).pose(model.marker_frame("end")).position;
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::string percent_beside(double value, double other) {
  const double percent = 100.0 * (value / other - 1.0);
  return fmt::format("{:.2g} % {}", std::abs(percent), percent < 0.0 ? "below" : "above");
}

std::string share_of(double distance, double length) {
  return fmt::format("{:.2g} mm ({:.2g} % of its length)", 1e3 * distance, 100.0 * distance / length);
}

}  // namespace

ExportedChain judge_chain(const std::string& link, const Body& body, const Vector3& gravity,
                          const ExportOptions& options) {
  ExportedChain chain;
  chain.link = link, chain.segments = options.segments;
  const Robot own = clamped_alone(chain_reference(body, false), gravity);
  // what stands in the file, read again
  ExportTree tree = export_tree(own, {}, options);
  chain.length = tree.links.at("soft").pieces.back().end;
  FileTexts files;
  const NamedText text{"the chain of " + link, mjcf_text(own, tree, files)};
  ImportFiles none(FileTexts(), "the chain of " + link);
  const auto& formats = import_formats();
  const ImportFormat& mjcf =
      *std::find_if(formats.begin(), formats.end(), [](const ImportFormat& format) { return format.key == "mjcf"; });
  const Robot segments = import_named(mjcf, text, text.path, none, {}).robot;
  chain.frequency = first_frequency(segments);
  chain.body_frequency = first_frequency(own);
  const auto free_body = chain_reference(body, true);
  if (free_body) chain.free_frequency = first_frequency(clamped_alone(free_body, gravity));
  const auto tip = resting_tip(segments);
  if (!tip) return chain;
  if (const auto other = resting_tip(own)) chain.tip_distance = norm(*tip - *other);
  if (!free_body) return chain;
  if (const auto other = resting_tip(clamped_alone(free_body, gravity))) chain.free_distance = norm(*tip - *other);
  return chain;
}

std::string ExportedChain::text() const {
  std::string line =
      fmt::format("{}: a chain of {} rigid segments with springs; first frequency {:.4g} Hz, {} the body's", link,
                  segments, frequency, percent_beside(frequency, body_frequency));
  if (free_frequency > 0.0) line += fmt::format(", {} that of free strains", percent_beside(frequency, free_frequency));
  if (tip_distance) line += fmt::format("; tip under gravity {} from the body's", share_of(*tip_distance, length));
  if (free_distance) line += fmt::format(", {} from that of free strains", share_of(*free_distance, length));
  return line;
}

}  // namespace cuttle
