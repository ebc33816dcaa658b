#include "elements/tendon_turns.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "cuttle/bodies/slender.h"
#include "cuttle/spatial/scalars.h"
#include "elements/tendon_panels.h"
#include "model/rod_path.h"
#include "model/transmissions/line.h"

namespace cuttle {
namespace {

constexpr double k_same_place = 1e-9;       // [m]
constexpr double k_same_direction = 1e-12;  // [rad]
constexpr double k_rounded_angle = 1e-3;    // [rad] of a stretch along a rod: what turns less counts as straighter

template <typename S>
class TendonTurnsBinder {
 public:
  TendonTurnsBinder(int first, double coefficient, int refinement, TransmissionBinderT<S>& to)
      : to_(to), coefficient_(coefficient), refinement_(refinement) {
    turns_.transmissions = first;
  }

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
      turned(turns_.rod_turns), turned(turns_.kinks), turned(turns_.corners), turned(turns_.rod_ends);
    }
    // nothing slides behind the last piece
    const auto dropped = [n](auto& list) {
      list.erase(std::remove_if(list.begin(), list.end(), [n](const auto& turn) { return turn.piece >= n; }),
                 list.end());
    };
    dropped(turns_.rod_turns), dropped(turns_.kinks), dropped(turns_.corners), dropped(turns_.rod_ends);
    return std::move(turns_);
  }

