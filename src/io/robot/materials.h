#pragma once

#include <list>
#include <map>
#include <string>

#include "cuttle/io/part_reader.h"
#include "cuttle/model/material.h"

namespace cuttle {

/// A material of the file.
template <typename S>
struct ReadMaterialT {
  MaterialT<S> material;
  bool good = false;  ///< read without errors
  bool used = false;
};
template <typename S>
struct ReadMaterialsT {
  std::map<std::string, ReadMaterialT<S>> named;
  std::list<ReadMaterialT<S>> own;  ///< of one body each
};

/// Its name in files: linear, neo_hookean, .., or that of its law.
template <typename S>
std::string material_type(const MaterialT<S>& material);

template <typename S>
ReadMaterialT<S> read_material(const YamlMap& map, NamedFiles& files);

/// The material that a body names, now used, or that stands in its place; null, with an error, if there is none of that
/// name (without error if the body has no such key).
template <typename S>
ReadMaterialT<S>* find_material(const PartReader<S>& body);

}  // namespace cuttle
