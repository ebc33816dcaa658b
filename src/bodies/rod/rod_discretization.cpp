#include "bodies/rod/rod_discretization.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <mutex>
#include <type_traits>
#include <unordered_map>

#include "cuttle/error.h"
#include "spatial/number_text.h"

namespace cuttle {

namespace {

/// Legendre's polynomial P_n by its Taylor series about a point, from Legendre's equation: c_k = P_n^(k) / k!.
class LegendreSeries {
 public:
  LegendreSeries(int n, long double x, long double value, long double slope) {
    const long double eigenvalue = static_cast<long double>(n) * (n + 1), inside = 1.0L - x * x;
    terms_[0] = value, terms_[1] = slope;
    for (int k = 0; k + 2 < k_terms; ++k) {
      const long double k1 = k + 1.0L;
      const long double next = 2 * x * k1 * k1 * terms_[k + 1] + (k * k1 - eigenvalue) * terms_[k];
      terms_[k + 2] = next / (inside * k1 * (k + 2.0L));
    }
  }
  void at(long double h, long double& value, long double& slope) const {
    value = slope = 0.0L;
    for (int k = k_terms - 1; k >= 0; --k) slope = slope * h + value, value = value * h + terms_[k];
  }

 private:
  // one root away: pi^60 / 60! beside the middle; beside the end, whose distance is 1.24 of the step, 0.81^60 of what
  // the neighbours leave there: less than rounding
  static constexpr int k_terms = 60;
  std::array<long double, k_terms> terms_;
};

/// The root of P_n near a start, by Newton's method on a series about `from`, and the slope there.
long double legendre_root(const LegendreSeries& series, long double from, long double start, long double& slope) {
  long double h = start - from, value = 0.0L;
  for (int iteration = 0; iteration < 100; ++iteration) {  // quadratic from a good start
    series.at(h, value, slope);
    const long double step = value / slope;
    h -= step;
    if (std::fabs(step) < 1e-19L) break;
  }
  series.at(h, value, slope);
  return from + h;
}

/// From root to root outward from the middle (Glaser, Liu and Rokhlin 2007): cost O(count).
void find_gauss_legendre(int count, std::vector<long double>& nodes, std::vector<long double>& weights) {
  nodes.assign(count, 0.0L);
  weights.assign(count, 0.0L);
  const long double pi = std::acos(-1.0L);
  long double even = 1.0L;  // P_k(0) of the even k up to count
  for (int k = 2; k <= count; k += 2) even *= -(k - 1.0L) / k;
  const bool odd = count % 2 != 0;
  long double x = 0.0L, value = odd ? 0.0L : even, slope = odd ? count * even : 0.0L;
  const auto set = [&](int i) {
    nodes[count - 1 - i] = (1.0L + x) / 2, nodes[i] = (1.0L - x) / 2;
    weights[i] = weights[count - 1 - i] = 1.0L / ((1.0L - x * x) * slope * slope);
  };
  if (odd) set(count / 2);
  for (int i = count / 2 - 1; i >= 0; --i) {  // root i from above
    const long double start = std::cos(pi * (i + 0.75L) / (count + 0.5L));
    x = legendre_root({count, x, value, slope}, x, start, slope);
    value = 0.0L;
    set(i);
  }
}

}  // namespace

void gauss_legendre(int count, std::vector<long double>& nodes, std::vector<long double>& weights) {
  // a robot whose numbers change has the same rules again and again, and finding one takes longer than using it
  struct Rule {
    std::once_flag is_found;
    std::vector<long double> nodes, weights;
  };
  constexpr int k_most = 64;
  static std::array<Rule, k_most + 1> k_rules;
  if (count < 1 || count > k_most) return find_gauss_legendre(count, nodes, weights);
  Rule& rule = k_rules[static_cast<std::size_t>(count)];
  std::call_once(rule.is_found, [&] { find_gauss_legendre(count, rule.nodes, rule.weights); });
  nodes = rule.nodes, weights = rule.weights;
}

template <typename S>
RodBodyT<S>::Discretization::Discretization(const RodParametersT<S>& p, const std::vector<S>& ports)
    : parameters(p), port_positions(ports) {
  this->length = p.length;
  this->bend = p.hyperelastic_bend, this->stretch = p.hyperelastic_stretch;
  if (!p.damping) this->damping_time = p.material.damping_time;
  build();
}

namespace {

/// Of equal rods the same, of others mostly another.
std::size_t hash_of(const RodParametersT<double>& p, const std::vector<double>& ports) {
  std::size_t hash = std::hash<int>()(p.quadrature_points);
  const auto add = [&hash](double x) { hash = hash * 31 + std::hash<double>()(x); };
  add(p.length), add(p.material.density.value_or(0.0)), add(p.material.young_modulus.value_or(0.0));
  for (const auto& size : p.section.sizes()) {
    for (const double value : (p.section.*size.value).values) add(value);
  }
  for (const double port : ports) add(port);
  return hash;
}

}  // namespace

template <typename S>
std::shared_ptr<const typename RodBodyT<S>::Discretization> RodBodyT<S>::Discretization::of(
    const RodParametersT<S>& p, const std::vector<S>& ports) {
  if constexpr (std::is_same_v<S, double>) {
    static std::mutex k_mutex;
    static std::unordered_multimap<std::size_t, std::weak_ptr<const Discretization>> k_in_use;
    static std::size_t k_most = 64;  // entries before those that nobody uses any more are swept out
    const std::size_t hash = hash_of(p, ports);
    {
      const std::lock_guard lock(k_mutex);
      const auto [begin, end] = k_in_use.equal_range(hash);
      for (auto i = begin; i != end; ++i) {
        auto found = i->second.lock();
        if (found && found->port_positions == ports && found->parameters == p) return found;
      }
    }
    auto made = std::make_shared<const Discretization>(p, ports);  // others need not wait for it
    const std::lock_guard lock(k_mutex);
    if (k_in_use.size() >= k_most) {
      std::erase_if(k_in_use, [](const auto& entry) { return entry.second.expired(); });
      k_most = std::max<std::size_t>(64, 2 * k_in_use.size());
    }
    k_in_use.emplace(hash, made);
    return made;
  } else {
    return std::make_shared<const Discretization>(p, ports);
  }
}

template <typename S>
void RodBodyT<S>::Discretization::build() {
  for (int c = 0; c < 6; ++c) {
    grid.component_start[c] = static_cast<int>(coordinates.size());
    const int modes = parameters.strain[c] ? parameters.strain[c]->mode_count() : 0;
    for (int k = 0; k < modes; ++k) {
      const std::string where = parameters.strain[c]->mode_meaning(k, parameters.length);
      coordinates.push_back({std::string(strain_component_name(c)) + "." + std::to_string(k), c < 3 ? "rad" : "m",
                             std::string(strain_component_meaning(c)) + " beyond rest, times length L" +
                                 (where.empty() ? "" : ", ") + where});
    }
  }
  grid.coordinates = grid.component_start[6] = static_cast<int>(coordinates.size());
  grid.columns = static_cast<int>(padded(grid.coordinates));
  build_stops();
  build_tables();
  build_elasticity();
}

template <typename S>
void RodBodyT<S>::Discretization::build_stops() {
  // the pose also stops at every break of a piecewise basis: the strain jumps there
  std::vector<S> ends;
  for (const auto& basis : parameters.strain) {
    if (!basis || basis->kind != StrainBasisT<S>::Kind::piecewise) continue;
    for (const S& b : basis->breaks) ends.push_back(b / parameters.length);
  }
  std::sort(ends.begin(), ends.end(), [](const S& a, const S& b) { return any(a < b); });
  const double tiny = 4 * std::numeric_limits<double>::epsilon();
  const auto one_stop = [&](const S& a, const S& b) {
    if (any(b - a > S(tiny))) return false;
    // which piece lies between the two depends on which of them moves
    if (!same_derivatives(a, b)) {
      throw ModelError("strain",
                       "breaks of two components in one place, " + number_text(b * parameters.length) +
                           " m, and derivatives by one of them",
                       "breaks in different places");
    }
    return true;
  };
  ends.erase(std::unique(ends.begin(), ends.end(), one_stop), ends.end());
  ends.push_back(S(1.0));

  std::vector<long double> nodes, weights;
  gauss_legendre(parameters.quadrature_points, nodes, weights);
  S start(0.0);
  for (const S& end : ends) {
    const S width = end - start;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      stops_.push_back({start + width * constant<S>(nodes[i]), width * constant<S>(weights[i]) * parameters.length});
    }
    stops_.push_back({end, S(0.0)});
    start = end;
  }

