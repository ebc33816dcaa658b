#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

namespace cuttle {

/// Numbers as they lie in pages: viewer/src/contract.ts, "packed numbers".

/// Base64 of the bytes, compressed in zlib's format.
std::string packed_text(std::span<const std::uint8_t> bytes);

/// PackedArray of type f32, i32, or f64s: doubles byte by byte, all of their digits.
nlohmann::ordered_json packed_floats(std::span<const double> values);
nlohmann::ordered_json packed_integers(std::span<const std::int32_t> values);
nlohmann::ordered_json packed_doubles(std::span<const double> values);

/// Rows of numbers, one a frame, that change little from frame to frame.
struct FrameMatrix {
  std::size_t frames = 0, channels = 0;
  std::vector<float> values;  ///< frame by frame

  float& at(std::size_t frame, std::size_t channel) { return values[frame * channels + channel]; }
  float at(std::size_t frame, std::size_t channel) const { return values[frame * channels + channel]; }
};

/// PackedChannels: each number to the nearest multiple of its channel's step, > 0. Values that are not finite become
/// 0: what is drawn has to be somewhere.
nlohmann::ordered_json packed_channels(const FrameMatrix& matrix, std::span<const double> steps);

}  // namespace cuttle
