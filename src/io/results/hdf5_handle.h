#pragma once

#include <hdf5.h>

#include <string>
#include <utility>

namespace cuttle {

/// Keeps HDF5 from printing while it lives.
class QuietHdf5 {
 public:
  QuietHdf5() {
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~QuietHdf5() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }
  QuietHdf5(const QuietHdf5&) = delete;
  QuietHdf5& operator=(const QuietHdf5&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

/// Owns an HDF5 identifier of any kind.
class Hdf5Handle {
 public:
  Hdf5Handle() = default;
  explicit Hdf5Handle(hid_t id) : id_(id) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)) {}
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }
  ~Hdf5Handle() { close(); }
  operator hid_t() const { return id_; }  // NOLINT(google-explicit-constructor): stands for it in C calls
  /// @return false if what was buffered could not be written.
  bool close() {
    const hid_t id = std::exchange(id_, H5I_INVALID_HID);
    return id < 0 || !(H5Iget_type(id) == H5I_FILE ? H5Fclose(id) < 0 : H5Idec_ref(id) < 0);
  }

 private:
  hid_t id_ = H5I_INVALID_HID;
};

/// Text of the error that HDF5 met first: what went wrong underneath, such as a full disk.
std::string innermost_hdf5_error();

/// Type of texts in UTF-8, of so many bytes, shorter ones filled with zeros; or of any length.
Hdf5Handle hdf5_text_type(std::size_t size = H5T_VARIABLE);

}  // namespace cuttle
