#include "cuttle/error.h"

#include <utility>

namespace cuttle {

Error::Error(Diagnostic diagnostic)
    : std::runtime_error(""), diagnostic_(std::make_shared<const Diagnostic>(std::move(diagnostic))) {}

const char* Error::what() const noexcept { return diagnostic_->text().c_str(); }

void Error::place_in(const KeyPath& place, const std::string& name) {
  Diagnostic placed = *diagnostic_;
  placed.place_in(place, name);
  diagnostic_ = std::make_shared<const Diagnostic>(std::move(placed));
}

Error::~Error() = default;
ArgumentError::~ArgumentError() = default;
ModelError::~ModelError() = default;
ConfigurationError::~ConfigurationError() = default;
SingularMassError::~SingularMassError() = default;
OverflowError::~OverflowError() = default;
FileError::~FileError() = default;
SimulationError::~SimulationError() = default;

}  // namespace cuttle
