// Kinematics of a volume by polynomials of the place.
#include "cuttle/bodies/ritz_kinematics.h"
#include "io/kinds/kind_list.h"
#include "io/robot/part_readers.h"
#include "io/robot/part_writers.h"
#include "io/robot/volume_so_far.h"

namespace cuttle {

using namespace key;

namespace {

const KeyTable k_term_table{
    .name = "term",
    .keys = {required(integers_key("powers", "a list of 3 integers in [0, 50]", from_to(0, 50)))
                 .about("`[i, j, k]`, exponents of x, y and z [m]."),
             required(numbers("vector", 3, k_dimensionless)).about("What x^i y^j z^k multiplies.")},
    .example = "{powers: [0, 0, 2], vector: [1, 0, 0]}"};
const KeyTable k_ritz{.keys = {required(other("modes", "a list of modes, each a list of {powers, vector}",
                                              {list(-1, maps("", k_term_table))}))
                                   .about("The functions phi_k, each a list of [terms](#term) that are added.")}};

template <typename S>
std::vector<RitzModeT<S>> read_ritz_modes(const YamlMap& map) {
  std::vector<RitzModeT<S>> modes;
  const auto cursor = map.at("modes");
  if (!cursor) return modes;
  const Key& rule = map.rule("modes");
  for (const YamlCursor& item : cursor->items(rule.expected())) {
    RitzModeT<S> mode;
    for (const YamlCursor& entry : item.items("a list of {powers, vector}")) {
      const auto term = entry.map(k_term_table);
      if (!term) continue;
      const auto powers = read_integers(*term, "powers");
      const Vector3T<S> vector = read_vector3<S>(*term, "vector");
      if (powers) mode.push_back({*powers, vector});
    }
    modes.push_back(mode);
  }
  return modes;
}

template <typename S>
std::shared_ptr<const VolumeKinematicsT<S>> read_ritz(const KinematicsReader<S>& at) {
  return std::make_shared<const RitzKinematicsT<S>>(read_ritz_modes<S>(at.map()));
}

void write_ritz(const VolumeKinematics& kinematics, MapWriter& map) {
  const auto* ritz = dynamic_cast<const RitzKinematics*>(&kinematics);
  if (ritz == nullptr) refuse_to_write("other kinematics of type ritz", "RitzKinematics");
  std::vector<YamlNode> modes;
  for (const RitzMode& mode : ritz->parameters().modes) {
    std::vector<YamlNode> terms;
    for (const RitzTerm& term : mode) {
      MapWriter entry(map.context());
      const auto& [i, j, k] = term.powers;
      entry.node("powers", list_node({integer_node(i), integer_node(j), integer_node(k)}));
      entry.vector("vector", term.vector);
      terms.push_back(entry.take());
    }
    modes.push_back(list_node(std::move(terms)));
  }
  map.node("modes", list_node(std::move(modes)));
}

}  // namespace

KinematicsKind ritz_kind() {
  return {"ritz",
          &k_ritz,
          "p = x + sum of phi_k(x) q_k with polynomials phi_k.",
          "{type: ritz, modes: [[{powers: [0, 0, 2], vector: [1, 0, 0]}]]}",
          read_ritz<double>,
          read_ritz<ForwardDual>,
          write_ritz};
}

}  // namespace cuttle
