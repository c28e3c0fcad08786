# Libraries of others, and what each is for. Included by CMakeLists.txt.
if(APPLE)  # Homebrew does not link these into its usual directories (written, but never tried on macOS)
  list(APPEND CMAKE_PREFIX_PATH /opt/homebrew/opt/libomp /opt/homebrew/opt/icu4c /opt/homebrew/opt/openssl
    /usr/local/opt/libomp /usr/local/opt/icu4c /usr/local/opt/openssl)
endif()
list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_SOURCE_DIR}/cmake)
# The core:
find_package(Eigen3 3.4 REQUIRED NO_MODULE)       # matrices
find_package(OpenMP COMPONENTS CXX)               # threads; without it, one thread
if(GLASSFORMER_CORE_ONLY)
  return()
endif()
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(yaml-cpp REQUIRED)                   # config files
find_package(spdlog REQUIRED)                     # the log
find_package(CLI11 REQUIRED)                      # the command line
find_package(nlohmann_json 3.9 REQUIRED)          # metrics, safetensors headers, the explain page
find_package(ICU REQUIRED COMPONENTS uc)          # lower case and character classes in BLEU and word tokenizers
find_package(OpenSSL REQUIRED COMPONENTS Crypto)  # SHA-256 of checkpoint files
find_package(SentencePiece REQUIRED)              # subword tokenizer
find_package(httplib REQUIRED)                    # the server of `glassformer live`
if(BUILD_TESTING)
  find_package(Catch2)                            # tests, skipped without it; version 2 or 3
endif()
if(GLASSFORMER_MPI)
  set(MPI_CXX_SKIP_MPICXX ON)                     # skip the C++ bindings, which MPI has dropped
  find_package(MPI COMPONENTS CXX)                # training on several machines; optional
endif()
