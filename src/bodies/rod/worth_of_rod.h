#pragma once

#include <Eigen/Core>
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "cuttle/bodies/body.h"

namespace cuttle {

template <typename S>
struct RodTables;  // rod_tables.h

/// Work that the forces of a rod do along a virtual twist of it, as numbers of the rod change that work: in reverse
/// mode along its steps. Numbers act through the rod's tables - lengths of steps, shapes, sections' inertias,
/// elasticity.
class WorthOfRod {
 public:
  /// @return null: the body is no rod, or one with a hyperelastic law or stiffening. The body outlives it.
  static std::unique_ptr<WorthOfRod> make(const Body& body);
  ~WorthOfRod();

  /// Takes how the tables follow a number: derivative k of those of a rod. @return false: it has other steps, as ports
  /// may leave places that they have shared.
  bool follow(const BodyT<ForwardDual>& body, int k, int number);
  bool is_needed() const { return !numbers_.empty(); }
  /// Whether tables of a rod follow derivative k at all, and whether its steps do.
  struct Reach {
    bool acts = false, moves = false;
  };
  static std::array<Reach, k_forward_width> reach(const BodyT<ForwardDual>& rod);

  /// A port that a number may move along the rod: the step to it, with slopes.
  struct MovedPort {
    int predecessor;
    bool moves;  ///< whether a slope is not zero
    double length, length_slope;
    std::vector<double> shape1, shape2, rest1, rest2;
    std::vector<double> shape1_slope, shape2_slope, rest1_slope, rest2_slope;

    /// Makes all slopes zero.
    void hold();
  };
  /// By derivative k of a rod with the same places of its quadrature.
  static std::optional<MovedPort> moved_port(const BodyT<ForwardDual>& body, int port, int k);
  /// Where it is, its virtual twist, how it is displaced, and how the twist then changes; axes of the port.
  struct PortMotion {
    Pose base_port;
    Twist twist, displacement, twist_change;
  };
  /// After `add` at that motion.
  PortMotion motion_of(const MovedPort& port, const BodyStateT<double>& state, const double* weights) const;

  /// What the motion of a port is worth: its virtual twist - that is the wrench that it must give -, acceleration and
  /// velocity, port axes, and its displacement, base axes.
  struct Port {
    Wrench twist, acceleration, velocity, displacement;
  };
  /// @param weights  virtual rates of its coordinates. @param base_twist  the virtual one of its base, base axes.
  void add(const BodyStateT<double>& state, const double* weights, const Twist& base_twist,
           const std::vector<Port>& ports, double scale, Eigen::VectorXd& worth);

 private:
  struct Number;
  struct Stop;
  explicit WorthOfRod(const RodTables<double>& tables);
  void go_outward(const BodyStateT<double>& state, const double* weights, const Twist& base_twist);
  /// What the section at a stop does: its own numbers, and what its motion is worth.
  void add_section(int j, double scale, Eigen::VectorXd& worth);
  /// Of all that hangs at the end of a step, as the slopes in `rows_` move it.
  double work_of_step(int j) const;

  const RodTables<double>& tables_;
  std::vector<Number> numbers_;
  std::vector<Stop> stops_;
  Twist base_twist_;          ///< the virtual one
  std::vector<double> rows_;  ///< of RodWorthKernels
};

}  // namespace cuttle
