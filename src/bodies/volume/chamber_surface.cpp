#include "cuttle/bodies/chamber_surface.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>
#include <utility>

#include "bodies/rod/rod_discretization.h"
#include "cuttle/error.h"
#include "spatial/number_text.h"

namespace cuttle {

namespace {

constexpr long double k_pi = std::numbers::pi_v<long double>;

template <typename S>
void check_positive(const char* key, const S& value) {
  using std::isfinite;
  if (value > S(0.0) && isfinite(value)) return;
  throw ModelError(key, number_text(value), "a number > 0 [m]");
}
void check_count(const char* key, int count) {
  if (count >= 1 && count <= 1000) return;
  throw ModelError(std::string("points.") + key, std::to_string(count), "an integer from 1 to 1000");
}

/// Gauss-Legendre from `from` over `span`.
template <typename S>
struct Rule {
  std::vector<S> nodes, weights;
  Rule(const char* key, int count, const S& from, const S& span) {
    check_count(key, count);
    std::vector<long double> x, w;
    gauss_legendre(count, x, w);
    for (int i = 0; i < count; ++i) {
      nodes.push_back(from + constant<S>(x[i]) * span);
      weights.push_back(constant<S>(w[i]) * span);
    }
  }
};

template <typename S>
struct Polar {
  Vector3T<S> outward, around;  // unit vectors at an angle
  explicit Polar(const S& angle) {
    using std::cos;
    using std::sin;
    const S c = cos(angle), s = sin(angle), zero(0.0);
    outward = {c, s, zero}, around = {-s, c, zero};
  }
  Vector3T<S> at(const S& r, const S& z) const { return {r * outward.x, r * outward.y, z}; }
};

/// Sector of a cylinder as flat faces, for drawings; a full turn has no sides. Normals point out of the cavity.
BodySurface sector_drawing(double length, double radius, double angle, double width) {
  constexpr int k_lengthwise = 20, k_around = 20, k_across = 3;
  BodySurface surface;
  const auto at = [&](double r, double turn, double z) {
    const double a = angle + (turn - 0.5) * width;
    return Vector3{r * std::cos(a), r * std::sin(a), z};
  };
  // a grid of points at (t, s) in [0, 1]^2
  const auto add = [&](int rows, int columns, const auto& point) {
    const int first = static_cast<int>(surface.points.size());
    for (int i = 0; i <= rows; ++i) {
      for (int j = 0; j <= columns; ++j) {
        surface.points.push_back(point(static_cast<double>(i) / rows, static_cast<double>(j) / columns));
      }
    }
    const auto index = [&](int i, int j) { return first + i * (columns + 1) + j; };
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < columns; ++j) {
        surface.faces.push_back({index(i, j), index(i, j + 1), index(i + 1, j + 1), index(i + 1, j)});
      }
    }
  };
  add(k_lengthwise, k_around, [&](double t, double s) { return at(radius, s, t * length); });
  add(k_across, k_around, [&](double t, double s) { return at((1 - t) * radius, s, length); });
  add(k_across, k_around, [&](double t, double s) { return at(t * radius, s, 0.0); });
  if (width < 2 * M_PI - 1e-9) {
    add(k_lengthwise, k_across, [&](double t, double s) { return at(s * radius, 0.0, t * length); });
    add(k_lengthwise, k_across, [&](double t, double s) { return at((1 - s) * radius, 1.0, t * length); });
  }
  return surface;
}

}  // namespace

