#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "cuttle/algorithms/equilibrium_gradient.h"
#include "cuttle/algorithms/modes.h"
#include "cuttle/api.h"

namespace CUTTLE_API cuttle {

/// How fast a robot swings about an equilibrium, and how soon that ends.
template <typename S>
struct ModeNumbersT {
  S frequency;      ///< [Hz]
  S damping_ratio;  ///< 1
};

/// Derivatives of the modes of an equilibrium r(q, v, a, s; p) = 0, s' = h, by anything that the robot or its inputs
/// depend on. With a mode's right vector x and left vectors l, l' of forces and of state rates,
/// d lambda = -l d[r_q x + lambda r_v x + lambda^2 r_a x + r_s s] + l' d[h_q x + lambda h_v x + h_s s]: the derivatives
/// by parameters, with which the equilibrium moves, are exact; those along x are central differences of sixth order, of
/// about 1e-9. Of modes with equal eigenvalues, as a round rod has in its two planes, it is the mean of theirs.
/// @code
/// VariedRest varied(variable, arm);  // of differentiate
/// EquilibriumTangent(arm, data, loads, equilibrium).vary(varied_loads, varied);
/// const auto modes = ModeTangent(arm, data, loads, equilibrium).vary(varied_loads, 3, varied);
/// modes[0].frequency.derivative[k]
/// @endcode
class ModeTangent {
 public:
  /// @param count  only so many of the lowest modes, which large robots need; none: all.
  /// @throws ArgumentError for a robot with closed loops; SingularMassError if a motion moves no mass; StaticsError for
  /// a robot too large for matrices with forces that have no energy.
  ModeTangent(const Model& model, Data& data, const RestLoads& loads, const StaticEquilibrium& equilibrium,
              std::optional<int> count = {});
  ~ModeTangent();
  ModeTangent(ModeTangent&&) noexcept;

  /// By ascending |eigenvalue|, as modes() has them.
  const std::vector<Mode>& modes() const;
  /// The first modes with derivatives.
  /// @param at  as EquilibriumTangent::vary has filled it for these loads; its working memory is used.
  /// @throws StaticsError for more modes than there are, and for a mode without a frequency (eigenvalue zero).
  std::vector<ModeNumbersT<ForwardDual>> vary(const RestLoadsT<ForwardDual>& loads, std::size_t count,
                                              VariedRest& at) const;

 private:
  struct Factors;
  std::unique_ptr<Factors> factors_;
};

}  // namespace cuttle
