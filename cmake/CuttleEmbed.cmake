# Text files as constants of a C++ header, for programs that must not look for them: `k_NAME` in namespace cuttle holds
# the text of NAME.yaml. The header is written again when a file changes.
function(cuttle_embed_texts header)
  set(constants "")
  foreach(file IN LISTS ARGN)
    cmake_path(GET file STEM name)
    file(READ "${file}" text)
    string(APPEND constants "inline constexpr const char* k_${name} = R\"file(${text})file\";\n")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  endforeach()
  file(CONFIGURE OUTPUT "${header}" @ONLY NEWLINE_STYLE UNIX
       CONTENT "#pragma once\n\nnamespace cuttle {\n\n@constants@\n}  // namespace cuttle\n")
endfunction()
