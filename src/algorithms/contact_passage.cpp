#include "algorithms/contact_passage.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "algorithms/still_sites.h"
#include "cuttle/algorithms/kinematics.h"
#include "spatial/number_text.h"

namespace cuttle {
namespace {

constexpr double k_longest_part = 0.25;        // of a way: coordinates that change evenly bend the ways of points
constexpr double k_shortest_part = 1.0 / 512;  // what wants shorter ones moves too far to be followed

}  // namespace

ContactPassage::ContactPassage(const Model& model, double time)
    : model_(model), time_(time), data_(model), sites_(model), still_(VectorXd::Zero(model.nv())) {
  for (std::size_t i = 0; i < sites_.places().size(); ++i) {
    endless_.push_back(sites_.law(sites_.places()[i]).is_endless(sites_.places()[i].site) ? 1 : 0);
    if (endless_.back() == 0) guarded_.push_back(i);
  }
}

std::array<std::string, 2> ContactPassage::pair(std::size_t place) const {
  const SitePlace& at = sites_.places()[place];
  const SiteLaw& law = sites_.law(at);
  if (law.pairs().empty()) return {"a link", "what it touches"};  // a law of a user's own
  return law.pairs().at(static_cast<std::size_t>(law.sites()[static_cast<std::size_t>(at.site)].pair));
}

std::vector<double> ContactPassage::gaps(const VectorXd& q) {
  sites_.rest(forward_kinematics<double>(model_, data_, q, still_), time_, nullptr);
  std::vector<double> found(sites_.places().size(), std::numeric_limits<double>::infinity());
  for (const int index : sites_.active()) {
    const auto i = static_cast<std::size_t>(index);
    found[i] = sites_.observe(sites_.places()[i]).gap;
  }
  return found;
}

std::string ContactPassage::name(std::size_t place) const {
  const auto [a, b] = pair(place);
  return "contact '" + sites_.law(sites_.places()[place]).name() + "': '" + a + "' passes through '" + b + "'";
}

std::string ContactPassage::deep_at(const VectorXd& q, bool endless_too) {
  const std::vector<double> found = gaps(q);
  std::size_t worst = 0;
  double most = 1.0;  // beside what is allowed
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (endless_[i] != 0 && !endless_too) continue;
    if (sites_.law(sites_.places()[i]).pairs().empty()) continue;  // nobody knows what a user's law means by depth
    const double part = -found[i] / sites_.law(sites_.places()[i]).deepest(sites_.places()[i].site);
    if (part > most) most = part, worst = i;
  }
  if (!(most > 1.0)) return "";
  const auto [a, b] = pair(worst);
  return "contact '" + sites_.law(sites_.places()[worst]).name() + "': '" + a + "' is " + number_text(-found[worst]) +
         " m deep in '" + b + "', which is more than half of what is thinner (" + number_text(-found[worst] / most) +
         " m)";
}

std::string ContactPassage::between(const VectorXd& from, const VectorXd& to) {
  if (guarded_.empty()) return "";
  VectorXd way(model_.nv()), q(model_.nq()), reached = from;
  difference<double>(model_, from, to, way);
  std::vector<double> before = gaps(from);
  for (double done = 0.0; done < 1.0;) {
    const auto& kinematics = forward_kinematics<double>(model_, data_, reached, way);
    sites_.move(kinematics);
    double part = k_longest_part;
    for (const std::size_t i : guarded_) {
      const SitePlace& place = sites_.places()[i];
      StillFrames frames(sites_, place, time_);  // beside an obstacle that stays where it is
      for (int k = 0; k < place.frame_count; ++k) frames.motion[k].velocity += sites_.motion(place)[k].velocity;
      const double longest = sites_.law(place).longest_step(place.site, time_, frames.motion);
      if (longest < k_shortest_part) return name(i);
      part = std::min(part, longest);
    }
    done = done + part < 1.0 - 1e-9 ? done + part : 1.0;
    const VectorXd moved = done * way;
    integrate<double>(model_, from, moved, q);
    reached = done < 1.0 ? q : to;
    const std::vector<double> after = gaps(reached);
    for (const std::size_t i : guarded_) {
      const SitePlace& place = sites_.places()[i];
      if (after[i] < -sites_.law(place).deepest(place.site) && after[i] < before[i]) return name(i);
    }
    before = after;
  }
  return "";
}

double ContactPassage::turn(const VectorXd& from, const VectorXd& to) {
  const std::vector<Pose> before = sites_.frame_poses(forward_kinematics<double>(model_, data_, from, still_));
  const std::vector<Pose> after = sites_.frame_poses(forward_kinematics<double>(model_, data_, to, still_));
  double most = 0.0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const Matrix3 R = before[i].inverse().rotation * after[i].rotation;
    const double cosine = 0.5 * (R.row0.x + R.row1.y + R.row2.z - 1.0);
    most = std::max(most, std::acos(std::clamp(cosine, -1.0, 1.0)));
  }
  return most;
}

}  // namespace cuttle
