#include "io/results/result_block.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <set>

#include "cuttle/error.h"
#include "cuttle/spatial/logarithm.h"

namespace cuttle {
namespace {

constexpr int k_pose_numbers = 7;
constexpr double k_unknown = std::numeric_limits<double>::quiet_NaN();

/// Numbers of a sample into a row. Those that a sample of a program's own lacks are not known.
void read(const RecordedDataset& dataset, const Sample& sample, double* row) {
  for (const RecordedDataset::Numbers& numbers : dataset.numbers) {
    if (const auto* const member = std::get_if<double Sample::*>(&numbers.member)) {
      *row = sample.*(*member);
    } else if (const auto* const vector = std::get_if<VectorXd Sample::*>(&numbers.member)) {
      const VectorXd& all = sample.*(*vector);
      const auto there = std::clamp<Eigen::Index>(all.size() - numbers.first, 0, numbers.count);
      if (there > 0) std::copy_n(all.data() + numbers.first, there, row);
      std::fill(row + there, row + numbers.count, k_unknown);
    } else {
      const Pose& pose = (sample.*std::get<2>(numbers.member))[static_cast<std::size_t>(numbers.first)];
      const Quaternion q = quaternion_from_matrix(pose.rotation);
      const Vector3& p = pose.position;
      const double values[k_pose_numbers] = {p.x, p.y, p.z, q.w, q.x, q.y, q.z};
      std::copy_n(values, k_pose_numbers, row);
    }
    row += numbers.count;
  }
}

/// The reverse.
void restore(const RecordedDataset& dataset, const double* row, Sample& sample) {
  for (const RecordedDataset::Numbers& numbers : dataset.numbers) {
    if (const auto* const member = std::get_if<double Sample::*>(&numbers.member)) {
      sample.*(*member) = *row;
    } else if (const auto* const vector = std::get_if<VectorXd Sample::*>(&numbers.member)) {
      std::copy_n(row, numbers.count, (sample.*(*vector)).data() + numbers.first);
    } else {
      const Quaternion q{row[3], row[4], row[5], row[6]};
      (sample.*std::get<2>(numbers.member))[static_cast<std::size_t>(numbers.first)] = {q.matrix(),
                                                                                        {row[0], row[1], row[2]}};
    }
    row += numbers.count;
  }
}

}  // namespace

std::vector<ResultBlock> result_blocks(const Model& model, const std::vector<RecordedController>& controllers,
                                       const std::vector<RecordedMotion>& motion) {
  std::set<std::string> taken;
  std::vector<ResultBlock> blocks;
  for (const RecordedQuantity& quantity : recorded_quantities()) {
    for (RecordedDataset& dataset : quantity.datasets({model, controllers, motion})) {
      for (RecordedDataset::Column& column : dataset.columns) {
        if (std::holds_alternative<double Sample::*>(quantity.member)) break;  // their names are like no other
        while (!taken.insert(column.header).second && !dataset.again.empty()) column.header += dataset.again;
      }
      blocks.push_back({dataset.path,
                        dataset.scalar,
                        dataset.columns,
                        [dataset](const Sample& sample, double* row) { read(dataset, sample, row); },
                        [dataset](const double* row, Sample& sample) { restore(dataset, row, sample); },
                        dataset.outputs,
                        {},
                        &quantity});
    }
  }
  return blocks;
}

void create_folders_for(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (folder.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw FileError(path + ": cannot make the folder " + folder.string() + ": " + error.message());
}

}  // namespace cuttle
