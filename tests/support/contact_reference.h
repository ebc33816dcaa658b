#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <functional>

namespace cuttle {

/// The law of contact at a point (docs/contact.md), written down a second time for a ball on the plane z = 0, or in a
/// bowl or on a ball about the origin: in world axes, with matrices where the library has none, and with the damping
/// cut by bisection. It is the prototype that the library's law is held against.
struct ContactReference {
  double stiffness = 1e5;  ///< [N/m^1.5]
  double radius = 0.05;    ///< of the ball [m]
  double dissipation = 1.0;
  double forward = 0.5, backward = 0.5, sideways = 0.5;
  double static_ratio = 1.0, stribeck_velocity = 0.01, damping_time = 0.5e-3;
  double surface = 0.0;  ///< radius of the surface about the origin; negative: a bowl; 0: the plane [m]

  using Vector = Eigen::Vector3d;
  struct State {
    Vector position, velocity, spin;
    Vector bristle = Vector::Zero();
    double ratio = 1.0;  ///< of the coefficient to the kinetic one
  };
  struct Result {
    Vector force = Vector::Zero(), torque = Vector::Zero();  ///< on the ball, at its center
    Vector friction = Vector::Zero();
    Vector bristle_rate = Vector::Zero();
    double ratio_rate = 0.0;
    double energy = 0.0, dissipated = 0.0;
    double used = 0.0;
  };

  /// @param axis  along which the coefficients are those of forward and backward.
  Result at(const State& x, const Vector& axis = Vector::UnitX()) const {
    constexpr double k_tau = 1e-3, k_ratio_time = 1e-4;
    Result result;
    Vector n = Vector::UnitZ(), n_rate = Vector::Zero();
    double gap = x.position.z() - radius;
    if (surface != 0.0) {
      const double distance = x.position.norm(), sign = surface > 0 ? 1.0 : -1.0;
      n = sign * x.position / distance;
      gap = sign * (distance - std::abs(surface)) - radius;
      n_rate = sign * (x.velocity - x.position * x.position.dot(x.velocity) / (distance * distance)) / distance;
    }
    const double d = -gap, d_rate = -n.dot(x.velocity);
    if (d <= 0) {
      result.bristle_rate = -x.bristle / k_tau;
      result.ratio_rate = (static_ratio - x.ratio) / k_ratio_time;
      return result;
    }
    const double h = std::pow(d, 1.5), slope = 1.5 * std::sqrt(d), bend = 0.75 / std::sqrt(d);
    const double largest = std::max({forward, backward, sideways}) * static_ratio;
    const double share = std::max(0.8, 2.2 * largest * largest);
    const double elastic = stiffness * h, kt = share * stiffness * slope, kt_slope = share * stiffness * bend;
    const Eigen::Matrix3d P = Eigen::Matrix3d::Identity() - n * n.transpose();

    const Vector contact_velocity = x.velocity + x.spin.cross(-radius * n), vt = P * contact_velocity;
    const Vector xi = P * x.bristle, t = P * axis;
    // D^2: coefficients along the axis and across, those along by the sign of what it multiplies
    const auto metric = [&](const Vector& of) {
      const double along = of.dot(t) < 0 ? backward : forward;
      return Eigen::Matrix3d(P / (sideways * sideways) +
                             (1 / (along * along) - 1 / (sideways * sideways)) * t * t.transpose());
    };
    const auto size = [&](const Vector& of) { return std::sqrt(of.dot(metric(of) * of)) / x.ratio; };
    // At the end of the cone the bristle is s with kt |D s| = normal force = elastic + kt' |s|^2 / 2, by fixed-point
    // iteration; the cone is that of this force.
    const double mu = xi.norm() > 0 ? xi.norm() / size(xi) : sideways * x.ratio;
    const auto cone_of = [&](double coefficient) {
      double force = elastic;
      for (int i = 0; i < 200; ++i) force = elastic + kt_slope / 2 * std::pow(coefficient * force / kt, 2);
      return force;
    };
    const double cone = cone_of(mu);
    // d ln cone / d ln ratio
    const double by_ratio = (cone_of(mu * (1 + 1e-5)) - cone_of(mu * (1 - 1e-5))) / (2e-5 * cone);
    const double zeta = kt * size(xi) / cone;
    const double part = std::clamp((zeta - 0.95) / 0.05, 0.0, 1.0),
                 alpha = part * part * (3 - 2 * part - 0.05 * (1 - part));
    const double reach_rate = d_rate, reach = d;  // l, but for a factor
    const double steady = 1 + (static_ratio - 1) * std::exp(-std::pow(alpha * vt.norm() / stribeck_velocity, 2));
    result.ratio_rate = (steady - x.ratio) / k_ratio_time;
    Vector flow = Vector::Zero();
    if (xi.norm() > 0) {
      const Vector g = metric(xi) * xi / (x.ratio * x.ratio) / size(xi);
      const double growth = reach_rate / reach + result.ratio_rate / x.ratio * (1 + by_ratio);  // of the cone
      const double kept = growth < 0 ? size(xi) / std::max(1.0, zeta) : size(xi);
      const double speed = g.dot(vt) - kept * growth;
      const double back = (1 - 1 / std::max(1.0, zeta)) * std::max(0.0, g.dot(vt));
      flow = (alpha * std::max(0.0, speed) + back) * g / g.dot(g);
    }
    result.bristle_rate = vt - flow - (1 - 1 / std::max(1.0, zeta)) * xi / k_tau - n * n_rate.dot(xi);
    // a part along the normal only comes from errors of steps: it decays, and turns with the rest
    result.bristle_rate += n.dot(x.bristle) * (n_rate - n / k_tau);

    // a bristle longer than twice mu l pulls as one of that length
    const double length = x.bristle.norm(), longest = 2 * largest * elastic / kt, cut = std::min(length, longest);
    const double pull = length > longest ? kt * longest / length : kt;
    const Vector spring = pull * xi, damper = kt * damping_time * (1 - alpha) * vt;
    double part_of_damper = 0.0;
    if (size(spring + damper) <= cone) {
      part_of_damper = 1.0;
    } else if (size(spring) < cone) {
      double low = 0, high = 1;
      for (int i = 0; i < 60; ++i) {
        const double middle = (low + high) / 2;
        (size(spring + middle * damper) <= cone ? low : high) = middle;
      }
      part_of_damper = low;
    }
    result.friction = -spring - part_of_damper * damper;
    const double damping = elastic * (std::max(0.0, 1 + dissipation * d_rate) - 1);
    // d/dd of kt (cut length - cut^2 / 2), cut as d where it is not the length
    const double longer = length - cut;
    const double normal =
        elastic + kt_slope * (cut * length - cut * cut / 2) + kt * (longest / d) * std::max(0.0, longer) + damping;
    result.force = normal * n + result.friction;
    result.torque = (-radius * n).cross(result.friction);
    result.energy = 0.4 * stiffness * std::pow(d, 2.5) + kt * (cut * length - cut * cut / 2);
    result.dissipated = damping * d_rate - result.friction.dot(vt) - pull * x.bristle.dot(result.bristle_rate);
    result.used = zeta;
    return result;
  }
};

/// A ball that moves by that law, by Runge-Kutta's method of order four.
struct ReferenceBall {
  ContactReference law;
  double mass = 1.0;
  double gyration = 0.4;  ///< inertia over mass and square of the radius
  Eigen::Vector3d gravity{0, 0, -9.81};
  ContactReference::State state;
  double dissipated = 0.0;

