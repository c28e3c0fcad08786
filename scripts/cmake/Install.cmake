# What `cmake --install` puts where: the program with its manual page, completions, configs and the text that they learn
# from; and the library with its headers and its CMake package. Included by CMakeLists.txt.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# --- Made by the program itself ---------------------------------------------------------------------------------
# So the manual page and the completions say what this very program understands.
set(made ${CMAKE_CURRENT_BINARY_DIR}/made)
file(MAKE_DIRECTORY ${made})
find_program(GZIP gzip)  # Debian's rules want manual pages compressed, and man reads both
set(manual ${made}/glassformer.1)
set(compress ${CMAKE_COMMAND} -E true)
if(GZIP)
  set(compress ${GZIP} -9nf ${manual})
  string(APPEND manual .gz)
endif()
set(completions ${made}/glassformer ${made}/_glassformer ${made}/glassformer.fish)
add_custom_command(OUTPUT ${manual} ${completions} VERBATIM DEPENDS glassformer_program
  COMMAND glassformer_program manual > ${made}/glassformer.1
  COMMAND ${compress}
  COMMAND glassformer_program completion bash > ${made}/glassformer
  COMMAND glassformer_program completion zsh > ${made}/_glassformer
  COMMAND glassformer_program completion fish > ${made}/glassformer.fish)
add_custom_target(glassformer_made ALL DEPENDS ${manual} ${completions})

# --- The program ------------------------------------------------------------------------------------------------
install(TARGETS glassformer_program COMPONENT program)
install(FILES ${manual} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
install(FILES ${made}/glassformer DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT program)
install(FILES ${made}/_glassformer DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT program)
install(FILES ${made}/glassformer.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT program)
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
  FILES_MATCHING PATTERN *.hpp PATTERN verbs EXCLUDE PATTERN export EXCLUDE PATTERN page EXCLUDE
  PATTERN chain.hpp EXCLUDE)  # the communicator's own
install(EXPORT glassformer NAMESPACE glassformer:: DESTINATION ${package} COMPONENT development
  FILE glassformerTargets.cmake)
configure_package_config_file(scripts/cmake/glassformerConfig.cmake.in glassformerConfig.cmake
  INSTALL_DESTINATION ${package} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(glassformerConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/glassformerConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/glassformerConfigVersion.cmake
  scripts/cmake/FindRandom123.cmake scripts/cmake/FindSentencePiece.cmake
  DESTINATION ${package} COMPONENT development)
