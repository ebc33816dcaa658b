#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cuttle/error.h"
#include "cuttle/model/transmission_binder.h"
#include "model/contact/contact_plan.h"

namespace cuttle {

/// Turns a robot's description into the topology that the sweeps run over, checking it on the way.
template <typename S>
class ModelBuilderT final : private PortRequestsT<S>, private TransmissionBinderT<S> {
 public:
  explicit ModelBuilderT(ModelT<S>& model) : model_(model), robot_(model.robot_), topology_(model.topology_) {}
  void build();

 private:
  /// A place on a link, neither base nor tip, that children, markers, loads or tendons ask for.
  struct Port {
    PortLocationT<S> at;
    int number;  ///< of the body's ports
    FrameT<S> frame;
  };
  struct Built {
    std::unique_ptr<BodyT<S>> own;  ///< with its ports, until it goes into the topology
    std::vector<Port> ports;
    int body = -1;  ///< of the topology's; -1: none, or one without coordinates
  };

  void index_links();
  void collect_ports();
  void add_base();
  void add_link(int index);
  void add_body(int index);
  /// Asks a link's body for ports. @throws ModelError about the place that a port is at.
  void want_ports(int link, const std::vector<PortLocationT<S>>& places);
  /// The same where somebody names the links, which may not exist: then it is for resolve to say so.
  void want_ports(const std::vector<PlaceT<S>>& places);
  FrameT<S> add_joint(int index, const FrameT<S>& placement);
  int add_node(int link, int parent_edge, const PoseT<S>& neutral);
  Edge& add_edge(EdgeKind kind, int kind_index, int parent, int link);
  void take_coordinates(Edge& edge, int nq, int nv);
  JointDynamicsT<S> completed(const JointT<S>& joint, const JointDynamicsT<S>& given) const;
  FrameT<S> resolve(const PlaceT<S>& place) const;
  int parent_of(int link) const;                          ///< -1: base
  int index_of(const std::string& link) const;            ///< -1: no such link
  const LinkT<S>* link_at(const PlaceT<S>& place) const;  ///< null: the base, or no such link
  void bind_loads();
  void bind_load(const LoadT<S>& load, const std::vector<LoadPointT<S>>& points);
  /// Asks for the ports of contacts.
  void plan_contacts();
  void bind_contacts();
  void bind_loops();
  void bind_loop(const LoopT<S>& loop);
  FrameT<S> loop_frame(const PlaceT<S>& place) const;
  void bind_actuators();
  void bind_sensors();
  /// Whether the link has material points that move: ports there must be asked for.
  bool deforms_at_points(int link) const;
  /// What the bound actuators or elements give: one column each.
  struct Transmissions {
    TransmissionsT<S> result;
    std::vector<VectorXT<S>> columns;
    std::vector<S> offsets;  ///< y at q = 0 of those that are linear
    int last() const { return static_cast<int>(columns.size()) - 1; }
    TransmissionsT<S> finished(int nv);
  };
  /// What acts by a law: an element, or an actuator whose efforts follow from its inputs.
  struct LawUser {
    std::string name;
    const std::vector<std::shared_ptr<const TransmissionT<S>>>& through;
    std::shared_ptr<const EffortLawT<S>> law;
  };
  void bind_actuator(const ActuatorT<S>& actuator, Transmissions& inputs, Transmissions& of_elements);
  void bind_element(const ElementT<S>& element);
  /// Of an element whose law acts beside actuators; others are bound already.
  void bind_beside_actuators(const ElementT<S>& element);
  /// @param input  its first one in u.
  void bind_law(const LawUser& user, int input, bool drives);
  /// What of it stands behind its transmissions, which are bound from column `first` on.
  void finish_law(const LawUser& user, int first, int input, bool own_inputs);
  void bind_transmission(const TransmissionT<S>& transmission);
  void add_transmission(const std::string& unit);

  // what transmissions ask for
  const BodyT<S>* body(const std::string& link) const override;
  void want(const std::string& link, const PortLocationT<S>& at) override { want_ports(index_of(link), {at}); }
  const ModelT<S>& model() const override { return model_; }
  LinkBindingT<S> link(const std::string& name) const override;
  FrameT<S> frame(const PlaceT<S>& place) const override { return resolve(place); }
  Vector3T<S> rest_position(const FrameT<S>& frame) const override;
  VectorXT<S>& add_linear(const std::string& unit, const S& y_at_zero) override;
  void add_tendon(BoundTendonT<S> tendon) override;
  void add_chamber(BoundChamberT<S> chamber) override;
  void add_wrench(BoundWrenchT<S> wrench) override;
  void add_function(const std::string& unit, const std::vector<LinkCoordinate>& coordinates,
                    std::shared_ptr<const CoordinateFunctionT<S>> function) override;

  void check_floating_mass();
  void check_contact_areas();
  void finish();

  ModelT<S>& model_;
  const RobotT<S>& robot_;
  TopologyT<S>& topology_;
  std::map<std::string, int> index_;
  Transmissions* bound_to_ = nullptr;  ///< those that are bound now
  std::vector<Built> built_;
  std::vector<std::vector<LoadPointT<S>>> load_points_;  ///< of each load
  std::vector<ContactPlanT<S>> contact_plans_;           ///< of each contact
  std::vector<PoseT<S>> neutral_;                        ///< world pose of each node at the neutral configuration
};

/// Works on each part of a list of the robot; an error on the way is at that part.
/// @param noun  what messages call one, before its name: "actuator" 'bend'.
template <typename Part, typename Work>
void for_each_part(const char* list, const std::string& noun, const std::vector<Part>& parts, const Work& work) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const KeyPath place{list, i};
    std::string name;
    if constexpr (requires { parts[i].name; }) {
      name = noun.empty() ? parts[i].name : noun + " '" + parts[i].name + "'";
    } else {
      name = place.text();
    }
    at_place(place, name, [&] { work(parts[i]); });
  }
}

/// Numbers that must be finite, rotations that must be rotations, names of inputs and markers that must be unique: what
/// a file's reader checks by itself and a robot made in C++ has from here. @throws ModelError
template <typename S>
void check_robot(const RobotT<S>& robot);

}  // namespace cuttle
