#include "algorithms/worth_of_tendons.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "algorithms/worth_of_bodies.h"
#include "cuttle/model/transmissions/tendon.h"

namespace cuttle {
namespace {

/// As actuation.cpp has it: ends closer than this, relative to the tendon's length, coincide.
constexpr double k_coincident_ends = 1e-12;

/// What is left of b without its part along a unit vector.
Vector3 across(const Vector3& unit, const Vector3& b) { return b - dot(unit, b) * unit; }

}  // namespace

void WorthOfTendons::gather(const ModelT<ForwardDual>& variable, int first, int count) {
  const TransmissionsT<ForwardDual>& t = variable.actuation();
  for (int k = 0; k < count; ++k) {
    for (int input = 0; input < t.count(); ++input) {
      for (int row = 0; row < variable.nv(); ++row) {
        const double slope = t.constant(row, input).derivative[k];
        if (slope != 0.0) constants_.push_back({row, input, first + k, slope});
      }
    }
    for (std::size_t i = 0; i < t.tendons.size(); ++i) {
      const BoundTendonT<ForwardDual>& tendon = t.tendons[i];
      for (std::size_t j = 0; j < tendon.arcs.size(); ++j) {
        ArcSlopes slopes{first + k, {}, {}, {}};
        bool some = false;
        for (const ForwardDual& weight : tendon.arcs[j].weights) {
          slopes.weights.push_back(weight.derivative[k]);
          some = some || slopes.weights.back() != 0.0;
        }
        const auto take = [&](const std::vector<Vector3T<ForwardDual>>& from, std::vector<Vector3>& to) {
          for (const auto& x : from) {
            to.push_back(slope_of(x, k));
            some = some || any(to.back());
          }
        };
        take(tendon.arcs[j].rest, slopes.rest), take(tendon.arcs[j].shape, slopes.shape);
        if (!some) continue;
        const int at = static_cast<int>(i), arc = static_cast<int>(j);
        auto own =
            std::find_if(arcs_.begin(), arcs_.end(), [&](const Arc& a) { return a.tendon == at && a.arc == arc; });
        if (own == arcs_.end()) own = arcs_.insert(arcs_.end(), {at, arc, {}});
        own->numbers.push_back(std::move(slopes));
      }
      // else there are stretches that other numbers have made: of those who follow moved ends
      const bool same = tendon.segments.size() == model_.tendons()[i].segments.size();
      for (std::size_t j = 0; same && j < tendon.segments.size(); ++j) {
        const End end{static_cast<int>(i), static_cast<int>(j), first + k, slope_of(tendon.segments[j].first, k),
                      slope_of(tendon.segments[j].second, k)};
        if (any(end.first) || any(end.second)) ends_.push_back(end);
      }
    }
  }
}

WorthOfTendons::Straight WorthOfTendons::straight(const Along& along, const BoundTendonT<double>& tendon,
                                                  const TendonSegmentT<double>& segment) const {
  Straight s{along.u[tendon.input], {}, {}};
  const int nodes[2] = {segment.first_node, segment.second_node};
  const Vector3* ends[2] = {&segment.first, &segment.second};
  for (int i = 0; i < 2; ++i) {
    const auto node = static_cast<std::size_t>(nodes[i]);
    s.ends[i] = along.workspace.pose[node].act(*ends[i]);
    s.rates[i] = along.twists[node].linear + cross(along.twists[node].angular, s.ends[i]);
  }
  s.find_direction(tendon);
  return s;
}

void WorthOfTendons::Straight::find_direction(const BoundTendonT<double>& tendon) {
  const Vector3 between = ends[1] - ends[0];
  if (tendon.half_square) {
    direction = between, turned = rates[1] - rates[0];
    return;
  }
  const double length = std::sqrt(dot(between, between));
  if (!(length > k_coincident_ends * tendon.rest_length)) return;
  direction = (1.0 / length) * between;
  turned = (1.0 / length) * across(direction, rates[1] - rates[0]);
}

void WorthOfTendons::subtract(const Along& along, double scale, VectorXd& worth) const {
  for (const Constant& c : constants_) {
    worth[c.number] -= scale * c.slope * along.weights[c.row] * along.u[c.input];
  }
  const std::vector<BoundTendonT<double>>& tendons = model_.tendons();
  // a tension does minus its times the rate of the length, of which each point of an arc has weight |rest + shape q|
  for (const Arc& own : arcs_) {
    const BoundTendonT<double>& tendon = tendons[static_cast<std::size_t>(own.tendon)];
    const TendonArcT<double>& arc = tendon.arcs[static_cast<std::size_t>(own.arc)];
    const double tension = scale * along.u[tendon.input];
    for (std::size_t j = 0; j < arc.weights.size(); ++j) {
      const Vector3* shape = arc.shape.data() + j * static_cast<std::size_t>(arc.nv);
      Vector3 tangent = arc.rest[j], rate;
      for (int i = 0; i < arc.nv; ++i) {
        tangent += along.q[arc.q + i] * shape[i], rate += along.weights[arc.v + i] * shape[i];
      }
      const double length = std::sqrt(dot(tangent, tangent));
      if (!(length > 0.0)) continue;
      const Vector3 direction = (1.0 / length) * tangent;
      const double rate_of_length = dot(direction, rate);
      const Vector3 turned = (1.0 / length) * across(direction, rate);
      for (const ArcSlopes& slopes : own.numbers) {
        const Vector3* changes = slopes.shape.data() + j * static_cast<std::size_t>(arc.nv);
        Vector3 of_tangent = slopes.rest[j], of_rate;
        for (int i = 0; i < arc.nv; ++i) {
          of_tangent += along.q[arc.q + i] * changes[i], of_rate += along.weights[arc.v + i] * changes[i];
        }
        worth[slopes.number] += tension * (slopes.weights[j] * rate_of_length +
                                           arc.weights[j] * (dot(direction, of_rate) + dot(turned, of_tangent)));
      }
    }
  }
  for (const End& end : ends_) {
    const BoundTendonT<double>& tendon = tendons[static_cast<std::size_t>(end.tendon)];
    const TendonSegmentT<double>& segment = tendon.segments[static_cast<std::size_t>(end.segment)];
    const Straight s = straight(along, tendon, segment);
    const auto rate_of_length = [&](int node, const Vector3& change) {
      const auto at = static_cast<std::size_t>(node);
      const Vector3 moved = along.workspace.pose[at].rotation * change;
      return dot(s.turned, moved) + dot(s.direction, cross(along.twists[at].angular, moved));
    };
    worth[end.number] +=
        scale * s.tension *
        (rate_of_length(segment.second_node, end.second) - rate_of_length(segment.first_node, end.first));
  }
}

WorthOfTendons::EndWorth WorthOfTendons::worth_of_end(const Straight& s, int end) {
  const double pull = end == 1 ? s.tension : -s.tension;
  const Vector3 &p = s.ends[end], force = pull * s.direction, turned = pull * s.turned;
  // where the node turns, its virtual rate at the end turns with it
  return {{cross(p, turned) + cross(s.rates[end], force), turned}, {cross(p, force), force}};
}

void WorthOfTendons::add_worth_of_nodes(const Along& along, std::vector<Wrench>& by_displacement,
                                        std::vector<Wrench>& by_twist) const {
  for (const auto& tendon : model_.tendons()) {
    for (const auto& segment : tendon.segments) {
      const Straight s = straight(along, tendon, segment);
      const int nodes[2] = {segment.first_node, segment.second_node};
      for (int i = 0; i < 2; ++i) {
        const EndWorth worth = worth_of_end(s, i);
        by_displacement[static_cast<std::size_t>(nodes[i])] += worth.by_displacement;
        by_twist[static_cast<std::size_t>(nodes[i])] += worth.by_twist;
      }
    }
  }
}

std::vector<std::string> ends_given_with(const Model& model, const std::string& path) {
  std::vector<std::string> ends;
  for (const auto& link : model.links()) {
    if (path != "links." + link.name + ".body.length") continue;
    const double length = model.parameter(path).value;
    for (const Actuator& actuator : model.robot().actuators) {
      const auto* tendon = dynamic_cast<const TendonTransmission*>(actuator.transmission.get());
      for (std::size_t i = 0; tendon != nullptr && i < tendon->routing.size(); ++i) {
        const Routing& entry = tendon->routing[i];
        if (entry.link != link.name) continue;
        for (const auto& [end, key] : {std::pair(&entry.from, "from"), std::pair(&entry.to, "to")}) {
          if (!*end || **end != length) continue;
          ends.push_back(fmt::format("actuators.{}.routing[{}].{}", actuator.name, i, key));
        }
      }
    }
  }
  return ends;
}

}  // namespace cuttle
