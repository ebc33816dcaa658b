#include "elements/tendon_panels.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "bodies/rod/rod_discretization.h"
#include "cuttle/spatial/scalars.h"

namespace cuttle {

PanelRule::PanelRule() {
  std::vector<long double> unused;
  gauss_legendre(k_fit, fit, unused);
  const long double inner = 0.5L * std::sqrt(3.0L / 7.0L);
  const long double nodes[k_points] = {0.0L, 0.5L - inner, 0.5L, 0.5L + inner, 1.0L};
  const long double weights[k_points] = {1.0L / 20, 49.0L / 180, 16.0L / 45, 49.0L / 180, 1.0L / 20};
  std::copy_n(weights, k_points, weight);
  for (int p = 0; p < k_places; ++p) place[p] = 0.5L * (nodes[p / 2] + nodes[(p + 1) / 2]);
  const auto node = [&](int k) { return fit[static_cast<std::size_t>(k)]; };
  for (int p = 0; p < k_places; ++p) {
    for (int j = 0; j < k_fit; ++j) {
      value[p][j] = 1.0L, slope[p][j] = 0.0L;
      for (int k = 0; k < k_fit; ++k) {  // one factor of the product after the other, and its slope
        if (k == j) continue;
        const long double per = 1.0L / (node(j) - node(k)), factor = (place[p] - node(k)) * per;
        slope[p][j] = slope[p][j] * factor + value[p][j] * per;
        value[p][j] *= factor;
      }
    }
  }
}
const PanelRule& PanelRule::get() {
  static const PanelRule k_rule;
  return k_rule;
}

template <typename S>
TendonPanels<S>::TendonPanels(const SlenderT<S>& line, const RoutingT<S>& entry, int coordinates, double coefficient,
                              int refinement)
    : line_(line),
      entry_(entry),
      coordinates_(coordinates),
      coefficient_(coefficient),
      refinement_(refinement),
      from_(entry.from ? *entry.from : S(0.0)),
      per_way_(S(1.0) / ((entry.to ? *entry.to : line.length()) - from_)),
      largest_(2 * (static_cast<std::size_t>(coordinates) + 1)) {
  for (const PathPiece<S>& piece : path_pieces(line_, entry_)) {
    const double share = std::abs(scalar_cast<double>((piece.end - piece.start) * per_way_));
    const int count = std::max(k_samples, static_cast<int>(std::ceil(8 * k_samples * share)));
    for (int i = 0; i < count; ++i) {
      const std::vector<Vector3T<double>> here = shapes(piece, (i + 0.5) / count);
      for (std::size_t c = 0; c < here.size(); ++c) largest_[c] = std::max(largest_[c], norm(here[c]));
    }
  }
}

template <typename S>
std::vector<Vector3T<double>> TendonPanels<S>::shapes(const PathPiece<S>& piece, double part) const {
  const S s = piece.start + S(part) * (piece.end - piece.start);
  const PathPoint<S> point = path_point(entry_, (s - from_) * per_way_, piece.interval);
  std::vector<TwistT<S>> strain(static_cast<std::size_t>(coordinates_) + 1);
  line_.strain_map(s, strain[0], strain.data() + 1);
  std::vector<Vector3T<double>> result;
  for (std::size_t c = 0; c < strain.size(); ++c) {
    Vector3T<S> tangent = cross(strain[c].angular, point.offset) + strain[c].linear;
    if (c == 0) tangent += per_way_ * point.slope;
    result.push_back(tangent.template cast<double>());
    result.push_back(strain[c].angular.template cast<double>());
  }
  return result;
}

template <typename S>
void TendonPanels<S>::cut(const PathPiece<S>& piece, double first, double last, int halvings,
                          std::vector<double>& parts) const {
  const double way = (last - first) * std::abs(scalar_cast<double>((piece.end - piece.start) * per_way_));
  const auto good = [&] {
    if (coefficient_ * 2.0 * std::numbers::pi * way > k_fall) return false;
    const auto sample = [&](int i) { return shapes(piece, first + (last - first) * (i + 0.5) / k_samples); };
    const std::vector<Vector3T<double>> start = sample(0), end = sample(k_samples - 1);
    const double most = *std::max_element(largest_.begin(), largest_.end());
    bool constant = true;
    for (int i = 1; i < k_samples; ++i) {
      const std::vector<Vector3T<double>> here = sample(i);
      const double x = static_cast<double>(i) / (k_samples - 1);
      for (std::size_t c = 0; c < here.size(); ++c) {
        if (largest_[c] < 1e-12 * most) continue;  // rounding
        constant = constant && norm(here[c] - start[c]) < 1e-9 * largest_[c];
        if (norm(here[c] - (1.0 - x) * start[c] - x * end[c]) > k_bend * largest_[c]) return false;
      }
    }
    return constant || way < 0.125 + 1e-9;
  };
  const int more = halvings < k_most_halvings && !good() ? halvings + 1 : 0;
  if (more == 0) {
    for (int i = 1; i <= 1 << refinement_; ++i) parts.push_back(first + (last - first) * i / (1 << refinement_));
    return;
  }
  const double middle = 0.5 * (first + last);
  cut(piece, first, middle, more, parts);
  cut(piece, middle, last, more, parts);
}

template <typename S>
std::vector<S> TendonPanels<S>::bounds(const PathPiece<S>& piece) const {
  std::vector<double> parts{0.0};
  cut(piece, 0.0, 1.0, 0, parts);
  std::vector<S> result;
  result.reserve(parts.size());
  for (const double part : parts) result.push_back(piece.start + S(part) * (piece.end - piece.start));
  return result;
}

#define CUTTLE_INSTANTIATE(S) template class TendonPanels<S>;
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
