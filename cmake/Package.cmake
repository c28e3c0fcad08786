# `cpack -G DEB` packs what Install.cmake installs into two packages: glassformer, and libglassformer-dev for programs
# that link with the library. Included by CMakeLists.txt.
set(CPACK_PACKAGE_NAME glassformer)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "transparent encoder-decoder transformer")
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
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)  # dpkg-shlibdeps finds the libraries that the program needs
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_CURRENT_BINARY_DIR})  # except the package's own
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "Trains a sequence-to-sequence model on parallel text, on CPUs, from a YAML
config; evaluates it (loss, BLEU), translates by greedy or beam search,
and shows every number from a sentence to the gradient of each weight.
.
Layers, masks and gradients are written by hand, for you to read.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libglassformer-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "glassformer (= ${PROJECT_VERSION}), libeigen3-dev, libyaml-cpp-dev, libspdlog-dev, nlohmann-json3-dev, \
libicu-dev, libssl-dev, libsentencepiece-dev")
if(MPI_CXX_FOUND)
  string(APPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS ", libopenmpi-dev")
endif()
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "The library behind glassformer: masks, layers with forward and backward
passes, model, training, decoding. Has a CMake package: find_package(glassformer).")

# Debian requires a manual page. It is made from --help when the package is built.
find_program(HELP2MAN help2man)
find_program(GZIP gzip)
install(CODE "
  set(page ${CMAKE_CURRENT_BINARY_DIR}/glassformer.1)
  if(NOT EXISTS \"${HELP2MAN}\")
    message(FATAL_ERROR \"The package's manual page needs help2man, which was not found: install it, then run CMake \"
      \"again.\")
  endif()
  execute_process(COMMAND_ERROR_IS_FATAL ANY COMMAND ${HELP2MAN} --no-info --no-discard-stderr --version-string=${PROJECT_VERSION} --output=\${page}
    \"--name=train, use and explain encoder-decoder transformers\" $<TARGET_FILE:glassformer_program>)
  execute_process(COMMAND_ERROR_IS_FATAL ANY COMMAND ${GZIP} -9nf \${page})
  file(INSTALL \${page}.gz DESTINATION \${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_MANDIR}/man1)
  " COMPONENT program EXCLUDE_FROM_ALL)

# Debian requires a changelog and a licence in each package. (EXCLUDE_FROM_ALL keeps them out of cmake --install.)
set(to_development DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libglassformer-dev COMPONENT development EXCLUDE_FROM_ALL)
install(FILES LICENSE RENAME copyright ${to_development})
if(GZIP)
  string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)  # SOURCE_DATE_EPOCH, if set
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/changelog "glassformer (${PROJECT_VERSION}) unstable; urgency=low\n\n"
    "  * New upstream version; see the history of the sources.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
  execute_process(COMMAND ${GZIP} -9nf ${CMAKE_CURRENT_BINARY_DIR}/changelog COMMAND_ERROR_IS_FATAL ANY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/changelog.gz DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program
    EXCLUDE_FROM_ALL)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/changelog.gz ${to_development})
endif()

include(CPack)
