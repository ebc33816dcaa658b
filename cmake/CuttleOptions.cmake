# How Cuttle's own targets are compiled. Everything is private to a target: nothing here reaches a user's code.

if(PROJECT_IS_TOP_LEVEL)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug or RelWithDebInfo" FORCE)
  endif()
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)  # for clang-tidy
  find_program(CUTTLE_CCACHE ccache)
  if(CUTTLE_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
    # CCACHE_SLOPPINESS: it keeps what is compiled with a precompiled header. CCACHE_DEPEND: what was compiled serves only
    # where every file that it read is the same to the byte. What the preprocessor prints says less: where a precompiled
    # header is made anew, it prints the name of the one before in place of what is in it, and ccache took one that was
    # made after the same one before, of other headers. CCACHE_NAMESPACE: not what was kept before that. The others: what
    # one checkout compiled serves all of them, wherever they are (but a precompiled header that is made anew); so no
    # source and no definition that many sources see has a path of the machine in it.
    set(CMAKE_CXX_COMPILER_LAUNCHER
        "${CMAKE_COMMAND};-E;env;CCACHE_SLOPPINESS=pch_defines,time_macros;CCACHE_DEPEND=1;CCACHE_NAMESPACE=cuttle_depend;CCACHE_BASEDIR=${PROJECT_SOURCE_DIR};CCACHE_NOHASHDIR=1;${CUTTLE_CCACHE}")
  endif()
endif()

# What a compiler may take where one runs on each core, in MB.
cmake_host_system_information(RESULT memory_and_cores QUERY TOTAL_PHYSICAL_MEMORY NUMBER_OF_LOGICAL_CORES)
list(GET memory_and_cores 0 CUTTLE_MEMORY)
list(GET memory_and_cores 1 CUTTLE_CORES)
math(EXPR CUTTLE_MEMORY_PER_CORE "${CUTTLE_MEMORY} / ${CUTTLE_CORES}")

# CUTTLE_SANITIZE, checked and as the compiler wants it.
if(CUTTLE_SANITIZE)
  foreach(sanitizer IN LISTS CUTTLE_SANITIZE)
    if(NOT sanitizer MATCHES "^(address|undefined|thread)$")
      message(FATAL_ERROR "CUTTLE_SANITIZE: found '${CUTTLE_SANITIZE}', expected a list of address, undefined, thread")
    endif()
  endforeach()
  if("address" IN_LIST CUTTLE_SANITIZE AND "thread" IN_LIST CUTTLE_SANITIZE)
    message(FATAL_ERROR "CUTTLE_SANITIZE: found '${CUTTLE_SANITIZE}', expected address or thread, not both: each has its own memory")
  endif()
  list(JOIN CUTTLE_SANITIZE "," CUTTLE_SANITIZERS)
endif()

# CUTTLE_UNITY: what to compile in place of sources below `root`: files that include some of them each, and those that are to
# be compiled alone (sources with the property CUTTLE_ALONE). A group has sources of one folder of `root`, so that a new file
# changes its folder's groups only. They are included by their names below `root`, which is among the target's include directories:
# unlike CMake's own groups these are the same in every checkout. A source of a group sees CUTTLE_FILE, a name of its own.
function(cuttle_group result name root size)
  set(kept "")
  set(folders "")
  foreach(source IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
    get_source_file_property(alone "${source}" CUTTLE_ALONE)
    if(NOT CUTTLE_UNITY OR alone)
      list(APPEND kept "${source}")
      continue()
    endif()
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY "${root}" OUTPUT_VARIABLE place)
    set(folder "${name}")
    if(place MATCHES "^([^/]+)/")
      set(folder "${name}_${CMAKE_MATCH_1}")
    endif()
    list(APPEND folders ${folder})
    list(APPEND places_of_${folder} "${place}")
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder IN LISTS folders)
    set(count 0)
    set(group 0)
    set(text "")
    list(LENGTH places_of_${folder} left)
    foreach(place IN LISTS places_of_${folder})
      string(MAKE_C_IDENTIFIER "${place}" member)
      string(APPEND text "#define CUTTLE_FILE ${member}\n#include \"${place}\"  // NOLINT(bugprone-suspicious-include): that is the group\n"
                         "#undef CUTTLE_FILE\n")
      math(EXPR count "${count} + 1")
      math(EXPR left "${left} - 1")
      if(count EQUAL size OR left EQUAL 0)
        set(file "${PROJECT_BINARY_DIR}/groups/${folder}_${group}.cpp")
        file(CONFIGURE OUTPUT "${file}" CONTENT "@text@" @ONLY)  # written only if it changed
        list(APPEND kept "${file}")
        math(EXPR group "${group} + 1")
        set(count 0)
        set(text "")
      endif()
    endforeach()
  endforeach()
  set(${result} "${kept}" PARENT_SCOPE)
