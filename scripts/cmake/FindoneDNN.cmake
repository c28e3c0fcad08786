# oneDNN's own CMake package asks for the development files of OpenCL where it was built with it (Debian). We only
# want its matrix product, so we look for header and library alone.
find_path(oneDNN_INCLUDE_DIR dnnl.h)
find_library(oneDNN_LIBRARY dnnl)
if(oneDNN_INCLUDE_DIR AND EXISTS ${oneDNN_INCLUDE_DIR}/oneapi/dnnl/dnnl_version.h)
  file(STRINGS ${oneDNN_INCLUDE_DIR}/oneapi/dnnl/dnnl_version.h version_lines REGEX "#define DNNL_VERSION_(MAJOR|MINOR|PATCH) ")
  string(REGEX REPLACE "[^0-9;]" "" version_lines "${version_lines}")
  string(REPLACE ";" "." oneDNN_VERSION "${version_lines}")
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(oneDNN REQUIRED_VARS oneDNN_LIBRARY oneDNN_INCLUDE_DIR VERSION_VAR oneDNN_VERSION)
if(oneDNN_FOUND AND NOT TARGET oneDNN::oneDNN)
  add_library(oneDNN::oneDNN UNKNOWN IMPORTED)
  set_target_properties(oneDNN::oneDNN PROPERTIES
    IMPORTED_LOCATION ${oneDNN_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${oneDNN_INCLUDE_DIR})
endif()
