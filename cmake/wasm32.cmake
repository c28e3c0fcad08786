# Cross-compiles for WebAssembly with Debian's compiler (clang-19, lld-19, libc++-19-dev-wasm32, wasi-libc,
# libclang-rt-19-dev-wasm32); scripts/live.sh uses it. There are no exceptions: src/numerics/errors.hpp. With
# -DGLASSFORMER_RELAXED=OFF, for browsers without relaxed SIMD: multiply-adds are emulated, slowly, with the same bits.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_CXX_COMPILER clang++-19)
set(CMAKE_CXX_COMPILER_TARGET wasm32-wasi)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES GLASSFORMER_RELAXED)
set(CMAKE_CXX_FLAGS_INIT "-stdlib=libc++ -fno-exceptions -msimd128 -mbulk-memory")
if(NOT DEFINED GLASSFORMER_RELAXED OR GLASSFORMER_RELAXED)
  string(APPEND CMAKE_CXX_FLAGS_INIT " -mrelaxed-simd")
endif()
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE NEVER)
