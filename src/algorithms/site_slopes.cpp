#include "algorithms/site_slopes.h"

#include <algorithm>

#include "algorithms/site_slope_kernels.h"

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
  const Eigen::Index columns = 6 * static_cast<Eigen::Index>(slot.size());
  for (MatrixXd* all : {&jacobian, &velocity_by_q, &by_q, &by_v}) all->setZero(model.nv(), columns);
}

void subtract_site_slopes(const Model& model, const Sites& sites, SiteMotion motion, DerivativeData& d,
                          SiteSlopeMemory& memory) {
  static const SiteSlopeKernels k_kernels = site_slope_kernels();
  const Eigen::Index nv = d.by_q.cols();
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
      memory.jacobian.middleCols<6>(6 * slot) = memory.frame.jacobian.transpose();
      memory.velocity_by_q.middleCols<6>(6 * slot) = memory.frame.velocity_by_q.transpose();
      memory.moves[slot] = span_of(memory.frame), memory.changes[slot] = {};
      memory.by_q.middleCols<6>(6 * slot).setZero();
      memory.by_v.middleCols<6>(6 * slot).setZero();
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
        const auto of = [&](MatrixXd& all, int slot) { return &all(span.begin, 6 * slot); };
        if (span.size() == 0) continue;
        const SiteSlopesT<double>& slopes = memory.slopes;
        k_kernels.add_block(&slopes.by_pose(6 * i, 6 * k), &slopes.by_velocity(6 * i, 6 * k),
                            slopes.by_pose.outerStride(), of(memory.jacobian, from), of(memory.velocity_by_q, from),
                            of(memory.by_q, to), of(memory.by_v, to), static_cast<int>(span.size()), nv);
      }
    }
  }
  const int count = static_cast<int>(memory.used.size());
  Eigen::Index each = 0;
  for (int slot = 0; slot < count; ++slot) each += memory.moves[slot].size() * memory.changes[slot].size();
  const auto subtract = [&](MatrixXd& from, const MatrixXd& change, int slot, int slots, const CoordinateSpan& rows,
                            const CoordinateSpan& columns) {
    if (rows.size() == 0 || columns.size() == 0) return;
    k_kernels.subtract_product(&memory.jacobian(rows.begin, 6 * slot), &change(columns.begin, 6 * slot), nv, 6 * slots,
                               static_cast<int>(rows.size()), static_cast<int>(columns.size()),
                               &from(rows.begin, columns.begin), from.outerStride());
  };
  if (each < count * nv * nv / 4) {
    for (int slot = 0; slot < count; ++slot) {
      subtract(d.by_q, memory.by_q, slot, 1, memory.moves[slot], memory.changes[slot]);
      subtract(d.by_v, memory.by_v, slot, 1, memory.moves[slot], memory.changes[slot]);
    }
    return;
  }
  // all frames at once: a product of matrices has more to do in each of its turns
  const CoordinateSpan all{0, nv};
  if (count == 0) return;
  subtract(d.by_q, memory.by_q, 0, count, all, all), subtract(d.by_v, memory.by_v, 0, count, all, all);
}

}  // namespace cuttle