  grid.main_steps = static_cast<int>(stops_.size());
  for (int j = 0; j < grid.main_steps; ++j) {
    predecessor.push_back(j - 1);
    step_begin_.push_back(j > 0 ? stops_[j - 1].t : S(0.0));
    step_t_.push_back(stops_[j].t - step_begin_.back());
  }
  // a port that is a stop needs no step of its own
  port_step.assign(1, grid.main_steps - 1);
  for (const S& s : port_positions) {
    const S t = s / parameters.length;
    int below = -1, same = -1;
    for (int j = 0; j < grid.main_steps; ++j) {
      // never the tip: a place that moves off it along some derivative can only move back
      if (!any(stops_[j].t > t) && j + 1 < grid.main_steps) below = j;
      const bool close = !any(stops_[j].t - t > S(tiny)) && !any(t - stops_[j].t > S(tiny));
      if (close && same_derivatives(t, stops_[j].t)) same = j;  // else it moves away along some derivative
    }
    if (same >= 0) {
      port_step.push_back(same);
      continue;
    }
    port_step.push_back(static_cast<int>(predecessor.size()));
    predecessor.push_back(below);
    step_begin_.push_back(below >= 0 ? stops_[below].t : S(0.0));
    step_t_.push_back(t - step_begin_.back());
  }
  grid.steps = static_cast<int>(predecessor.size());
  grid.stride = static_cast<int>(padded(grid.steps));
  grid.ports = static_cast<int>(port_step.size());
}

