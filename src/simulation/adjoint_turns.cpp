#include "simulation/adjoint_turns.h"

#include "algorithms/displacement.h"

namespace cuttle {

AdjointTurns::AdjointTurns(const Model& model) : model_(model) {
  if (model.nq() != model.nv()) variable_.emplace(model.robot().cast<ForwardDual>());
}

VectorXT<ForwardDual> AdjointTurns::along_turns(const VectorXd& x) const {
  VectorXT<ForwardDual> along = x.cast<ForwardDual>();
  for (const Edge& edge : model_.topology().edges) {
    for (int k = 0; edge.nq != edge.nv && k < edge.nv; ++k) along[edge.v + k].derivative[k] = 1.0;
  }
  return along;
}

void AdjointTurns::through_integrate(const VectorXd& start, const VectorXd& theta, const VectorXd& q,
                                     const VectorXd& by_q, VectorXd& by_start, VectorXd& by_theta) const {
  if (!variable_) {
    by_start += by_q, by_theta += by_q;
    return;
  }
  VectorXT<ForwardDual> moved(model_.nq()), end(model_.nq());
  VectorXd change(model_.nq()), moves(model_.nv());
  const auto add = [&](VectorXd& worth) {
    for (const Edge& edge : model_.topology().edges) {
      if (edge.nq == edge.nv) worth.segment(edge.v, edge.nv) += by_q.segment(edge.v, edge.nv);
    }
    for (int k = 0; k < 6; ++k) {
      for (Eigen::Index i = 0; i < end.size(); ++i) change[i] = end[i].derivative[k];
      displacement(model_, q, change, moves);
      for (const Edge& edge : model_.topology().edges) {
        if (edge.nq == edge.nv || k >= edge.nv) continue;
        worth[edge.v + k] += by_q.segment(edge.v, edge.nv).dot(moves.segment(edge.v, edge.nv));
      }
    }
  };
  integrate<ForwardDual>(*variable_, start.cast<ForwardDual>(), along_turns(theta), end);
  add(by_theta);
  integrate<ForwardDual>(*variable_, start.cast<ForwardDual>(), along_turns(VectorXd::Zero(model_.nv())), moved);
  integrate<ForwardDual>(*variable_, moved, theta.cast<ForwardDual>(), end);
  add(by_start);
}

void AdjointTurns::through_rate(const VectorXd& theta, const VectorXd& v, const VectorXd& by_rate, VectorXd& by_theta,
                                VectorXd& by_v) const {
  if (!variable_) {
    by_v += by_rate;
    return;
  }
  VectorXT<ForwardDual> rate(model_.nv());
  const auto add = [&](VectorXd& worth) {
    for (const Edge& edge : model_.topology().edges) {
      for (int k = 0; edge.nq != edge.nv && k < edge.nv; ++k) {
        for (int i = 0; i < edge.nv; ++i) worth[edge.v + k] += by_rate[edge.v + i] * rate[edge.v + i].derivative[k];
      }
    }
  };
  for (const Edge& edge : model_.topology().edges) {
    if (edge.nq == edge.nv) by_v.segment(edge.v, edge.nv) += by_rate.segment(edge.v, edge.nv);
  }
  tangent_rate<ForwardDual>(*variable_, along_turns(theta), v.cast<ForwardDual>(), rate);
  add(by_theta);
  tangent_rate<ForwardDual>(*variable_, theta.cast<ForwardDual>(), along_turns(v), rate);
  add(by_v);
}

}  // namespace cuttle
