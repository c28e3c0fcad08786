# What `cmake --install` installs: the libraries with their headers and CMake package and, unless only the core is
# built, the program with its configs and the text they train on. Included by CMakeLists.txt.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# --- The libraries ----------------------------------------------------------------------------------------------
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/glassformer)
set(components core)  # of the CMake package
set(header_modules ${glassformer_core_modules})
function(install_library library component)
  install(TARGETS ${library} EXPORT glassformer_${component}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT program NAMELINK_COMPONENT development)
  install(EXPORT glassformer_${component} NAMESPACE glassformer:: DESTINATION ${package} COMPONENT development
    FILE glassformer_${component}.cmake)
endfunction()
target_include_directories(glassformer_core INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
install_library(glassformer_core core)
if(TARGET glassformer)
  list(APPEND components full)
  list(APPEND header_modules ${glassformer_modules})
  install_library(glassformer full)
endif()
if(TARGET glassformer_core_avx512)
  install(TARGETS glassformer_core_avx512
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/${avx512_directory} COMPONENT program NAMELINK_SKIP)
endif()
install(FILES src/glassformer.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/glassformer COMPONENT development)
foreach(module IN LISTS header_modules)
  install(DIRECTORY src/${module} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/glassformer COMPONENT development
    FILES_MATCHING PATTERN *.hpp)
endforeach()
get_target_property(core_type glassformer_core TYPE)  # a static core leaves linking OpenMP to its users
configure_package_config_file(cmake/glassformerConfig.cmake.in glassformerConfig.cmake
  INSTALL_DESTINATION ${package} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(glassformerConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/glassformerConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/glassformerConfigVersion.cmake
  cmake/FindSentencePiece.cmake
  DESTINATION ${package} COMPONENT development)

# --- The program ------------------------------------------------------------------------------------------------
if(TARGET glassformer_program)
  set_target_properties(glassformer_program PROPERTIES INSTALL_RPATH $ORIGIN/../${CMAKE_INSTALL_LIBDIR})
  install(TARGETS glassformer_program COMPONENT program)
  # Paths in a config are relative to it, so configs and data stay next to each other.
  install(DIRECTORY configs data DESTINATION ${CMAKE_INSTALL_DATADIR}/glassformer COMPONENT program
    PATTERN multi30k EXCLUDE)  # Multi30k: each user downloads it
  install(FILES README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
  install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)  # README links to docs/...
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright COMPONENT program)
endif()
