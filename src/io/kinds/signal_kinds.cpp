// The signals of robot and scenario files.
#include "io/csv_column.h"
#include "io/kinds/kind_list.h"
#include "io/robot/robot_tables.h"

namespace cuttle {

using namespace key;

namespace {

const KeyTable k_step{
    .keys = {required(number("time", k_any_number, "s")).about("When the value jumps."),
             number("before", k_any_number, k_unit_of_use).about("Value before that time.").by_default("0"),
             required(number("after", k_any_number, k_unit_of_use)).about("Value from that time on.")}};
const KeyTable k_ramp{
    .keys = {required(number("start", k_any_number, "s")).about("When the ramp begins."),
             required(number("end", k_any_number, "s")).about("When it ends, after `start`."),
             number("from", k_any_number, k_unit_of_use).about("Value up to `start`.").by_default("0"),
             required(number("to", k_any_number, k_unit_of_use)).about("Value from `end` on.")}};
const KeyTable k_sine{
    .keys = {required(number("amplitude", k_any_number, k_unit_of_use))
                 .about("Half of what lies between crests and troughs."),
             required(number("frequency", k_not_negative, "Hz")).about("Periods per second."),
             number("phase", k_any_number, "rad").about("Angle at time 0.").by_default("0"),
             number("offset", k_any_number, k_unit_of_use).about("Value that it swings about.").by_default("0")}};
const KeyTable k_points{
    .keys = {required(numbers("time", 0, "s")).about("Times, increasing."),
             required(numbers("value", 0, k_unit_of_use))
                 .about("As many values: linear in between, held before the first and after the last.")}};
const KeyTable k_table{
    .keys = {required(text("file"))
                 .about("CSV file with a line of names and a column `time` [s], relative to the file that names it."),
             required(text("column")).about("Name of the column with the values."),
             boolean("hold")
                 .about("`true`: each value holds until the next time; `false`: as `interpolation` says.")
                 .by_default("false"),
             choice("interpolation", {"linear", "hold", "spline"})
                 .about("Between two times: a straight line, the value before, or the natural cubic spline through all "
                        "rows, which is twice differentiable.")
                 .by_default("linear")},
    .rules = {{KeyRule::Kind::at_most_one, {"hold", "interpolation"}}}};
const KeyTable k_cubic{
    .keys = {required(number("start", k_any_number, "s")).about("When the way begins."),
             required(number("end", k_any_number, "s")).about("When it ends, after `start`."),
             number("from", k_any_number, k_unit_of_use).about("Value up to `start`.").by_default("0"),
             required(number("to", k_any_number, k_unit_of_use)).about("Value from `end` on.")}};
const KeyTable k_quintic = k_cubic, k_minimum_jerk = k_cubic;  // each kind has its own
const KeyTable k_spline{.keys = {required(numbers("time", 0, "s")).about("Times, increasing."),
                                 required(numbers("value", 0, k_unit_of_use))
                                     .about("As many values, held before the first and after the last.")}};
const KeyTable k_steps{.keys = {required(numbers("times", 0, "s")).about("When the value jumps, increasing."),
                                required(numbers("values", 0, k_unit_of_use))
                                    .about("One value more: that before the first time, and from each time on.")}};

using Keys = KeyReader<double>;

std::optional<Signal> read_step(const Keys& at) {
  return Signal::step(at.number("time"), at.number("before"), at.number("after"));
}
std::optional<Signal> read_ramp(const Keys& at) {
  return Signal::ramp(at.number("start"), at.number("end"), at.number("from"), at.number("to"));
}
std::optional<Signal> read_sine(const Keys& at) {
  return Signal::sine(at.number("amplitude"), at.number("frequency"), at.number("phase"), at.number("offset"));
}
std::optional<Signal> read_points(const Keys& at) { return Signal::points(at.numbers("time"), at.numbers("value")); }
std::optional<Signal> read_cubic(const Keys& at) {
  return Signal::cubic(at.number("start"), at.number("end"), at.number("from"), at.number("to"));
}
std::optional<Signal> read_quintic(const Keys& at) {
  return Signal::quintic(at.number("start"), at.number("end"), at.number("from"), at.number("to"));
}
std::optional<Signal> read_minimum_jerk(const Keys& at) {
  return Signal::minimum_jerk(at.number("start"), at.number("end"), at.number("from"), at.number("to"));
}
std::optional<Signal> read_spline(const Keys& at) { return Signal::spline(at.numbers("time"), at.numbers("value")); }
std::optional<Signal> read_steps(const Keys& at) { return Signal::steps(at.numbers("times"), at.numbers("values")); }
std::optional<Signal> read_table(const Keys& at) {
  const auto column = at.map().text("column");
  const bool hold = at.boolean("hold") || at.text("interpolation") == "hold";
  if (at.map().has("hold") && at.map().has("interpolation")) {
    at.map().fail("interpolation", "it beside hold", "one of the two");
  }
  const auto file = at.file("file", "a CSV table");
  if (!file || !column) return std::nullopt;
  const CsvColumn table = read_csv_columns(*file, {*column}).front();
  if (at.text("interpolation") == "spline") return Signal::spline(table.times, table.values);
  return Signal::table(table.times, table.values, hold);
}

}  // namespace

template <>
KindList<SignalKind>& kinds() {
  static KindList<SignalKind> k_kinds(
      "signal",
      {
          {"step", &k_step, "Jumps once.", "{type: step, time: 1, before: 0, after: 5}", read_step},
          {"ramp", &k_ramp, "Changes linearly between two times and is constant outside them.",
           "{type: ramp, start: 0.5, end: 1.5, from: 0, to: 2}", read_ramp},
          {"sine", &k_sine, "offset + amplitude sin(2 pi frequency t + phase).",
           "{type: sine, amplitude: 0.5, frequency: 2, phase: 0, offset: 1}", read_sine},
          {"points", &k_points, "Passes through given points.", "{type: points, time: [0, 1, 3], value: [0, 2, 1]}",
           read_points},
          {"table", &k_table, "Comes from a column of a CSV file.",
           "{type: table, file: torques.csv, column: shoulder, hold: false}", read_table},
          {"cubic", &k_cubic, "From rest to rest: 3 s^2 - 2 s^3 of the way, s = (t - start)/(end - start).",
           "{type: cubic, start: 0, end: 3, from: 0, to: 1.57}", read_cubic},
          {"quintic", &k_quintic,
           "From rest to rest without a jump of acceleration: 10 s^3 - 15 s^4 + 6 s^5 of the way.",
           "{type: quintic, start: 0, end: 3, from: 0, to: 1.57}", read_quintic},
          {"minimum_jerk", &k_minimum_jerk,
           "From rest to rest with the least integral of the jerk's square, which is the quintic way.",
           "{type: minimum_jerk, start: 0.5, end: 2, from: 0.1, to: -0.2}", read_minimum_jerk},
          {"spline", &k_spline, "Passes through given points, twice differentiable: the natural cubic spline.",
           "{type: spline, time: [0, 1, 3], value: [0, 2, 1]}", read_spline},
          {"steps", &k_steps, "Jumps from value to value.", "{type: steps, times: [1, 2.5], values: [0, 0.4, -0.1]}",
           read_steps},
      });
  return k_kinds;
}

void register_kind(SignalKind kind) { kinds<SignalKind>().add(std::move(kind)); }

const KeyVariants k_signal_variants{
    .name = "signal", .selector = "type", .registered = registered_variants<SignalKind>};

}  // namespace cuttle
