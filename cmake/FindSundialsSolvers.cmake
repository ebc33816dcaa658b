# SundialsSolvers::solvers: CVODE and ARKODE of SUNDIALS 6 with serial vectors and dense matrices. SUNDIALS' own
# configuration file asks for all of its parts, MPI and PETSc included.
find_path(SundialsSolvers_INCLUDE_DIR cvode/cvode.h)
set(libraries "")
set(variables "")
foreach(name IN ITEMS cvode arkode nvecserial sunmatrixdense sunlinsoldense generic)
  find_library(SundialsSolvers_${name}_LIBRARY sundials_${name})
  mark_as_advanced(SundialsSolvers_${name}_LIBRARY)
  list(APPEND variables SundialsSolvers_${name}_LIBRARY)
  list(APPEND libraries "${SundialsSolvers_${name}_LIBRARY}")
endforeach()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SundialsSolvers REQUIRED_VARS SundialsSolvers_INCLUDE_DIR ${variables})
mark_as_advanced(SundialsSolvers_INCLUDE_DIR)
if(SundialsSolvers_FOUND AND NOT TARGET SundialsSolvers::solvers)
  add_library(SundialsSolvers::solvers INTERFACE IMPORTED)
  set_target_properties(
    SundialsSolvers::solvers PROPERTIES INTERFACE_LINK_LIBRARIES "${libraries}"
                                        INTERFACE_INCLUDE_DIRECTORIES "${SundialsSolvers_INCLUDE_DIR}")
endif()
