# How this project's own targets are compiled. Included by CMakeLists.txt.
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug or RelWithDebInfo" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_CXX_FLAGS_RELEASE "-O3 -DNDEBUG")
# fmt, which spdlog uses, would make GCC optimize its functions even in a debug build. In a file with such functions,
# gdb stops at the very start of each function, before its arguments are in place.
add_compile_options("$<$<CONFIG:Debug>:-DFMT_GCC_PRAGMA(pragma)=>")
# For the command line and the tests, which are compiled quickly: their own speed does not matter, only the library's.
set(quick $<$<CONFIG:Release>:-O1>)

# --- The same bits everywhere -----------------------------------------------------------------------------------
set(arithmetic_options
  -ffp-contract=off)      # fused multiply-adds only where the source says so
set(arithmetic_definitions
  EIGEN_DONT_PARALLELIZE  # src/numerics/parallel.cpp starts all threads; Eigen's own would compete with them
  EIGEN_FAST_MATH=0)      # rounds square roots as std::sqrt does
add_library(glassformer_arithmetic INTERFACE)
target_compile_options(glassformer_arithmetic INTERFACE ${arithmetic_options})
target_compile_definitions(glassformer_arithmetic INTERFACE ${arithmetic_definitions})

# --- Warnings ---------------------------------------------------------------------------------------------------
add_library(glassformer_warnings INTERFACE)
target_compile_options(glassformer_warnings INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # False alarms: the first two in the compiler's own AVX-512 header, the others in its std::string.
  target_compile_options(glassformer_warnings INTERFACE
    -Wno-uninitialized -Wno-maybe-uninitialized -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow)
endif()
if(GLASSFORMER_WERROR)
  target_compile_options(glassformer_warnings INTERFACE -Werror)
endif()

# Compiles a target of this project with these options. They are not forced on users of an installed library, with one
# exception: if a static library and its user compile the same inline function, the linker keeps one copy, which may be
# the user's. So both must compile it alike. A shared library always calls its own copy. And inline functions in our
# headers have the same results with and without -ffp-contract=off: none of them adds to a product, except by std::fma.
function(compile_like_the_project target)
  target_link_libraries(${target} PRIVATE
    $<BUILD_INTERFACE:glassformer_arithmetic> $<BUILD_INTERFACE:glassformer_warnings>)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL STATIC_LIBRARY)
    target_compile_options(${target} INTERFACE "$<INSTALL_INTERFACE:${arithmetic_options}>")
    target_compile_definitions(${target} INTERFACE "$<INSTALL_INTERFACE:${arithmetic_definitions}>")
  endif()
endfunction()

# --- Sanitizers -------------------------------------------------------------------------------------------------
if(GLASSFORMER_SANITIZE)
  set(sanitize -fsanitize=${GLASSFORMER_SANITIZE} -fno-omit-frame-pointer)
  if(GLASSFORMER_SANITIZE MATCHES undefined)
    # The address sanitizer also finds what null and vptr find. Without these two the build takes two thirds as long.
    # pointer-overflow objects when Eigen adds to the null pointer of a matrix without rows.
    list(APPEND sanitize -fno-sanitize-recover=undefined -fno-sanitize=null,vptr,pointer-overflow)
  endif()
  list(APPEND sanitize $<$<BOOL:${GLASSFORMER_FUZZ}>:-fsanitize=fuzzer-no-link>)
  set(quick -O0)  # takes Clang half the time
endif()
