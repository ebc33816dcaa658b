#pragma once

#include <string>
#include <vector>

#include "algorithms/derivative_workspace.h"

namespace cuttle {

/// The work that forces of inputs do along a virtual twist of a robot, as it follows numbers of the actuators: of what
/// they do that does not depend on the shape, of stretches of tendons along rods, and of the ends of straight ones.
class WorthOfTendons {
 public:
  explicit WorthOfTendons(const Model& model) : model_(model) {}

  /// Takes the numbers of a model with derivatives, of the same topology. @param first, count  of them.
  void gather(const ModelT<ForwardDual>& variable, int first, int count);

  /// Where and along what.
  struct Along {
    const VectorXd &q, &u, &weights;             ///< inputs that act; virtual rates of the coordinates
    const std::vector<Twist>& twists;            ///< those of nodes, reference axes and origin
    const DerivativeData::Workspace& workspace;  ///< after derivative::sweep_both_ways
  };
  /// Subtracts scale times the slopes of the work.
  void subtract(const Along& along, double scale, VectorXd& worth) const;
  /// How minus the work follows where nodes are: what straight stretches are worth to a twist of a node by which it is
  /// displaced, and by which its virtual twist changes in its own axes. Reference axes and origin, added.
  void add_worth_of_nodes(const Along& along, std::vector<Wrench>& by_displacement,
                          std::vector<Wrench>& by_twist) const;

  /// A straight stretch between two ends: where they are, and their virtual rates.
  struct Straight {
    double tension;
    Vector3 ends[2], rates[2];
    Vector3 direction{}, turned{};  ///< of the stretch, and by how much it turns a unit of time

    /// @param tiny  as long as that the ends coincide, and there is no direction.
    void find_direction(const BoundTendonT<double>& tendon);
  };
  /// What one end is worth, as of add_worth_of_nodes.
  struct EndWorth {
    Wrench by_displacement, by_twist;
  };
  static EndWorth worth_of_end(const Straight& s, int end);
  /// Of a tendon: for Straight.

 private:
  struct Constant {
    int row, input, number;
    double slope;
  };
  struct ArcSlopes {
    int number;
    std::vector<double> weights;
    std::vector<Vector3> rest, shape;
  };
  struct Arc {
    int tendon, arc;
    std::vector<ArcSlopes> numbers;
  };
  struct End {
    int tendon, segment, number;
    Vector3 first, second;  ///< node axes
  };
  Straight straight(const Along& along, const BoundTendonT<double>& tendon,
                    const TendonSegmentT<double>& segment) const;

  const Model& model_;
  std::vector<Constant> constants_;
  std::vector<Arc> arcs_;
  std::vector<End> ends_;
};

/// Paths of the ends of tendons that are given just where a rod ends, if a path is of the rod's length.
std::vector<std::string> ends_given_with(const Model& model, const std::string& path);

}  // namespace cuttle
