#include <gtest/gtest.h>

#include <cmath>

#include "cuttle/error.h"
#include "cuttle/io/decimal.h"
#include "cuttle/io/robot_file.h"

namespace cuttle::CUTTLE_FILE {
namespace {

/// Gravity's z as a robot file reads it.
double read_number(const std::string& text) {
  return read_robot_text("cuttle: 1\ngravity: [0, 0, " + text + "]\nlinks: [{name: a, body: {type: rigid, mass: 1}}]\n",
                         "n.yaml")
      .gravity.z;
}

std::string message_of(const std::string& text) {
  try {
    return "no error, but " + std::to_string(read_number(text));
  } catch (const FileError& error) {
    return error.what();
  }
}

struct Spelling {
  const char* text;
  double value;
};

class EverySpelling : public testing::TestWithParam<Spelling> {};

TEST_P(EverySpelling, ReadsTheNearestDouble) { EXPECT_EQ(read_number(GetParam().text), GetParam().value); }

INSTANTIATE_TEST_SUITE_P(Yaml, EverySpelling,
                         testing::Values(Spelling{"-9.81", -9.81}, Spelling{"6.6e5", 660000.0}, Spelling{"1e-5", 1e-5},
                                         Spelling{"1E+3", 1000.0}, Spelling{"1.e2", 100.0}, Spelling{"+.5", 0.5},
                                         Spelling{".5", 0.5}, Spelling{"-.5e1", -5.0}, Spelling{"1.", 1.0},
                                         Spelling{"+7", 7.0}, Spelling{"1_000", 1000.0}, Spelling{"1_000.5", 1000.5},
                                         Spelling{"0x1F", 31.0}, Spelling{"-0xff", -255.0}, Spelling{"0o17", 15.0},
                                         Spelling{"0b101", 5.0}, Spelling{"007", 7.0}, Spelling{"00.5", 0.5},
                                         Spelling{"0", 0.0}, Spelling{"1:30", 90.0}, Spelling{"-1:30:15.5", -5415.5},
                                         Spelling{"0.1", 0.1}, Spelling{"1e-400", 0.0}, Spelling{"08", 8.0},
                                         Spelling{"123456789012345678901234567890", 123456789012345678901234567890.0},
                                         Spelling{"4.9406564584124654e-324", 4.9406564584124654e-324},
                                         Spelling{"1.7976931348623157e308", 1.7976931348623157e308}));

class NoNumber : public testing::TestWithParam<Spelling> {};

TEST_P(NoNumber, IsRefused) {
  EXPECT_EQ(message_of(GetParam().text),
            "n.yaml:2:17: gravity[2]: found '" + std::string(GetParam().text) + "', expected a number [m/s^2]");
}

INSTANTIATE_TEST_SUITE_P(Yaml, NoNumber,
                         testing::Values(Spelling{"1.2.3", 0}, Spelling{"e5", 0}, Spelling{"1e", 0}, Spelling{".", 0},
                                         Spelling{"1e5.5", 0}, Spelling{"0x", 0}, Spelling{"0xG", 0},
                                         Spelling{"1:75", 0}, Spelling{"one", 0}, Spelling{"9.81 m", 0},
                                         Spelling{"_1", 0}, Spelling{"nan", 0}, Spelling{"inf", 0}, Spelling{"0o8", 0},
                                         Spelling{"1.5f", 0}));

TEST(YamlNumber, RefusesWhatIsNotFinite) {
  for (const char* text : {".nan", ".NaN", ".inf", "-.inf", "+.INF", "1e999", "-1e400"}) {
    EXPECT_EQ(message_of(text),
              "n.yaml:2:17: gravity[2]: found " + std::string(text) + ", expected a finite number [m/s^2]");
  }
}

TEST(YamlNumber, RefusesWhatTheTwoYamlsReadDifferently) {
  EXPECT_EQ(message_of("010"),
            "n.yaml:2:17: gravity[2]: found 010 (8 in YAML 1.1 but 10 in YAML 1.2), expected a number without leading "
            "zeros");
}

TEST(YamlNumber, QuotedNumbersAreText) {
  EXPECT_EQ(message_of("'1'"), "n.yaml:2:17: gravity[2]: found '1', expected a number [m/s^2]");
  EXPECT_EQ(message_of("true"), "n.yaml:2:17: gravity[2]: found true, expected a number [m/s^2]");
}

TEST(Decimal, IsReadInAnySize) {
  EXPECT_EQ(parse_decimal("-0.5"), -0.5);
  EXPECT_EQ(parse_decimal("+12"), 12.0);
  EXPECT_EQ(parse_decimal("1e-310"), 1e-310);
  EXPECT_EQ(parse_decimal("-4.9e-324"), -4.9e-324);
  EXPECT_EQ(parse_decimal("1e-400"), 0.0);
  EXPECT_TRUE(std::signbit(*parse_decimal("-1e-400")));
  EXPECT_EQ(parse_decimal("-1e400"), -INFINITY);
  for (const char* text : {"", "-", "+-1", "--1", ".", "1e", "1 ", " 1", "0x1F", "inf", "nan", "1,5", "1.5.2", "e5"}) {
    EXPECT_EQ(parse_decimal(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
