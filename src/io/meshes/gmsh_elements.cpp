#include "io/meshes/gmsh_elements.h"

namespace cuttle {

const std::map<long, GmshElementKind>& gmsh_element_kinds() {
  static const std::map<long, GmshElementKind> k_kinds{
      {1, {1, "2-node line"}},          {2, {2, "3-node triangle"}},      {3, {2, "4-node quadrangle"}},
      {4, {3, "4-node tetrahedron"}},   {5, {3, "8-node hexahedron"}},    {6, {3, "6-node prism"}},
      {7, {3, "5-node pyramid"}},       {8, {1, "3-node line"}},          {9, {2, "6-node triangle"}},
      {10, {2, "9-node quadrangle"}},   {11, {3, "10-node tetrahedron"}}, {12, {3, "27-node hexahedron"}},
      {13, {3, "18-node prism"}},       {14, {3, "14-node pyramid"}},     {15, {0, "point"}},
      {16, {2, "8-node quadrangle"}},   {17, {3, "20-node hexahedron"}},  {18, {3, "15-node prism"}},
      {19, {3, "13-node pyramid"}},     {20, {2, "9-node triangle"}},     {21, {2, "10-node triangle"}},
      {22, {2, "12-node triangle"}},    {23, {2, "15-node triangle"}},    {24, {2, "15-node triangle"}},
      {25, {2, "21-node triangle"}},    {26, {1, "4-node line"}},         {27, {1, "5-node line"}},
      {28, {1, "6-node line"}},         {29, {3, "20-node tetrahedron"}}, {30, {3, "35-node tetrahedron"}},
      {31, {3, "56-node tetrahedron"}}, {92, {3, "64-node hexahedron"}},  {93, {3, "125-node hexahedron"}}};
  return k_kinds;
}

}  // namespace cuttle
