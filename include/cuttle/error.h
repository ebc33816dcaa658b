#pragma once

#include <stdexcept>
#include <string>

namespace cuttle {

/// Root of everything that Cuttle throws. `what()` says where, what was found and what was expected.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An argument of a public function has the wrong size, is not finite, or is outside its range.
class ArgumentError : public Error {
 public:
  using Error::Error;
};

/// The parameters of a body, joint or robot make no sense.
class ModelError : public Error {
 public:
  using Error::Error;
};

/// A body's configuration is outside the set on which its kinematics are defined.
class ConfigurationError : public Error {
 public:
  using Error::Error;
};

/// The mass matrix is not positive definite: a coordinate that moves no mass. Names the link.
class SingularMassError : public Error {
 public:
  using Error::Error;
};

/// A result is beyond all numbers although every argument is finite: one of them is far too large.
class OverflowError : public Error {
 public:
  using Error::Error;
};

/// A file cannot be read or is wrong: `FILE:LINE:COLUMN: key: found X, expected Y`, a line an error, the first 50.
class FileError : public Error {
 public:
  using Error::Error;
};

/// A simulation cannot go on: link, time and state are in the text.
class SimulationError : public Error {
 public:
  using Error::Error;
};

}  // namespace cuttle