 private:
  using Location = PortLocationT<S>;
  using Distance = TendonDistanceT<S>;
  /// The tendon at an end of its way along a rod.
  struct RodTangent {
    AffineVector tangent;  ///< section axes
    S sign;                ///< as RodEnd has it
    Vector3T<S> at_rest;   ///< along the tendon, about as long as its stretch
  };
  /// Where the tendon comes from, and how far that is.
  struct Behind {
    FrameT<S> from;
    Distance distance;
    std::optional<RodTangent> rod = {};  ///< it comes from a rod, and these are that at rest
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
      if (behind_) enter(start, stretches.front().begin);
    }
    for (std::size_t i = 0; i < stretches.size(); ++i) {
      if (i > 0) {
        turns_.kinks.push_back({piece_count(), point_of(stretches[i - 1].points.back()).tangent,
                                point_of(stretches[i].points.front()).tangent});
      }
      add(stretches[i]);
    }
    behind_.reset(), begun_ = true;
    if (is_last) return;
    here_ = place(entry.link, path_end(entry, length), ends.last);
    const RodTangent& end = stretches.back().end;
    behind_ = Behind{moved(here_, -end.at_rest), {-1, length_of(end.at_rest)}, end};
  }

  /// The corner where the tendon comes to a rod.
  void enter(const FrameT<S>& start, const RodTangent& rod) {
    if (behind_->rod) {  // of two rods that are fixed to each other: tangents in the axes of their node
      const auto turned = [&](const RodTangent& one, const FrameT<S>& at) {
        return vectors(one.tangent.first, one.tangent.count, [&](std::size_t c) {
          const Vector3T<S> column = turns_.vectors[one.tangent.at + c];
          return at.node_frame.rotation * (one.sign * column);
        });
      };
      const AffineVector before = turned(*behind_->rod, behind_->from);
      turns_.kinks.push_back({piece_count(), before, turned(rod, start)});
      return;
    }
    if (turns(rod.tangent)) return add_rod_end(rod, behind_->distance, behind_->from, start, S(1.0));
    const FrameT<S> aim = moved(start, rod.at_rest);
    turns_.corners.push_back(
        {piece_count(), behind_->distance, {-1, length_of(rod.at_rest)}, distance(behind_->from, aim)});
  }

  /// Whether the coordinates change the direction of a tangent.
  bool turns(const AffineVector& tangent) const {
    const Vector3T<S>& rest = turns_.vectors[tangent.at];
    for (int k = 1; k <= tangent.count; ++k) {
      const Vector3T<S>& column = turns_.vectors[tangent.at + static_cast<std::size_t>(k)];
      if (any(length_of(cross(rest, column)) > S(k_same_direction) * length_of(column) * length_of(rest))) return true;
    }
    return false;
  }

  /// @param straight  from the place `other` to the section, or from it to there.
  /// @param side  1, or -1 where the tendon leaves the rod.
  void add_rod_end(const RodTangent& rod, const Distance& straight, const FrameT<S>& other, const FrameT<S>& section,
                   const S& side) {
    typename TendonTurnsT<S>::RodEnd end{piece_count(), rod.tangent, rod.sign, straight, {}, length_of(rod.at_rest)};
    for (int axis = 0; axis < 3; ++axis) {
      Vector3T<S> aside{S(0.0), S(0.0), S(0.0)};
      aside[axis] = side * end.arm;
      end.beside[axis] = distance(other, moved(section, aside));
    }
    turns_.rod_ends.push_back(std::move(end));
  }

  using RodPoint = typename TendonTurnsT<S>::RodPoint;
  /// A stretch of a rod on which nothing jumps: points, from start to end in the order of the tendon. Every other one
  /// has a weight, the first and the last among them.
  struct Stretch {
    std::vector<int> points;
    std::vector<S> ways;    ///< between two points with weights [m]
    RodTangent begin, end;  ///< of the first where it starts, of the last where it ends
  };

  std::vector<Stretch> stretches_along(const SlenderT<S>& line, const RoutingT<S>& entry, const LinkBindingT<S>& at) {
    const S from = entry.from ? *entry.from : S(0.0), to = entry.to ? *entry.to : line.length();
    const int first = coordinates(at);
    const TendonPanels<S> panels(line, entry, at.nv, coefficient_, refinement_);
    std::vector<Stretch> stretches;
    for (const PathPiece<S>& piece : path_pieces(line, entry)) {
      const std::vector<S> bounds = panels.bounds(piece);
      Stretch stretch;
      for (std::size_t k = 1; k < bounds.size(); ++k) {
        add_panel(line, entry, piece.interval, bounds[k - 1], bounds[k], first, at.nv, stretch);
      }
      if (any(to < from)) {
        std::reverse(stretch.points.begin(), stretch.points.end());
        std::reverse(stretch.ways.begin(), stretch.ways.end());
      }
      stretches.push_back(std::move(stretch));
    }
    if (any(to < from)) std::reverse(stretches.begin(), stretches.end());
    const auto tangent = [&](int point) {
      const AffineVector& its = point_of(point).tangent;
      return RodTangent{its, any(to < from) ? S(-1.0) : S(1.0), (to - from) * turns_.vectors[its.at]};
    };
    stretches.front().begin = tangent(stretches.front().points.front());
    stretches.back().end = tangent(stretches.back().points.back());
    return stretches;
  }

  /// Adds the points of a panel to a stretch; the first is the last of the panel before.
  void add_panel(const SlenderT<S>& line, const RoutingT<S>& entry, int interval, const S& start, const S& end,
                 int first, int nv, Stretch& stretch) {
    const PanelRule& rule = PanelRule::get();
    const S from = entry.from ? *entry.from : S(0.0), to = entry.to ? *entry.to : line.length();
    const S per_way = S(1.0) / (to - from), width = end - start;
    const S size = any(from < to) ? per_way : -per_way;
    std::vector<TwistT<S>> strain[PanelRule::k_fit];  // [0] being the constant
    for (int i = 0; i < PanelRule::k_fit; ++i) {
      strain[i].resize(static_cast<std::size_t>(nv) + 1);
      line.strain_map(start + width * constant<S>(rule.fit[static_cast<std::size_t>(i)]), strain[i][0],
                      strain[i].data() + 1);
    }
    const auto fitted = [&](const long double* factors, std::size_t column) {
      TwistT<S> sum = TwistT<S>::zero();
      for (int k = 0; k < PanelRule::k_fit; ++k) sum += constant<S>(factors[k]) * strain[k][column];
      return sum;
    };
    for (int i = 0; i < PanelRule::k_places; ++i) {
      const S weight = i % 2 == 0 ? width * constant<S>(rule.weight[i / 2]) : S(0.0);
      if (i % 2 == 0 && i > 0) {
        stretch.ways.push_back(width * constant<S>(rule.place[i] - rule.place[i - 2]));
      } else if (i == 0 && !stretch.points.empty()) {
        point_of(stretch.points.back()).weight += weight;
        continue;
      }
      const S s = start + width * constant<S>(rule.place[i]);
      const PathPoint<S> point = path_point(entry, (s - from) * per_way, interval);
      const Vector3T<S> slope = per_way * point.slope, bend = (per_way * per_way) * point.bend;
      RodPoint p;
      p.weight = weight;
      p.rounding = S(k_rounded_angle) * size;
      // strain moves the tendon's tangent: curvature by its cross product with D, stretch and shear as they are
      p.tangent = vectors(first, nv, [&](std::size_t c) {
        const TwistT<S> xi = fitted(rule.value[i], c);
        const Vector3T<S> change = cross(xi.angular, point.offset) + xi.linear;
        return c == 0 ? change + slope : change;
      });
      p.curvature = vectors(first, nv, [&](std::size_t c) { return fitted(rule.value[i], c).angular; });
      p.bend = vectors(first, nv, [&](std::size_t c) {
        const TwistT<S> by_x = fitted(rule.slope[i], c);
        const Vector3T<S> change = (S(1.0) / width) * (cross(by_x.angular, point.offset) + by_x.linear) +
                                   cross(fitted(rule.value[i], c).angular, slope);
        return c == 0 ? change + bend : change;
      });
      stretch.points.push_back(static_cast<int>(turns_.points.size()));
      turns_.points.push_back(p);
    }
  }

  /// Between two points with weights the tendon turns as Simpson's rule says. All weights are positive, and so is every
  /// angle: friction takes power.
  void add(const Stretch& stretch) {
    for (std::size_t i = 0; i < stretch.points.size(); i += 2) {
      for (std::size_t k = 0; i > 0 && k < 3; ++k) {
        const S share = constant<S>(k == 1 ? 4.0L / 6 : 1.0L / 6);
        turns_.rod_turns.push_back({piece_count(), stretch.points[i - 2 + k], share * stretch.ways[i / 2 - 1]});
      }
      turns_.pieces.push_back({stretch.points[i], -1});
    }
  }
  RodPoint& point_of(int index) { return turns_.points[static_cast<std::size_t>(index)]; }

  void go_straight(const FrameT<S>& next) {
    if (begun_) {
      const Distance way = distance(here_, next);
      if (way.transmission >= 0 || any(way.constant > S(k_same_place))) {
        if (behind_ && behind_->rod && turns(behind_->rod->tangent)) {
          add_rod_end(*behind_->rod, way, next, here_, S(-1.0));
        } else if (behind_) {
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
  double coefficient_;
  int refinement_;
  TendonTurnsT<S> turns_;
  std::map<int, int> coordinates_;  // of rods, by their first velocity coordinate
  std::optional<Behind> behind_;
  FrameT<S> here_;
  bool begun_ = false;
};

}  // namespace

template <typename S>
TendonTurnsT<S> bind_tendon_turns(const std::vector<RoutingT<S>>& routing, bool from_last, int first,
                                  double coefficient, int refinement, TransmissionBinderT<S>& to) {
  TendonTurnsBinder<S> binder(first, coefficient, refinement, to);
  for (std::size_t i = 0; i < routing.size(); ++i) binder.route(routing[i], i + 1 == routing.size());
  return binder.finished(from_last);
}

// NOLINTBEGIN(bugprone-macro-parentheses): a type cannot stand in parentheses
#define CUTTLE_INSTANTIATE(S)                                                                            \
  template TendonTurnsT<S> bind_tendon_turns<S>(const std::vector<RoutingT<S>>&, bool, int, double, int, \
                                                TransmissionBinderT<S>&);
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace cuttle
