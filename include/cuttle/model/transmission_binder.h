#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/model/model.h"

// What a transmission talks to while a Model is built.

namespace CUTTLE_API cuttle {

/// First its places, which bodies make frames of.
template <typename S>
class PortRequestsT {
 public:
  virtual ~PortRequestsT() = default;
  /// Null: the link has none, or there is no such link.
  virtual const BodyT<S>* body(const std::string& link) const = 0;
  /// Nothing if there is no such link: that is for `bind` to say.
  /// @throws ModelError about the place if the link's body has no such one.
  virtual void want(const std::string& link, const PortLocationT<S>& at) = 0;
};

/// A link, and its body's coordinates in the robot's.
template <typename S>
struct LinkBindingT {
  const LinkInfoT<S>* info;
  const BodyT<S>* body;  ///< null: none
  int body_index;        ///< of the topology's; -1: none, or one without coordinates
  int q, v, nv;
};

/// Then the model, whose links, coordinates and frames are there. Each `add_` is one more transmission.
template <typename S>
class TransmissionBinderT {
 public:
  virtual ~TransmissionBinderT() = default;
  virtual const ModelT<S>& model() const = 0;
  /// @throws ModelError at `link` if there is no such link.
  virtual LinkBindingT<S> link(const std::string& name) const = 0;
  /// Of a place for which a port was asked. @throws ModelError about the link or the place.
  virtual FrameT<S> frame(const PlaceT<S>& place) const = 0;
  /// Of the frame's origin, world axes, in the neutral configuration.
  virtual Vector3T<S> rest_position(const FrameT<S>& frame) const = 0;

  /// y is linear in the configuration. @param y_at_zero  y at q = 0.
  /// @return its column, nv zeros to be filled.
  virtual VectorXT<S>& add_linear(const std::string& unit, const S& y_at_zero) = 0;
  virtual void add_tendon(BoundTendonT<S> tendon) = 0;
  virtual void add_chamber(BoundChamberT<S> chamber) = 0;
  virtual void add_wrench(BoundWrenchT<S> wrench) = 0;  ///< six
  virtual void add_function(const std::string& unit, const std::vector<LinkCoordinate>& coordinates,
                            std::shared_ptr<const CoordinateFunctionT<S>> function) = 0;
};

}  // namespace cuttle
