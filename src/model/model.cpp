#include "cuttle/model/model.h"

#include <algorithm>
#include <cmath>

#include "cuttle/error.h"
#include "cuttle/model/spelling.h"
#include "cuttle/spatial/scalars.h"
#include "model/model_builder.h"

namespace cuttle {

template <typename S>
ModelT<S>::ModelT(RobotT<S> robot) : robot_(std::move(robot)) {
  ModelBuilderT<S>(*this).build();
}

template <typename S>
int ModelT<S>::link_index(const std::string& name) const {
  std::vector<std::string> known;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    if (links_[i].name == name) return static_cast<int>(i);
    known.push_back(links_[i].name);
  }
  throw ArgumentError("link", "'" + name + "', which '" + robot_.name + "' does not have" + did_you_mean(name, known),
                      "");
}

template <typename S>
const std::string& ModelT<S>::link_of_velocity(int index) const {
  static const std::string k_base = "base";
  for (const LinkInfoT<S>& link : links_) {
    if (index >= link.v && index < link.v + link.nv) return link.name;
  }
  return k_base;
}

template <typename S>
FrameT<S> ModelT<S>::base_frame(const std::string& link) const {
  return links_[link_index(link)].base;
}
template <typename S>
FrameT<S> ModelT<S>::tip_frame(const std::string& link) const {
  return links_[link_index(link)].tip;
}
template <typename S>
FrameT<S> ModelT<S>::marker_frame(const std::string& marker) const {
  std::vector<std::string> known;
  for (std::size_t i = 0; i < markers_.size(); ++i) {
    if (robot_.markers[i].name == marker) return markers_[i];
    known.push_back(robot_.markers[i].name);
  }
  throw ArgumentError("marker",
                      "'" + marker + "', which '" + robot_.name + "' does not have" + did_you_mean(marker, known), "");
}

template <typename S>
VectorXT<S> ModelT<S>::neutral() const {
  VectorXT<S> q = VectorXT<S>::Zero(nq_);
  for (const Edge& edge : topology_.edges) {
    if (edge.kind == EdgeKind::joint) topology_.joints[edge.index].joint->neutral(q.data() + edge.q);
  }
  return q;
}

// Of scalars other than double before the members that only double has: clang before 16 instantiates these for all.
template class ModelT<long double>;
template class ModelT<ForwardDual>;

template <typename S>
std::vector<ParameterInfo> ModelT<S>::parameters() const requires std::is_same_v<S, double> {
  return parameter_source(robot_)->parameters();
}
template <typename S>
ParameterInfo ModelT<S>::parameter(const std::string& path) const requires std::is_same_v<S, double> {
  return parameter_source(robot_)->parameter(path);
}
template <typename S>
ModelT<S> ModelT<S>::with(const std::string& path, double value) const requires std::is_same_v<S, double> {
  return with(std::vector<ParameterChange>{{path, value}});
}
template <typename S>
ModelT<S> ModelT<S>::with(const std::vector<ParameterChange>& changes) const requires std::is_same_v<S, double> {
  const std::shared_ptr<const ParameterSource> source = parameter_source(robot_);
  Robot robot = source->with(changes);
  try {
    return ModelT(std::move(robot));
  } catch (const Error& error) {
    throw ModelError(error.diagnostic().located(source->place(error.path())));
  }
}

template class ModelT<double>;

}  // namespace cuttle
