#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cuttle/io/file_texts.h"
#include "cuttle/io/number_context.h"
#include "cuttle/io/yaml_tree.h"
#include "cuttle/model/robot.h"

namespace cuttle {

/// The numbers of a robot file: its tree in memory, read again with other values or with derivatives. Copies with other
/// values share all but these.
class FileParameters final : public ParameterSource {
 public:
  /// @param tree   overrides included, without errors.
  /// @param robot  read from it.
  /// @param found  all numbers that were read.
  /// @param files  that the tree names.
  FileParameters(std::shared_ptr<const YamlNode> tree, const Robot& robot, std::vector<NumberContext::Found> found,
                 FileTexts files);

  const std::string& name() const override;
  const Robot& robot() const override { return robot_; }
  std::vector<ParameterInfo> parameters() const override;
  ParameterInfo parameter(const std::string& path) const override;
  Robot with(const std::vector<ParameterChange>& changes) const override;
  RobotT<ForwardDual> differentiated(const std::vector<ParameterDirection>& directions) const override;
  std::string place(const KeyPath& path) const override;

 private:
  using Changes = std::map<std::string, double>;  // by cursor path
  struct File;

  FileParameters(std::shared_ptr<const File> file, Changes changes, const Robot& robot);
  ParameterInfo info(std::size_t index) const;
  std::size_t find(const std::string& path) const;
  /// The robot with the numbers of a context. @throws ModelError with all of them that are wrong.
  template <typename S>
  RobotT<S> read_again(const NumberContext& numbers) const;

  std::shared_ptr<const File> file_;
  Changes changes_;
  Robot robot_;
};

}  // namespace cuttle
