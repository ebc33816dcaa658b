#include "elements/tendon_turns.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "bodies/rod/rod_discretization.h"
#include "cuttle/bodies/slender.h"
#include "cuttle/spatial/scalars.h"
#include "model/rod_path.h"
#include "model/transmissions/line.h"

namespace cuttle {
namespace {

constexpr int k_points = 6;               // of the quadrature of each piece of a rod on which nothing jumps
constexpr double k_same_place = 1e-9;     // [m]
constexpr double k_rounded_angle = 1e-3;  // [rad] of a stretch along a rod: what turns less counts as straighter

/// Gauss points on [0, 1], and what polynomials through values there have as slopes there and values at both ends.
struct InterpolationPoints {
  std::vector<long double> nodes, weights;
  long double slope[k_points][k_points], first[k_points], last[k_points];  // of the point, by the value
  InterpolationPoints() {
    gauss_legendre(k_points, nodes, weights);
    for (int j = 0; j < k_points; ++j) {
      first[j] = basis(j, 0.0L), last[j] = basis(j, 1.0L);
      for (int i = 0; i < k_points; ++i) slope[i][j] = basis_slope(j, i);
    }
  }

 private:
  long double basis(int j, long double x) const {
    long double value = 1.0L;
    for (int k = 0; k < k_points; ++k) {
      if (k != j) value *= (x - node(k)) / (node(j) - node(k));
    }
    return value;
  }
  long double basis_slope(int j, int i) const {
    long double sum = 0.0L;
    for (int skipped = 0; skipped < k_points; ++skipped) {
      if (skipped == j) continue;
      long double product = 1.0L / (node(j) - node(skipped));
      for (int k = 0; k < k_points; ++k) {
        if (k != j && k != skipped) product *= (node(i) - node(k)) / (node(j) - node(k));
      }
      sum += product;
    }
    return sum;
  }
  long double node(int k) const { return nodes[static_cast<std::size_t>(k)]; }
};

template <typename S>
class TendonTurnsBinder {
 public:
  TendonTurnsBinder(int first, TransmissionBinderT<S>& to) : to_(to) { turns_.transmissions = first; }

  void route(const RoutingT<S>& entry, bool is_last) {
    if (entry.link == "base") return along_frames(entry);
    const LinkBindingT<S> at = to_.link(entry.link);
    if (at.body != nullptr && at.body->slender() != nullptr) return along_rod(entry, at, is_last);
    if (at.body != nullptr && at.body->coordinate_count() > 0) return along_material(entry, at, is_last);
    along_frames(entry);
  }

  TendonTurnsT<S> finished(bool from_last) {
    const int n = piece_count();
    if (from_last) {
      std::reverse(turns_.pieces.begin(), turns_.pieces.end());
      const auto turned = [n](auto& list) {
        for (auto& turn : list) turn.piece = n - turn.piece;
      };
      turned(turns_.rod_turns), turned(turns_.kinks), turned(turns_.corners);
    }
    // nothing slides behind the last piece
    const auto dropped = [n](auto& list) {
      list.erase(std::remove_if(list.begin(), list.end(), [n](const auto& turn) { return turn.piece >= n; }),
                 list.end());
    };
    dropped(turns_.rod_turns), dropped(turns_.kinks), dropped(turns_.corners);
    return std::move(turns_);
  }

 private:
  using Location = PortLocationT<S>;
  using Distance = TendonDistanceT<S>;
  /// Where the tendon comes from, and how far that is.
  struct Behind {
    FrameT<S> from;
    Distance distance;
  };

  void along_frames(const RoutingT<S>& entry) {
    for (const Vector3T<S>& point : entry.points) go_straight(place(entry.link, Location::base(), point));
  }

  void along_material(const RoutingT<S>& entry, const LinkBindingT<S>& at, bool is_last) {
    const auto port = [&](const Vector3T<S>& point) { return place(entry.link, Location::at_point(point), {}); };
    const auto distance = [&](std::size_t a, std::size_t b) {
      BoundTendonT<S> line = empty_line();
      line.polygons.push_back({at.body_index, at.q, at.v, at.nv, {entry.points[a], entry.points[b]}});
      return added(std::move(line));
    };
    if (begun_) go_straight(port(entry.points.front()));
    behind_.reset();
    Distance before;
    for (std::size_t i = 1; i < entry.points.size(); ++i) {
      const Distance next = distance(i - 1, i);
      if (i > 1) turns_.corners.push_back({piece_count(), before, next, distance(i - 2, i)});
      turns_.pieces.push_back({-1, next.transmission});
      before = next;
    }
    if (!is_last) here_ = port(entry.points.back());
    begun_ = true;
  }

