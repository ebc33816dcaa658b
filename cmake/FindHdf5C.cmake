# Hdf5C::hdf5: the serial C library of HDF5. CMake's own FindHDF5 would make C a language of every project that uses
# Cuttle.
find_path(Hdf5C_INCLUDE_DIR hdf5.h PATH_SUFFIXES hdf5/serial)
find_library(Hdf5C_LIBRARY NAMES hdf5_serial hdf5 PATH_SUFFIXES hdf5/serial)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Hdf5C REQUIRED_VARS Hdf5C_LIBRARY Hdf5C_INCLUDE_DIR)
mark_as_advanced(Hdf5C_INCLUDE_DIR Hdf5C_LIBRARY)
if(Hdf5C_FOUND AND NOT TARGET Hdf5C::hdf5)
  add_library(Hdf5C::hdf5 UNKNOWN IMPORTED)
  set_target_properties(Hdf5C::hdf5 PROPERTIES IMPORTED_LOCATION "${Hdf5C_LIBRARY}"
                                               INTERFACE_INCLUDE_DIRECTORIES "${Hdf5C_INCLUDE_DIR}")
endif()
