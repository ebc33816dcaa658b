#include "own_parts.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <utility>

#include "cuttle/bodies/volume_body.h"
#include "cuttle/error.h"
#include "cuttle/io/kinds.h"
#include "cuttle/model/transmissions/distance.h"
#include "cuttle/model/transmissions/tendon.h"
#include "own_law.h"
#include "own_load.h"
#include "own_shape.h"

namespace cuttle::python {
namespace {

constexpr std::size_t k_lanes = k_point_lanes<double>, k_vector = k_vector_block<double>, k_matrix = 3 * k_vector;

/// Parts of a number of the library: a value, and derivatives in so many directions.
template <typename S>
constexpr std::size_t k_parts = 1;
template <>
constexpr std::size_t k_parts<ForwardDual> = 1 + k_forward_width;
double part_of(double number, std::size_t /*part*/) { return number; }
double part_of(const ForwardDual& number, std::size_t part) {
  return part == 0 ? number.value : number.derivative[part - 1];
}
void set_part(double& number, std::size_t /*part*/, double x) { number = x; }
void set_part(ForwardDual& number, std::size_t part, double x) {
  (part == 0 ? number.value : number.derivative[part - 1]) = x;
}

/// Rows of x, y, z of all lanes, of each part.
template <typename S>
Array rows_of(const S* x, std::size_t blocks) {
  constexpr std::size_t k = k_point_lanes<S>;
  double* numbers = nullptr;
  Array rows = new_array({k_parts<S>, static_cast<Eigen::Index>(blocks * k), 3}, numbers);
  for (std::size_t part = 0; part < k_parts<S>; ++part) {
    for (std::size_t i = 0; i < blocks * k; ++i) {
      for (std::size_t c = 0; c < 3; ++c) *numbers++ = part_of(x[i / k * k_vector_block<S> + c * k + i % k], part);
    }
  }
  return rows;
}
/// The numbers of a vector, of each part.
template <typename S>
Array parts_of(const S* from, std::size_t count) {
  double* numbers = nullptr;
  Array parts = new_array({k_parts<S>, static_cast<Eigen::Index>(count)}, numbers);
  for (std::size_t part = 0; part < k_parts<S>; ++part) {
    for (std::size_t i = 0; i < count; ++i) *numbers++ = part_of(from[i], part);
  }
  return parts;
}

/// Numbers that a method of an object answered; with the interpreter's lock.
class Answer {
 public:
  Answer(const nb::object& answer, std::size_t expected) {
    numbers_.take(answer.ptr());
    numbers_.require("a function of Python");
    std::size_t count = 1;
    for (int i = 0; i < numbers_.dimensions(); ++i) count *= static_cast<std::size_t>(numbers_.extent(i));
    if (count != expected) {
      throw ArgumentError("a function of Python", std::to_string(count) + " numbers", std::to_string(expected));
    }
  }
  const double* data() const { return numbers_.data(); }

 private:
  Numbers numbers_;
};

/// Puts vectors of points, which lie as rows part by part, from a block on into blocks of lanes.
template <typename S>
void store_vectors(const double* rows, std::size_t points, std::size_t first, std::size_t blocks, S* to,
                   std::size_t stride) {
  constexpr std::size_t k = k_point_lanes<S>;
  for (std::size_t part = 0; part < k_parts<S>; ++part, rows += points * 3) {
    for (std::size_t i = 0; i < blocks * k; ++i) {
      const double* from = rows + (first * k + i) * 3;
      for (std::size_t c = 0; c < 3; ++c) set_part(to[i / k * stride + c * k + i % k], part, from[c]);
    }
  }
}
/// The same of matrices, given as three columns one behind the other.
/// @param row  from a row of lanes to that of the next entry, which go by rows of the matrix.
template <typename S>
void store_matrices(const double* columns, std::size_t points, std::size_t first, std::size_t blocks, S* to,
                    std::size_t stride, std::size_t row = k_point_lanes<S>) {
  constexpr std::size_t k = k_point_lanes<S>;
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t part = 0; part < k_parts<S>; ++part, columns += points * 3) {
      for (std::size_t i = 0; i < blocks * k; ++i) {
        const double* from = columns + (first * k + i) * 3;
        for (std::size_t r = 0; r < 3; ++r) set_part(to[i / k * stride + (3 * r + c) * row + i % k], part, from[r]);
      }
    }
  }
}

