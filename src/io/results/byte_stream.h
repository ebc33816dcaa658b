#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cuttle {

// Numbers and texts from one process to another on the same machine.

class ByteWriter {
 public:
  explicit ByteWriter(int file) : file_(file) {}
  void number(std::uint64_t value);
  void real(double value);
  void text(std::string_view bytes);
  /// Numbers in any number of parts; `end_of_parts` after the last.
  void part(const double* values, std::size_t count);
  void end_of_parts();
  /// @throws Error if nobody reads any more.
  void flush();

 private:
  void bytes(const void* from, std::size_t size);
  int file_;
  std::string buffer_;
};

/// Trusts nothing: memory is taken for bytes that have come, not for those that are announced.
class ByteReader {
 public:
  struct EndedEarly {};  ///< thrown by all of these

  /// @param most  bytes that it takes in all.
  ByteReader(int file, std::uint64_t most) : file_(file), left_(most) {}
  std::uint64_t number();
  double real();
  std::string text();
  std::vector<double> reals();  ///< all parts

 private:
  void bytes(void* to, std::size_t size);
  int file_;
  std::uint64_t left_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;
};

}  // namespace cuttle
