# Protozero is headers only and comes without a CMake package.
find_path(Protozero_INCLUDE_DIR protozero/pbf_builder.hpp)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Protozero REQUIRED_VARS Protozero_INCLUDE_DIR)
if(Protozero_FOUND AND NOT TARGET Protozero::Protozero)
  add_library(Protozero::Protozero INTERFACE IMPORTED)
  target_include_directories(Protozero::Protozero INTERFACE ${Protozero_INCLUDE_DIR})
endif()
