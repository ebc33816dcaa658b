#include "simulation/bristle_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cuttle/algorithms/kinematics.h"
#include "cuttle/algorithms/state_layout.h"

namespace cuttle {
namespace {

constexpr long k_each = 32;                 // steps
constexpr double k_part_that_counts = 0.1;  // of what presses
constexpr double k_safety = 0.4;            // of the step that is advised: what hops is deeper

/// Longest bristle of a site, by how deep it is pressed in: of a point 2/3 of that of a line or an area.
double longest_bristle(const SiteObservation& site, double coefficient) {
  const bool is_point = site.pressure == site.normal_force;  // others have a weight
  return coefficient * -site.gap / ((is_point ? 1.5 : 1.0) * std::max(0.8, 2.2 * coefficient * coefficient));
}

double largest_coefficient(const ContactFriction& friction) {
  return friction.static_ratio * std::max({friction.forward, friction.backward, friction.sideways});
}

}  // namespace

BristleWatch::BristleWatch(const Model& model, double stable) : model_(model), stable_(stable), data_(model) {
  bool rubs = false;
  for (const auto& law : model.site_laws()) {
    const auto& contacts = model.robot().contacts;
    const auto found =
        std::find_if(contacts.begin(), contacts.end(), [&](const Contact& c) { return c.name == law->name(); });
    coefficients_.push_back(found != contacts.end() && law->state_count() > 0 ? largest_coefficient(found->friction)
                                                                              : 0.0);
    rubs = rubs || coefficients_.back() > 0.0;
  }
  seen_.resize(coefficients_.size());
  if (rubs) sites_.emplace(model);
}

void BristleWatch::look(double h, const State& state) {
  if (!sites_) return;
  ++steps_;
  if (steps_ % k_each != 0 && (steps_ & (steps_ - 1)) != 0) return;  // powers of two: for a run that touches briefly
  longest_ = std::max(longest_, h);
  VectorXd q = state.q;
  normalize<double>(model_, q);
  sites_->take(forward_kinematics<double>(model_, data_, q, state.v), state.time,
               state.auxiliary.tail(sites_->state_count()));
  for (const int i : sites_->active()) {
    const SitePlace& place = sites_->places()[static_cast<std::size_t>(i)];
    const double mu = coefficients_[static_cast<std::size_t>(place.law)];
    if (!(mu > 0.0)) continue;
    const SiteObservation site = sites_->observe(place);
    Seen& seen = seen_[static_cast<std::size_t>(place.law)];
    seen.pressed += site.normal_force;
    if (site.touch != SiteObservation::Touch::slips) continue;
    // one that follows is on the cone; one that hops is longer, as its depth says
    const double bent = sites_->states().segment(place.state, 3).norm();
    const double reach = std::min(bent, longest_bristle(site, mu)), way = h * site.slip;
    if (!(way > stable_ * reach)) continue;
    seen.loose += site.normal_force;
    seen.way += site.normal_force * way, seen.reach += site.normal_force * reach;
    seen.step += site.normal_force * stable_ * reach / site.slip;
  }
}

std::optional<std::string> BristleWatch::warning() const {
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    const Seen& seen = seen_[i];
    if (!(seen.loose > k_part_that_counts * seen.pressed)) continue;
    return fmt::format(
        "contact '{}': steps of {:.3g} s are too long for its friction: surfaces slide {:.2g} mm in one, and friction "
        "builds up within {:.2g} mm, so it is not that of the coefficient (for {:.0f} % of the force that presses): "
        "take steps below {:.2g} s, an implicit method as generalized_alpha, or a smaller modulus",
        model_.site_laws()[i]->name(), longest_, 1e3 * seen.way / seen.loose, 1e3 * seen.reach / seen.loose,
        100.0 * seen.loose / seen.pressed, k_safety * seen.step / seen.loose);
  }
  return std::nullopt;
}

}  // namespace cuttle
