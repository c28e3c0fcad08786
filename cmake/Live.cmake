# engine.wasm, the engine of the page in the browser: the core and the modules that need nothing else. Included by
# CMakeLists.txt if cmake/wasm32.cmake is the toolchain.
find_package(nlohmann_json 3.9 REQUIRED)  # the engine's results
# What takes no time should be small: a browser loads it.
set(small_sources ${glassformer_core_sources})
list(FILTER small_sources EXCLUDE REGEX "src/(numerics|layers|training)/")
set_source_files_properties(${small_sources} PROPERTIES COMPILE_OPTIONS -Oz SKIP_PRECOMPILE_HEADERS ON)
# The same bytes wherever the project is: no absolute path.
target_compile_options(glassformer_core PUBLIC
  -ffile-prefix-map=${include_directory}/glassformer=src -ffile-prefix-map=${CMAKE_CURRENT_SOURCE_DIR}/=)
file(GLOB embedded RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS src/layers/*.[ch]pp src/model/*.[ch]pp)
list(JOIN embedded "," embedded_names)
list(TRANSFORM embedded PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE embedded_paths)
add_custom_command(OUTPUT embedded_files.cpp VERBATIM
  COMMAND ${CMAKE_COMMAND} -D ROOT=${CMAKE_CURRENT_SOURCE_DIR} -D FILES=${embedded_names}
    -D OUTPUT=${CMAKE_CURRENT_BINARY_DIR}/embedded_files.cpp -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/EmbedFiles.cmake
  DEPENDS ${embedded_paths} cmake/EmbedFiles.cmake)
set(engine_sources embedded_files.cpp)
foreach(module words page live)
  file(GLOB sources CONFIGURE_DEPENDS src/${module}/*.cpp)
  list(APPEND engine_sources ${sources})
endforeach()
list(FILTER engine_sources EXCLUDE REGEX "src/page/page.cpp")
add_executable(engine ${engine_sources})
target_link_libraries(engine PRIVATE glassformer_core nlohmann_json::nlohmann_json)
compile_like_the_project(engine)
set_target_properties(engine PROPERTIES SUFFIX .wasm UNITY_BUILD ${GLASSFORMER_UNITY} UNITY_BUILD_MODE GROUP)
target_compile_definitions(engine PRIVATE GLASSFORMER_VERSION="${PROJECT_VERSION}")
target_compile_options(engine PRIVATE -Oz)
target_link_options(engine PRIVATE
  -mexec-model=reactor                       # a library with _initialize, not a program with main
  -Wl,--strip-all -Wl,-z,stack-size=1048576
  -Wl,--export=__stack_pointer               # the script restores it when a call is refused
  -O0)                                       # or clang runs wasm-opt, if there is one, which may be too old
