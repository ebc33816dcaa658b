// Compiled once for each instruction set, like the sources of the library's templates beside it (CMakeLists.txt): all
// that leaves the object is this namespace.
#include "simulation/model_gather.h"
#include "simulation/robot_pack_impl.h"

namespace cuttle::CUTTLE_ISA {
namespace {

using S = Pack<CUTTLE_ISA_WIDTH>;

std::unique_ptr<RobotPack> make(const std::vector<const Model*>& robots) {
  typename ModelGatherT<S>::Each lanes;
  std::copy_n(robots.begin(), CUTTLE_ISA_WIDTH, lanes.begin());
  std::unique_ptr<ModelT<S>> model = ModelGatherT<S>::make(lanes);
  return model ? std::make_unique<RobotPackT<S>>(std::move(*model), robots) : nullptr;
}

}  // namespace

RobotPackMaker robot_pack_maker() { return {CUTTLE_ISA_WIDTH, &make}; }

}  // namespace cuttle::CUTTLE_ISA