std::vector<CoordinateInfo> coordinates_of(const nb::object& part) {
  const auto names = nb::cast<std::vector<std::string>>(part.attr("names"));
  const auto units = nb::cast<std::vector<std::string>>(part.attr("units"));
  std::vector<CoordinateInfo> coordinates;
  for (std::size_t i = 0; i < names.size(); ++i) coordinates.push_back({names[i], units[i]});
  return coordinates;
}

Array vector_of(const double* numbers, std::size_t count) {
  double* to = nullptr;
  Array array = new_array({static_cast<Eigen::Index>(count)}, to);
  std::copy_n(numbers, count, to);
  return array;
}

}  // namespace

nb::object find_own_part(const std::string& name) {
  nb::object part = nb::module_::import_("cuttle.own").attr("_find")(name);
  if (part.is_none()) {
    throw ModelError("object", "'" + name + "', a part of a program of Python that is gone",
                     "one that the robot was described with, in the same program");
  }
  return part;
}

// --- kinematics ------------------------------------------------------------------------------------------------------

template <typename S>
PythonKinematicsT<S>::PythonKinematicsT(const nb::object& part)
    : part_(part), coordinates_(coordinates_of(part)), keeps_volume_(nb::cast<bool>(part.attr("keeps_volume"))) {}

template <typename S>
void PythonKinematicsT<S>::move(const PointRequestT<S>& request, const S* x, std::size_t blocks,
                                const PointMotionsT<S>& motions, void* /*scratch*/) const {
  const InterpreterLock lock;
  const std::size_t n = coordinates_.size(), points = blocks * k_point_lanes<S>, field = k_parts<S> * points * 3;
  const bool second = request.level == MotionLevel::acceleration, slopes = request.slopes || second;
  const std::size_t rows = 1 + (slopes ? n : 0) + (second ? 1 : 0);
  const nb::object v = second ? nb::object(parts_of(request.v, n)) : nb::none();
  const Answer answer((*part_).attr("_move")(parts_of(request.q, n), v, rows_of(x, blocks), slopes), rows * field);
  const std::size_t stride = blocks > 1 ? motions.value(1) - motions.value(0) : 0;
  const auto store = [&](std::size_t row, S* to) {
    store_vectors(answer.data() + row * field, points, 0, blocks, to, stride);
  };
  store(0, motions.value(0));
  for (std::size_t j = 0; slopes && j < n; ++j) store(1 + j, motions.slope(0, static_cast<int>(j)));
  if (second) store(1 + n, motions.curvature(0));
}

template <typename S>
void PythonKinematicsT<S>::gradients(const S* q, const S* direction, const S* x, std::size_t blocks,
                                     const GradientResultsT<S>& results, const GradientUse& use,
                                     void* /*scratch*/) const {
  constexpr std::size_t k_entries = 9 * k_point_lanes<S>;
  const InterpreterLock lock;
  const std::size_t n = coordinates_.size(), points = blocks * k_point_lanes<S>;
  const std::size_t columns = 3 * k_parts<S> * points * 3;
  const std::size_t rows = results.slopes != nullptr ? n + 1 : 1, ways = direction != nullptr ? 2 : 1;
  const nb::object along = direction != nullptr ? nb::object(parts_of(direction, n)) : nb::none();
  const Answer answer((*part_).attr("_gradients")(parts_of(q, n), along, rows_of(x, blocks), results.slopes != nullptr),
                      rows * ways * columns);
  for (std::size_t first = 0; first < blocks; first += k_gradient_blocks) {
    const std::size_t count = std::min(k_gradient_blocks, blocks - first);
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t way = 0; way < ways; ++way) {  // rows of derivatives follow those of values
        S* to = row == 0 ? results.F : results.slopes + (row - 1) * ways * k_entries;
        const std::size_t stride = (row == 0 ? 1 : n) * ways * k_entries;
        store_matrices(answer.data() + (row * ways + way) * columns, points, first, count, to + way * k_point_lanes<S>,
                       stride, ways * k_point_lanes<S>);
      }
    }
    use(first, count);
  }
}

