#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "bodies/rod/rod_packing.h"
#include "cuttle/bodies/rod_dynamics.h"
#include "spatial/gather.h"

namespace cuttle {

/// Several robots' rods side by side.
template <typename S>
class RodLanesT final : public RodDynamicsT<S> {
 public:
  using G = Gather<S>;
  using Each = typename G::template Each<RodTables<double>>;

  /// Null if the rods differ in more than numbers.
  static std::unique_ptr<BodyT<S>> make(const typename G::template Each<BodyPacking>& rods) {
    const Each from =
        G::each(rods, [](const BodyPacking& rod) { return &static_cast<const RodPacking&>(rod).tables(); });
    const RodGrid<double>& first = from[0]->grid;
    for (const RodTables<double>* rod : from) {
      const RodGrid<double>& g = rod->grid;
      if (g.steps != first.steps || g.main_steps != first.main_steps || rod->predecessor != from[0]->predecessor ||
          rod->port_step != from[0]->port_step || !same_coordinates(g, first) || !same_laws(*rod, *from[0])) {
        return nullptr;
      }
    }
    return std::unique_ptr<BodyT<S>>(new RodLanesT(tables(from)));
  }

  std::vector<CoordinateInfo> coordinates() const override { return {}; }
  SpatialInertiaT<S> rest_inertia() const override { return {}; }
  int add_port(const PortLocationT<S>&) override { return -1; }
  std::unique_ptr<BodyT<S>> clone() const override { return nullptr; }

 private:
  explicit RodLanesT(std::unique_ptr<RodTables<S>> tables) : RodDynamicsT<S>(std::move(tables)) {}

  static bool same_coordinates(const RodGrid<double>& a, const RodGrid<double>& b) {
    return std::equal(std::begin(a.component_start), std::end(a.component_start), std::begin(b.component_start));
  }
  static bool same_laws(const RodTables<double>& a, const RodTables<double>& b) {
    const auto same = [](const std::optional<HyperelasticLawT<double>>& x,
                         const std::optional<HyperelasticLawT<double>>& y) {
      if (x.has_value() != y.has_value()) return false;
      return !x || (x->polynomial.size() == y->polynomial.size() && x->tanh.has_value() == y->tanh.has_value());
    };
    for (int c = 0; c < 6; ++c) {
      if (a.damping[c].size() != b.damping[c].size() ||
          a.stiffening[c].factors.size() != b.stiffening[c].factors.size()) {
        return false;
      }
    }
    return same(a.bend, b.bend) && same(a.stretch, b.stretch) &&
           a.damping_time.has_value() == b.damping_time.has_value();
  }

  static std::unique_ptr<RodTables<S>> tables(const Each& from) {
    auto r = std::make_unique<RodTables<S>>();
    const RodTables<double>& first = *from[0];
    const RodGrid<double>& g = first.grid;
    r->grid.coordinates = g.coordinates;
    r->grid.columns = g.coordinates, r->grid.stride = g.steps;  // lanes are robots here: nothing needs padding
    r->grid.steps = g.steps, r->grid.main_steps = g.main_steps, r->grid.ports = g.ports;
    using Variation = typename RodGrid<S>::Variation;  // what holds for all of them
    r->grid.variation = Variation::none;
    for (const auto* rod : from) r->grid.variation = std::max(r->grid.variation, Variation(int(rod->grid.variation)));
    std::copy(std::begin(g.component_start), std::end(g.component_start), r->grid.component_start);
    r->predecessor = first.predecessor, r->port_step = first.port_step;
    r->length = G::number(G::each(from, [](const auto& rod) { return &rod.length; }));
    const auto table = [&](std::vector<double> RodTables<double>::*member, int rows) {
      std::vector<S> packed(static_cast<std::size_t>(rows) * g.steps);
      for (int row = 0; row < rows; ++row) {
        for (int j = 0; j < g.steps; ++j) {
          for (int i = 0; i < G::k_width; ++i) {
            packed[row * g.steps + j].lanes[i] = (from[i]->*member)[row * from[i]->grid.stride + j];
          }
        }
      }
      return packed;
    };
    r->step_length = table(&RodTables<double>::step_length, 1);
    r->shape1 = table(&RodTables<double>::shape1, g.coordinates);
    r->shape2 = table(&RodTables<double>::shape2, g.coordinates);
    r->rest1 = table(&RodTables<double>::rest1, 6), r->rest2 = table(&RodTables<double>::rest2, 6);
    r->mass = table(&RodTables<double>::mass, 1), r->rotary = table(&RodTables<double>::rotary, 3);
    for (int c = 0; c < 6; ++c) {
      r->stiffness[c] = G::numbers(G::each(from, [c](const auto& rod) { return &rod.stiffness[c]; }));
      r->damping[c] = G::numbers(G::each(from, [c](const auto& rod) { return &rod.damping[c]; }));
    }
    for (int c = 0; c < 6; ++c) {
      using Part = typename RodTables<double>::Stiffening;
      const auto gather = [&](std::vector<double> Part::*part) {
        return G::numbers(G::each(from, [c, part](const auto& rod) { return &(rod.stiffening[c].*part); }));
      };
      r->stiffening[c] = {gather(&Part::factors), gather(&Part::rigidity), gather(&Part::shape)};
    }
    if (first.damping_time) {
      r->damping_time = G::number(G::each(from, [](const auto& rod) { return &*rod.damping_time; }));
    }
    r->bend = law(from, &RodTables<double>::bend), r->stretch = law(from, &RodTables<double>::stretch);
    r->point_grid();
    return r;
  }

  static std::optional<HyperelasticLawT<S>> law(const Each& from,
                                                std::optional<HyperelasticLawT<double>> RodTables<double>::*member) {
    if (!(from[0]->*member)) return std::nullopt;
    HyperelasticLawT<S> r;
    r.polynomial = G::numbers(G::each(from, [member](const auto& rod) { return &(rod.*member)->polynomial; }));
    if ((from[0]->*member)->tanh) {
      r.tanh.emplace();
      for (int k = 0; k < 3; ++k) {
        (*r.tanh)[k] = G::number(G::each(from, [member, k](const auto& rod) { return &(*(rod.*member)->tanh)[k]; }));
      }
    }
    return r;
  }
};

}  // namespace cuttle
