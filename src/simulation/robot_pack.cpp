#include "simulation/robot_pack.h"

#include "simulation/robot_pack_impl.h"
#include "spatial/choose_kernels.h"

#if !defined(CUTTLE_NO_PACKS)
CUTTLE_DECLARE_KERNELS(RobotPackMaker robot_pack_maker())
#endif

namespace cuttle {

RobotPackMaker single_robot_pack() {
  return {1, [](const std::vector<const Model*>& robots) -> std::unique_ptr<RobotPack> {
            return std::make_unique<RobotPackT<double>>(*robots.front(), robots);
          }};
}

RobotPackMaker vector_robot_pack() {
#if defined(CUTTLE_NO_PACKS)
  return single_robot_pack();
#else
  return CUTTLE_CHOSEN_KERNELS(robot_pack_maker());
#endif
}

}  // namespace cuttle