  void along_rod(const RoutingT<S>& entry, const LinkBindingT<S>& at, bool is_last) {
    const SlenderT<S>& line = *at.body->slender();
    const S length = line.length();
    const PathEnds<S> ends = path_ends(entry);
    std::vector<Stretch> stretches = stretches_along(line, entry, at);
    if (begun_) {
      const FrameT<S> start = place(entry.link, path_start(entry, length), ends.first);
      go_straight(start);
      if (behind_) {
        const S ahead = length_of(stretches.front().way);
        const FrameT<S> aim = moved(start, stretches.front().way);
        turns_.corners.push_back({piece_count(), behind_->distance, {-1, ahead}, distance(behind_->from, aim)});
      }
    }
    for (std::size_t i = 0; i < stretches.size(); ++i) {
      if (i > 0) turns_.kinks.push_back({piece_count(), stretches[i - 1].last, stretches[i].first});
      add(stretches[i]);
    }
    behind_.reset(), begun_ = true;
    if (is_last) return;
    here_ = place(entry.link, path_end(entry, length), ends.last);
    const Vector3T<S>& way = stretches.back().way;
    behind_ = Behind{moved(here_, -way), {-1, length_of(way)}};
  }

  /// Points along a rod between which nothing jumps, in the order of the tendon.
  struct Stretch {
    std::vector<int> points;
    std::vector<S> way_before;  ///< from the point before, or the start; then to the end [m]
    AffineVector first, last;   ///< tangents at its ends
    Vector3T<S> way;            ///< along the tendon at rest, about as long as the stretch, where it starts
  };

  std::vector<Stretch> stretches_along(const SlenderT<S>& line, const RoutingT<S>& entry, const LinkBindingT<S>& at) {
    static const InterpolationPoints k_at;
    const S from = entry.from ? *entry.from : S(0.0), to = entry.to ? *entry.to : line.length();
    const S sign = any(from < to) ? S(1.0) : S(-1.0), per_way = S(1.0) / (to - from);
    const int first = coordinates(at);
    std::vector<Stretch> stretches;
    for (const PathPiece<S>& piece : path_pieces(line, entry)) {
      const S width = piece.end - piece.start;
      // the strain as polynomials, [0] being the constant
      const auto columns = static_cast<std::size_t>(at.nv) + 1;
      std::vector<TwistT<S>> strain[k_points];
      std::vector<PathPoint<S>> path;
      path.reserve(k_points);
      for (int i = 0; i < k_points; ++i) {
        const S s = piece.start + width * constant<S>(k_at.nodes[static_cast<std::size_t>(i)]);
        strain[i].resize(columns);
        line.strain_map(s, strain[i][0], strain[i].data() + 1);
        PathPoint<S> point = path_point(entry, (s - from) * per_way, piece.interval);
        path.push_back({point.offset, per_way * point.slope, (per_way * per_way) * point.bend});
      }
      const auto combined = [&](const long double* factors, std::size_t column) {
        TwistT<S> sum;
        sum.angular = sum.linear = {S(0.0), S(0.0), S(0.0)};
        for (int k = 0; k < k_points; ++k) {
          const S factor = constant<S>(factors[k]);
          sum.angular += factor * strain[k][column].angular, sum.linear += factor * strain[k][column].linear;
        }
        return sum;
      };
      const auto tangent = [](const TwistT<S>& xi, const PathPoint<S>& point, bool is_constant) {
        const Vector3T<S> change = cross(xi.angular, point.offset) + xi.linear;
        return is_constant ? change + point.slope : change;
      };
      const auto tangent_at_end = [&](const long double* factors, const S& s) {
        PathPoint<S> point = path_point(entry, (s - from) * per_way, piece.interval);
        point.slope = per_way * point.slope;
        return vectors(first, at.nv, [&](std::size_t c) { return tangent(combined(factors, c), point, c == 0); });
      };
      Stretch stretch;
      for (int i = 0; i < k_points; ++i) {
        const PathPoint<S>& point = path[static_cast<std::size_t>(i)];
        typename TendonTurnsT<S>::RodPoint p;
        p.weight = width * constant<S>(k_at.weights[static_cast<std::size_t>(i)]);
        p.rounding = S(k_rounded_angle) * (sign * per_way);
        p.tangent = vectors(first, at.nv, [&](std::size_t c) { return tangent(strain[i][c], point, c == 0); });
        p.curvature = vectors(first, at.nv, [&](std::size_t c) { return strain[i][c].angular; });
        p.bend = vectors(first, at.nv, [&](std::size_t c) {
          const TwistT<S> slope = combined(k_at.slope[i], c);
          const Vector3T<S> change = (S(1.0) / width) * (cross(slope.angular, point.offset) + slope.linear) +
                                     cross(strain[i][c].angular, point.slope);
          return c == 0 ? change + point.bend : change;
        });
        stretch.points.push_back(static_cast<int>(turns_.points.size()));
        turns_.points.push_back(p);
        const long double before = i > 0 ? k_at.nodes[static_cast<std::size_t>(i - 1)] : 0.0L;
        stretch.way_before.push_back(width * constant<S>(k_at.nodes[static_cast<std::size_t>(i)] - before));
      }
      stretch.way_before.push_back(width * constant<S>(1.0L - k_at.nodes.back()));
      stretch.first = tangent_at_end(k_at.first, piece.start);
      stretch.last = tangent_at_end(k_at.last, piece.end);
      if (any(to < from)) {
        std::reverse(stretch.points.begin(), stretch.points.end());
        std::reverse(stretch.way_before.begin(), stretch.way_before.end());
        std::swap(stretch.first, stretch.last);
      }
      stretches.push_back(std::move(stretch));
    }
    if (any(to < from)) std::reverse(stretches.begin(), stretches.end());
    stretches.front().way = (to - from) * turns_.vectors[stretches.front().first.at];
    if (stretches.size() > 1) stretches.back().way = (to - from) * turns_.vectors[stretches.back().last.at];
    return stretches;
  }

