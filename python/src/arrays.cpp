#include "arrays.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <exception>
#include <memory>

#include "interpreter_end.h"

namespace cuttle::python {
namespace {

/// A part of a module, found once: the interpreter keeps it to its end.
PyObject* kept_part(const char* module, const char* name) {
  nb::object part = nb::module_::import_(module).attr(name);
  return part.release().ptr();
}

/// Calls a function with one argument, through what the stable ABI has. Null, with Python's error set, if it raised.
PyObject* call(PyObject* function, PyObject* argument) { return PyObject_Vectorcall(function, &argument, 1, nullptr); }

/// Whether it is an array of NumPy itself, and not of a class that means more by it, as masked arrays do.
bool is_plain_array(PyObject* source) {
  static PyObject* const array = kept_part("numpy", "ndarray");
  return reinterpret_cast<PyObject*>(Py_TYPE(source)) == array;
}

}  // namespace

bool Numbers::view(PyObject* source) noexcept {
  if (PyObject_GetBuffer(source, &buffer_, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) != 0) {
    PyErr_Clear();
    buffer_ = {};
    return false;
  }
  if (buffer_.format != nullptr && std::strcmp(buffer_.format, "d") == 0) return true;
  PyBuffer_Release(&buffer_);
  return false;
}

bool Numbers::take(PyObject* source) noexcept {
  PyBuffer_Release(&buffer_);
  found_.clear();
  try {
    if (is_plain_array(source) && view(source)) return true;
    static PyObject* const contiguous = kept_part("cuttle._numbers", "contiguous");
    const nb::object copy = nb::steal(call(contiguous, source));
    if (!copy.is_valid()) throw nb::python_error();
    if (view(copy.ptr())) return true;  // which keeps the copy alive
    found_ = nb::cast<std::string>(copy);
  } catch (const std::exception& error) {
    found_ = error.what();
  }
  return false;
}

void Numbers::require(const char* name) const {
  if (!found_.empty()) throw ArgumentTypeError(name, found_, "numbers");
}

std::string Numbers::shape_text() const {
  std::string text = "(";
  for (int i = 0; i < buffer_.ndim; ++i) text += (i > 0 ? ", " : "") + std::to_string(buffer_.shape[i]);
  return text + (buffer_.ndim == 1 ? ",)" : ")");
}

Eigen::Map<const VectorXd> Numbers::vector(const char* name) const {
  require(name);
  if (buffer_.ndim != 1) throw ArgumentError(name, "an array of shape " + shape_text(), "one of one dimension");
  return {data(), buffer_.shape[0]};
}

Eigen::Map<const RowMatrix> Numbers::rows(const char* name) const {
  require(name);
  if (buffer_.ndim != 2) throw ArgumentError(name, "an array of shape " + shape_text(), "one of two dimensions");
  return {data(), buffer_.shape[0], buffer_.shape[1]};
}

namespace {

/// @throws if it is no buffer that can be written to.
double* writable_buffer(PyObject* array) {
  Py_buffer buffer;
  if (PyObject_GetBuffer(array, &buffer, PyBUF_WRITABLE) != 0) throw nb::python_error();
  auto* const numbers = static_cast<double*>(buffer.buf);
  PyBuffer_Release(&buffer);  // the numbers stay as long as the array does
  return numbers;
}

/// Where the numbers of an array of NumPy's own are. Its headers (PyArray_DATA) read them behind the object's head,
/// which takes no time; the buffer protocol takes as long as making the array. The first array says whether both agree.
double* numbers_of(PyObject* array) {
  struct Fields {
    PyObject head;
    double* data;
  };
  static const bool k_as_in_its_headers = writable_buffer(array) == reinterpret_cast<const Fields*>(array)->data;
  return k_as_in_its_headers ? reinterpret_cast<const Fields*>(array)->data : writable_buffer(array);
}

}  // namespace

Array new_array(std::initializer_list<Eigen::Index> shape, double*& numbers) {
  static PyObject* const empty = kept_part("numpy", "empty");
  nb::object size;
  if (shape.size() == 1) {
    size = nb::steal(PyLong_FromSsize_t(*shape.begin()));
  } else {
    size = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(shape.size())));
    Py_ssize_t i = 0;
    for (const Eigen::Index extent : shape) PyTuple_SetItem(size.ptr(), i++, PyLong_FromSsize_t(extent));
  }
  auto array = nb::steal<Array>(call(empty, size.ptr()));
  if (!array.is_valid()) throw nb::python_error();
  numbers = numbers_of(array.ptr());
  return array;
}

Array to_numpy(const VectorXd& vector) {
  double* numbers = nullptr;
  Array array = new_array({vector.size()}, numbers);
  std::copy_n(vector.data(), vector.size(), numbers);
  return array;
}

Array to_numpy(const MatrixXd& matrix) {
  double* numbers = nullptr;
  Array array = new_array({matrix.rows(), matrix.cols()}, numbers);
  Eigen::Map<RowMatrix>(numbers, matrix.rows(), matrix.cols()) = matrix;
  return array;
}

Array to_numpy(const RowMatrix& matrix) {
  double* numbers = nullptr;
  Array array = new_array({matrix.rows(), matrix.cols()}, numbers);
  std::copy_n(matrix.data(), matrix.size(), numbers);
  return array;
}

void check_signals() {
  const nb::gil_scoped_acquire lock;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
  check_interpreter();
}

std::function<void()> signal_watch() {
  return [watch = idle_signal_watch(), work = std::make_shared<Work>()] { watch(); };
}

std::function<void()> idle_signal_watch() {
  using Clock = std::chrono::steady_clock;
  return [last = Clock::now()]() mutable {
    const Clock::time_point now = Clock::now();
    if (now - last < std::chrono::milliseconds(50)) return;
    last = now;
    check_signals();
  };
}

}  // namespace cuttle::python
