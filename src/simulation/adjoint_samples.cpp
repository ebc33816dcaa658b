// Reverse mode through laws with a clock: zero-order hold, delay, memory of samples, chains of controllers.
#include "simulation/adjoint_samples.h"

#include "control/control_loop.h"

namespace cuttle {

void AdjointSamples::enter(double time, const State& state) {
  ControlLoop& control = system_.control();
  if (control.holders().empty()) return;
  numbers_.sample(time, state);
  Stretch stretch{control.held(), numbers_.held(), {}, {}, {}, {}, {}, {}};
  int last = -1;
  std::vector<char> rests;  // of controllers: those with a clock that do not sample now
  for (std::size_t k = 0; k < control.holders().size(); ++k) {
    const ControlLoop::Holder& holder = control.holders()[k];
    stretch.given_out.push_back(holder.held->given_out()), stretch.taken.push_back(holder.held->taken());
    const std::int64_t before = stretches_.empty() ? 0 : stretches_.back().taken[k];
    const bool sampled = stretch.taken.back() > before;
    rests.resize(static_cast<std::size_t>(holder.controller) + 1, 0);
    rests.back() = sampled ? 0 : 1;
    if (sampled) last = holder.controller;
  }
  if (last >= 0) {
    stretch.q = state.q, stretch.v = state.v;
    normalize<double>(system_.model(), stretch.q);
    stretch.laws.resize(static_cast<std::size_t>(last) + 1);
    const ControlLoop::Instant at{time, stretch.q, stretch.v, state.auxiliary};
    for (const ControlLoop::Holder& holder : control.holders()) stretch.gets.push_back(control.gets(at, holder));
    for (std::size_t k = 0; k < stretch.laws.size(); ++k) {
      if (rests[k] == 0) control.law_slopes(at, static_cast<int>(k), stretch.laws[k]);
    }
  }
  stretches_.push_back(std::move(stretch));
}

void AdjointSamples::go_back_into(std::size_t stretch) {
  if (stretches_.empty()) return;
  in_ = stretch;
  system_.control().hold(stretches_[in_].held);
  numbers_.hold(stretches_[in_].of_copies);
}

VectorXd& AdjointSamples::worth_of(std::size_t holder, std::int64_t sample) {
  VectorXd& worth = worths_[{holder, sample}];
  if (worth.size() == 0) {
    worth.setZero(static_cast<Eigen::Index>(system_.control().holders()[holder].held->inputs().size()));
  }
  return worth;
}

void AdjointSamples::add(VectorInT<double> worth) {
  const auto& holders = system_.control().holders();
  for (std::size_t k = 0; k < holders.size(); ++k) {
    const std::int64_t sample = stretches_[in_].given_out[k];
    if (sample == 0) continue;  // nothing is held before the first
    VectorXd& of_sample = worth_of(k, sample);
    of_sample += worth.segment(holders[k].first, of_sample.size());
  }
}

void AdjointSamples::go_back_over_memory(std::size_t holder, const LawSlopes& law, const VectorXd& by_output,
                                         Worth& worth) {
  VectorXd& by_memory = memory_worths_[holder];
  if (by_memory.size() == 0) by_memory.setZero(law.memory_by_memory.rows());
  worth.by_q += law.memory_by_q.transpose() * by_memory, worth.by_v += law.memory_by_v.transpose() * by_memory;
  worth.by_signals += law.memory_by_u.transpose() * by_memory;
  if (law.memory_by_state.size() > 0) worth.by_states += law.memory_by_state.transpose() * by_memory;
  by_memory = (law.by_memory.transpose() * by_output + law.memory_by_memory.transpose() * by_memory).eval();
}

std::optional<AdjointSamples::Worth> AdjointSamples::go_back_over(std::size_t stretch) {
  if (stretches_.empty() || stretches_[stretch].laws.empty()) return std::nullopt;
  const Stretch& at = stretches_[stretch];
  const auto& holders = system_.control().holders();
  const int nu = system_.model().nu(), nv = system_.model().nv();
  Worth worth{at.q,
              at.v,
              VectorXd::Zero(nv),
              VectorXd::Zero(nv),
              VectorXd::Zero(nu),
              VectorXd::Zero(system_.layout().without_works().size())};
  std::size_t holder = holders.size();
  // from the last controller to the first: by_signals is what the inputs that each leaves are worth to those after it
  for (std::size_t controller = at.laws.size(); controller-- > 0;) {
    const LawSlopes& law = at.laws[controller];
    while (holder > 0 && holders[holder - 1].controller > static_cast<int>(controller)) --holder;
    const bool holds = holder > 0 && holders[holder - 1].controller == static_cast<int>(controller);
    VectorXd by_output = worth.by_signals;  // of a law that is asked at every instant
    if (holds) {
      const std::size_t k = holder - 1;
      const std::vector<int>& inputs = holders[k].held->inputs();
      // those after it have seen what it holds now, which may be of an earlier sample
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        double& seen = worth.by_signals[inputs[i]];
        if (at.gets[k][i] == HeldOutputs::Gets::held && at.given_out[k] > 0 && seen != 0.0) {
          worth_of(k, at.given_out[k])[static_cast<Eigen::Index>(i)] += seen;
        }
        if (at.gets[k][i] == HeldOutputs::Gets::what_is_left) seen = 0.0;
      }
      const bool sampled = at.taken[k] > (stretch == 0 ? 0 : stretches_[stretch - 1].taken[k]);
      if (!sampled) continue;
      const VectorXd& own = worth_of(k, at.taken[k]);
      by_output.setZero();
      for (std::size_t i = 0; i < inputs.size(); ++i) by_output[inputs[i]] = own[static_cast<Eigen::Index>(i)];
      if (holders[k].held->memory_count() > 0) go_back_over_memory(k, law, own, worth);
      worths_.erase({k, at.taken[k]});
    }
    worth.by_q += law.by_q.transpose() * by_output, worth.by_v += law.by_v.transpose() * by_output;
    worth.by_signals += law.by_u.transpose() * by_output;
    if (law.by_state.size() > 0) worth.by_states += law.by_state.transpose() * by_output;
  }
  return worth;
}

}  // namespace cuttle
