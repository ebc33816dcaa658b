#pragma once

#include <vector>

#include "view/drawn_robot.h"

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
  double reach() const { return robot_.reach(); }  ///< sum of the links' lengths at rest [m]
  Pose base() const { return base_; }

 private:
  DrawnRobot robot_;
  std::vector<std::vector<double>> radii_;  ///< of each link's stroke, at each of its points
  Pose base_;
};

}  // namespace cuttle
