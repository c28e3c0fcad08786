# Tests of the core that need nothing else. Included by CMakeLists.txt.
if(NOT BUILD_TESTING)
  return()
endif()
add_executable(copy_task tests/core_alone/copy_task.cpp)  # what the core can do on its own
target_link_libraries(copy_task PRIVATE glassformer_core)
compile_like_the_project(copy_task)
add_test(NAME copy_task COMMAND copy_task)
add_executable(function_errors EXCLUDE_FROM_ALL tests/reference_arithmetic/function_errors.cpp)
target_link_libraries(function_errors PRIVATE glassformer_core)
compile_like_the_project(function_errors)