  double inertia() const { return gyration * mass * law.radius * law.radius; }
  double energy() const {
    return 0.5 * mass * state.velocity.squaredNorm() + 0.5 * inertia() * state.spin.squaredNorm() -
           mass * gravity.dot(state.position) + law.at(state).energy;
  }
  void step(double h) {
    using Numbers = Eigen::Matrix<double, 14, 1>;
    const auto pack = [](const ContactReference::State& s, double work) {
      Numbers x;
      x << s.position, s.velocity, s.spin, s.bristle, s.ratio, work;
      return x;
    };
    const auto unpack = [](const Numbers& x) {
      return ContactReference::State{x.segment<3>(0), x.segment<3>(3), x.segment<3>(6), x.segment<3>(9), x[12]};
    };
    const auto rate = [&](const Numbers& x) {
      const ContactReference::State s = unpack(x);
      const ContactReference::Result r = law.at(s);
      Numbers result;
      result << s.velocity, r.force / mass + gravity, r.torque / inertia(), r.bristle_rate, r.ratio_rate, r.dissipated;
      return result;
    };
    const Numbers x = pack(state, dissipated);
    const Numbers a = rate(x), b = rate(x + h / 2 * a), c = rate(x + h / 2 * b), d = rate(x + h * c);
    const Numbers next = x + h / 6 * (a + 2 * b + 2 * c + d);
    state = unpack(next), dissipated = next[13];
  }
};

}  // namespace cuttle
