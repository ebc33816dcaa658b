#pragma once

#include <memory>
#include <vector>

#include "cuttle/model/data.h"
#include "cuttle/model/model.h"

namespace cuttle {

/// Shape of a robot's links as lines with thickness, for drawings: rods and continuum joints along their backbone
/// with the radius of their section, rigid links from base to tip.
class RobotOutline {
 public:
  struct Stroke {
    enum class Kind { rod, rigid, connection } kind;
    std::vector<Vector3> points;  ///< world [m]
    std::vector<double> radii;    ///< at each point [m]
  };
  struct Shape {
    std::vector<Stroke> strokes;
    std::vector<Vector3> joints;  ///< where links turn or slide
    std::vector<Vector3> masses;  ///< of rigid links without length: their center of mass
    Vector3 tip;                  ///< of the last link
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
  };
  std::unique_ptr<Model> model_;
  std::unique_ptr<Data> data_;
  std::vector<LinkLine> lines_;
  double reach_ = 0.0;
  Pose robot_base_;
};

}  // namespace cuttle
