#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace cuttle {

/// Most bytes of a file that is read whole: far more than any robot, mesh or table here has.
inline constexpr std::uint64_t k_most_file_bytes = 512ULL << 20;

/// A file on a disk. What it takes there may be less than its size: it may have holes.
struct RegularFile {
  std::uint64_t size = 0, on_disk = 0;  ///< [bytes]
};

/// The trouble with a path that leads nowhere.
inline constexpr const char* k_no_such_file = "no such file";

/// Why a path leads to no file that can be read whole: "a pipe". Empty if it does.
/// Opens nothing that can make a reader wait, or that has no end: pipes, devices, directories, files of /proc.
std::string file_trouble(const std::string& path, std::uint64_t most_bytes = k_most_file_bytes);

/// The file that a path leads to.
/// @throws FileError `FILE: found X, expected WHAT` where there is trouble, as above.
RegularFile require_regular_file(const std::string& path, const std::string& what,
                                 std::uint64_t most_bytes = k_most_file_bytes);

/// No bound: for readers that have their own.
inline constexpr std::uint64_t k_any_size = std::numeric_limits<std::uint64_t>::max();

/// All bytes that a file had when it was opened. A pipe that a shell gives to a command - /dev/stdin, /dev/fd/N,
/// /proc/PROCESS/fd/N - is read to its end. @throws FileError as `require_regular_file`.
std::string read_regular_file(const std::string& path, const std::string& what);

}  // namespace cuttle
