#pragma once

#include <hdf5.h>

#include <cstdint>
#include <string>
#include <vector>

#include "cuttle/io/result_file.h"
#include "io/results/result_block.h"

namespace cuttle {

/// What a result says about its run, beside the rows.
struct ResultHead {
  ResultSource source;
  RunEnvironment environment;
  std::vector<std::string> loop_rows;        ///< names of all rows of the loops: those that may be called redundant
  const ResultSequence* sequence = nullptr;  ///< null: the rows are instants of a simulation
  Outcome outcome;                           ///< status, message, warnings, redundant rows and statistics
};

/// Bytes that a file of this process may have (`ulimit -f`); infinite if nobody limits them.
double largest_file();

/// The bytes of a result in HDF5 that are not rows: all its structure, with room for a number of rows.
///
/// A result must be whole whenever its process is killed, so nothing structural changes in a file that a run has put
/// into place: HDF5 makes the structure in memory, and no file is ever open in it. What follows are plain writes, each
/// of which leaves a whole file: rows beyond those that are visible, then the number of rows of each dataset, eight
/// bytes at once in a header without checksum, then numbers and texts of fixed size at fixed places. A dataset whose
/// columns' names take more than 64 kB has a header with a checksum, as HDF5 wants it: number of rows and checksum are
/// written together within one page of memory, which no kill interrupts.
class ResultLayout {
 public:
  /// @param path  for errors.   @param rows  to have room for, > 0.
  /// @throws FileError if there is no memory for it.
  ResultLayout(std::string path, const std::vector<ResultBlock>& blocks, hsize_t rows, const ResultHead& head);
  ~ResultLayout();
  ResultLayout(const ResultLayout&) = delete;
  ResultLayout& operator=(const ResultLayout&) = delete;

  hsize_t capacity() const { return capacity_; }  ///< rows for which there is room
  /// Whether `write_end` can say all of this. What it cannot say needs another layout.
  bool can_say(const Outcome& outcome) const;

  // All of these throw FileError, as on a full disk; what a file had before stays good.

  /// Makes an empty file a result without rows.
  void create(int file);
  /// Puts rows of a block into the file; `show` makes them visible.
  void write_rows(int file, std::size_t block, hsize_t first, hsize_t count, const double* values) const;
  void read_rows(int file, std::size_t block, hsize_t first, hsize_t count, double* values) const;
  /// The number of rows that the file is said to have; the block `time` is the last to say it.
  void show(int file, hsize_t rows);
  void write_statistics(int file, const IntegratorStatistics& statistics, double wall_seconds) const;
  /// Status, message, warnings and redundant rows; too long ones are cut.
  void write_end(int file, const Outcome& outcome) const;

 private:
  class Maker;

  struct Table {
    hsize_t width = 0, chunk_rows = 1;
    std::vector<std::uint64_t> chunks;  ///< places in the file
    std::uint64_t extent = 0;           ///< place of the number of rows
    /// A header with a checksum, from its begin to before the checksum; else empty.
    std::uint64_t header = 0;
    std::vector<unsigned char> header_bytes;
  };
  /// A list of texts, each of `size` bytes; its length stands before it.
  struct TextPlace {
    std::uint64_t place = 0;  ///< 0: there is none that could be changed
    std::size_t size = 0, most = 0;
  };

  template <typename Transfer>
  void for_each_piece(std::size_t block, hsize_t first, hsize_t count, const Transfer& transfer) const;
  void write(int file, const void* bytes, std::size_t size, std::uint64_t place) const;
  void write_number(int file, std::uint64_t number, std::uint64_t place) const;
  void write_texts(int file, const TextPlace& place, const std::vector<std::string>& texts, bool list) const;
  /// @throws FileError if the file would be larger than one may be (`ulimit -f`).
  void check_size(const std::vector<ResultBlock>& blocks, const ResultHead& head) const;
  [[noreturn]] void fail(const std::string& reason) const;

  std::string path_;
  hsize_t capacity_;
  int image_ = -1;  ///< the file without rows, in memory
  std::vector<Table> tables_;
  TextPlace status_, message_, warnings_, redundant_rows_;
  std::uint64_t steps_ = 0, evaluations_ = 0, failures_ = 0, wall_seconds_ = 0;
};

}  // namespace cuttle
