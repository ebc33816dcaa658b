#include "bodies/volume/linear_strains.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <type_traits>

#include "bodies/volume/fem/tetrahedral_element.h"
#include "cuttle/spatial/scalars.h"
#include "spatial/aligned.h"

namespace cuttle {

namespace {

constexpr double k_most_entries = 8.0 * 1024 * 1024 / sizeof(double);  // of a form
constexpr std::size_t k_small_table = 64 * 1024 * 1024;                // bytes: without it, meshes are searched
constexpr double k_most_products = 3e9;                                // to make it
constexpr double k_point_products = 30.0;                              // of a sum over points, a point and coordinate

bool forms_pay(std::size_t n, double points) {
  const auto size = static_cast<double>(StrainPolynomialT<double>::monomials(n));
  const double entries = size * size;
  return entries <= k_most_entries && entries <= k_point_products * static_cast<double>(n) * points &&
         3.5 * entries * points <= k_most_products;
}

/// Square of the Frobenius norm of sym G, G nine numbers by rows.
template <typename S>
S squared_strain(const S* G) {
  const S xy = G[1] + G[3], xz = G[2] + G[6], yz = G[5] + G[7];
  return G[0] * G[0] + G[4] * G[4] + G[8] * G[8] + S(0.5) * (xy * xy + xz * xz + yz * yz);
}

/// Calls use(point, its 9 n numbers G) for all points of the table.
template <typename S, typename Use>
void each_rest_gradients(const PointTable<S>& table, const VolumeKinematicsT<S>& kinematics, const Use& use) {
  constexpr std::size_t k_lanes = k_point_lanes<S>, k_part = 9 * k_lanes * k_gradient_blocks;
  const std::size_t n = table.coordinates;
  const std::vector<S> zero(n, S(0.0));
  std::vector<S> gradients(k_part * (n + 1)), G(9 * n);
  std::vector<std::max_align_t> memory(kinematics.scratch_size() / sizeof(std::max_align_t) + 8);
  void* scratch = aligned(memory.data());
  const GradientResultsT<S> results{gradients.data(), gradients.data() + k_part};
  const auto take = [&](std::size_t first, std::size_t count) {
    for (std::size_t i = 0; i < count * k_lanes; ++i) {
      const S* at = results.slopes + i / k_lanes * 9 * n * k_lanes + i % k_lanes;
      for (std::size_t r = 0; r < 9 * n; ++r) G[r] = at[r * k_lanes];
      use(first * k_lanes + i, G.data());
    }
  };
  kinematics.gradients(zero.data(), nullptr, table.x, table.blocks, results, GradientUse(take), scratch);
}

/// 128 bits from the bytes of numbers: different numbers do not meet.
using Digest = std::array<std::uint64_t, 2>;
template <typename S>
Digest digest(const std::vector<S>& numbers) {
  Digest sum{0xcbf29ce484222325u, 0x84222325cbf29ce4u};
  const auto* bytes = reinterpret_cast<const unsigned char*>(numbers.data());
  for (std::size_t i = 0; i < numbers.size() * sizeof(S); ++i) {
    sum[0] = (sum[0] ^ bytes[i]) * 0x100000001b3u;
    sum[1] = (sum[1] ^ bytes[i]) * 0x9e3779b97f4a7c15u;
    sum[1] ^= sum[1] >> 29;
  }
  return sum;
}

template <typename S>
void add_form(const std::vector<S>& form, std::vector<S>& sum) {
  if (sum.empty()) sum.resize(form.size(), S(0.0));
  for (std::size_t i = 0; i < form.size(); ++i) sum[i] += form[i];
}

}  // namespace

template <typename S>
void LinearStrainsT<S>::find_points(const PointTable<S>& all, const VolumeKinematicsT<S>& kinematics,
                                    const TetrahedralMesh* mesh) {
  constexpr std::size_t k_lanes = k_point_lanes<S>;
  std::map<Digest, std::size_t> known;
  std::vector<Vector3T<S>> x;
  std::vector<S> copy(9 * all.coordinates);
  each_rest_gradients(all, kinematics, [&](std::size_t i, const S* G) {
    std::copy_n(G, copy.size(), copy.data());
    const auto [at, is_new] = known.insert({digest(copy), x.size()});
    if (is_new) {
      x.push_back(lane_vector(all.x + i / k_lanes * k_vector_block<S>, static_cast<int>(i % k_lanes)));
      volume_.push_back(S(0.0));
      first_points_.push_back(i);
    }
    volume_[at->second] += all.volume[i];
  });
  const std::size_t strain_blocks = block_count<S>(x.size());
  groups_.push_back({0, strain_blocks, parts_ ? &parts_->shape : &material_, true});
  if (parts_) {
    // lanes that no point fills lie where the last one does, with no volume
    x.resize(strain_blocks * k_lanes, x.back()), volume_.resize(x.size(), S(0.0));
    each_element_centre<S>(*mesh, [&](std::size_t, const ElementPlace<S>& place, const S& volume) {
      x.push_back(place.position), volume_.push_back(volume);
    });
    groups_.push_back({strain_blocks, block_count<S>(x.size()) - strain_blocks, &parts_->volume, false});
  }
  const std::size_t blocks = block_count<S>(x.size());
  x_.resize(blocks * k_vector_block<S>);
  fill_blocks(x.data(), x.size(), x_.data());
  volume_.resize(blocks * k_lanes, S(0.0));
  points_ = {x_.data(), nullptr, volume_.data(), blocks, all.coordinates};
}

template <typename S>
LinearStrainsT<S>::LinearStrainsT(const PointTable<S>& all, const VolumeMaterialT<S>& material,
                                  const VolumeKinematicsT<S>& kinematics, const TetrahedralMesh* mesh)
    : material_(material), parts_(mesh != nullptr ? material_parts(*mesh, material) : std::nullopt) {
  using std::sqrt;
  constexpr std::size_t k_lanes = k_point_lanes<S>;
  find_points(all, kinematics, mesh);
  const std::size_t n = all.coordinates;
  const bool elastic = !material.law && material.model == VolumeMaterialT<S>::Model::st_venant_kirchhoff;
  const bool damped = material.damping_time.has_value();
  const std::size_t centres = parts_ ? mesh->tetrahedra.size() : 0;
  const bool pay = forms_pay(n, static_cast<double>(first_points_.size() + centres));
  // also for the check of det F, which only scalars without derivatives make
  const std::size_t table_size = points_.blocks * 9 * k_lanes * n;
  const bool small = std::is_floating_point_v<S> && table_size * sizeof(S) <= k_small_table;
  const bool forms = pay && (elastic || damped), tabulated = !pay || !elastic || small;

  std::vector<StrainPolynomialT<S>> strains(groups_.size(), StrainPolynomialT<S>(forms ? static_cast<int>(n) : 0));
  std::vector<S> squares(n, S(0.0));
  if (tabulated) slopes_.resize(table_size);
  each_rest_gradients(points_, kinematics, [&](std::size_t i, const S* G) {
    for (std::size_t k = 0; k < n; ++k) squares[k] = std::max(squares[k], squared_strain(G + 9 * k));
    if (forms) strains[i / k_lanes < groups_.front().blocks ? 0 : 1].add(volume_[i], G);
    for (std::size_t r = 0; tabulated && r < 9 * n; ++r) {
      slopes_[(i / k_lanes * 9 * n + r) * k_lanes + i % k_lanes] = G[r];
    }
  });
  for (const S& square : squares) bounds_.push_back(square > S(0.0) ? sqrt(square) : S(0.0));
  if (!forms) return;
  for (std::size_t k = 0; k < groups_.size(); ++k) {
    const VolumeMaterialT<S>& of = *groups_[k].material;
    const S mu = of.shear_modulus();
    if (elastic) add_form(strains[k].form(of.lambda(), S(2.0) * mu), elastic_);
    if (damped && groups_[k].of_quadrature) damping_ = strains[k].form(S(0.0), S(2.0) * *material.damping_time * mu);
  }
}

template <typename S>
bool LinearStrainsT<S>::surely_unfolded(const S* q) const {
  using std::abs;
  S sum(0.0);
  for (std::size_t k = 0; k < bounds_.size(); ++k) sum += abs(q[k]) * bounds_[k];
  return sum < constant<S>(0.999999L);  // what rounding may add is far below
}

#define CUTTLE_INSTANTIATE(S) template class LinearStrainsT<S>;
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
