# Installs the library into a folder of the build tree, then configures, builds and runs the project here against it.
set(work "${build}/install_consumer")
file(REMOVE_RECURSE "${work}")
function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
run("${CMAKE_COMMAND}" --install "${build}" --config "${config}" --prefix "${work}/prefix")
run("${CMAKE_COMMAND}" -S "${source}" -B "${work}/build" -G "${generator}" "-DCMAKE_CXX_COMPILER=${compiler}"
    "-DCMAKE_BUILD_TYPE=${config}" "-DCMAKE_PREFIX_PATH=${work}/prefix")
run("${CMAKE_COMMAND}" --build "${work}/build" --config "${config}")
run("${work}/build/consumer")
run("${work}/build/custom_body")