template <>
void PythonKinematicsT<ForwardDual>::second_slopes(const ForwardDual* /*q*/, const ForwardDual* /*v*/,
                                                   const ForwardDual* /*a*/, const ForwardDual* /*x*/,
                                                   std::size_t /*blocks*/,
                                                   const SecondSlopesT<ForwardDual>& /*results*/,
                                                   const GradientUse& /*use*/, void* /*scratch*/) const {}
template <>
void PythonKinematicsT<double>::second_slopes(const double* q, const double* v, const double* a, const double* x,
                                              std::size_t blocks, const SecondSlopesT<double>& results,
                                              const GradientUse& use, void* /*scratch*/) const {
  const InterpreterLock lock;
  const std::size_t n = coordinates_.size(), points = blocks * k_lanes, field = points * 3;
  const std::size_t pairs = SecondSlopesT<double>::pairs(n);
  const bool paths_x = results.F_paths != nullptr, any_paths = results.paths != nullptr || paths_x;
  const bool second_x = results.F != nullptr || results.F_slopes != nullptr || results.F_hessians != nullptr;
  const bool any_second = results.hessians != nullptr || second_x;
  const Array rows = rows_of(x, blocks), at = parts_of(q, n);
  const std::size_t path_fields = paths_x ? 4 : 1, second_fields = second_x ? 4 : 1;
  std::optional<Answer> paths, second;
  if (any_paths) {
    paths.emplace((*part_).attr("_paths")(at, parts_of(v, n), parts_of(a, n), rows, paths_x),
                  n * 2 * path_fields * field);
  }
  if (any_second)
    second.emplace((*part_).attr("_hessians")(at, rows, second_x), (1 + n + pairs) * second_fields * field);
  for (std::size_t first = 0; first < blocks; first += k_gradient_blocks) {
    const std::size_t count = std::min(k_gradient_blocks, blocks - first);
    for (std::size_t k = 0; any_paths && k < 2 * n; ++k) {
      const double* from = paths->data() + k * path_fields * field;
      if (results.paths) {
        store_vectors(from, points, first, count, results.paths + k * k_vector, 2 * n * k_vector);
      }
      if (paths_x) store_matrices(from + field, points, first, count, results.F_paths + k * k_matrix, 2 * n * k_matrix);
    }
    for (std::size_t k = 0; any_second && k < 1 + n + pairs; ++k) {
      const double* from = second->data() + k * second_fields * field;
      if (k > n && results.hessians) {
        store_vectors(from, points, first, count, results.hessians + (k - n - 1) * k_vector, pairs * k_vector);
      }
      if (!second_x) continue;
      const auto store = [&](double* to, std::size_t index, std::size_t all) {
        if (to) store_matrices(from + field, points, first, count, to + index * k_matrix, all * k_matrix);
      };
      if (k == 0) {
        store(results.F, 0, 1);
      } else if (k <= n) {
        store(results.F_slopes, k - 1, n);
      } else {
        store(results.F_hessians, k - n - 1, pairs);
      }
    }
    use(first, count);
  }
}

template <typename S>
std::shared_ptr<const VolumeKinematicsT<double>> PythonKinematicsT<S>::clone_as(ScalarTag<double>) const {
  const InterpreterLock lock;
  return std::make_shared<const PythonKinematicsT<double>>(*part_);
}
template <typename S>
std::shared_ptr<const VolumeKinematicsT<long double>> PythonKinematicsT<S>::clone_as(ScalarTag<long double>) const {
  throw ModelError("kinematics", "a function of Python", "those of the library: it has no long double");
}
template <typename S>
std::shared_ptr<const VolumeKinematicsT<ForwardDual>> PythonKinematicsT<S>::clone_as(ScalarTag<ForwardDual>) const {
  const InterpreterLock lock;
  return std::make_shared<const PythonKinematicsT<ForwardDual>>(*part_);
}

