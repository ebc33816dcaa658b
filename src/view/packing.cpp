#include "view/packing.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <stdexcept>

namespace cuttle {
namespace {

std::string base64(std::span<const std::uint8_t> bytes) {
  static constexpr char k_letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = std::min<std::size_t>(bytes.size() - i, 3);
    std::uint32_t bits = bytes[i] << 16;
    if (left > 1) bits |= bytes[i + 1] << 8;
    if (left > 2) bits |= bytes[i + 2];
    for (std::size_t k = 0; k < 4; ++k) text += k <= left ? k_letters[bits >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

template <typename Number>
void append_little_endian(std::vector<std::uint8_t>& bytes, Number value) {
  std::array<std::uint8_t, sizeof(Number)> raw;
  std::memcpy(raw.data(), &value, sizeof(Number));
  if constexpr (std::endian::native == std::endian::big) std::reverse(raw.begin(), raw.end());
  bytes.insert(bytes.end(), raw.begin(), raw.end());
}

template <typename Number, typename Value>
nlohmann::ordered_json packed(const char* type, std::span<const Value> values) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(values.size() * sizeof(Number));
  for (const Value value : values) append_little_endian(bytes, static_cast<Number>(value));
  return {{"type", type}, {"count", values.size()}, {"data", packed_text(bytes)}};
}

void append_varint(std::vector<std::uint8_t>& bytes, std::int64_t value) {
  auto zigzag = static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63);
  for (; zigzag >= 0x80; zigzag >>= 7) bytes.push_back(static_cast<std::uint8_t>(zigzag | 0x80));
  bytes.push_back(static_cast<std::uint8_t>(zigzag));
}

}  // namespace

std::string packed_text(std::span<const std::uint8_t> bytes) {
  uLongf size = compressBound(bytes.size());
  std::vector<std::uint8_t> compressed(size);
  if (compress2(compressed.data(), &size, bytes.data(), bytes.size(), Z_DEFAULT_COMPRESSION) != Z_OK) {
    throw std::runtime_error("zlib could not compress");
  }
  return base64({compressed.data(), size});
}

nlohmann::ordered_json packed_floats(std::span<const double> values) { return packed<float>("f32", values); }
nlohmann::ordered_json packed_integers(std::span<const std::int32_t> values) {
  return packed<std::int32_t>("i32", values);
}

nlohmann::ordered_json packed_doubles(std::span<const double> values) {
  std::vector<std::uint8_t> bytes, shuffled(values.size() * sizeof(double));
  for (const double value : values) append_little_endian(bytes, value);
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t k = 0; k < sizeof(double); ++k) shuffled[k * values.size() + i] = bytes[i * sizeof(double) + k];
  }
  return {{"type", "f64s"}, {"count", values.size()}, {"data", packed_text(shuffled)}};
}

nlohmann::ordered_json packed_channels(const FrameMatrix& matrix, std::span<const double> steps) {
  constexpr double k_most = 9e15;  // integers that a browser's numbers hold
  std::vector<std::uint8_t> bytes;
  for (std::size_t c = 0; c < matrix.channels; ++c) {
    std::int64_t value = 0, difference = 0;
    for (std::size_t f = 0; f < matrix.frames; ++f) {
      const double exact = matrix.at(f, c) / steps[c];
      const std::int64_t next = std::isfinite(exact) ? std::llround(std::clamp(exact, -k_most, k_most)) : 0;
      append_varint(bytes, next - value - difference);
      difference = f == 0 ? 0 : next - value;
      value = next;
    }
  }
  nlohmann::ordered_json result{{"channels", matrix.channels}};
  const bool same = std::all_of(steps.begin(), steps.end(), [&](double step) { return step == steps.front(); });
  result["step"] = same && !steps.empty() ? nlohmann::ordered_json(steps.front()) : nlohmann::ordered_json(steps);
  result["data"] = packed_text(bytes);
  return result;
}

}  // namespace cuttle
