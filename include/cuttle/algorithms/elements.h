#pragma once

#include <vector>

#include "cuttle/api.h"
#include "cuttle/model/data.h"

namespace CUTTLE_API cuttle {

/// Results and working memory of what the elements of a model do. Made once; nothing is allocated later.
template <typename S>
struct ElementDataT {
  explicit ElementDataT(const ModelT<S>& model);

  MatrixXT<S> matrix;             ///< dy/dq transposed, nv x n of the n transmissions
  VectorXT<S> y, rate;            ///< n, actuation coordinates and dy/dt [rad, m, m^3]
  VectorXT<S> efforts;            ///< n
  VectorXT<S> states;             ///< of all elements
  VectorXT<S> state_rates;        ///< d states/dt
  VectorXT<S> outputs;            ///< of all elements, units of ModelT::element_output_info
  S stored_energy{};              ///< [J]
  S input_power{}, lost_power{};  ///< [W] that elements with inputs take from outside; that the others lose

  VectorXT<S> rest;        ///< n, of tendons and distances the length at q = 0
  std::vector<S> scratch;  ///< lent to the law of one element, and of solving for its states
};
using ElementData = ElementDataT<double>;

/// Where transmissions are and how fast: fills matrix, y and rate. @throws as actuation_matrix.
template <typename S>
CUTTLE_API void element_motion(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q, VectorInT<S> v,
                               ElementDataT<S>& elements);
/// Efforts, state rates, energy and powers at elements.states, after element_motion. Efforts f make the generalized
/// force matrix f.
/// @param u  inputs of the model, nu. @throws SimulationError that names an element whose law is not finite.
template <typename S>
CUTTLE_API void element_efforts(const ModelT<S>& model, double time, VectorInT<S> u, ElementDataT<S>& elements);
/// What the laws let record, after element_efforts at the same time and inputs.
template <typename S>
CUTTLE_API void element_outputs(const ModelT<S>& model, double time, VectorInT<S> u, ElementDataT<S>& elements);

}  // namespace cuttle