template class PythonKinematicsT<double>;
template class PythonKinematicsT<ForwardDual>;

// --- a body of its own -----------------------------------------------------------------------------------------------

namespace {

PointParameters points_of(const nb::object& part) {
  Numbers points, volumes, tip;
  points.take(nb::object(part.attr("points")).ptr());
  volumes.take(nb::object(part.attr("volumes")).ptr());
  tip.take(nb::object(part.attr("tip")).ptr());
  const auto at = [](const auto& rows, Eigen::Index i) { return Vector3{rows(i, 0), rows(i, 1), rows(i, 2)}; };
  const auto rows = points.rows("points"), frame = tip.rows("tip");
  const auto weights = volumes.vector("volumes");
  PointParameters parameters;
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    parameters.quadrature.points.push_back(at(rows, i));
    parameters.quadrature.weights.push_back(weights[i]);
  }
  parameters.density = nb::cast<double>(part.attr("density"));
  parameters.tip_origin = at(frame, 0), parameters.tip_a = at(frame, 1), parameters.tip_b = at(frame, 2);
  parameters.allow_folding = nb::cast<bool>(part.attr("allow_folding"));
  return parameters;
}

/// Deformation gradients of points, with slopes and derivatives along a direction: the memory that they take.
struct OwnGradients {
  OwnGradients(std::size_t n, bool with_slopes)
      : F(k_gradient_blocks * 2 * k_matrix), slopes(with_slopes ? n * k_gradient_blocks * 2 * k_matrix : 0) {
    results = {F.data(), with_slopes ? slopes.data() : nullptr};
  }
  std::vector<double> F, slopes;
  GradientResultsT<double> results;
};

/// Of a lane.
double determinant(const double* F) {
  const auto row = [F](int r) {
    return Vector3{F[3 * r * k_lanes], F[(3 * r + 1) * k_lanes], F[(3 * r + 2) * k_lanes]};
  };
  return dot(row(0), cross(row(1), row(2)));
}
/// Column c of a matrix of lane 0, whose rows of lanes are `row` apart.
Vector3 column(const double* F, int c, std::size_t row) { return {F[c * row], F[(3 + c) * row], F[(6 + c) * row]}; }

}  // namespace

PythonBody::PythonBody(const nb::object& part)
    : PointBodyBaseT<double>(points_of(part), coordinates_of(part)),
      part_(part),
      kinematics_(std::make_shared<const PythonKinematics>(part)),
      elastic_(!nb::object(part.attr("elastic_energy")).is_none()),
      damped_(!nb::object(part.attr("dissipation")).is_none()) {}

void PythonBody::move(const Request& request, const double* x, std::size_t blocks, const Motions& motions,
                      void* scratch) const {
  kinematics_->move(request, x, blocks, motions, scratch);
}

void PythonBody::move_axes(const Request& request, const Vector3& x, Direction (&axes)[2], void* scratch) const {
  const auto n = static_cast<std::size_t>(coordinate_count());
  const bool second = request.level == MotionLevel::acceleration;
  const std::size_t row = second ? 2 * k_lanes : k_lanes;
  const OwnGradients own(n, true);
  std::array<double, k_vector> block;
  fill_blocks(&x, 1, block.data());
  const auto nothing = [](std::size_t, std::size_t) {};
  kinematics_->gradients(request.q, second ? request.v : nullptr, block.data(), 1, own.results, GradientUse(nothing),
                         scratch);
  for (int axis = 0; axis < 2; ++axis) {
    axes[axis].value = column(own.results.F, axis, row);
    axes[axis].curvature = {};
    for (std::size_t j = 0; j < n; ++j) {
      const double* slope = own.results.slopes + j * 9 * row;
      axes[axis].slopes[j] = column(slope, axis, row);
      // d2F/(dq_j dq_k) v_j v_k: the slopes' change along v
      if (second) axes[axis].curvature += request.v[j] * column(slope + k_lanes, axis, row);
    }
  }
}

