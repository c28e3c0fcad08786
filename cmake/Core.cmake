# glassformer_core: the modules that src/modules.txt lists for it. Included by CMakeLists.txt.

# In an optimized build for Linux on x86-64, the core is a shared library. It is built for AVX2 with FMA (x86-64-v3), and
# again for AVX-512 (x86-64-v4), in a subdirectory where glibc's loader (2.33 or later) looks first if the processor has
# AVX-512. Nothing else needs to be fast. In any other build, the core is a static library, which is simpler to debug.
set(architecture ${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}-${CMAKE_BUILD_TYPE}${GLASSFORMER_SANITIZE})
if(architecture MATCHES "^Linux-(x86_64|AMD64)-(Release|RelWithDebInfo|MinSizeRel)$")
  set(cores glassformer_core glassformer_core_avx512)
  add_library(glassformer_core SHARED ${glassformer_core_sources})
  add_library(glassformer_core_avx512 SHARED ${glassformer_core_sources})
  target_compile_options(glassformer_core PRIVATE -march=x86-64-v3)
  target_compile_options(glassformer_core_avx512 PRIVATE -march=x86-64-v4 -mprefer-vector-width=512)
  set(avx512_directory glibc-hwcaps/x86-64-v4)
  set_target_properties(glassformer_core PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  set_target_properties(glassformer_core_avx512 PROPERTIES
    OUTPUT_NAME glassformer_core LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${avx512_directory})
  add_dependencies(glassformer_core glassformer_core_avx512)
  set(instructions "AVX2 and AVX-512; chosen when the program starts")
else()
  set(cores glassformer_core)
  add_library(glassformer_core STATIC ${glassformer_core_sources})
  if(architecture MATCHES "-(x86_64|AMD64)-")
    target_compile_options(glassformer_core PUBLIC $<BUILD_INTERFACE:-march=x86-64-v3>)
    set(instructions AVX2)
  else()
    set(instructions "those of every ${CMAKE_SYSTEM_PROCESSOR}")
  endif()
endif()
get_property(has_shared_libraries GLOBAL PROPERTY TARGET_SUPPORTS_SHARED_LIBS)
if(BUILD_TESTING AND has_shared_libraries)  # the core once more, with the plain arithmetic that tests compare with; `ninja reference_core`
  set(reference_sources ${glassformer_core_sources})
  list(FILTER reference_sources EXCLUDE REGEX "src/numerics/(functions|gemm|row_operations).cpp")
  add_library(reference_core SHARED EXCLUDE_FROM_ALL ${reference_sources} tests/reference_arithmetic/core/core.cpp)
  target_include_directories(reference_core BEFORE PRIVATE tests/reference_arithmetic/core tests)
  set_target_properties(reference_core PROPERTIES
    OUTPUT_NAME glassformer_core LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/reference)
  list(APPEND cores reference_core)
endif()

# Headers are included as "glassformer/MODULE/NAME.hpp", here and when they are installed, so that none can be mistaken
# for another project's. The link makes src look like an installed directory; the option makes messages, the debugger
# and __FILE__ name the files in src all the same.
set(include_directory ${CMAKE_CURRENT_BINARY_DIR}/include)
file(MAKE_DIRECTORY ${include_directory})
if(NOT EXISTS ${include_directory}/glassformer)  # replacing it could disturb a running compiler
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR}/src ${include_directory}/glassformer SYMBOLIC)
endif()

foreach(core IN LISTS cores)
  target_include_directories(${core} PUBLIC $<BUILD_INTERFACE:${include_directory}>)
  target_compile_options(${core} PUBLIC
    $<BUILD_INTERFACE:-ffile-prefix-map=${include_directory}/glassformer=${CMAKE_CURRENT_SOURCE_DIR}/src>)
  target_compile_features(${core} PUBLIC cxx_std_20)
  target_link_libraries(${core} PUBLIC Eigen3::Eigen)
  # Eigen's matrices pass between the core and its users, for instance in a recorded pass. Both must allocate and free
  # their memory in the same way, whatever instructions they are compiled for.
  target_compile_definitions(${core} PUBLIC EIGEN_MAX_ALIGN_BYTES=64)
  compile_like_the_project(${core})
  if(OpenMP_CXX_FOUND)
    target_link_libraries(${core} PRIVATE OpenMP::OpenMP_CXX)  # only parallel.cpp uses it
  else()
    target_compile_options(${core} PRIVATE -Wno-unknown-pragmas)
  endif()
  target_precompile_headers(${core} PRIVATE <Eigen/Core>)
  set_target_properties(${core} PROPERTIES UNITY_BUILD_MODE GROUP VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  # These change no bit; without them, fewer loops are vectorized.
  target_compile_options(${core} PRIVATE -fno-math-errno -fno-trapping-math)
  # The library calls its own copy of each inline function. The program's copies are compiled without AVX.
  if(has_shared_libraries)
    target_compile_options(${core} PRIVATE -fno-semantic-interposition -fvisibility-inlines-hidden)
  endif()
  get_target_property(type ${core} TYPE)
  if(type STREQUAL SHARED_LIBRARY)
    target_link_options(${core} PRIVATE -Wl,-Bsymbolic-functions)
  endif()
endforeach()
if(GLASSFORMER_SANITIZE)
  target_compile_options(glassformer_core PRIVATE ${sanitize})
  target_link_options(glassformer_core PUBLIC -fsanitize=${GLASSFORMER_SANITIZE})
endif()
# Nobody steps through a matrix product, and without optimization it takes thirty times as long.
set_source_files_properties(src/numerics/gemm.cpp PROPERTIES
  SKIP_PRECOMPILE_HEADERS ON COMPILE_OPTIONS "$<$<NOT:$<CONFIG:Release>>:-O2>")