template <typename S>
ChamberSurfaceT<S> sector_surface(const SectorT<S>& sector, int nz, int nr, int nphi) {
  check_positive("length", sector.length);
  check_positive("radius", sector.radius);
  const S turn = constant<S>(2 * k_pi);
  // 2 pi as a file has it may be above ours in its last digits
  const bool full = std::abs(scalar_cast<double>(sector.width - turn)) < 1e-9;
  if (!(sector.width > S(0.0)) || !(full || sector.width < turn)) {
    throw ModelError("width", number_text(sector.width), "a number in (0, 2 pi] [rad]");
  }
  const S zero(0.0), first = sector.angle - S(0.5) * sector.width, width = full ? turn : sector.width;
  const Rule<S> z("nz", nz, zero, sector.length), r("nr", nr, zero, sector.radius), phi("nphi", nphi, first, width);
  const Vector3T<S> up{zero, zero, S(1.0)};
  ChamberSurfaceT<S> surface;
  surface.drawing = sector_drawing(scalar_cast<double>(sector.length), scalar_cast<double>(sector.radius),
                                   scalar_cast<double>(sector.angle), scalar_cast<double>(sector.width));
  const auto add = [&](const Vector3T<S>& x, const S& weight, const Vector3T<S>& u, const Vector3T<S>& v) {
    surface.points.push_back(x);
    surface.nodes.push_back({weight * u, v});
  };
  for (int k = 0; k < nphi; ++k) {
    const Polar<S> polar(phi.nodes[k]);
    for (int i = 0; i < nz; ++i) {
      const S weight = phi.weights[k] * z.weights[i] * sector.radius;
      add(polar.at(sector.radius, z.nodes[i]), weight, polar.around, up);
    }
    for (int j = 0; j < nr; ++j) {
      const S weight = phi.weights[k] * r.weights[j] * r.nodes[j];
      add(polar.at(r.nodes[j], sector.length), weight, polar.outward, polar.around);
      add(polar.at(r.nodes[j], zero), weight, polar.around, polar.outward);
    }
  }
  if (full) return surface;
  const Polar<S> start(first), end(first + width);
  for (int i = 0; i < nz; ++i) {
    for (int j = 0; j < nr; ++j) {
      const S weight = z.weights[i] * r.weights[j];
      add(start.at(r.nodes[j], z.nodes[i]), weight, start.outward, up);
      add(end.at(r.nodes[j], z.nodes[i]), weight, up, end.outward);
    }
  }
  return surface;
}

template <typename S>
ChamberSurfaceT<S> cylinder_bore_surface(const S& length, const S& inner_radius, int nz, int nphi) {
  check_positive("length", length);
  check_positive("inner_radius", inner_radius);
  check_count("nphi", nphi);
  const S zero(0.0), step = constant<S>(2 * k_pi / nphi);
  const Rule<S> z("nz", nz, zero, length);
  std::vector<Polar<S>> angles;
  angles.reserve(static_cast<std::size_t>(nphi));
  for (int k = 0; k < nphi; ++k) angles.emplace_back(constant<S>(2 * k_pi * k / nphi));
  ChamberSurfaceT<S> surface;
  surface.drawing = sector_drawing(scalar_cast<double>(length), scalar_cast<double>(inner_radius), 0.0, 2 * M_PI);
  for (int i = 0; i < nz; ++i) {
    for (const Polar<S>& polar : angles) {
      surface.points.push_back(polar.at(inner_radius, z.nodes[i]));
      surface.nodes.push_back({(step * inner_radius * z.weights[i]) * polar.around, {zero, zero, S(1.0)}});
    }
  }
  for (const bool top : {false, true}) {
    surface.rims.push_back({static_cast<int>(surface.points.size()), {}});
    const S weight = (top ? step : -step) * inner_radius;
    for (const Polar<S>& polar : angles) {
      surface.points.push_back(polar.at(inner_radius, top ? length : zero));
      surface.rims.back().tangents.push_back(weight * polar.around);
    }
  }
  return surface;
}

