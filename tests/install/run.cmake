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
run("${work}/build/two_segment_arm")
run("${work}/build/own_body")
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
