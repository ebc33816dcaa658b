#include "own_law.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "callables.h"
#include "cuttle/error.h"
#include "cuttle/model/transmission_binder.h"

namespace cuttle::python {
namespace {

template <typename S>
class OneCoordinate final : public CastTransmission<OneCoordinate, S> {
 public:
  explicit OneCoordinate(LinkCoordinate coordinate) : at_(std::move(coordinate)) {}
  std::string type_name() const override { return "coordinate"; }
  std::vector<std::string> links() const override { return {at_.link}; }
  void bind(TransmissionBinderT<S>& to) const override {
    const LinkInfoT<S>& info = *to.link(at_.link).info;
    if (at_.index < 0 || at_.index >= info.nv) {
      throw ModelError("index", std::to_string(at_.index),
                       "less than " + std::to_string(info.nv) + " (coordinates of the link '" + at_.link + "')");
    }
    if (at_.index < info.joint_nv && info.joint_nq != info.joint_nv) {
      throw ModelError("link", "'" + at_.link + "', whose joint has a quaternion", "coordinates that are numbers");
    }
    const int row = info.v + at_.index;
    to.add_linear(to.model().velocity_info()[row].unit == "m/s" ? "N" : "N m", S(0.0))[row] = S(1.0);
  }
  template <typename T>
  OneCoordinate<T> cast() const {
    return OneCoordinate<T>(at_);
  }

 private:
  LinkCoordinate at_;
};

class PythonLaw final : public EffortLawT<double> {
 public:
  explicit PythonLaw(const nb::object& part)
      : part_(part),
        count_(nb::cast<int>(part.attr("count"))),
        inputs_(nb::cast<std::vector<std::string>>(part.attr("inputs"))),
        stores_(!nb::object(part.attr("energy")).is_none()) {}

  std::string type_name() const override { return "python"; }
  int transmission_count() const override { return count_; }
  int input_count() const override { return static_cast<int>(inputs_.size()); }
  int state_count() const override { return 0; }
  int output_count() const override { return count_; }
  std::vector<CoordinateInfo> inputs() const override {
    std::vector<CoordinateInfo> infos;
    for (const std::string& name : inputs_) infos.push_back({name, "1"});
    return infos;
  }
  std::vector<ElementOutputInfo> outputs() const override {
    std::vector<ElementOutputInfo> infos;
    infos.reserve(static_cast<std::size_t>(count_));
    for (int i = 0; i < count_; ++i) infos.push_back({count_ == 1 ? "effort" : "effort" + std::to_string(i), ""});
    return infos;
  }

  void evaluate(const EffortArgumentsT<double>& at, double* efforts, double* /*state_rates*/) const override {
    const InterpreterLock lock;
    copy(ask("_efforts", at), count_, efforts);
  }
  void derivatives(const EffortArgumentsT<double>& at, double* matrix) const override {
    const InterpreterLock lock;
    copy(ask("_slopes", at), count_ * (2 * count_ + input_count()), matrix);
  }
  void evaluate_outputs(const EffortArgumentsT<double>& /*at*/, const double* efforts, double* outputs) const override {
    std::copy_n(efforts, count_, outputs);
  }
  double stored_energy(const EffortArgumentsT<double>& at) const override {
    if (!stores_) return 0.0;
    const InterpreterLock lock;
    return nb::cast<double>((*part_).attr("_stored")(numbers(at.y, count_), nb::none()));
  }
  double stored_power(const EffortArgumentsT<double>& at, const double* /*state_rates*/) const override {
    if (!stores_) return 0.0;
    const InterpreterLock lock;
    return nb::cast<double>((*part_).attr("_stored")(numbers(at.y, count_), numbers(at.rate, count_)));
  }

  std::shared_ptr<const EffortLawT<double>> clone_as(ScalarTag<double>) const override {
    return std::make_shared<const PythonLaw>(*this);
  }

 private:
  static Array numbers(const double* from, int count) {
    double* to = nullptr;
    Array array = new_array({count}, to);
    std::copy_n(from, count, to);
    return array;
  }
  nb::object ask(const char* method, const EffortArgumentsT<double>& at) const {
    return (*part_).attr(method)(at.time, numbers(at.y, count_), numbers(at.rate, count_),
                                 numbers(at.input, input_count()));
  }
  static void copy(const nb::object& answer, int expected, double* to) {
    Numbers found;
    found.take(answer.ptr());
    found.require("element");
    Eigen::Index count = 1;
    for (int i = 0; i < found.dimensions(); ++i) count *= found.extent(i);
    if (count != expected) {
      throw ArgumentError("derivatives", std::to_string(count) + " numbers", std::to_string(expected));
    }
    std::copy_n(found.data(), expected, to);
  }

  SharedObject part_;
  int count_;
  std::vector<std::string> inputs_;
  bool stores_;
};

}  // namespace

std::shared_ptr<const EffortLawT<double>> make_python_law(const nb::object& part) {
  return std::make_shared<const PythonLaw>(part);
}

std::shared_ptr<const Transmission> make_coordinate_transmission(const std::string& link, int index) {
  return std::make_shared<const OneCoordinate<double>>(LinkCoordinate{link, index});
}

}  // namespace cuttle::python
