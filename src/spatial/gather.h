#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <vector>

#include "cuttle/spatial/pack.h"

namespace cuttle {

/// The width of a pack and its numbers, gathered.
template <typename S>
struct Gather;
template <int W>
struct Gather<Pack<W>> {
  using S = Pack<W>;
  static constexpr int k_width = W;
  template <typename T>
  using Each = std::array<const T*, W>;  ///< the same part of every robot

  static S number(const Each<double>& from) {
    S r;
    for (int i = 0; i < W; ++i) r.lanes[i] = *from[i];
    return r;
  }
  /// A plain structure of scalars, as PoseT.
  template <template <typename> class Of>
  static Of<S> plain(const Each<Of<double>>& from) {
    constexpr std::size_t count = sizeof(Of<double>) / sizeof(double);
    static_assert(std::is_trivially_copyable_v<Of<double>> && sizeof(Of<S>) == count * sizeof(S));
    Of<S> r;
    for (std::size_t k = 0; k < count; ++k) {
      S value;
      for (int i = 0; i < W; ++i) {
        double x;
        std::memcpy(&x, reinterpret_cast<const char*>(from[i]) + k * sizeof(double), sizeof x);
        value.lanes[i] = x;
      }
      std::memcpy(reinterpret_cast<char*>(&r) + k * sizeof(S), &value, sizeof value);
    }
    return r;
  }
  static std::vector<S> numbers(const Each<std::vector<double>>& from) {
    std::vector<S> r(from[0]->size());
    for (std::size_t k = 0; k < r.size(); ++k) {
      for (int i = 0; i < W; ++i) r[k].lanes[i] = (*from[i])[k];
    }
    return r;
  }
  /// The member, or whatever `of` makes a pointer to, of every robot's part.
  template <typename T, typename Of>
  static auto each(const Each<T>& from, const Of& of) {
    Each<std::remove_cvref_t<decltype(*of(*from[0]))>> r;
    for (int i = 0; i < W; ++i) r[i] = of(*from[i]);
    return r;
  }
};

}  // namespace cuttle
