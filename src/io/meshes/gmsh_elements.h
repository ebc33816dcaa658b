#pragma once

#include <map>

namespace cuttle {

/// A kind of element of Gmsh's files.
struct GmshElementKind {
  int dimension;
  const char* name;
};

/// The kinds by their type, as Gmsh's manual numbers them.
const std::map<long, GmshElementKind>& gmsh_element_kinds();

}  // namespace cuttle
