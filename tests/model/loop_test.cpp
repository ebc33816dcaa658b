#include "cuttle/model/loop.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "cuttle/error.h"
#include "cuttle/model/model.h"
#include "cuttle/spatial/exponential.h"
#include "support/loop_robots.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

/// What a Model says about the four-bar linkage with another loop.
std::string error_of(const std::function<void(Loop&)>& change) {
  Robot robot = FourBar().robot();
  change(robot.loops[0]);
  try {
    const Model model(robot);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}

TEST(LoopTest, ErrorsNameLoopAndKey) {
  EXPECT_EQ(error_of([](Loop&) {}), "");
  EXPECT_EQ(error_of([](Loop& loop) { loop.a.link = "couplr"; }),
            "loop 'pin': a.link: found 'couplr', expected 'base' or the name of a link; did you mean 'coupler'?");
  EXPECT_EQ(error_of([](Loop& loop) {
              loop.b = {"coupler", PortLocation::base(), {}};
            }),
            "loop 'pin': b: found 'coupler', which is fixed to a ('coupler'), expected a place that can move against "
            "it");
  EXPECT_EQ(error_of([](Loop& loop) {
              loop.axis = {0, 0, 0};
            }),
            "loop 'pin': axis: found [0, 0, 0], expected three finite numbers, not all zero");
  EXPECT_EQ(error_of([](Loop& loop) { loop.axis.y = std::nan(""); }),
            "loop 'pin': axis[1]: found nan, expected a finite number");
  EXPECT_EQ(error_of([](Loop& loop) { loop.b.at = PortLocation::section(0.1); }),
            "loop 'pin': b.at: found {s: 0.1}, expected base or tip: a rigid body has no cross-sections");
  EXPECT_EQ(error_of([](Loop& loop) { loop.name = "a/b"; }),
            "loop 'a/b': name: found 'a/b', expected a name without '/' (it separates groups in results)");
  EXPECT_EQ(error_of([](Loop& loop) { loop.name = ""; }), "loops[0].name: found nothing, expected a name");
  Robot twice = FourBar().robot();
  twice.loops.push_back(twice.loops[0]);
  EXPECT_THROW(Model{twice}, ModelError);
}

TEST(LoopTest, RowsHaveNamesAndUnits) {
  Robot robot = FourBar().robot();
  const Loop pin = robot.loops[0];
  robot.loops.clear();
  for (const LoopType type : k_loop_types) {
    robot.loops.push_back(pin);
    robot.loops.back().name = loop_type_name(type), robot.loops.back().type = type;
  }
  const Model model(robot);
  std::string text;
  for (int i = 0; i < model.constraint_count(); ++i) {
    EXPECT_EQ(model.constraint_info()[i].name, model.multiplier_info()[i].name);
    text += model.constraint_info()[i].name + " [" + model.constraint_info()[i].unit + "; " +
            model.multiplier_info()[i].unit + "]\n";
  }
  const auto position = [](const std::string& loop) {
    return loop + ".position.x [m; N]\n" + loop + ".position.y [m; N]\n" + loop + ".position.z [m; N]\n";
  };
  const auto rotation = [](const std::string& loop) {
    return loop + ".rotation.x [rad; N m]\n" + loop + ".rotation.y [rad; N m]\n" + loop + ".rotation.z [rad; N m]\n";
  };
  EXPECT_EQ(text, position("fixed") + rotation("fixed") + position("revolute") +
                      "revolute.axis.0 [1; N m]\nrevolute.axis.1 [1; N m]\n" + position("spherical") +
                      rotation("prismatic") + "prismatic.slide.0 [m; N]\nprismatic.slide.1 [m; N]\n" +
                      position("universal") + "universal.axis.0 [1; N m]\n");
  EXPECT_EQ(model.loops()[2].row, 11);
  EXPECT_EQ(model.loops()[2].row_count(), 3);
  const ModelT<long double> wide(model.robot().cast<long double>());
  EXPECT_EQ(wide.constraint_count(), model.constraint_count());
}

TEST(LoopTest, SecondAxisOfAUniversalLoopIsTheNextCoordinateAxis) {
  const auto second = [](const Vector3& axis) {
    FourBar bars;
    bars.type = LoopType::universal;
    Robot robot = bars.robot();
    robot.loops[0].axis = axis;
    return Model(robot).loops()[0].axis_b;
  };
  const Vector3 y = second({3, 0, 0}), z = second({0, -2, 0}), x = second({0, 0, 1});
  EXPECT_EQ(y.y, 1.0);
  EXPECT_EQ(z.z, 1.0);
  EXPECT_EQ(x.x, 1.0);
  const Vector3 tilted = second({2, 1, 0});
  EXPECT_NEAR(tilted.x, -1.0 / std::sqrt(5.0), 1e-15);
  EXPECT_NEAR(tilted.y, 2.0 / std::sqrt(5.0), 1e-15);
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
