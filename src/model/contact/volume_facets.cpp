#include "model/contact/volume_facets.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "model/contact/surface_edges.h"

namespace cuttle {
namespace {

constexpr double k_kept_volume = 0.2;    // of which a coarser surface may lose or gain as much
constexpr double k_steepest_inset = 10;  // at edges as sharp as a knife
constexpr double k_sharp_inset = 0.27;   // at edges that bound facets that meet them at a corner alone: 30 degrees
constexpr double k_narrow = 10.0;        // of discs over sharp edges
constexpr double k_same_line = 0.98;     // cosine of the angle between lines of cuts that are one
constexpr double k_growth = 1.08;        // of cells, in search of a surface that is coarse enough

std::size_t open_edges(const SurfaceEdges& edges) {
  return static_cast<std::size_t>(std::count_if(edges.begin(), edges.end(), [&](const auto& edge) {
    return edges.find({edge.first.second, edge.first.first}) == edges.end();
  }));
}

struct Bounds {
  Vector3 low{INFINITY, INFINITY, INFINITY}, high{-INFINITY, -INFINITY, -INFINITY};
  void add(const Vector3& x) {
    for (int i = 0; i < 3; ++i) low[i] = std::min(low[i], x[i]), high[i] = std::max(high[i], x[i]);
  }
};

double volume_of(const std::vector<Vector3>& x, const std::vector<SurfaceTriangle>& triangles) {
  double volume = 0.0;
  for (const SurfaceTriangle& t : triangles) volume += dot(x[t[0]], cross(x[t[1]], x[t[2]])) / 6.0;
  return volume;
}

/// A closed surface with the points in each cell taken for one of them; nothing where it would not be one.
std::optional<std::vector<SurfaceTriangle>> coarser(const std::vector<Vector3>& x,
                                                    const std::vector<SurfaceTriangle>& triangles,
                                                    const std::vector<int>& sharp, const Bounds& bounds, double cell,
                                                    std::size_t open) {
  std::array<double, 3> size{};
  for (int i = 0; i < 3; ++i) {
    const double extent = bounds.high[i] - bounds.low[i];
    size[static_cast<std::size_t>(i)] = extent > 0.0 ? extent / std::max(1.0, std::round(extent / cell)) : cell;
  }
  struct Chosen {
    int point, rank;
    double off;
  };
  std::map<std::array<long, 3>, Chosen> cells;
  std::vector<std::array<long, 3>> cell_of(x.size());
  const auto rank = [&](std::size_t i) { return sharp[i] == 0 ? 0 : (sharp[i] == 2 ? 1 : 2); };
  for (const SurfaceTriangle& t : triangles) {
    for (const int corner : t) {
      const auto i = static_cast<std::size_t>(corner);
      Vector3 off;
      for (int k = 0; k < 3; ++k) {
        const double at = (x[i][k] - bounds.low[k]) / size[static_cast<std::size_t>(k)];
        cell_of[i][static_cast<std::size_t>(k)] = std::lround(at - 1e-6);
        off[k] = (at - std::round(at - 1e-6)) * size[static_cast<std::size_t>(k)];
      }
      const Chosen one{corner, rank(i), norm(off)};
      const auto [place, is_new] = cells.try_emplace(cell_of[i], one);
      Chosen& best = place->second;
      if (!is_new && (one.rank > best.rank || (one.rank == best.rank && one.off < best.off - 1e-9 * cell))) best = one;
    }
  }
  std::vector<SurfaceTriangle> result;
  for (const SurfaceTriangle& t : triangles) {
    SurfaceTriangle moved{};
    for (std::size_t k = 0; k < 3; ++k) moved[k] = cells.at(cell_of[static_cast<std::size_t>(t[k])]).point;
    if (moved[0] == moved[1] || moved[1] == moved[2] || moved[2] == moved[0]) continue;
    double longest = 0.0;
    for (std::size_t k = 0; k < 3; ++k) longest = std::max(longest, norm(x[moved[k]] - x[moved[(k + 1) % 3]]));
    if (!(norm(twice_area(x, moved)) > 1e-3 * longest * longest)) return std::nullopt;
    result.push_back(moved);
  }
  const std::optional<SurfaceEdges> edges = surface_edges(result);
  if (!edges || open_edges(*edges) > open) return std::nullopt;
  const double before = volume_of(x, triangles), after = volume_of(x, result);
  if (result.size() < 4 || !(std::abs(after - before) < k_kept_volume * std::abs(before))) return std::nullopt;
  return result;
}

using Insets = std::array<double, 3>;
/// Cotangents of half of the body's angle at the edges of each triangle: from corner k to corner k + 1.
std::vector<Insets> insets_of(const std::vector<Vector3>& x, const std::vector<SurfaceTriangle>& triangles,
                              const SurfaceEdges& edges) {
  std::vector<Insets> insets(triangles.size(), Insets{});
  for (const auto& [edge, triangle] : edges) {
    const auto back = edges.find({edge.second, edge.first});
    if (back == edges.end()) continue;
    const SurfaceTriangle &t = triangles[triangle], &other = triangles[back->second];
    const Vector3 twice = twice_area(x, t), twice_other = twice_area(x, other);
    const Vector3 n = (1.0 / norm(twice)) * twice, m = (1.0 / norm(twice_other)) * twice_other;
    const double steep = norm(cross(n, m)) / std::max(1e-9, 1.0 + dot(n, m));  // of half the angle between normals
    const Vector3 across = (1.0 / 3.0) * (x[other[0]] + x[other[1]] + x[other[2]]) - x[edge.first];
    const std::size_t k = t[0] == edge.first ? 0 : (t[1] == edge.first ? 1 : 2);
    insets[triangle][k] = std::copysign(std::min(steep, k_steepest_inset), -dot(n, across));
  }
  return insets;
}

std::size_t corner_at(const SurfaceTriangle& t, int point) { return t[0] == point ? 0 : (t[1] == point ? 1 : 2); }

/// Cuts of a triangle's edges and, at its corners, of the first sharp edges that one meets about a corner either way.
FacetCuts cuts_of(const std::vector<Vector3>& x, const std::vector<SurfaceTriangle>& triangles,
                  const SurfaceEdges& edges, const std::vector<Insets>& insets, std::size_t index) {
  FacetCuts result;
  const SurfaceTriangle& own = triangles[index];
  const Vector3 twice = twice_area(x, own), n = (1.0 / norm(twice)) * twice;
  const auto narrow = [](double inset) { return std::abs(inset) > k_sharp_inset ? k_narrow : 1.0; };
  for (int k = 0; k < 3; ++k) {
    const double inset = insets[index][static_cast<std::size_t>(k)];
    result.cuts[static_cast<std::size_t>(k)] = {k, 1.0, 0.0, inset, narrow(inset)};
  }
  const auto cut_along = [&](std::size_t corner, const Vector3& way, double inset) {
    const Vector3& from = x[own[corner]];
    const Vector3 e = x[own[(corner + 1) % 3]] - from, f = x[own[(corner + 2) % 3]] - from;
    const double area = dot(cross(e, f), n);
    return FacetCut{static_cast<int>(corner), dot(cross(way, f), n) / area, dot(cross(e, way), n) / area, inset,
                    narrow(inset)};
  };
  const auto add = [&](std::size_t corner, const Vector3& way, double inset) {
    const Vector3& from = x[own[corner]];
    const Vector3 e = x[own[(corner + 1) % 3]] - from, f = x[own[(corner + 2) % 3]] - from;
    const double size = norm(way);
    const FacetCut cut = cut_along(corner, way, inset);
    // the facet is to its left
    if (dot(cross(way, e), n) < -1e-6 * size * norm(e) || dot(cross(way, f), n) < -1e-6 * size * norm(f)) return;
    for (std::size_t i = 0; i < static_cast<std::size_t>(result.count); ++i) {  // the line of another one
      const FacetCut& other = result.cuts[i];
      const auto v = static_cast<std::size_t>(other.corner);
      const Vector3 line =
          other.first * (x[own[(v + 1) % 3]] - x[own[v]]) + other.second * (x[own[(v + 2) % 3]] - x[own[v]]);
      const bool is_near = norm(cross(line, from - x[own[v]])) < 1e-2 * dot(line, line);
      if (is_near && dot(line, way) > k_same_line * norm(line) * size) return;
    }
    if (result.count < FacetCuts::k_most) result.cuts[static_cast<std::size_t>(result.count++)] = cut;
  };
  std::vector<FacetCut> above;
  for (std::size_t corner = 0; corner < 3; ++corner) {
    const int v = own[corner];
    for (const bool forward : {true, false}) {  // across the edge from v, or to v
      std::size_t at = index;
      const bool is_bounded = insets[index][forward ? (corner + 2) % 3 : corner] > k_sharp_inset;
      Vector3 first, last;  // directions of the edges that are crossed, from v
      for (std::size_t steps = 0; steps < triangles.size(); ++steps) {
        const std::size_t here = corner_at(triangles[at], v), edge = forward ? here : (here + 2) % 3;
        const int from = triangles[at][edge], to = triangles[at][(edge + 1) % 3];
        if (insets[at][edge] > k_sharp_inset) {
          if (at != index) add(corner, x[to] - x[from], insets[at][edge]);
          if (steps > 1 && is_bounded) {  // from the sharp edge of this facet to that of another, past others between
            above.push_back(cut_along(corner, forward ? first + last : -(first + last), 0.0));
          }
          break;
        }
        const auto next = edges.find({to, from});
        if (next == edges.end() || static_cast<std::size_t>(next->second) == index) break;
        at = static_cast<std::size_t>(next->second);
        const Vector3 along = x[forward ? to : from] - x[v];
        last = (1.0 / norm(along)) * along;
        if (steps == 0) first = last;
      }
    }
  }
  for (const FacetCut& cut : above) {
    const int to = result.count + result.more;
    if (to < FacetCuts::k_most) result.cuts[static_cast<std::size_t>(to)] = cut, ++result.more;
  }
  return result;
}

/// Halves a list of facets by the longest side of the bounds about their middles, again and again.
void put_neighbors_together(std::vector<VolumeFacets::Facet>& facets, std::size_t begin, std::size_t end) {
  if (end - begin < 2) return;
  Bounds bounds;
  for (std::size_t i = begin; i < end; ++i) bounds.add(facets[i].middle);
  int axis = 0;
  for (int i = 1; i < 3; ++i) {
    if (bounds.high[i] - bounds.low[i] > (bounds.high[axis] - bounds.low[axis]) * (1 + 1e-9)) axis = i;
  }
  const auto at = [&](std::size_t i) { return facets.begin() + static_cast<std::ptrdiff_t>(i); };
  std::stable_sort(at(begin), at(end), [&](const VolumeFacets::Facet& a, const VolumeFacets::Facet& b) {
    return a.middle[axis] < b.middle[axis];
  });
  std::size_t leaves = 1;  // the tree that is made of them has a power of two: its halves are those
  while (leaves < end - begin) leaves *= 2;
  const std::size_t half = begin + leaves / 2;
  put_neighbors_together(facets, begin, half), put_neighbors_together(facets, half, end);
}

/// Where a ray meets a triangle; infinity: nowhere.
double way_to(const std::vector<Vector3>& x, const SurfaceTriangle& t, const Vector3& from, const Vector3& direction) {
  const Vector3 twice = twice_area(x, t);
  const double closing = dot(twice, direction);
  if (!(std::abs(closing) > 1e-12 * norm(twice))) return INFINITY;
  const double way = dot(twice, x[t[0]] - from) / closing;
  const Vector3 at = from + way * direction;
  for (std::size_t k = 0; k < 3; ++k) {
    const Vector3 edge = x[t[(k + 1) % 3]] - x[t[k]];
    if (dot(cross(edge, at - x[t[k]]), twice) < -1e-9 * dot(twice, twice)) return INFINITY;
  }
  return way;
}

}  // namespace

VolumeFacets volume_facets(const BodySurface& surface, double spacing) {
  VolumeFacets result;
  result.points = surface.points;
  const std::vector<Vector3>& x = result.points;
  std::vector<SurfaceTriangle> triangles;
  for (const SurfaceTriangle& t : surface.triangles()) {
    if (norm(twice_area(x, t)) > 0.0) triangles.push_back(t);
  }
  Bounds bounds;
  double whole = 0.0;
  for (const SurfaceTriangle& t : triangles) {
    whole += 0.5 * norm(twice_area(x, t));
    for (const int corner : t) bounds.add(x[corner]);
  }
  if (triangles.empty()) return result;
  result.size = norm(bounds.high - bounds.low);
  std::optional<SurfaceEdges> edges = surface_edges(triangles);
  if (edges && (spacing > 0.0 || triangles.size() > k_most_facets)) {
    const std::vector<int> sharp = sharp_edges(x, triangles, *edges);
    const auto at_cell = [&](double cell) { return coarser(x, triangles, sharp, bounds, cell, open_edges(*edges)); };
    std::optional<std::vector<SurfaceTriangle>> fewer;
    if (spacing > 0.0) {
      fewer = at_cell(spacing);
      if (!fewer) return result;
    } else {  // the first that is coarse enough, else the coarsest
      for (double cell = std::sqrt(whole / k_most_facets); cell < result.size; cell *= k_growth) {
        const auto next = at_cell(cell);
        if (next && (!fewer || next->size() < fewer->size())) fewer = next;
        if (fewer && fewer->size() <= k_most_facets) break;
      }
    }
    if (fewer) triangles = *fewer, edges = surface_edges(triangles);
  }

  if (!edges) edges.emplace();  // of a surface that is none: no facet knows its neighbors
  const std::vector<Insets> insets = insets_of(x, triangles, *edges);
  for (const SurfaceTriangle& t : triangles) {
    VolumeFacets::Facet facet;
    facet.corners = t, facet.middle = (1.0 / 3.0) * (x[t[0]] + x[t[1]] + x[t[2]]);
    const Vector3 twice = twice_area(x, t);
    facet.area = 0.5 * norm(twice);
    double around = 0.0;
    for (std::size_t k = 0; k < 3; ++k) around += norm(x[t[(k + 1) % 3]] - x[t[k]]);
    facet.edge = around / 3.0, facet.inner_radius = 2.0 * facet.area / around;
    facet.cuts = cuts_of(x, triangles, *edges, insets, static_cast<std::size_t>(&t - triangles.data()));
    double way = INFINITY;
    for (const SurfaceTriangle& other : triangles) {
      const double to_other = &other == &t ? INFINITY : way_to(x, other, facet.middle, (-1.0 / norm(twice)) * twice);
      if (to_other > 1e-9 * result.size) way = std::min(way, to_other);
    }
    facet.half = 0.5 * (std::isfinite(way) ? way : result.size);
    result.facets.push_back(facet);
  }
  put_neighbors_together(result.facets, 0, result.facets.size());
  return result;
}

std::vector<double> VolumeFacets::ways() const {
  const std::size_t n = points.size(), count = facets.size();
  std::vector<std::vector<std::pair<int, double>>> beside(n);
  for (const Facet& facet : facets) {
    for (std::size_t k = 0; k < 3; ++k) {
      const int a = facet.corners[k], b = facet.corners[(k + 1) % 3];
      const double length = norm(points[a] - points[b]);
      beside[a].emplace_back(b, length), beside[b].emplace_back(a, length);
    }
  }
  std::vector<double> result(count * count);
  for (std::size_t i = 0; i < count; ++i) {  // Dijkstra's way from all three corners
    std::vector<double> way(n, INFINITY);
    std::vector<std::pair<double, int>> open;
    const auto put = [&](int point, double to) {
      if (!(to < way[point])) return;
      way[point] = to;
      open.emplace_back(-to, point), std::push_heap(open.begin(), open.end());
    };
    for (const int corner : facets[i].corners) put(corner, 0.0);
    while (!open.empty()) {
      std::pop_heap(open.begin(), open.end());
      const auto [minus, point] = open.back();
      open.pop_back();
      if (-minus > way[point]) continue;
      for (const auto& [next, length] : beside[point]) put(next, length - minus);
    }
    for (std::size_t k = 0; k < count; ++k) {
      double least = INFINITY;
      for (const int corner : facets[k].corners) least = std::min(least, way[corner]);
      result[i * count + k] = least;
    }
  }
  return result;
}

}  // namespace cuttle
