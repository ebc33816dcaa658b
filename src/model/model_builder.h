#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cuttle/model/model.h"

namespace cuttle {

/// Turns a robot's description into the topology that the sweeps run over, checking it on the way.
template <typename S>
class ModelBuilderT {
 public:
  explicit ModelBuilderT(ModelT<S>& model) : model_(model), robot_(model.robot_), topology_(model.topology_) {}
  void build();

 private:
  /// Frames of a link's ports that are neither base nor tip.
  struct Port {
    PortLocationT<S> at;
    FrameT<S> frame;
  };
  struct Built {
    std::vector<PortLocationT<S>> wanted;  ///< that children, markers, loads and tendons ask for
    std::vector<Port> ports;
    int body = -1;  ///< of the topology's; -1: none, or one without coordinates
  };

  void index_links();
  void collect_ports();
  void add_base();
  void add_link(int index);
  void add_body(int index);
  FrameT<S> add_joint(int index, const FrameT<S>& placement);
  int add_node(int link, int parent_edge, const PoseT<S>& neutral);
  Edge& add_edge(EdgeKind kind, int kind_index, int parent, int link);
  void take_coordinates(Edge& edge, int nq, int nv);
  JointDynamicsT<S> completed(const JointT<S>& joint, const JointDynamicsT<S>& given, const std::string& link) const;
  FrameT<S> resolve(const PlaceT<S>& place, const std::string& what) const;
  int parent_of(int link) const;  ///< -1: base
  void bind_loads();
  std::shared_ptr<const StateLoadT<S>> bind_fluid(const LoadT<S>& load) const;
  void bind_loops();
  FrameT<S> loop_frame(const PlaceT<S>& place, const std::string& what) const;
  void bind_actuators();
  void bind_linear(const ActuatorT<S>& actuator, const std::string& what);
  void bind_chamber(const ActuatorT<S>& actuator, const std::string& what);
  void bind_volume_chamber(const ActuatorT<S>& actuator, const LinkInfoT<S>& info, const std::string& what);
  void bind_tendon(const ActuatorT<S>& actuator, const std::string& what);
  /// Whether the link has material points that move: ports there must be asked for.
  bool deforms_at_points(int link) const;
  /// What the bound actuators or elements give: one column each, with its name and unit.
  struct Transmissions {
    TransmissionsT<S> result;
    std::vector<VectorXT<S>> columns;
    std::vector<CoordinateInfo> info;
    std::vector<std::pair<int, S>> volumes;  ///< column of a chamber, and its volume at q = 0
    int last() const { return static_cast<int>(columns.size()) - 1; }
    TransmissionsT<S> finished(int nv);
  };
  void bind_element(const ElementT<S>& element);
  void bind_transmission(const ActuatorT<S>& actuator, const std::string& what);
  void bind_wrench(const ActuatorT<S>& actuator, const std::string& what);
  void bind_distance(const ActuatorT<S>& actuator, const std::string& what);
  VectorXT<S>& add_transmission(const std::string& name, const char* unit);
  const LinkInfoT<S>& link_named(const std::string& what, const std::string& name) const;
  void check_floating_mass();
  void check_contact_areas();
  void finish();

  ModelT<S>& model_;
  const RobotT<S>& robot_;
  TopologyT<S>& topology_;
  std::map<std::string, int> index_;
  Transmissions* bound_to_ = nullptr;  ///< those that are bound now
  std::vector<Built> built_;
  std::vector<PoseT<S>> neutral_;  ///< world pose of each node at the neutral configuration
};

/// Numbers that must be finite, rotations that must be rotations, names of inputs and markers that must be unique: what
/// a file's reader checks by itself and a robot made in C++ has from here. @throws ModelError
template <typename S>
void check_robot(const RobotT<S>& robot);

}  // namespace cuttle