std::size_t PythonBody::first_folded(const double* q, void* scratch) const {
  const OwnGradients own(0, false);
  std::size_t folded = blocks();
  const auto look = [&](std::size_t first, std::size_t count) {
    for (std::size_t block = 0; block < count && folded == blocks(); ++block) {
      for (std::size_t lane = 0; lane < k_lanes; ++lane) {
        if (!(determinant(own.F.data() + block * k_matrix + lane) > 0.0)) folded = first + block;
      }
    }
  };
  kinematics_->gradients(q, nullptr, block_points(0), blocks(), own.results, GradientUse(look), scratch);
  return folded;
}
double PythonBody::determinant_at(const double* q, const Vector3& x) const {
  const OwnGradients own(0, false);
  std::array<double, k_vector> block;
  fill_blocks(&x, 1, block.data());
  kinematics_->gradients(q, nullptr, block.data(), 1, own.results, GradientUse([](std::size_t, std::size_t) {}),
                         nullptr);
  return determinant(own.F.data());
}

void PythonBody::second_slopes(const double* q, const double* v, const double* a, const double* x, std::size_t blocks,
                               const SecondSlopesT<double>& results, const GradientUse& use, void* scratch) const {
  kinematics_->second_slopes(q, v, a, x, blocks, results, use, scratch);
}

void PythonBody::material_points(const double* q, const Vector3* x, std::size_t count,
                                 const MaterialPointsT<double>& points) const {
  const auto n = static_cast<std::size_t>(coordinate_count());
  const std::size_t blocks = block_count<double>(count);
  std::vector<double> at(blocks * k_vector), memory(Motions::size(blocks, coordinate_count()));
  fill_blocks(x, count, at.data());
  const Motions motions(memory.data(), coordinate_count());
  kinematics_->move({MotionLevel::pose, q, nullptr, points.slopes != nullptr}, at.data(), blocks, motions, nullptr);
  for (std::size_t i = 0; i < count; ++i) {
    const auto lane = static_cast<int>(i % k_lanes);
    points.position[i] = lane_vector(motions.value(i / k_lanes), lane);
    for (std::size_t j = 0; points.slopes != nullptr && j < n; ++j) {
      points.slopes[i * n + j] = lane_vector(motions.slope(i / k_lanes, static_cast<int>(j)), lane);
    }
  }
  if (points.F == nullptr) return;
  const OwnGradients own(n, points.F_slopes != nullptr);
  const auto matrix = [](const double* F) {
    return Matrix3::from_columns(column(F, 0, k_lanes), column(F, 1, k_lanes), column(F, 2, k_lanes));
  };
  const auto take = [&](std::size_t first, std::size_t blocks_here) {
    for (std::size_t i = 0; i < blocks_here * k_lanes; ++i) {
      const std::size_t block = i / k_lanes, lane = i % k_lanes, point = first * k_lanes + i;
      if (point >= count) return;
      points.F[point] = matrix(own.F.data() + block * k_matrix + lane);
      for (std::size_t j = 0; points.F_slopes != nullptr && j < n; ++j) {
        points.F_slopes[point * n + j] = matrix(own.slopes.data() + (block * n + j) * k_matrix + lane);
      }
    }
  };
  kinematics_->gradients(q, nullptr, at.data(), blocks, own.results, GradientUse(take), nullptr);
}

std::shared_ptr<const void> PythonBody::find_part(const std::type_info& type) const {
  if (type == typeid(VolumeKinematics)) return std::static_pointer_cast<const VolumeKinematics>(kinematics_);
  return PointBodyBaseT<double>::find_part(type);
}

std::vector<double> PythonBody::ask(const char* method, std::initializer_list<const double*> vectors, int order,
                                    std::size_t expected) const {
  const InterpreterLock lock;
  const auto n = static_cast<std::size_t>(coordinate_count());
  nb::list arguments;
  for (const double* numbers : vectors) arguments.append(vector_of(numbers, n));
  if (order >= 0) arguments.append(order);
  const Answer answer((*part_).attr(method)(*arguments), expected);
  return {answer.data(), answer.data() + expected};
}

