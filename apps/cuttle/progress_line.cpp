#include "progress_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace cuttle {
namespace {

constexpr const char* k_progress = "cuttle progress ";  // python/cuttle/_program.py looks for it

}  // namespace

std::string time_text(double seconds) {
  if (seconds < 0.1) return fmt::format("{:.0f} ms", 1e3 * seconds);
  if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
  if (seconds < 99.5) return fmt::format("{:.0f} s", seconds);
  if (seconds < 5970) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

std::string short_number(double x) { return x < 1000 ? fmt::format("{:.3g}", x) : fmt::format("{:.0f}", x); }

ProgressLine::ProgressLine()
    : lines_(std::getenv("CUTTLE_PROGRESS_LINES") != nullptr), shown_(lines_ || isatty(fileno(stderr)) != 0) {}
ProgressLine::~ProgressLine() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);  // which, unlike fmt, does not throw where a terminal is gone
}

void ProgressLine::show(double fraction, const std::string& text, double wall_seconds) {
  if (!shown_) return;
  constexpr int k_width = 30;
  fraction = std::clamp(fraction, 0.0, 1.0);
  if (lines_) {
    std::fputs(fmt::format("{}{:.6f} {}\n", k_progress, fraction, text).c_str(), stderr);
    std::fflush(stderr);
    return;
  }
  const int full = static_cast<int>(fraction * k_width);
  const std::string left = fraction > 0.0 ? time_text(wall_seconds * (1.0 - fraction) / fraction) : "?";
  const std::string line = fmt::format("\r\x1b[K[{}{}] {:3.0f} %  {}  {} left", std::string(full, '#'),
                                       std::string(k_width - full, '.'), std::floor(100.0 * fraction), text, left);
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
  drawn_ = true;
}

}  // namespace cuttle
