#include "cuttle/view/figure_recorder.h"

#include <algorithm>

#include "cuttle/simulation/recorded_quantities.h"

namespace cuttle {
namespace {

constexpr std::size_t k_least = 256;            // samples
constexpr std::size_t k_bytes = 32 << 20;       // of all that are kept
constexpr std::size_t k_bytes_of_others = 512;  // of a sample, beside its configuration

}  // namespace

void FigureRecorder::begin(const Model& model, const Scenario&) {
  const auto bytes = k_bytes_of_others + sizeof(double) * static_cast<std::size_t>(model.nq());
  *this = FigureRecorder();
  most_ = std::clamp(k_bytes / bytes, k_least, k_most);
}

void FigureRecorder::record(const Sample& sample) {
  account_.add(sample, balance_);
  last_ = {};
  last_.q = sample.q;
  if (!sample.tips.empty()) last_.tips = {sample.tips.back()};
  for (const RecordedQuantity& quantity : recorded_quantities()) {
    if (quantity.sort != RecordedQuantity::Sort::other) quantity.number(last_) = quantity.number(sample);
  }
  if (count_++ % stride_ != 0) return;
  kept_.push_back(last_);
  if (kept_.size() < most_) return;
  for (std::size_t i = 0; 2 * i < kept_.size(); ++i) std::swap(kept_[i], kept_[2 * i]);
  kept_.resize((kept_.size() + 1) / 2);
  stride_ *= 2;
}

std::vector<Sample> FigureRecorder::samples() const {
  std::vector<Sample> all = kept_;
  if (!all.empty() && all.back().time < last_.time) all.push_back(last_);
  return all;
}

}  // namespace cuttle