double PythonBody::elastic_energy(const double* q) const { return elastic_ ? ask("_energy", {q}, 0, 1).front() : 0.0; }
void PythonBody::energy_density(const double* q, const Vector3* x, std::size_t count, double* density) const {
  if (!elastic_) return PointBodyBaseT<double>::energy_density(q, x, count, density);
  std::fill_n(density, count, mean_energy_density(q));
}
void PythonBody::add_elastic_force(const double* q, double* force) const {
  if (!elastic_) return;
  const int n = coordinate_count();
  const std::vector<double> found = ask("_energy", {q}, 1, 1 + n);
  for (int j = 0; j < n; ++j) force[j] += found[1 + j];
}
void PythonBody::stiffness_matrix(const double* q, double* stiffness) const {
  const int n = coordinate_count();
  std::fill_n(stiffness, n * n, 0.0);
  if (!elastic_) return;
  const std::vector<double> found = ask("_energy", {q}, 2, 1 + n + n * n);
  std::copy_n(found.data() + 1 + n, n * n, stiffness);
}
double PythonBody::dissipation(const double* q, const double* v) const {
  return damped_ ? ask("_dissipated", {q, v}, 0, 1).front() : PointBodyBaseT<double>::dissipation(q, v);
}
void PythonBody::add_damping_force(const double* q, const double* v, double* force) const {
  if (!damped_) return;
  const int n = coordinate_count();
  const std::vector<double> found = ask("_dissipated", {q, v}, 1, 1 + n);
  for (int j = 0; j < n; ++j) force[j] += found[1 + j];
}
void PythonBody::damping_matrix(const double* q, const double* v, double* damping) const {
  const int n = coordinate_count();
  std::fill_n(damping, n * n, 0.0);
  if (!damped_) return;
  const std::vector<double> found = ask("_dissipated", {q, v}, 2, 1 + n + n * n);
  std::copy_n(found.data() + 1 + n, n * n, damping);
}
void PythonBody::fill_internal_derivatives(const double* q, const double* v, void* /*scratch*/, double* by_q,
                                           double* by_v) const {
  const int n = coordinate_count();
  stiffness_matrix(q, by_q);
  damping_matrix(q, v, by_v);
  if (!damped_) return;
  const std::vector<double> found = ask("_damping_slopes", {q, v}, -1, n * n);
  for (int i = 0; i < n * n; ++i) by_q[i] += found[i];
}

// --- kinds -----------------------------------------------------------------------------------------------------------

