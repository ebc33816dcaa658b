# cmake -D source=.. -D folder=.. -D generator=.. -D compiler=.. -P run.cmake
#
# Configures, builds and runs the project here: as this system has it, without an objcopy that can merge, and for one
# instruction set because it was asked for.
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE "${folder}")

function(try name said not_said printed)  # ARGN: options of CMake
  set(configure "${CMAKE_COMMAND}" -S "${source}" -B "${folder}/${name}" -G "${generator}" "-DCMAKE_CXX_COMPILER=${compiler}"
                -DCMAKE_BUILD_TYPE=Debug ${ARGN})
  execute_process(COMMAND ${configure} OUTPUT_VARIABLE text ERROR_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX REPLACE "[ \n]+" " " text "${text}")  # warnings are wrapped
  if(NOT text MATCHES "${said}" OR (not_said AND text MATCHES "${not_said}"))
    message(FATAL_ERROR "${name}: found, of CMake:\n${text}\nexpected '${said}' in it, and not '${not_said}'")
  endif()
  execute_process(COMMAND "${CMAKE_COMMAND}" --build "${folder}/${name}" OUTPUT_VARIABLE text ERROR_VARIABLE text RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${name}: the build fails:\n${text}")
  endif()
  execute_process(COMMAND "${folder}/${name}/program" OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  if(NOT text MATCHES "^widths: ${printed}\n$")
    message(FATAL_ERROR "${name}: found '${text}', expected 'widths: ${printed}'")
  endif()
endfunction()

try(here "Instruction sets: baseline" "one instruction set alone" "2( 4)?( 8)?")
try(no_objcopy "one instruction set alone.*objcopy" "" "2" -DCMAKE_OBJCOPY=/nowhere/objcopy)
try(other_linker "one instruction set alone.*Expected ld and objcopy" "" "2" -DCMAKE_LINKER=/bin/false)
try(asked "Instruction sets: baseline" "one instruction set alone" "2" -DCUTTLE_ONE_INSTRUCTION_SET=ON)
