# The command glassformer. Included by CMakeLists.txt.
add_executable(glassformer_program src/main.cpp ${program_sources})
set_target_properties(glassformer_program PROPERTIES
  OUTPUT_NAME glassformer UNITY_BUILD ${GLASSFORMER_UNITY} UNITY_BUILD_MODE GROUP)
target_link_libraries(glassformer_program PRIVATE glassformer CLI11::CLI11 httplib::httplib)
compile_like_the_project(glassformer_program)
target_compile_options(glassformer_program PRIVATE ${quick} ${sanitize})
target_precompile_headers(glassformer_program PRIVATE
  <CLI/CLI.hpp> <Eigen/Core> <nlohmann/json.hpp> <spdlog/spdlog.h>)
