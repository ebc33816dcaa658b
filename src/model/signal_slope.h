#pragma once

#include <limits>
#include <string>
#include <vector>

#include "cuttle/model/signal.h"

namespace cuttle {

/// A number that a signal is made of, by its key in a file, `to` or `value[3]`; a constant has one without a key.
struct SignalNumber {
  std::string key;
  double value = 0.0;
};
/// Those that a run can be differentiated by: all but times, at which integrators stop. None of a function of a
/// program.
std::vector<SignalNumber> signal_numbers(const Signal& signal);

/// How a signal changes with one of its numbers: a signal too, which is 0 outside an interval.
struct SignalSlope {
  Signal at_time;
  double begin = -std::numeric_limits<double>::infinity();  ///< of the interval [s], which both ends belong to
  double end = std::numeric_limits<double>::infinity();
};
/// @throws ArgumentError for another key.
SignalSlope signal_slope(const Signal& signal, const std::string& key);

/// What that number is. @throws as signal_slope.
double signal_number(const Signal& signal, const std::string& key);

/// The numbers of signal_numbers without those that are another name of one that is there.
std::vector<SignalNumber> independent_numbers(const Signal& signal);
/// The signal with other values of all of these, in their order.
Signal signal_with(const Signal& signal, const std::vector<double>& values);

/// The signal with another value of that number. @throws as signal_slope.
Signal signal_with(const Signal& signal, const std::string& key, double value);

}  // namespace cuttle
