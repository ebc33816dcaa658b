#include "model/rod_path.h"

#include <algorithm>
#include <cmath>

#include "bodies/rod/rod_discretization.h"
#include "cuttle/bodies/slender.h"
#include "cuttle/error.h"
#include "spatial/number_text.h"

namespace cuttle {
namespace {

template <typename S>
PortLocationT<S> port_at(const S& s, const S& length) {
  if (identical(s, S(0.0))) return PortLocationT<S>::base();
  return identical(s, length) ? PortLocationT<S>::tip() : PortLocationT<S>::section(s);
}

template <typename S>
bool less(const S& a, const S& b) {
  return any(a < b);
}

}  // namespace

template <typename S>
PathPoint<S> path_point(const RoutingT<S>& entry, const S& x, int interval) {
  const S zero(0.0);
  if (entry.helix) {
    const S turn = constant<S>(2 * std::acos(-1.0L)) * entry.helix->turns;
    const S& radius = entry.helix->radius;
    S sine, cosine;
    sincos(entry.helix->phase + turn * x, sine, cosine);
    const Vector3T<S> offset{radius * cosine, radius * sine, zero};
    return {offset, {-(radius * turn * sine), radius * turn * cosine, zero}, -(turn * turn) * offset};
  }
  const Vector3T<S> straight{zero, zero, zero};
  const int count = static_cast<int>(entry.offset.size());
  if (count == 1) return {{entry.offset[0][0], entry.offset[0][1], zero}, straight, straight};
  const auto &a = entry.offset[interval], &b = entry.offset[interval + 1];
  const S per_way(count - 1.0), local = x * per_way - S(interval * 1.0);
  const S dx = b[0] - a[0], dy = b[1] - a[1];
  return {{a[0] + local * dx, a[1] + local * dy, zero}, {per_way * dx, per_way * dy, zero}, straight};
}

template <typename S>
PathEnds<S> path_ends(const RoutingT<S>& entry) {
  const int last = std::max(0, static_cast<int>(entry.offset.size()) - 2);
  return {path_point(entry, S(0.0), 0).offset, path_point(entry, S(1.0), last).offset};
}

template <typename S>
Vector3T<S> path_offset(const RoutingT<S>& entry, double fraction) {
  const int intervals = std::max(1, static_cast<int>(entry.offset.size()) - 1);
  const int interval = std::clamp(static_cast<int>(std::floor(fraction * intervals)), 0, intervals - 1);
  return path_point(entry, S(fraction), interval).offset;
}

template <typename S>
PortLocationT<S> path_start(const RoutingT<S>& entry, const S& length) {
  return port_at(entry.from ? *entry.from : S(0.0), length);
}
template <typename S>
PortLocationT<S> path_end(const RoutingT<S>& entry, const S& length) {
  return port_at(entry.to ? *entry.to : length, length);
}

template <typename S>
std::vector<PathPiece<S>> path_pieces(const SlenderT<S>& line, const RoutingT<S>& entry) {
  const S from = entry.from ? *entry.from : S(0.0), to = entry.to ? *entry.to : line.length();
  const S low = less(from, to) ? from : to, high = less(from, to) ? to : from;
  const int intervals = std::max(1, static_cast<int>(entry.offset.size()) - 1);

  std::vector<S> cuts;
  for (int i = 1; i < intervals; ++i) cuts.push_back(from + S(i / static_cast<double>(intervals)) * (to - from));
  const std::vector<S> breaks = line.strain_breaks();
  std::copy_if(breaks.begin(), breaks.end(), std::back_inserter(cuts),
               [&](const S& s) { return less(low, s) && less(s, high); });
  std::sort(cuts.begin(), cuts.end(), less<S>);
  cuts.push_back(high);

  std::vector<PathPiece<S>> pieces;
  pieces.reserve(cuts.size());
  S start = low;
  for (const S& end : cuts) {
    if (!less(start, end)) continue;  // several components of the strain break here
    const double middle = scalar_cast<double>((start + S(0.5) * (end - start) - from) / (to - from));
    pieces.push_back({start, end, std::clamp(static_cast<int>(std::floor(middle * intervals)), 0, intervals - 1)});
    start = end;
  }
  return pieces;
}

template <typename S>
TendonArcT<S> path_along(const BodyT<S>& rod, const RoutingT<S>& entry) {
  const SlenderT<S>& line = *rod.slender();
  const S from = entry.from ? *entry.from : S(0.0), to = entry.to ? *entry.to : line.length();

  std::vector<long double> nodes, weights;
  gauss_legendre(line.quadrature_points(), nodes, weights);
  TendonArcT<S> arc;
  arc.nv = rod.coordinate_count();
  std::vector<TwistT<S>> columns(arc.nv);
  for (const PathPiece<S>& piece : path_pieces(line, entry)) {
    const S width = piece.end - piece.start;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const S s = piece.start + width * constant<S>(nodes[i]);
      const PathPoint<S> point = path_point(entry, (s - from) / (to - from), piece.interval);
      const Vector3T<S>& D = point.offset;
      Vector3T<S> rest = S(1.0) / (to - from) * point.slope;
      // strain moves the tendon's tangent: curvature by its cross product with D, stretch and shear as they are
      const auto tangent = [&D](const TwistT<S>& strain) { return cross(strain.angular, D) + strain.linear; };
      TwistT<S> strain;
      line.strain_map(s, strain, columns.data());
      rest += tangent(strain);
      for (const TwistT<S>& column : columns) arc.shape.push_back(tangent(column));
      arc.rest.push_back(rest);
      arc.weights.push_back(width * constant<S>(weights[i]));
    }
  }
  return arc;
}

template <typename S>
void check_path(const RoutingT<S>& entry, const S& length) {
  const auto check_place = [&](const char* key, const std::optional<S>& s) {
    if (!s || (!any(*s < S(0.0)) && !any(*s > length))) return;
    throw ModelError(key, number_text(*s), "0 <= s <= " + number_text(length) + " [m]");
  };
  check_place("from", entry.from);
  check_place("to", entry.to);
  const S from = entry.from ? *entry.from : S(0.0), to = entry.to ? *entry.to : length;
  if (!any(from < to) && !any(to < from)) {
    throw ModelError("to", number_text(to) + ", the same as from", "a stretch of some length [m]");
  }
  if (entry.offset.empty() == !entry.helix.has_value()) {
    throw ModelError("offset", entry.helix ? "numbers and a helix" : "nothing",
                     entry.helix ? "one of the two" : "[x, y], a list of them or a helix");
  }
  if (entry.helix && !any(entry.helix->radius > S(0.0))) {
    throw ModelError("offset.helix.radius", number_text(entry.helix->radius), "a number > 0 [m]");
  }
}

// NOLINTBEGIN(bugprone-macro-parentheses): a type cannot stand in parentheses
#define CUTTLE_INSTANTIATE(S)                                                             \
  template PathPoint<S> path_point(const RoutingT<S>&, const S&, int);                    \
  template std::vector<PathPiece<S>> path_pieces(const SlenderT<S>&, const RoutingT<S>&); \
  template PathEnds<S> path_ends(const RoutingT<S>&);                                     \
  template Vector3T<S> path_offset(const RoutingT<S>&, double);                           \
  template PortLocationT<S> path_start(const RoutingT<S>&, const S&);                     \
  template PortLocationT<S> path_end(const RoutingT<S>&, const S&);                       \
  template TendonArcT<S> path_along(const BodyT<S>&, const RoutingT<S>&);                 \
  template void check_path(const RoutingT<S>&, const S&);
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace cuttle
