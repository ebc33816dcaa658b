#include "cuttle/bodies/volume_body.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "bodies/volume/lane_matrix.h"
#include "bodies/volume/linear_strains.h"
#include "bodies/volume/material_energy.h"
#include "bodies/volume/point_sums.h"
#include "cuttle/bodies/chamber_surface.h"
#include "cuttle/bodies/fem_modes.h"
#include "cuttle/bodies/point_kinematics.h"
#include "cuttle/bodies/point_reduction.h"
#include "cuttle/error.h"
#include "spatial/aligned.h"

namespace cuttle {

namespace {

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
  const auto basis = this->template part<FemBasis>();
  strains_ = std::make_shared<const LinearStrainsT<S>>(this->table(), material_, *kinematics_,
                                                       basis ? basis->mesh.get() : nullptr);
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
std::unique_ptr<BodyT<ForwardDual>> VolumeBodyT<S>::clone_as(ScalarTag<ForwardDual> tag) const {
  return cast(tag);
}

template <typename S>
std::vector<Diagnostic> VolumeBodyT<S>::warnings() const {
  std::vector<Diagnostic> warnings;
  if (const auto basis = this->template part<FemBasis>()) {
    warnings = fem_warnings(*basis, material_.template cast<double>());
  } else if (!kinematics_->keeps_volume() && !material_.resists_volume()) {
    warnings.emplace_back(
        "the kinematics change the volume, which the material does not resist: the rest shape is not stress-free");
  }
  const auto reduction = this->template part<PointReduction>();
  if (!reduction) return warnings;
  const std::size_t all = reduction->full.points.size();
  if (reduction->kept.size() == all) {
    warnings.emplace_back("reduce saves nothing: more than half of the " + std::to_string(all) +
                          " points would be needed, so all are kept; leave it away, or allow a larger error");
  } else if (elastic_form() != nullptr && (damping_form() != nullptr || !material_.damping_time)) {
    warnings.emplace_back("reduce saves nothing: with these kinematics and this material the forces need no points");
  }
  return warnings;
}

/// What evaluations hold in their scratch: that of the kinematics, the deformation gradients of a few blocks, with
/// slopes and derivatives along a direction, arguments of such a derivative, one block's motions, the scratch of forms
/// of the strain.
template <typename S>
struct VolumeBodyT<S>::Memory {
  GradientResultsT<S> results;
  S* arguments;  // 2 n_B
  S* motions;    // of one block
  S* forms;
  void* scratch;  // all of it; where that of the kinematics begins
};
template <typename S>
auto VolumeBodyT<S>::memory(void* scratch) const -> Memory {
  const std::size_t n = this->coordinate_count();
  const std::size_t gradients = padded(k_gradient_blocks * 18 * k_point_lanes<S>);
  S* F = reinterpret_cast<S*>(static_cast<char*>(scratch) + (scratch_size_ + 63) / 64 * 64);
  S* arguments = F + (1 + n) * gradients;
  S* motion = arguments + padded(2 * n);
  return {{F, F + gradients}, arguments, motion, motion + padded(Motions::size(1, this->coordinate_count())), scratch};
}
template <typename S>
std::size_t VolumeBodyT<S>::move_scratch_size() const {
  const std::size_t n = this->coordinate_count();
  const bool has_forms = strains_ && (strains_->elastic_form() || strains_->damping_form());
  const std::size_t numbers = (1 + n) * padded(k_gradient_blocks * 18 * k_point_lanes<S>) + padded(2 * n) +
                              padded(Motions::size(1, this->coordinate_count())) +
                              (has_forms ? Polynomial::scratch_size(n) : 0);
  return (scratch_size_ + 63) / 64 * 64 + numbers * sizeof(S);
}

/// Memory for one call of those that are handed none.
template <typename S>
class VolumeBodyT<S>::OwnMemory {
 public:
  explicit OwnMemory(const VolumeBodyT& body) : bytes_(body.move_scratch_size() + k_cache_line) {
    memory_ = body.memory(aligned(bytes_.data()));
  }
  const Memory& operator*() const { return memory_; }
  S* scratch() const { return static_cast<S*>(memory_.scratch); }

