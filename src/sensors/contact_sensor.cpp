// What a contact does, as a force-torque sensor says it: about a frame and in its axes.
#include <algorithm>
#include <utility>

#include "cuttle/algorithms/contact_resultant.h"
#include "cuttle/algorithms/sites.h"
#include "cuttle/algorithms/state_layout.h"
#include "cuttle/error.h"
#include "cuttle/model/spelling.h"
#include "cuttle/sensors/sensors.h"

namespace cuttle {
namespace {

class BoundContactSensor final : public BoundSensor {
 public:
  BoundContactSensor(const Model& model, const std::string& contact, const Frame& frame)
      : sites_(model), layout_(state_layout(model)), frame_(frame) {
    for (const SitePlace& place : sites_.places()) {
      if (sites_.law(place).name() == contact) its_.push_back(&place);
    }
  }

  void read(const SensorArguments& at, double* values) override {
    sites_.take(at.kinematics, at.time, layout_.sites_of(at.auxiliary));
    ContactResultant whole;
    for (const SitePlace* place : its_) {
      whole.add(at.at_rest ? observe_at_rest(sites_, *place, at.time) : sites_.observe(*place));
    }
    const Pose pose = at.kinematics.pose(frame_);
    const Vector3 torque = pose.rotation.transpose_times(whole.torque - cross(pose.position, whole.force));
    const Vector3 force = pose.rotation.transpose_times(whole.force);
    for (int k = 0; k < 3; ++k) values[k] = torque[k], values[3 + k] = force[k];
  }

 private:
  Sites sites_;
  StateLayout layout_;
  Frame frame_;
  std::vector<const SitePlace*> its_;
};

}  // namespace

std::vector<CoordinateInfo> ContactSensor::columns(const Model& model) const {
  std::vector<std::string> known;
  for (const Contact& contact : model.robot().contacts) known.push_back(contact.name);
  if (std::find(known.begin(), known.end(), contact_) == known.end()) {
    throw ModelError("contact", "contact '" + contact_ + "'",
                     known.empty() ? "the name of a contact, of which the robot has none"
                                   : "the name of a contact" + did_you_mean(contact_, known));
  }
  return {{"tx", "N m"}, {"ty", "N m"}, {"tz", "N m"}, {"fx", "N"}, {"fy", "N"}, {"fz", "N"}};
}

std::unique_ptr<BoundSensor> ContactSensor::bind(const Model& model, const std::vector<Frame>& frames) const {
  return std::make_unique<BoundContactSensor>(model, contact_, frames.front());
}

std::shared_ptr<const Sensor> make_contact_sensor(std::string contact, Place place) {
  return std::make_shared<const ContactSensor>(std::move(contact), std::move(place));
}

}  // namespace cuttle
