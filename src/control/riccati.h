#pragma once

#include "cuttle/model/model.h"

namespace cuttle {

/// The stabilizing solution X of the algebraic Riccati equation A^T X + X A - X G X + H = 0, G and H symmetric and
/// positive semidefinite: that with all eigenvalues of A - G X in the open left half plane.
///
/// By structure-preserving doubling (Chu, Fan and Lin 2005): the Hamiltonian matrix [A, -G; -H, -A^T] goes by a Cayley
/// transform, whose shift is the geometric mean of its least and largest eigenvalues, into a symplectic pencil, which
/// is squared until its part outside of the unit circle has gone. Convergence is quadratic.
/// @throws ArgumentError `found .., expected ..` if there is no such solution: a mode that does not decay and cannot be
/// controlled, or is not weighted.
MatrixXd solve_riccati(const MatrixXd& A, const MatrixXd& G, const MatrixXd& H);

}  // namespace cuttle
