#include "view/packed_frames.h"

#include <algorithm>
#include <cmath>

#include "view/snapshot_basis.h"

namespace cuttle {
namespace {

using Json = nlohmann::ordered_json;

constexpr double k_length_step = 1e-5;      // of the reach
constexpr double k_quaternion_step = 5e-5;  // 0.1 mrad
constexpr double k_value_step = 1e-3;       // of the largest value: colors and lengths of arrows
constexpr int k_least_for_basis = 60;       // channels
constexpr std::size_t k_most_vectors = 96;

double largest(const FrameMatrix& matrix) {
  double most = 0.0;
  for (const float value : matrix.values) {
    if (std::isfinite(value)) most = std::max(most, std::abs(static_cast<double>(value)));
  }
  return most;
}

std::vector<double> steps_of(const SceneRange& range, const FrameMatrix& matrix, double reach) {
  std::vector<double> steps(matrix.channels, k_length_step * reach);
  if (range.kind == SceneRange::Kind::poses) {
    for (std::size_t c = 0; c < steps.size(); ++c) {
      if (c % 7 >= 3) steps[c] = k_quaternion_step;
    }
  } else if (range.kind == SceneRange::Kind::values) {
    const double most = largest(matrix);
    std::fill(steps.begin(), steps.end(), most > 0.0 ? k_value_step * most : 1.0);
  }
  return steps;
}

/// Half of the tolerance is for the vectors that are left out, the other half for the rounding of the coefficients.
Json basis_json(const SnapshotBasis& basis, double step) {
  std::vector<double> vectors;
  for (const auto& vector : basis.vectors) vectors.insert(vectors.end(), vector.begin(), vector.end());
  const std::size_t rank = basis.vectors.size();
  const std::vector<double> steps(rank, step / static_cast<double>(std::max<std::size_t>(rank, 1)));
  return {{"rank", rank},
          {"mean", packed_floats(basis.mean)},
          {"vectors", packed_floats(vectors)},
          {"coefficients", packed_channels(basis.coefficients, steps)}};
}

Json block_json(const SceneRange& range, const FrameMatrix& matrix, double reach) {
  const std::vector<double> steps = steps_of(range, matrix, reach);
  Json block{{"at", range.at}, {"size", range.size}};
  if (range.kind != SceneRange::Kind::poses && range.size >= k_least_for_basis && matrix.frames > 2) {
    // a basis pays while its vectors are fewer than the frames by far
    const std::size_t most = std::min(k_most_vectors, matrix.frames / 4);
    if (const auto basis = snapshot_basis(matrix, 0.5 * steps[0], most)) {
      block["basis"] = basis_json(*basis, steps[0]);
      return block;
    }
  }
  block["values"] = packed_channels(matrix, steps);
  return block;
}

}  // namespace

Json packed_frames(Scene& scene, const std::vector<const Sample*>& samples, const FrameOf& frame_of) {
  std::vector<double> numbers(scene.size());
  std::vector<FrameMatrix> matrices;
  for (const SceneRange& range : scene.ranges()) {
    matrices.push_back({samples.size(), static_cast<std::size_t>(range.size), {}});
    matrices.back().values.reserve(samples.size() * range.size);
  }
  for (const Sample* sample : samples) {
    frame_of ? frame_of(*sample, numbers) : scene.frame(*sample, numbers);
    for (std::size_t i = 0; i < matrices.size(); ++i) {
      const SceneRange& range = scene.ranges()[i];
      const auto first = numbers.begin() + range.at;
      matrices[i].values.insert(matrices[i].values.end(), first, first + range.size);
    }
  }
  Json blocks = Json::array();
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    if (scene.ranges()[i].size > 0) blocks.push_back(block_json(scene.ranges()[i], matrices[i], scene.reach()));
  }
  return blocks;
}

}  // namespace cuttle
