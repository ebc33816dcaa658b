#pragma once

#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/model/model.h"

namespace CUTTLE_API cuttle {

/// How far the rods of a robot are strained in a configuration, at their stations and ends. A fiber at (x, y) of a
/// section is stretched by the strains that coordinates bring: (sigma_z + kappa_x y - kappa_y x) beside its rest value.
/// Laws of elasticity go on where no material does: the numbers then mean nothing, and nobody would see it.
/// @code
/// const RodStrains strains(model);
/// const std::string trouble = strains.beyond_sense(equilibrium.q);
/// if (!trouble.empty()) std::cerr << trouble << '\n';
/// @endcode
class RodStrains {
 public:
  /// Bodies that are a line, of which the model knows stations; others are not looked at.
  explicit RodStrains(const Model& model);

  /// Whether every section is ahead of the one before: the stretch of the axis is above 0. @param q  configuration, nq.
  bool runs_forward(VectorInT<double> q) const;
  /// The worst that no material bears, with link, place and what it is: a fiber that is stretched to more than
  /// k_most_stretch times its length or to less than nothing, or sheared as much. @param q  configuration, nq.
  /// @return empty if there is none.
  std::string beyond_sense(VectorInT<double> q) const;

  static constexpr double k_most_stretch = 3.0;

 private:
  struct Place {
    int link, q, count;          ///< coordinates [q, q + count)
    double s;                    ///< along the rod [m]
    double half_x, half_y;       ///< of the section [m]; 0: not known
    Twist rest;                  ///< strain at q = 0
    std::vector<Twist> by_each;  ///< d(strain)/dq
  };
  std::vector<Place> places_;
  std::vector<std::string> names_;  ///< of links
};

}  // namespace cuttle
