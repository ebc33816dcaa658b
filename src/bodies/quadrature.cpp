#include "cuttle/bodies/quadrature.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <sstream>
#include <string>

#include "bodies/rod/rod_discretization.h"
#include "bodies/volume/fem/tetrahedral_element.h"
#include "cuttle/error.h"
#include "cuttle/spatial/scalars.h"

namespace cuttle {

namespace {

template <typename S>
void check_above(const char* key, const S& value, const S& limit, const char* expected) {
  using std::isfinite;
  if (value > limit && isfinite(value)) return;
  std::ostringstream text;
  text << scalar_cast<double>(value);
  throw ModelError(key, text.str(), std::string(expected) + " [m]");
}

struct Rule {
  std::vector<long double> nodes, weights;  // on [0, 1]
  Rule(const char* key, int count) {
    if (count < 1 || count > 1000) {
      throw ModelError(std::string("points.") + key, std::to_string(count), "an integer from 1 to 1000");
    }
    gauss_legendre(count, nodes, weights);
  }
};

}  // namespace

template <typename S>
QuadratureT<S> cylinder_quadrature(const S& length, const S& radius, const S& inner_radius, int nz, int nr, int nphi) {
  using std::sqrt;
  check_above("length", length, S(0.0), "a number > 0");
  if (!(inner_radius == S(0.0))) check_above("inner_radius", inner_radius, S(0.0), "a number >= 0");
  check_above("radius", radius, inner_radius, "a number > inner_radius");
  if (nphi < 1 || nphi > 1000) {
    throw ModelError("points.nphi", std::to_string(nphi), "an integer from 1 to 1000");
  }
  const Rule along("nz", nz), across("nr", nr);
  const S inner = inner_radius * inner_radius, span = radius * radius - inner;
  QuadratureT<S> rule;
  for (int i = 0; i < nz; ++i) {
    for (int j = 0; j < nr; ++j) {
      const S r = sqrt(inner + constant<S>(across.nodes[j]) * span);
      const S weight =
          constant<S>(std::numbers::pi_v<long double> / nphi * along.weights[i] * across.weights[j]) * (length * span);
      for (int k = 0; k < nphi; ++k) {
        const long double angle = 2 * std::numbers::pi_v<long double> * k / nphi;
        rule.points.push_back(
            {constant<S>(std::cos(angle)) * r, constant<S>(std::sin(angle)) * r, constant<S>(along.nodes[i]) * length});
        rule.weights.push_back(weight);
      }
    }
  }
  return rule;
}

template <typename S>
QuadratureT<S> box_quadrature(const Vector3T<S>& size, int nz, int nx, int ny) {
  check_above("size[0]", size.x, S(0.0), "a number > 0");
  check_above("size[1]", size.y, S(0.0), "a number > 0");
  check_above("size[2]", size.z, S(0.0), "a number > 0");
  const Rule z("nz", nz), x("nx", nx), y("ny", ny);
  QuadratureT<S> rule;
  for (int i = 0; i < nz; ++i) {
    for (int j = 0; j < nx; ++j) {
      for (int k = 0; k < ny; ++k) {
        rule.points.push_back({constant<S>(x.nodes[j] - 0.5L) * size.x, constant<S>(y.nodes[k] - 0.5L) * size.y,
                               constant<S>(z.nodes[i]) * size.z});
        rule.weights.push_back(constant<S>(x.weights[j] * y.weights[k] * z.weights[i]) * (size.x * size.y * size.z));
      }
    }
  }
  return rule;
}

template <typename S>
QuadratureT<S> mesh_quadrature(const TetrahedralMesh& mesh, int rule) {
  if (element_rule(rule).empty()) {
    throw ModelError("rule", std::to_string(rule), "1, 4 or 14, the points of a tetrahedron");
  }
  std::vector<Vector3T<long double>> points;
  std::vector<long double> weights;
  each_element_point<long double>(mesh, rule,
                                  [&](std::size_t, const ElementPlace<long double>& place, long double volume) {
                                    points.push_back(place.position);
                                    weights.push_back(volume);
                                  });
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return points[a].z < points[b].z; });
  QuadratureT<S> quadrature;
  for (const std::size_t i : order) {
    quadrature.points.push_back({constant<S>(points[i].x), constant<S>(points[i].y), constant<S>(points[i].z)});
    quadrature.weights.push_back(constant<S>(weights[i]));
  }
  return quadrature;
}

#define CUTTLE_INSTANTIATE(S)                                                               \
  template QuadratureT<S> cylinder_quadrature(const S&, const S&, const S&, int, int, int); \
  template QuadratureT<S> box_quadrature(const Vector3T<S>&, int, int, int);                \
  template QuadratureT<S> mesh_quadrature<S>(const TetrahedralMesh&, int);
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
