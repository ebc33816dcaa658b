#include "bodies/rod/rod_tangent.h"

#include "bodies/rod/rod_tables.h"
#include "bodies/rod/rod_tangent_inward.h"
#include "spatial/choose_kernels.h"

CUTTLE_DECLARE_KERNELS(const RodTangentKernels<double>& rod_tangent_kernels())

namespace cuttle {
namespace {

template <typename S>
const RodTangentKernels<S>& rod_tangent_kernels();

/// The fastest that this CPU runs.
template <>
const RodTangentKernels<double>& rod_tangent_kernels<double>() {
  return CUTTLE_CHOSEN_KERNELS(rod_tangent_kernels());
}

template <>
const RodTangentKernels<long double>& rod_tangent_kernels<long double>() {
  return portable::rod::k_tangent_kernels<long double, long double>;
}

template <typename S>
class RodTangent final : public BodyTangentT<S> {
 public:
  explicit RodTangent(const RodTables<S>& tables) : tables_(tables) {}

  std::size_t tangent_memory_size() const override {
    const RodGrid<S>& grid = tables_.grid;
    return rod_tangent_memory_size(grid.coordinates, grid.steps, grid.main_steps);
  }
  void tangent_outward(const BodyStateT<S>& state, const WorkspaceT<S>& workspace, S* memory,
                       const PortTangentT<S>* ports) const override {
    rod_tangent_kernels<S>().outward(tables_.grid, state, workspace.persistent, memory, ports);
  }
  void tangent_inward(const BodyStateT<S>&, const CompositeT<S>* ports, const WorkspaceT<S>& workspace, S* memory,
                      BodyDerivativesT<S>& result) const override {
    rod_tangent_kernels<S>().inward(tables_.grid, ports, workspace.persistent, memory, result);
  }

 private:
  const RodTables<S>& tables_;
};

}  // namespace

std::size_t rod_tangent_memory_size(int coordinates, int steps, int main_steps) {
  return portable::rod::TangentMemoryParts(coordinates, steps, main_steps, 8).size;
}

template <typename S>
std::unique_ptr<BodyTangentT<S>> make_rod_tangent(const RodTables<S>& tables) {
  return std::make_unique<RodTangent<S>>(tables);
}

template std::unique_ptr<BodyTangentT<double>> make_rod_tangent(const RodTables<double>&);
template std::unique_ptr<BodyTangentT<long double>> make_rod_tangent(const RodTables<long double>&);

}  // namespace cuttle
