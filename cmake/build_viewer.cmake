# Run by the build: makes the viewer's page, or checks one that is given, and compresses it.
#
#   cmake -D source=VIEWER -D npm=NPM | -D given=PAGE   -D folder=BUILD/viewer -D page=OUT -D compressed=OUT.gz -P ..
#
# npm works in a copy of the sources: nothing is ever written into the source tree.

# Runs npm without a word, or stops with all that it said and with `advice`.
function(run_npm advice)
  execute_process(COMMAND "${npm}" ${ARGN} WORKING_DIRECTORY "${folder}" RESULT_VARIABLE code
                  OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT code EQUAL 0)
    list(JOIN ARGN " " arguments)
    message(FATAL_ERROR "npm ${arguments} failed in ${folder} (${code}):\n${output}\n${advice}")
  endif()
endfunction()

if(given)
  set(built "${given}")
else()
  file(REMOVE_RECURSE "${folder}/src")
  file(COPY "${source}/" DESTINATION "${folder}" PATTERN node_modules EXCLUDE PATTERN dist EXCLUDE PATTERN tests EXCLUDE
                                                 PATTERN dev EXCLUDE)
  # packages are installed again only when another list of them is locked
  file(SHA256 "${source}/package-lock.json" locked)
  set(stamp "${folder}/installed.txt")
  set(installed "")
  if(EXISTS "${stamp}")
    file(READ "${stamp}" installed)
  endif()
  if(NOT installed STREQUAL locked)
    file(REMOVE "${stamp}")
    run_npm("npm installs the viewer's packages, about 100 MB: is there a network? A page that was built elsewhere can be
given to cmake instead: -DCUTTLE_VIEWER_PAGE=.../index.html" ci)
    file(WRITE "${stamp}" "${locked}")
  endif()
  run_npm("The errors are in the sources of viewer/." run --silent build)
  set(built "${folder}/dist/index.html")
endif()

file(READ "${built}" text LIMIT 4096)
if(NOT text MATCHES "<html")
  message(FATAL_ERROR "${built}: found no HTML, expected the viewer's page")
endif()
file(STRINGS "${built}" marker REGEX "id=\"cuttle-page\">null</script>")
if(NOT marker)
  message(FATAL_ERROR "${built}: found no <script type=\"application/json\" id=\"cuttle-page\">null</script>, expected one: "
                      "that is where the tool writes what to show")
endif()
file(COPY_FILE "${built}" "${page}")
file(ARCHIVE_CREATE OUTPUT "${compressed}" PATHS "${page}" FORMAT raw COMPRESSION GZip COMPRESSION_LEVEL 9)
