#include "bodies/rod/worth_of_rod.h"

#include <algorithm>

#include "bodies/rod/rod_tables.h"
#include "bodies/rod/worth_of_rod_steps.h"
#include "cuttle/bodies/rod_dynamics.h"
#include "spatial/choose_kernels.h"

CUTTLE_DECLARE_KERNELS(const RodWorthKernels& rod_worth_kernels())

namespace cuttle {
namespace {

/// A rod hands its tables to classes that derive from it.
template <typename S>
struct TablesOf : RodDynamicsT<S> {
  /// Null: no rod.
  static const RodTables<S>* of(const BodyT<S>& body) {
    const auto* rod = dynamic_cast<const RodDynamicsT<S>*>(&body);
    return rod != nullptr ? (rod->*(&TablesOf::tables_)).get() : nullptr;
  }
};

using One = Dual<double, 1>;

Twist values_along(const TwistT<One>& x) {
  Twist values;
  for (int i = 0; i < 6; ++i) values[i] = x[i].value;
  return values;
}
Twist slope_along(const TwistT<One>& x) {
  Twist slope;
  for (int i = 0; i < 6; ++i) slope[i] = x[i].derivative[0];
  return slope;
}

/// A table of a step: a row for each coordinate or component, and where it is asked for how that follows a number.
struct StepTable {
  const double *value, *slope;
  int stride;