 private:
  std::vector<char> bytes_;
  Memory memory_;
};

template <typename S>
void VolumeBodyT<S>::material_points(const S* q, const Vector3T<S>* x, std::size_t count,
                                     const MaterialPointsT<S>& points) const {
  constexpr std::size_t k_lanes = k_point_lanes<S>;
  if (points.scratch == nullptr) {
    MaterialPointsT<S> with_memory = points;
    const OwnMemory own(*this);
    with_memory.scratch = own.scratch();
    return material_points(q, x, count, with_memory);
  }
  const int n = this->coordinate_count();
  const Memory memory = this->memory(points.scratch);
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
    block_gradients(q, nullptr, block, points.F_slopes != nullptr, memory);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      points.F[first + lane] = lane_matrix(memory.results.F + lane, k_lanes);
      for (int j = 0; points.F_slopes && j < n; ++j) {
        points.F_slopes[(first + lane) * n + j] = lane_matrix(memory.results.slopes + j * 9 * k_lanes + lane, k_lanes);
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
  material_energy_density(*this, material_, this->template part<TetrahedronSearch>().get(), q, x, count, density);
}

namespace {

/// sum |df/dq_j| |u x v| over the nodes of a surface at rest: as far as each coordinate can change the volume within.
/// Zero for one that moves none of them.
template <typename S>
Eigen::VectorXd swept_volumes(const VolumeBodyT<S>& body, const ChamberSurfaceT<S>& surface) {
  const auto n = static_cast<std::size_t>(body.coordinate_count()), count = surface.nodes.size();
  const std::vector<S> rest(n, S(0.0));
  std::vector<Vector3T<S>> position(count), slopes(count * n);
  body.material_points(rest.data(), surface.points.data(), count, {position.data(), slopes.data()});
  Eigen::VectorXd sums = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(n));
  const auto length = [](const Vector3T<S>& x) { return std::sqrt(scalar_cast<double>(dot(x, x))); };
  for (std::size_t i = 0; i < count; ++i) {
    const double area = length(cross(surface.nodes[i].u, surface.nodes[i].v));
    for (std::size_t j = 0; j < n; ++j) sums[static_cast<Eigen::Index>(j)] += length(slopes[i * n + j]) * area;
  }
  return sums;
}

/// How the volume within a surface changes with the coordinates at rest, each relative to `sizes`: whatever their
/// units.
template <typename S>
Eigen::VectorXd relative_slopes(const VolumeBodyT<S>& body, const ChamberSurfaceT<S>& surface,
                                const Eigen::VectorXd& sizes) {
  const auto n = static_cast<std::size_t>(body.coordinate_count());
  const std::vector<S> rest(n, S(0.0));
  std::vector<S> slopes(n), workspace(surface_workspace_size(surface, static_cast<int>(n)));
  volume_in_surface<S>(body, surface, rest.data(), slopes.data(), workspace.data());
  Eigen::VectorXd values = Eigen::VectorXd::Zero(sizes.size());
  for (Eigen::Index j = 0; j < sizes.size(); ++j) {
    if (sizes[j] > 0.0) values[j] = scalar_cast<double>(slopes[static_cast<std::size_t>(j)]) / sizes[j];
  }
  return values;
}

/// The bore of a cylinder, with twice the points around and along for as long as that changes what a pressure does:
/// bumps of half a turn need more of them than the points of the volume.
template <typename S>
ChamberSurfaceT<S> resolved_bore(const VolumeBodyT<S>& body, ChamberSurfaceT<S> surface) {
  constexpr double k_exact = 2e-6;
  constexpr int k_most = 128;
  const PointShapeT<S>& shape = body.parameters().shape;
  int nz = shape.nz, nphi = shape.nphi;
  const Eigen::VectorXd sizes = swept_volumes(body, surface);
  Eigen::VectorXd slopes = relative_slopes(body, surface, sizes);
  for (int* const count : {&nphi, &nz}) {
    while (slopes.size() > 0 && 2 * *count <= k_most) {
      *count *= 2;
      ChamberSurfaceT<S> finer = cylinder_bore_surface(shape.length, shape.inner_radius, nz, nphi);
      const Eigen::VectorXd now = relative_slopes(body, finer, sizes);
      if ((now - slopes).cwiseAbs().maxCoeff() < k_exact) {
        *count /= 2;
        break;
      }
      surface = std::move(finer), slopes = now;
    }
  }
  return surface;
}

}  // namespace

template <typename S>
ChamberSurfaceT<S> VolumeBodyT<S>::chamber(const ChamberPlaceT<S>& which) const {
  const bool group = mesh_ && !which.pocket && !which.surface.empty() && which.surface != "inner";
  if (group) return mesh_group_surface(*mesh_, which.surface).template cast<S>();
  ChamberSurfaceT<S> surface = Base::chamber(which);
  return which.pocket || this->keeps_volume() ? surface : resolved_bore(*this, std::move(surface));
}

template <typename S>
std::shared_ptr<const void> VolumeBodyT<S>::find_part(const std::type_info& type) const {
  if (mesh_ && type == typeid(TetrahedralMesh)) return mesh_;
  if (type == typeid(VolumeKinematicsT<S>)) return kinematics_;
  const auto of_kinematics = kinematics_->find_part(type);
  return of_kinematics ? of_kinematics : Base::find_part(type);
}

/// The gradients of one block.
template <typename S>
void VolumeBodyT<S>::block_gradients(const S* q, const S* direction, const S* block, bool with_slopes,
                                     const Memory& memory) const {
  GradientResultsT<S> results = memory.results;
  if (!with_slopes) results.slopes = nullptr;
  kinematics_->gradients(q, direction, block, 1, results, GradientUse([](std::size_t, std::size_t) {}), memory.scratch);
}

template <typename S>
void VolumeBodyT<S>::move_axes(const Request& request, const Vector3T<S>& x, Direction (&axes)[2],
                               void* scratch) const {
  const int n = this->coordinate_count();
  const Memory memory = this->memory(scratch);
  const GradientResultsT<S>& results = memory.results;
  S block[k_vector_block<S>];
  fill_blocks(&x, 1, block);
  block_gradients(request.q, nullptr, block, true, memory);
  for (int axis = 0; axis < 2; ++axis) {
    axes[axis].value = lane_matrix(results.F, k_point_lanes<S>).column(axis);
    for (int j = 0; j < n; ++j) {
      axes[axis].slopes[j] = lane_matrix(results.slopes + j * 9 * k_point_lanes<S>, k_point_lanes<S>).column(axis);
    }
  }
  if (request.level < MotionLevel::acceleration) return;
  // d2F/(dq_j dq_k) v_j v_k: the slopes' change along v
  block_gradients(request.q, request.v, block, true, memory);
  for (int axis = 0; axis < 2; ++axis) {
    Vector3T<S> sum{S(0.0), S(0.0), S(0.0)};
    for (int j = 0; j < n; ++j) {
      sum += request.v[j] *
             lane_matrix(results.slopes + (j * 18 + 1) * k_point_lanes<S>, 2 * k_point_lanes<S>).column(axis);
    }
    axes[axis].curvature = sum;
  }
}

/// The points that elastic and damping sums go over.
template <typename S>
const PointTable<S>& VolumeBodyT<S>::strain_table() const {
  return strains_ ? strains_->points() : this->table();
}
template <typename S>
auto VolumeBodyT<S>::quadrature_group() const -> Group {
  return strains_ ? strains_->groups().front() : Group{0, this->table().blocks, &material_, true};
}
/// Calls use(group) for all of them.
template <typename S>
template <typename Use>
void VolumeBodyT<S>::each_group(const Use& use) const {
  if (!strains_) return use(quadrature_group());
  for (const Group& group : strains_->groups()) use(group);
}
/// Slopes from a table have no rows of derivatives.
template <typename S>
template <typename Use>
void VolumeBodyT<S>::each_gradients(const Group& group, const S* q, const S* direction, bool with_slopes,
                                    const Memory& memory, const Use& use) const {
  GradientResultsT<S> results = memory.results;
  results.any_rotation = true;
  if (!with_slopes) results.slopes = nullptr;
  const PointTable<S>& table = strain_table();
  if (strains_ && strains_->slopes()) {
    const std::size_t past = group.first + group.blocks;
    for (std::size_t first = group.first; first < past; first += k_gradient_blocks) {
      const PointTable<S> part = table.part(first, std::min(k_gradient_blocks, past - first));
      const S* slopes = strains_->slopes() + first * 9 * k_point_lanes<S> * table.coordinates;
      point_sums<S>().fill_linear_gradients(part, q, direction, slopes, results.F);
      use(part, GradientBlocks<S>{results.F, slopes});
    }
    return;
  }
  const PointTable<S> of_group = table.part(group.first, group.blocks);
  const auto part = [&](std::size_t first, std::size_t count) {
    use(of_group.part(first, count), GradientBlocks<S>{results.F, results.slopes});
  };
  kinematics_->gradients(q, direction, of_group.x, of_group.blocks, results, GradientUse(part), memory.scratch);
}

template <typename S>
std::size_t VolumeBodyT<S>::first_folded_of_strains(const S* q, const Memory& memory) const {
  const std::size_t none = strain_table().blocks;
  std::size_t before = 0, folded = none;
  each_group([&](const Group& group) {
    if (folded != none) return;
    each_gradients(group, q, nullptr, false, memory, [&](const PointTable<S>& part, const GradientBlocks<S>& at) {
      const std::size_t first = point_sums<S>().first_folded(part, at.F);
      if (folded == none && first < part.blocks) folded = before + first;
      before += part.blocks;
    });
  });
  return folded;
}
/// The block of the quadrature that stands for one of the strain table: for centres, the one with the nearest point.
template <typename S>
std::size_t VolumeBodyT<S>::quadrature_block(std::size_t block) const {
  if (!strains_) return block;
  if (block < quadrature_group().blocks) return strains_->whole_block(block);
  const Vector3T<S> centre = lane_vector(strain_table().x + block * k_vector_block<S>, 0);
  const auto& points = this->parameters().quadrature.points;
  const auto distance2 = [&](const Vector3T<S>& x) { return dot(x - centre, x - centre); };
  const auto nearest = std::min_element(points.begin(), points.end(),
                                        [&](const auto& a, const auto& b) { return distance2(a) < distance2(b); });
  return static_cast<std::size_t>(nearest - points.begin()) / k_point_lanes<S>;
}
template <typename S>
std::size_t VolumeBodyT<S>::first_folded(const S* q, void* scratch) const {
  if (strains_ && strains_->surely_unfolded(q)) return this->table().blocks;
  const std::size_t folded = first_folded_of_strains(q, memory(scratch));
  return folded == strain_table().blocks ? this->table().blocks : quadrature_block(folded);
}
template <typename S>
S VolumeBodyT<S>::determinant_at(const S* q, const Vector3T<S>& x) const {
  S block[k_vector_block<S>];
  fill_blocks(&x, 1, block);
  const OwnMemory memory(*this);
  block_gradients(q, nullptr, block, false, *memory);
  const Matrix3T<S> F = lane_matrix((*memory).results.F, k_point_lanes<S>);
  return dot(F.row0, cross(F.row1, F.row2));
}

/// Stress where det F <= 0 has no meaning. `before`: blocks of the strain table before the part.
template <typename S>
void VolumeBodyT<S>::refuse_if_folded(const PointTable<S>& part, const S* F, std::size_t before, const S* q) const {
  if constexpr (std::is_floating_point_v<S>) {
    if (!knows_folding()) return;
    const std::size_t folded = point_sums<S>().first_folded(part, F);
    if (folded == part.blocks) return;
    this->refuse_folded(quadrature_block(before + folded), q);
  }
}
/// The same at all points, for what is not a sum over them.
template <typename S>
void VolumeBodyT<S>::refuse_if_folded(const S* q, const Memory& memory) const {
  if constexpr (std::is_floating_point_v<S>) {
    if (!this->parameters().allow_folding) this->refuse_folded(first_folded(q, memory.scratch), q);
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

// Elasticity of a few blocks. A law of a user gets them together, one virtual call for all.

template <typename S>
S VolumeBodyT<S>::part_energy(const Group& group, const PointTable<S>& part, const S* F) const {
  if (!material_.law) return point_sums<S>().elastic_energy(part, *group.material, F);
  constexpr std::size_t k_most = k_gradient_blocks * k_point_lanes<S>;
  S density[k_most];
  material_.law->energy_density(F, part.blocks, density);
  S sum(0.0);
  for (std::size_t i = 0; i < part.blocks * k_point_lanes<S>; ++i) sum += part.volume[i] * density[i];
  return sum;
}
template <typename S>
void VolumeBodyT<S>::add_part_force(const Group& group, const PointTable<S>& part, const GradientBlocks<S>& at,
                                    S* force) const {
  if (!material_.law) return point_sums<S>().add_elastic_force(part, *group.material, at, force);
  S stress[k_gradient_blocks * 9 * k_point_lanes<S>];
  material_.law->stress(at.F, part.blocks, stress);
  point_sums<S>().add_force_of_stress(part, stress, at, force);
}
template <typename S>
void VolumeBodyT<S>::add_part_force_change(const Group& group, const PointTable<S>& part, const GradientBlocks<S>& at,
                                           S* change) const {
  const PointSums<S>& sums = point_sums<S>();
  const bool linear = strains_ && strains_->slopes();
  if (!material_.law) {
    return (linear ? sums.add_linear_elastic_force_change : sums.add_elastic_force_change)(part, *group.material, at,
                                                                                           change);
  }
  S stress[k_gradient_blocks * 18 * k_point_lanes<S>];
  material_.law->stress_along(at.F, part.blocks, stress);
  (linear ? sums.add_linear_force_change_of_stress : sums.add_force_change_of_stress)(part, stress, at, change);
}

template <typename S>
S VolumeBodyT<S>::elastic_energy(const S* q) const {
  return stored_energy(q, OwnMemory(*this).scratch());
}
template <typename S>
S VolumeBodyT<S>::stored_energy(const S* q, S* scratch) const {
  const Memory memory = this->memory(scratch);
  if (const S* form = elastic_form()) {
    refuse_if_folded(q, memory);
    return Polynomial::value(this->coordinate_count(), form, q, memory.forms);
  }
  S sum(0.0);
  each_group([&](const Group& group) {
    std::size_t before = group.first;
    each_gradients(group, q, nullptr, false, memory, [&](const PointTable<S>& part, const GradientBlocks<S>& at) {
      refuse_if_folded(part, at.F, before, q);
      before += part.blocks;
      sum += part_energy(group, part, at.F);
    });
  });
  return sum;
}

template <typename S>
void VolumeBodyT<S>::stiffness_matrix(const S* q, S* stiffness) const {
  const int n = this->coordinate_count();
  const OwnMemory own(*this);
  const Memory& memory = *own;
  if (const S* form = elastic_form()) {
    Polynomial::hessian(n, form, q, stiffness, memory.forms);
    return;
  }
  S* direction = memory.arguments;
  S* change = direction + n;
  for (int k = 0; k < n; ++k) {
    for (int j = 0; j < n; ++j) direction[j] = S(j == k ? 1.0 : 0.0), change[j] = S(0.0);
    each_group([&](const Group& group) {
      each_gradients(group, q, direction, true, memory, [&](const PointTable<S>& part, const GradientBlocks<S>& at) {
        add_part_force_change(group, part, at, change);
      });
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
void VolumeBodyT<S>::add_elastic_force(const S* q, S* force) const {
  add_internal_force(InternalForces::elastic, q, nullptr, force, OwnMemory(*this).scratch());
}
template <typename S>
void VolumeBodyT<S>::add_damping_force(const S* q, const S* v, S* force) const {
  add_internal_force(InternalForces::damping, q, v, force, OwnMemory(*this).scratch());
}
template <typename S>
void VolumeBodyT<S>::add_internal_force(InternalForces which, const S* q, const S* v, S* force, S* scratch) const {
  const Memory memory = this->memory(scratch);
  const bool elastic = which != InternalForces::damping;
  const bool damping = which != InternalForces::elastic && material_.damping_time;
  const S* stored = elastic ? elastic_form() : nullptr;
  const S* lost = damping ? damping_form() : nullptr;
  if (stored) {
    refuse_if_folded(q, memory);
    Polynomial::add_gradient(this->coordinate_count(), stored, q, force, memory.forms);
  }
  if (lost) Polynomial::add_damping(this->coordinate_count(), lost, q, v, force, memory.forms);
  const bool elastic_sums = elastic && !stored, damping_sums = damping && !lost;
  if (!elastic_sums && !damping_sums) return;
  each_group([&](const Group& group) {
    if (!group.of_quadrature && !elastic_sums) return;
    std::size_t before = group.first;
    each_gradients(group, q, nullptr, true, memory, [&](const PointTable<S>& part, const GradientBlocks<S>& at) {
      if (elastic_sums) {
        refuse_if_folded(part, at.F, before, q);
        add_part_force(group, part, at, force);
      }
      before += part.blocks;
      if (damping_sums && group.of_quadrature) point_sums<S>().add_damping_force(part, viscosity(), at, v, force);
    });
  });
}

template <typename S>
void VolumeBodyT<S>::damping_matrix(const S* q, const S*, S* damping) const {
  const int n = this->coordinate_count();
  std::fill_n(damping, n * n, S(0.0));
  if (!material_.damping_time) return;
  const OwnMemory own(*this);
  const Memory& memory = *own;
  if (const S* form = damping_form()) {
    Polynomial::damping_matrix(n, form, q, damping, memory.forms);
    return;
  }
  const auto add = [&](const PointTable<S>& part, const GradientBlocks<S>& at) {
    point_sums<S>().add_damping_matrix(part, viscosity(), at, damping);
  };
  each_gradients(quadrature_group(), q, nullptr, true, memory, add);
  for (int j = 0; j < n; ++j) {
    for (int k = 0; k < j; ++k) damping[j * n + k] = damping[k * n + j];
  }
}
/// What internal derivatives hold: sums in rows of lanes, deformation gradients of a few blocks with derivatives, the
/// scratch of forms of the strain and that of the kinematics.
template <typename S>
struct VolumeBodyT<S>::InternalMemory {
  S *by_q, *by_v, *rates, *F, *slopes, *hessians, *forms;
  void* scratch;
  std::size_t size;  ///< in bytes
};
template <typename S>
auto VolumeBodyT<S>::internal_memory(void* memory) const -> InternalMemory {
  constexpr std::size_t k_row = k_point_lanes<S>, k_matrices = 9 * k_row * k_gradient_blocks;
  const std::size_t n = this->coordinate_count();
  const bool linear = strains_ != nullptr;
  std::size_t used = 0;
  const auto take = [&](std::size_t count) {
    const std::size_t begin = used;
    used += padded(count);
    return memory == nullptr ? nullptr : static_cast<S*>(memory) + begin;
  };
  InternalMemory m;
  m.by_q = take(n * n * k_row), m.by_v = take(n * n * k_row);
  m.rates = take(9 * n * k_row);
  m.F = take(k_matrices);
  m.slopes = take(linear ? 0 : n * k_matrices);
  m.hessians = take(linear ? 0 : SecondSlopesT<S>::pairs(n) * k_matrices);
  m.forms = take(linear && (elastic_form() || damping_form()) ? Polynomial::scratch_size(n) : 0);
  m.scratch = take(0);
  m.size = used * sizeof(S) + (linear ? 0 : kinematics_->second_slopes_scratch_size());
  return m;
}
template <typename S>
bool VolumeBodyT<S>::knows_internal_derivatives() const {
  return std::is_same_v<S, double> && !material_.law && (strains_ || kinematics_->has_second_slopes());
}
template <typename S>
std::size_t VolumeBodyT<S>::internal_scratch_size() const {
  return internal_memory(nullptr).size;
}
template <typename S>
void VolumeBodyT<S>::fill_internal_derivatives(const S* q, const S* v, void* scratch, S* by_q, S* by_v) const {
  constexpr std::size_t k_row = k_point_lanes<S>;
  const int n = this->coordinate_count();
  const std::size_t squares = static_cast<std::size_t>(n) * n;
  const InternalMemory memory = internal_memory(scratch);
  const bool damped = material_.damping_time.has_value();
  const S viscosity = damped ? this->viscosity() : S(0.0);
  const S *stored = elastic_form(), *lost = damping_form();
  std::fill_n(memory.by_q, squares * k_row, S(0.0)), std::fill_n(memory.by_v, squares * k_row, S(0.0));
  const auto add = [&](const Group& group, const PointTable<S>& part, const S* slopes, const S* hessians) {
    const VolumeMaterialT<S>* material = stored ? nullptr : group.material;
    const S* viscous = damped && !lost && group.of_quadrature ? &viscosity : nullptr;
    if (material == nullptr && viscous == nullptr) return;
    point_sums<S>().add_internal_derivatives(part, material, viscous, {memory.F, slopes, hessians, memory.rates}, v,
                                             memory.by_q, memory.by_v);
  };
  const PointTable<S>& table = strain_table();
  if (strains_ && (!stored || (damped && !lost))) {
    each_group([&](const Group& group) {
      const std::size_t past = group.first + group.blocks;
      for (std::size_t first = group.first; first < past; first += k_gradient_blocks) {
        const PointTable<S> part = table.part(first, std::min(k_gradient_blocks, past - first));
        const S* slopes = strains_->slopes() + first * 9 * k_row * n;
        point_sums<S>().fill_linear_gradients(part, q, nullptr, slopes, memory.F);
        add(group, part, slopes, nullptr);
      }
    });
  } else if (!strains_) {
    SecondSlopesT<S> results;
    results.F = memory.F, results.F_slopes = memory.slopes, results.F_hessians = memory.hessians;
    results.any_rotation = true;
    const auto use = [&](std::size_t first, std::size_t count) {
      add(quadrature_group(), table.part(first, count), memory.slopes, memory.hessians);
    };
    kinematics_->second_slopes(q, nullptr, nullptr, table.x, table.blocks, results, GradientUse(use), memory.scratch);
  }
  if (stored) {
    Polynomial::hessian(n, stored, q, by_q, memory.forms);
  } else {
    std::fill_n(by_q, squares, S(0.0));
  }
  if (lost) {
    Polynomial::damping_matrix(n, lost, q, by_v, memory.forms);
    Polynomial::add_damping_slopes(n, lost, q, v, by_q, memory.forms);
  } else {
    std::fill_n(by_v, squares, S(0.0));
  }
  const auto total = [](const S* lanes) {
    S sum(0.0);
    for (std::size_t lane = 0; lane < k_row; ++lane) sum += lanes[lane];
    return sum;
  };
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      by_q[i * n + j] += total(memory.by_q + (i * n + j) * k_row);
      by_v[i * n + j] += total(memory.by_v + (std::min(i, j) * n + std::max(i, j)) * k_row);
    }
  }
}

template <typename S>
S VolumeBodyT<S>::dissipation(const S* q, const S* v) const {
  constexpr std::size_t k_lanes = k_point_lanes<S>;
  S sum(0.0);
  if (!material_.damping_time) return sum;
  const S mu = material_.shear_modulus();
  const QuadratureT<S>& rule = this->parameters().quadrature;
  const OwnMemory own(*this);
  const Memory& memory = *own;
  S block[k_vector_block<S>];
  for (std::size_t first = 0; first < rule.points.size(); first += k_lanes) {
    const std::size_t lanes = std::min(k_lanes, rule.points.size() - first);
    fill_blocks(&rule.points[first], lanes, block);
    block_gradients(q, v, block, false, memory);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const S* at = memory.results.F + lane;  // each row of F is followed by that of its rate
      const Matrix3T<S> F = lane_matrix(at, 2 * k_lanes), F_rate = lane_matrix(at + k_lanes, 2 * k_lanes);
      sum += rule.weights[first + lane] * viscous_dissipation_density(F, F_rate, mu, *material_.damping_time);
    }
  }
  return sum;
}

#define CUTTLE_INSTANTIATE(S) template class VolumeBodyT<S>;
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