template <typename S>
std::vector<typename BodyT<S>::Station> RodBodyT<S>::Discretization::stations() const {
  std::vector<typename BodyT<S>::Station> result;
  for (const Stop& stop : stops_) {
    if (any(stop.weight > S(0.0))) result.push_back({stop.t * parameters.length, stop.weight});
  }
  return result;
}

template <typename S>
void RodBodyT<S>::Discretization::build_tables() {
  const int stride = grid.stride, n = grid.coordinates;
  const S& L = parameters.length;
  const auto resize = [&](std::vector<S>& table, int rows) {
    table.assign(static_cast<std::size_t>(rows) * stride, S(0.0));
  };
  const int rows = std::max(n, 1);  // a rod without strain has a table too, for pointers to its steps
  resize(step_length, 1), resize(shape1, rows), resize(shape2, rows), resize(rest1, 6), resize(rest2, 6);
  resize(mass, 1), resize(rotary, 3);
  const bool has_tangent = std::is_same_v<S, double> || std::is_same_v<S, long double>;
  for (std::vector<S>* table : {&this->shape1_by_step, &this->shape2_by_step}) {
    table->assign(has_tangent ? static_cast<std::size_t>(grid.steps) * grid.columns : 0, S(0.0));
  }
  this->point_grid();

  const S offset = constant<S>(std::sqrt(3.0L) / 6);
  std::vector<S> values;
  const auto fill_strain = [&](const S& t, int j, std::vector<S>& shape, std::vector<S>& rest) {
    for (int c = 0; c < 6; ++c) {
      const ProfileT<S>& profile = parameters.rest_strain[c];
      rest[c * stride + j] = profile.empty() ? S(c == sigma_z ? 1.0 : 0.0) : profile.at(t);
      if (!parameters.strain[c]) continue;
      values.resize(parameters.strain[c]->mode_count());
      parameters.strain[c]->evaluate(t, L, values.data());
      for (std::size_t k = 0; k < values.size(); ++k) {
        shape[(grid.component_start[c] + static_cast<int>(k)) * stride + j] = values[k] / L;
      }
    }
  };
  for (int j = 0; j < grid.steps; ++j) {
    const S& h = step_t_[j];
    step_length[j] = h * L;
    fill_strain(step_begin_[j] + h * (S(0.5) - offset), j, shape1, rest1);
    fill_strain(step_begin_[j] + h * (S(0.5) + offset), j, shape2, rest2);
  }
  for (int j = 0; has_tangent && j < grid.steps; ++j) {
    for (int k = 0; k < n; ++k) {
      this->shape1_by_step[j * grid.columns + k] = shape1[k * stride + j];
      this->shape2_by_step[j * grid.columns + k] = shape2[k * stride + j];
    }
  }
  using Variation = typename RodGrid<S>::Variation;
  const auto same = [](const std::vector<S>& a, const std::vector<S>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), [](const S& x, const S& y) { return identical(x, y); });
  };
  const auto uniform = [&](const std::vector<S>& table) {
    for (std::size_t row = 0; row < table.size(); row += stride) {
      for (int j = 1; j < grid.steps; ++j) {
        if (!identical(table[row + j], table[row])) return false;
      }
    }
    return true;
  };
  grid.variation = !(same(shape1, shape2) && same(rest1, rest2)) ? Variation::within_steps
                   : uniform(shape1) && uniform(rest1)           ? Variation::none
                                                                 : Variation::between_steps;

  const auto& p = parameters;
  for (int j = 0; j < grid.main_steps; ++j) {
    const S& weight = stops_[j].weight;
    const S& t = stops_[j].t;
    const SectionInertiaT<S> inertia = cuttle::section_inertia(p, t);
    mass[j] = weight * inertia.mass;
    for (int i = 0; i < 3; ++i) rotary[i * stride + j] = weight * inertia.moments[i];
  }
}

