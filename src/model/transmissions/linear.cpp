#include "cuttle/model/transmissions/linear.h"

#include "cuttle/error.h"
#include "cuttle/model/transmission_binder.h"
#include "model/check_numbers.h"
#include "model/transmissions/link_coordinates.h"

namespace cuttle {

template <typename S>
std::vector<std::string> LinearTransmissionT<S>::inputs() const {
  std::vector<std::string> names;
  const std::size_t columns = matrix.empty() ? 0 : matrix.front().size();
  for (std::size_t i = 0; i < columns; ++i) names.push_back(std::to_string(i));
  return names;
}

template <typename S>
void LinearTransmissionT<S>::check() const {
  for (const auto& row : matrix) {
    for (const S& value : row) check_number("matrix", value);
  }
}

template <typename S>
void LinearTransmissionT<S>::bind(TransmissionBinderT<S>& to) const {
  std::vector<int> rows;
  for (const std::string& name : links_) {
    const LinkInfoT<S>& info = *to.link(name).info;
    require_vector_space(info);
    for (int k = 0; k < info.nv; ++k) rows.push_back(info.v + k);
  }
  if (matrix.size() != rows.size()) {
    throw ModelError("matrix", std::to_string(matrix.size()) + " rows",
                     std::to_string(rows.size()) + " (coordinates of its links)");
  }
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (matrix[r].size() == matrix[0].size()) continue;
    throw ModelError({"matrix", r}, std::to_string(matrix[r].size()) + " numbers", std::to_string(matrix[0].size()));
  }
  for (std::size_t column = 0; !rows.empty() && column < matrix[0].size(); ++column) {
    VectorXT<S>& values = to.add_linear("1", S(0.0));
    for (std::size_t r = 0; r < rows.size(); ++r) values[rows[r]] += matrix[r][column];  // a link may be named twice
  }
}

template <typename S>
ActuatorT<S> ActuatorT<S>::linear(std::string name, std::vector<std::string> links,
                                  std::vector<std::vector<S>> matrix) {
  return {std::move(name), std::make_shared<const LinearTransmissionT<S>>(std::move(links), std::move(matrix))};
}

// NOLINTBEGIN(bugprone-macro-parentheses): a type cannot stand in parentheses
#define CUTTLE_INSTANTIATE(S)            \
  template class LinearTransmissionT<S>; \
  template ActuatorT<S> ActuatorT<S>::linear(std::string, std::vector<std::string>, std::vector<std::vector<S>>);
// NOLINTEND(bugprone-macro-parentheses)
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
