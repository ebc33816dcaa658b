#pragma once

#include <array>
#include <string>
#include <vector>

#include "cuttle/algorithms/sites.h"
#include "cuttle/model/model.h"

namespace cuttle {

/// Whether what touches goes through an obstacle between two configurations, which a search for equilibria may jump
/// between: force laws alone do not know on which side of an obstacle a link has been before.
class ContactPassage {
 public:
  /// @param time  at which obstacles are where they are [s]. The model must outlive this.
  ContactPassage(const Model& model, double time);

  /// Follows the straight way between two configurations in parts in which no site can cross an obstacle unseen.
  /// @return what goes through on the way; empty: nothing does. What has no other side, as a plane, lets nothing
  /// through.
  std::string between(const VectorXd& from, const VectorXd& to);
  /// @return what is deeper in an obstacle than half of what is thinner; empty: nothing is.
  std::string at(const VectorXd& q) { return deep_at(q, true); }
  /// The same of obstacles that have another side: from there nobody knows on which one a link belongs.
  std::string between_sides(const VectorXd& q) { return deep_at(q, false); }
  /// Largest angle by which a frame of a site turns between two configurations [rad].
  double turn(const VectorXd& from, const VectorXd& to);

 private:
  std::string deep_at(const VectorXd& q, bool endless_too);
  /// Gaps of all sites, no number where a site is far away.
  std::vector<double> gaps(const VectorXd& q);
  std::string name(std::size_t place) const;
  std::array<std::string, 2> pair(std::size_t place) const;  ///< of sides a and b

  const Model& model_;
  double time_;
  Data data_;
  Sites sites_;
  VectorXd still_;
  std::vector<char> endless_;         ///< of each site: what it touches has no other side
  std::vector<std::size_t> guarded_;  ///< the others
};

}  // namespace cuttle
