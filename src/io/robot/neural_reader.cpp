#include "io/robot/neural_reader.h"

#include <fmt/format.h>

#include <vector>

#include "cuttle/error.h"
#include "cuttle/io/yaml_cursor.h"
#include "io/yaml/yaml_writer.h"

namespace cuttle {
namespace {

using namespace key;

constexpr Activation k_activations[] = {Activation::tanh, Activation::elu, Activation::relu, Activation::sine,
                                        Activation::identity};
std::vector<std::string> activation_names() {
  std::vector<std::string> names;
  for (const Activation activation : k_activations) names.emplace_back(activation_name(activation));
  return names;
}

const KeyTable k_layer{
    .keys = {required(other("weight", "a list of rows, each a list of numbers", {list(-1, numbers("", 0))})),
             required(numbers("bias", 0)), required(choice("activation", activation_names()))}};
const KeyTable k_network{
    .keys = {required(choice("format", {"cuttle-mlp-1"})), required(number("scale", k_positive, "m")),
             required(choice("base_weight", {"linear", "constant"})), required(maps("layers", k_layer))}};

NeuralLayer read_layer(const YamlMap& map) {
  NeuralLayer layer;
  const auto bias = map.numbers("bias");
  layer.bias = bias.value_or(std::vector<double>());
  const auto name = map.text("activation");
  for (const Activation activation : k_activations) {
    if (name == activation_name(activation)) layer.activation = activation;
  }
  const auto cursor = map.at("weight");
  if (!cursor) return layer;
  const Key& rule = map.rule("weight");
  const auto rows = cursor->items(rule.expected());
  if (bias && bias->size() != rows.size()) {
    map.fail("bias", fmt::format("a list of {}", bias->size()),
             fmt::format("{} numbers, one for each row of weight", rows.size()));
  }
  std::size_t columns = 0;
  for (const YamlCursor& item : rows) {
    const auto row = item.numbers(rule.forms.front().forms.front());
    if (!row) continue;
    if (layer.weight.empty()) columns = row->size();
    if (row->size() != columns) {
      item.fail(fmt::format("a list of {}", row->size()), fmt::format("{} numbers, as in the first row", columns));
    }
    layer.weight.insert(layer.weight.end(), row->begin(), row->end());
  }
  return layer;
}

}  // namespace

/// JSON is YAML: what is wrong has a line and a column, as in every other file.
NeuralParameters read_network_text(const std::string& text, const std::string& path) {
  FileErrors errors;
  const YamlNode tree = parse_yaml(text, path);
  const YamlCursor root(tree, "", errors);
  NeuralParameters network;
  network.length = 1.0;
  if (const auto map = root.map(k_network)) {
    map->text("format");
    network.scale = map->number("scale").value_or(1.0);
    network.linear_weight = map->text("base_weight") != "constant";
    for (const YamlMap& layer : map->maps("layers")) network.layers.push_back(read_layer(layer));
  }
  errors.throw_if_any();
  try {
    NeuralKinematics checked(network);
  } catch (const ModelError& error) {
    root.fail_inside(error.diagnostic());
  }
  errors.throw_if_any();
  return network;
}

std::string network_text(const NeuralParameters& network) {
  const auto list = [](const double* values, std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += (i == 0 ? "" : ", ") + yaml_number(values[i]);
    return "[" + text + "]";
  };
  std::string text =
      fmt::format("{{\"format\": \"cuttle-mlp-1\", \"scale\": {}, \"base_weight\": \"{}\", \"layers\": [",
                  yaml_number(network.scale), network.linear_weight ? "linear" : "constant");
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const NeuralLayer& layer = network.layers[i];
    text += i == 0 ? "\n" : ",\n";
    text += fmt::format("{{\"activation\": \"{}\", \"bias\": {},\n\"weight\": [", activation_name(layer.activation),
                        list(layer.bias.data(), layer.bias.size()));
    for (std::size_t row = 0; row < layer.outputs(); ++row) {
      text += row == 0 ? "" : ",\n";
      text += list(layer.weight.data() + row * layer.inputs(), layer.inputs());
    }
    text += "]}";
  }
  return text + "]}\n";
}

NeuralParameters read_network_file(const std::string& path) {
  return read_network_text(read_text_file(path, "a network in JSON"), path);
}

}  // namespace cuttle
