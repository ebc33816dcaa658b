#include "arrays.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "cuttle/error.h"

namespace cuttle::python {
namespace {

/// A function of NumPy, found once: the interpreter keeps it to its end.
PyObject* numpy_function(const char* name) {
  nb::object function = nb::module_::import_("numpy").attr(name);
  return function.release().ptr();
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
  if (PyObject_CheckBuffer(source) != 0 && view(source)) return true;
  if (source == Py_None || PyUnicode_Check(source) != 0 || PyBytes_Check(source) != 0) return false;
  try {
    static PyObject* const contiguous = numpy_function("ascontiguousarray");
    static PyObject* const float64 = numpy_function("float64");
    const nb::object copy = nb::steal(PyObject_CallFunctionObjArgs(contiguous, source, float64, nullptr));
    if (copy.is_valid()) return view(copy.ptr());  // which keeps the copy alive
  } catch (const nb::python_error&) {              // no NumPy
  }
  PyErr_Clear();
  return false;
}

std::string Numbers::shape_text() const {
  std::string text = "(";
  for (int i = 0; i < buffer_.ndim; ++i) text += (i > 0 ? ", " : "") + std::to_string(buffer_.shape[i]);
  return text + (buffer_.ndim == 1 ? ",)" : ")");
}

Eigen::Map<const VectorXd> Numbers::vector(const char* name) const {
  if (buffer_.ndim != 1) throw ArgumentError(name, "an array of shape " + shape_text(), "one of one dimension");
  return {data(), buffer_.shape[0]};
}

Eigen::Map<const RowMatrix> Numbers::rows(const char* name) const {
  if (buffer_.ndim != 2) throw ArgumentError(name, "an array of shape " + shape_text(), "one of two dimensions");
  return {data(), buffer_.shape[0], buffer_.shape[1]};
}

Array new_array(std::initializer_list<Eigen::Index> shape, double*& numbers) {
  static PyObject* const empty = numpy_function("empty");
  nb::object size;
  if (shape.size() == 1) {
    size = nb::steal(PyLong_FromSsize_t(*shape.begin()));
  } else {
    size = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(shape.size())));
    Py_ssize_t i = 0;
    for (const Eigen::Index extent : shape) PyTuple_SET_ITEM(size.ptr(), i++, PyLong_FromSsize_t(extent));
  }
  auto array = nb::steal<Array>(PyObject_CallOneArg(empty, size.ptr()));
  Py_buffer buffer;
  if (!array.is_valid() || PyObject_GetBuffer(array.ptr(), &buffer, PyBUF_WRITABLE) != 0) throw nb::python_error();
  numbers = static_cast<double*>(buffer.buf);
  PyBuffer_Release(&buffer);  // the numbers stay as long as the array does
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
}

std::function<void()> signal_watch() {
  using Clock = std::chrono::steady_clock;
  return [last = Clock::now()]() mutable {
    const Clock::time_point now = Clock::now();
    if (now - last < std::chrono::milliseconds(50)) return;
    last = now;
    check_signals();
  };
}

}  // namespace cuttle::python
