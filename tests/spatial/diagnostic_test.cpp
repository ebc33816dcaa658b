#include "cuttle/diagnostic.h"

#include <gtest/gtest.h>

#include <string>
#include <type_traits>

#include "cuttle/error.h"

namespace cuttle::CUTTLE_FILE {
namespace {

TEST(KeyPath, IsReadFromThePathOfAParameter) {
  const KeyPath path("links[0].body.section.radius[12]");
  ASSERT_EQ(path.steps().size(), 6u);
  EXPECT_EQ(path.steps()[0].key, "links");
  EXPECT_TRUE(path.steps()[1].is_index());
  EXPECT_EQ(path.steps()[1].index, 0u);
  EXPECT_EQ(path.steps()[5].index, 12u);
  EXPECT_EQ(path.text(), "links[0].body.section.radius[12]");
  EXPECT_EQ(path.text(3), "section.radius[12]");
  EXPECT_EQ(path.text(1), "[0].body.section.radius[12]");
}

TEST(KeyPath, JoinsItsParts) {
  const int k = 3;
  const std::size_t row = 1;
  const KeyPath body{"links", k, "body"};
  EXPECT_EQ((KeyPath{body, "section.radius", row}), "links[3].body.section.radius[1]");
  EXPECT_EQ((KeyPath{KeyPath(), "a", KeyPath()}), "a");
  EXPECT_EQ((KeyPath{0}).text(), "[0]");
  EXPECT_TRUE(KeyPath().empty());
  EXPECT_TRUE(KeyPath("").empty());
  EXPECT_NE(KeyPath("a[1]"), "a[2]");
  EXPECT_NE(KeyPath("a[1]"), "a");
}

// Whatever stands in a path, it is some path: an error about an error would hide the first.
TEST(KeyPath, TakesAnyText) {
  EXPECT_EQ(KeyPath("a[x].b]").steps().size(), 2u);
  EXPECT_EQ(KeyPath("a[").text(), "a[");
  EXPECT_EQ(KeyPath("a[-1]").steps().size(), 1u);
  EXPECT_EQ(KeyPath("a[99999999999999999999]").steps().size(), 1u);
  EXPECT_EQ(KeyPath("..a..b").text(), "a.b");
}

TEST(DiagnosticTest, SaysPlaceFoundAndExpected) {
  EXPECT_EQ(Diagnostic("no way").text(), "no way");
  EXPECT_EQ(Diagnostic("length", "too long by far").text(), "length: too long by far");
  const Diagnostic both({"radius", 1}, "-1", "a number > 0 [m]");
  EXPECT_EQ(both.text(), "radius[1]: found -1, expected a number > 0 [m]");
  EXPECT_EQ(both.message(), "found -1, expected a number > 0 [m]");
  EXPECT_EQ(both.found(), "-1");
  EXPECT_EQ(both.expected(), "a number > 0 [m]");
  EXPECT_EQ(Diagnostic("length", "nothing", "").text(), "length: found nothing");
  EXPECT_EQ(Diagnostic({}, "", "a rod").text(), "expected a rod");
}

TEST(DiagnosticTest, PlacesStandInFront) {
  Diagnostic diagnostic("radius", "-1", "a number");
  diagnostic.place_in("section");
  EXPECT_EQ(diagnostic.text(), "section.radius: found -1, expected a number");
  diagnostic.place_in({"links", 0, "body"}, "arm");  // the name stands for all three steps
  EXPECT_EQ(diagnostic.text(), "arm: section.radius: found -1, expected a number");
  EXPECT_EQ(diagnostic.path(), "links[0].body.section.radius");
  diagnostic.place_in({}, "Batch: robot 3");  // a name without a place
  EXPECT_EQ(diagnostic.text(), "Batch: robot 3: arm: section.radius: found -1, expected a number");
  EXPECT_EQ(diagnostic.path(), "links[0].body.section.radius");
  EXPECT_EQ(diagnostic.found(), "-1");
  diagnostic.place_in("robots[3]");
  EXPECT_EQ(diagnostic.text(), "robots[3]: Batch: robot 3: arm: section.radius: found -1, expected a number");
  EXPECT_EQ(diagnostic.path(), "robots[3].links[0].body.section.radius");
}

TEST(DiagnosticTest, AFileShowsTheWholePath) {
  Diagnostic diagnostic("radius", "-1", "a number");
  diagnostic.place_in({"links", 0}, "arm");
  EXPECT_EQ(diagnostic.located("arm.yaml:3:5").text(), "arm.yaml:3:5: links[0].radius: found -1, expected a number");
  EXPECT_EQ(diagnostic.located("arm.yaml:3:5").path(), "links[0].radius");
  EXPECT_EQ(Diagnostic("no way").located("arm.yaml").text(), "arm.yaml: no way");
}

TEST(ErrorTest, HasItsPlaceAsData) {
  const ModelError error({"primitives", 2, "modes"}, "none", "one or more");
  EXPECT_STREQ(error.what(), "primitives[2].modes: found none, expected one or more");
  EXPECT_EQ(error.path(), "primitives[2].modes");
  EXPECT_EQ(error.found(), "none");
  EXPECT_EQ(error.expected(), "one or more");
  const ModelError plain("a rope has no port at its base");
  EXPECT_STREQ(plain.what(), "a rope has no port at its base");
  EXPECT_TRUE(plain.path().empty());
  EXPECT_EQ(plain.found() + plain.expected(), "");
}

/// An error of a user's own, with something else in it.
struct Torn final : ConfigurationError {
  using ConfigurationError::ConfigurationError;
  int fiber = 0;
};

TEST(ErrorTest, GoesOnAsTheSameErrorFromAnotherPlace) {
  const auto tear = [] {
    Torn torn("fibers[4]", "found it torn");
    torn.fiber = 4;
    throw torn;
  };
  try {
    at_place({"links", 1}, "arm", [&] { at_place("body", "", tear); });
    FAIL();
  } catch (const Torn& torn) {
    EXPECT_STREQ(torn.what(), "arm: body.fibers[4]: found it torn");
    EXPECT_EQ(torn.path(), "links[1].body.fibers[4]");
    EXPECT_EQ(torn.fiber, 4);
  }
  EXPECT_EQ(at_place("anywhere", "", [] { return 3; }), 3);
}

TEST(ErrorTest, CopiesAreApartAndDoNotThrow) {
  static_assert(std::is_nothrow_copy_constructible_v<ModelError>);
  static_assert(std::is_nothrow_copy_assignable_v<ModelError>);
  const ModelError first("length", "-1", "a number > 0");
  ModelError second = first;
  second.place_in({"links", 0}, "arm");
  EXPECT_STREQ(first.what(), "length: found -1, expected a number > 0");
  EXPECT_STREQ(second.what(), "arm: length: found -1, expected a number > 0");
  const std::runtime_error& standard = second;
  EXPECT_STREQ(standard.what(), second.what());
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
