#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/bodies/body.h"
#include "cuttle/bodies/chamber_surface.h"
#include "cuttle/model/cloned_by_cast.h"
#include "cuttle/model/place.h"
#include "cuttle/model/routing.h"

namespace CUTTLE_API cuttle {

template <typename S>
struct RobotT;
template <typename S>
struct TransmissionsT;  // model.h
template <typename S>
class PortRequestsT;  // transmission_binder.h
template <typename S>
class TransmissionBinderT;  // transmission_binder.h

/// A coordinate of a link: of its joint first, then of its body.
struct LinkCoordinate {
  std::string link;
  int index = 0;
  bool operator==(const LinkCoordinate&) const = default;
};

/// How a transmission is drawn.
struct TransmissionPicture {
  /// A cavity under pressure: in a volume, or along a rod at an offset from its axis.
  struct Chamber {
    ChamberPlace chamber;
    std::array<double, 2> offset{};  ///< in the rod's section axes [m]
    double area = 0.0;               ///< of its cross-section along the rod [m^2]
  };
  std::vector<std::variant<Routing, Place>> line{};  ///< through these, one after the other
  std::optional<Chamber> chamber{};
};

/// Something that `cuttle info` says of an input.
struct TransmissionDetail {
  std::string key;
  std::variant<double, std::string> value;
};

/// An input counts as one that moves nothing if no entry of its column of A(q), relative to the size of y, is above
/// `limit` (algorithms/idle_inputs.h).
struct IdleRule {
  double limit = 0.0;
  std::string why = "its column of the actuation matrix is zero";
};
/// Of lengths and volumes. Rounding stays below 1e-13; a tendon a thousandth of its length off the middle has 1e-3.
inline constexpr double k_idle_limit = 1e-10;
/// Of chambers in bodies whose kinematics preserve volume: what their pressures do there is the error of few points on
/// their surfaces, up to 3e-4.
inline constexpr double k_idle_limit_of_kept_volumes = 1e-3;

/// A way through which efforts act on a robot: actuation coordinates y(q), and with them the generalized force
/// (dy/dq)^T u of efforts u. An actuator's efforts are its inputs, an element's follow from its law. Kinds are in
/// cuttle/model/transmissions; one of your own is a formula (CoordinateTransmission). Const once made; shared by robots
/// and models.
template <typename S>
class TransmissionT {
 public:
  virtual ~TransmissionT() = default;

  virtual std::string type_name() const = 0;  ///< as in the file
  /// Names of its efforts within an actuator; "" for the actuator's own.
  virtual std::vector<std::string> inputs() const { return {""}; }
  /// The links that it acts on, a tendon's in the order of its routing.
  virtual std::vector<std::string> links() const = 0;

  /// Looks at its own numbers. @throws ModelError: key, what was found, what was expected.
  virtual void check() const {}
  /// Asks bodies for the places at which it acts on frames of theirs, while a Model is built.
  virtual void request_ports(PortRequestsT<S>& /*ports*/) const {}
  /// Adds itself to a Model: as many transmissions as it has inputs, in their order.
  /// @throws ModelError if it cannot act there.
  virtual void bind(TransmissionBinderT<S>& to) const = 0;

  virtual TransmissionPicture picture() const { return {}; }
  /// What describes an input beside type and links. @param bound  of the model, with this as its `input`.
  virtual std::vector<TransmissionDetail> details(const TransmissionsT<S>& /*bound*/, int /*input*/) const {
    return {};
  }
  virtual IdleRule idle_rule(const RobotT<S>& /*robot*/) const { return {}; }
  /// Where a range for inputs that are set by hand begins, if it ends at 1.
  virtual double least_input() const { return -1.0; }

  /// The same for another scalar.
  virtual std::shared_ptr<const TransmissionT<double>> clone_as(ScalarTag<double>) const = 0;
  virtual std::shared_ptr<const TransmissionT<long double>> clone_as(ScalarTag<long double>) const = 0;
  virtual std::shared_ptr<const TransmissionT<ForwardDual>> clone_as(ScalarTag<ForwardDual>) const = 0;
};
using Transmission = TransmissionT<double>;

/// What a `Kind<S>` of transmission with `template <T> Kind<T> cast() const` derives from.
template <template <typename> class Kind, typename S>
using CastTransmission = ClonedByCast<TransmissionT, Kind, S>;

}  // namespace cuttle
