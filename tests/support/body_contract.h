#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cuttle/testing/body_contract.h"
#include "cuttle/testing/body_contract/consistency.h"
#include "cuttle/testing/body_contract/differences.h"
#include "cuttle/testing/body_contract/evaluation.h"
#include "cuttle/testing/body_contract/findings.h"
#include "cuttle/testing/body_contract/state.h"

namespace cuttle::test {

/// The installed suite as a GoogleTest expectation. It takes bodies without a dissipation; those of the library have
/// one as soon as they have any damping.
inline void expect_body_contract(const Body& body, const std::string& name, const BodyContractOptions& options = {}) {
  const int n = body.coordinate_count();
  const std::vector<double> rest(n, 0.0);
  std::vector<double> damping(n * n);
  body.damping_matrix(rest.data(), rest.data(), damping.data());
  const bool damped = std::any_of(damping.begin(), damping.end(), [](double d) { return d != 0.0; });
  EXPECT_TRUE(body.has_dissipation() || !damped) << name;
  const BodyContractReport report = check_body_contract(body, options);
  EXPECT_TRUE(report.ok()) << name << ":\n" << report;
}

}  // namespace cuttle::test
