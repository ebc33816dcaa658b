// Strain of a rod: of a cross-section, or of a fiber beside the axis.
#include <cmath>
#include <utility>

#include "cuttle/bodies/slender.h"
#include "cuttle/error.h"
#include "cuttle/sensors/sensors.h"
#include "spatial/number_text.h"

namespace cuttle {
namespace {

/// The strain at s is affine in the coordinates of the rod: xi = rest + sum of shape[k] q_k.
class BoundStrain final : public BoundSensor {
 public:
  BoundStrain(const SlenderT<double>& rod, int q, int count, const StrainPlace& place)
      : shape_(static_cast<std::size_t>(count)), q_(q), offset_(place.offset) {
    rod.strain_map(place.s, rest_, shape_.data());
  }
  void read(const SensorArguments& at, double* values) override {
    Twist xi = rest_;
    for (std::size_t k = 0; k < shape_.size(); ++k) xi += at.q[q_ + static_cast<Eigen::Index>(k)] * shape_[k];
    if (!offset_) {
      for (int k = 0; k < 3; ++k) values[k] = xi.angular[k], values[3 + k] = xi.linear[k];
      return;
    }
    const Vector3 place{(*offset_)[0], (*offset_)[1], 0.0};
    values[0] = norm(xi.linear + cross(xi.angular, place)) / norm(rest_.linear + cross(rest_.angular, place)) - 1.0;
  }

 private:
  Twist rest_;
  std::vector<Twist> shape_;
  int q_;
  std::optional<std::array<double, 2>> offset_;
};

class StrainSensor final : public Sensor {
 public:
  explicit StrainSensor(StrainPlace place) : place_(std::move(place)) {}
  std::string type_name() const override { return "strain"; }
  const StrainPlace& place() const { return place_; }

  std::vector<CoordinateInfo> columns(const Model& model) const override {
    const SlenderT<double>& rod = this->rod(model);
    if (!(place_.s >= 0.0 && place_.s <= rod.length())) {
      throw ModelError("s", number_text(place_.s), "0 to " + number_text(rod.length()) + " [m], the rod's length");
    }
    if (place_.offset) return {{"elongation", "1"}};
    return {{"kappa_x", "rad/m"}, {"kappa_y", "rad/m"}, {"kappa_z", "rad/m"},
            {"sigma_x", "1"},     {"sigma_y", "1"},     {"sigma_z", "1"}};
  }
  std::unique_ptr<BoundSensor> bind(const Model& model, const std::vector<Frame>& /*frames*/) const override {
    const LinkInfoT<double>& link = model.links()[static_cast<std::size_t>(model.link_index(place_.link))];
    return std::make_unique<BoundStrain>(rod(model), link.q + link.joint_nq, link.nv - link.joint_nv, place_);
  }

 private:
  const SlenderT<double>& rod(const Model& model) const {
    const std::vector<Link>& links = model.robot().links;
    for (const Link& link : links) {
      if (link.name != place_.link) continue;
      if (const SlenderT<double>* rod = link.body ? link.body->slender() : nullptr) return *rod;
      throw ModelError("link", "'" + place_.link + "', which has no rod", "a link whose body is a rod");
    }
    throw ModelError("link", "link '" + place_.link + "'", "the name of a link");
  }
  StrainPlace place_;
};

}  // namespace

std::shared_ptr<const Sensor> make_strain_sensor(StrainPlace place) {
  return std::make_shared<const StrainSensor>(std::move(place));
}
const StrainPlace* strain_sensor_place(const Sensor& sensor) {
  const auto* strain = dynamic_cast<const StrainSensor*>(&sensor);
  return strain != nullptr ? &strain->place() : nullptr;
}

}  // namespace cuttle
