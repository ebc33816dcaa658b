// How the forces of actuators change with the configuration: the Hessian of a tendon's length times its tension, and of
// a chamber's volume times its pressure; the geometric stiffness of actuation.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "algorithms/derivative_workspace.h"
#include "algorithms/transmissions.h"

namespace cuttle {
namespace {

/// Along a rod a tendon's length depends on the strain alone: the Hessian of the norms of affine vectors,
/// (shape_i.shape_k - direction.shape_i direction.shape_k) / norm.
template <typename Matrix>
void subtract_arc_slope(const BoundTendonT<double>& tendon, double tension, const VectorInT<double>& q, Matrix& by_q) {
  for (const auto& arc : tendon.arcs) {
    for (std::size_t j = 0; j < arc.weights.size(); ++j) {
      const Vector3* shape = arc.shape.data() + j * arc.nv;
      Vector3 tangent = arc.rest[j];
      for (int k = 0; k < arc.nv; ++k) tangent += q[arc.q + k] * shape[k];
      const double length = norm(tangent);
      if (!(length > 0.0)) continue;  // no direction, so no force either
      const Vector3 direction = (1.0 / length) * tangent;
      const double pull = tension * arc.weights[j] / length;
      for (int k = 0; k < arc.nv; ++k) {
        const Vector3 across = pull * (shape[k] - dot(direction, shape[k]) * direction);
        // the force is -pull, and it stands on the other side of the equation of motion
        for (int i = 0; i < arc.nv; ++i) by_q(arc.v + i, arc.v + k) += dot(shape[i], across);
      }
    }
  }
}

/// A function of coordinates has its own second derivatives.
template <typename Matrix>
void subtract_function_slope(const BoundFunctionT<double>& bound, double effort, const VectorInT<double>& q,
                             Matrix& by_q) {
  std::array<double, k_most_function_coordinates> x{};
  std::array<double, k_most_function_coordinates * k_most_function_coordinates> hessian{};
  const std::size_t n = bound.q.size();
  for (std::size_t i = 0; i < n; ++i) x[i] = q[bound.q[i]];
  bound.function->hessian(x.data(), hessian.data());
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) by_q(bound.v[i], bound.v[j]) -= effort * hessian[i * n + j];
  }
}

/// y'' of a tendon's stretches along rods at zero acceleration: minus the second derivative of the norms of affine
/// vectors.
double arc_bias(const BoundTendonT<double>& tendon, const VectorInT<double>& q, const VectorInT<double>& v) {
  double bias = 0.0;
  for (const auto& arc : tendon.arcs) {
    for (std::size_t j = 0; j < arc.weights.size(); ++j) {
      const Vector3* shape = arc.shape.data() + j * arc.nv;
      Vector3 tangent = arc.rest[j], rate;
      for (int k = 0; k < arc.nv; ++k) tangent += q[arc.q + k] * shape[k], rate += v[arc.v + k] * shape[k];
      const double length = norm(tangent);
      if (!(length > 0.0)) continue;
      const double along = dot(tangent, rate) / length;
      bias -= arc.weights[j] * (dot(rate, rate) - along * along) / length;
    }
  }
  return bias;
}

/// Its derivative: with l the norm, d the direction, r the rate and s_k the slopes of the affine vector,
/// (r.r - (d.r)^2) / l changes by -[2 (d.r) (s_k.r) + (r.r - 3 (d.r)^2) d.s_k] / l^2.
void add_arc_bias_slope(const BoundTendonT<double>& tendon, const VectorInT<double>& q, const VectorInT<double>& v,
                        MatrixXd& by_q) {
  for (const auto& arc : tendon.arcs) {
    for (std::size_t j = 0; j < arc.weights.size(); ++j) {
      const Vector3* shape = arc.shape.data() + j * arc.nv;
      Vector3 tangent = arc.rest[j], rate;
      for (int k = 0; k < arc.nv; ++k) tangent += q[arc.q + k] * shape[k], rate += v[arc.v + k] * shape[k];
      const double length = norm(tangent);
      if (!(length > 0.0)) continue;
      const Vector3 direction = (1.0 / length) * tangent;
      const double along = dot(direction, rate), square = dot(rate, rate);
      for (int k = 0; k < arc.nv; ++k) {
        const double change =
            2.0 * along * dot(shape[k], rate) + (square - 3.0 * along * along) * dot(direction, shape[k]);
        by_q(tendon.input, arc.v + k) += arc.weights[j] * change / (length * length);
      }
    }
  }
}

