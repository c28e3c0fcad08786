# glassformer_tests: all tests in C++ but those of CoreTests.cmake. Included by CMakeLists.txt.
if(NOT BUILD_TESTING OR NOT Catch2_FOUND)
  return()
endif()
file(GLOB_RECURSE test_sources CONFIGURE_DEPENDS tests/*.cpp)
list(FILTER test_sources EXCLUDE REGEX "tests/(fuzz|failing_disk|wrong_gradient|installed|reference_arithmetic|course)/")
if(GLASSFORMER_SANITIZE MATCHES thread)  # only tests of threads: the others show nothing here and build slowly
  set(thread_tests tests/main.cpp)
  foreach(test IN LISTS test_sources)
    file(STRINGS ${test} found REGEX "\\[threads\\]")
    if(found)
      list(APPEND thread_tests ${test})
    endif()
  endforeach()
  set(test_sources ${thread_tests})
endif()
# The tests of a directory are compiled as one file, so their helpers need different names.
foreach(test IN LISTS test_sources)
  get_filename_component(directory ${test} DIRECTORY)
  get_filename_component(name ${directory} NAME)
  set_source_files_properties(${test} PROPERTIES UNITY_GROUP ${name})
endforeach()
if(CMAKE_SYSTEM_NAME STREQUAL Linux)  # it makes system calls fail, with Linux's own means
  add_library(failing_disk SHARED tests/failing_disk/failing_disk.cpp)
  target_link_libraries(failing_disk PRIVATE ${CMAKE_DL_LIBS})
endif()
get_target_property(type glassformer_core TYPE)
if(type STREQUAL SHARED_LIBRARY)  # the test replaces a function of it
  add_library(wrong_gradient SHARED tests/wrong_gradient/wrong_gradient.cpp)
  target_include_directories(wrong_gradient PRIVATE ${include_directory})
  target_link_libraries(wrong_gradient PRIVATE Eigen3::Eigen)
  target_compile_features(wrong_gradient PRIVATE cxx_std_20)
endif()
# If the library and a test both compile an inline function, the linker keeps the first copy. Under sanitizers the
# tests are not optimized, so the library's objects come first. Some tests then take a third of the time.
if(GLASSFORMER_SANITIZE)
  list(PREPEND test_sources $<TARGET_OBJECTS:glassformer_core> $<TARGET_OBJECTS:glassformer>)
endif()
add_executable(glassformer_tests ${test_sources})
target_include_directories(glassformer_tests PRIVATE tests)
set_target_properties(glassformer_tests PROPERTIES UNITY_BUILD ${GLASSFORMER_UNITY} UNITY_BUILD_MODE GROUP)
target_precompile_headers(glassformer_tests PRIVATE <Eigen/Core> <nlohmann/json.hpp> tests/catch.hpp)
# This file defines Catch2's main, which needs no sanitizers. It takes longer to compile than any other file.
set_source_files_properties(tests/main.cpp PROPERTIES
  SKIP_PRECOMPILE_HEADERS ON COMPILE_OPTIONS "-fno-sanitize=all;$<$<NOT:$<CONFIG:Debug>>:-O0>")
target_link_libraries(glassformer_tests PRIVATE glassformer OpenMP::OpenMP_CXX)
compile_like_the_project(glassformer_tests)
target_compile_options(glassformer_tests PRIVATE ${quick} ${sanitize})
if(GLASSFORMER_SANITIZE MATCHES undefined)  # checks the code under test, not the tests
  target_compile_options(glassformer_tests PRIVATE -fno-sanitize=undefined)
endif()
if(Catch2_VERSION VERSION_GREATER_EQUAL 3)
  target_link_libraries(glassformer_tests PRIVATE Catch2::Catch2WithMain)
else()
  target_link_libraries(glassformer_tests PRIVATE Catch2::Catch2)
endif()
target_compile_definitions(glassformer_tests PRIVATE
  CATCH_CONFIG_FAST_COMPILE  # compiles faster, but reports an exception for the whole test case
  GLASSFORMER_SOURCE_DIR="${CMAKE_CURRENT_SOURCE_DIR}" GLASSFORMER_PROGRAM="$<TARGET_FILE:glassformer_program>"
  GLASSFORMER_FAILING_DISK="$<$<TARGET_EXISTS:failing_disk>:$<TARGET_FILE:failing_disk>>"
  GLASSFORMER_WRONG_GRADIENT="$<$<TARGET_EXISTS:wrong_gradient>:$<TARGET_FILE:wrong_gradient>>"
  GLASSFORMER_MPIRUN="$<$<BOOL:${MPI_CXX_FOUND}>:${MPIEXEC_EXECUTABLE}>")
add_dependencies(glassformer_tests glassformer_program)
foreach(preloaded failing_disk wrong_gradient)
  if(TARGET ${preloaded})
    add_dependencies(glassformer_tests ${preloaded})
  endif()
endforeach()
include(cmake/DiscoverTests.cmake)
discover_tests(glassformer_tests ${CMAKE_CURRENT_SOURCE_DIR})
