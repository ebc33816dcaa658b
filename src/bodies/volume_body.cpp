#include "cuttle/bodies/volume_body.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "cuttle/error.h"

namespace cuttle {

namespace {

constexpr std::size_t k_block = 32;  // points whose deformation gradients are held at once

/// Memory of this thread that only grows: elastic and damping forces have no workspace, and must not allocate.
template <typename T>
struct Buffer {
  std::vector<Matrix3T<T>> F, slopes;
  std::vector<T> numbers;
};
template <typename T>
Buffer<T>& thread_buffer() {
  thread_local Buffer<T> buffer;
  return buffer;
}
template <typename T>
T* grown(std::vector<T>& memory, std::size_t count) {
  if (memory.size() < count) memory.resize(count);
  return memory.data();
}

template <typename T>
T double_dot(const Matrix3T<T>& A, const Matrix3T<T>& B) {
  return dot(A.row0, B.row0) + dot(A.row1, B.row1) + dot(A.row2, B.row2);
}
template <typename T>
T determinant(const Matrix3T<T>& F) {
  return dot(F.row0, cross(F.row1, F.row2));
}
/// dE of dF, E = (F^T F - 1) / 2.
template <typename T>
Matrix3T<T> strain_change(const Matrix3T<T>& F, const Matrix3T<T>& dF) {
  const Matrix3T<T> half = F.transpose() * dF;
  return T(0.5) * (half + half.transpose());
}

template <typename S>
const VolumeKinematicsT<S>& checked(const std::shared_ptr<const VolumeKinematicsT<S>>& kinematics) {
  if (!kinematics) throw ModelError("kinematics: found none, expected the kinematics of a volume");
  return *kinematics;
}

}  // namespace

template <typename S>
VolumeBodyT<S>::VolumeBodyT(const PointParametersT<S>& parameters, const VolumeMaterialT<S>& material,
                            std::shared_ptr<const VolumeKinematicsT<S>> kinematics,
                            std::shared_ptr<const TetrahedralMesh> mesh)
    : Base(parameters, checked(kinematics).coordinates()),
      material_(material),
      kinematics_(std::move(kinematics)),
      mesh_(std::move(mesh)) {
  material_.check();
}

template <typename S>
template <typename T>
std::unique_ptr<BodyT<T>> VolumeBodyT<S>::cast(ScalarTag<T> tag) const {
  auto other = std::make_unique<VolumeBodyT<T>>(this->parameters().template cast<T>(), material_.template cast<T>(),
                                                kinematics_->clone_as(tag), mesh_);
  this->add_ports_to(*other);
  return other;
}

template <typename S>
std::unique_ptr<BodyT<S>> VolumeBodyT<S>::clone() const {
  return std::make_unique<VolumeBodyT>(*this);
}
template <typename S>
std::unique_ptr<BodyT<double>> VolumeBodyT<S>::clone_as(ScalarTag<double> tag) const {
  return cast(tag);
}
template <typename S>
std::unique_ptr<BodyT<long double>> VolumeBodyT<S>::clone_as(ScalarTag<long double> tag) const {
  return cast(tag);
}
template <typename S>
std::unique_ptr<BodyT<Gradient>> VolumeBodyT<S>::clone_as(ScalarTag<Gradient> tag) const {
  return cast(tag);
}

template <typename S>
std::vector<std::string> VolumeBodyT<S>::warnings() const {
  if (kinematics_->keeps_volume() || material_.resists_volume()) return {};
  return {"the kinematics change the volume, which the material does not resist: the rest shape is not stress-free"};
}

template <typename S>
void VolumeBodyT<S>::prepare_thread() const {
  const std::size_t n = this->coordinate_count();
  Buffer<S>& buffer = thread_buffer<S>();
  grown(buffer.F, k_block), grown(buffer.slopes, k_block * n);
  Buffer<Dual<S, 1>>& moving = thread_buffer<Dual<S, 1>>();
  grown(moving.slopes, n), grown(moving.numbers, n);
  kinematics_->prepare_thread();
}

template <typename S>
void VolumeBodyT<S>::move_axes(const Request& request, const Vector3T<S>& x, const Motions& motions) const {
  using Directed = Dual<S, 1>;
  const int n = this->coordinate_count();
  kinematics_->move(request, &x, 1, motions);
  Buffer<S>& buffer = thread_buffer<S>();
  Matrix3T<S>* slopes = grown(buffer.slopes, n);
  Matrix3T<S> F;
  kinematics_->gradients(request.q, &x, 1, &F, slopes);
  for (int axis = 0; axis < 2; ++axis) {
    motions[axis + 1].value = F.column(axis);
    for (int j = 0; j < n; ++j) motions[axis + 1].slopes[j] = slopes[j].column(axis);
  }
  if (request.level < MotionLevel::acceleration) return;
  // d2F/(dq_j dq_k) v_j v_k: the slopes' change along v
  Buffer<Directed>& moving = thread_buffer<Directed>();
  Directed* path = grown(moving.numbers, n);
  for (int j = 0; j < n; ++j) path[j].value = request.q[j], path[j].derivative[0] = request.v[j];
  Matrix3T<Directed>* changing = grown(moving.slopes, n);
  Matrix3T<Directed> F_path;
  kinematics_->gradients(path, &x, 1, &F_path, changing);
  for (int axis = 0; axis < 2; ++axis) {
    Vector3T<S>& curvature = motions[axis + 1].curvature;
    for (int r = 0; r < 3; ++r) {
      curvature[r] = S(0.0);
      for (int j = 0; j < n; ++j) curvature[r] += request.v[j] * changing[j](r, axis).derivative[0];
    }
  }
}

template <typename S>
void VolumeBodyT<S>::determinants(const S* q, const Vector3T<S>* x, std::size_t count, S* values) const {
  Matrix3T<S>* F = grown(thread_buffer<S>().F, std::min(count, k_block));
  for (std::size_t start = 0; start < count; start += k_block) {
    const std::size_t size = std::min(k_block, count - start);
    kinematics_->gradients(q, x + start, size, F, nullptr);
    for (std::size_t i = 0; i < size; ++i) values[start + i] = determinant(F[i]);
  }
}

template <typename S>
template <typename T, typename Use>
void VolumeBodyT<S>::each_gradient(const T* q, bool with_slopes, const Use& use) const {
  const std::vector<Vector3T<S>>& points = this->parameters().quadrature.points;
  const std::size_t n = with_slopes ? this->coordinate_count() : 0;
  Buffer<T>& buffer = thread_buffer<T>();
  Matrix3T<T>* F = grown(buffer.F, k_block);
  Matrix3T<T>* slopes = with_slopes ? grown(buffer.slopes, k_block * n) : nullptr;
  for (std::size_t start = 0; start < points.size(); start += k_block) {
    const std::size_t size = std::min(k_block, points.size() - start);
    kinematics_->gradients(q, points.data() + start, size, F, slopes);
    for (std::size_t i = 0; i < size; ++i) {
      if constexpr (std::is_floating_point_v<T>) {
        if (!kinematics_->keeps_volume()) this->check_determinant(start + i, q, determinant(F[i]));
      }
      use(start + i, F[i], with_slopes ? slopes + i * n : nullptr);
    }
  }
}

template <typename S>
S VolumeBodyT<S>::elastic_energy(const S* q) const {
  S sum(0.0);
  each_gradient(q, false, [&](std::size_t i, const Matrix3T<S>& F, const Matrix3T<S>*) {
    sum += this->parameters().quadrature.weights[i] * material_.energy_density(F);
  });
  return sum;
}

template <typename S>
template <typename T>
void VolumeBodyT<S>::add_elastic(const T* q, T* force) const {
  each_gradient(q, true, [&](std::size_t i, const Matrix3T<T>& F, const Matrix3T<T>* slopes) {
    const Matrix3T<T> P = T(this->parameters().quadrature.weights[i]) * material_.stress(F);
    for (int j = 0; j < this->coordinate_count(); ++j) force[j] += double_dot(P, slopes[j]);
  });
}
template <typename S>
void VolumeBodyT<S>::add_elastic_force(const S* q, S* force) const {
  add_elastic(q, force);
}

template <typename S>
void VolumeBodyT<S>::stiffness_matrix(const S* q, S* stiffness) const {
  using Directed = Dual<S, 1>;
  const int n = this->coordinate_count();
  Directed* path = grown(thread_buffer<Directed>().numbers, 2 * n);
  Directed* force = path + n;
  for (int k = 0; k < n; ++k) {
    for (int j = 0; j < n; ++j) {
      path[j] = Directed(q[j]);
      force[j] = Directed(S(0.0));
    }
    path[k].derivative[0] = S(1.0);
    add_elastic(path, force);
    for (int j = 0; j < n; ++j) stiffness[j * n + k] = force[j].derivative[0];
  }
  for (int j = 0; j < n; ++j) {  // equal but for rounding
    for (int k = 0; k < j; ++k) stiffness[j * n + k] = stiffness[k * n + j];
  }
}

template <typename S>
void VolumeBodyT<S>::add_damping_force(const S* q, const S* v, S* force) const {
  if (!material_.damping_time) return;
  const int n = this->coordinate_count();
  const S viscosity = S(2.0) * *material_.damping_time * material_.shear_modulus();
  each_gradient(q, true, [&](std::size_t i, const Matrix3T<S>& F, const Matrix3T<S>* slopes) {
    Matrix3T<S> F_rate{};
    for (int j = 0; j < n; ++j) F_rate += v[j] * slopes[j];
    const S weight = viscosity * this->parameters().quadrature.weights[i];
    const Matrix3T<S> P = F * (weight * strain_change(F, F_rate));
    for (int j = 0; j < n; ++j) force[j] += double_dot(P, slopes[j]);
  });
}

template <typename S>
void VolumeBodyT<S>::damping_matrix(const S* q, const S*, S* damping) const {
  const int n = this->coordinate_count();
  for (int i = 0; i < n * n; ++i) damping[i] = S(0.0);
  if (!material_.damping_time) return;
  const S viscosity = S(2.0) * *material_.damping_time * material_.shear_modulus();
  each_gradient(q, true, [&](std::size_t i, const Matrix3T<S>& F, const Matrix3T<S>* slopes) {
    const S weight = viscosity * this->parameters().quadrature.weights[i];
    for (int k = 0; k < n; ++k) {
      const Matrix3T<S> P = F * (weight * strain_change(F, slopes[k]));
      for (int j = 0; j <= k; ++j) damping[j * n + k] += double_dot(P, slopes[j]);
    }
  });
  for (int j = 0; j < n; ++j) {
    for (int k = 0; k < j; ++k) damping[j * n + k] = damping[k * n + j];
  }
}

#define CUTTLE_INSTANTIATE(S) template class VolumeBodyT<S>;
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
