#include "cuttle/bodies/volume_body.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "bodies/linear_strains.h"
#include "bodies/material_energy.h"
#include "bodies/point_sums.h"
#include "bodies/thread_memory.h"
#include "cuttle/bodies/pocket_surface.h"
#include "cuttle/bodies/point_kinematics.h"
#include "cuttle/error.h"

namespace cuttle {

namespace {

/// The matrix of a lane of a block; the next number of it is `every` rows of lanes further.
template <typename S>
Matrix3T<S> lane_matrix(const S* at, int every) {
  const auto row = [&](int i) {
    const S* first = at + 3 * i * every * k_point_lanes<S>;
    return Vector3T<S>{first[0], first[every * k_point_lanes<S>], first[2 * every * k_point_lanes<S>]};
  };
  return {row(0), row(1), row(2)};
}

template <typename S>
const VolumeKinematicsT<S>& checked(const std::shared_ptr<const VolumeKinematicsT<S>>& kinematics) {
  if (!kinematics) throw ModelError("kinematics", "none", "the kinematics of a volume");
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
      mesh_(std::move(mesh)),
      scratch_size_(kinematics_->scratch_size()) {
  material_.check();
  if (!kinematics_->is_linear()) return;
  this->precompute();
  strains_ = std::make_shared<const LinearStrainsT<S>>(this->table(), material_, *kinematics_);
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
std::vector<Diagnostic> VolumeBodyT<S>::warnings() const {
  if (kinematics_->keeps_volume() || material_.resists_volume()) return {};
  return {"the kinematics change the volume, which the material does not resist: the rest shape is not stress-free"};
}

/// What evaluations without a workspace use, of this thread: the deformation gradients of a few blocks, with slopes and
/// derivatives along a direction, arguments of such a derivative, the scratch of forms of the strain and that of the
/// kinematics.
template <typename S>
struct VolumeBodyT<S>::Memory {
  GradientResultsT<S> results;
  S* arguments;  // 2 n_B
  S* motions;    // of one block
  S* forms;
  void* scratch;
};
template <typename S>
auto VolumeBodyT<S>::memory() const -> Memory {
  const std::size_t n = this->coordinate_count();
  const std::size_t gradients = k_gradient_blocks * 18 * k_point_lanes<S>, slopes = n * gradients;
  const std::size_t motions = Motions::size(1, this->coordinate_count());
  const bool has_forms = strains_ && (strains_->elastic_form() || strains_->damping_form());
  const std::size_t forms = has_forms ? StrainPolynomialT<S>::scratch_size(n) : 0;
  const std::size_t numbers = padded(gradients) + padded(slopes) + padded(2 * n) + padded(motions) + padded(forms);
  S* F = static_cast<S*>(thread_memory(numbers * sizeof(S) + scratch_size_));
  S* arguments = F + padded(gradients) + padded(slopes);
  S* motion = arguments + padded(2 * n);
  return {{F, F + padded(gradients)}, arguments, motion, motion + padded(motions), F + numbers};
}
template <typename S>
void VolumeBodyT<S>::prepare_thread() const {
  memory();
}

template <typename S>
void VolumeBodyT<S>::material_points(const S* q, const Vector3T<S>* x, std::size_t count,
                                     const MaterialPointsT<S>& points) const {
  constexpr std::size_t k_lanes = k_point_lanes<S>;
  const int n = this->coordinate_count();
  const Memory memory = this->memory();
  const Motions motions(memory.motions, n);
  S block[k_vector_block<S>];
  for (std::size_t first = 0; first < count; first += k_lanes) {
    const std::size_t lanes = std::min(k_lanes, count - first);
    fill_blocks(x + first, lanes, block);
    kinematics_->move({MotionLevel::pose, q, nullptr, points.slopes != nullptr}, block, 1, motions, memory.scratch);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      points.position[first + lane] = lane_vector(motions.value(0), static_cast<int>(lane));
      for (int j = 0; points.slopes && j < n; ++j) {
        points.slopes[(first + lane) * n + j] = lane_vector(motions.slope(0, j), static_cast<int>(lane));
      }
    }
    if (!points.F) continue;
    block_gradients(q, nullptr, block, points.F_slopes != nullptr, memory.scratch);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      points.F[first + lane] = lane_matrix(memory.results.F + lane, 1);
      for (int j = 0; points.F_slopes && j < n; ++j) {
        points.F_slopes[(first + lane) * n + j] = lane_matrix(memory.results.slopes + j * 9 * k_lanes + lane, 1);
      }
    }
  }
}

template <typename S>
BodySurface VolumeBodyT<S>::surface() const {
  return mesh_ && !this->parameters().surface ? boundary_surface(*mesh_) : Base::surface();
}

template <typename S>
void VolumeBodyT<S>::energy_density(const S* q, const Vector3T<S>* x, std::size_t count, S* density) const {
  material_energy_density(*this, material_, q, x, count, density);
}

template <typename S>
PocketSurfaceT<S> VolumeBodyT<S>::cavity(const CavityT<S>& which) const {
  const bool group = mesh_ && !which.pocket && !which.surface.empty() && which.surface != "inner";
  return group ? mesh_group_surface(*mesh_, which.surface).template cast<S>() : Base::cavity(which);
}

template <typename S>
std::shared_ptr<const void> VolumeBodyT<S>::find_part(const std::type_info& type) const {
  if (mesh_ && type == typeid(TetrahedralMesh)) return mesh_;
  const auto of_kinematics = kinematics_->find_part(type);
  return of_kinematics ? of_kinematics : Base::find_part(type);
}

/// The gradients of one block, in this thread's memory.
template <typename S>
void VolumeBodyT<S>::block_gradients(const S* q, const S* direction, const S* block, bool with_slopes,
                                     void* scratch) const {
  GradientResultsT<S> results = memory().results;
  if (!with_slopes) results.slopes = nullptr;
  kinematics_->gradients(q, direction, block, 1, results, GradientUse([](std::size_t, std::size_t) {}), scratch);
}

template <typename S>
void VolumeBodyT<S>::move_axes(const Request& request, const Vector3T<S>& x, Direction (&axes)[2],
                               void* scratch) const {
  const int n = this->coordinate_count();
  const GradientResultsT<S> results = memory().results;
  S block[k_vector_block<S>];
  fill_blocks(&x, 1, block);
  block_gradients(request.q, nullptr, block, true, scratch);
  for (int axis = 0; axis < 2; ++axis) {
    axes[axis].value = lane_matrix(results.F, 1).column(axis);
    for (int j = 0; j < n; ++j) {
      axes[axis].slopes[j] = lane_matrix(results.slopes + j * 9 * k_point_lanes<S>, 1).column(axis);
    }
  }
  if (request.level < MotionLevel::acceleration) return;
  // d2F/(dq_j dq_k) v_j v_k: the slopes' change along v
  block_gradients(request.q, request.v, block, true, scratch);
  for (int axis = 0; axis < 2; ++axis) {
    Vector3T<S> sum{S(0.0), S(0.0), S(0.0)};
    for (int j = 0; j < n; ++j) {
      sum += request.v[j] * lane_matrix(results.slopes + (j * 18 + 1) * k_point_lanes<S>, 2).column(axis);
    }
    axes[axis].curvature = sum;
  }
}

/// The points that elastic and damping sums go over.
template <typename S>
const PointTable<S>& VolumeBodyT<S>::strain_table() const {
  return strains_ ? strains_->points() : this->table();
}
/// Slopes from a table have no rows of derivatives.
template <typename S>
template <typename Use>
void VolumeBodyT<S>::each_gradients(const S* q, const S* direction, bool with_slopes, const Use& use) const {
  const Memory memory = this->memory();
  GradientResultsT<S> results = memory.results;
  results.any_rotation = true;
  if (!with_slopes) results.slopes = nullptr;
  const PointTable<S>& table = strain_table();
  if (strains_ && strains_->slopes()) {
    for (std::size_t first = 0; first < table.blocks; first += k_gradient_blocks) {
      const PointTable<S> part = table.part(first, std::min(k_gradient_blocks, table.blocks - first));
      const S* slopes = strains_->slopes() + first * 9 * k_point_lanes<S> * table.coordinates;
      point_sums<S>().fill_linear_gradients(part, q, direction, slopes, results.F);
      use(part, GradientBlocks<S>{results.F, slopes});
    }
    return;
  }
  const auto part = [&](std::size_t first, std::size_t count) {
    use(table.part(first, count), GradientBlocks<S>{results.F, results.slopes});
  };
  kinematics_->gradients(q, direction, table.x, table.blocks, results, GradientUse(part), memory.scratch);
}

template <typename S>
std::size_t VolumeBodyT<S>::first_folded_of_strains(const S* q) const {
  const std::size_t blocks = strain_table().blocks;
  std::size_t before = 0, folded = blocks;
  each_gradients(q, nullptr, false, [&](const PointTable<S>& part, const GradientBlocks<S>& at) {
    const std::size_t first = point_sums<S>().first_folded(part, at.F);
    if (folded == blocks && first < part.blocks) folded = before + first;
    before += part.blocks;
  });
  return folded;
}
template <typename S>
std::size_t VolumeBodyT<S>::first_folded(const S* q) const {
  if (!strains_) return first_folded_of_strains(q);
  if (strains_->surely_unfolded(q)) return this->table().blocks;
  const std::size_t folded = first_folded_of_strains(q);
  return folded == strain_table().blocks ? this->table().blocks : strains_->whole_block(folded);
}
template <typename S>
S VolumeBodyT<S>::determinant_at(const S* q, const Vector3T<S>& x) const {
  S block[k_vector_block<S>];
  fill_blocks(&x, 1, block);
  block_gradients(q, nullptr, block, false, memory().scratch);
  const Matrix3T<S> F = lane_matrix(memory().results.F, 1);
  return dot(F.row0, cross(F.row1, F.row2));
}

/// Stress where det F <= 0 has no meaning. `before`: blocks of the strain table before the part.
template <typename S>
void VolumeBodyT<S>::refuse_if_folded(const PointTable<S>& part, const S* F, std::size_t before, const S* q) const {
  if constexpr (std::is_floating_point_v<S>) {
    if (!knows_folding()) return;
    const std::size_t folded = point_sums<S>().first_folded(part, F);
    if (folded == part.blocks) return;
    this->refuse_folded(strains_ ? strains_->whole_block(before + folded) : before + folded, q);
  }
}
/// The same at all points, for what is not a sum over them.
template <typename S>
void VolumeBodyT<S>::refuse_if_folded(const S* q) const {
  if constexpr (std::is_floating_point_v<S>) {
    if (!this->parameters().allow_folding) this->refuse_folded(first_folded(q), q);
  }
}
template <typename S>
const S* VolumeBodyT<S>::elastic_form() const {
  return strains_ ? strains_->elastic_form() : nullptr;
}
template <typename S>
const S* VolumeBodyT<S>::damping_form() const {
  return strains_ ? strains_->damping_form() : nullptr;
}

template <typename S>
S VolumeBodyT<S>::elastic_energy(const S* q) const {
  if (const S* form = elastic_form()) {
    refuse_if_folded(q);
    return Polynomial::value(this->coordinate_count(), form, q, memory().forms);
  }
  S sum(0.0);
  std::size_t before = 0;
  each_gradients(q, nullptr, false, [&](const PointTable<S>& part, const GradientBlocks<S>& at) {
    refuse_if_folded(part, at.F, before, q);
    before += part.blocks;
    sum += point_sums<S>().elastic_energy(part, material_, at.F);
  });
  return sum;
}
template <typename S>
void VolumeBodyT<S>::add_elastic_force(const S* q, S* force) const {
  if (const S* form = elastic_form()) {
    refuse_if_folded(q);
    Polynomial::add_gradient(this->coordinate_count(), form, q, force, memory().forms);
    return;
  }
  std::size_t before = 0;
  each_gradients(q, nullptr, true, [&](const PointTable<S>& part, const GradientBlocks<S>& at) {
    refuse_if_folded(part, at.F, before, q);
    point_sums<S>().add_elastic_force(part, material_, at, force);
    before += part.blocks;
  });
}

template <typename S>
void VolumeBodyT<S>::stiffness_matrix(const S* q, S* stiffness) const {
  const int n = this->coordinate_count();
  const Memory memory = this->memory();
  if (const S* form = elastic_form()) {
    Polynomial::hessian(n, form, q, stiffness, memory.forms);
    return;
  }
  const auto add_change = strains_ && strains_->slopes() ? point_sums<S>().add_linear_elastic_force_change
                                                         : point_sums<S>().add_elastic_force_change;
  S* direction = memory.arguments;
  S* change = direction + n;
  for (int k = 0; k < n; ++k) {
    for (int j = 0; j < n; ++j) direction[j] = S(j == k ? 1.0 : 0.0), change[j] = S(0.0);
    each_gradients(q, direction, true, [&](const PointTable<S>& part, const GradientBlocks<S>& at) {
      add_change(part, material_, at, change);
    });
    for (int j = 0; j < n; ++j) stiffness[j * n + k] = change[j];
  }
  for (int j = 0; j < n; ++j) {  // equal but for rounding
    for (int k = 0; k < j; ++k) stiffness[j * n + k] = stiffness[k * n + j];
  }
}

template <typename S>
S VolumeBodyT<S>::viscosity() const {
  return S(2.0) * *material_.damping_time * material_.shear_modulus();
}
template <typename S>
void VolumeBodyT<S>::add_internal_force(const S* q, const S* v, S* force) const {
  if (elastic_form() || damping_form()) {  // precomputed: nothing to share
    Base::add_internal_force(q, v, force);
    return;
  }
  std::size_t before = 0;
  each_gradients(q, nullptr, true, [&](const PointTable<S>& part, const GradientBlocks<S>& at) {
    refuse_if_folded(part, at.F, before, q);
    point_sums<S>().add_elastic_force(part, material_, at, force);
    if (material_.damping_time) point_sums<S>().add_damping_force(part, viscosity(), at, v, force);
    before += part.blocks;
  });
}
template <typename S>
void VolumeBodyT<S>::add_damping_force(const S* q, const S* v, S* force) const {
  if (!material_.damping_time) return;
  if (const S* form = damping_form()) {
    Polynomial::add_damping(this->coordinate_count(), form, q, v, force, memory().forms);
    return;
  }
  each_gradients(q, nullptr, true, [&](const PointTable<S>& part, const GradientBlocks<S>& at) {
    point_sums<S>().add_damping_force(part, viscosity(), at, v, force);
  });
}
template <typename S>
void VolumeBodyT<S>::damping_matrix(const S* q, const S*, S* damping) const {
  const int n = this->coordinate_count();
  std::fill_n(damping, n * n, S(0.0));
  if (!material_.damping_time) return;
  if (const S* form = damping_form()) {
    Polynomial::damping_matrix(n, form, q, damping, memory().forms);
    return;
  }
  each_gradients(q, nullptr, true, [&](const PointTable<S>& part, const GradientBlocks<S>& at) {
    point_sums<S>().add_damping_matrix(part, viscosity(), at, damping);
  });
  for (int j = 0; j < n; ++j) {
    for (int k = 0; k < j; ++k) damping[j * n + k] = damping[k * n + j];
  }
}
template <typename S>
S VolumeBodyT<S>::dissipation(const S* q, const S* v) const {
  constexpr std::size_t k_lanes = k_point_lanes<S>;
  S sum(0.0);
  if (!material_.damping_time) return sum;
  const S mu = material_.shear_modulus();
  const QuadratureT<S>& rule = this->parameters().quadrature;
  const Memory memory = this->memory();
  S block[k_vector_block<S>];
  for (std::size_t first = 0; first < rule.points.size(); first += k_lanes) {
    const std::size_t lanes = std::min(k_lanes, rule.points.size() - first);
    fill_blocks(&rule.points[first], lanes, block);
    block_gradients(q, v, block, false, memory.scratch);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const S* at = memory.results.F + lane;  // each row of F is followed by that of its rate
      const Matrix3T<S> F = lane_matrix(at, 2), F_rate = lane_matrix(at + k_lanes, 2);
      sum += rule.weights[first + lane] * viscous_dissipation_density(F, F_rate, mu, *material_.damping_time);
    }
  }
  return sum;
}

#define CUTTLE_INSTANTIATE(S) template class VolumeBodyT<S>;
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