namespace {

using Triangle = std::array<int, 3>;
Triangle sorted(Triangle corners) {
  std::sort(corners.begin(), corners.end());
  return corners;
}

/// Of each face of the mesh the corner opposite of it; -1 for faces between two tetrahedra.
std::map<Triangle, int> opposite_corners(const TetrahedralMesh& mesh) {
  std::map<Triangle, int> opposite;
  for (const std::array<int, 4>& corners : mesh.tetrahedra) {
    for (int i = 0; i < 4; ++i) {
      const Triangle face = sorted({corners[(i + 1) % 4], corners[(i + 2) % 4], corners[(i + 3) % 4]});
      const auto [entry, is_new] = opposite.insert({face, corners[i]});
      if (!is_new) entry->second = -1;
    }
  }
  return opposite;
}

[[noreturn]] void refuse_group(const std::string& group, const std::string& found, const std::string& expected) {
  throw ModelError(Diagnostic({}, found, expected).place_in("surface", "surface '" + group + "'"));
}

/// The rims of consistently turned triangles, each the other way round.
std::vector<std::vector<int>> rims_of(const std::vector<Triangle>& triangles, const std::string& group) {
  std::set<std::pair<int, int>> edges;
  for (const Triangle& corners : triangles) {
    for (int i = 0; i < 3; ++i) {
      if (edges.insert({corners[i], corners[(i + 1) % 3]}).second) continue;
      refuse_group(group, "triangles that are not on one side of a surface", "each edge between two");
    }
  }
  std::map<int, int> next;
  for (const auto& [from, to] : edges) {
    if (edges.count({to, from}) > 0) continue;
    if (!next.insert({to, from}).second) {
      refuse_group(group, "openings that touch in a node", "separate rims");
    }
  }
  std::vector<std::vector<int>> rims;
  while (!next.empty()) {
    rims.emplace_back();
    for (auto at = next.begin(); at != next.end();) {
      rims.back().push_back(at->first);
      const int following = at->second;
      next.erase(at);
      at = next.find(following);
    }
  }
  return rims;
}

/// Six times the volume within a surface, at rest.
double rest_volume(const ChamberSurface& surface) {
  const std::vector<Vector3>& x = surface.points;
  double sum = 0.0;
  for (std::size_t i = 0; i < surface.nodes.size(); ++i) {
    sum += 2.0 * dot(x[i], cross(surface.nodes[i].u, surface.nodes[i].v));
  }
  for (const ChamberSurface::Rim& rim : surface.rims) {
    Vector3 center{}, area{};
    for (std::size_t k = 0; k < rim.tangents.size(); ++k) {
      const Vector3& p = x[static_cast<std::size_t>(rim.first) + k];
      center += p, area += cross(p, rim.tangents[k]);
    }
    sum += dot(center, area) / static_cast<double>(rim.tangents.size());
  }
  for (const Triangle& t : surface.triangles) sum += dot(x[t[0]], cross(x[t[1]], x[t[2]]));
  for (const std::vector<int>& opening : surface.openings) {
    Vector3 center{}, area{};
    for (std::size_t k = 0; k < opening.size(); ++k) {
      center += x[opening[k]];
      area += cross(x[opening[k]], x[opening[(k + 1) % opening.size()]]);
    }
    sum += dot(center, area) / static_cast<double>(opening.size());
  }
  return sum;
}

/// A point of a triangle of six nodes (corners a, b, c, then those of ab, bc, ca), which lies at a + (b - a) u + (c -
/// a) v if its edges are straight.
struct CurvedPoint {
  Vector3 x, u, v;  // the point, and its derivatives by u and v
  CurvedPoint(const std::array<Vector3, 6>& nodes, double u_at, double v_at) {
    const double w = 1.0 - u_at - v_at;
    const double N[6] = {w * (2 * w - 1), u_at * (2 * u_at - 1), v_at * (2 * v_at - 1),
                         4 * w * u_at,    4 * u_at * v_at,       4 * v_at * w};
    const double by_u[6] = {1 - 4 * w, 4 * u_at - 1, 0.0, 4 * (w - u_at), 4 * v_at, -4 * v_at};
    const double by_v[6] = {1 - 4 * w, 0.0, 4 * v_at - 1, -4 * u_at, 4 * u_at, 4 * (w - v_at)};
    for (int i = 0; i < 6; ++i) x += N[i] * nodes[i], u += by_u[i] * nodes[i], v += by_v[i] * nodes[i];
  }
};

/// Faces of ten-node tetrahedra as a quadrature. Where a mesh moves its nodes, p is of degree 2 on a face, so that p .
/// (p_u x p_v) is of degree 4 and the volume is that of the nodes to rounding: a cubic function, whose slope is the
/// consistent load. On the edges of openings p x p_u is of degree 3.
ChamberSurface curved_surface(const TetrahedralMesh& mesh, const std::vector<Triangle>& triangles,
                              const std::string& group) {
  ChamberSurface surface;
  std::map<std::pair<int, int>, int> middle;
  const std::vector<Triangle> parts = node_triangles(mesh, triangles);  // four of each, that of the middles last
  // Dunavant 1985, degree 4: six points
  const double root = std::sqrt(10.0), spread = std::sqrt(38.0 - 44.0 * std::sqrt(0.4));
  const double heavy = (620.0 + std::sqrt(213125.0 - 53320.0 * root)) / 3720.0;
  const std::array<std::array<double, 2>, 2> orbits{
      // place and weight of three points each
      {{(8.0 - root + spread) / 18.0, heavy}, {(8.0 - root - spread) / 18.0, 1.0 / 3.0 - heavy}}};
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    const Triangle &corners = triangles[t], &middles = parts[4 * t + 3];
    std::array<Vector3, 6> nodes;
    for (int i = 0; i < 3; ++i) {
      nodes[i] = mesh.nodes[corners[i]], nodes[i + 3] = mesh.nodes[middles[i]];
      middle[std::minmax(corners[i], corners[(i + 1) % 3])] = middles[i];
    }
    for (const auto& [at, weight] : orbits) {
      const double other = 1.0 - 2.0 * at;
      for (const auto& [u, v] : {std::pair(at, at), std::pair(at, other), std::pair(other, at)}) {
        const CurvedPoint point(nodes, u, v);
        surface.points.push_back(point.x);
        surface.nodes.push_back({(0.5 * weight) * point.u, point.v});
      }
    }
  }
  for (const std::vector<int>& corners : rims_of(triangles, group)) {
    surface.rims.push_back({static_cast<int>(surface.points.size()), {}});
    for (std::size_t k = 0; k < corners.size(); ++k) {
      const int from = corners[k], to = corners[(k + 1) % corners.size()];
      const Vector3 &a = mesh.nodes[from], &b = mesh.nodes[to], &m = mesh.nodes[middle.at(std::minmax(from, to))];
      for (const double side : {-0.5, 0.5}) {  // two points of Gauss
        const double u = 0.5 + side / std::sqrt(3.0);
        surface.points.push_back((1 - u) * (1 - 2 * u) * a + 4 * u * (1 - u) * m + u * (2 * u - 1) * b);
        surface.rims.back().tangents.push_back(0.5 * ((4 * u - 3) * a + (4 - 8 * u) * m + (4 * u - 1) * b));
      }
    }
  }
  std::map<int, int> place;  // of a node of the mesh among the points of the drawing
  for (const Triangle& corners : parts) {
    BodySurface::Face face{-1, -1, -1, -1};
    for (int i = 0; i < 3; ++i) {
      const auto [entry, is_new] = place.insert({corners[i], static_cast<int>(surface.drawing.points.size())});
      if (is_new) surface.drawing.points.push_back(mesh.nodes[corners[i]]);
      face[i] = entry->second;
    }
    surface.drawing.faces.push_back(face);
  }
  return surface;
}
/// Faces of four-node tetrahedra: as flat as they stay.
ChamberSurface flat_surface(const TetrahedralMesh& mesh, const std::vector<Triangle>& triangles,
                            const std::string& group) {
  ChamberSurface surface;
  std::map<int, int> place;  // of a node of the mesh among the points
  const auto point = [&](int node) {
    const auto [entry, is_new] = place.insert({node, static_cast<int>(surface.points.size())});
    if (is_new) surface.points.push_back(mesh.nodes[node]);
    return entry->second;
  };
  for (const Triangle& corners : triangles) {
    surface.triangles.push_back({point(corners[0]), point(corners[1]), point(corners[2])});
  }
  surface.openings = rims_of(surface.triangles, group);
  return surface;
}

}  // namespace

