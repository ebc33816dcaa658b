# `cmake --install`: headers, library and what find_package(cuttle) reads. Components: library, development, tool (packages of
# Debian, CuttlePackages.cmake) and python (a wheel).
include(CMakePackageConfigHelpers)

set(config_dir "${CMAKE_INSTALL_LIBDIR}/cmake/cuttle")
install(
  TARGETS cuttle
  EXPORT cuttleTargets
  LIBRARY COMPONENT library NAMELINK_COMPONENT development
  ARCHIVE COMPONENT development)
install(
  DIRECTORY "${PROJECT_SOURCE_DIR}/include/cuttle" "${PROJECT_BINARY_DIR}/generated/include/cuttle"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  COMPONENT development
  FILES_MATCHING PATTERN "*.h")
install(EXPORT cuttleTargets NAMESPACE cuttle:: DESTINATION "${config_dir}" COMPONENT development)
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/cuttleConfig.cmake.in" "${PROJECT_BINARY_DIR}/cuttleConfig.cmake"
                              INSTALL_DESTINATION "${config_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/cuttleConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(
  FILES "${PROJECT_BINARY_DIR}/cuttleConfig.cmake" "${PROJECT_BINARY_DIR}/cuttleConfigVersion.cmake"
        "${PROJECT_SOURCE_DIR}/cmake/FindHdf5C.cmake" "${PROJECT_SOURCE_DIR}/cmake/FindSundialsSolvers.cmake"
        "${PROJECT_SOURCE_DIR}/cmake/FindMetis.cmake"
  DESTINATION "${config_dir}"
  COMPONENT development)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs/schema/" DESTINATION "${CMAKE_INSTALL_DATADIR}/cuttle" COMPONENT tool)
