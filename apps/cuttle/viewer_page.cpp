#include "viewer_page.h"

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

// The compressed page as it is: an array in C++ of a megabyte would take many seconds to compile.
__asm__(
    ".pushsection .rodata\n"
    ".global cuttle_viewer_page_begin\n"
    "cuttle_viewer_page_begin:\n"
    ".incbin \"" CUTTLE_VIEWER_PAGE_FILE
    "\"\n"
    "cuttle_viewer_page_end:\n"
    ".balign 8\n"
    ".global cuttle_viewer_page_size\n"
    "cuttle_viewer_page_size: .quad cuttle_viewer_page_end - cuttle_viewer_page_begin\n"
    ".popsection\n");
// NOLINTBEGIN(readability-identifier-naming): symbols of the assembler
extern "C" const unsigned char cuttle_viewer_page_begin[];
extern "C" const std::uint64_t cuttle_viewer_page_size;
// NOLINTEND(readability-identifier-naming)

namespace cuttle {
namespace {

/// Unpacks the format of gzip; its last four bytes are the size of what is packed.
std::string unpack(std::span<const unsigned char> packed) {
  std::uint32_t size = 0;
  for (std::size_t i = 0; i < 4; ++i) size |= std::uint32_t{packed[packed.size() - 4 + i]} << (8 * i);
  std::string text(size, '\0');
  z_stream stream{};
  stream.next_in = const_cast<unsigned char*>(packed.data());  // zlib reads it only
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<unsigned char*>(text.data());
  stream.avail_out = size;
  constexpr int k_gzip = 16 + MAX_WBITS;
  bool done = inflateInit2(&stream, k_gzip) == Z_OK;
  done = done && inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.avail_out == 0;
  inflateEnd(&stream);
  if (!done) throw std::logic_error("viewer_page: the page in this program is damaged");
  return text;
}

}  // namespace

std::string_view viewer_page() {
  static const std::string k_page = unpack({cuttle_viewer_page_begin, cuttle_viewer_page_size});
  return k_page;
}

}  // namespace cuttle