template <typename S>
SectionInertiaT<S> section_inertia(const RodParametersT<S>& p, const S& t) {
  const bool needs_section = !p.mass_per_length || !p.rotary_inertia;
  const auto section = needs_section ? p.section.at(t) : typename SectionT<S>::Properties{};
  const S density = p.material.density ? *p.material.density : S(0.0);
  const S about[3] = {section.Ix, section.Iy, section.Jz};
  SectionInertiaT<S> inertia;
  inertia.mass = p.mass_per_length ? p.mass_per_length->at(t) : density * section.area;
  for (int i = 0; i < 3; ++i) {
    inertia.moments[i] = p.rotary_inertia ? (*p.rotary_inertia)[i].at(t) : density * about[i];
  }
  return inertia;
}

template <typename S>
S torsion_constant(const RodParametersT<S>& p, const S& t) {
  if (const auto* given = std::get_if<ProfileT<S>>(&p.torsion_constant)) return given->at(t);
  const bool polar = std::get<TorsionConstant>(p.torsion_constant) == TorsionConstant::polar;
  return polar ? p.section.at(t).Jz : p.section.torsion_constant(t);
}

namespace {

/// What the moduli of the six strains multiply: Ix, Iy, Jt [m^4], A, A, A [m^2] at t.
template <typename S>
std::array<S, 6> section_measures(const RodParametersT<S>& p, const S& t) {
  const auto section = p.section.at(t);
  return {section.Ix, section.Iy, torsion_constant(p, t), section.area, section.area, section.area};
}

}  // namespace

template <typename S>
S section_rigidity(const RodParametersT<S>& p, int component, const S& t) {
  if (p.stiffness) return (*p.stiffness)[component].at(t);
  const S E = *p.material.young_modulus;
  const S G = E / (S(2.0) * (S(1.0) + p.material.poisson_ratio));
  const S shear = p.shear_factor * G;
  const S moduli[6] = {E, E, G, shear, shear, E};
  return moduli[component] * section_measures(p, t)[component];
}

template <typename S>
void RodBodyT<S>::Discretization::build_elasticity() {
  const auto& p = parameters;
  const bool bending_law = p.hyperelastic_bend.has_value(), stretch_law = p.hyperelastic_stretch.has_value();
  std::vector<S> values;
  for (int c = 0; c < 6; ++c) {
    if (!p.strain[c]) continue;
    const int modes = p.strain[c]->mode_count();
    const bool replaced = (bending_law && (c == kappa_x || c == kappa_y)) || (stretch_law && c == sigma_z);
    const bool stiffens = !p.stiffening[c].empty();
    if (stiffens) this->stiffening[c].factors = p.stiffening[c];
    if (!replaced) stiffness[c].assign(modes * modes, S(0.0));
    if (!replaced || p.damping) damping[c].assign(modes * modes, S(0.0));
    values.resize(modes);
    for (const Stop& stop : stops_) {
      if (!any(stop.weight > S(0.0))) continue;
      const S rigidity = replaced ? S(0.0) : section_rigidity(p, c, stop.t);
      S viscous(0.0);
      if (p.damping) {
        viscous = (*p.damping)[c].at(stop.t);
      } else if (p.material.viscosity) {
        constexpr double factors[6] = {3.0, 3.0, 1.0, 1.0, 1.0, 3.0};
        viscous = *p.material.viscosity * (S(factors[c]) * section_measures(p, stop.t)[c]);
      } else if (p.material.damping_time) {
        viscous = *p.material.damping_time * rigidity;
      }
      p.strain[c]->evaluate(stop.t, p.length, values.data());
      const S scale = stop.weight / (p.length * p.length);
      for (int a = 0; a < modes; ++a) {
        for (int b = 0; b < modes; ++b) {
          const S product = scale * values[a] * values[b];
          if (!replaced) stiffness[c][a * modes + b] += product * rigidity;
          if (!damping[c].empty()) damping[c][a * modes + b] += product * viscous;
        }
      }
      if (!stiffens) continue;
      this->stiffening[c].rigidity.push_back(stop.weight * rigidity);
      for (const S& value : values) this->stiffening[c].shape.push_back(value / p.length);
    }
  }
}

#define CUTTLE_INSTANTIATE(S)                                                      \
  template struct RodBodyT<S>::Discretization;                                     \
  template S torsion_constant(const RodParametersT<S>&, const S&);                 \
  template SectionInertiaT<S> section_inertia(const RodParametersT<S>&, const S&); \
  template S section_rigidity(const RodParametersT<S>&, int, const S&);
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