/// d2y/dq2 v of a function of coordinates, at q + step v.
std::array<double, k_most_function_coordinates> function_bias_row(const BoundFunctionT<double>& bound,
                                                                  const VectorInT<double>& q,
                                                                  const VectorInT<double>& v, double step) {
  std::array<double, k_most_function_coordinates> x{}, row{};
  std::array<double, k_most_function_coordinates * k_most_function_coordinates> hessian{};
  const std::size_t n = bound.q.size();
  for (std::size_t i = 0; i < n; ++i) x[i] = q[bound.q[i]] + step * v[bound.v[i]];
  bound.function->hessian(x.data(), hessian.data());
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) row[i] += hessian[i * n + j] * v[bound.v[j]];
  }
  return row;
}

double function_bias(const BoundFunctionT<double>& bound, const VectorInT<double>& q, const VectorInT<double>& v) {
  const auto row = function_bias_row(bound, q, v, 0.0);
  double bias = 0.0;
  for (std::size_t i = 0; i < bound.v.size(); ++i) bias += row[i] * v[bound.v[i]];
  return bias;
}

constexpr double k_third_step = 1e-5;  // of differences of second derivatives

/// A step along v with which no coordinate moves farther than k_third_step; 0: nothing moves.
double third_step(double fastest) { return fastest > 0.0 ? k_third_step / fastest : 0.0; }

/// Third derivatives are symmetric, so the slope of d2y/dq2 v v is the change of d2y/dq2 v along v.
void add_function_bias_slope(const BoundFunctionT<double>& bound, const VectorInT<double>& q,
                             const VectorInT<double>& v, MatrixXd& by_q) {
  double fastest = 0.0;
  for (const int k : bound.v) fastest = std::max(fastest, std::abs(v[k]));
  const double step = third_step(fastest);
  if (!(step > 0.0)) return;
  const auto before = function_bias_row(bound, q, v, -step), after = function_bias_row(bound, q, v, step);
  for (std::size_t i = 0; i < bound.v.size(); ++i) {
    by_q(bound.input, bound.v[i]) += (after[i] - before[i]) / (2.0 * step);
  }
}

/// A part of a transmission that depends on the coordinates of one body alone and is differentiated there by
/// ForwardDual: a polygon through a body that does not know its second derivatives, or a chamber.
template <typename Force>
struct BodyStretch {
  DerivativeData::Workspace& w;
  int q, v, n;  ///< of the body: coordinates of R^n
  Force force;  ///< fills what a unit effort does, from w.gradient_q

