#include "cuttle/algorithms/contact_overlap.h"

#include <fmt/format.h>

#include <map>

#include "cuttle/algorithms/kinematics.h"
#include "cuttle/algorithms/sites.h"
#include "cuttle/model/model.h"

namespace cuttle {
namespace {

constexpr double k_warned_part = 0.01;  // of the thinner side

}  // namespace

Diagnostic ContactOverlap::diagnostic() const {
  const std::string most = is_too_deep() ? "half" : "1 %";
  return Diagnostic(
      {"contacts", contact}, fmt::format("{} {:.3g} mm deep in {} at the start", a, 1e3 * depth, b),
      fmt::format("at most {} of {:.3g} mm, the thickness of the thinner one", most, 1e3 * 2.0 * allowed));
}

std::vector<ContactOverlap> contact_overlaps(const Model& model, Data& data, VectorInT<double> q, double time) {
  std::vector<ContactOverlap> found;
  if (model.site_laws().empty()) return found;
  Sites sites(model);
  const VectorXd still = VectorXd::Zero(model.nv());
  sites.take(forward_kinematics<double>(model, data, q, still), time, VectorXd::Zero(sites.state_count()));
  std::map<std::array<std::string, 3>, std::size_t> known;  // of the pairs
  for (const SitePlace& place : sites.places()) {
    const SiteLaw& law = sites.law(place);
    const double depth = -sites.observe(place).gap, allowed = law.deepest(place.site);
    if (!(depth > 2.0 * k_warned_part * allowed)) continue;
    const auto& [a, b] =
        law.pairs().at(static_cast<std::size_t>(law.sites()[static_cast<std::size_t>(place.site)].pair));
    const auto [entry, is_new] = known.try_emplace({law.name(), a, b}, found.size());
    if (is_new) {
      ContactOverlap overlap{0, a, b, depth, allowed};
      const auto& contacts = model.robot().contacts;
      while (overlap.contact + 1 < contacts.size() && contacts[overlap.contact].name != law.name()) ++overlap.contact;
      found.push_back(overlap);
    } else if (ContactOverlap& overlap = found[entry->second]; depth / allowed > overlap.depth / overlap.allowed) {
      overlap.depth = depth, overlap.allowed = allowed;
    }
  }
  return found;
}

}  // namespace cuttle
