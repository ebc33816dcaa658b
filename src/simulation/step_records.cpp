// Steps of implicit methods in little memory: solutions are kept, and what follows from them is made again.
#include "simulation/step_records.h"

#include <utility>

namespace cuttle {
namespace {

void put(const VectorXd& x, std::vector<double>& numbers) { numbers.insert(numbers.end(), x.begin(), x.end()); }

/// Reads what put() and push_back() wrote.
class Reader {
 public:
  explicit Reader(const std::vector<double>& numbers) : at_(numbers.data()) {}
  double number() { return *at_++; }
  VectorXd vector(Eigen::Index size) {
    VectorXd found = Eigen::Map<const VectorXd>(at_, size);
    at_ += size;
    return found;
  }

 private:
  const double* at_;
};

bool alike(const VectorXd& a, const VectorXd& b) { return a.size() == b.size() && a == b; }

bool alike(const StepMap& a, const StepMap& b) {
  return a.scale == b.scale && a.rate == b.rate && a.second == b.second && alike(a.rate_offset, b.rate_offset) &&
         alike(a.second_offset, b.second_offset);
}

}  // namespace

StepRecords::StepRecords(const Model& model, const ImplicitScheme& scheme)
    : model_(model), scheme_(scheme), coordinates_(model) {
  open_.reserve(k_block);
}

void StepRecords::push(StepRecord record) {
  if (open_.size() == k_block) close();
  open_.push_back({std::move(record), {}, {}, {}});
}

void StepRecords::push(StepRecord record, const StepRates& before) {
  if (open_.size() == k_block) close();
  open_.push_back({std::move(record), before.w, before.w_rate, before.A});
}

void StepRecords::pop() {
  open_.pop_back();
  if (open_.empty() && !closed_.empty()) open();
}

void StepRecords::end_of(const Kept& step, Kept& next) const {
  const StepRecord& record = step.record;
  const StepMap& map = record.map;
  const VectorXd& x = record.x;
  next.record.q.resize(model_.nq());
  next.w_rate = map.second * x + map.second_offset;
  if (scheme_.midpoint) {
    coordinates_.configuration_at(record.q, x, next.record.q);
    next.w = (2.0 / record.h) * x - step.w;
    next.A = next.w_rate;
    return;
  }
  coordinates_.configuration_at(record.q, VectorXd(map.scale * x), next.record.q);
  next.w = map.rate * x + map.rate_offset;
  StepMap::next_acceleration(scheme_, record.h, x, step.w, step.A, next.A);
}

void StepRecords::close() {
  Block block;
  block.forms.reserve(open_.size());
  std::vector<double> numbers;
  Kept found;
  StepMap map;
  for (std::size_t i = 0; i < open_.size(); ++i) {
    Kept& kept = open_[i];
    StepRecord& record = kept.record;
    const bool is_step = record.kind == StepRecord::Kind::step;
    if (is_step) map.set(scheme_, record.h, kept.w, kept.w_rate, kept.A);
    if (!is_step || !alike(map, record.map)) {
      block.forms.push_back(is_whole);
      block.whole.push_back(record);
      continue;
    }
    unsigned form = has_q | has_rates;
    if (i > 0 && block.forms.back() != is_whole) {
      end_of(open_[i - 1], found);
      if (alike(found.record.q, record.q)) form &= ~unsigned{has_q};
      if (alike(found.w, kept.w) && alike(found.w_rate, kept.w_rate) && alike(found.A, kept.A)) {
        form &= ~unsigned{has_rates};
      }
    }
    block.forms.push_back(static_cast<std::uint8_t>(form));
    if ((form & has_q) != 0) put(record.q, numbers);
    if ((form & has_rates) != 0) put(kept.w, numbers), put(kept.w_rate, numbers), put(kept.A, numbers);
    for (const double number :
         {record.time, record.h, record.state_factor, record.state_memory, record.state_beyond, record.energy,
          static_cast<double>(record.lambda.size()), static_cast<double>(record.states.size())}) {
      numbers.push_back(number);
    }
    if (scheme_.conserves_energy) numbers.push_back(static_cast<double>(record.end_states.size()));
    put(record.lambda, numbers), put(record.states, numbers), put(record.end_states, numbers), put(record.x, numbers);
  }
  block.numbers.assign(numbers.begin(), numbers.end());  // of its size: what grew has room to spare
  closed_size_ += open_.size(), numbers_kept_ += numbers.size();
  open_.clear();
  closed_.push_back(std::move(block));
}

void StepRecords::open() {
  Block& block = closed_.back();
  Reader reader(block.numbers);
  const int nv = model_.nv();
  std::size_t whole = 0;
  for (const std::uint8_t form : block.forms) {
    Kept kept;
    StepRecord& record = kept.record;
    if (form == is_whole) {
      record = std::move(block.whole[whole++]);
      open_.push_back(std::move(kept));
      continue;
    }
    if (form != (has_q | has_rates)) end_of(open_.back(), kept);
    if ((form & has_q) != 0) record.q = reader.vector(model_.nq());
    if ((form & has_rates) != 0) {
      kept.w = reader.vector(nv), kept.w_rate = reader.vector(nv), kept.A = reader.vector(nv);
    }
    record.kind = StepRecord::Kind::step, record.goes_on = true;
    record.time = reader.number(), record.h = reader.number();
    record.state_factor = reader.number(), record.state_memory = reader.number();
    record.state_beyond = reader.number(), record.energy = reader.number();
    const auto multipliers = static_cast<Eigen::Index>(reader.number());
    const auto states = static_cast<Eigen::Index>(reader.number());
    const auto end_states = scheme_.conserves_energy ? static_cast<Eigen::Index>(reader.number()) : 0;
    record.lambda = reader.vector(multipliers), record.states = reader.vector(states);
    record.end_states = reader.vector(end_states);
    record.x = reader.vector(nv);
    record.map.set(scheme_, record.h, kept.w, kept.w_rate, kept.A);
    open_.push_back(std::move(kept));
  }
  closed_size_ -= block.forms.size(), numbers_kept_ -= block.numbers.size();
  closed_.pop_back();
}

}  // namespace cuttle
