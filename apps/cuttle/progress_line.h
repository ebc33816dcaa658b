#pragma once

#include <string>

namespace cuttle {

/// A duration for people: "12 ms", "3.2 s", "45 s", "12 min", "2.1 h".
std::string time_text(double seconds);
/// Three digits, large numbers in full.
std::string short_number(double x);

/// One line on a terminal that is drawn again and again, with a bar in front; nothing elsewhere. For a program that
/// reads it, as the package in Python does, a line each: where the environment has CUTTLE_PROGRESS_LINES.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// @param fraction  that is done.   @param text  behind the bar.   @param wall_seconds  so far: says what is left.
  void show(double fraction, const std::string& text, double wall_seconds);

 private:
  bool lines_, shown_, drawn_ = false;
};

}  // namespace cuttle
