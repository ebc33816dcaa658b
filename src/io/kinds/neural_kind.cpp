// Kinematics of a volume by a network.
#include "cuttle/bodies/neural_kinematics.h"
#include "cuttle/error.h"
#include "io/kinds/kind_list.h"
#include "io/robot/neural_reader.h"
#include "io/robot/part_writers.h"
#include "io/robot/volume_so_far.h"

namespace cuttle {

using namespace key;

namespace {

const KeyTable k_neural{
    .keys = {required(text("file")).about("The [network](#networks), in JSON. Its path is relative to this file.")}};

/// The network of a neural body; nothing, with an error, if there is none.
template <typename S>
std::optional<NeuralParametersT<S>> read_network(const KinematicsReader<S>& at) {
  const YamlMap& map = at.map();
  NeuralParametersT<S> network;
  if (at.volume().before != nullptr) {
    network = at.volume().before->template part<NeuralParameters>()->template cast<S>();
  } else {
    const auto file = at.file("file", "a network in JSON");
    if (!file) return std::nullopt;
    try {
      network = read_network_text(file->text, file->path).template cast<S>();
    } catch (const FileError& error) {
      map.cursor().errors().add(error);
      return std::nullopt;
    }
  }
  network.length = at.length();
  return network;
}

template <typename S>
std::shared_ptr<const VolumeKinematicsT<S>> read_neural(const KinematicsReader<S>& at) {
  const auto network = read_network(at);
  return network ? std::make_shared<const NeuralKinematicsT<S>>(*network) : nullptr;
}

void write_neural(const VolumeKinematics& kinematics, MapWriter& map) {
  const auto* neural = dynamic_cast<const NeuralKinematics*>(&kinematics);
  if (neural == nullptr) refuse_to_write("other kinematics of type neural", "NeuralKinematics");
  require_length(neural->parameters().length, map.context());
  map.file("file", ".json", [&] { return network_text(neural->parameters()); });
}

}  // namespace

KinematicsKind neural_kind() {
  return {"neural",
          &k_neural,
          "p = x + w N(x, q) with a network N.",
          "{type: neural, file: body.json}",
          read_neural<double>,
          read_neural<ForwardDual>,
          write_neural};
}

}  // namespace cuttle
