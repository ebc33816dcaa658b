#include "cuttle/testing/body_contract.h"

#include <cmath>
#include <exception>
#include <limits>
#include <string>
#include <vector>

#include "cuttle/bodies/quadrature.h"
#include "cuttle/bodies/slender.h"
#include "cuttle/spatial/eigen.h"
#include "cuttle/testing/body_contract/consistency.h"
#include "cuttle/testing/body_contract/dynamics.h"
#include "cuttle/testing/body_contract/elasticity.h"
#include "cuttle/testing/body_contract/elimination.h"
#include "cuttle/testing/body_contract/evaluation.h"
#include "cuttle/testing/body_contract/findings.h"
#include "cuttle/testing/body_contract/kinematics.h"
#include "cuttle/testing/body_contract/state.h"
#include "cuttle/testing/body_contract/tangent.h"

namespace cuttle {

namespace contract {
namespace {

/// @return whether the rest can be checked at all.
bool check_description(Findings& findings, const Body& body) {
  findings.expect(!body.type_name().empty(), "type_name: found an empty name");
  const auto info = body.coordinates();
  const bool ok = findings.expect(body.port_count() >= 1, "port_count: found " + std::to_string(body.port_count()) +
                                                              ", expected 1 or more: port 0 is the tip") &&
                  findings.expect(static_cast<int>(info.size()) == body.coordinate_count(),
                                  "coordinates: found " + std::to_string(info.size()) +
                                      ", expected coordinate_count = " + std::to_string(body.coordinate_count()));
  for (std::size_t i = 0; i < info.size(); ++i) {
    findings.expect(!info[i].name.empty(), "coordinates[" + std::to_string(i) + "]: found an empty name");
    findings.expect(!info[i].unit.empty(), "coordinate " + info[i].name + ": found no unit, expected one, as rad or m");
    for (std::size_t j = 0; j < i; ++j) {
      findings.expect(info[i].name != info[j].name, "coordinates: found two of the name '" + info[i].name + "'");
    }
  }
  return ok;
}

/// What others ask while a robot is put together or drawn: whether the answers fit together.
void check_answers(Findings& findings, const Body& body, const State<double>& state) {
  const BodySurface surface = body.surface();
  findings.expect(surface.empty() || body.has_material_points(),
                  "surface: found faces of a body without material points");
  const int points = static_cast<int>(surface.points.size());
  for (const BodySurface::Face& face : surface.faces) {
    for (int k = 0; k < 4; ++k) {
      const bool known = face[k] < points && (face[k] >= 0 || (k == 3 && face[k] == -1));
      findings.expect(known, "surface: found corner " + std::to_string(face[k]) +
                                 " of a face, expected the index of one of " + std::to_string(points) + " points");
    }
  }
  if (const auto at = body.part<Quadrature>(); at && body.has_energy_density()) {
    std::vector<double> density(at->points.size());
    body.energy_density(state.q.data(), at->points.data(), density.size(), density.data());
    double sum = 0.0, size = 0.0;
    for (std::size_t i = 0; i < density.size(); ++i) {
      sum += at->weights[i] * density[i], size += std::abs(at->weights[i] * density[i]);
    }
    findings.near(sum, body.elastic_energy(state.q.data()), 1e-10 * size, "elastic energy against its density");
  }
  const SlenderT<double>* line = body.slender();
  if (line == nullptr) return;
  findings.expect(line->length() > 0.0,
                  "slender: found length " + std::to_string(line->length()) + ", expected > 0 [m]");
  findings.expect(line->quadrature_points() >= 1, "slender: found no points of quadrature, expected 1 or more");
  for (const Body::Station& station : body.stations()) {
    findings.expect(station.s >= 0.0 && station.s <= line->length(),
                    "stations: found one at " + std::to_string(station.s) + ", expected 0 <= s <= length [m]");
  }
}

/// What the body throws is a finding, at the place where it throws.
template <typename Check>
void guarded(Findings& findings, const Check& check) {
  try {
    check();
  } catch (const std::exception& error) {
    findings.expect(false, std::string("threw \"") + error.what() + "\"");
  }
}

void check_everything(Findings& findings, const Body& body, const BodyContractOptions& options) {
  if (!check_description(findings, body)) return;
  if (!findings.expect(
          options.coordinates.empty() || static_cast<int>(options.coordinates.size()) == body.coordinate_count(),
          "options: coordinates: found " + std::to_string(options.coordinates.size()) + " sizes, expected " +
              std::to_string(body.coordinate_count()))) {
    return;
  }
  Numbers numbers(options.seed);
  State<double> zero;
  zero.q = zero.v = zero.a = Vector<double>::Zero(body.coordinate_count());
  const Matrix<double> rest = to_eigen(ArticulatedInertia::from(body.rest_inertia()));
  findings.near(evaluate(body, zero).whole().topLeftCorner(6, 6).eval(), rest,
                100 * std::numeric_limits<double>::epsilon(), size_of(rest), "rest inertia");

  for (int sample = 0; sample < options.samples; ++sample) {
    const Findings::Place place(findings, "sample " + std::to_string(sample));
    const State<double> state = random_state(body, options, numbers), other = random_state(body, options, numbers);
    guarded(findings, [&] {
      check_exact_motions(findings, body, state, options);
      check_blocks(findings, body, state, numbers);
      check_lagrange(findings, body, state, options);
      check_elasticity(findings, body, state, options, numbers);
      check_answers(findings, body, state);
      check_own_tangent(findings, body, state, options, numbers);
      check_elimination(findings, body, state, numbers, true);
      check_elimination(findings, body, state, numbers, false);
      check_no_memory(findings, body, state, other, numbers);
      check_same_in_long_double(findings, body, state, numbers);
    });
  }
}

}  // namespace
}  // namespace contract

BodyContractReport check_body_contract(const Body& body, const BodyContractOptions& options) {
  contract::Findings findings;
  BodyContractReport report;
  {
    const contract::Findings::Place place(findings, body.type_name() + ", seed " + std::to_string(options.seed));
    contract::guarded(findings, [&] { contract::check_everything(findings, body, options); });
  }
  report.violations = findings.texts();
  return report;
}

}  // namespace cuttle
