#define CATCH_CONFIG_MAIN  // version 2 needs it said once; version 3 brings its own
#include "catch.hpp"
