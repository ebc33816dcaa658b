#include "io/results/hdf5_handle.h"

namespace cuttle {

std::string innermost_hdf5_error() {
  std::string text = "unknown error of HDF5";
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned n, const H5E_error2_t* error, void* data) -> herr_t {
        if (n == 0 && error->desc != nullptr) *static_cast<std::string*>(data) = error->desc;
        return 0;
      },
      &text);
  // "file write failed: time = .., filename = .., errno = 28, error message = 'No space left on device', .."
  const std::string key = "error message = '";
  const auto begin = text.find(key);
  if (begin == std::string::npos) return text;
  const auto first = begin + key.size();
  return text.substr(first, text.find('\'', first) - first);
}

Hdf5Handle hdf5_text_type(std::size_t size) {
  Hdf5Handle type(H5Tcopy(H5T_C_S1));
  H5Tset_size(type, size);
  if (size != H5T_VARIABLE) H5Tset_strpad(type, H5T_STR_NULLPAD);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

}  // namespace cuttle