ChamberSurface mesh_group_surface(const TetrahedralMesh& mesh, const std::string& group) {
  const auto named = [&](const TetrahedralMesh::Group& g) { return g.name == group; };
  const auto found = std::find_if(mesh.groups.begin(), mesh.groups.end(), named);
  if (found == mesh.groups.end()) {
    std::string names;
    for (const TetrahedralMesh::Group& g : mesh.groups) names += (names.empty() ? "" : ", ") + g.name;
    throw ModelError("surface", "'" + group + "'",
                     "a group of triangles of the mesh" + (names.empty() ? ", which has none" : ": " + names));
  }
  const std::map<Triangle, int> opposite = opposite_corners(mesh);
  std::vector<Triangle> triangles = found->triangles;
  for (Triangle& corners : triangles) {
    const auto face = opposite.find(sorted(corners));
    if (face == opposite.end() || face->second < 0) {
      refuse_group(group,
                   std::string("a triangle that is ") +
                       (face == opposite.end() ? "no face of a tetrahedron" : "between two tetrahedra"),
                   "faces of the mesh's surface");
    }
    const Vector3& a = mesh.nodes[corners[0]];
    const Vector3 normal = cross(mesh.nodes[corners[1]] - a, mesh.nodes[corners[2]] - a);
    if (dot(normal, mesh.nodes[face->second] - a) < 0.0) std::swap(corners[1], corners[2]);
  }
  ChamberSurface surface =
      mesh.edge_nodes.empty() ? flat_surface(mesh, triangles, group) : curved_surface(mesh, triangles, group);
  if (!(rest_volume(surface) > 0.0)) {
    refuse_group(group, "triangles around the body", "triangles around a cavity in it");
  }
  return surface;
}

#define CUTTLE_INSTANTIATE(S)                                                   \
  template ChamberSurfaceT<S> sector_surface(const SectorT<S>&, int, int, int); \
  template ChamberSurfaceT<S> cylinder_bore_surface(const S&, const S&, int, int);
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
