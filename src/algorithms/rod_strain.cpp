#include "cuttle/algorithms/rod_strain.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "cuttle/bodies/slender.h"

namespace cuttle {
namespace {

/// What the coordinates add to the strain of a place.
Twist added_strain(const std::vector<Twist>& by_each, const double* q) {
  Twist sum;
  for (std::size_t k = 0; k < by_each.size(); ++k) sum += q[k] * by_each[k];
  return sum;
}

std::string three_digits(double value) {
  std::ostringstream out;
  out.precision(3);
  out << value;
  return out.str();
}

}  // namespace

RodStrains::RodStrains(const Model& model) {
  for (const auto& link : model.links()) names_.push_back(link.name);
  for (const Edge& edge : model.topology().edges) {
    if (edge.kind != EdgeKind::body || edge.link < 0) continue;
    const Body& body = *model.topology().bodies[static_cast<std::size_t>(edge.index)].body;
    const SlenderT<double>* line = body.slender();
    const std::vector<Body::Station> stations = body.stations();
    if (line == nullptr || stations.empty()) continue;
    std::vector<double> where{0.0, line->length()};
    for (const Body::Station& station : stations) where.push_back(station.s);
    for (const double s : where) {
      Place place{edge.link, edge.q, edge.nq, s, 0.0, 0.0, {}, std::vector<Twist>(static_cast<std::size_t>(edge.nq))};
      line->strain_map(s, place.rest, place.by_each.data());
      if (line->section().is_given()) {
        const SectionContour contour = section_contour(line->section(), s / line->length());
        place.half_x = contour.half_x, place.half_y = contour.half_y;
      }
      places_.push_back(std::move(place));
    }
  }
}

bool RodStrains::runs_forward(VectorInT<double> q) const {
  return std::all_of(places_.begin(), places_.end(), [&q](const Place& place) {
    return place.rest.linear.z + added_strain(place.by_each, q.data() + place.q).linear.z > 0.0;
  });
}

std::string RodStrains::beyond_sense(VectorInT<double> q) const {
  std::string text;
  double worst = 1.0;
  const auto look = [&](const Place& place, double excess, const std::string& what) {
    if (!(excess > worst)) return;
    worst = excess;
    text = names_[static_cast<std::size_t>(place.link)] + ": " + what + " at s = " + three_digits(place.s) +
           " m: no material bears that, so the numbers mean little";
  };
  for (const Place& place : places_) {
    const double unit = std::abs(place.rest.linear.z);
    if (!(unit > 0.0)) continue;
    const Twist strain = (1.0 / unit) * added_strain(place.by_each, q.data() + place.q);
    const double axis = 1.0 + strain.linear.z;
    const double bend = std::hypot(strain.angular.x * place.half_y, strain.angular.y * place.half_x);
    const double shear = std::hypot(strain.linear.x, strain.linear.y);
    constexpr double k_most_strain = k_most_stretch - 1.0;
    look(place, (axis + bend - 1.0) / k_most_strain, "stretched to " + three_digits(axis + bend) + " times its length");
    look(place, shear / k_most_strain, "sheared by " + three_digits(shear) + " times its length");
    if (axis <= 0.0) {
      look(place, 2.0 - axis, "pressed to " + three_digits(axis) + " times its length");
    } else if (axis < bend) {
      look(place, 2.0 - axis / bend,
           "bent to a radius of " + three_digits(axis / std::hypot(strain.angular.x, strain.angular.y)) +
               " m, within its own section, whose inner side would be turned inside out,");
    }
  }
  return text;
}

}  // namespace cuttle
