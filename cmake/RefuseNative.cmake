# Read by cpack, once for each generator, before it packs.
if(NOT CPACK_GLASSFORMER_PORTABLE)
  message(FATAL_ERROR "glassformer was built for this processor alone (-march=native); from a package, it may "
    "end with \"Illegal instruction\" on another. Build anew with -DGLASSFORMER_PORTABLE=ON, and run cpack there.")
endif()
