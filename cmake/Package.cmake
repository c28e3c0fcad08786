# What `cpack -G DEB` makes of what Install.cmake installs: glassformer, and libglassformer-dev for who links with the
# library. Included by CMakeLists.txt.
set(CPACK_PACKAGE_NAME glassformer)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "see-through encoder-decoder transformer")
set(CPACK_PACKAGE_VENDOR "The Glassformer developers")
set(CPACK_PACKAGE_CONTACT "The Glassformer developers <maintainers@glassformer.example>")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_CURRENT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL program development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)  # glassformer_0.2.0_amd64.deb
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME glassformer)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)  # dpkg-shlibdeps knows which libraries the program needs
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "Trains a sequence-to-sequence model on parallel text as a YAML file says, on
CPUs; evaluates it (loss, BLEU, chrF), translates by greedy or beam search, and
shows every number on the way from a sentence to the gradient of each weight.
.
Layers, masks and gradients are written by hand, to be read.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libglassformer-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libeigen3-dev, libyaml-cpp-dev, libspdlog-dev, nlohmann-json3-dev, \
libicu-dev, libssl-dev, libsentencepiece-dev, librandom123-dev")
if(MPI_CXX_FOUND)
  string(APPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS ", libopenmpi-dev")
endif()
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "The library behind glassformer: masks, layers with forward and backward pass,
model, training, decoding. With a CMake package: find_package(glassformer).")

# The manual page, which Debian's rules ask for, is made from --help when the package is made.
find_program(HELP2MAN help2man)
find_program(GZIP gzip)
install(CODE "
  set(page ${CMAKE_CURRENT_BINARY_DIR}/glassformer.1)
  if(NOT EXISTS \"${HELP2MAN}\")
    message(FATAL_ERROR \"The package's manual page is made by help2man, which was not found: install it, and let CMake \"
      \"configure again.\")
  endif()
  execute_process(COMMAND_ERROR_IS_FATAL ANY COMMAND ${HELP2MAN} --no-info --no-discard-stderr --output=\${page}
    \"--name=train, use and explain encoder-decoder transformers\" $<TARGET_FILE:glassformer_program>)
  execute_process(COMMAND_ERROR_IS_FATAL ANY COMMAND ${GZIP} -9nf \${page})
  file(INSTALL \${page}.gz DESTINATION \${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_MANDIR}/man1)
  " COMPONENT program EXCLUDE_FROM_ALL)

# Debian's rules ask each package for a changelog and its licence. (cmake --install leaves out what is excluded here.)
set(of_development DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libglassformer-dev COMPONENT development EXCLUDE_FROM_ALL)
install(FILES LICENSE RENAME copyright ${of_development})
if(GZIP)
  string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)  # SOURCE_DATE_EPOCH, where that is set
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/changelog "glassformer (${PROJECT_VERSION}) unstable; urgency=low\n\n"
    "  * As of this version; the history of the sources has the rest.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
  execute_process(COMMAND ${GZIP} -9nf ${CMAKE_CURRENT_BINARY_DIR}/changelog COMMAND_ERROR_IS_FATAL ANY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/changelog.gz DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program EXCLUDE_FROM_ALL)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/changelog.gz ${of_development})
endif()

# A package is for the machines of others.
set(CPACK_GLASSFORMER_PORTABLE ${GLASSFORMER_PORTABLE})
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_CURRENT_SOURCE_DIR}/cmake/RefuseNative.cmake)
include(CPack)
