#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "control/drives.h"
#include "control/output_law.h"
#include "control/path_reference.h"
#include "control/plant.h"
#include "control/setting_numbers.h"

namespace cuttle {

/// A law of the library: all that there is to say of it, in its own file.
template <typename Settings>
struct LawT {
  using Bind = std::function<std::unique_ptr<OutputLaw>(const Model& model, const Settings& settings,
                                                        const ControlPlaces& places)>;
  const char* type;
  const char* about = "";                                         ///< for users
  const char* example = "";                                       ///< YAML
  void (*describe)(Settings& settings, SettingVisitor& visitor);  ///< shows its own settings, in the order of files
  Bind bind;
  Controls controls = Controls::inputs;
  bool solves_motion = false, runs_in_copies = true;  ///< as Controller has them

  void show(Settings& settings, SettingVisitor& visitor) const {
    describe(settings, visitor);
    visitor.common(settings);
  }
};

/// Inputs that a controller drives. Those of elements are none: what they do is the element's matter.
void place_inputs(const Model& model, const std::vector<std::string>& names, ControlPlaces& places);
void place_coordinates(const Model& model, const ControlledLinks& names, ControlPlaces& places);
/// Window, clock, noise and limits around a law.
std::unique_ptr<ControlLaw> clocked_law(const Model& model, const ControlSettings& settings,
                                        const ControlPlaces& places, std::unique_ptr<OutputLaw> law);
/// @throws ArgumentError for a window or clock that makes no sense on any robot.
void check_common(const ControlSettings& settings);

/// A law with its settings.
template <typename Settings>
class ClockedController final : public Controller {
 public:
  ClockedController(LawT<Settings> law, Settings settings) : law_(std::move(law)), settings_(std::move(settings)) {
    check_common(settings_);
  }
  std::string type_name() const override { return law_.type; }
  bool solves_motion() const override { return law_.solves_motion; }
  bool runs_in_copies() const override { return law_.runs_in_copies; }
  bool acts_at_every_instant() const override { return !settings_.rate; }
  std::vector<ControllerNumber> numbers() const override {
    Settings settings = settings_;
    return setting_numbers(shown(settings));
  }
  std::shared_ptr<const Controller> with_number(const std::string& key, double value) const override {
    Settings changed = settings_;
    set_number(shown(changed), key, value);
    return std::make_shared<ClockedController>(law_, std::move(changed));
  }
  std::unique_ptr<ControlLaw> bind(const Model& model) const override {
    ControlPlaces places;
    place_inputs(model, settings_.inputs, places);
    if constexpr (requires { settings_.links; }) {
      if (law_.controls == Controls::configuration) {
        place_coordinates(model, settings_.links, places);
      } else if (!settings_.links.empty()) {
        throw ArgumentError(Diagnostic("links", "it", "none: the law is on actuation coordinates"));
      }
    }
    if constexpr (requires { settings_.path; }) {
      if (settings_.path) {
        Settings on_path = settings_;
        on_path.reference = kept_path_.reference(model, settings_, places, law_.controls);
        return clocked_law(model, on_path, places, law_.bind(model, on_path, places));
      }
    }
    return clocked_law(model, settings_, places, law_.bind(model, settings_, places));
  }
  std::vector<double> discontinuities() const override {
    std::vector<double> times;
    for (const double time : {settings_.begin, settings_.end}) {
      if (std::isfinite(time)) times.push_back(time);
    }
    if (settings_.rate) return times;
    Settings settings = settings_;
    for (const double time : signal_discontinuities(shown(settings))) {
      if (time > settings_.begin && time < settings_.end) times.push_back(time);
    }
    return times;
  }

 private:
  ShowSettings shown(Settings& settings) const {
    return [this, &settings](SettingVisitor& visitor) { law_.show(settings, visitor); };
  }

  LawT<Settings> law_;
  Settings settings_;
  KeptPathReference kept_path_;
};

/// LawT::Bind of a class of laws.
template <typename Law, typename Settings>
std::unique_ptr<OutputLaw> bind_law(const Model& model, const Settings& settings, const ControlPlaces& places) {
  return std::make_unique<Law>(model, settings, places);
}
/// The same of one that solves for efforts: it is tried, and its efforts become inputs.
template <typename Law, typename Settings>
std::unique_ptr<OutputLaw> bind_effort_law(const Model& model, const Settings& settings, const ControlPlaces& places) {
  auto law = std::make_unique<Law>(model, settings, places);
  try_law(model, *law, places);
  return through_drives(model, places, std::move(law));
}

template <typename Settings>
std::shared_ptr<const Controller> clocked_controller(LawT<Settings> law, Settings settings) {
  return std::make_shared<ClockedController<Settings>>(std::move(law), std::move(settings));
}

/// A law as files have it: some settings are shown to who documents or reads them, and a controller made of them.
struct LibraryLaw {
  const char *type, *about, *example;
  std::function<void(SettingVisitor& visitor)> show;
  std::function<std::shared_ptr<const Controller>(SettingVisitor& reader)> read;
};
template <typename Settings>
LibraryLaw library_law(const LawT<Settings>& law, std::shared_ptr<const Controller> (*make)(Settings)) {
  const auto shown = [law](SettingVisitor& visitor) {
    Settings settings;
    law.show(settings, visitor);
    return settings;
  };
  return {law.type, law.about, law.example, shown, [=](SettingVisitor& reader) { return make(shown(reader)); }};
}

/// All of them, a line each.
const std::vector<LibraryLaw>& library_laws();

}  // namespace cuttle
