// The controllers of scenario files.
#include "io/kinds/controller_keys.h"
#include "io/kinds/kind_list.h"
#include "io/robot/part_readers.h"
#include "io/scenario/scenario_tables.h"

namespace cuttle {

using namespace key;

namespace {

constexpr const char* k_kp = "K_P, of the error of each coordinate: a number, one a coordinate, or a matrix by rows.";
constexpr const char* k_kd = "K_D, of its rate, likewise.";

const KeyTable k_computed_torque{
    .keys = controller_keys(ControlKeys::configuration, {reference_key(), gain_key("kp", k_kp), gain_key("kd", k_kd)})};
const KeyTable k_partial_feedback_linearization{
    .keys = controller_keys(ControlKeys::inputs, {reference_key(), gain_key("kp", k_kp), gain_key("kd", k_kd)})};
const KeyTable k_pd_with_cancellation = k_computed_torque, k_pd_plus = k_computed_torque;
const KeyTable k_pid{
    .keys = controller_keys(ControlKeys::inputs, {reference_key(), gain_key("kp", k_kp), gain_key("kd", k_kd),
                                                  gain_key("ki",
                                                           "K_I, of its integral since the window began, likewise; "
                                                           "integrals stop while a limit holds the output.")})};
const KeyTable k_feed_forward{
    .keys = controller_keys(
        ControlKeys::configuration,
        {other("inputs", "a list of names, or a mapping from names of inputs to signals",
               {names(""), named(signal("", k_unit_of_use))})
             .about("Inputs that it drives: names of actuators or of single inputs of them, or the [signals](#signal) "
                    "that they follow, by such names.")
             .if_missing("all of actuators"),
         [] {
           Key key = reference_key();
           key.required = false;
           return key.if_missing("none: `inputs` has signals");
         }()})};

using Maker = std::shared_ptr<const Controller> (*)(ControlSettings);
template <Maker Make>
std::shared_ptr<const Controller> read_law(const KeyReader<double>& part) {
  return Make(read_control_settings(part));
}

std::shared_ptr<const Controller> read_feed_forward(const KeyReader<double>& part) {
  ControlSettings settings = read_control_settings(part);
  const auto inputs = part.map().at("inputs");
  const Key& rule = part.map().rule("inputs");
  const bool signals = inputs && inputs->kind() == YamlNode::Kind::map;
  if (signals == part.has("reference")) {
    part.map().cursor().fail(
        signals ? "`reference` and signals in `inputs`" : "neither `reference` nor signals in `inputs`", "one of them");
    return nullptr;
  }
  if (signals) {
    for (const auto& [name, value] : inputs->named_items(rule.expected())) {
      settings.inputs.push_back(name);
      settings.feed_inputs.push_back(read_signal(value, rule.forms[1].forms[0], part.files()).value_or(Signal()));
    }
  } else if (inputs) {
    settings.inputs = inputs->names(rule.forms[0]).value_or(std::vector<std::string>());
  }
  return make_feed_forward(std::move(settings));
}

}  // namespace

template <>
KindList<ControllerKind>& kinds() {
  static KindList<ControllerKind> k_kinds(
      "controller",
      {{"computed_torque", &k_computed_torque,
        "Coordinates of links follow their references: a = a_d + K_D e' + K_P e exactly, whatever else acts.",
        "{name: arm, type: computed_torque, inputs: [motor], reference: [{type: cubic, start: 0, end: 3, from: 0, to: "
        "1.57}], kp: 100, kd: 20}",
        read_law<make_computed_torque>},
       {"partial_feedback_linearization", &k_partial_feedback_linearization,
        "Actuation coordinates of its inputs follow their references, y'' = y_d'' + K_D e' + K_P e exactly; all else "
        "moves as it "
        "will.",
        "{name: arm, type: partial_feedback_linearization, inputs: [motor], window: [0, 3], reference: [0.5], kp: "
        "100, kd: 10}",
        read_law<make_partial_feedback_linearization>},
       {"pd_with_cancellation", &k_pd_with_cancellation,
        "nu = K_P e - K_D v + g(q) + s(q, 0): a spring to the reference, without weight and elasticity.",
        "{name: hold, type: pd_with_cancellation, links: [shoulder], reference: [0.5], kp: 2, kd: 0.1}",
        read_law<make_pd_with_cancellation>},
       {"pd_plus", &k_pd_plus,
        "nu = K_P e - K_D v + g(q_d) + s(q_d, 0): a spring to the reference, and what holds the robot there.",
        "{name: hold, type: pd_plus, links: [shoulder], reference: [0.5], kp: [2], kd: 0.1, rate: "
        "1000, delay: "
        "0.002}",
        read_law<make_pd_plus>},
       {"pid", &k_pid, "u = K_P e + K_D e' + K_I int e on the actuation coordinates of its inputs.",
        "{name: servo, type: pid, inputs: [motor], reference: [{type: step, time: 1, after: 0.4}], kp: 20, kd: 2, ki: "
        "5, limits: {lower: "
        "-3, upper: 3}}",
        read_law<make_pid>},
       {"feed_forward", &k_feed_forward,
        "nu = ID(q_d, v_d, a_d), inverse dynamics of the reference; or inputs that are signals.",
        "{name: push, type: feed_forward, inputs: {motor: {type: sine, amplitude: 2, frequency: 1}}, window: [1, 4]}",
        read_feed_forward}});
  return k_kinds;
}

void register_kind(ControllerKind kind) { kinds<ControllerKind>().add(std::move(kind)); }

const KeyVariants k_controller_variants{
    .name = "controller", .selector = "type", .registered = registered_variants<ControllerKind>};

}  // namespace cuttle
