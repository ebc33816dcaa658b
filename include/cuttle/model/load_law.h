#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/bodies/body.h"
#include "cuttle/model/cloned_by_cast.h"
#include "cuttle/model/place.h"
#include "cuttle/model/signal.h"
#include "cuttle/model/state_load.h"

namespace CUTTLE_API cuttle {

template <typename S>
struct LinkT;

/// Force and torque as functions of time.
struct TimedWrench {
  Signal force[3], torque[3];  ///< [N, N m]; of a load along a link, those of a meter
  Axes axes = Axes::world;     ///< body: they follow the frame at which they act
};

/// A place at which a load acts.
template <typename S>
struct LoadPointT {
  PlaceT<S> place;
  S weight = S(1.0);  ///< of a load along a link the length that the point stands for [m]
};

/// Something that `cuttle info` says of a load.
struct LoadDetail {
  std::string key;
  std::variant<bool, double, std::vector<double>, std::string> value;
};

/// The law of a load: a wrench as a function of time (`timed`), or of time and motion (`bind`; StateLoadLaw writes that
/// from one formula). Const once made; shared by robots and models.
template <typename S>
class LoadLawT {
 public:
  virtual ~LoadLawT() = default;

  virtual std::string type_name() const = 0;  ///< as in the file

  /// It acts all along the link of its place.
  virtual bool along_link() const { return false; }
  /// Where it acts. @param link  that of the place; null for the base and for a name that no link has.
  /// @throws ModelError if it cannot act there.
  virtual std::vector<LoadPointT<S>> points(const PlaceT<S>& place, const LinkT<S>* /*link*/) const {
    return {{place, S(1.0)}};
  }

  /// The wrench of a load that depends on time alone, at each of its points by weight. Such loads run in packs of
  /// robots and are drawn as arrows. Null: it depends on the motion.
  virtual const TimedWrench* timed() const { return nullptr; }
  /// The load at frames of a model, one a point. Of laws without `timed`.
  /// @throws ModelError: key, what was found, what was expected, if its numbers are wrong.
  virtual std::shared_ptr<const StateLoadT<S>> bind(std::vector<FrameT<S>> /*frames*/, const LinkT<S>* /*link*/) const {
    return nullptr;
  }
  /// Integrals along the motion that it keeps: 0 to 6.
  virtual int integral_count() const { return 0; }

  /// All signals that it follows.
  virtual std::vector<Signal> signals() const {
    std::vector<Signal> all;
    if (const TimedWrench* wrench = timed()) {
      for (const auto* three : {&wrench->force, &wrench->torque}) {
        all.insert(all.end(), std::begin(*three), std::end(*three));
      }
    }
    return all;
  }
  /// Times at which it jumps or bends: by default those of its signals.
  virtual std::vector<double> discontinuities() const {
    std::vector<double> times;
    for (const Signal& signal : signals()) {
      const std::vector<double> own = signal.discontinuities();
      times.insert(times.end(), own.begin(), own.end());
    }
    return times;
  }
  /// What describes it beside type, place and whether it varies; signals as they are at time 0.
  virtual std::vector<LoadDetail> details() const { return {}; }

  /// The same law for another scalar; null if it has only one.
  virtual std::shared_ptr<const LoadLawT<double>> clone_as(ScalarTag<double>) const { return nullptr; }
  virtual std::shared_ptr<const LoadLawT<long double>> clone_as(ScalarTag<long double>) const { return nullptr; }
  virtual std::shared_ptr<const LoadLawT<ForwardDual>> clone_as(ScalarTag<ForwardDual>) const { return nullptr; }
};
using LoadLaw = LoadLawT<double>;

/// Three signals at the start, for LoadLawT::details.
inline std::vector<double> values_at_start(const Signal (&signals)[3]) {
  return {signals[0].at(0.0), signals[1].at(0.0), signals[2].at(0.0)};
}

}  // namespace cuttle
