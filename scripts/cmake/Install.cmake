# What `cmake --install` installs: the program with its configs and the text they train on, and the library with its
# headers and its CMake package. Included by CMakeLists.txt.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# --- The program ------------------------------------------------------------------------------------------------
install(TARGETS glassformer_program COMPONENT program)
# Paths in a config are relative to it, so configs and data keep their places beside each other.
install(DIRECTORY configs data DESTINATION ${CMAKE_INSTALL_DATADIR}/glassformer COMPONENT program
  PATTERN *.svg EXCLUDE PATTERN *.png EXCLUDE PATTERN multi30k EXCLUDE)  # which everybody gets for themselves
install(FILES README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright COMPONENT program)

# --- The library ------------------------------------------------------------------------------------------------
# Headers name each other as they do in src: #include "model/transformer.hpp".
set(headers ${CMAKE_INSTALL_INCLUDEDIR}/glassformer)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/glassformer)
target_include_directories(glassformer INTERFACE $<INSTALL_INTERFACE:${headers}>)
install(TARGETS glassformer EXPORT glassformer COMPONENT development ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY src/ DESTINATION ${headers} COMPONENT development
  FILES_MATCHING PATTERN *.hpp PATTERN verbs EXCLUDE PATTERN web EXCLUDE)
install(EXPORT glassformer NAMESPACE glassformer:: DESTINATION ${package} COMPONENT development
  FILE glassformerTargets.cmake)
configure_package_config_file(scripts/cmake/glassformerConfig.cmake.in glassformerConfig.cmake
  INSTALL_DESTINATION ${package} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(glassformerConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/glassformerConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/glassformerConfigVersion.cmake
  scripts/cmake/FindRandom123.cmake scripts/cmake/FindSentencePiece.cmake
  DESTINATION ${package} COMPONENT development)
