#pragma once

#include <hdf5.h>

#include <string>
#include <vector>

#include "cuttle/error.h"

namespace cuttle {

/// Texts of an attribute, of a fixed or of any length; throws if there is none.
inline std::vector<std::string> attribute_texts(hid_t object, const char* name) {
  const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
  if (attribute < 0) throw Error(std::string("no attribute ") + name);
  const hid_t space = H5Aget_space(attribute), type = H5Aget_type(attribute);
  const auto count = static_cast<std::size_t>(H5Sget_simple_extent_npoints(space));
  std::vector<std::string> texts;
  if (H5Tis_variable_str(type) > 0) {
    std::vector<char*> pointers(count);
    if (count > 0) H5Aread(attribute, type, pointers.data());
    for (const char* text : pointers) texts.emplace_back(text != nullptr ? text : "");
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, pointers.data());
  } else {
    const std::size_t size = H5Tget_size(type);
    std::string bytes(count * size, '\0');
    if (count > 0) H5Aread(attribute, type, bytes.data());
    for (std::size_t i = 0; i < count; ++i) {
      const std::string text = bytes.substr(i * size, size);
      texts.push_back(text.substr(0, text.find_last_not_of('\0') + 1));
    }
  }
  H5Tclose(type), H5Sclose(space), H5Aclose(attribute);
  return texts;
}

/// Puts texts of any length, as results of earlier versions have them, in place of an attribute, or makes it.
inline void replace_texts(hid_t object, const char* name, const std::vector<std::string>& texts, bool list) {
  if (H5Aexists(object, name) > 0) H5Adelete(object, name);
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, H5T_VARIABLE), H5Tset_cset(type, H5T_CSET_UTF8);
  const hsize_t count = texts.size();
  const hid_t space = list ? H5Screate_simple(1, &count, nullptr) : H5Screate(H5S_SCALAR);
  const hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  std::vector<const char*> pointers;
  pointers.reserve(texts.size());
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  if (count > 0) H5Awrite(attribute, type, pointers.data());
  H5Aclose(attribute), H5Sclose(space), H5Tclose(type);
}

/// Reads an HDF5 file; every call throws if what it asks for is not there.
class Reader {
 public:
  explicit Reader(const std::string& path) : file_(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)) { good(file_); }
  ~Reader() { H5Fclose(file_); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  bool has(const std::string& name) const { return H5Lexists(file_, name.c_str(), H5P_DEFAULT) > 0; }
  std::vector<hsize_t> shape(const std::string& name) const {
    const hid_t set = good(H5Dopen2(file_, name.c_str(), H5P_DEFAULT)), space = H5Dget_space(set);
    std::vector<hsize_t> size(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
    H5Sget_simple_extent_dims(space, size.data(), nullptr);
    H5Sclose(space), H5Dclose(set);
    return size;
  }
  std::vector<double> numbers(const std::string& name) const {
    std::size_t count = 1;
    for (const hsize_t n : shape(name)) count *= n;
    std::vector<double> values(count);
    const hid_t set = good(H5Dopen2(file_, name.c_str(), H5P_DEFAULT));
    good(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()));
    H5Dclose(set);
    return values;
  }
  std::vector<std::string> texts(const std::string& object, const std::string& name) const {
    const hid_t place = good(H5Oopen(file_, object.c_str(), H5P_DEFAULT));
    std::vector<std::string> texts = attribute_texts(place, name.c_str());
    H5Oclose(place);
    return texts;
  }
  std::string text(const std::string& name) const { return texts("/", name).at(0); }
  double number(const std::string& object, const std::string& name) const {
    const hid_t attribute = good(H5Aopen_by_name(file_, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT));
    double value = 0.0;
    good(H5Aread(attribute, H5T_NATIVE_DOUBLE, &value));
    H5Aclose(attribute);
    return value;
  }

 private:
  template <typename Id>
  static Id good(Id id) {
    if (id < 0) throw Error("HDF5 cannot do this");
    return id;
  }
  hid_t file_;
};

}  // namespace cuttle
