# cmake -D nm=.. -D isa=avx2 -D "objects=a.o;b.o" -P check_isa_symbols.cmake
# Fails if an object defines a symbol that the linker may merge with, or take for, that of another instruction set; and if
# anything of Eigen goes in or out by name. Its memory may be allocated otherwise in there (include/cuttle/eigen_memory.h):
# what crosses are numbers, plain arrays, and objects of Cuttle that whoever made them frees, by a virtual destructor.
string(LENGTH "${isa}" length)
set(own_namespace "_ZN6cuttle${length}${isa}")  # as mangled
set(foreign "")
foreach(object IN LISTS objects)
  execute_process(COMMAND "${nm}" --defined-only --extern-only "${object}" OUTPUT_VARIABLE text
                  COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]+" lines "${text}")
  foreach(line IN LISTS lines)
    if(NOT line MATCHES "${own_namespace}")
      string(REGEX REPLACE "^[^ ]+ " "" symbol "${line}")
      string(APPEND foreign "  ${symbol}\n")
    endif()
  endforeach()
endforeach()
set(crossing "")
foreach(object IN LISTS objects)
  foreach(kind --defined-only --undefined-only)
    execute_process(COMMAND "${nm}" --demangle --extern-only ${kind} "${object}" OUTPUT_VARIABLE text
                    COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCHALL "[^\n]*Eigen::[^\n]*" lines "${text}")
    foreach(line IN LISTS lines)
      string(APPEND crossing "  ${line}\n")
    endforeach()
  endforeach()
endforeach()
if(crossing)
  message(FATAL_ERROR "compiled for ${isa}; memory of Eigen must not go in or out:\n${crossing}")
endif()
if(foreign)
  message(FATAL_ERROR "compiled for ${isa} but outside of namespace ${isa}; the merged object must keep only the namespace global:\n${foreign}")
endif()
