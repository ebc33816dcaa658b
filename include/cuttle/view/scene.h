#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/io/visual.h"
#include "cuttle/model/robot.h"
#include "cuttle/simulation/recorder.h"

namespace CUTTLE_API cuttle {

/// Some numbers of a scene's frame vector that belong together.
struct SceneRange {
  enum class Kind {
    poses,   ///< seven numbers each: position [m], quaternion w, x, y, z
    points,  ///< x, y, z each [m]
    values,  ///< of any unit
  };
  Kind kind = Kind::values;
  int at = 0, size = 0;
};

struct SceneItems;

/// A robot as it is drawn: rods with their sections, volumes' surfaces, rigid shapes, tendons, chambers, loads. What
/// there is is said once, in JSON; where it is at an instant is a flat vector of numbers, the frame vector. Both are
/// described in viewer/src/contract.ts.
/// @code
/// Scene scene(robot);
/// std::vector<double> numbers(scene.size());
/// scene.frame(sample, numbers);
/// @endcode
class Scene {
 public:
  /// @param visuals  of the robot's file; parts that it does not dress look as Cuttle thinks.
  explicit Scene(const Robot& robot, const std::vector<LinkVisual>& visuals = {});
  ~Scene();
  Scene(Scene&&) noexcept;
  Scene& operator=(Scene&&) noexcept;

  int size() const;
  double reach() const;  ///< sum of the links' lengths at rest [m]
  /// The frame vector at a sample: its time, q and u. A quaternion has the sign that is nearer to that of the frame
  /// before. @param numbers  size() of them.
  void frame(const Sample& sample, std::span<double> numbers);
  /// All of the frame vector, in order.
  const std::vector<SceneRange>& ranges() const;
  /// The scene itself, one object of JSON.
  std::string json() const;

 private:
  std::unique_ptr<SceneItems> items_;
};

}  // namespace cuttle
