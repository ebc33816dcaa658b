#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/io/file_texts.h"
#include "cuttle/io/visual.h"
#include "cuttle/model/robot.h"

namespace CUTTLE_API cuttle {

/// Formats in which robots are written for other programs: URDF, and MuJoCo's MJCF.
enum class ExportFormat { urdf, mjcf };

struct ExportOptions {
  int segments = 10;        ///< of the chain that a rod or a continuum joint becomes, each with its springs; 1 to 200
  bool allow_loss = false;  ///< puts something rigid in the place of bodies and joints that have no counterpart
};

/// A soft body as a chain of rigid segments, and how well the chain stands for it: each alone, clamped at its base as
/// the robot holds it at q = 0, with nothing at its tip. `free` is the same body with strains of Legendre polynomials
/// up to order 8 in place of its own: that is what more and more segments tend to.
struct ExportedChain {
  std::string link;
  int segments = 0;
  double length = 0.0;                                ///< [m]
  double frequency = 0.0;                             ///< first of the chain, without gravity [Hz]
  double body_frequency = 0.0, free_frequency = 0.0;  ///< [Hz]
  std::optional<double> tip_distance, free_distance;  ///< of the chain's tip from theirs, at rest under gravity [m];
                                                      ///< nothing if one of them finds no rest

  /// On a line: "arm: a chain of 10 rigid segments with springs; first frequency ..".
  std::string text() const;
};

/// Something that is lost or changed on the way.
struct ExportNote {
  std::string what;                ///< "load: left out"
  std::vector<std::string> names;  ///< of what it concerns

  /// On a line: "load: left out (2: wind, drone)".
  std::string text() const;
};

/// A robot as text of another format. What is lost, and the chains, stand in a comment at its head too.
struct ExportedRobot {
  std::string text;
  FileTexts files;  ///< meshes, by the names that the text has for them
  std::vector<ExportNote> notes;
  std::vector<ExportedChain> chains;
};

/// Writes a robot for another program.
///
/// A link becomes a body (MJCF) or link (URDF) of its name whose frame is the link's base frame; where its tip is
/// elsewhere that is a site, or a link fixed to it, NAME_tip. Coordinates, in the robot's order where parents come
/// before their children's siblings, are zero where the robot's are. Rods and continuum joints become chains: n joints
/// in the middles of n equal segments, each with one hinge or slide for every strain that the body has, between n + 1
/// rigid pieces that have its mass and its shape without stress.
/// @param visuals  shapes to draw (RobotFile::visuals).
/// @throws ModelError that names what the format cannot have, unless options.allow_loss; ArgumentError for `segments`.
ExportedRobot export_robot(const Robot& robot, ExportFormat format, const std::vector<LinkVisual>& visuals = {},
                           const ExportOptions& options = {});

/// The same into files: the robot at `path`, meshes beside it; earlier files of these names are replaced.
/// @throws FileError if one cannot be written.
void write_exported_robot(const ExportedRobot& exported, const std::string& path);

}  // namespace cuttle
