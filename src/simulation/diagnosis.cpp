#include "simulation/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cuttle/error.h"

namespace cuttle {
namespace {

constexpr Eigen::Index k_longest_list = 24;  // what a person still reads

std::string list(const VectorXd& x) {
  std::string text = "[";
  for (Eigen::Index i = 0; i < std::min(x.size(), k_longest_list); ++i) {
    text += fmt::format("{}{:.6g}", i > 0 ? ", " : "", x[i]);
  }
  if (x.size() > k_longest_list) text += fmt::format(", .. {} in all", x.size());
  return text + "]";
}

const std::string& link_of_configuration(const Model& model, int index) {
  static const std::string k_base = "base";
  for (const auto& link : model.links()) {
    if (index >= link.q && index < link.q + link.nq) return link.name;
  }
  return k_base;
}

}  // namespace

std::string configuration_label(const Model& model, int index) {
  return fmt::format("{} (link '{}')", model.configuration_info()[index].name, link_of_configuration(model, index));
}

std::string velocity_label(const Model& model, int index) {
  return fmt::format("{} (link '{}')", model.velocity_info()[index].name, model.link_of_velocity(index));
}

void require_finite(const Model& model, const VectorInT<double>& q, const VectorInT<double>& v) {
  if (q.allFinite() && v.allFinite()) return;
  for (Eigen::Index i = 0; i < q.size(); ++i) {
    if (!std::isfinite(q[i])) {
      throw SimulationError(fmt::format("the coordinate {} became {}", configuration_label(model, i), q[i]));
    }
  }
  for (Eigen::Index i = 0; i < v.size(); ++i) {
    if (!std::isfinite(v[i])) {
      throw SimulationError(fmt::format("the velocity of {} became {}", velocity_label(model, i), v[i]));
    }
  }
}

void fail_at(const State& last_good, double time, const std::string& cause) {
  throw SimulationError(fmt::format("t = {:.9g} s: {}; last good state at t = {:.9g} s: q = {}, v = {}", time, cause,
                                    last_good.time, list(last_good.q), list(last_good.v)));
}

void require_not_through(System& system, const State& last_good, double time, const VectorXd& q, const VectorXd& v) {
  const std::string trouble = system.trouble_at(time, q, v);
  if (!trouble.empty()) fail_at(last_good, last_good.time, trouble);
}

}  // namespace cuttle
