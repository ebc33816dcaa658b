# Cminpack::cminpack: MINPACK's nonlinear least squares, the port to C. Its header is included as <cminpack-1/cminpack.h>.
find_path(Cminpack_INCLUDE_DIR cminpack-1/cminpack.h)
find_library(Cminpack_LIBRARY cminpack)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Cminpack REQUIRED_VARS Cminpack_LIBRARY Cminpack_INCLUDE_DIR)
mark_as_advanced(Cminpack_INCLUDE_DIR Cminpack_LIBRARY)
if(Cminpack_FOUND AND NOT TARGET Cminpack::cminpack)
  add_library(Cminpack::cminpack UNKNOWN IMPORTED)
  set_target_properties(Cminpack::cminpack PROPERTIES IMPORTED_LOCATION "${Cminpack_LIBRARY}"
                                                      INTERFACE_INCLUDE_DIRECTORIES "${Cminpack_INCLUDE_DIR}")
endif()