  /// Subtracts d(force effort)/dq.
  template <typename Matrix>
  void subtract_slope(const VectorInT<double>& at, double effort, Matrix& by_q) const {
    for (int first = 0; first < n; first += k_forward_width) {
      const int last = std::min(n, first + k_forward_width);
      w.gradient_q = at.cast<ForwardDual>();
      for (int k = first; k < last; ++k) w.gradient_q[q + k].derivative[k - first] = 1.0;
      const VectorXT<ForwardDual>& f = filled();
      for (int k = first; k < last; ++k) {
        for (int i = 0; i < n; ++i) by_q(v + i, v + k) -= effort * f[v + i].derivative[k - first];
      }
    }
  }
  /// Of the force at q + step v, the derivatives along v.
  const VectorXT<ForwardDual>& along(const VectorInT<double>& at, const VectorInT<double>& rate, double step) const {
    w.gradient_q = at.cast<ForwardDual>();
    for (int k = 0; k < n; ++k) {
      w.gradient_q[q + k].value += step * rate[v + k], w.gradient_q[q + k].derivative[0] = rate[v + k];
    }
    return filled();
  }
  double bias(const VectorInT<double>& at, const VectorInT<double>& rate) const {
    const VectorXT<ForwardDual>& f = along(at, rate, 0.0);
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += f[v + i].derivative[0] * rate[v + i];
    return sum;
  }
  void add_bias_slope(const VectorInT<double>& at, const VectorInT<double>& rate, int row, MatrixXd& by_q) const {
    const double step = third_step(rate.segment(v, n).cwiseAbs().maxCoeff());
    if (!(step > 0.0)) return;
    for (const double sign : {-1.0, 1.0}) {
      const VectorXT<ForwardDual>& f = along(at, rate, sign * step);
      for (int i = 0; i < n; ++i) by_q(row, v + i) += sign * f[v + i].derivative[0] / (2.0 * step);
    }
  }

 private:
  const VectorXT<ForwardDual>& filled() const {
    force(w.gradient_data->force);
    return w.gradient_data->force;
  }
};

/// Whether a part of a transmission is of a body with sparse derivatives.
template <typename Part>
bool is_sparse(const DerivativeData::Workspace& w, const Part& part) {
  return w.bodies[static_cast<std::size_t>(part.body)].sparse != nullptr;
}

/// Calls use(input, stretch) for each of those that are wanted, without bodies that have sparse derivatives.
template <typename Wants, typename Use>
void each_body_stretch(DerivativeData::Workspace& w, TransmissionSet set, const Wants& wants, const Use& use) {
  if (!w.gradient_model) return;
  const ModelT<ForwardDual>& model = *w.gradient_model;
  const auto visit = [&](int input, const auto& part, const auto& force) {
    use(input, BodyStretch<std::decay_t<decltype(force)>>{w, part.q, part.v, part.nv, force});
  };
  for (const auto& tendon : transmissions_of(model, set).tendons) {
    if (!wants(tendon.input)) continue;
    for (const auto& polygon : tendon.polygons) {
      if (w.knows_polygons[static_cast<std::size_t>(polygon.body)] != 0 || is_sparse(w, polygon)) continue;
      visit(tendon.input, polygon, [&](VectorXT<ForwardDual>& force) {
        polygon_force<ForwardDual>(model, tendon, polygon, *w.gradient_data, w.gradient_q, force);
      });
    }
  }
  for (const auto& chamber : transmissions_of(model, set).chambers) {
    if (!wants(chamber.input) || is_sparse(w, chamber)) continue;
    visit(chamber.input, chamber, [&](VectorXT<ForwardDual>& force) {
      chamber_force<ForwardDual>(model, chamber, *w.gradient_data, w.gradient_q, force);
    });
  }
}

/// Calls use(input) for those that are wanted and act on frames. @return whether there are some.
template <typename Wants, typename Use>
bool each_on_frames(const TransmissionsT<double>& t, const Wants& wants, const Use& use) {
  bool any = false;
  const auto visit = [&](int input) {
    if (!wants(input)) return;
    use(input);
    any = true;
  };
  for (const auto& tendon : t.tendons) {
    if (!tendon.segments.empty()) visit(tendon.input);
  }
  for (const auto& wrench : t.wrenches) {
    for (int k = 0; k < 6; ++k) visit(wrench.input + k);
  }
  return any;
}

