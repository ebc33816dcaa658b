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
Key law_model_key() {
  return other("model", "complete, rigid or {without: [links], parameters: [..]}",
               {choice("", {"complete", "rigid"}), map("", k_law_model_table)})
      .about(
          "What of the robot the law knows: all; all, with every deforming body a rigid one in its rest shape; all but "
          "some links and what hangs on them; or other numbers. Actuators, elements and loads that cannot act on that "
          "are not known either.")
      .by_default("complete");
}
const KeyTable k_partial_feedback_linearization{
    .keys = controller_keys(ControlKeys::inputs,
                            {reference_key(), gain_key("kp", k_kp), gain_key("kd", k_kd), law_model_key()})};
const KeyTable k_pd_with_cancellation = k_computed_torque;
const KeyTable k_pd_plus{.keys = controller_keys(ControlKeys::configuration, {reference_key(), gain_key("kp", k_kp),
                                                                              gain_key("kd", k_kd), law_model_key()})};
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

const KeyTable k_external{
    .keys = controller_keys(
        ControlKeys::inputs,
        {required(other("command", "a list of texts", {list(-1, text(""))}))
             .about("Program, found by PATH, and its arguments; it works in the directory of this file."),
         number("timeout", k_positive, "s")
             .about("For an answer, also for the first one, for which the program must start.")
             .if_missing("10 s")})};

const KeyTable k_adaptive{
    .keys = controller_keys(
        ControlKeys::configuration,
        {reference_key(), gain_key("lambda", "Lambda, how fast errors decay [1/s]: a gain as `kp` of other laws."),
         gain_key("kr", "K, of the sliding velocity r, likewise."),
         gain_key("gamma", "Gamma, how fast estimates move: a number, one a parameter, or a matrix by rows."),
         required(maps("parameters", k_estimated_parameter_table)).about("What it does not know of the robot.")})};
const KeyTable k_operational_space{
    .keys = controller_keys(ControlKeys::inputs,
                            {required(text("frame")).about("LINK.tip, LINK.base, or a [marker](#marker)."),
                             required(map("reference", k_frame_reference_table)).about("Where the frame is to be."),
                             required(numbers("stiffness", 6, "N m/rad, N/m", k_not_negative))
                                 .about("About x, y, z, then along x, y, z of the world."),
                             required(numbers("damping", 6, "N m s/rad, N s/m", k_not_negative))
                                 .about("Likewise; a direction with neither stiffness nor damping is free."),
                             number("nullspace_damping", k_not_negative, "N m s/rad, N s/m")
                                 .about("Of all velocities, as far as that does not disturb the frame.")
                                 .by_default("0")})};
Key weight_key(const char* name, const char* about) {
  Key key = gain_key(name, about);
  key.default_value.clear();
  return required(key);
}
const KeyTable k_lqr{
    .keys = controller_keys(
        ControlKeys::inputs,
        {weight_key("state_weight",
                    "Q, of displacements from the equilibrium and then of velocities: a number, one each, or a "
                    "symmetric matrix by rows."),
         weight_key("input_weight", "R, of the inputs, likewise; positive."),
         map("equilibrium", k_equilibrium_table)
             .about("Where it holds the robot: what the zero configuration leads to, with these inputs.")
             .by_default("{}", "without inputs")})};

using Maker = std::shared_ptr<const Controller> (*)(ControlSettings);
template <Maker Make>
std::shared_ptr<const Controller> read_law(const KeyReader<double>& part) {
  return Make(read_control_settings(part));
}

template <Maker Make>
std::shared_ptr<const Controller> read_law_with_model(const KeyReader<double>& part) {
  ControlSettings settings = read_control_settings(part);
  if (const auto model = part.map().at("model")) {
    const Key& rule = part.map().rule("model");
    if (model->kind() == YamlNode::Kind::map) {
      const auto map = model->map(rule.forms[1]);
      if (map) settings.model.without = map->names("without").value_or(std::vector<std::string>());
      for (const YamlMap& entry : map ? map->maps("parameters") : std::vector<YamlMap>()) {
        const KeyReader<double> parameter(entry, part.files());
        settings.model.parameters.push_back({parameter.text("path"), parameter.number("value")});
      }
    } else {
      const auto choice = model->as_text();
      if (choice != "complete" && choice != "rigid") model->fail(rule.expected());
      settings.model.rigid = choice == "rigid";
    }
  }
  return Make(std::move(settings));
}

std::shared_ptr<const Controller> read_external(const KeyReader<double>& part) {
  ControlSettings settings = read_control_settings(part);
  ExternalProgram& program = settings.external.emplace();
  program.directory = part.files().directory();
  program.timeout = part.optional_number("timeout").value_or(program.timeout);
  const Key& rule = part.map().rule("command");
  if (const auto command = part.map().at("command")) {
    for (const YamlCursor& item : command->items(rule.expected())) {
      program.command.push_back(item.text(rule.forms[0].forms[0]).value_or(""));
    }
  }
  return make_external(std::move(settings));
}

