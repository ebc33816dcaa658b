# SundialsSolvers::solvers: CVODE and ARKODE of SUNDIALS 6 or 7 with serial vectors and dense matrices. SUNDIALS' own
# configuration file asks for all of its parts, MPI and PETSc included.
find_path(SundialsSolvers_INCLUDE_DIR cvode/cvode.h)
set(libraries "")
set(variables "")
set(SundialsSolvers_core_names sundials_core sundials_generic)  # as of version 7, and before
foreach(name IN ITEMS cvode arkode nvecserial sunmatrixdense sunlinsoldense core)
  find_library(SundialsSolvers_${name}_LIBRARY NAMES ${SundialsSolvers_${name}_names} sundials_${name})
  mark_as_advanced(SundialsSolvers_${name}_LIBRARY)
  list(APPEND variables SundialsSolvers_${name}_LIBRARY)
  list(APPEND libraries "${SundialsSolvers_${name}_LIBRARY}")
endforeach()
# Where it was built with MPI, as in Debian 13, headers of version 7 include MPI's, and the empty communicator is a symbol of it.
set(SundialsSolvers_MPI_INCLUDE "")
if(EXISTS "${SundialsSolvers_INCLUDE_DIR}/sundials/sundials_config.h")
  file(STRINGS "${SundialsSolvers_INCLUDE_DIR}/sundials/sundials_config.h" with_mpi REGEX "^#define SUNDIALS_(MPI_ENABLED 1|VERSION_MAJOR [0-6])$")
  if(with_mpi STREQUAL "#define SUNDIALS_MPI_ENABLED 1")
    find_path(SundialsSolvers_mpi_INCLUDE_DIR mpi.h PATH_SUFFIXES mpi openmpi HINTS "/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openmpi/include")
    find_library(SundialsSolvers_mpi_LIBRARY mpi)
    mark_as_advanced(SundialsSolvers_mpi_INCLUDE_DIR SundialsSolvers_mpi_LIBRARY)
    list(APPEND variables SundialsSolvers_mpi_INCLUDE_DIR SundialsSolvers_mpi_LIBRARY)
    list(APPEND libraries "${SundialsSolvers_mpi_LIBRARY}")
    set(SundialsSolvers_MPI_INCLUDE "${SundialsSolvers_mpi_INCLUDE_DIR}")
  endif()
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SundialsSolvers REQUIRED_VARS SundialsSolvers_INCLUDE_DIR ${variables})
mark_as_advanced(SundialsSolvers_INCLUDE_DIR)
if(SundialsSolvers_FOUND AND NOT TARGET SundialsSolvers::solvers)
  add_library(SundialsSolvers::solvers INTERFACE IMPORTED)
  set_target_properties(
    SundialsSolvers::solvers PROPERTIES INTERFACE_LINK_LIBRARIES "${libraries}"
                                        INTERFACE_INCLUDE_DIRECTORIES "${SundialsSolvers_INCLUDE_DIR};${SundialsSolvers_MPI_INCLUDE}")
endif()
