#pragma once

#include <cstddef>
#include <memory>

#include "bodies/rod/rod_kernels.h"

namespace cuttle {

template <typename S>
struct RodTables;

/// The sweeps of a rod's derivatives (cuttle/bodies/tangent.h); one table for each instruction set.
template <typename S>
struct RodTangentKernels {
  void (*outward)(const RodGrid<S>&, const BodyStateT<S>&, S* kept, S* memory, const PortTangentT<S>*);
  void (*inward)(const RodGrid<S>&, const CompositeT<S>* ports, S* kept, S* memory, BodyDerivativesT<S>&);
};

/// Scalars that they need.
std::size_t rod_tangent_memory_size(int coordinates, int steps, int main_steps);

/// What a rod with these tables, which must live on, answers to BodyT::tangent. For double and long double.
template <typename S>
std::unique_ptr<BodyTangentT<S>> make_rod_tangent(const RodTables<S>& tables);

}  // namespace cuttle
