#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/model/transmission.h"

namespace CUTTLE_API cuttle {

/// y = matrix^T q of some links: inputs NAME.0, NAME.1, ..
template <typename S>
class LinearTransmissionT final : public CastTransmission<LinearTransmissionT, S> {
 public:
  LinearTransmissionT(std::vector<std::string> links, std::vector<std::vector<S>> rows)
      : matrix(std::move(rows)), links_(std::move(links)) {}

  std::string type_name() const override { return "linear"; }
  std::vector<std::string> inputs() const override;
  std::vector<std::string> links() const override { return links_; }
  void check() const override;
  void bind(TransmissionBinderT<S>& to) const override;
  template <typename T>
  LinearTransmissionT<T> cast() const {
    std::vector<std::vector<T>> other;
    for (const auto& row : matrix) {
      other.emplace_back();
      for (const S& x : row) other.back().push_back(scalar_cast<T>(x));
    }
    return {links_, std::move(other)};
  }

  std::vector<std::vector<S>> matrix;  ///< rows: coordinates of the links, in order; one column an input

 private:
  std::vector<std::string> links_;
};
using LinearTransmission = LinearTransmissionT<double>;

}  // namespace cuttle
