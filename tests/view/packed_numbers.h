#pragma once

#include <zlib.h>

#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

// Reads what pages hold as viewer/src/contract.ts describes it; written from that text, not from what writes it.
namespace cuttle::test {

inline std::vector<std::uint8_t> base64_bytes(const std::string& text) {
  const auto value = [](char letter) -> int {
    if (letter >= 'A' && letter <= 'Z') return letter - 'A';
    if (letter >= 'a' && letter <= 'z') return letter - 'a' + 26;
    if (letter >= '0' && letter <= '9') return letter - '0' + 52;
    return letter == '+' ? 62 : letter == '/' ? 63 : -1;
  };
  std::vector<std::uint8_t> bytes;
  int bits = 0, count = 0;
  for (const char letter : text) {
    if (value(letter) < 0) continue;
    bits = bits << 6 | value(letter), count += 6;
    if (count >= 8) bytes.push_back(static_cast<std::uint8_t>(bits >> (count -= 8) & 255));
  }
  return bytes;
}

inline std::vector<std::uint8_t> unpacked_bytes(const std::string& text) {
  std::vector<std::uint8_t> compressed = base64_bytes(text), bytes;
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) throw std::runtime_error("inflateInit");
  stream.next_in = compressed.data(), stream.avail_in = static_cast<uInt>(compressed.size());
  int status = Z_OK;
  while (status == Z_OK) {
    std::uint8_t part[4096];
    stream.next_out = part, stream.avail_out = sizeof part;
    status = inflate(&stream, Z_NO_FLUSH);
    bytes.insert(bytes.end(), part, part + (sizeof part - stream.avail_out));
  }
  inflateEnd(&stream);
  if (status != Z_STREAM_END) throw std::runtime_error("not in zlib's format");
  return bytes;
}

template <typename Number>
std::vector<double> numbers_of(const std::vector<std::uint8_t>& bytes) {
  std::vector<double> values(bytes.size() / sizeof(Number));
  for (std::size_t i = 0; i < values.size(); ++i) {
    Number number;
    std::memcpy(&number, bytes.data() + i * sizeof(Number), sizeof(Number));
    values[i] = static_cast<double>(number);
  }
  return values;
}

/// A PackedArray.
inline std::vector<double> unpacked(const nlohmann::json& packed) {
  const std::vector<std::uint8_t> bytes = unpacked_bytes(packed["data"]);
  const std::string type = packed["type"];
  std::vector<double> values;
  if (type == "f32") values = numbers_of<float>(bytes);
  if (type == "i32") values = numbers_of<std::int32_t>(bytes);
  if (type == "f64s") {
    const std::size_t count = bytes.size() / 8;
    std::vector<std::uint8_t> plain(bytes.size());
    for (std::size_t i = 0; i < plain.size(); ++i) plain[i] = bytes[i % 8 * count + i / 8];
    values = numbers_of<double>(plain);
  }
  if (values.size() != packed["count"]) throw std::runtime_error("count is wrong");
  return values;
}

/// PackedChannels: values[channel][frame].
inline std::vector<std::vector<double>> unpacked_channels(const nlohmann::json& packed, std::size_t frames) {
  const std::vector<std::uint8_t> bytes = unpacked_bytes(packed["data"]);
  std::size_t place = 0;
  const auto next = [&] {
    std::uint64_t zigzag = 0;
    for (int shift = 0;; shift += 7) {
      const std::uint8_t byte = bytes.at(place++);
      zigzag |= static_cast<std::uint64_t>(byte & 127) << shift;
      if (byte < 128) break;
    }
    return (zigzag & 1) != 0 ? -static_cast<double>(zigzag / 2) - 1 : static_cast<double>(zigzag / 2);
  };
  std::vector<std::vector<double>> channels;
  for (std::size_t c = 0; c < packed["channels"]; ++c) {
    const double step = packed["step"].is_array() ? packed["step"][c].get<double>() : packed["step"].get<double>();
    std::vector<double> values;
    double value = 0.0, difference = 0.0;
    for (std::size_t f = 0; f < frames; ++f) {
      const double code = next();
      if (f == 0) {
        value = code;
      } else {
        difference += code;
        value += difference;
      }
      values.push_back(step * value);
    }
    channels.push_back(values);
  }
  if (place != bytes.size()) throw std::runtime_error("bytes are left over");
  return channels;
}

/// All frame vectors of a run: values[number][frame].
inline std::vector<std::vector<double>> unpacked_frames(const nlohmann::json& blocks, std::size_t size,
                                                        std::size_t frames) {
  std::vector<std::vector<double>> numbers(size);
  for (const auto& block : blocks) {
    const std::size_t at = block["at"], count = block["size"];
    if (block.contains("values")) {
      const auto channels = unpacked_channels(block["values"], frames);
      for (std::size_t c = 0; c < count; ++c) numbers.at(at + c) = channels.at(c);
      continue;
    }
    const auto& basis = block["basis"];
    const auto mean = unpacked(basis["mean"]), vectors = unpacked(basis["vectors"]);
    const auto coefficients = unpacked_channels(basis["coefficients"], frames);
    for (std::size_t c = 0; c < count; ++c) {
      for (std::size_t f = 0; f < frames; ++f) {
        double value = mean.at(c);
        for (std::size_t k = 0; k < basis["rank"]; ++k) value += coefficients[k][f] * vectors.at(k * count + c);
        numbers.at(at + c).push_back(value);
      }
    }
  }
  return numbers;
}

}  // namespace cuttle::test
