#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "cuttle/api.h"
#include "cuttle/diagnostic.h"

namespace CUTTLE_API cuttle {

/// Root of everything that Cuttle throws. `what()` says where, what was found and what was expected; the same are there
/// as data where the place is a part of a description.
/// @code
/// throw ModelError("section.radius", number, "a number > 0 [m]");  // "section.radius: found -1, expected a number .."
/// throw ModelError({"primitives", k}, "found a coefficient that is not finite");
/// throw ModelError("a rope has no port at its base");
/// @endcode
class Error : public std::runtime_error {
 public:
  explicit Error(Diagnostic diagnostic);
  Error(KeyPath path, std::string message) : Error(Diagnostic(std::move(path), std::move(message))) {}
  Error(KeyPath path, std::string found, std::string expected)
      : Error(Diagnostic(std::move(path), std::move(found), std::move(expected))) {}
  ~Error() override;  // in the library, here and below: one home for each type's identity, also across plugins

  const char* what() const noexcept override;
  const Diagnostic& diagnostic() const noexcept { return *diagnostic_; }
  const KeyPath& path() const noexcept { return diagnostic_->path(); }              ///< links[0].body.section.radius
  const std::string& found() const noexcept { return diagnostic_->found(); }        ///< empty for free text
  const std::string& expected() const noexcept { return diagnostic_->expected(); }  ///< empty for free text

  /// Puts a place in front; then `throw;` throws the same error, of whatever class, on.
  void place_in(const KeyPath& place, const std::string& name = "");

 private:
  std::shared_ptr<const Diagnostic> diagnostic_;  // shared: copies of an exception must not throw
};

/// Does a part of some work; an error that leaves it is at that place (Diagnostic::place_in).
template <typename Work>
decltype(auto) at_place(const KeyPath& place, const std::string& name, const Work& work) {
  try {
    return work();
  } catch (Error& error) {
    error.place_in(place, name);
    throw;
  }
}

/// An argument of a public function has the wrong size, is not finite, or is outside its range.
class ArgumentError : public Error {
 public:
  using Error::Error;
  ~ArgumentError() override;
};

/// The parameters of a body, joint or robot make no sense.
class ModelError : public Error {
 public:
  using Error::Error;
  ~ModelError() override;
};

/// A body's configuration is outside the set on which its kinematics are defined.
class ConfigurationError : public Error {
 public:
  using Error::Error;
  ~ConfigurationError() override;
};

/// The mass matrix is not positive definite: a coordinate that moves no mass. Names the link.
class SingularMassError : public Error {
 public:
  using Error::Error;
  ~SingularMassError() override;
};

/// A result is beyond all numbers although every argument is finite: one of them is far too large.
class OverflowError : public Error {
 public:
  using Error::Error;
  ~OverflowError() override;
};

/// A file cannot be read or is wrong: `FILE:LINE:COLUMN: key: found X, expected Y`, a line an error, the first 50.
class FileError : public Error {
 public:
  using Error::Error;
  ~FileError() override;
};

/// A simulation cannot go on: link, time and state are in the text.
class SimulationError : public Error {
 public:
  using Error::Error;
  ~SimulationError() override;
};

}  // namespace cuttle
