#pragma once

#include <type_traits>
#include <utility>

#include "cuttle/api.h"
#include "cuttle/bodies/volume_kinematics.h"

namespace CUTTLE_API cuttle {

/// What kinematics with parameters of type P compute at blocks of points; one table for each instruction set. Each
/// function returns the first block at which f is not defined, `blocks` if there is none.
template <typename S, typename P>
struct KinematicsKernelsT {
  std::size_t (*scratch_size)(const P&);
  std::size_t (*move)(const P&, const PointRequestT<S>&, const S* x, std::size_t blocks, const PointMotionsT<S>&,
                      void* scratch);
  std::size_t (*gradients)(const P&, const S* q, const S* direction, const S* x, std::size_t blocks,
                           const GradientResultsT<S>&, const GradientUse&, void* scratch);
  /// Null where the scalar has none: those that are derivatives themselves, and long double.
  std::size_t (*second_slopes_scratch_size)(const P&);
  std::size_t (*second_slopes)(const P&, const S* q, const S* v, const S* a, const S* x, std::size_t blocks,
                               const SecondSlopesT<S>&, const GradientUse&, void* scratch);
  /// Why f is not defined at one point; empty if it is.
  std::string (*fault)(const P&, const S* q, const Vector3T<S>& x, void* scratch);
};

/// Kinematics given by a class template Sweep<S, T> that evaluates f at one point x, or at the points of a pack, for
/// any scalar T over the parameters' scalar S: kinematics_kernels_impl.h says what a Sweep is. A derived class checks
/// its parameters and names its coordinates.
/// @tparam DerivedT   the derived class template, of the scalar; made from parameters.
/// @tparam ParametersT  has `cast<T>()`.
template <template <typename> class DerivedT, template <typename> class ParametersT, typename S>
class SweptKinematicsT : public VolumeKinematicsT<S> {
 public:
  using Parameters = ParametersT<S>;
  using Kernels = KinematicsKernelsT<S, Parameters>;

  const Parameters& parameters() const { return parameters_; }
  const Kernels& kernels() const { return *kernels_; }

  /// The parameters.
  std::shared_ptr<const void> find_part(const std::type_info& type) const final {
    return type == typeid(Parameters) ? std::make_shared<const Parameters>(parameters_) : nullptr;
  }
  std::size_t scratch_size() const final { return kernels_->scratch_size(parameters_); }
  void move(const PointRequestT<S>& request, const S* x, std::size_t blocks, const PointMotionsT<S>& motions,
            void* scratch) const final {
    check(kernels_->move(parameters_, request, x, blocks, motions, scratch), blocks, request.q, x, scratch);
  }
  void gradients(const S* q, const S* direction, const S* x, std::size_t blocks, const GradientResultsT<S>& results,
                 const GradientUse& use, void* scratch) const final {
    check(kernels_->gradients(parameters_, q, direction, x, blocks, results, use, scratch), blocks, q, x, scratch);
  }

  bool has_second_slopes() const final { return kernels_->second_slopes != nullptr; }
  std::size_t second_slopes_scratch_size() const final { return kernels_->second_slopes_scratch_size(parameters_); }
  void second_slopes(const S* q, const S* v, const S* a, const S* x, std::size_t blocks,
                     const SecondSlopesT<S>& results, const GradientUse& use, void* scratch) const final {
    check(kernels_->second_slopes(parameters_, q, v, a, x, blocks, results, use, scratch), blocks, q, x, scratch);
  }

  std::shared_ptr<const VolumeKinematicsT<double>> clone_as(ScalarTag<double>) const final { return cast<double>(); }
  std::shared_ptr<const VolumeKinematicsT<long double>> clone_as(ScalarTag<long double>) const final {
    return cast<long double>();
  }
  std::shared_ptr<const VolumeKinematicsT<ForwardDual>> clone_as(ScalarTag<ForwardDual>) const final {
    return cast<ForwardDual>();
  }

 protected:
  SweptKinematicsT(Parameters parameters, const Kernels& kernels)
      : parameters_(std::move(parameters)), kernels_(&kernels) {}

 private:
  template <typename T>
  std::shared_ptr<const VolumeKinematicsT<T>> cast() const {
    return std::make_shared<const DerivedT<T>>(parameters_.template cast<T>());
  }
  void check(std::size_t faulty, std::size_t blocks, const S* q, const S* x, void* scratch) const;

  Parameters parameters_;
  const Kernels* kernels_;
};

/// Throws about a block in which f is not defined at some point. @throws ConfigurationError
template <typename S>
CUTTLE_API [[noreturn]] void refuse_point(const std::string& fault, const Vector3T<S>& x, const S* q,
                                          std::size_t coordinates);

template <template <typename> class DerivedT, template <typename> class ParametersT, typename S>
void SweptKinematicsT<DerivedT, ParametersT, S>::check(std::size_t faulty, std::size_t blocks, const S* q, const S* x,
                                                       void* scratch) const {
  if constexpr (std::is_floating_point_v<S>) {  // a derivative must not throw for all
    if (faulty == blocks) return;
    for (int lane = 0; lane < k_point_lanes<S>; ++lane) {
      const Vector3T<S> at = lane_vector(x + faulty * k_vector_block<S>, lane);
      const std::string fault = kernels_->fault(parameters_, q, at, scratch);
      if (!fault.empty()) refuse_point(fault, at, q, this->coordinates().size());
    }
  }
}

}  // namespace cuttle