/// Straight stretches and wrenches: their whole force, differentiated by all coordinates.
template <typename Effort>
void subtract_frame_slope(const Model& model, TransmissionSet set, DerivativeData::Workspace& w,
                          const VectorInT<double>& q, const Effort& effort, MatrixXd& by_q) {
  VectorXT<ForwardDual>& efforts = w.gradient_efforts[set == TransmissionSet::actuators ? 0 : 1];
  efforts.setZero();
  const auto acts = [&](int input) { return effort(input) != 0.0; };
  if (!each_on_frames(transmissions_of(model, set), acts, [&](int input) { efforts[input] = effort(input); })) return;
  const int nv = model.nv();
  for (int first = 0; first < nv; first += k_forward_width) {
    const int last = std::min(nv, first + k_forward_width);
    for (int k = 0; k < nv; ++k) w.gradient_step[k] = 0.0;
    for (int k = first; k < last; ++k) w.gradient_step[k].derivative[k - first] = 1.0;
    w.gradient_q = q.cast<ForwardDual>();
    integrate<ForwardDual>(*w.gradient_model, w.gradient_q, w.gradient_step, w.gradient_q);
    VectorXT<ForwardDual>& force = w.gradient_data->force;
    frame_transmission_force<ForwardDual>(*w.gradient_model, transmissions_of(*w.gradient_model, set), *w.gradient_data,
                                          w.gradient_q, efforts, force);
    for (int k = first; k < last; ++k) {
      for (int i = 0; i < nv; ++i) by_q(i, k) -= force[i].derivative[k - first];
    }
  }
}

/// Their share in y'' at zero acceleration.
template <typename Wants>
void add_frame_bias(const Model& model, TransmissionSet set, DerivativeData::Workspace& w, const VectorInT<double>& q,
                    const VectorInT<double>& v, const Wants& wants, VectorXd& bias) {
  const int nv = model.nv();
  for (int k = 0; k < nv; ++k) w.gradient_step[k] = 0.0, w.gradient_step[k].derivative[0] = v[k];
  w.gradient_q = q.cast<ForwardDual>();
  integrate<ForwardDual>(*w.gradient_model, w.gradient_q, w.gradient_step, w.gradient_q);
  MatrixXT<ForwardDual>& columns = w.gradient_columns[set == TransmissionSet::actuators ? 0 : 1];
  frame_transmission_matrix<ForwardDual>(*w.gradient_model, transmissions_of(*w.gradient_model, set), *w.gradient_data,
                                         w.gradient_q, columns);
  each_on_frames(transmissions_of(model, set), wants, [&](int input) {
    for (int i = 0; i < nv; ++i) bias[input] += columns(i, input).derivative[0] * v[i];
  });
}

template <typename Wants>
bool wants_any(const MaterialPolygons& polygons, const Wants& wants) {
  for (std::size_t i = 0; i < polygons.size(); ++i) {
    if (wants(polygons.input(i))) return true;
  }
  return false;
}

/// Subtracts d((dy/dq)^T effort)/dq of each transmission within bodies from a matrix.
/// @param effort  effort(index): 0 if it does not act.   @param matrix  matrix(index).
template <typename Effort, typename Matrix>
void subtract_body_slopes(const Model& model, TransmissionSet set, DerivativeData::Workspace& w,
                          const VectorInT<double>& q, const Effort& effort, const Matrix& matrix) {
  const TransmissionsT<double>& t = transmissions_of(model, set);
  const auto acts = [&](int input) { return effort(input) != 0.0; };
  for (const auto& tendon : t.tendons) {
    if (acts(tendon.input)) subtract_arc_slope(tendon, effort(tendon.input), q, matrix(tendon.input));
  }
  for (MaterialPolygons& polygons : w.polygons[set == TransmissionSet::actuators ? 0 : 1]) {
    if (!wants_any(polygons, acts)) continue;
    polygons.read_hessians(q.data());
    for (std::size_t i = 0; i < polygons.size(); ++i) {
      const int input = polygons.input(i), v = polygons.v(), n = polygons.coordinate_count();
      // the force is -(dl/dq)^T tension
      if (acts(input)) matrix(input).block(v, v, n, n) += effort(input) * polygons.hessian(i);
    }
  }
  each_body_stretch(w, set, acts,
                    [&](int input, const auto& stretch) { stretch.subtract_slope(q, effort(input), matrix(input)); });
}

