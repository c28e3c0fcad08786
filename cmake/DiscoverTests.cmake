# Tells ctest about each test case of a Catch2 program, version 2 or 3.
#
# catch_discover_tests, which comes with Catch2, does not suit us. In version 2 it runs the program while building it,
# which fails with some sanitizers and when cross-compiling. In version 2 and in some releases of version 3, it cuts names
# at ; and joins names after an unbalanced [, as in "[0, 1)". So this file does what the option DISCOVERY_MODE PRE_TEST of
# version 3 does: ctest asks the program for its tests.
#
# Included twice: by Tests.cmake, for discover_tests, and by ctest, with discovered_program set.
if(NOT DEFINED discovered_program)
  function(discover_tests target directory)  # the tests run in this directory
    set(list_names --list-test-names-only)
    if(Catch2_VERSION VERSION_GREATER_EQUAL 3)
      set(list_names --list-tests --verbosity quiet)
    endif()
    set(file ${CMAKE_CURRENT_BINARY_DIR}/${target}_discovery.cmake)
    file(GENERATE OUTPUT ${file} CONTENT "set(discovered_program [==[$<TARGET_FILE:${target}>]==])
set(discovered_directory [==[${directory}]==])
set(list_names ${list_names})
include([==[${CMAKE_CURRENT_FUNCTION_LIST_FILE}]==])
unset(discovered_program)
")
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${file})
  endfunction()
  return()
endif()

if(NOT EXISTS "${discovered_program}")
  add_test(glassformer_tests_are_not_built "${discovered_program}")  # fails, and its name says why
  return()
endif()
execute_process(COMMAND "${discovered_program}" ${list_names} WORKING_DIRECTORY "${discovered_directory}"
  OUTPUT_VARIABLE names ERROR_VARIABLE errors)  # in version 2, the exit status is the number of tests
if(names STREQUAL "")  # it may lack a library
  message("${errors}")
  add_test(glassformer_tests_cannot_list_its_tests "${discovered_program}" --expected-to-list-its-tests)  # fails
  return()
endif()
# Not a list: names contain ; and [.
string(FIND "${names}" "\n" end)
while(end GREATER_EQUAL 0)
  string(SUBSTRING "${names}" 0 ${end} name)
  math(EXPR end "${end} + 1")
  string(SUBSTRING "${names}" ${end} -1 names)
  if(name)
    string(REGEX REPLACE "([][\\,\"*~])" "\\\\\\1" pattern "${name}")  # these have a meaning in a filter
    add_test("${name}" "${discovered_program}" "${pattern}")
    set_tests_properties("${name}" PROPERTIES WORKING_DIRECTORY "${discovered_directory}")
  endif()
  string(FIND "${names}" "\n" end)
endwhile()
