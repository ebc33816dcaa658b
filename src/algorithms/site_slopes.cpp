#include "algorithms/site_slopes.h"

namespace cuttle {

SiteSlopeMemory::SiteSlopeMemory(const Model& model, const Sites& sites)
    : frame(model), slot(static_cast<std::size_t>(sites.frame_count()), -1) {
  used.reserve(slot.size());
  const Eigen::Index rows = 6 * static_cast<Eigen::Index>(slot.size());
  for (MatrixXd* all : {&jacobian, &velocity_by_q, &by_q, &by_v}) all->setZero(rows, model.nv());
}

void subtract_site_slopes(const Model& model, const Sites& sites, SiteMotion motion, DerivativeData& d,
                          SiteSlopeMemory& memory) {
  for (const int frame : memory.used) memory.slot[frame] = -1;
  memory.used.clear();
  for (const int index : sites.active()) {
    const SitePlace& place = sites.places()[index];
    for (int k = 0; k < place.frame_count; ++k) {
      int& slot = memory.slot[place.frame[k]];
      if (slot >= 0) continue;
      slot = static_cast<int>(memory.used.size());
      memory.used.push_back(place.frame[k]);
      frame_derivatives(model, d, sites.frame(place.frame[k]), memory.frame);
      memory.jacobian.middleRows<6>(6 * slot) = memory.frame.jacobian;
      memory.velocity_by_q.middleRows<6>(6 * slot) = memory.frame.velocity_by_q;
      memory.by_q.middleRows<6>(6 * slot).setZero();
      memory.by_v.middleRows<6>(6 * slot).setZero();
    }
    if (motion == SiteMotion::sticking) {
      sites.follow_as_springs(place, memory.slopes);
    } else {
      sites.follow(place, memory.slopes);
    }
    for (int i = 0; i < place.frame_count; ++i) {
      const int row = 6 * memory.slot[place.frame[i]];
      for (int k = 0; k < place.frame_count; ++k) {
        const int from = 6 * memory.slot[place.frame[k]];
        const auto by_pose = memory.slopes.by_pose.block<6, 6>(6 * i, 6 * k);
        const auto by_velocity = memory.slopes.by_velocity.block<6, 6>(6 * i, 6 * k);
        const auto J = memory.jacobian.middleRows<6>(from);
        memory.by_q.middleRows<6>(row) += by_pose.lazyProduct(J);
        memory.by_q.middleRows<6>(row) += by_velocity.lazyProduct(memory.velocity_by_q.middleRows<6>(from));
        memory.by_v.middleRows<6>(row) += by_velocity.lazyProduct(J);
      }
    }
  }
  // all frames at once: a product of matrices has more to do in each of its turns
  const Eigen::Index rows = 6 * static_cast<Eigen::Index>(memory.used.size());
  const auto J = memory.jacobian.topRows(rows);
  d.by_q.noalias() -= J.transpose() * memory.by_q.topRows(rows);
  d.by_v.noalias() -= J.transpose() * memory.by_v.topRows(rows);
}

}  // namespace cuttle
