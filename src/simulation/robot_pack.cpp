#include "simulation/robot_pack.h"

#include "simulation/robot_pack_impl.h"
#include "spatial/instruction_set.h"

namespace cuttle {

#if !defined(CUTTLE_NO_PACKS)
namespace baseline {
RobotPackMaker robot_pack_maker();
}
#endif
#if !defined(CUTTLE_ONLY_BASELINE)
namespace avx2 {
RobotPackMaker robot_pack_maker();
}
namespace avx512 {
RobotPackMaker robot_pack_maker();
}
#endif

RobotPackMaker single_robot_pack() {
  return {1, [](const std::vector<const Model*>& robots) -> std::unique_ptr<RobotPack> {
            return std::make_unique<RobotPackT<double>>(*robots.front(), robots);
          }};
}

RobotPackMaker vector_robot_pack() {
#if defined(CUTTLE_NO_PACKS)
  return single_robot_pack();
#else
  switch (instruction_set()) {
#if !defined(CUTTLE_ONLY_BASELINE)
    case InstructionSet::avx512:
      return avx512::robot_pack_maker();
    case InstructionSet::avx2:
      return avx2::robot_pack_maker();
#endif
    default:
      return baseline::robot_pack_maker();
  }
#endif
}

}  // namespace cuttle
