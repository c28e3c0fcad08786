#define CATCH_CONFIG_MAIN  // Catch2 version 2 needs this in one file; version 3 has its own main
#include "catch.hpp"
