#pragma once

#include <array>
#include <optional>
#include <vector>

#include "bodies/rod/rod_kernels.h"
#include "cuttle/bodies/hyperelastic_law.h"

namespace cuttle {

/// Everything that the sweeps and the elasticity of a discretized rod read, and nothing else.
template <typename S>
struct RodTables {
  RodTables() = default;
  RodTables(const RodTables&) = delete;
  RodTables& operator=(const RodTables&) = delete;
  virtual ~RodTables() = default;

  RodGrid<S> grid;
  S length{};  ///< L [m]
  /// Visco-elastic matrices of one component, modes x modes by rows; empty where a hyperelastic law stands instead.
  std::array<std::vector<S>, 6> stiffness, damping;
  /// What a component's stiffness has beyond `stiffness` in a polynomial of the strain; empty where nothing. Its energy
  /// is sum over the stations of rigidity (c1 e^3 / 3 + c2 e^4 / 4 + ..), e = shape . q.
  struct Stiffening {
    std::vector<S> factors;   ///< c1, c2, ..
    std::vector<S> rigidity;  ///< of the section times the station's weight
    std::vector<S> shape;     ///< stations x modes, by rows
  };
  std::array<Stiffening, 6> stiffening;
  std::optional<HyperelasticLawT<S>> bend, stretch;
  std::optional<S> damping_time;  ///< [s], of the hyperelastic laws

  // what `grid` points to
  std::vector<int> predecessor, port_step;
  std::vector<S> step_length, shape1, shape2, shape1_by_step, shape2_by_step, rest1, rest2, mass, rotary;

  /// To be called when the vectors above have been filled.
  void point_grid() {
    grid.predecessor = predecessor.data(), grid.port_step = port_step.data();
    grid.length = step_length.data(), grid.shape1 = shape1.data(), grid.shape2 = shape2.data();
    grid.shape1_by_step = shape1_by_step.data(), grid.shape2_by_step = shape2_by_step.data();
    grid.rest1 = rest1.data(), grid.rest2 = rest2.data(), grid.mass = mass.data(), grid.rotary = rotary.data();
  }
};

}  // namespace cuttle
