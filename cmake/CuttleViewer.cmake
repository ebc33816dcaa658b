# The viewer's page: built from viewer/ with npm, compressed, and embedded in the tool and in the Python package, so that users need no Node.
#
# cuttle_embed_viewer(TARGET) adds what TARGET's viewer_page.cpp includes. CUTTLE_VIEWER_PAGE names a page that was
# built elsewhere, for machines without Node or without a network.
set(CUTTLE_VIEWER_PAGE "" CACHE FILEPATH "Page of the viewer that was built elsewhere (viewer/dist/index.html); empty: build it with npm")

# NODE and NPM of at least version 18, or an error that says how to get them.
function(cuttle_find_node)
  find_program(CUTTLE_NODE NAMES node nodejs DOC "Node.js, which builds the viewer's page")
  find_program(CUTTLE_NPM NAMES npm DOC "npm, which installs what the viewer's page is made of")
  set(advice "The page that `cuttle view` and `cuttle live` show is built with Node.js 18 or newer and npm.
  Install them: scripts/setup.sh build   (on Debian: apt-get install nodejs npm)
  or give a page that was built elsewhere: -DCUTTLE_VIEWER_PAGE=.../index.html
  or build without the tool: -DCUTTLE_BUILD_TOOL=OFF")
  if(NOT CUTTLE_NODE OR NOT CUTTLE_NPM)
    message(FATAL_ERROR "Node.js: found node '${CUTTLE_NODE}' and npm '${CUTTLE_NPM}', expected both. ${advice}")
  endif()
  execute_process(COMMAND "${CUTTLE_NODE}" --version OUTPUT_VARIABLE version OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT version MATCHES "^v([0-9]+)\\." OR CMAKE_MATCH_1 LESS 18)
    message(FATAL_ERROR "Node.js: ${CUTTLE_NODE}: found version '${version}', expected v18 or newer. ${advice}")
  endif()
endfunction()

function(cuttle_embed_viewer target)
  set(folder "${PROJECT_BINARY_DIR}/viewer")
  set(page "${folder}/page.html")
  set(compressed "${folder}/page.html.gz")
  set(script "${PROJECT_SOURCE_DIR}/cmake/build_viewer.cmake")
  if(CUTTLE_VIEWER_PAGE)
    if(NOT EXISTS "${CUTTLE_VIEWER_PAGE}")
      message(FATAL_ERROR "CUTTLE_VIEWER_PAGE: found no file '${CUTTLE_VIEWER_PAGE}', expected a page of the viewer")
    endif()
    set(command -D "given=${CUTTLE_VIEWER_PAGE}")
    set(sources "${CUTTLE_VIEWER_PAGE}")
  else()
    cuttle_find_node()
    set(viewer "${PROJECT_SOURCE_DIR}/viewer")
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${viewer}/src/*")
    list(APPEND sources "${viewer}/package.json" "${viewer}/package-lock.json" "${viewer}/.npmrc" "${viewer}/index.html"
         "${viewer}/tsconfig.json" "${viewer}/vite.config.ts")
    set(command -D "source=${viewer}" -D "npm=${CUTTLE_NPM}")
  endif()
  add_custom_command(
    OUTPUT "${compressed}"
    COMMAND "${CMAKE_COMMAND}" ${command} -D "folder=${folder}" -D "page=${page}" -D "compressed=${compressed}" -P "${script}"
    DEPENDS ${sources} "${script}"
    COMMENT "Building the viewer's page"
    VERBATIM)
  add_custom_target(cuttle_viewer_page DEPENDS "${compressed}")
  add_dependencies(${target} cuttle_viewer_page)
  set_source_files_properties(
    "${PROJECT_SOURCE_DIR}/apps/cuttle/viewer_page.cpp"
    PROPERTIES OBJECT_DEPENDS "${compressed}" COMPILE_DEFINITIONS "CUTTLE_VIEWER_PAGE_FILE=\"${compressed}\"")
  find_package(ZLIB REQUIRED)
  target_link_libraries(${target} PRIVATE ZLIB::ZLIB)
endfunction()

# viewer.data: what unpacks numbers; viewer.page, viewer.live, viewer.sweep: the pages in a real browser, with robots of models/.
function(cuttle_add_viewer_tests tool)
  if(CUTTLE_VIEWER_PAGE)
    message(STATUS "The viewer's page was built elsewhere (CUTTLE_VIEWER_PAGE): its tests are left out")
    return()
  endif()
  foreach(name data page live sweep contact)
    add_test(NAME viewer.${name} COMMAND "${CUTTLE_NODE}" "${PROJECT_SOURCE_DIR}/viewer/tests/run.mjs" ${name})
    set_tests_properties(
      viewer.${name}
      PROPERTIES TIMEOUT 1800 COST 100  # first: the longest at the end would run alone
                 ENVIRONMENT "CUTTLE_TOOL=$<TARGET_FILE:${tool}>;CUTTLE_MODELS=${PROJECT_SOURCE_DIR}/models;CUTTLE_NODE_MODULES=${PROJECT_BINARY_DIR}/viewer/node_modules")
  endforeach()
  # in a browser that draws without a graphics card seconds pass between two frames where others compute: what a live page
  # shows after a time is then not what the test waits for
  set_tests_properties(viewer.page viewer.live viewer.sweep viewer.contact PROPERTIES RUN_SERIAL TRUE)
endfunction()
