#include "io/results/byte_stream.h"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include "cuttle/error.h"

namespace cuttle {
namespace {

constexpr std::size_t k_buffer = 1U << 16;

}  // namespace

void ByteWriter::number(std::uint64_t value) { bytes(&value, sizeof value); }
void ByteWriter::real(double value) { bytes(&value, sizeof value); }
void ByteWriter::text(std::string_view text) {
  number(text.size());
  bytes(text.data(), text.size());
}
void ByteWriter::part(const double* values, std::size_t count) {
  if (count == 0) return;
  number(count);
  bytes(values, count * sizeof(double));
}
void ByteWriter::end_of_parts() { number(0); }

void ByteWriter::bytes(const void* from, std::size_t size) {
  buffer_.append(static_cast<const char*>(from), size);
  if (buffer_.size() >= k_buffer) flush();
}

void ByteWriter::flush() {
  for (std::string_view left = buffer_; !left.empty();) {
    const ssize_t count = write(file_, left.data(), left.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) throw Error("nobody reads");
    left.remove_prefix(static_cast<std::size_t>(count));
  }
  buffer_.clear();
}

std::uint64_t ByteReader::number() {
  std::uint64_t value = 0;
  bytes(&value, sizeof value);
  return value;
}
double ByteReader::real() { return std::bit_cast<double>(number()); }

std::string ByteReader::text() {
  std::string text;
  for (std::uint64_t left = number(); left > 0;) {
    const std::size_t size = std::min<std::uint64_t>(left, k_buffer), have = text.size();
    text.resize(have + size);
    bytes(text.data() + have, size);
    left -= size;
  }
  return text;
}

std::vector<double> ByteReader::reals() {
  std::vector<double> values;
  for (std::uint64_t left = 0; (left = number()) > 0;) {
    while (left > 0) {
      const std::size_t count = std::min<std::uint64_t>(left, k_buffer / sizeof(double)), have = values.size();
      values.resize(have + count);
      bytes(values.data() + have, count * sizeof(double));
      left -= count;
    }
  }
  return values;
}

void ByteReader::bytes(void* to, std::size_t size) {
  if (size > left_) throw EndedEarly();
  left_ -= size;
  buffer_.resize(k_buffer);
  for (char* place = static_cast<char*>(to); size > 0;) {
    if (begin_ == end_) {
      const ssize_t count = read(file_, buffer_.data(), buffer_.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) throw EndedEarly();
      begin_ = 0, end_ = static_cast<std::size_t>(count);
    }
    const std::size_t count = std::min(size, end_ - begin_);
    std::memcpy(place, buffer_.data() + begin_, count);
    place += count, begin_ += count, size -= count;
  }
}

}  // namespace cuttle
