#pragma once

#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/model/data.h"

namespace CUTTLE_API cuttle {

/// The model with derivatives by up to eight parameters (Model::parameters): whatever an algorithm returns for it has
/// the derivative along the k-th path in `derivative[k]`. Build it once and use it for many states.
/// @code
/// const ModelT<ForwardDual> variable = differentiate(model, {"gravity[2]", "links.arm.body.length"});
/// DataT<ForwardDual> data(variable);
/// const VectorXT<ForwardDual> at = q.cast<ForwardDual>();
/// const ForwardDual energy = gravity_energy(variable, data, at);  // energy.derivative[1]: by the arm's length [J/m]
/// @endcode
/// @throws ArgumentError for an unknown path or more than k_forward_width of them; ModelError for a robot with a part
/// without text (parameter_source).
ModelT<ForwardDual> differentiate(const Model& model, const std::vector<std::string>& paths);
/// The same along directions of several parameters each. @throws as `differentiate`.
ModelT<ForwardDual> differentiate_along(const Model& model, const std::vector<ParameterDirection>& directions);

/// Derivatives of M(q) a + c(q, v) + g(q) + s(q, v) by parameters, at fixed q, v, a: exact, by the differentiation
/// type.
/// @param paths  any number of them; every eight take one reading of the robot and one evaluation with ForwardDual.
/// @return nv x paths: column k is d tau / d paths[k], in units of the force per unit of the parameter.
/// @throws ArgumentError as above, or if a size is wrong or a value is not finite.
/// @code
/// const std::vector<std::string> paths{"materials.silicone.young_modulus", "links.tool.body.mass"};
/// const MatrixXd regressor = inverse_dynamics_gradient(model, paths, q, v, a);
/// @endcode
MatrixXd inverse_dynamics_gradient(const Model& model, const std::vector<std::string>& paths, VectorInT<double> q,
                                   VectorInT<double> v, VectorInT<double> a);

/// Derivatives of the acceleration of `forward_dynamics` by parameters, at fixed q, v, tau.
/// @throws ArgumentError as above; SingularMassError names the link whose coordinates move no mass.
MatrixXd forward_dynamics_gradient(const Model& model, const std::vector<std::string>& paths, VectorInT<double> q,
                                   VectorInT<double> v, VectorInT<double> tau);

}  // namespace cuttle
