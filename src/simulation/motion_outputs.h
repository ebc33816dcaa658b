#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cuttle/simulation/sensitivities.h"

namespace cuttle {

/// Something that is asked for by name: the names of its numbers, and what they are in a motion.
struct MotionOutput {
  std::vector<CoordinateInfo> columns;
  std::function<void(const DifferentiatedMotion&, std::vector<ForwardDual>&)> read;
  bool follows_q = true, follows_v = true, follows_u = false, follows_sites = false;  ///< what it depends on
  bool follows_robot = true;  ///< and whether on numbers of the robot, in a given motion
  /// The same at a motion of numbers, much faster, where there is one: values, and slopes by q or v (not null), whose
  /// others are zero.
  std::function<void(const Model&, Data&, const VectorXd& q, const VectorXd& v, Eigen::Ref<VectorXd> values,
                     Eigen::Ref<MatrixXd>* by_q, Eigen::Ref<MatrixXd>* by_v)>
      plain = nullptr;
};

/// @param name  as `sensitivities` takes it. @throws ArgumentError for an output that there is not.
MotionOutput find_motion_output(const Model& model, const std::string& name);

/// A motion that outputs are functions of.
struct OutputArguments {
  const VectorXd &q, &v, &u;
  const VectorXd& sites;  ///< states of the sites of contacts
  double time;            ///< of obstacles that move [s]
};

/// Outputs of a robot as functions of its motion and inputs, and their slopes. Configurations have slopes along
/// integrate(q, dq).
class MotionOutputs {
 public:
  /// The model must outlive it. @throws ArgumentError for an output that there is not, ModelError for a robot with a
  /// part without text.
  MotionOutputs(const Model& model, const std::vector<std::string>& of);

  const std::vector<CoordinateInfo>& columns() const { return columns_; }  ///< names and units, n
  const std::vector<int>& sizes() const { return sizes_; }                 ///< how many each output has
  /// Whether any depends on the inputs.
  bool follow_inputs() const;
  const VectorXd& values(const OutputArguments& at);
  /// Finds values and slopes.
  void slopes(const OutputArguments& at);
  const VectorXd& values() const { return values_; }
  const MatrixXd& by_q() const { return by_q_; }          ///< n x nv
  const MatrixXd& by_v() const { return by_v_; }          ///< n x nv
  const MatrixXd& by_u() const { return by_u_; }          ///< n x nu
  const MatrixXd& by_sites() const { return by_sites_; }  ///< n x states of sites

 private:
  /// Of outputs that `follow` it, by the next directions in which q_, v_ and u_ differ.
  void read_plain(const VectorXd& q, const VectorXd& v, bool with_slopes);
  void read(bool MotionOutput::*follow, MatrixXd* slopes, Eigen::Index first, Eigen::Index count);

  const Model& model_;
  ModelT<ForwardDual> variable_;
  DataT<ForwardDual> data_;
  std::vector<MotionOutput> outputs_;
  std::vector<CoordinateInfo> columns_;
  std::vector<int> sizes_;
  VectorXT<ForwardDual> q_, v_, u_, change_, element_states_, sites_;
  double time_ = 0.0;
  Data plain_data_;
  std::vector<std::size_t> paths_;
  std::vector<ForwardDual> numbers_;
  VectorXd values_;
  MatrixXd by_q_, by_v_, by_u_, by_sites_;
};

/// How outputs depend on numbers of the robot, in a given motion.
class VariedOutputs {
 public:
  /// The model must outlive it. @param paths  numbers of the robot. @throws ArgumentError as MotionOutputs.
  VariedOutputs(const Model& model, const std::vector<std::string>& of, const std::vector<std::string>& paths);

  /// n x paths. Inputs are zero.
  const MatrixXd& slopes(const OutputArguments& at);

 private:
  /// Along eight paths at most.
  struct Group {
    explicit Group(ModelT<ForwardDual> its_model) : model(std::move(its_model)), data(model) {}

    ModelT<ForwardDual> model;
    DataT<ForwardDual> data;
    std::vector<std::size_t> paths;
  };
  std::vector<std::pair<Eigen::Index, MotionOutput>> outputs_;  ///< that depend on them, each at its first row
  std::vector<std::unique_ptr<Group>> groups_;
  VectorXT<ForwardDual> u_, element_states_;
  std::vector<ForwardDual> numbers_;
  MatrixXd slopes_;
};

}  // namespace cuttle
