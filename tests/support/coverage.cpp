#include "support/coverage.h"

#include <iomanip>

#include "support/random_robot.h"

namespace cuttle::test {

void Coverage::add(const PlainRobot& robot) {
  for (const PlainLink& link : robot.links) {
    const std::string body = link.rod                        ? "rod"
                             : link.continuum_joint          ? "continuum joint"
                             : !link.rigid                   ? "none"
                             : link.rigid->inertia[0] == 0.0 ? "point mass"
                                                             : "rigid";
    const std::string port = link.parent.link < 0 ? "robot base" : link.parent.at;
    ++cells_[{link.joint.type, body, port, robot.floating ? "floating" : "fixed"}];
    if (link.continuum_joint) ++bodies_["continuum joint"];
    if (!link.rod) continue;
    if (!link.rod->shorthand.empty()) ++bases_[link.rod->shorthand];
    for (const auto& basis : link.rod->strain) {
      if (basis) ++bases_[basis->basis];
    }
    ++shapes_[link.rod->density ? link.rod->section.shape : "none"];
    if (link.rod->hyperelastic_bend) ++shapes_["(hyperelastic)"];
    if (link.rod->viscosity) ++shapes_["(viscosity)"];
    if (link.rod->damping_time) ++shapes_["(damping_time)"];
    if (link.rod->c1) ++shapes_["(neo_hookean)"];
  }
}

namespace {
const std::vector<std::string> k_bodies{"none", "point mass", "rigid", "rod"};
const std::vector<std::string> k_ports{"robot base", "base", "tip", "s"};
const std::vector<std::string> k_motions{"fixed", "floating"};
}  // namespace

void Coverage::print(std::ostream& out) const {
  out << std::left << std::setw(24) << "joint, body";
  for (const auto& motion : k_motions) {
    for (const auto& port : k_ports) out << std::setw(10) << (motion.substr(0, 2) + ":" + port.substr(0, 6));
  }
  out << '\n';
  for (const auto& joint : all_joints()) {
    for (const auto& body : k_bodies) {
      out << std::setw(24) << (joint + ", " + body);
      for (const auto& motion : k_motions) {
        for (const auto& port : k_ports) {
          const auto found = cells_.find({joint, body, port, motion});
          out << std::setw(10) << (found == cells_.end() ? 0 : found->second);
        }
      }
      out << '\n';
    }
  }
  for (const auto* table : {&bases_, &shapes_, &bodies_}) {
    for (const auto& [name, count] : *table) out << name << ' ' << count << "  ";
    out << '\n';
  }
}

std::vector<std::array<std::string, 3>> Coverage::empty_cells(const std::string& base_motion) const {
  std::vector<std::array<std::string, 3>> empty;
  for (const auto& joint : all_joints()) {
    for (const auto& body : k_bodies) {
      for (const auto& port : k_ports) {
        if (!cells_.contains({joint, body, port, base_motion})) empty.push_back({joint, body, port});
      }
    }
  }
  return empty;
}

std::vector<std::string> Coverage::empty_cells() const {
  std::vector<std::string> empty;
  for (const auto& motion : k_motions) {
    for (const auto& [joint, body, port] : empty_cells(motion)) {
      empty.push_back(joint + " x " + body + " x " + port + " x " + motion);
    }
  }
  if (!bodies_.contains("continuum joint")) empty.push_back("body continuum joint");
  for (const auto& shape : all_shapes()) {
    if (!shapes_.contains(shape)) empty.push_back("section " + shape);
  }
  for (const auto* names : {&all_bases(), &all_shorthands()}) {
    for (const auto& name : *names) {
      if (!bases_.contains(name)) empty.push_back("basis " + name);
    }
  }
  return empty;
}

}  // namespace cuttle::test
