#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cuttle {

/// Words of a text file, line by line, with their places for messages. Empty lines are skipped.
class LineReader {
 public:
  /// @param path  name of the file in messages.
  LineReader(std::string path, std::string text) : path_(std::move(path)), text_(std::move(text)) {}

  const std::string& path() const { return path_; }
  int line() const { return line_; }  ///< 1-based
  const std::vector<std::string_view>& words() const { return words_; }
  std::string_view rest() const { return rest_; }  ///< the line from its first word on

  /// Goes to the next line with words. @return false at the end of the file.
  bool next();
  /// The same where the file must go on.
  void require_next(const std::string& subject, const std::string& expected);
  /// A word of this line as a number. `subject` as for `fail`.
  long integer(std::size_t word, const std::string& subject, const std::string& meaning) const;
  double finite(std::size_t word, const std::string& subject) const;

  /// @param subject  what the line is about, "element 17"; may be empty.
  /// @throws FileError at the word of this line, or at its end if there are not so many.
  [[noreturn]] void fail(std::size_t word, const std::string& subject, const std::string& found,
                         const std::string& expected) const;
  /// @throws FileError at the beginning of a line.
  [[noreturn]] void fail_at_line(int line, const std::string& subject, const std::string& found,
                                 const std::string& expected) const;

 private:
  std::string path_, text_;
  std::size_t position_ = 0;  // behind this line
  std::size_t begin_ = 0;     // of this line
  int line_ = 0;
  std::vector<std::string_view> words_;
  std::string_view rest_;
};

}  // namespace cuttle
