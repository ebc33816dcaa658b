#pragma once

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

#include "bodies/volume/kinematics_kernels_impl.h"
#include "cuttle/bodies/neural_kinematics.h"

namespace cuttle {

/// An activation and its first two derivatives.
template <typename T>
struct ActivationJet {
  T value, first, second;

  CUTTLE_INLINE ActivationJet(Activation activation, const T& z) : value(z), first(1.0), second(0.0) {
    using std::exp;
    using std::expm1;
    using std::tanh;
    const T zero(0.0), one(1.0);
    const auto right = z > zero;
    switch (activation) {
      case Activation::tanh:
        value = tanh(z);
        first = one - value * value;
        second = T(-2.0) * value * first;
        break;
      case Activation::elu: {
        const T left = select(right, zero, z);
        value = select(right, z, expm1(left));
        second = select(right, zero, exp(left));
        first = select(right, one, second);
        break;
      }
      case Activation::relu:
        value = select(right, z, zero);
        first = select(right, one, zero);
        break;
      case Activation::sine:
        sincos(z, value, first);
        second = -value;
        break;
      case Activation::identity:
        break;
    }
  }
};

/// f = x + w N([x / scale; q]). What a layer passes on lies in columns of as many numbers as it has outputs: the
/// values; their slopes in q_j; their slopes in x_c; those in x_c and q_j; and along v twice.
template <typename S, typename T>
class NeuralSweep {
  using P = RestT<S, T>;

 public:
  static int coordinate_count(const NeuralParametersT<S>& parameters) {
    return static_cast<int>(parameters.layers.front().inputs()) - 3;
  }
  NeuralSweep(const NeuralParametersT<S>& parameters, const T* q, const T* v, ScratchPieces& pieces)
      : parameters_(parameters), v_(v), n_(coordinate_count(parameters)) {
    const NeuralLayerT<S>& first = parameters.layers.front();
    std::size_t widest = 0;
    for (const NeuralLayerT<S>& layer : parameters.layers) widest = std::max(widest, layer.outputs());
    of_q_ = pieces.take<T>(first.outputs());
    for (T*& columns : columns_) columns = pieces.take<T>(widest * column_count());
    if (q == nullptr) return;
    const std::size_t inputs = first.inputs();
    for (std::size_t i = 0; i < first.outputs(); ++i) {
      of_q_[i] = T(first.bias[i]);
      for (std::size_t j = 0; j < n_; ++j) of_q_[i] += T(first.weight[i * inputs + 3 + j]) * q[j];
    }
  }

  MaskT<T> carry(const Vector3T<P>& x, const CarriedPoint<T>& point) {
    const Request request{point.slopes != nullptr, point.F != nullptr, point.F_slopes != nullptr,
                          point.curvature != nullptr, std::min(n_, point.slope_count)};
    enter(x, request);
    T* from = columns_[0];
    T* to = columns_[1];
    for (std::size_t l = 0; l < parameters_.layers.size(); ++l) {
      if (l > 0) {
        multiply(parameters_.layers[l], from, to, request);
        std::swap(from, to);
      }
      activate(parameters_.layers[l], from, request);
    }
    const P one(1.0), zero(0.0), inverse_length(S(1.0) / parameters_.length);
    const T w(parameters_.linear_weight ? inverse_length * x.z : one);
    const T w_slope(parameters_.linear_weight ? inverse_length : zero);  // in x3
    const auto output = [&](std::size_t column) {
      return Vector3T<T>{from[column * 3], from[column * 3 + 1], from[column * 3 + 2]};
    };
    const Vector3T<T> value = output(0);
    *point.value = Vector3T<T>{T(x.x), T(x.y), T(x.z)} + w * value;
    for (std::size_t j = 0; request.q && j < request.count; ++j) point.slopes[j] = w * output(of_q(j));
    if (request.vv) *point.curvature = w * output(of_vv());
    if (!request.x) return T(0.0) < T(1.0);
    *point.F = Matrix3T<T>::identity() + Matrix3T<T>::from_columns(w * output(of_x(0)), w * output(of_x(1)),
                                                                   w * output(of_x(2)) + w_slope * value);
    for (std::size_t j = 0; request.xq && j < request.count; ++j) {
      point.F_slopes[j] = Matrix3T<T>::from_columns(w * output(of_xq(0, j)), w * output(of_xq(1, j)),
                                                    w * output(of_xq(2, j)) + w_slope * output(of_q(j)));
    }
    return T(0.0) < T(1.0);
  }
  std::string fault() const { return {}; }

