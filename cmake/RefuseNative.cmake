# cpack reads this before it packs, once for each generator.
if(NOT CPACK_GLASSFORMER_PORTABLE)
  message(FATAL_ERROR "glassformer was built for this processor only (-march=native). Installed from a package, it may "
    "crash on another one with \"Illegal instruction\". Rebuild with -DGLASSFORMER_PORTABLE=ON, then run cpack again.")
endif()
