#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "cuttle/bodies/body.h"
#include "cuttle/error.h"

namespace cuttle::contract {

/// Memory for one evaluation, aligned to 64 bytes and filled with NaN: a body must not read what it has not written.
/// What lies behind each part is NaN too and must stay so.
template <typename S>
class Workspace {
 public:
  explicit Workspace(const WorkspaceSize& size)
      : persistent_(size.persistent), scratch_(size.scratch), elimination_(size.elimination) {}
  WorkspaceT<S> get() { return {persistent_.data(), scratch_.data(), elimination_.data()}; }
  /// After each call: scratch is lost. @throws Error if the call wrote where it must not.
  void finish_call() {
    persistent_.check(), scratch_.check(), elimination_.check();
    scratch_.lose();
  }

 private:
  class Part {
   public:
    explicit Part(std::size_t size) : size_(size), memory_(size + k_guard + 64, k_nan) {
      const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
      first_ = ((address + 63) / 64 * 64 - address + sizeof(S) - 1) / sizeof(S);
    }
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;
    void check() {
      for (std::size_t i = 0; i < k_guard; ++i) {
        if (std::isnan(data()[size_ + i])) continue;
        throw Error("workspace: written " + std::to_string(i + 1) + " scalars behind a part of " +
                    std::to_string(size_) + ", the size that workspace_size asked for");
      }
    }
    S* data() { return memory_.data() + first_; }
    void lose() { std::fill(data(), data() + size_, k_nan); }

   private:
    static constexpr S k_nan = std::numeric_limits<S>::quiet_NaN();
    static constexpr std::size_t k_guard = 16;
    std::size_t size_, first_ = 0;
    std::vector<S> memory_;
  };
  Part persistent_, scratch_, elimination_;
};

}  // namespace cuttle::contract
