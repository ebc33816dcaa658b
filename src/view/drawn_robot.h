#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cuttle/bodies/slender.h"
#include "cuttle/model/data.h"
#include "cuttle/model/model.h"
#include "view/volume_surface.h"

namespace cuttle {

/// A robot with frames wherever something is drawn: along slender bodies ("rods"), of tendons, of loads. Actuators,
/// loads and loops do nothing in it; bodies are what they are drawn as (BodyT::drawn_as).
class DrawnRobot {
 public:
  static constexpr int k_rod_pieces = 32, k_tendon_pieces = 32;

  struct DrawnLink {
    std::string name;
    bool joint = false;    ///< it moves against its parent
    Frame parent, attach;  ///< port of the parent, and the joint's placement there
    int parent_link = -1;  ///< -1: the robot's base
    Frame base, tip;       ///< of its body
    const Body* body = nullptr;
    int q = 0;          ///< the body's coordinates in the robot's
    double mass = 0.0;  ///< [kg]
    Vector3 com;        ///< at rest, base frame [m]; 0 without mass
    /// Whether the center of mass is all that there is to draw of a rigid body without length.
    bool has_fixed_mass() const { return body != nullptr && body->coordinate_count() == 0 && mass > 0.0; }
    const SlenderT<double>* rod = nullptr;
    std::vector<double> s;        ///< of a rod: where its stations are [m]
    std::vector<Frame> stations;  ///< there, from base to tip
    bool carries_points = false;  ///< a volume
    VolumeSurface surface;        ///< of a volume; without faces if it is not known
  };
  /// A place that a tendon goes through: frames' origins, or material points of a link.
  struct TendonPart {
    std::vector<Frame> frames;
    int link = -1;
    std::vector<Vector3> points;  ///< rest positions, base frame of the link [m]
    std::size_t size() const { return link < 0 ? frames.size() : points.size(); }
  };
  /// A tendon, or the line between two places that a spring or another element acts along.
  struct Tendon {
    std::string name;
    int input = -1;  ///< whose value is its tension; -1: an element's, which has a law
    std::vector<TendonPart> parts;
  };
  /// Where a load of the robot acts: one frame, or frames along a rod. None for loads that depend on the motion.
  struct DrawnLoad {
    std::vector<Frame> frames;
  };

  explicit DrawnRobot(const Robot& robot);

  const Model& model() const { return *model_; }
  const std::vector<DrawnLink>& links() const { return links_; }
  const std::vector<Tendon>& tendons() const { return tendons_; }
  const std::vector<DrawnLoad>& loads() const { return loads_; }  ///< one a load of the robot
  double reach() const { return reach_; }                         ///< sum of the links' lengths at rest [m]

  /// Goes to a configuration; `pose` and `material_points` are of the last one.
  void move_to(const VectorXd& q);
  Pose pose(const Frame& frame) const { return data_->kinematics.pose(frame); }
  /// World positions of rest positions of a volume [m].
  void material_points(const DrawnLink& link, const std::vector<Vector3>& x, Vector3* points) const;
  /// Appends the points of a tendon's part.
  void append_points(const TendonPart& part, std::vector<Vector3>& path) const;
  const VectorXd& configuration() const { return q_; }

 private:
  void add_markers(const Robot& robot, Robot& drawn) const;
  void bind_links();
  void bind_tendons(const Robot& robot);
  TendonPart part_of(const Routing& entry, std::size_t line, std::size_t number) const;
  void bind_loads(const Robot& robot);

  std::unique_ptr<Model> model_;
  std::unique_ptr<Data> data_;
  VectorXd q_;
  std::vector<DrawnLink> links_;
  std::vector<Tendon> tendons_;
  std::vector<DrawnLoad> loads_;
  double reach_ = 0.0;
};

}  // namespace cuttle
