#pragma once

#include <array>
#include <complex>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "bindings.h"
#include "cuttle/error.h"
#include "cuttle/simulation/batch.h"
#include "cuttle/version.h"

// Values of Python that are structs of plain members: pickled, copied and compared by these.

namespace cuttle::python {

/// The members of a struct, in the order in which they are written: std::tuple(&Pose::rotation, &Pose::position).
template <typename T>
constexpr auto k_members = nullptr;

/// Of these, the ones that count in `==`: not how long something took.
template <typename T>
constexpr auto k_compared = k_members<T>;

template <typename T>
constexpr bool k_is_vector = false;
template <typename T>
constexpr bool k_is_vector<std::vector<T>> = true;
template <typename T>
constexpr bool k_is_optional = false;
template <typename T>
constexpr bool k_is_optional<std::optional<T>> = true;
template <typename T>
constexpr bool k_is_map = false;
template <typename K, typename T>
constexpr bool k_is_map<std::map<K, T>> = true;
template <typename T>
constexpr bool k_is_dense = std::is_base_of_v<Eigen::PlainObjectBase<T>, T>;
template <>
constexpr bool k_is_dense<std::string> = false;

/// Makes bytes of values.
class ValueWriter {
 public:
  static constexpr bool k_reads = false;
  /// @param to_compare  such bytes are equal where the numbers are: -0 is 0, and one NaN is like another.
  explicit ValueWriter(bool to_compare = false) : to_compare_(to_compare) {}
  const std::string& bytes() const { return bytes_; }

  template <typename T>
  void number(T value) {
    if constexpr (std::is_floating_point_v<T>) {
      if (to_compare_) value = value != value ? std::numeric_limits<T>::quiet_NaN() : value + T(0);
    }
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(T));
  }
  void text(std::string_view value) { bytes_.append(value); }

 private:
  bool to_compare_;
  std::string bytes_;
};

/// Makes values of bytes again.
class ValueReader {
 public:
  static constexpr bool k_reads = true;
  explicit ValueReader(std::string_view bytes) : bytes_(bytes) {}

  template <typename T>
  void number(T& value) {
    std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
  }
  void text(std::string& value) { value = take(value.size()); }
  /// How many things there are, each of at least one byte.
  std::size_t checked(std::size_t count) const {
    if (count > bytes_.size()) fail();
    return count;
  }
  void finish() const {
    if (!bytes_.empty()) fail();
  }

 private:
  [[noreturn]] static void fail() {
    throw ArgumentError("pickle", "other bytes than it was written with", "all of it");
  }
  std::string_view take(std::size_t count) {
    const std::string_view taken = bytes_.substr(0, checked(count));
    bytes_.remove_prefix(count);
    return taken;
  }

  std::string_view bytes_;
};

template <typename Archive, typename T>
void archive(Archive& to, T& value);

/// The size of something that has many; the reader gives it that size.
template <typename Archive, typename T>
std::size_t archive_size(Archive& to, T& value) {
  std::size_t size = value.size();
  to.number(size);
  if constexpr (Archive::k_reads) value.resize(to.checked(size));
  return size;
}

/// Writes a value, or reads it: one order for both.
template <typename Archive, typename T>
void archive(Archive& to, T& value) {
  if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
    to.number(value);
  } else if constexpr (std::is_same_v<T, std::string>) {
    archive_size(to, value);
    to.text(value);
  } else if constexpr (std::is_same_v<T, std::complex<double>>) {
    std::array<double, 2> parts{value.real(), value.imag()};
    for (double& part : parts) to.number(part);
    value = {parts[0], parts[1]};
  } else if constexpr (k_is_dense<T>) {
    Eigen::Index rows = value.rows(), columns = value.cols();
    to.number(rows), to.number(columns);
    if constexpr (Archive::k_reads) {
      constexpr Eigen::Index k_most = Eigen::Index(1) << 31;  // no product of two is too large
      if (rows < 0 || columns < 0 || rows > k_most || columns > k_most) {
        throw ArgumentError("pickle", std::to_string(rows) + " x " + std::to_string(columns), "the size of an array");
      }
      to.checked(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));  // 0 where one of them is
      value.resize(rows, columns);
    }
    for (Eigen::Index i = 0; i < value.size(); ++i) archive(to, value.data()[i]);
  } else if constexpr (k_is_vector<T>) {
    archive_size(to, value);
    for (auto& item : value) archive(to, item);
  } else if constexpr (k_is_optional<T>) {
    bool there = value.has_value();
    to.number(there);
    if constexpr (Archive::k_reads) value = there ? T(std::in_place) : T();
    if (there) archive(to, *value);
  } else if constexpr (k_is_map<T>) {
    std::size_t size = value.size();
    to.number(size);
    if constexpr (Archive::k_reads) {
      for (to.checked(size); size > 0; --size) {
        typename T::key_type key;
        archive(to, key);
        archive(to, value[key]);
      }
    } else {
      for (auto& [key, item] : value) {
        typename T::key_type name = key;
        archive(to, name);
        archive(to, item);
      }
    }
  } else {
    std::apply([&](auto... member) { (archive(to, value.*member), ...); }, k_members<T>);
  }
}

