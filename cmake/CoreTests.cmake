# Tests of the core that need nothing else. Included by CMakeLists.txt.
if(NOT BUILD_TESTING)
  return()
endif()
# The examples return 0 only if their results are right.
foreach(example copy_task own_layer own_optimizer)
  add_executable(${example} examples/${example}/${example}.cpp)
  target_link_libraries(${example} PRIVATE glassformer_core)
  compile_like_the_project(${example})
  add_test(NAME ${example} COMMAND ${example})
endforeach()
add_executable(function_errors EXCLUDE_FROM_ALL tests/reference_arithmetic/function_errors.cpp)
target_link_libraries(function_errors PRIVATE glassformer_core)
compile_like_the_project(function_errors)
