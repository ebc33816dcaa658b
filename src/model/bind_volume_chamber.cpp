#include <memory>
#include <utility>
#include <vector>

#include "cuttle/bodies/pocket_surface.h"
#include "cuttle/error.h"
#include "model/model_builder.h"

namespace cuttle {
template <typename S>
void ModelBuilderT<S>::bind_volume_chamber(const ActuatorT<S>& actuator, const LinkInfoT<S>& info) {
  const int link = static_cast<int>(&info - model_.links_.data());
  const BodyT<S>* body = robot_.links[link].body.get();
  if (body == nullptr || !body->has_material_points()) {
    throw ModelError("link", "'" + info.name + "'", "a link whose body is a rod or a volume");
  }
  BoundChamberT<S> chamber;
  PocketSurfaceT<S> surface = body->cavity({actuator.surface, actuator.pocket, info.name});
  surface.drawing = {};
  chamber.surface = std::make_shared<const PocketSurfaceT<S>>(std::move(surface));
  chamber.body = built_[link].body;
  chamber.q = info.q + info.joint_nq, chamber.v = info.v + info.joint_nv, chamber.nv = info.nv - info.joint_nv;
  // once at rest: a body that cannot follow its surface says so here
  const std::vector<S> zero(chamber.nv, S(0.0));
  std::vector<S> workspace(pocket_workspace_size(*chamber.surface, chamber.nv));
  pocket_volume<S>(*body, *chamber.surface, zero.data(), nullptr, workspace.data());
  add_transmission(actuator.inputs.at(0), "Pa");
  chamber.input = bound_to_->last();
  bound_to_->result.chambers.push_back(std::move(chamber));
}

#define CUTTLE_INSTANTIATE(S) \
  template void ModelBuilderT<S>::bind_volume_chamber(const ActuatorT<S>&, const LinkInfoT<S>&);
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
