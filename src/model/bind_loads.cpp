#include <string>

#include "bodies/rod_discretization.h"
#include "cuttle/bodies/slender.h"
#include "cuttle/error.h"
#include "model/model_builder.h"
#include "model/state_loads.h"
#include "spatial/number_text.h"

namespace cuttle {
namespace {

/// The half axes of a section that is an ellipse on the outside; none for other shapes.
template <typename S>
FluidT<S> with_outline(FluidT<S> fluid, const SectionT<S>& section) {
  if (!section.has_elliptical_outline()) return fluid;
  const bool ellipse = section.shape == SectionT<S>::Shape::ellipse;
  fluid.radius_x = ellipse ? section.radius_x : section.radius;
  fluid.radius_y = ellipse ? section.radius_y : section.radius;
  return fluid;
}

}  // namespace

template <typename S>
void ModelBuilderT<S>::bind_loads() {
  for_each_part("loads", "", robot_.loads, [&](const LoadT<S>& load) { bind_load(load); });
}

template <typename S>
void ModelBuilderT<S>::bind_load(const LoadT<S>& load) {
  BoundLoadT<S> bound;
  if (load.kind == LoadT<S>::Kind::wrench) {
    bound.frames.push_back(resolve(load.place));
    bound.weights.push_back(S(1.0));
  } else if (load.depends_on_state()) {
    model_.state_loads_.push_back(
        load.kind == LoadT<S>::Kind::fluid ? bind_fluid(load) : make_drone_load(load.drone, resolve(load.place)));
  } else {
    const int link = index_of(load.place.link);
    const auto body = link < 0 ? nullptr : robot_.links[link].body;
    if (!body || body->stations().empty()) {
      throw ModelError("link", "'" + load.place.link + "'", "a link whose body is a rod");
    }
    for (const auto& station : body->stations()) {
      bound.frames.push_back(resolve({load.place.link, PortLocationT<S>::section(station.s), {}}));
      bound.weights.push_back(station.weight);
    }
  }
  model_.loads_.push_back(bound);
}

template <typename S>
std::shared_ptr<const StateLoadT<S>> ModelBuilderT<S>::bind_fluid(const LoadT<S>& load) const {
  const std::string& link = load.place.link;
  const int index = index_of(link);
  const auto body = index < 0 ? nullptr : robot_.links[index].body;
  const SlenderT<S>* rod = body ? body->slender() : nullptr;
  if (rod == nullptr && (!body || body->coordinate_count() > 0)) {
    throw ModelError("link", "'" + link + "'", "a link whose body is a rod or rigid");
  }
  FluidT<S> fluid = load.fluid;
  FluidStationsT<S> stations;
  if (rod != nullptr) {
    if (fluid.radius_x.empty() && fluid.radius_y.empty()) fluid = with_outline(fluid, rod->section());
    for (const auto& station : body->stations()) {
      stations.frames.push_back(resolve({link, PortLocationT<S>::section(station.s), {}}));
      stations.t.push_back(station.s / rod->length());
      stations.weights.push_back(station.weight);
    }
    stations.end = resolve({link, PortLocationT<S>::tip(), {}});
  } else {
    using std::isfinite;
    if (!isfinite(fluid.length) || !any(fluid.length > S(0.0))) {
      throw ModelError("length", number_text(fluid.length), "a number > 0 [m]");
    }
    if (fluid.sections < 1) {
      throw ModelError("sections", std::to_string(fluid.sections), "at least 1");
    }
    const auto at = [&](const S& z) {
      return resolve({link, PortLocationT<S>::base(), {Matrix3T<S>::identity(), {S(0.0), S(0.0), z}}});
    };
    std::vector<long double> nodes, weights;
    gauss_legendre(fluid.sections, nodes, weights);
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      const S t = constant<S>(nodes[k]);
      stations.frames.push_back(at(t * fluid.length));
      stations.t.push_back(t);
      stations.weights.push_back(constant<S>(weights[k]) * fluid.length);
    }
    stations.end = at(fluid.length);
  }
  for (const auto& [radius, key] : {std::pair(&fluid.radius_x, "radius_x"), std::pair(&fluid.radius_y, "radius_y")}) {
    if (radius->empty()) {
      throw ModelError(key, "nothing",
                       std::string("half axes of the outline [m]") +
                           (rod != nullptr ? " (the rod's section is neither circle, annulus nor ellipse)" : ""));
    }
  }
  return make_fluid_load(fluid, stations);
}

#define CUTTLE_INSTANTIATE(S)                   \
  template void ModelBuilderT<S>::bind_loads(); \
  template std::shared_ptr<const StateLoadT<S>> ModelBuilderT<S>::bind_fluid(const LoadT<S>&) const;
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
