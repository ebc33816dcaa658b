#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/bodies/body.h"
#include "cuttle/testing/body_contract/options.h"

namespace CUTTLE_API cuttle {

/// What check_body_contract found: nothing, if the body keeps the contract.
struct BodyContractReport {
  std::vector<std::string> violations;  ///< each says where, what was found, what was expected

  bool ok() const { return violations.empty(); }
  /// Empty if ok; else the violations, the first twenty of them.
  std::string text() const {
    std::string lines;
    for (std::size_t i = 0; i < violations.size() && i < 20; ++i) lines += violations[i] + "\n";
    if (violations.size() > 20) lines += "and " + std::to_string(violations.size() - 20) + " more\n";
    return lines;
  }
};
inline std::ostream& operator<<(std::ostream& out, const BodyContractReport& report) {
  return out << (report.ok() ? "keeps the contract of a body\n" : report.text());
}

/// Checks everything that a body promises (cuttle/bodies/body.h) from outside, at random states of a fixed seed,
/// against differences of what the body itself says about poses, energies and momenta. For any class derived from Body,
/// in any test framework. With GoogleTest:
/// @code
/// TEST(MyBodyTest, KeepsTheContract) { EXPECT_EQ(cuttle::check_body_contract(MyBody(..)).text(), ""); }
/// @endcode
/// An exception of the body is a violation too. The pieces, for tests of one's own, are in body_contract/.
BodyContractReport check_body_contract(const Body& body, const BodyContractOptions& options = {});
/// The same with another tolerance wherever a derivative is compared with differences (BodyContractOptions).
inline BodyContractReport check_body_contract(const Body& body, double tolerance) {
  BodyContractOptions options;
  options.tolerance = tolerance;
  return check_body_contract(body, options);
}

}  // namespace cuttle