namespace {

Key object_key() {
  return key::required(key::text("object")).about("Which part of the program in Python that described the robot.");
}
Key optional_key(Key key) {
  key.required = false;
  return key.if_missing("none");
}

const KeyTable k_kinematics{.keys = {object_key()}};
const KeyTable k_signal{.keys = {object_key()}};
const KeyTable k_shape{.keys = {object_key()}};
const KeyTable k_load{
    .keys = {object_key(), link_key("Link that it acts on; `base` is the robot's base."), place_key()}};
const KeyTable k_body{.keys = body_keys({object_key()})};
const KeyTable k_element{
    .keys = element_keys({object_key(), optional_key(routing_key()), optional_key(frame_key("a", "One end.")),
                          optional_key(frame_key("b", "The other end."))})};

/// Finds a part, and makes of it what the robot has.
template <typename Make>
auto made_of(const std::string& name, const char* type, const Make& make) {
  const InterpreterLock lock;
  const nb::object part = find_own_part(name);
  if (!nb::isinstance(part, nb::module_::import_("cuttle").attr(type))) {
    throw ModelError("object", "'" + name + "', which is none", std::string("a ") + type);
  }
  return make(part);
}

template <typename S>
std::shared_ptr<const VolumeKinematicsT<S>> read_kinematics(const KinematicsReader<S>& part) {
  return made_of(part.text("object"), "FunctionKinematics",
                 [](const nb::object& object) { return std::make_shared<const PythonKinematicsT<S>>(object); });
}
std::shared_ptr<const Body> read_body(const PartReader<double>& part) {
  return made_of(part.text("object"), "FunctionBody",
                 [](const nb::object& object) { return std::make_shared<const PythonBody>(object); });
}
std::optional<Element> read_element(const PartReader<double>& part) {
  Element element;
  element.name = part.name();
  using Coordinates = std::vector<std::pair<std::string, int>>;
  const auto coordinates = made_of(part.text("object"), "Element", [&](const nb::object& object) {
    element.law = make_python_law(object);
    return nb::cast<Coordinates>(object.attr("coordinates"));
  });
  for (const auto& [link, index] : coordinates) element.through.push_back(make_coordinate_transmission(link, index));
  if (part.has("routing")) element.through.push_back(std::make_shared<const TendonTransmission>(part.routing()));
  if (part.has("a")) {
    element.through.push_back(std::make_shared<const DistanceTransmission>(part.frame("a"), part.frame("b")));
  }
  return element;
}
std::optional<Load> read_load(const PartReader<double>& part) {
  const Place place = part.place();
  return Load{place, made_of(part.text("object"), "FunctionLoad", make_python_load)};
}
template <typename S>
std::shared_ptr<const SignedDistanceT<S>> read_shape(const KeyReader<S>& part) {
  return made_of(part.text("object"), "FunctionShape",
                 [](const nb::object& object) { return std::make_shared<const PythonShapeT<S>>(object); });
}
std::optional<Signal> read_signal(const KeyReader<double>& part) {
  const InterpreterLock lock;
  return nb::cast<Signal>(find_own_part(part.text("object")));
}

}  // namespace

void register_own_kinds() {
  static bool done = false;
  if (std::exchange(done, true)) return;
  register_kind(KinematicsKind{"python", &k_kinematics, "A function of Python.", "{type: python, object: bend 1}",
                               read_kinematics<double>, read_kinematics<ForwardDual>});
  register_kind(BodyKind{"python", &k_body, "Points that a function of Python moves.", "{type: python, object: bend 1}",
                         read_body});
  register_kind(ElementKind{"python", &k_element, "A law that is a function of Python.",
                            "{name: spring, type: python, object: law 1}", read_element});
  register_kind(
      SignalKind{"python", &k_signal, "A function of Python.", "{type: python, object: signal 1}", read_signal});
  register_kind(LoadKind{"python", &k_load, "A load that is a function of Python.",
                         "{type: python, link: ball, object: law 1}", read_load});
  register_kind(DistanceKind{"python", &k_shape, "A distance that is a function of Python.",
                             "{shape: python, object: torus 1}", read_shape<double>, read_shape<ForwardDual>});
}

std::vector<std::string> own_parts_of(const Robot& robot) {
  std::vector<std::string> found;
  for (const Link& link : robot.links) {
    const std::string at = "links." + link.name + ".body";
    if (dynamic_cast<const PythonBody*>(link.body.get()) != nullptr) found.push_back(at);
    const auto* volume = dynamic_cast<const VolumeBody*>(link.body.get());
    if (volume != nullptr && volume->kinematics().type_name() == "python") found.push_back(at + ".kinematics");
    const auto& shapes = link.contact.shapes;
    if (std::any_of(shapes.begin(), shapes.end(), [](const auto& own) { return own.shape->type_name() == "python"; })) {
      found.push_back("links." + link.name + ".contact");
    }
  }
  for (const Element& element : robot.elements) {
    if (element.law && element.law->type_name() == "python") found.push_back("elements." + element.name);
  }
  for (std::size_t i = 0; i < robot.loads.size(); ++i) {
    if (robot.loads[i].law->type_name() == "python") found.push_back("loads[" + std::to_string(i) + "]");
  }
  for (const Obstacle& obstacle : robot.obstacles) {
    if (obstacle.shape->type_name() == "python") found.push_back("obstacles." + obstacle.name);
  }
  return found;
}

}  // namespace cuttle::python