  void add(const Stretch& stretch) {
    const auto turn = [&](int point, const S& way) { turns_.rod_turns.push_back({piece_count(), point, way}); };
    for (std::size_t i = 0; i < stretch.points.size(); ++i) {
      if (i == 0) {
        turn(stretch.points[i], stretch.way_before[i]);
      } else {
        turn(stretch.points[i - 1], S(0.5) * stretch.way_before[i]);
        turn(stretch.points[i], S(0.5) * stretch.way_before[i]);
      }
      turns_.pieces.push_back({stretch.points[i], -1});
    }
    turn(stretch.points.back(), stretch.way_before.back());
  }

  void go_straight(const FrameT<S>& next) {
    if (begun_) {
      const Distance way = distance(here_, next);
      if (way.transmission >= 0 || any(way.constant > S(k_same_place))) {
        if (behind_) {
          turns_.corners.push_back({piece_count(), behind_->distance, way, distance(behind_->from, next)});
        }
        if (way.transmission >= 0) turns_.pieces.push_back({-1, way.transmission});
        behind_ = Behind{here_, way};
      }
    }
    here_ = next, begun_ = true;
  }

  Distance distance(const FrameT<S>& a, const FrameT<S>& b) {
    const Vector3T<S>&from = a.node_frame.position, &to = b.node_frame.position;
    if (a.node == b.node) return {-1, length_of(to - from)};
    BoundTendonT<S> line = empty_line();
    line.segments.push_back({a.node, b.node, from, to});
    return added(std::move(line));
  }
  static BoundTendonT<S> empty_line() {
    BoundTendonT<S> line;
    line.slack = Slack::allow;
    line.rest_length = S(0.0), line.fixed_length = S(0.0);  // y is minus the length
    return line;
  }
  Distance added(BoundTendonT<S> line) {
    to_.add_tendon(std::move(line));
    return {turns_.transmissions++, S(0.0)};
  }
  /// The coordinates of a rod: the first of them among the transmissions.
  int coordinates(const LinkBindingT<S>& at) {
    const auto [found, added] = coordinates_.emplace(at.v, turns_.transmissions);
    if (!added) return found->second;
    for (int k = 0; k < at.nv; ++k) to_.add_linear("", S(0.0))[at.v + k] = S(1.0);
    turns_.transmissions += at.nv;
    return found->second;
  }
  template <typename Column>
  AffineVector vectors(int first, int count, const Column& column) {
    const AffineVector result{first, count, turns_.vectors.size()};
    for (std::size_t c = 0; c <= static_cast<std::size_t>(count); ++c) turns_.vectors.push_back(column(c));
    return result;
  }
  int piece_count() const { return static_cast<int>(turns_.pieces.size()); }
  FrameT<S> place(const std::string& link, const Location& at, const Vector3T<S>& offset) {
    return to_.frame({link, at, {Matrix3T<S>::identity(), offset}});
  }
  /// @param way  in the axes of the frame.
  static FrameT<S> moved(const FrameT<S>& frame, const Vector3T<S>& way) {
    return {frame.node, frame.node_frame * PoseT<S>{Matrix3T<S>::identity(), way}};
  }

  TransmissionBinderT<S>& to_;
  TendonTurnsT<S> turns_;
  std::map<int, int> coordinates_;  // of rods, by their first velocity coordinate
  std::optional<Behind> behind_;
  FrameT<S> here_;
  bool begun_ = false;
};

}  // namespace

template <typename S>
TendonTurnsT<S> bind_tendon_turns(const std::vector<RoutingT<S>>& routing, bool from_last, int first,
                                  TransmissionBinderT<S>& to) {
  TendonTurnsBinder<S> binder(first, to);
  for (std::size_t i = 0; i < routing.size(); ++i) binder.route(routing[i], i + 1 == routing.size());
  return binder.finished(from_last);
}

// NOLINTBEGIN(bugprone-macro-parentheses): a type cannot stand in parentheses
#define CUTTLE_INSTANTIATE(S) \
  template TendonTurnsT<S> bind_tendon_turns<S>(const std::vector<RoutingT<S>>&, bool, int, TransmissionBinderT<S>&);
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace cuttle