template <typename T>
std::string bytes_of(const T& value, bool to_compare = false) {
  ValueWriter writer(to_compare);
  archive(writer, const_cast<T&>(value));  // NOLINT(cppcoreguidelines-pro-type-const-cast): a writer only looks
  return writer.bytes();
}
/// Bytes that are equal where values of a class are.
template <typename T>
std::string compared_bytes(const T& value) {
  ValueWriter writer(true);
  const auto write = [&](auto member) {
    archive(writer, const_cast<T&>(value).*member);  // NOLINT(cppcoreguidelines-pro-type-const-cast): as above
  };
  std::apply([&](auto... member) { (write(member), ...); }, k_compared<T>);
  return writer.bytes();
}
template <typename T>
T value_of(std::string_view bytes) {
  ValueReader reader(bytes);
  T value{};
  archive(reader, value);
  reader.finish();
  return value;
}

/// What stands in a pickle: the version, whose layout of members the bytes have, and these.
using PickledValue = nb::typed<nb::tuple, nb::str, nb::bytes>;
inline PickledValue pickled_bytes(const std::string& bytes) {
  return nb::borrow<PickledValue>(nb::make_tuple(CUTTLE_VERSION, nb::bytes(bytes.data(), bytes.size())));
}
/// @throws ArgumentError for what another version pickled.
std::string_view unpickled_bytes(const nb::tuple& state);

/// Answers of `==` for a class: NotImplemented beside another one.
template <typename T, typename Same>
nb::object answer_equal(const T& a, const nb::object& b, const Same& same) {
  if (!nb::isinstance<T>(b)) return nb::borrow(Py_NotImplemented);
  return nb::bool_(same(a, nb::cast<const T&>(b)));
}

/// Makes the values of a class pickled, copied and compared by their members.
template <typename T>
nb::class_<T> by_members(nb::class_<T> type) {
  type.def("__getstate__", [](const T& value) { return pickled_bytes(bytes_of(value)); })
      .def("__setstate__",
           [](T& value, const nb::tuple& state) {
             T found = value_of<T>(unpickled_bytes(state));
             new (&value) T(std::move(found));
           })
      .def(
          "__eq__",
          [](const T& a, const nb::object& b) {
            return answer_equal(a, b, [](const T& x, const T& y) { return compared_bytes(x) == compared_bytes(y); });
          },
          "other"_a.none(), nb::sig("def __eq__(self, other: object) -> bool"))
      .def("__hash__",
           [](const T& value) { return static_cast<Py_hash_t>(std::hash<std::string>()(compared_bytes(value)) >> 1); });
  return type;
}

/// Of a class whose objects are memory to work in: neither pickled nor copied, and says why.
template <typename T>
nb::class_<T> is_working_memory(nb::class_<T> type, const char* why) {
  type.def(
      "__reduce_ex__", [why](const T& /*memory*/, int /*protocol*/) -> nb::object { throw nb::type_error(why); },
      "protocol"_a);
  return type;
}

// Members of what several parts of the module have.
template <>
inline constexpr auto k_members<Vector3> = std::tuple(&Vector3::x, &Vector3::y, &Vector3::z);
template <>
inline constexpr auto k_members<Matrix3> = std::tuple(&Matrix3::row0, &Matrix3::row1, &Matrix3::row2);
template <>
inline constexpr auto k_members<Pose> = std::tuple(&Pose::rotation, &Pose::position);
template <>
inline constexpr auto k_members<Frame> = std::tuple(&Frame::node, &Frame::node_frame);
template <>
inline constexpr auto k_members<CoordinateInfo> = std::tuple(&CoordinateInfo::name, &CoordinateInfo::unit,
                                                             &CoordinateInfo::meaning);
template <>
inline constexpr auto k_members<ParameterInfo> = std::tuple(&ParameterInfo::path, &ParameterInfo::unit,
                                                            &ParameterInfo::value, &ParameterInfo::given);

template <>
inline constexpr auto k_members<Rollout> = std::tuple(&Rollout::times, &Rollout::q, &Rollout::v, &Rollout::q_samples,
                                                      &Rollout::v_samples, &Rollout::last_q, &Rollout::last_v,
                                                      &Rollout::failure_time, &Rollout::failures);

/// Whether two models are of the same robot: their texts are equal. One with functions has no text, and is equal to
/// itself alone.
bool same_robot(const Model& a, const Model& b);

}  // namespace cuttle::python
