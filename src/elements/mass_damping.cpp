#include "cuttle/elements/mass_damping.h"

#include "cuttle/bodies/section_inertia.h"
#include "cuttle/error.h"
#include "cuttle/model/dissipative_load.h"
#include "elements/check_number.h"

namespace cuttle {

namespace {

/// -rate I V at each frame, I the inertia there.
template <typename S>
class MassDamping final : public StateLoadT<S>, public DissipativeLoad {
 public:
  MassDamping(const S& rate, std::vector<SpatialInertiaT<S>> inertias, std::vector<FrameT<S>> frames)
      : rate_(rate), inertias_(std::move(inertias)) {
    this->frames_ = std::move(frames);
  }

  int integral_count() const override { return 0; }
  ArticulatedInertiaT<S> added_inertia(int /*k*/) const override { return {}; }
  WrenchT<S> wrench(int k, double /*time*/, const FrameMotionT<S>& motion, const S* /*integrals*/) const override {
    return against(k, motion.velocity);
  }
  void integral_rates(double /*time*/, const FrameMotionT<S>& /*motion*/, S* /*rates*/) const override {}
  void derivatives(int k, double /*time*/, const FrameMotionT<S>& /*motion*/, const S* /*integrals*/,
                   StateLoadDerivativeT<S>& result) const override {
    for (auto* matrix : {&result.by_pose, &result.by_acceleration, &result.by_integral, &result.rate_by_pose,
                         &result.rate_by_velocity}) {
      matrix->setZero();
    }
    for (int j = 0; j < 6; ++j) {
      TwistT<S> unit = TwistT<S>::zero();
      unit[j] = S(1.0);
      const WrenchT<S> column = against(k, unit);
      for (int i = 0; i < 6; ++i) result.by_velocity(i, j) = column[i];
    }
  }

 private:
  WrenchT<S> against(int k, const TwistT<S>& velocity) const {
    const WrenchT<S> momentum = inertias_[k] * velocity;
    return {-(rate_ * momentum.torque), -(rate_ * momentum.force)};
  }
  S rate_;
  std::vector<SpatialInertiaT<S>> inertias_;
};

/// Its sections, if its mass lies in some that deform.
template <typename S>
const HasSectionsT<S>* sections_of(const BodyT<S>& body) {
  return body.coordinate_count() > 0 ? dynamic_cast<const HasSectionsT<S>*>(&body) : nullptr;
}

}  // namespace

template <typename S>
std::vector<LoadPointT<S>> MassDampingLawT<S>::points(const PlaceT<S>& place, const LinkT<S>* link) const {
  const BodyT<S>* body = link != nullptr ? link->body.get() : nullptr;
  if (body == nullptr || (body->coordinate_count() > 0 && sections_of(*body) == nullptr)) {
    throw ModelError("link", "'" + place.link + "'", "a link whose body is a rod or rigid");
  }
  const auto at = [&place](const PortLocationT<S>& location, const S& weight) {
    LoadPointT<S> point;
    point.place.link = place.link, point.place.at = location, point.weight = weight;
    return point;
  };
  if (body->coordinate_count() == 0) return {at(PortLocationT<S>::base(), S(1.0))};
  const auto stations = body->stations();
  std::vector<LoadPointT<S>> points;
  points.reserve(stations.size());
  for (const auto& station : stations) {
    points.push_back(at(PortLocationT<S>::section(station.s), station.weight));
  }
  return points;
}

template <typename S>
std::shared_ptr<const StateLoadT<S>> MassDampingLawT<S>::bind(std::vector<FrameT<S>> frames,
                                                              const LinkT<S>* link) const {
  check_not_negative("rate", rate_, "1/s");
  const BodyT<S>& body = *link->body;
  std::vector<SpatialInertiaT<S>> inertias;
  if (const HasSectionsT<S>* sections = sections_of(body)) {
    const auto stations = body.stations();
    inertias.reserve(stations.size());
    for (const auto& station : stations) {
      const SectionInertiaT<S> section = sections->section_inertia(station.s);
      const S m = station.weight * section.mass;
      const Vector3T<S> J = station.weight * section.moments;
      inertias.push_back({m, {}, SymmetricMatrix3T<S>::diagonal(J.x, J.y, J.z)});
    }
  } else {
    inertias.push_back(body.rest_inertia());
  }
  return std::make_shared<const MassDamping<S>>(rate_, std::move(inertias), std::move(frames));
}

#define CUTTLE_INSTANTIATE(S) template class MassDampingLawT<S>;
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