/// The same of functions of coordinates, which may be of several bodies.
template <typename Effort, typename Matrix>
void subtract_function_slopes(const TransmissionsT<double>& t, const VectorInT<double>& q, const Effort& effort,
                              const Matrix& matrix) {
  for (const auto& function : t.functions) {
    if (effort(function.input) == 0.0) continue;
    subtract_function_slope(function, effort(function.input), q, matrix(function.input));
  }
}

}  // namespace

void subtract_transmission_slope(const Model& model, TransmissionSet set, DerivativeData& derivatives,
                                 const VectorInT<double>& q, const VectorXd& efforts, MatrixXd& by_q) {
  DerivativeData::Workspace& w = derivatives.workspace();
  const TransmissionsT<double>& t = transmissions_of(model, set);
  const auto effort = [&](int input) { return t.is_driven(input) ? 0.0 : efforts[input]; };
  const auto all = [&](int) -> MatrixXd& { return by_q; };
  subtract_body_slopes(model, set, w, q, effort, all);
  subtract_function_slopes(t, q, effort, all);
  subtract_frame_slope(model, set, w, q, effort, by_q);
}

bool acts_within_bodies(const Model& model, TransmissionSet set) {
  const TransmissionsT<double>& t = transmissions_of(model, set);
  return t.functions.empty() && !each_on_frames(
                                    t, [](int) { return true; }, [](int) {});
}

void subtract_body_slopes(const Model& model, TransmissionSet set, DerivativeData::Workspace& w,
                          const VectorInT<double>& q, const VectorXd& efforts, const EdgeBlocks& by_q) {
  const TransmissionsT<double>& t = transmissions_of(model, set);
  const auto effort = [&](int input) { return t.is_driven(input) ? 0.0 : efforts[input]; };
  subtract_body_slopes(model, set, w, q, effort, [&](int) -> const EdgeBlocks& { return by_q; });
}

void subtract_sparse_slopes(const Model& model, TransmissionSet set, DerivativeData::Workspace& w,
                            const VectorInT<double>& q, const VectorXd& efforts,
                            std::vector<double> SparseBodyMemory::*values) {
  const TransmissionsT<double>& t = transmissions_of(model, set);
  const auto effort = [&](int input) { return t.is_driven(input) ? 0.0 : efforts[input]; };
  const auto memory_of = [&w](const auto& part) { return w.bodies[static_cast<std::size_t>(part.body)].sparse.get(); };
  for (const auto& tendon : t.tendons) {
    if (effort(tendon.input) == 0.0) continue;
    for (const auto& polygon : tendon.polygons) {  // the force is -(dl/dq)^T tension
      SparseBodyMemory* sparse = memory_of(polygon);
      if (sparse == nullptr) continue;
      sparse->tangent->add_length_hessian(polygon.points, q.data() + polygon.q, effort(tendon.input), sparse->pairs,
                                          (sparse->*values).data());
    }
  }
  for (const auto& chamber : t.chambers) {
    SparseBodyMemory* sparse = memory_of(chamber);
    if (sparse == nullptr || effort(chamber.input) == 0.0) continue;
    sparse->tangent->add_volume_hessian(*chamber.surface, q.data() + chamber.q, -effort(chamber.input), sparse->pairs,
                                        (sparse->*values).data());
  }
}

void transmission_slopes(const Model& model, TransmissionSet set, DerivativeData& derivatives,
                         const VectorInT<double>& q, const std::vector<TransmissionSlope>& slopes) {
  DerivativeData::Workspace& w = derivatives.workspace();
  const auto matrix_of = [&](int input) {
    const auto found = std::find_if(slopes.begin(), slopes.end(), [&](const auto& s) { return s.index == input; });
    return found == slopes.end() ? nullptr : found->matrix;
  };
  for (const TransmissionSlope& slope : slopes) slope.matrix->setZero();
  const auto effort = [&](int input) { return matrix_of(input) != nullptr ? -1.0 : 0.0; };  // they are subtracted
  const auto own = [&](int input) -> MatrixXd& { return *matrix_of(input); };
  subtract_body_slopes(model, set, w, q, effort, own);
  subtract_function_slopes(transmissions_of(model, set), q, effort, own);
  for (const TransmissionSlope& slope : slopes) {
    subtract_frame_slope(
        model, set, w, q, [&](int input) { return input == slope.index ? -1.0 : 0.0; }, *slope.matrix);
  }
}