  template <typename S>
  S at(int row) const {
    S x(value[row * stride]);
    if constexpr (!std::is_same_v<S, double>) x.derivative[0] = slope[row * stride];
    return x;
  }
};

/// The strain at a Magnus point.
template <typename S>
VirtualStrain<S> strain_at(const RodGrid<double>& grid, const StepTable& shape, const StepTable& rest,
                           const BodyStateT<double>& state, const double* weights) {
  VirtualStrain<S> strain;
  for (int c = 0; c < 6; ++c) {
    strain.value[c] = rest.at<S>(c);
    for (int k = grid.component_start[c]; k < grid.component_start[c + 1]; ++k) {
      const S phi = shape.at<S>(k);
      strain.value[c] += phi * S(state.q[k]), strain.rate[c] += phi * S(state.v[k]);
      strain.second[c] += phi * S(state.a[k]), strain.along[c] += phi * S(weights[k]);
    }
  }
  return strain;
}

Vector3 scaled(const Vector3& a, const Vector3& b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }

}  // namespace

/// How the tables follow a number.
struct WorthOfRod::Number {
  int number;
  bool steps = false, sections = false;  ///< whether these follow at all
  std::vector<double> length, shape1, shape2, rest1, rest2, mass, rotary;
  std::array<std::vector<double>, 6> stiffness, damping;
};

/// The motion of a stop, of the stop before as its frame has it, and what the first is worth.
struct WorthOfRod::Stop {
  StepMotion<double> step;
  TangentMap tangent;  ///< of the Magnus vector
  Pose predecessor_stop, base_stop;
  Twist velocity, acceleration, twist;                          ///< of the stop
  Twist carried_velocity, carried_acceleration, carried_twist;  ///< of the stop before, moved here
  Port worth;
};

WorthOfRod::WorthOfRod(const RodTables<double>& tables)
    : tables_(tables),
      stops_(static_cast<std::size_t>(tables.grid.steps)),
      rows_(24 * static_cast<std::size_t>(tables.grid.stride)) {}
WorthOfRod::~WorthOfRod() = default;

std::unique_ptr<WorthOfRod> WorthOfRod::make(const Body& body) {
  const RodTables<double>* tables = TablesOf<double>::of(body);
  if (tables == nullptr || tables->bend || tables->stretch) return nullptr;
  for (const auto& stiffening : tables->stiffening) {
    if (!stiffening.factors.empty()) return nullptr;
  }
  return std::unique_ptr<WorthOfRod>(new WorthOfRod(*tables));
}

std::array<WorthOfRod::Reach, k_forward_width> WorthOfRod::reach(const BodyT<ForwardDual>& rod) {
  std::array<Reach, k_forward_width> reach{};
  const RodTables<ForwardDual>* tables = TablesOf<ForwardDual>::of(rod);
  if (tables == nullptr) return reach;
  const auto look = [&](const std::vector<ForwardDual>& table, bool moves) {
    for (const ForwardDual& x : table) {
      for (std::size_t k = 0; k < reach.size(); ++k) {
        if (x.derivative[k] == 0.0) continue;
        reach[k].acts = true, reach[k].moves = reach[k].moves || moves;
      }
    }
  };
  for (const auto* table : {&tables->step_length, &tables->shape1, &tables->shape2, &tables->rest1, &tables->rest2}) {
    look(*table, true);
  }
  look(tables->mass, false), look(tables->rotary, false);
  for (std::size_t c = 0; c < 6; ++c) look(tables->stiffness[c], false), look(tables->damping[c], false);
  return reach;
}

bool WorthOfRod::follow(const BodyT<ForwardDual>& body, int k, int number) {
  const RodTables<ForwardDual>* tables = TablesOf<ForwardDual>::of(body);
  if (tables == nullptr || tables->predecessor != tables_.predecessor || tables->port_step != tables_.port_step) {
    return false;
  }
  Number own{number, false, false, {}, {}, {}, {}, {}, {}, {}, {}, {}};
  const auto take = [k](const std::vector<ForwardDual>& from, std::vector<double>& to) {
    bool some = false;
    for (const ForwardDual& x : from) {
      to.push_back(x.derivative[k]);
      some = some || x.derivative[k] != 0.0;
    }
    return some;
  };
  own.steps = take(tables->step_length, own.length);
  own.steps = take(tables->shape1, own.shape1) || own.steps;
  own.steps = take(tables->shape2, own.shape2) || own.steps;
  own.steps = take(tables->rest1, own.rest1) || own.steps;
  own.steps = take(tables->rest2, own.rest2) || own.steps;
  own.sections = take(tables->mass, own.mass);
  own.sections = take(tables->rotary, own.rotary) || own.sections;
  for (std::size_t c = 0; c < 6; ++c) {
    take(tables->stiffness[c], own.stiffness[c]), take(tables->damping[c], own.damping[c]);
  }
  numbers_.push_back(std::move(own));
  return true;
}

void WorthOfRod::go_outward(const BodyStateT<double>& state, const double* weights, const Twist& base_twist) {
  const RodGrid<double>& grid = tables_.grid;
  for (int j = 0; j < grid.steps; ++j) {
    Stop& stop = stops_[static_cast<std::size_t>(j)];
    const auto strain = [&](const double* shape, const double* rest) {
      return strain_at<double>(grid, {shape + j, nullptr, grid.stride}, {rest + j, nullptr, grid.stride}, state,
                               weights);
    };
    stop.step = step_motion(grid.length[j], strain(grid.shape1, grid.rest1), strain(grid.shape2, grid.rest2));
    stop.predecessor_stop = exponential(stop.step.omega), stop.tangent = right_tangent(stop.step.omega);
    stop.base_stop = stop.predecessor_stop;
    const Twist *V = &state.base_velocity, *A = &state.base_acceleration, *X = &base_twist;
    if (grid.predecessor[j] >= 0) {
      const Stop& before = stops_[static_cast<std::size_t>(grid.predecessor[j])];
      V = &before.velocity, A = &before.acceleration, X = &before.twist;
      stop.base_stop = before.base_stop * stop.predecessor_stop;
    }
    stop.carried_velocity = stop.predecessor_stop.act_inverse(*V);
    stop.carried_acceleration = stop.predecessor_stop.act_inverse(*A);
    stop.carried_twist = stop.predecessor_stop.act_inverse(*X);
    stop.velocity = stop.carried_velocity + stop.step.velocity;
    stop.acceleration = stop.carried_acceleration + bracket(stop.velocity, stop.step.velocity) + stop.step.acceleration;
    stop.twist = stop.carried_twist + stop.step.twist;
    stop.worth = {};
  }
}

/// Of M A + V x* M V along the virtual twist X.
void WorthOfRod::add_section(int j, double scale, Eigen::VectorXd& worth) {
  const RodGrid<double>& grid = tables_.grid;
  Stop& stop = stops_[static_cast<std::size_t>(j)];
  const Vector3 &w = stop.velocity.angular, &v = stop.velocity.linear, &x = stop.twist.angular, &y = stop.twist.linear;
  const Vector3 &alpha = stop.acceleration.angular, acceleration = stop.acceleration.linear + cross(w, v);
  const Vector3 turned = cross(x, w);
  const double m = grid.mass[j];
  const Vector3 I{grid.rotary[j], grid.rotary[grid.stride + j], grid.rotary[2 * grid.stride + j]};
  const double by_mass = dot(y, acceleration);
  const Vector3 by_rotary = scaled(x, alpha) + scaled(turned, w);
  for (const Number& number : numbers_) {
    if (!number.sections) continue;
    double sum = number.mass[static_cast<std::size_t>(j)] * by_mass;
    const double* const rotary = number.rotary.data() + j;
    for (int i = 0; i < 3; ++i) sum += rotary[i * grid.stride] * by_rotary[i];
    worth[number.number] += scale * sum;
  }
  const Vector3 Iw = scaled(I, w);
  stop.worth.twist += Wrench{scaled(I, alpha) + cross(w, Iw), m * acceleration};
  stop.worth.acceleration += Wrench{scaled(I, x), m * y};
  stop.worth.velocity += Wrench{cross(Iw, x) + scaled(I, turned) + m * cross(v, y), m * cross(y, w)};
}

/// With z the displacement of the step's end in its axes, all that hangs there moves by z: what the stop before gives
/// it, in its axes, changes by [that, z].
double WorthOfRod::work_of_step(int j) const {
  const Stop& stop = stops_[static_cast<std::size_t>(j)];
  const auto slope = [&](int first_row) {
    Twist twist;
    const double* const rows = rows_.data() + j;
    for (int i = 0; i < 6; ++i) twist[i] = rows[(first_row + i) * tables_.grid.stride];
    return twist;
  };
  const Twist z = stop.tangent * slope(0), velocity = slope(6);
  const Twist of_acceleration = bracket(stop.carried_acceleration, z) + bracket(stop.velocity, velocity) + slope(12);
  return dot(stop.worth.twist, bracket(stop.carried_twist, z) + slope(18)) +
         dot(stop.worth.acceleration, of_acceleration) +
         dot(stop.worth.velocity, bracket(stop.carried_velocity, z) + velocity) +
         dot(stop.worth.displacement, stop.base_stop.act(z));
}

std::optional<WorthOfRod::MovedPort> WorthOfRod::moved_port(const BodyT<ForwardDual>& body, int port, int k) {
  const RodTables<ForwardDual>* tables = TablesOf<ForwardDual>::of(body);
  if (tables == nullptr) return std::nullopt;
  const RodGrid<ForwardDual>& grid = tables->grid;
  const int j = grid.port_step[port];
  MovedPort own{
      grid.predecessor[j], false, grid.length[j].value, grid.length[j].derivative[k], {}, {}, {}, {}, {}, {}, {}, {}};
  own.moves = own.length_slope != 0.0;
  const auto take = [&](const ForwardDual* table, int rows, std::vector<double>& values, std::vector<double>& slopes) {
    for (int row = 0; row < rows; ++row) {
      values.push_back(table[row * grid.stride + j].value);
      slopes.push_back(table[row * grid.stride + j].derivative[k]);
      own.moves = own.moves || slopes.back() != 0.0;
    }
  };
  take(grid.shape1, grid.coordinates, own.shape1, own.shape1_slope);
  take(grid.shape2, grid.coordinates, own.shape2, own.shape2_slope);
  take(grid.rest1, 6, own.rest1, own.rest1_slope), take(grid.rest2, 6, own.rest2, own.rest2_slope);
  return own;
}

void WorthOfRod::MovedPort::hold() {
  moves = false, length_slope = 0.0;
  for (auto* slopes : {&shape1_slope, &shape2_slope, &rest1_slope, &rest2_slope}) {
    std::fill(slopes->begin(), slopes->end(), 0.0);
  }
}

WorthOfRod::PortMotion WorthOfRod::motion_of(const MovedPort& port, const BodyStateT<double>& state,
                                             const double* weights) const {
  const RodGrid<double>& grid = tables_.grid;
  One h(port.length);
  h.derivative[0] = port.length_slope;
  const auto strain = [&](const std::vector<double>& shape, const std::vector<double>& shape_slope,
                          const std::vector<double>& rest, const std::vector<double>& rest_slope) {
    return strain_at<One>(grid, {shape.data(), shape_slope.data(), 1}, {rest.data(), rest_slope.data(), 1}, state,
                          weights);
  };
  const StepMotion<One> step = virtual_step(h, strain(port.shape1, port.shape1_slope, port.rest1, port.rest1_slope),
                                            strain(port.shape2, port.shape2_slope, port.rest2, port.rest2_slope));
  const Twist omega = values_along(step.omega);
  const Pose predecessor_port = exponential(omega);
  const Stop* before = port.predecessor < 0 ? nullptr : &stops_[static_cast<std::size_t>(port.predecessor)];
  const Twist carried = predecessor_port.act_inverse(before != nullptr ? before->twist : base_twist_);
  PortMotion motion;
  motion.base_port = before != nullptr ? before->base_stop * predecessor_port : predecessor_port;
  motion.twist = carried + values_along(step.twist);
  motion.displacement = right_tangent(omega) * slope_along(step.omega);
  motion.twist_change = bracket(carried, motion.displacement) + slope_along(step.twist);
  return motion;
}

void WorthOfRod::add(const BodyStateT<double>& state, const double* weights, const Twist& base_twist,
                     const std::vector<Port>& ports, double scale, Eigen::VectorXd& worth) {
  const RodGrid<double>& grid = tables_.grid;
  base_twist_ = base_twist;
  go_outward(state, weights, base_twist);
  const auto add_to = [](Port& to, const Port& more) {
    to.twist += more.twist, to.acceleration += more.acceleration;
    to.velocity += more.velocity, to.displacement += more.displacement;
  };
  for (int p = 0; p < grid.ports; ++p) {
    add_to(stops_[static_cast<std::size_t>(grid.port_step[p])].worth, ports[static_cast<std::size_t>(p)]);
  }
  for (int j = grid.steps - 1; j >= 0; --j) {
    Stop& stop = stops_[static_cast<std::size_t>(j)];
    if (j < grid.main_steps) add_section(j, scale, worth);
    // the acceleration follows the velocity, by [V, velocity across the step]
    stop.worth.velocity -= bracket_transpose(stop.step.velocity, stop.worth.acceleration);
    if (grid.predecessor[j] < 0) continue;
    const Pose& g = stop.predecessor_stop;
    add_to(
        stops_[static_cast<std::size_t>(grid.predecessor[j])].worth,
        {g.act(stop.worth.twist), g.act(stop.worth.acceleration), g.act(stop.worth.velocity), stop.worth.displacement});
  }
  static const RodWorthKernels k_kernels = CUTTLE_CHOSEN_KERNELS(rod_worth_kernels());
  for (const Number& number : numbers_) {
    double sum = 0.0;
    if (number.steps) {
      k_kernels.step_slopes(
          grid,
          {number.length.data(), number.shape1.data(), number.shape2.data(), number.rest1.data(), number.rest2.data()},
          state, weights, rows_.data());
      for (int j = 0; j < grid.steps; ++j) sum += work_of_step(j);
    }
    for (std::size_t c = 0; c < 6; ++c) {
      const int start = grid.component_start[c], modes = grid.component_start[c + 1] - start;
      const auto along = [&](const std::vector<double>& block, const double* x) {
        for (std::size_t i = 0; i < block.size(); ++i) {
          const int row = static_cast<int>(i) / modes, column = static_cast<int>(i) % modes;
          sum += weights[start + row] * block[i] * x[start + column];
        }
      };
      along(number.stiffness[c], state.q), along(number.damping[c], state.v);
    }
    worth[number.number] += scale * sum;
  }
}

}  // namespace cuttle
