#include <charconv>

#include "identification/quantities/quantity_kinds.h"

namespace cuttle {
namespace {

/// How fast the robot swings about its rest, or how soon that ends, as a tap and an accelerometer measure it.
struct MeasuredMode {
  std::size_t mode;
  bool is_frequency;
  template <typename S>
  S measure(const ObservedStateT<S>& state, std::size_t) const {
    const ModeNumbersT<S>& numbers = state.modes->at(mode);
    return is_frequency ? numbers.frequency : numbers.damping_ratio;
  }
  std::size_t mode_count() const { return mode + 1; }
};

}  // namespace

QuantityPointer mode_quantity(const std::string& name) {
  constexpr std::string_view k_head = "modes[";
  if (name.compare(0, k_head.size(), k_head) != 0) return nullptr;
  std::size_t mode = 0;
  const char* const end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(name.data() + k_head.size(), end, mode);
  const std::string_view what(rest, static_cast<std::size_t>(end - rest));
  if (error != std::errc() || (what != "].frequency" && what != "].damping_ratio")) return nullptr;
  return std::make_shared<MeasuredQuantityOf<MeasuredMode>>(MeasuredMode{mode, what == "].frequency"});
}

}  // namespace cuttle