 private:
  struct Request {
    bool q, x, xq, vv;
    std::size_t count;  ///< coordinates whose slopes are asked for
  };
  // columns
  std::size_t of_q(std::size_t j) const { return 1 + j; }
  std::size_t of_vv() const { return 1 + n_; }
  std::size_t of_x(std::size_t c) const { return 2 + n_ + c; }
  std::size_t of_xq(std::size_t c, std::size_t j) const { return 5 + n_ + c * n_ + j; }
  std::size_t column_count() const { return 5 + 4 * n_; }

  /// Calls use(column) for those that are asked for.
  template <typename Use>
  CUTTLE_INLINE void each_column(const Request& request, const Use& use) const {
    use(std::size_t{0});
    for (std::size_t j = 0; request.q && j < request.count; ++j) use(of_q(j));
    if (request.vv) use(of_vv());
    for (std::size_t c = 0; request.x && c < 3; ++c) use(of_x(c));
    for (std::size_t c = 0; request.xq && c < 3; ++c) {
      for (std::size_t j = 0; j < request.count; ++j) use(of_xq(c, j));
    }
  }
  /// The weight has no derivative.
  template <typename U>
  static CUTTLE_INLINE U times(const P& weight, const U& a) {
    if constexpr (std::is_same_v<P, U>) {
      return weight * a;
    } else {
      U product(times(weight, a.value));
      for (std::size_t i = 0; i < std::size(a.derivative); ++i) product.derivative[i] = times(weight, a.derivative[i]);
      return product;
    }
  }

  /// The first layer before its activation: linear in x and q.
  void enter(const Vector3T<P>& x, const Request& request) {
    const NeuralLayerT<S>& layer = parameters_.layers.front();
    const std::size_t outputs = layer.outputs(), inputs = layer.inputs();
    const S inverse_scale = S(1.0) / parameters_.scale;
    T* columns = columns_[0];
    for (std::size_t i = 0; i < outputs; ++i) {
      const S* row = layer.weight.data() + i * inputs;
      P sum(0.0);
      for (int c = 0; c < 3; ++c) {
        const P slope(inverse_scale * row[c]);
        sum += slope * x[c];
        if (request.x) columns[of_x(c) * outputs + i] = T(slope);
      }
      columns[i] = of_q_[i] + T(sum);
      for (std::size_t j = 0; request.q && j < request.count; ++j) columns[of_q(j) * outputs + i] = T(row[3 + j]);
      if (request.vv) columns[of_vv() * outputs + i] = T(0.0);
      for (std::size_t k = 0; request.xq && k < 3 * n_; ++k) columns[of_xq(0, k) * outputs + i] = T(0.0);
    }
  }
  void multiply(const NeuralLayerT<S>& layer, const T* from, T* to, const Request& request) const {
    const std::size_t outputs = layer.outputs(), inputs = layer.inputs();
    each_column(request, [&](std::size_t column) {
      const T* a = from + column * inputs;
      for (std::size_t i = 0; i < outputs; ++i) {
        const S* row = layer.weight.data() + i * inputs;
        T sum(column == 0 ? layer.bias[i] : S(0.0));
        for (std::size_t k = 0; k < inputs; ++k) sum += times(P(row[k]), a[k]);
        to[column * outputs + i] = sum;
      }
    });
  }
  /// In place. Second derivatives first: they need the slopes from before.
  void activate(const NeuralLayerT<S>& layer, T* columns, const Request& request) const {
    const std::size_t outputs = layer.outputs();
    for (std::size_t i = 0; i < outputs; ++i) {
      const auto at = [&](std::size_t column) -> T& { return columns[column * outputs + i]; };
      const ActivationJet<T> s(layer.activation, at(0));
      if (request.vv) {
        T along_v(0.0);
        for (std::size_t j = 0; j < n_; ++j) along_v += v_[j] * at(of_q(j));
        at(of_vv()) = s.first * at(of_vv()) + s.second * along_v * along_v;
      }
      for (std::size_t c = 0; request.xq && c < 3; ++c) {
        for (std::size_t j = 0; j < request.count; ++j) {
          at(of_xq(c, j)) = s.first * at(of_xq(c, j)) + s.second * at(of_x(c)) * at(of_q(j));
        }
      }
      for (std::size_t c = 0; request.x && c < 3; ++c) at(of_x(c)) = s.first * at(of_x(c));
      for (std::size_t j = 0; request.q && j < request.count; ++j) at(of_q(j)) = s.first * at(of_q(j));
      at(0) = s.value;
    }
  }

  const NeuralParametersT<S>& parameters_;
  const T* v_;
  std::size_t n_;
  T* of_q_;        ///< what q and the bias give to the first layer
  T* columns_[2];  ///< of two layers in turn
};

}  // namespace cuttle
