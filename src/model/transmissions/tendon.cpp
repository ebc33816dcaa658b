#include "cuttle/model/transmissions/tendon.h"

#include "cuttle/bodies/slender.h"
#include "cuttle/error.h"
#include "cuttle/model/transmission_binder.h"
#include "model/check_numbers.h"
#include "model/rod_path.h"
#include "model/transmissions/line.h"

namespace cuttle {
namespace {

template <typename S>
void check_routing(const RoutingT<S>& entry) {
  if (entry.from) check_number("from", *entry.from);
  if (entry.to) check_number("to", *entry.to);
  for (const auto& xy : entry.offset) check_number("offset", xy[0]), check_number("offset", xy[1]);
  for (const auto& point : entry.points) check_vector("points", point);
  if (!entry.helix) return;
  check_number("offset.helix.radius", entry.helix->radius);
  check_number("offset.helix.phase", entry.helix->phase);
  check_number("offset.helix.turns", entry.helix->turns);
}

/// Asks for the ends of an entry to which something straight is tied.
template <typename S>
void request_ends(const RoutingT<S>& entry, bool first, bool last, PortRequestsT<S>& ports) {
  const BodyT<S>* body = ports.body(entry.link);
  const SlenderT<S>* rod = body != nullptr ? body->slender() : nullptr;
  if (rod != nullptr && entry.points.empty()) {
    const S length = rod->length();
    check_path(entry, length);
    if (first) ports.want(entry.link, path_start(entry, length));
    if (last) ports.want(entry.link, path_end(entry, length));
  } else if (rod == nullptr && !entry.points.empty()) {
    const auto want_point = [&](std::size_t k) {
      at_place({"points", k}, "", [&] { ports.want(entry.link, PortLocationT<S>::at_point(entry.points[k])); });
    };
    if (first) want_point(0);
    if (last) want_point(entry.points.size() - 1);
  }
}

/// Length of the polygon through material points at q = 0.
template <typename S>
S rest_length(const BodyT<S>& body, const std::vector<Vector3T<S>>& points) {
  const std::vector<S> zero(body.coordinate_count(), S(0.0));
  std::vector<Vector3T<S>> position(points.size());
  body.material_points(zero.data(), points.data(), points.size(), {position.data()});
  S length(0.0);
  for (std::size_t i = 1; i < position.size(); ++i) length += length_of(position[i] - position[i - 1]);
  return length;
}

/// Binds a tendon entry by entry.
template <typename S>
class TendonBinder {
 public:
  TendonBinder(TransmissionBinderT<S>& to, Slack slack) : to_(to) {
    tendon_.slack = slack;
    tendon_.rest_length = S(0.0), tendon_.fixed_length = S(0.0);
  }

  void route(const RoutingT<S>& entry, bool is_last) {
    if (entry.link == "base") return along_points(entry, nullptr, is_last);
    const LinkBindingT<S> at = to_.link(entry.link);
    if (at.body != nullptr && at.body->slender() != nullptr) return along_rod(entry, at, is_last);
    along_points(entry, &at, is_last);
  }

  BoundTendonT<S> finished() {
    if (any(tendon_.rest_length > S(0.0))) return std::move(tendon_);
    throw ModelError("routing", "a tendon of length 0", "one between different places");
  }

 private:
  /// @param at  null: the robot's base.
  void along_points(const RoutingT<S>& entry, const LinkBindingT<S>* at, bool is_last) {
    const BodyT<S>* body = at != nullptr ? at->body : nullptr;
    const bool deforms = body != nullptr && body->coordinate_count() > 0;
    if (deforms && !body->has_material_points()) {
      throw ModelError("link", "'" + entry.link + "', a " + at->info->body_type + " body",
                       "a rod, a body with material points or a rigid body");
    }
    if (entry.points.empty() || !entry.offset.empty() || entry.helix || entry.from || entry.to) {
      throw ModelError({}, "no points of '" + entry.link + "', or more than points",
                       "points alone (only rods have offset, from and to)");
    }
    if (!deforms) {
      for (const Vector3T<S>& point : entry.points) go_straight(place(entry.link, Location::base(), point));
      return;
    }
    const auto port = [&](const Vector3T<S>& point) { return place(entry.link, Location::at_point(point), {}); };
    if (begun_) go_straight(port(entry.points.front()));
    if (entry.points.size() > 1) {
      tendon_.rest_length += rest_length(*body, entry.points);
      tendon_.polygons.push_back({at->body_index, at->q, at->v, at->nv, entry.points});
    }
    if (!is_last) last_ = port(entry.points.back());
    begun_ = true;
  }

