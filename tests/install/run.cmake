# Installs the library into a folder of the build tree, looks for what belongs to the tool, then configures, builds and runs
# the project here against it.
set(work "${build}/install_consumer")
file(REMOVE_RECURSE "${work}")
function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
run("${CMAKE_COMMAND}" --install "${build}" --config "${config}" --prefix "${work}/prefix")
foreach(file cuttle/cuttle-robot.schema.json cuttle/cuttle-scenario.schema.json bash-completion/completions/cuttle
             zsh/site-functions/_cuttle fish/vendor_completions.d/cuttle.fish)
  if(EXISTS "${work}/prefix/bin/cuttle" AND NOT EXISTS "${work}/prefix/share/${file}")
    message(FATAL_ERROR "share/${file} is not installed")
  endif()
endforeach()
run("${CMAKE_COMMAND}" -S "${source}" -B "${work}/build" -G "${generator}" "-DCMAKE_CXX_COMPILER=${compiler}"
    "-DCMAKE_BUILD_TYPE=${config}" "-DCMAKE_PREFIX_PATH=${work}/prefix")
run("${CMAKE_COMMAND}" --build "${work}/build" --config "${config}")
foreach(program memory_native memory_unoptimized memory_lto lanes two_segment_arm own_contact)
  run("${work}/build/${program}")
endforeach()
run("${work}/build/own_body")
execute_process(COMMAND "${work}/build/simulate_a_file" "${source}/../../models/examples/pendulum_scenario.yaml"
                OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
if(NOT printed MATCHES "\n10 s: ")
  message(FATAL_ERROR "simulate_a_file printed\n${printed}")
endif()
# one body through three doors: each checks its numbers against closed forms, and all print the same ones
foreach(example custom_body custom_body_derivatives custom_body_function)
  execute_process(COMMAND "${work}/build/${example}" OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
  if(example STREQUAL "custom_body")
    set(first "${printed}")
    message("${printed}")
  elseif(NOT printed STREQUAL first)
    message(FATAL_ERROR "${example} printed\n${printed}custom_body printed\n${first}")
  endif()
endforeach()

# another compiler than the library's
find_program(clang clang++ REQUIRED)
run("${CMAKE_COMMAND}" -S "${source}" -B "${work}/clang" -G "${generator}" "-DCMAKE_CXX_COMPILER=${clang}"
    "-DCMAKE_BUILD_TYPE=${config}" "-DCMAKE_PREFIX_PATH=${work}/prefix" -DONLY_MEMORY=ON)
run("${CMAKE_COMMAND}" --build "${work}/clang" --config "${config}")
run("${work}/clang/memory_native")

# without CMake: Cuttle first agrees with itself; Eigen first, with wider vectors, is refused with advice
file(STRINGS "${work}/build/CMakeCache.txt" eigen REGEX "^Eigen3_DIR:")
string(REGEX REPLACE "^[^=]*=(.*)/share/eigen3/cmake$" "\\1/include/eigen3" eigen "${eigen}")
set(compile "${compiler}" -std=c++20 -fsyntax-only -mavx "-I${work}/prefix/include" "-isystem${eigen}")
run(${compile} "${source}/memory.cpp")
execute_process(COMMAND ${compile} "${source}/eigen_first.cpp" RESULT_VARIABLE code ERROR_VARIABLE text)
if(code EQUAL 0 OR NOT text MATCHES "Eigen a[a-z]+s [a-z ]+ than in Cuttle. Link the target cuttle::cuttle")
  message(FATAL_ERROR "eigen_first.cpp: found code ${code}, expected a refusal that says what to do; printed\n${text}")
endif()
