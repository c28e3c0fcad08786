# glassformer: what turns the core into a product. Included by CMakeLists.txt.

# What `explain` shows, the current sources of layers and model; and the parts of the pages (built in src/web).
file(GLOB embedded RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS
  src/layers/*.[ch]pp src/model/*.[ch]pp src/web/dist/*)
list(JOIN embedded "," embedded_names)
list(TRANSFORM embedded PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE embedded_paths)
add_custom_command(OUTPUT embedded_files.cpp VERBATIM
  COMMAND ${CMAKE_COMMAND} -D ROOT=${CMAKE_CURRENT_SOURCE_DIR} -D FILES=${embedded_names}
    -D OUTPUT=${CMAKE_CURRENT_BINARY_DIR}/embedded_files.cpp -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/EmbedFiles.cmake
  DEPENDS ${embedded_paths} cmake/EmbedFiles.cmake)

set_source_files_properties(embedded_files.cpp PROPERTIES COMPILE_OPTIONS -Wno-overlength-strings)

add_library(glassformer STATIC ${glassformer_sources} embedded_files.cpp)
target_link_libraries(glassformer
  PUBLIC glassformer_core nlohmann_json::nlohmann_json spdlog::spdlog
  PRIVATE yaml-cpp SentencePiece::SentencePiece ICU::uc OpenSSL::Crypto OpenMP::OpenMP_CXX
    $<TARGET_NAME_IF_EXISTS:MPI::MPI_CXX>)
compile_like_the_project(glassformer)
target_compile_definitions(glassformer PUBLIC GLASSFORMER_VERSION="${PROJECT_VERSION}")
target_compile_options(glassformer PRIVATE ${sanitize})
# Parsed once instead of in every file, which halves the build time.
target_precompile_headers(glassformer PRIVATE <Eigen/Core> <nlohmann/json.hpp> <spdlog/spdlog.h>)
set_target_properties(glassformer PROPERTIES UNITY_BUILD ${GLASSFORMER_UNITY} UNITY_BUILD_MODE GROUP)
set_source_files_properties(src/machine/mpi.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON
  COMPILE_DEFINITIONS GLASSFORMER_HAS_MPI=$<BOOL:${MPI_CXX_FOUND}>)