  void along_rod(const RoutingT<S>& entry, const LinkBindingT<S>& at, bool is_last) {
    if (!entry.points.empty()) {
      throw ModelError("points", "points of '" + entry.link + "', a rod", "offset");
    }
    const S length = at.body->slender()->length();
    const PathEnds<S> ends = path_ends(entry);
    if (begun_) go_straight(place(entry.link, path_start(entry, length), ends.first));
    TendonArcT<S> arc = path_along(*at.body, entry);
    arc.q = at.q, arc.v = at.v;
    for (std::size_t j = 0; j < arc.weights.size(); ++j) tendon_.rest_length += arc.weights[j] * norm(arc.rest[j]);
    tendon_.arcs.push_back(std::move(arc));
    if (!is_last) last_ = place(entry.link, path_end(entry, length), ends.last);
    begun_ = true;
  }

  void go_straight(const FrameT<S>& next) {
    if (begun_) {
      const S length = length_of(to_.rest_position(next) - to_.rest_position(last_));
      tendon_.rest_length += length;
      if (last_.node == next.node) {
        tendon_.fixed_length += length;
      } else {
        tendon_.segments.push_back({last_.node, next.node, last_.node_frame.position, next.node_frame.position});
      }
    }
    last_ = next, begun_ = true;
  }

  using Location = PortLocationT<S>;
  FrameT<S> place(const std::string& link, const Location& at, const Vector3T<S>& offset) {
    return to_.frame({link, at, {Matrix3T<S>::identity(), offset}});
  }

  TransmissionBinderT<S>& to_;
  BoundTendonT<S> tendon_;
  FrameT<S> last_;  // where the routing is so far: the origin of this frame
  bool begun_ = false;
};

}  // namespace

template <typename S>
std::vector<std::string> TendonTransmissionT<S>::links() const {
  std::vector<std::string> links;
  for (const RoutingT<S>& entry : routing) add_once(links, entry.link);
  return links;
}

template <typename S>
void TendonTransmissionT<S>::check() const {
  for (std::size_t i = 0; i < routing.size(); ++i) {
    at_place({"routing", i}, "", [&] { check_routing(routing[i]); });
  }
}

template <typename S>
void TendonTransmissionT<S>::request_ports(PortRequestsT<S>& ports) const {
  for (std::size_t i = 0; i < routing.size(); ++i) {
    at_place({"routing", i}, "", [&] { request_ends(routing[i], i > 0, i + 1 < routing.size(), ports); });
  }
}

template <typename S>
void TendonTransmissionT<S>::bind(TransmissionBinderT<S>& to) const {
  TendonBinder<S> tendon(to, slack);
  for (std::size_t i = 0; i < routing.size(); ++i) {
    at_place({"routing", i}, "", [&] { tendon.route(routing[i], i + 1 == routing.size()); });
  }
  to.add_tendon(tendon.finished());
}

template <typename S>
TransmissionPicture TendonTransmissionT<S>::picture() const {
  TransmissionPicture picture;
  for (const RoutingT<S>& entry : routing) picture.line.emplace_back(entry.template cast<double>());
  return picture;
}

template <typename S>
std::vector<TransmissionDetail> TendonTransmissionT<S>::details(const TransmissionsT<S>& bound, int input) const {
  return line_details(bound, input);
}

template <typename S>
ActuatorT<S> ActuatorT<S>::tendon(std::string name, std::vector<RoutingT<S>> routing, Slack slack) {
  return {std::move(name), std::make_shared<const TendonTransmissionT<S>>(std::move(routing), slack)};
}

const char* slack_name(Slack slack) {
  switch (slack) {
    case Slack::error:
      return "error";
    case Slack::clip:
      return "clip";
    case Slack::allow:
      return "allow";
  }
  return "";
}

// NOLINTBEGIN(bugprone-macro-parentheses): a type cannot stand in parentheses
#define CUTTLE_INSTANTIATE(S)            \
  template class TendonTransmissionT<S>; \
  template ActuatorT<S> ActuatorT<S>::tendon(std::string, std::vector<RoutingT<S>>, Slack);
// NOLINTEND(bugprone-macro-parentheses)
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
