#pragma once

#include <gtest/gtest.h>

#include <string>

#include "cuttle/testing/body_contract.h"
#include "cuttle/testing/body_contract/consistency.h"
#include "cuttle/testing/body_contract/differences.h"
#include "cuttle/testing/body_contract/evaluation.h"
#include "cuttle/testing/body_contract/findings.h"
#include "cuttle/testing/body_contract/state.h"

namespace cuttle::test {

/// The installed suite as a GoogleTest expectation.
inline void expect_body_contract(const Body& body, const std::string& name, const BodyContractOptions& options = {}) {
  const BodyContractReport report = check_body_contract(body, options);
  EXPECT_TRUE(report.ok()) << name << ":\n" << report;
}

}  // namespace cuttle::test