void transmission_bias(const Model& model, TransmissionSet set, DerivativeData& derivatives, const VectorInT<double>& q,
                       const VectorInT<double>& v, const std::vector<char>& wanted, VectorXd& bias) {
  DerivativeData::Workspace& w = derivatives.workspace();
  const TransmissionsT<double>& t = transmissions_of(model, set);
  const auto wants = [&](int input) { return wanted[static_cast<std::size_t>(input)] != 0; };
  for (int k = 0; k < t.count(); ++k) {
    if (wants(k)) bias[k] = 0.0;  // y that is linear in q has none
  }
  for (const auto& tendon : t.tendons) {
    if (wants(tendon.input)) bias[tendon.input] += arc_bias(tendon, q, v);
  }
  for (const auto& function : t.functions) {
    if (wants(function.input)) bias[function.input] += function_bias(function, q, v);
  }
  for (MaterialPolygons& polygons : w.polygons[set == TransmissionSet::actuators ? 0 : 1]) {
    if (!wants_any(polygons, wants)) continue;
    polygons.read_bias(q.data(), v.data());
    for (std::size_t i = 0; i < polygons.size(); ++i) {
      if (wants(polygons.input(i))) bias[polygons.input(i)] -= polygons.bias(i);
    }
  }
  each_body_stretch(w, set, wants, [&](int input, const auto& stretch) { bias[input] += stretch.bias(q, v); });
  if (each_on_frames(t, wants, [](int) {})) add_frame_bias(model, set, w, q, v, wants, bias);
}

void transmission_bias_slope(const Model& model, TransmissionSet set, DerivativeData& derivatives,
                             const VectorInT<double>& q, const VectorInT<double>& v, const std::vector<char>& wanted,
                             MatrixXd& by_q) {
  DerivativeData::Workspace& w = derivatives.workspace();
  const TransmissionsT<double>& t = transmissions_of(model, set);
  const auto wants = [&](int input) { return wanted[static_cast<std::size_t>(input)] != 0; };
  for (int k = 0; k < t.count(); ++k) {
    if (wants(k)) by_q.row(k).setZero();
  }
  for (const auto& tendon : t.tendons) {
    if (wants(tendon.input)) add_arc_bias_slope(tendon, q, v, by_q);
  }
  for (const auto& function : t.functions) {
    if (wants(function.input)) add_function_bias_slope(function, q, v, by_q);
  }
  for (MaterialPolygons& polygons : w.polygons[set == TransmissionSet::actuators ? 0 : 1]) {
    if (!wants_any(polygons, wants)) continue;
    polygons.read_bias_slopes(q.data(), v.data());
    for (std::size_t i = 0; i < polygons.size(); ++i) {
      if (!wants(polygons.input(i))) continue;
      by_q.row(polygons.input(i)).segment(polygons.v(), polygons.coordinate_count()) -=
          polygons.bias_slope(i).transpose();
    }
  }
  each_body_stretch(w, set, wants, [&](int input, const auto& stretch) { stretch.add_bias_slope(q, v, input, by_q); });
  if (!each_on_frames(t, wants, [](int) {})) return;
  VectorXd &step = w.transmission_step, &bias = w.transmission_bias;
  for (int k = 0; k < model.nv(); ++k) {
    for (const double sign : {-1.0, 1.0}) {
      step.setZero(), step[k] = sign * k_third_step;
      integrate<double>(model, q, step, w.transmission_q);
      bias.setZero(t.count());
      add_frame_bias(model, set, w, w.transmission_q, v, wants, bias);
      by_q.col(k) += sign / (2.0 * k_third_step) * bias;
    }
  }
}

}  // namespace cuttle
