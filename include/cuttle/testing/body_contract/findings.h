#pragma once

#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include "cuttle/eigen_memory.h"

namespace cuttle::contract {

template <typename Derived>
double size_of(const Eigen::MatrixBase<Derived>& a) {
  return a.size() == 0 ? 0.0 : static_cast<double>(a.cwiseAbs().maxCoeff());
}

/// What a body was found not to keep, in words: each finding says during which sample and at which port.
class Findings {
 public:
  /// Adds a place to all findings until it ends.
  class Place {
   public:
    Place(Findings& findings, const std::string& name) : findings_(findings) { findings_.places_.push_back(name); }
    ~Place() { findings_.places_.pop_back(); }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

   private:
    Findings& findings_;
  };

  const std::vector<std::string>& texts() const { return texts_; }

  /// @return `kept`.
  bool expect(bool kept, const std::string& otherwise) {
    if (kept) return true;
    std::string text;
    for (const std::string& place : places_) text += place + ": ";
    texts_.push_back(text + otherwise);
    return false;
  }
  /// |found - expected| <= limit, which nothing that is not finite keeps.
  void near(double found, double expected, double limit, const std::string& what) {
    const double off = found < expected ? expected - found : found - expected;
    if (off <= limit) return;
    std::ostringstream text;
    text.precision(9);
    text << what << ": found " << found << ", expected " << expected << " (off by " << off << ", allowed " << limit
         << ")";
    expect(false, text.str());
  }
  /// Every entry within tolerance x scale.
  template <typename A, typename B>
  void near(const A& found, const B& expected, double tolerance, double scale, const std::string& what) {
    std::ostringstream text;
    text.precision(9);
    if (found.rows() != expected.rows() || found.cols() != expected.cols()) {
      text << what << ": found " << found.rows() << " x " << found.cols() << " numbers, expected " << expected.rows()
           << " x " << expected.cols();
      expect(false, text.str());
      return;
    }
    if (found.size() == 0) return;
    const double off = static_cast<double>((found - expected).cwiseAbs().maxCoeff());
    if (found.allFinite() && expected.allFinite() && off <= tolerance * scale) return;
    text << what << ": off by " << off << ", allowed " << tolerance * scale << "\nfound\n"
         << found << "\nexpected\n"
         << expected;
    expect(false, text.str());
  }

 private:
  std::vector<std::string> places_, texts_;
};

}  // namespace cuttle::contract