std::shared_ptr<const Controller> read_adaptive(const KeyReader<double>& part) {
  ControlSettings settings = read_control_settings(part);
  settings.lambda = read_gain(part.map(), "lambda"), settings.kr = read_gain(part.map(), "kr");
  settings.gamma = read_gain(part.map(), "gamma");
  for (const YamlMap& map : part.map().maps("parameters")) {
    const KeyReader<double> parameter(map, part.files());
    settings.parameters.push_back(
        {parameter.text("path"), parameter.number("initial"), parameter.number("lower"), parameter.number("upper")});
  }
  return make_adaptive(std::move(settings));
}

std::shared_ptr<const Controller> read_operational_space(const KeyReader<double>& part) {
  ControlSettings settings = read_control_settings(part);
  settings.frame = part.text("frame");
  settings.stiffness = part.numbers("stiffness"), settings.damping = part.numbers("damping");
  settings.nullspace_damping = part.number("nullspace_damping");
  if (const auto map = part.map().map("reference")) {
    const KeyReader<double> reference(*map, part.files());
    const std::array<Signal, 3> position = reference.signals("position");
    settings.reference.assign(position.begin(), position.end());
    if (reference.has("quaternion")) {
      const std::vector<double> q = reference.numbers("quaternion");
      settings.quaternion = {q.at(0), q.at(1), q.at(2), q.at(3)};
    }
  }
  return make_operational_space(std::move(settings));
}

std::shared_ptr<const Controller> read_lqr(const KeyReader<double>& part) {
  ControlSettings settings = read_control_settings(part);
  settings.state_weight = read_gain(part.map(), "state_weight");
  settings.input_weight = read_gain(part.map(), "input_weight");
  const auto map = part.map().map("equilibrium");
  const auto inputs = map ? map->at("inputs") : std::nullopt;
  if (!inputs) return make_lqr(std::move(settings));
  const Key& rule = map->rule("inputs");
  for (const auto& [name, value] : inputs->named_items(rule.expected())) {
    settings.equilibrium[name] = value.number(rule.forms[0].forms[0]).value_or(0.0);
  }
  return make_lqr(std::move(settings));
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
        read_law_with_model<make_partial_feedback_linearization>},
       {"pd_with_cancellation", &k_pd_with_cancellation,
        "nu = K_P e - K_D v + g(q) + s(q, 0): a spring to the reference, without weight and elasticity.",
        "{name: hold, type: pd_with_cancellation, links: [shoulder], reference: [0.5], kp: 2, kd: 0.1}",
        read_law<make_pd_with_cancellation>},
       {"pd_plus", &k_pd_plus,
        "nu = K_P e - K_D v + g(q_d) + s(q_d, 0): a spring to the reference, and what holds the robot there.",
        "{name: hold, type: pd_plus, links: [shoulder], reference: [0.5], kp: [2], kd: 0.1, rate: "
        "1000, delay: "
        "0.002}",
        read_law_with_model<make_pd_plus>},
       {"pid", &k_pid, "u = K_P e + K_D e' + K_I int e on the actuation coordinates of its inputs.",
        "{name: servo, type: pid, inputs: [motor], reference: [{type: step, time: 1, after: 0.4}], kp: 20, kd: 2, ki: "
        "5, limits: {lower: "
        "-3, upper: 3}}",
        read_law<make_pid>},
       {"feed_forward", &k_feed_forward,
        "nu = ID(q_d, v_d, a_d), inverse dynamics of the reference; or inputs that are signals.",
        "{name: push, type: feed_forward, inputs: {motor: {type: sine, amplitude: 2, frequency: 1}}, window: [1, 4]}",
        read_feed_forward},
       {"adaptive", &k_adaptive,
        "Coordinates of links follow their references by a model with parameters that it estimates as it goes: nu = Y "
        "theta - K r.",
        "{name: arm, type: adaptive, links: [shoulder], inputs: [motor], reference: [{type: sine, amplitude: 0.5, "
        "frequency: 0.5}], lambda: 5, kr: 2, gamma: 1, parameters: [{path: links.shoulder.body.mass, initial: 0.5, "
        "lower: "
        "0.1, upper: 2}]}",
        read_adaptive},
       {"operational_space", &k_operational_space,
        "A frame moves like a mass on a spring and damper to its reference, whatever else acts.",
        "{name: hand, type: operational_space, frame: shoulder.tip, reference: {position: [0, 0, 0], quaternion: [1, "
        "0, "
        "0, 0]}, stiffness: [0, 0, 2, 0, 0, 0], damping: [0, 0, 0.3, 0, 0, 0]}",
        read_operational_space},
       {"lqr", &k_lqr,
        "Holds an equilibrium by all coordinates and velocities: u = u_e - K x, optimal for its linearization.",
        "{name: hold, type: lqr, inputs: [motor], state_weight: 1, input_weight: 0.1}", read_lqr},
       {"external", &k_external,
        "A program sets the inputs: at each sample it reads a line of JSON and answers with one.",
        "{name: python, type: external, command: [python3, controller.py], inputs: [motor], rate: 100}",
        read_external}});
  return k_kinds;
}

void register_kind(ControllerKind kind) { kinds<ControllerKind>().add(std::move(kind)); }

const KeyVariants k_controller_variants{
    .name = "controller", .selector = "type", .registered = registered_variants<ControllerKind>};

}  // namespace cuttle
