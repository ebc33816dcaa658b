#pragma once

#include <memory>
#include <vector>

#include "cuttle/model/data.h"
#include "cuttle/model/model.h"
#include "io/volume_surface.h"

namespace cuttle {

/// Shape of a robot's links as lines with thickness, for drawings: rods and continuum joints along their backbone
/// with the radius of their section, rigid links from base to tip; volumes as surfaces; tendons as lines.
class RobotOutline {
 public:
  struct Stroke {
    enum class Kind { rod, rigid, connection } kind;
    std::vector<Vector3> points;  ///< world [m]
    std::vector<double> radii;    ///< at each point [m]
  };
  struct Surface {
    const VolumeSurface* rest;
    std::vector<Vector3> points;  ///< its points in the world [m]
  };
  struct Shape {
    std::vector<Stroke> strokes;
    std::vector<Surface> surfaces;
    std::vector<std::vector<Vector3>> tendons;  ///< world [m]
    std::vector<Vector3> joints;                ///< where links turn or slide
    std::vector<Vector3> masses;                ///< of rigid links without length: their center of mass
    Vector3 tip;                                ///< of the last link
  };

  explicit RobotOutline(const Robot& robot);
  Shape at(const VectorXd& q);
  double reach() const { return reach_; }  ///< sum of the links' lengths at rest [m]
  Pose base() const { return robot_base_; }

 private:
  struct LinkLine {
    bool rod = false, joint = false;
    Frame parent, attach;       ///< port of the parent, and the joint's placement there
    std::vector<Frame> frames;  ///< from base to tip
    std::vector<double> radii;
    Vector3 com;  ///< of a rigid link, base frame [m]
    bool has_mass = false;
    VolumeSurface surface;       ///< of a volume; without faces for other links
    const Body* body = nullptr;  ///< that carries the surface
    int q = 0;                   ///< the body's coordinates in the robot's
  };
  /// A place that a tendon goes through: a frame's origin, or material points of a link.
  struct TendonPart {
    std::vector<Frame> frames;
    int link = -1;
    std::vector<Vector3> points;  ///< rest positions, base frame of the link [m]
  };
  std::vector<Vector3> material_points(const LinkLine& line, const std::vector<Vector3>& x, const VectorXd& q) const;

  std::unique_ptr<Model> model_;
  std::unique_ptr<Data> data_;
  std::vector<LinkLine> lines_;
  std::vector<std::vector<TendonPart>> tendons_;
  double reach_ = 0.0;
  Pose robot_base_;
};

}  // namespace cuttle
