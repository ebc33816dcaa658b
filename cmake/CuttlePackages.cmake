# Debian packages: `make deb`, or `cpack` in a build that was configured with the prefix /usr. What goes into which is said by
# the components of the install rules; a test looks whether each file has one (tests/packages).
#
# The library's package carries its SONAME, as Debian has it: programs that need another one keep theirs.
set(library_package "libcuttle${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}")
set(development_package libcuttle-dev)
set(tool_package cuttle)
set(CPACK_COMPONENTS_ALL library development)
if(TARGET cuttle_tool)
  list(APPEND CPACK_COMPONENTS_ALL tool)
endif()

# what Debian asks of every package
set(changelog "${PROJECT_BINARY_DIR}/generated/changelog.gz")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/CHANGELOG.md")
file(ARCHIVE_CREATE OUTPUT "${changelog}" PATHS "${PROJECT_SOURCE_DIR}/CHANGELOG.md" FORMAT raw COMPRESSION GZip
     COMPRESSION_LEVEL 9)
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  install(FILES "${PROJECT_SOURCE_DIR}/cmake/copyright" "${changelog}" DESTINATION "share/doc/${${component}_package}"
          COMPONENT ${component} EXCLUDE_FROM_ALL)
endforeach()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME cuttle)
set(CPACK_PACKAGE_VENDOR "the Cuttle authors")
set(CPACK_PACKAGE_CONTACT "the Cuttle authors <cuttle@localhost>" CACHE STRING "Who made the packages: Name <address>")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGING_INSTALL_PREFIX "${CMAKE_INSTALL_PREFIX}")  # where the library goes was decided with it
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)  # one package each
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${PROJECT_BINARY_DIR}")
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(exactly "(= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME ${library_package})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION
    "The shared library: inverse and forward dynamics, statics and simulation of
robots of rigid bodies, rods and soft volumes.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME ${development_package})
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_GENERATE_SHLIBS OFF)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${library_package} ${exactly}, libeigen3-dev (>= 3.4)")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
    "Headers, and what find_package(cuttle) of CMake reads.")

set(CPACK_DEBIAN_TOOL_PACKAGE_NAME ${tool_package})
set(CPACK_DEBIAN_TOOL_PACKAGE_SECTION science)
set(CPACK_DEBIAN_TOOL_PACKAGE_GENERATE_SHLIBS OFF)
set(CPACK_DEBIAN_TOOL_PACKAGE_DEPENDS "${library_package} ${exactly}")
set(CPACK_COMPONENT_TOOL_DESCRIPTION
    "The command: checks, simulates and shows robots that files describe; its
pages open in any browser. With completions for bash, zsh and fish, and the
schemas of the files.")
include(CPack)