endfunction()

# What goes into the shared library: only what its headers show is seen from outside (include/cuttle/api.h), and nobody
# replaces a function of it.
function(cuttle_shared_options target)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  # clang does not apply what a namespace says to functions that are defined elsewhere; with sanitizers tests see everything
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CUTTLE_SANITIZE)
    set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET hidden)
  endif()
  target_compile_options(${target} PRIVATE -fno-semantic-interposition)
endfunction()

# Language, warnings and sanitizers of one target.
function(cuttle_private_options target)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  # a switch that forgets an enumerator is an error for everybody
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wextra-semi -Werror=switch)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # g++ 12 takes "a" + text, in C++20 with -O3, for a copy onto itself (its bug 105651), and what it inlines into containers of
    # variants and optionals for reads of nothing; clang, which CI has too, looks before it optimizes
    target_compile_options(${target} PRIVATE -Wno-restrict -Wno-maybe-uninitialized -Wno-stringop-overflow)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CUTTLE_UNITY)
    # it takes the sources of a group for headers, whose names without linkage would be several
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # `#pragma GCC` are advice to g++'s optimizer; `&` joins masks, which are bool for scalars that are no packs
    target_compile_options(${target} PRIVATE -Wno-unknown-pragmas -Wno-bitwise-instead-of-logical)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CUTTLE_MEMORY_PER_CORE GREATER_EQUAL 3000)
    # it looks through its memory for what may be used again from 128 MB on, which takes a tenth of its time: here from 1 GB on
    target_compile_options(${target} PRIVATE --param=ggc-min-heapsize=1048576)
  endif()
  if(CUTTLE_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      # what g++ 12's optimizer guesses about inlined code is often wrong: it stays a warning
      target_compile_options(
        ${target} PRIVATE -Wno-error=maybe-uninitialized -Wno-error=array-bounds -Wno-error=stringop-overflow
                          -Wno-error=stringop-overread -Wno-error=restrict -Wno-error=free-nonheap-object)
    endif()
  endif()
  if(CUTTLE_SANITIZE)
    # clang does not optimize, and line numbers alone: what is checked at every access takes two to three times as long to
    # compile at -O1, and with -g
    set(optimization -O0)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      set(optimization -O1)
    endif()
    target_compile_options(
      ${target} PRIVATE ${optimization} -g1 -fsanitize=${CUTTLE_SANITIZERS} -fno-sanitize-recover=all
                        -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=${CUTTLE_SANITIZERS})
  endif()
endfunction()

# What the library is made with, and who uses it need not know.
set(cuttle_private_libraries
    ${CMAKE_DL_LIBS} yaml-cpp pugixml::pugixml fmt::fmt Hdf5C::hdf5 SundialsSolvers::solvers Metis::metis TBB::tbb ZLIB::ZLIB
    $<BUILD_INTERFACE:Spectra::Spectra> $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>)

# What whoever compiles sources of the library, or links it, needs. Who links a static one links its private libraries too:
# cuttleConfig.cmake finds them again.
function(cuttle_library_usage target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(
    ${target} PUBLIC "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
                     "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated/include>"
                     "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>"
              PRIVATE "${PROJECT_SOURCE_DIR}/src")
  target_link_libraries(
    ${target}
    PUBLIC Eigen3::Eigen
    PRIVATE ${cuttle_private_libraries})
  # who uses the library frees what it allocates: both must mean the same by it (include/cuttle/eigen_memory.h)
  target_compile_definitions(${target} PUBLIC EIGEN_MAX_ALIGN_BYTES=16 EIGEN_MALLOC_ALREADY_ALIGNED=1)
endfunction()

# A header that includes what nearly every source of a target includes, by its name in the target's include directories, compiled once; or
# REUSE_FROM another target. Sources include what they use all the same:
# `make lint` is configured with -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON.
function(cuttle_precompile target)
  if(ARGV1 STREQUAL "REUSE_FROM")
    target_precompile_headers(${target} REUSE_FROM ${ARGV2})
  else()
    target_precompile_headers(${target} PRIVATE "\"${ARGV1}\"")
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
    target_compile_options(${target} PRIVATE -fpch-preprocess)  # lets ccache see through it
  elseif(CMAKE_CXX_COMPILER_ID MATCHES "Clang" AND NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
    target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")  # the same
  endif()
endfunction()

# No errno and no floating-point traps: lets sqrt and select vectorize. Results and NaN checks stay as written.
function(cuttle_math_options target)
  target_compile_options(${target} PRIVATE -fno-math-errno -fno-trapping-math)
endfunction()

# Whether what cuttle_add_isa_sources merges can be merged here: tried with two small functions, one of which must become
# local. Says why not, in the variable REASON; empty if it works.
function(cuttle_try_merging reason)
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/cuttle_try_merging")
  file(WRITE "${folder}/try.cpp" "namespace cuttle::avx2 { int kept() { return 1; } }\nint made_local() { return 2; }\n")
  set(object "${folder}/try.o")
  set(merged "${folder}/merged.o")
  file(REMOVE "${object}" "${merged}")
  set(compile ${CMAKE_CXX_COMPILER} -std=c++20 -c "${folder}/try.cpp" -o "${object}")
  set(link ${CMAKE_LINKER} -r --force-group-allocation -o "${merged}.all" "${object}")
  set(hide ${CMAKE_OBJCOPY} --wildcard "--keep-global-symbol=_ZN6cuttle4avx2*" "${merged}.all" "${merged}")
  set(look ${CMAKE_NM} --defined-only --extern-only "${merged}")
  set(${reason} "" PARENT_SCOPE)
  foreach(step compile link hide look)
    execute_process(COMMAND ${${step}} RESULT_VARIABLE code OUTPUT_VARIABLE printed ERROR_VARIABLE error)
    if(NOT code STREQUAL "0")
      list(JOIN ${step} " " command)
      string(STRIP "${error}" error)
      set(${reason} "'${command}' fails (${code}) ${error}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  if(NOT printed MATCHES "kept" OR printed MATCHES "made_local")
    set(${reason} "${CMAKE_OBJCOPY} leaves other symbols global than it is told to" PARENT_SCOPE)
  endif()
endfunction()

# Compile sources once per instruction set, with the options of `target`. CUTTLE_ISA_OBJECTS are then the object files to link,
# which the target cuttle_isa_objects makes.
#
# Each copy sees CUTTLE_ISA, the name of the namespace that holds its entry points (baseline | avx2 | avx512), and
# CUTTLE_ISA_WIDTH, its lanes of double; `prelude` is included first. The caller chooses among the copies at run time.
# Where only the baseline exists, `target` is compiled with CUTTLE_ONLY_BASELINE.
#
# A copy also defines templates and inline functions that other sources define too, compiled for another instruction
# set. The linker would take one of them for all, and an older machine would crash in it: so the objects of a copy are
# linked into one, in which every symbol outside of its namespace is local. That takes `ld -r` and `objcopy` as GNU's binutils
# have them: without these, and with CUTTLE_ONE_INSTRUCTION_SET, there is the baseline alone, which needs no merging, as it
# is compiled for what the rest is.
function(cuttle_add_isa_sources target prelude)
  set(baseline_width 2)
  set(baseline_flags "")
  set(avx2_width 4)
  set(avx2_flags -march=x86-64-v3)
  set(avx512_width 8)
  set(avx512_flags -march=x86-64-v4 -mprefer-vector-width=512)
  # the sanitizers look for errors that all copies share, at several times the compile time
  set(merge ON)
  if(CUTTLE_ONE_INSTRUCTION_SET)
    set(merge OFF)
  else()
    cuttle_try_merging(reason)
    if(reason)
      set(merge OFF)
      message(WARNING "Cuttle is built for one instruction set alone, that of every CPU of this kind, and so runs slower than it could on newer "
                      "ones: objects cannot be merged, ${reason}\n  Expected ld and objcopy as GNU's binutils have them (CMAKE_LINKER, "
                      "CMAKE_OBJCOPY). -DCUTTLE_ONE_INSTRUCTION_SET=ON asks for this, without a warning.")
    endif()
  endif()
  if(merge AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$" AND NOT CUTTLE_SANITIZE AND NOT CUTTLE_QUICK)
    set(instruction_sets baseline avx2 avx512)
  else()
    set(instruction_sets baseline)
    target_compile_definitions(${target} PRIVATE CUTTLE_ONLY_BASELINE)
  endif()
  message(STATUS "Instruction sets: ${instruction_sets}")
  # with instruction sets that fuse products and sums the last bit hangs on what is inlined, and so on what is in a group: these stay small
  set(group_size "${CUTTLE_UNITY_SIZE}")
  if(merge AND NOT CUTTLE_SANITIZE)
    set(group_size 6)
  endif()
  set(merged_objects "")
  set(linked "")
  foreach(isa IN LISTS instruction_sets)
    set(objects cuttle_${isa})
    cuttle_group(sources isa "${PROJECT_SOURCE_DIR}/src" "${group_size}" ${ARGN})
    add_library(${objects} OBJECT ${sources})
    target_compile_features(${objects} PRIVATE cxx_std_20)
    target_include_directories(${objects} PRIVATE $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
    target_link_libraries(${objects} PRIVATE Eigen3::Eigen)
    cuttle_shared_options(${objects})
    cuttle_private_options(${objects})
    cuttle_math_options(${objects})
    target_compile_options(${objects} PRIVATE ${${isa}_flags})
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      target_compile_options(${objects} PRIVATE -fno-gnu-unique)  # unique symbols would stay global; clang has none
    endif()
    if(CUTTLE_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # everything inlined: it takes many minutes with both
      target_compile_options(${objects} PRIVATE -fno-sanitize=undefined)
    elseif(CUTTLE_SANITIZE)  # everything is inlined in any case: what is not simplified then takes longer to compile
      target_compile_options(${objects} PRIVATE -O1)
    endif()
    if(CMAKE_DISABLE_PRECOMPILE_HEADERS)
      target_compile_options(${objects} PRIVATE "SHELL:-include ${prelude}")
    else()
      cuttle_precompile(${objects} "${prelude}")
    endif()
    # Eigen derives the alignment of its types from the instruction set: keep that of the baseline, or a type of a
    # shared header would have two layouts
    target_compile_definitions(
      ${objects} PRIVATE CUTTLE_ISA=${isa} CUTTLE_ISA_WIDTH=${${isa}_width} EIGEN_MAX_ALIGN_BYTES=16)
    set(object_files "$<FILTER:$<TARGET_OBJECTS:${objects}>,EXCLUDE,[.][gp]ch$>")
    set(CUTTLE_${isa}_WIDTH "${${isa}_width}" PARENT_SCOPE)
    set(CUTTLE_${isa}_FLAGS "${${isa}_flags}" PARENT_SCOPE)
    if(NOT merge)
      list(APPEND linked "${object_files}")
      continue()
    endif()
    string(LENGTH ${isa} length)
    set(merged "${CMAKE_CURRENT_BINARY_DIR}/${objects}.o")
    add_custom_command(
      OUTPUT "${merged}"
      COMMAND ${CMAKE_LINKER} -r --force-group-allocation -o "${merged}.all" "${object_files}"
      COMMAND ${CMAKE_OBJCOPY} --wildcard "--keep-global-symbol=_ZN6cuttle${length}${isa}*" "${merged}.all" "${merged}"
      COMMAND ${CMAKE_COMMAND} -E rm "${merged}.all"
      DEPENDS ${objects} "${object_files}"
      COMMENT "Merging what is compiled for ${isa}"
      COMMAND_EXPAND_LISTS VERBATIM)
    set_source_files_properties("${merged}" PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
    list(APPEND merged_objects "${merged}")
  endforeach()
  add_custom_target(cuttle_isa_objects DEPENDS ${merged_objects})
  set(CUTTLE_ISA_NAMES "${instruction_sets}" PARENT_SCOPE)
  set(CUTTLE_ISA_OBJECTS "${merged_objects}${linked}" PARENT_SCOPE)
  set(CUTTLE_ISA_MERGED ${merge} PARENT_SCOPE)
endfunction()
