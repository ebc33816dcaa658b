#pragma once

#include <nanobind/nanobind.h>

#include <functional>
#include <initializer_list>
#include <string>

#include "cuttle/error.h"
#include "cuttle/model/model.h"

// Numbers from and to NumPy. Arguments are read where they are; results are arrays of their own, which no later call
// changes.

namespace cuttle::python {

namespace nb = nanobind;
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// What is returned: a new array of float64.
class Array : public nb::object {
  static bool is_array(PyObject* /*object*/) { return true; }

 public:
  NB_OBJECT(Array, nb::object, "numpy.typing.NDArray[numpy.float64]", is_array)
};

/// An argument is something else than numbers: cuttle.ArgumentTypeError, which is a TypeError too.
class ArgumentTypeError : public ArgumentError {
 public:
  using ArgumentError::ArgumentError;
};

/// Numbers of an argument: those of an array if it is contiguous and of float64, else of a copy. Valid during the call.
/// What would lose something as numbers - masks, texts, imaginary parts - is refused (cuttle/_numbers.py).
class Numbers {
 public:
  Numbers() = default;
  Numbers(const Numbers&) = delete;
  Numbers& operator=(const Numbers&) = delete;
  Numbers(Numbers&& other) noexcept : buffer_(other.buffer_), found_(std::move(other.found_)) { other.buffer_ = {}; }
  Numbers& operator=(Numbers&&) = delete;
  ~Numbers() { PyBuffer_Release(&buffer_); }

  /// @return false for what is no numbers; what is asked for by name below says then what it was.
  bool take(PyObject* source) noexcept;
  /// @param name  of the argument, for messages.   @throws ArgumentTypeError if it is no numbers.
  void require(const char* name) const;
  /// @throws ArgumentTypeError, ArgumentError unless it has one dimension.
  Eigen::Map<const VectorXd> vector(const char* name) const;
  /// Likewise with two.
  Eigen::Map<const RowMatrix> rows(const char* name) const;
  int dimensions() const { return buffer_.ndim; }
  Eigen::Index extent(int dimension) const { return buffer_.shape[dimension]; }
  const double* data() const { return static_cast<const double*>(buffer_.buf); }
  std::string shape_text() const;

 private:
  bool view(PyObject* source) noexcept;
  Py_buffer buffer_{};
  std::string found_;  ///< instead of numbers
};

/// A new array, and where its numbers are.
Array new_array(std::initializer_list<Eigen::Index> shape, double*& numbers);
Array to_numpy(const VectorXd& vector);
Array to_numpy(const MatrixXd& matrix);
Array to_numpy(const RowMatrix& matrix);
template <typename T>
Array to_numpy(const std::vector<T>& values) {
  double* numbers = nullptr;
  Array array = new_array({static_cast<Eigen::Index>(values.size())}, numbers);
  for (const T& value : values) *numbers++ = static_cast<double>(value);
  return array;
}

/// Throws what a handler of signals raised, as KeyboardInterrupt. Anywhere, with or without the interpreter's lock.
void check_signals();
/// The same 20 times a second, however often it is called: the heartbeat of what may take long.
std::function<void()> signal_watch();

}  // namespace cuttle::python

namespace nanobind::detail {

template <>
struct type_caster<cuttle::python::Numbers> {
  NB_TYPE_CASTER(cuttle::python::Numbers, const_name("numpy.typing.ArrayLike"))
  bool from_python(handle source, uint32_t /*flags*/, cleanup_list* /*cleanup*/) noexcept {
    value.take(source.ptr());  // the function says by name what is wrong with it
    return true;
  }
  static handle from_cpp(const cuttle::python::Numbers&, rv_policy, cleanup_list*) noexcept { return {}; }
};

}  // namespace nanobind::detail
