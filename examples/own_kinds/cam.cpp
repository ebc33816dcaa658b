// A transmission: a noncircular pulley on a joint. Its lever arm is r (1 + e cos(q - p)) at the joint's angle q, so
// that y(q) = r (q + e (sin(q - p) + sin p)) of a cable is wound; a pull u on the cable makes the torque (dy/dq) u. An
// actuator pulls by its input, an element by a spring at the end of the cable.
#include <cuttle/model/coordinate_transmission.h>

#include <cmath>

#include "own_kinds.h"

using namespace cuttle::key;

namespace {

template <typename S>
struct CamParameters {
  cuttle::LinkCoordinate joint;
  S radius, eccentricity, phase;
};

template <typename S>
class CamTransmission final : public cuttle::CoordinateTransmission<CamTransmission, S, 1> {
 public:
  explicit CamTransmission(CamParameters<S> cam) : cam_(std::move(cam)) {}

  std::string type_name() const override { return "cam"; }
  std::array<cuttle::LinkCoordinate, 1> coordinates() const override { return {cam_.joint}; }
  std::string unit() const override { return "N"; }
  template <typename T>
  T y(const T* q) const {
    using std::sin;
    const T phase(cam_.phase);
    return T(cam_.radius) * (q[0] + T(cam_.eccentricity) * (sin(q[0] - phase) + sin(phase)));
  }
  template <typename T>
  CamTransmission<T> cast() const {
    return CamTransmission<T>({cam_.joint, cuttle::scalar_cast<T>(cam_.radius),
                               cuttle::scalar_cast<T>(cam_.eccentricity), cuttle::scalar_cast<T>(cam_.phase)});
  }

  const CamParameters<S>& parameters() const { return cam_; }

 private:
  CamParameters<S> cam_;
};

std::vector<cuttle::Key> with_cam_keys(std::vector<cuttle::Key> keys) {
  const auto add = [&keys](cuttle::Key key) { keys.push_back(std::move(key)); };
  add(cuttle::link_key("Link on whose joint the pulley sits."));
  add(cuttle::index_key());
  add(required(number("radius", cuttle::k_positive, "m")).about("Mean lever arm of the cable."));
  add(number("eccentricity", cuttle::NumberRange{0.0, 1.0, false, true}, "")
          .about("How far the lever arm is off its mean, relative to that.")
          .by_default("0"));
  add(number("phase", cuttle::k_any_number, "rad").about("Where the lever arm is longest.").by_default("0"));
  return keys;
}

template <typename S>
std::shared_ptr<const cuttle::TransmissionT<S>> read_cam(const cuttle::PartReader<S>& part) {
  CamParameters<S> cam;
  cam.joint = part.joint_coordinate();
  cam.radius = part.number("radius"), cam.eccentricity = part.number("eccentricity");
  cam.phase = part.number("phase");
  return std::make_shared<const CamTransmission<S>>(std::move(cam));
}

void write_cam(const cuttle::Transmission& transmission, cuttle::MapWriter& map) {
  const auto& cam = dynamic_cast<const CamTransmission<double>&>(transmission).parameters();
  map.text("link", cam.joint.link);
  map.integer("index", cam.joint.index, 0);
  map.number("radius", cam.radius);
  map.number("eccentricity", cam.eccentricity, 0.0);
  map.number("phase", cam.phase, 0.0);
}

const cuttle::KeyTable k_cam_keys{.keys = cuttle::actuator_keys(with_cam_keys({}))};

template <typename S>
std::optional<cuttle::ActuatorT<S>> read_cam_actuator(const cuttle::PartReader<S>& part) {
  return cuttle::ActuatorT<S>{part.name(), read_cam(part)};
}

void write_cam_actuator(const cuttle::Actuator& actuator, cuttle::MapWriter& map) {
  write_cam(*actuator.transmission, map);
}

/// Pulls the cable back by pretension + stiffness y.
template <typename S>
class CamSpringLaw final : public cuttle::EffortLaw<CamSpringLaw, S, 1> {
 public:
  CamSpringLaw(const S& stiffness, const S& pretension) : stiffness_(stiffness), pretension_(pretension) {}

  std::string type_name() const override { return "cam_spring"; }
  template <typename T>
  void law(const cuttle::EffortArgumentsT<T>& at, T* efforts, T*) const {
    efforts[0] = -(T(pretension_) + T(stiffness_) * at.y[0]);
  }
  template <typename T>
  T energy(const cuttle::EffortArgumentsT<T>& at) const {
    return at.y[0] * (T(pretension_) + T(0.5) * T(stiffness_) * at.y[0]);
  }
  template <typename T>
  CamSpringLaw<T> cast() const {
    return {cuttle::scalar_cast<T>(stiffness_), cuttle::scalar_cast<T>(pretension_)};
  }

  const S& stiffness() const { return stiffness_; }
  const S& pretension() const { return pretension_; }

 private:
  S stiffness_, pretension_;
};

const cuttle::KeyTable k_spring_keys{
    .keys = cuttle::element_keys(with_cam_keys(
        {required(number("stiffness", cuttle::k_not_negative, "N/m")).about("Pull for each meter that is wound."),
         number("pretension", cuttle::k_any_number, "N").about("Pull at q = 0.").by_default("0")}))};

template <typename S>
std::optional<cuttle::ElementT<S>> read_cam_spring(const cuttle::PartReader<S>& part) {
  const S stiffness = part.number("stiffness"), pretension = part.number("pretension");
  return cuttle::ElementT<S>{
      part.name(), {read_cam(part)}, std::make_shared<const CamSpringLaw<S>>(stiffness, pretension)};
}

void write_cam_spring(const cuttle::Element& element, cuttle::MapWriter& map) {
  const auto& law = dynamic_cast<const CamSpringLaw<double>&>(*element.law);
  write_cam(*element.through.at(0), map);
  map.number("stiffness", law.stiffness());
  map.number("pretension", law.pretension(), 0.0);
}

}  // namespace

cuttle::ActuatorKind cam_kind() {
  return {"cam",
          &k_cam_keys,
          "A cable on a noncircular pulley, pulled by u [N]; y is how much of it is wound.",
          "{name: winch, type: cam, link: arm, radius: 0.02, eccentricity: 0.3}",
          read_cam_actuator<double>,
          read_cam_actuator<cuttle::ForwardDual>,
          write_cam_actuator};
}

cuttle::ElementKind cam_spring_kind() {
  return {"cam_spring",
          &k_spring_keys,
          "A spring whose cable is wound by a noncircular pulley.",
          "{name: balance, type: cam_spring, link: arm, radius: 0.02, eccentricity: 0.3, stiffness: 400}",
          read_cam_spring<double>,
          read_cam_spring<cuttle::ForwardDual>,
          write_cam_spring};
}
