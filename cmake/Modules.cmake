# Reads src/modules.txt, which assigns each module to a library: the variables NAME_modules and NAME_sources list what
# belongs to the library or program NAME. New files in a module are found automatically. Included by CMakeLists.txt.
set(other_system linux)
if(CMAKE_SYSTEM_NAME STREQUAL Linux AND NOT GLASSFORMER_POSIX)
  set(other_system posix)
endif()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS src/modules.txt)
file(STRINGS src/modules.txt lines REGEX "^[a-z]")
foreach(line IN LISTS lines)
  string(REGEX MATCH "^([a-z_]+) +([a-z]+)" words "${line}")
  set(library ${CMAKE_MATCH_1})
  list(APPEND ${library}_modules ${CMAKE_MATCH_2})
  file(GLOB sources CONFIGURE_DEPENDS src/${CMAKE_MATCH_2}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "src/machine/${other_system}.cpp")
  list(APPEND ${library}_sources ${sources})
  set_source_files_properties(${sources} PROPERTIES UNITY_GROUP ${CMAKE_MATCH_2})  # see GLASSFORMER_UNITY
endforeach()
