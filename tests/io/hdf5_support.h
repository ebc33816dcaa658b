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

}  // namespace cuttle
