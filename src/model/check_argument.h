#pragma once

#include <cmath>
#include <string>

#include "bodies/dense_coordinates.h"
#include "cuttle/error.h"
#include "cuttle/model/data.h"
#include "spatial/number_text.h"

// What every public function asks of what it is given, and of what it returns. Of robots side by side only the sizes
// are checked: a lane that is wrong spoils only itself, and who packs robots marks it.

namespace cuttle {

template <typename S>
bool all_finite(const S* x, Eigen::Index size) {
  // x - x is 0 for every finite number and NaN otherwise
  S sum[4] = {S(0.0), S(0.0), S(0.0), S(0.0)};
  Eigen::Index i = 0;
  for (; i + 4 <= size; i += 4) {
    for (int k = 0; k < 4; ++k) sum[k] += x[i + k] - x[i + k];
  }
  for (; i < size; ++i) sum[0] += x[i] - x[i];
  return all(sum[0] + sum[1] + (sum[2] + sum[3]) == S(0.0));
}

/// Kept out of line, as all that fails here, so that what passes costs little.
[[noreturn]] void fail_overflow(const char* function, const std::string& result, const std::string& value);

/// What every public function asks of its result: arguments that are finite, but far too large, must not end as NaN.
/// @param name  name(i) says for messages which result x[i] is.
/// @throws OverflowError naming the function and the first result that is not finite.
template <typename S, typename Name>
void require_finite_result(const char* function, const S* x, Eigen::Index size, const Name& name) {
  if constexpr (!k_has_lanes<S>) {
    if (all_finite(x, size)) return;
    using std::isfinite;
    Eigen::Index i = 0;
    while (i + 1 < size && isfinite(x[i])) ++i;
    fail_overflow(function, name(i), number_text(x[i]));
  }
}
/// The same for one number.
template <typename S>
S finite_result(const char* function, const char* name, const S& x) {
  require_finite_result(function, &x, 1, [&](Eigen::Index) { return std::string(name); });
  return x;
}
/// The same for numbers that belong to the velocity coordinates.
template <typename S>
void require_finite_force(const ModelT<S>& model, const char* function, const char* name, const VectorXT<S>& x) {
  require_finite_result(function, x.data(), x.size(), [&](Eigen::Index i) {
    const int k = static_cast<int>(i);
    return std::string(name) + "[" + std::to_string(k) + "] of " + model.velocity_info()[k].name + " (link '" +
           model.link_of_velocity(k) + "')";
  });
}
/// The same for the entries of a matrix.
template <typename S>
void require_finite_matrix(const char* function, const char* name, const MatrixXT<S>& m) {
  require_finite_result(function, m.data(), m.size(), [&](Eigen::Index i) {
    return std::string(name) + "(" + std::to_string(i % m.rows()) + ", " + std::to_string(i / m.rows()) + ")";
  });
}

/// @param path  of the argument and of what is wrong in it.
/// @throws ArgumentError naming the function, what was found and what was expected.
[[noreturn]] void fail_argument(const char* function, const KeyPath& path, const std::string& found,
                                const std::string& expected);
/// @param number  of the entry of `q` with which a quaternion begins.
[[noreturn]] void fail_quaternion(const char* function, const char* name, int number, const std::string& coordinate,
                                  const std::string& found, const std::string& expected);

/// @param sizes_suffice  whether memory made for another robot of the same sizes would do.
[[noreturn]] void fail_foreign(const char* function, const char* name, const ModelStamp* made_for,
                               const ModelStamp& expected, bool sizes_suffice);

/// Whether working memory (a Data, ConstraintData ..) serves a model; O(1).
/// @throws ArgumentError naming the robot that it was made for and the model's.
template <typename S, typename Memory>
void check_workspace(const ModelT<S>& model, const char* function, const char* name, const Memory& memory) {
  const ModelStamp *found = memory.stamp().get(), *expected = model.stamp().get();
  if (found == expected || (found != nullptr && found->sizes == expected->sizes)) return;
  fail_foreign(function, name, found, *expected, true);
}

/// @throws ArgumentError naming the function, the argument and the index of a value that is not finite.
template <typename S>
void require_finite_argument(const char* function, const char* name, const VectorInT<S>& x) {
  if (all_finite(x.data(), x.size())) return;
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    using std::isfinite;
    if (isfinite(x[i])) continue;
    fail_argument(function, {name, i}, number_text(x[i]), "a finite number");
  }
}

/// @throws ArgumentError naming the function and the link of a body with more coordinates.
template <typename S>
void require_few_coordinates(const ModelT<S>& model, const char* function) {
  for (std::size_t i = 0; i < model.links().size(); ++i) {
    const LinkInfoT<S>& link = model.links()[i];
    const int count = link.nv - link.joint_nv;
    if (count <= k_most_dense_coordinates) continue;
    throw ArgumentError(
        Diagnostic({}, "a body with " + std::to_string(count) + " coordinates",
                   "at most " + std::to_string(k_most_dense_coordinates) +
                       ": for more nodes take kinematics of type fem with 'modes', 'derivatives' and 'attachments' "
                       "instead of 'full', or a coarser mesh (statics, implicit steps, forward_dynamics and a count of "
                       "lowest modes take more)")
            .place_in({"links", i, "body"}, "link '" + link.name + "'")
            .place_in({}, function));
  }
}

/// @throws ArgumentError naming the function, the argument and, for a value that is not finite, its index.
template <typename S>
void check_argument(const ModelT<S>& model, const char* function, const char* name, const VectorInT<S>& x,
                    int expected) {
  if (x.size() != expected) {
    fail_argument(
        function, name, "size " + std::to_string(x.size()),
        std::to_string(expected) + " (" + (expected == model.nq() ? "nq" : "nv") + " of '" + model.name() + "')");
  }
  if constexpr (!k_has_lanes<S>) require_finite_argument<S>(function, name, x);
}

/// The same for a configuration: its quaternions must be of unit norm too, within k_quaternion_tolerance.
template <typename S>
void check_configuration_argument(const ModelT<S>& model, const char* function, const char* name,
                                  const VectorInT<S>& q) {
  check_argument(model, function, name, q, model.nq());
  if (k_has_lanes<S> || model.nq() == model.nv()) return;
  for (const Edge& edge : model.topology().edges) {
    if (edge.nq == edge.nv) continue;
    const S violation = model.topology().joints[edge.index].joint->constraint_violation(q.data() + edge.q);
    if (any(violation <= S(k_quaternion_tolerance))) continue;
    const int first = edge.q + edge.nq - 4;  // a quaternion is the last part of a configuration that has one
    fail_quaternion(function, name, first, model.configuration_info()[first].name,
                    "a quaternion whose norm is " + number_text(violation) + " off 1", "at most 1e-6");
  }
}

/// What all algorithms ask that take a model, its working memory and a configuration.
template <typename S>
void check_call(const ModelT<S>& model, const char* function, const DataT<S>& data, const VectorInT<S>& q) {
  check_workspace(model, function, "data", data);
  check_configuration_argument(model, function, "q", q);
}

/// @throws ArgumentError for a frame of another model.
template <typename S>
void check_frame(const ModelT<S>& model, const char* function, const std::string& name, const FrameT<S>& frame) {
  const auto nodes = model.topology().nodes.size();
  if (static_cast<std::size_t>(frame.node) < nodes) return;
  fail_argument(function, name, "a frame of another model (node " + std::to_string(frame.node) + ")",
                "one of the " + std::to_string(nodes) + " nodes of '" + model.name() + "'");
}

}  // namespace cuttle
