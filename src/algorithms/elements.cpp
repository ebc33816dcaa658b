#include "cuttle/algorithms/elements.h"

#include <cmath>

#include "algorithms/element_slopes.h"
#include "cuttle/error.h"

namespace cuttle {
namespace {

/// Where the law of an element gives nothing finite: net - net is 0 for finite numbers alone.
template <typename S>
void require_finite_law(const BoundElementT<S>& element, double time, const S& net) {
  if constexpr (!k_has_lanes<S>) {
    if (!any(net - net != S(0.0))) return;
    throw SimulationError(described(element) + ": its law (" + element.law->type_name() +
                          ") gives a power that is not finite at t = " + std::to_string(time) + " s");
  }
}

}  // namespace

template <typename S>
ElementDataT<S>::ElementDataT(const ModelT<S>& model) {
  const int n = model.element_transmissions().count();
  matrix.setZero(model.nv(), n);
  for (VectorXT<S>* x : {&y, &rate, &efforts, &rest}) x->setZero(n);
  states = model.element_start();
  state_rates.setZero(states.size());
  outputs.setZero(static_cast<Eigen::Index>(model.element_output_info().size()));
  for (const auto& tendon : model.element_transmissions().tendons) rest[tendon.input] = tendon.rest_length;
  scratch.resize(element_scratch_size(model));
}

template <typename S>
void element_motion(const ModelT<S>& model, DataT<S>& data, VectorInT<S> q, VectorInT<S> v, ElementDataT<S>& elements) {
  transmission_motion<S>(model, model.element_transmissions(), data, q, elements.matrix, elements.y);
  for (Eigen::Index k = 0; k < elements.rate.size(); ++k) {
    S rate(0.0);
    for (Eigen::Index i = 0; i < v.size(); ++i) rate += elements.matrix(i, k) * v[i];
    elements.rate[k] = rate;
  }
}

template <typename S>
void element_efforts(const ModelT<S>& model, double time, VectorInT<S> u, ElementDataT<S>& elements) {
  elements.stored_energy = elements.input_power = elements.lost_power = S(0.0);
  for (const BoundElementT<S>& element : model.elements()) {
    const EffortArgumentsT<S> at = arguments_of<S>(element, time, u.data(), elements);
    S* efforts = elements.efforts.data() + element.first;
    S* rates = elements.state_rates.data() + element.state;
    element.law->evaluate(at, efforts, rates);
    S net = element.law->stored_power(at, rates);
    for (int k = 0; k < element.law->transmission_count(); ++k) net += efforts[k] * at.rate[k];
    require_finite_law(element, time, net);
    elements.stored_energy += element.law->stored_energy(at);
    if (element.has_inputs) {
      elements.input_power += net;
    } else {
      elements.lost_power -= net;
    }
  }
}

template <typename S>
void element_outputs(const ModelT<S>& model, double time, VectorInT<S> u, ElementDataT<S>& elements) {
  for (const BoundElementT<S>& element : model.elements()) {
    element.law->evaluate_outputs(arguments_of<S>(element, time, u.data(), elements),
                                  elements.efforts.data() + element.first, elements.outputs.data() + element.output);
  }
}

#define CUTTLE_INSTANTIATE(S)                                                                                 \
  template struct ElementDataT<S>;                                                                            \
  template void element_motion<S>(const ModelT<S>&, DataT<S>&, VectorInT<S>, VectorInT<S>, ElementDataT<S>&); \
  template void element_efforts<S>(const ModelT<S>&, double, VectorInT<S>, ElementDataT<S>&);                 \
  template void element_outputs<S>(const ModelT<S>&, double, VectorInT<S>, ElementDataT<S>&);
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
