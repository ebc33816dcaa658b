#include <algorithm>
#include <cmath>
#include <random>
#include <type_traits>

#include "cuttle/error.h"
#include "model/model_builder.h"

// [P] Assumption 2: what hangs at a body's tip takes the contact area there for rigid.

namespace cuttle {
namespace {

/// Names of the coordinates that change distances between the points.
class ContactArea {
 public:
  explicit ContactArea(const Body& body)
      : body_(body), n_(body.coordinate_count()), x_(body.tip_area()), p_(x_.size()), slopes_(x_.size() * n_) {
    for (const Vector3& a : x_) {
      for (const Vector3& b : x_) extent_ = std::max(extent_, norm(a - b));
    }
  }

  std::vector<std::string> deforming_coordinates() {
    std::vector<double> q(n_, 0.0), size(n_);
    std::vector<bool> deforms(n_, false);
    move(q);
    for (int j = 0; j < n_; ++j) size[j] = sensible_size(j);
    const auto judge = [&](int j) { deforms[j] = deforms[j] || size[j] * largest_change(j) > k_rigid; };
    const auto try_shape = [&] {
      try {
        move(q);
      } catch (const ConfigurationError&) {
        return false;  // no shape to judge
      }
      return true;
    };
    for (int j = 0; j < n_; ++j) {  // those that do it alone
      q[j] = size[j];
      if (try_shape()) judge(j);
      q[j] = 0.0;
    }
    if (std::count(deforms.begin(), deforms.end(), true) > 0) return names_of(deforms);
    // or together with others
    constexpr int k_samples = 3;
    std::minstd_rand random(1);
    const auto uniform = [&random] { return 2.0 * static_cast<double>(random()) / std::minstd_rand::max() - 1.0; };
    for (int sample = 0; sample < k_samples; ++sample) {
      for (int j = 0; j < n_; ++j) q[j] = size[j] * uniform();
      const bool defined = try_shape();
      for (int j = 0; defined && j < n_; ++j) judge(j);
    }
    return names_of(deforms);
  }

 private:
  static constexpr double k_rigid = 1e-9;  ///< relative change of a squared distance that is none

  std::vector<std::string> names_of(const std::vector<bool>& deforms) const {
    std::vector<std::string> names;
    for (int j = 0; j < n_; ++j) {
      if (deforms[j]) names.push_back(body_.coordinates()[j].name);
    }
    return names;
  }

  void move(const std::vector<double>& q) {
    body_.material_points(q.data(), x_.data(), x_.size(), {p_.data(), slopes_.data()});
  }
  /// A tenth of the contact area's extent in motion; of what moves nothing there at rest, a guess by its unit.
  double sensible_size(int j) const {
    double speed = 0.0;
    for (std::size_t i = 0; i < x_.size(); ++i) speed = std::max(speed, norm(slopes_[i * n_ + j]));
    if (speed > 1e-12) return 0.1 * extent_ / speed;
    return body_.coordinates()[j].unit == "rad" ? 0.1 : 0.1 * extent_;
  }
  /// Of d|p_i - p_k|^2/dq_j over pairs of points, relative to the extent.
  double largest_change(int j) const {
    double largest = 0.0;
    for (std::size_t i = 0; i < x_.size(); ++i) {
      for (std::size_t k = 0; k < i; ++k) {
        const double change = 2.0 * dot(p_[i] - p_[k], slopes_[i * n_ + j] - slopes_[k * n_ + j]);
        largest = std::max(largest, std::abs(change));
      }
    }
    return largest / (extent_ * extent_);
  }

  const Body& body_;
  int n_;
  std::vector<Vector3> x_, p_, slopes_;
  double extent_ = 0.0;
};

}  // namespace

/// Warns of bodies whose tip carries a link and deforms. The last body of a chain may ([P] 7.2), and so may one whose
/// children hang elsewhere.
template <typename S>
void ModelBuilderT<S>::check_contact_areas() {
  if constexpr (std::is_same_v<S, double>) {
    for (std::size_t i = 0; i < robot_.links.size(); ++i) {
      const Body* body = robot_.links[i].body.get();
      if (body == nullptr || body->tip_area().empty()) continue;
      std::string child;
      for (std::size_t k = i + 1; k < robot_.links.size() && child.empty(); ++k) {
        const bool at_tip = robot_.links[k].parent.at.kind == PortLocationT<S>::Kind::tip;
        if (at_tip && parent_of(static_cast<int>(k)) == static_cast<int>(i)) child = robot_.links[k].name;
      }
      if (child.empty()) continue;
      const std::vector<std::string> names = ContactArea(*body).deforming_coordinates();
      if (names.empty()) continue;
      constexpr std::size_t k_listed = 6;
      std::string list;
      for (std::size_t k = 0; k < std::min(names.size(), k_listed); ++k) {
        list += k > 0 ? ", " : "";
        list += names[k];
      }
      if (names.size() > k_listed) list += " and " + std::to_string(names.size() - k_listed) + " more";
      std::string text = "the contact area at the tip, where '";
      text.append(child).append("' is attached, deforms with ").append(list);
      text +=
          ": the tip frame follows three of its points; look in the viewer how far it deforms, or take modes that "
          "keep its shape (Assumption 2 of Pustina 2025)";
      Diagnostic warning("body", text);
      model_.warnings_.push_back(warning.place_in({"links", i}, robot_.links[i].name));
    }
  }
}

#define CUTTLE_INSTANTIATE(S) template void ModelBuilderT<S>::check_contact_areas();
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
