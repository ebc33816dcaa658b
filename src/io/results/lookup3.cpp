#include "io/results/lookup3.h"

#include <algorithm>
#include <bit>

namespace cuttle {

std::uint32_t lookup3(std::span<const unsigned char> bytes) {
  std::uint32_t a = 0xdeadbeef + static_cast<std::uint32_t>(bytes.size()), b = a, c = a;
  if (bytes.empty()) return c;
  constexpr std::size_t k_block = 12;
  while (true) {
    unsigned char block[k_block] = {};
    const std::size_t count = std::min(bytes.size(), k_block);
    std::copy_n(bytes.begin(), count, block);
    const auto word = [&block](std::size_t at) {
      return block[at] | std::uint32_t{block[at + 1]} << 8 | std::uint32_t{block[at + 2]} << 16 |
             std::uint32_t{block[at + 3]} << 24;
    };
    a += word(0), b += word(4), c += word(8);
    bytes = bytes.subspan(count);
    if (bytes.empty()) break;
    a -= c, a ^= std::rotl(c, 4), c += b;
    b -= a, b ^= std::rotl(a, 6), a += c;
    c -= b, c ^= std::rotl(b, 8), b += a;
    a -= c, a ^= std::rotl(c, 16), c += b;
    b -= a, b ^= std::rotl(a, 19), a += c;
    c -= b, c ^= std::rotl(b, 4), b += a;
  }
  c ^= b, c -= std::rotl(b, 14);
  a ^= c, a -= std::rotl(c, 11);
  b ^= a, b -= std::rotl(a, 25);
  c ^= b, c -= std::rotl(b, 16);
  a ^= c, a -= std::rotl(c, 4);
  b ^= a, b -= std::rotl(a, 14);
  c ^= b, c -= std::rotl(b, 24);
  return c;
}

}  // namespace cuttle
