#include "geometry/triangle_tree.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

namespace cuttle {
namespace {

constexpr int k_leaf = 4;         // triangles
constexpr int k_tree_depth = 64;  // of the tree: halves of all triangles
constexpr double k_infinite = std::numeric_limits<double>::infinity();

const Vector3& at(const std::vector<Vector3>& points, int i) { return points[static_cast<std::size_t>(i)]; }

double square(const Vector3& x) { return dot(x, x); }

}  // namespace

TriangleTree::TriangleTree(TriangleMesh mesh) : mesh_(std::move(mesh)), order_(mesh_.triangles.size()) {
  std::iota(order_.begin(), order_.end(), 0);
  root_ = build(0, static_cast<int>(order_.size()));
  corner_normal_.resize(mesh_.points.size());
  corner_at_border_.resize(mesh_.points.size());
  faces_.reserve(order_.size());
  for (int face = 0; face < static_cast<int>(order_.size()); ++face) {
    const auto& corners = this->corners(face);
    const Vector3& a = at(mesh_.points, corners[0]);
    const Vector3 ab = at(mesh_.points, corners[1]) - a, ac = at(mesh_.points, corners[2]) - a;
    const Vector3 area = cross(ab, ac);
    faces_.push_back({a, ab, ac, (1.0 / norm(area)) * area, dot(ab, ab), dot(ab, ac), dot(ac, ac)});
    for (int k = 0; k < 3; ++k) {
      const int corner = corners[static_cast<std::size_t>(k)];
      const Vector3 to_next =
          at(mesh_.points, corners[static_cast<std::size_t>((k + 1) % 3)]) - at(mesh_.points, corner);
      const Vector3 to_last =
          at(mesh_.points, corners[static_cast<std::size_t>((k + 2) % 3)]) - at(mesh_.points, corner);
      const double angle = std::atan2(norm(cross(to_next, to_last)), dot(to_next, to_last));
      corner_normal_[static_cast<std::size_t>(corner)] += angle * faces_.back().normal;
    }
  }
  join_edges();
}

void TriangleTree::join_edges() {
  struct Edge {
    int least, most;  // corners
    int half;
    bool rises;  // from the lower to the higher corner
  };
  std::vector<Edge> edges;
  edges.reserve(3 * faces_.size());
  for (int face = 0; face < static_cast<int>(faces_.size()); ++face) {
    for (int k = 0; k < 3; ++k) {
      const int a = corners(face)[static_cast<std::size_t>(k)],
                b = corners(face)[static_cast<std::size_t>((k + 1) % 3)];
      edges.push_back({std::min(a, b), std::max(a, b), 3 * face + k, a < b});
    }
  }
  const auto place = [](const Edge& edge) { return std::tuple(edge.least, edge.most, edge.half); };
  std::sort(edges.begin(), edges.end(), [&](const Edge& a, const Edge& b) { return place(a) < place(b); });
  halves_.resize(edges.size());
  for (auto begin = edges.begin(); begin != edges.end();) {
    const auto end = std::find_if(begin, edges.end(),
                                  [&](const Edge& e) { return e.least != begin->least || e.most != begin->most; });
    const bool border = end - begin != 2;
    if (border) {
      ++open_edges_;
      for (const int corner : {begin->least, begin->most}) corner_at_border_[static_cast<std::size_t>(corner)] = 1;
    } else if (begin->rises == (begin + 1)->rises) {
      ++turned_edges_;
    }
    Vector3 sum;
    for (auto edge = begin; edge != end; ++edge) sum += faces_[static_cast<std::size_t>(edge->half / 3)].normal;
    for (; begin != end; ++begin) halves_[static_cast<std::size_t>(begin->half)] = {sum, border};
  }
}

TriangleTree::Box TriangleTree::box_of(int first, int count) const {
  Box box{{k_infinite, k_infinite, k_infinite}, {-k_infinite, -k_infinite, -k_infinite}};
  for (int i = first; i < first + count; ++i) {
    for (const int corner : mesh_.triangles[static_cast<std::size_t>(order_[static_cast<std::size_t>(i)])]) {
      const Vector3& p = at(mesh_.points, corner);
      for (int axis = 0; axis < 3; ++axis) {
        box.least[axis] = std::min(box.least[axis], p[axis]), box.most[axis] = std::max(box.most[axis], p[axis]);
      }
    }
  }
  return box;
}

int TriangleTree::build(int first, int count) {
  if (count <= k_leaf) {
    leaves_.push_back({first, count});
    return ~static_cast<int>(leaves_.size() - 1);
  }
  const auto middle_of = [&](int triangle) {
    const auto& c = mesh_.triangles[static_cast<std::size_t>(triangle)];
    return at(mesh_.points, c[0]) + at(mesh_.points, c[1]) + at(mesh_.points, c[2]);
  };
  const Box all = box_of(first, count);
  const Vector3 size = all.most - all.least;
  const int axis = size.x >= size.y && size.x >= size.z ? 0 : (size.y >= size.z ? 1 : 2);
  const int half = count / 2;
  const auto begin = order_.begin() + first;
  std::nth_element(begin, begin + half, begin + count,
                   [&](int a, int b) { return middle_of(a)[axis] < middle_of(b)[axis]; });
  const std::size_t index = nodes_.size();
  nodes_.emplace_back();
  const Box left = box_of(first, half), right = box_of(first + half, count - half);
  const int left_child = build(first, half), right_child = build(first + half, count - half);
  nodes_[index] = {{left, right}, {left_child, right_child}};
  return static_cast<int>(index);
}

double TriangleTree::Box::square_to(const Vector3& x) const {
  const auto beyond = [](double at, double low, double high) { return std::max(0.0, std::max(low - at, at - high)); };
  const double dx = beyond(x.x, least.x, most.x), dy = beyond(x.y, least.y, most.y), dz = beyond(x.z, least.z, most.z);
  return dx * dx + dy * dy + dz * dz;
}

void TriangleTree::look_at(int index, const Vector3& x, Nearest& best) const {
  const Face& face = faces_[static_cast<std::size_t>(index)];
  const Vector3 from = x - face.a;
  const double above = dot(face.normal, from);
  if (above * above >= best.square) return;
  const auto take = [&](double squared, Part part, int k) {
    if (squared < best.square) best = {index, part, k, squared};
  };
  // x = a + s ab + t ac in the plane, times the determinant
  const double p = dot(face.ab, from), q = dot(face.ac, from);
  const double determinant = face.ab_ab * face.ac_ac - face.ab_ac * face.ab_ac;
  const double s = p * face.ac_ac - q * face.ab_ac, t = q * face.ab_ab - p * face.ab_ac;
  if (s >= 0.0 && t >= 0.0 && s + t <= determinant) return take(above * above, Part::face, 0);
  // the nearest point is on an edge beyond which it lies
  const auto edge = [&](const Vector3& begin, const Vector3& along, double length2, int k) {
    const Vector3 r = x - begin;
    const double u = dot(along, r);
    if (u <= 0.0) return take(square(r), Part::corner, k);
    if (u >= length2) return take(square(r - along), Part::corner, (k + 1) % 3);
    take(square(r - (u / length2) * along), Part::edge, k);
  };
  if (t < 0.0) edge(face.a, face.ab, face.ab_ab, 0);
  if (s + t > determinant) {
    const Vector3 bc = face.ac - face.ab;
    edge(face.a + face.ab, bc, dot(bc, bc), 1);
  }
  if (s < 0.0) edge(face.a + face.ac, -face.ac, face.ac_ac, 2);
}

TriangleTree::Nearest TriangleTree::nearest(const Vector3& x) const {
  struct Waiting {
    int node;
    double square;
  };
  Waiting waiting[k_tree_depth];
  int count = 0;
  Nearest best;
  best.square = k_infinite;
  int node = root_;
  while (true) {
    if (node < 0) {
      const Leaf& leaf = leaf_of(node);
      for (int i = leaf.first; i < leaf.first + leaf.count; ++i) look_at(i, x, best);
    } else {
      const Node& here = nodes_[static_cast<std::size_t>(node)];
      const double squares[2] = {here.box[0].square_to(x), here.box[1].square_to(x)};
      const int near = squares[1] < squares[0] ? 1 : 0;
      if (squares[1 - near] < best.square) waiting[count++] = {here.child[1 - near], squares[1 - near]};
      if (squares[near] < best.square) {
        node = here.child[near];
        continue;
      }
    }
    do {
      if (count == 0) return best;
      --count;
    } while (!(waiting[count].square < best.square));
    node = waiting[count].node;
  }
}

const Vector3& TriangleTree::normal(const Nearest& at) const {
  switch (at.part) {
    case Part::face:
      return faces_[static_cast<std::size_t>(at.face)].normal;
    case Part::edge:
      return half(at).normal;
    case Part::corner:
      break;
  }
  return corner_normal(corners_of(at)[static_cast<std::size_t>(at.k)]);
}

bool TriangleTree::is_border(const Nearest& at) const {
  if (at.part == Part::face) return false;
  if (at.part == Part::edge) return half(at).border;
  return corner_at_border_[static_cast<std::size_t>(corners_of(at)[static_cast<std::size_t>(at.k)])] != 0;
}

TriangleTree::Way TriangleTree::way_out(const Vector3& from, const Vector3& direction) const {
  const auto meets = [&](const Box& box, double most) {
    double begin = 0.0, end = most;
    for (int axis = 0; axis < 3; ++axis) {
      const double inverse = 1.0 / direction[axis];
      double low = (box.least[axis] - from[axis]) * inverse, high = (box.most[axis] - from[axis]) * inverse;
      if (low > high) std::swap(low, high);
      if (low > begin) begin = low;
      if (high < end) end = high;
    }
    return begin <= end;
  };
  Way way{k_infinite, -1};
  std::vector<int> waiting{root_};
  while (!waiting.empty()) {
    const int node = waiting.back();
    waiting.pop_back();
    if (node >= 0) {
      const Node& here = nodes_[static_cast<std::size_t>(node)];
      for (int child = 0; child < 2; ++child) {
        if (meets(here.box[child], way.length)) waiting.push_back(here.child[child]);
      }
      continue;
    }
    const Leaf& leaf = leaf_of(node);
    for (int i = leaf.first; i < leaf.first + leaf.count; ++i) {
      const Face& face = faces_[static_cast<std::size_t>(i)];
      const double towards = dot(face.normal, direction);
      if (!(towards > 0.0)) continue;
      const double distance = dot(face.normal, face.a - from) / towards;
      if (!(distance > 0.0) || distance >= way.length) continue;
      const Vector3 there = from + distance * direction - face.a;
      const double p = dot(face.ab, there), q = dot(face.ac, there);
      const double determinant = face.ab_ab * face.ac_ac - face.ab_ac * face.ab_ac;
      const double s = p * face.ac_ac - q * face.ab_ac, t = q * face.ab_ab - p * face.ab_ac;
      if (s >= 0.0 && t >= 0.0 && s + t <= determinant) way = {distance, i};
    }
  }
  return way;
}

TriangleTree::Across TriangleTree::thin_place() const {
  constexpr int k_most = 2000;
  constexpr double k_share = 0.1;
  struct Seen {
    Way way;
    int from;
    double area;
  };
  std::vector<Seen> seen;
  const int count = static_cast<int>(faces_.size()), stride = std::max(1, count / k_most);
  double all = 0.0;
  for (int i = 0; i < count; i += stride) {
    const Face& face = faces_[static_cast<std::size_t>(i)];
    const Way way = way_out(face.a + (1.0 / 3.0) * (face.ab + face.ac), -face.normal);
    if (way.face < 0) continue;  // between two edges, by rounding
    seen.push_back({way, i, norm(cross(face.ab, face.ac))});
    all += seen.back().area;
  }
  std::sort(seen.begin(), seen.end(), [](const Seen& a, const Seen& b) { return a.way.length < b.way.length; });
  double sum = 0.0;
  for (const Seen& at : seen) {
    sum += at.area;
    if (sum >= k_share * all) return {corners(at.from), corners(at.way.face)};
  }
  return {corners(0), corners(0)};
}

double TriangleTree::volume() const {
  double six = 0.0;
  const Vector3& origin = at(mesh_.points, mesh_.triangles.front()[0]);
  for (const auto& c : mesh_.triangles) {
    six +=
        dot(at(mesh_.points, c[0]) - origin, cross(at(mesh_.points, c[1]) - origin, at(mesh_.points, c[2]) - origin));
  }
  return six / 6.0;
}

std::vector<int> TriangleTree::outer_corners() const {
  constexpr double k_flat = 1e-6;
  struct Seen {
    double highest = -k_infinite, lowest = k_infinite;  // sines over the tangent plane of its neighbors
  };
  std::vector<Seen> seen(mesh_.points.size());
  for (const auto& corners : mesh_.triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      const int here = corners[k];
      const Vector3& n = corner_normal(here);
      for (const std::size_t next : {(k + 1) % 3, (k + 2) % 3}) {
        const Vector3 to = at(mesh_.points, corners[next]) - at(mesh_.points, here);
        const double sine = dot(n, to) / (norm(n) * norm(to));
        Seen& of = seen[static_cast<std::size_t>(here)];
        of.highest = std::max(of.highest, sine), of.lowest = std::min(of.lowest, sine);
      }
    }
  }
  std::vector<int> outer;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (seen[i].highest <= k_flat && seen[i].lowest < -k_flat) outer.push_back(static_cast<int>(i));
  }
  std::stable_sort(outer.begin(), outer.end(), [&](int a, int b) {
    return seen[static_cast<std::size_t>(a)].highest + seen[static_cast<std::size_t>(a)].lowest <
           seen[static_cast<std::size_t>(b)].highest + seen[static_cast<std::size_t>(b)].lowest;
  });
  return outer;
}

}  // namespace cuttle
