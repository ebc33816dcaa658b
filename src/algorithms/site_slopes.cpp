#include "algorithms/site_slopes.h"

#include <algorithm>

namespace cuttle {

void CoordinateSpan::include(const CoordinateSpan& other) {
  if (other.size() == 0) return;
  begin = size() == 0 ? other.begin : std::min(begin, other.begin);
  end = std::max(end, other.end);
}

namespace {

/// Without the coordinates at both ends that move nothing: of a free body its own are left.
CoordinateSpan span_of(const FrameDerivatives& frame) {
  const auto counts = [&](Eigen::Index j) {
    return !frame.jacobian.col(j).isZero(0.0) || !frame.velocity_by_q.col(j).isZero(0.0);
  };
  CoordinateSpan span{0, frame.jacobian.cols()};
  while (span.size() > 0 && !counts(span.begin)) ++span.begin;
  while (span.size() > 0 && !counts(span.end - 1)) --span.end;
  return span;
}

}  // namespace

SiteSlopeMemory::SiteSlopeMemory(const Model& model, const Sites& sites)
    : frame(model), slot(static_cast<std::size_t>(sites.frame_count()), -1) {
  used.reserve(slot.size()), moves.resize(slot.size()), changes.resize(slot.size());
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
      memory.moves[slot] = span_of(memory.frame), memory.changes[slot] = {};
      memory.by_q.middleRows<6>(6 * slot).setZero();
      memory.by_v.middleRows<6>(6 * slot).setZero();
    }
    if (motion == SiteMotion::sticking) {
      sites.follow_as_springs(place, memory.slopes);
    } else {
      sites.follow(place, memory.slopes);
    }
    for (int i = 0; i < place.frame_count; ++i) {
      const int to = memory.slot[place.frame[i]];
      for (int k = 0; k < place.frame_count; ++k) {
        const int from = memory.slot[place.frame[k]];
        const CoordinateSpan& span = memory.moves[from];
        memory.changes[to].include(span);
        const auto of = [&](auto& all, int slot) {
          return all.template block<6, Eigen::Dynamic>(6 * slot, span.begin, 6, span.size());
        };
        const auto by_pose = memory.slopes.by_pose.block<6, 6>(6 * i, 6 * k);
        const auto by_velocity = memory.slopes.by_velocity.block<6, 6>(6 * i, 6 * k);
        of(memory.by_q, to) += by_pose.lazyProduct(of(memory.jacobian, from));
        of(memory.by_q, to) += by_velocity.lazyProduct(of(memory.velocity_by_q, from));
        of(memory.by_v, to) += by_velocity.lazyProduct(of(memory.jacobian, from));
      }
    }
  }
  const int count = static_cast<int>(memory.used.size());
  const Eigen::Index nv = d.by_q.cols();
  Eigen::Index each = 0;
  for (int slot = 0; slot < count; ++slot) each += memory.moves[slot].size() * memory.changes[slot].size();
  if (each < count * nv * nv / 4) {
    for (int slot = 0; slot < count; ++slot) {
      const CoordinateSpan &rows = memory.moves[slot], &columns = memory.changes[slot];
      const auto J = memory.jacobian.block<6, Eigen::Dynamic>(6 * slot, rows.begin, 6, rows.size());
      const auto subtract = [&](MatrixXd& from, const MatrixXd& change) {
        from.block(rows.begin, columns.begin, rows.size(), columns.size()).noalias() -=
            J.transpose() * change.block<6, Eigen::Dynamic>(6 * slot, columns.begin, 6, columns.size());
      };
      subtract(d.by_q, memory.by_q), subtract(d.by_v, memory.by_v);
    }
    return;
  }
  // all frames at once: a product of matrices has more to do in each of its turns
  const auto J = memory.jacobian.topRows(6 * count);
  d.by_q.noalias() -= J.transpose() * memory.by_q.topRows(6 * count);
  d.by_v.noalias() -= J.transpose() * memory.by_v.topRows(6 * count);
}

}  // namespace cuttle
