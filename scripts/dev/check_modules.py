#!/usr/bin/env python3
"""Checks that every file in src includes only what src/modules.txt allows.

A module may include itself and the modules above it in the list, but none below it, so there can be no cycle. Files of
glassformer_core may include only each other, the standard library (without files and streams), Eigen and OpenMP; those
of numerics may also include processor intrinsics. Run it from any directory. The exit status is 1 if it finds an error.
"""

import re
import sys
from pathlib import Path

SRC = Path(__file__).resolve().parents[2] / "src"
CORE = "glassformer_core"
HEADER_FOR_USERS = Path("glassformer.hpp")
LIBRARIES_OF_CORE = re.compile(r"<(Eigen/\w+|omp\.h)>")
INTRINSICS = {"<immintrin.h>", "<arm_neon.h>", "<wasm_simd128.h>"}
STANDARD_LIBRARY = re.compile(r"<c?[a-z_0-9]+>")  # the headers of C++ have no .h; INPUT_AND_OUTPUT excludes some
INPUT_AND_OUTPUT = {f"<{name}>" for name in ["cstdio", "filesystem", "fstream", "iomanip", "ios", "iostream", "istream",
                                             "ostream", "print", "spanstream", "sstream", "streambuf", "syncstream"]}
INCLUDE = re.compile(r'^\s*#\s*include\s*(<[^>]+>|"[^"]+")', re.MULTILINE)


def read_modules():
    """The modules in order, each with its library: {"numerics": "glassformer_core", ...}."""
    modules = {}
    for line in (SRC / "modules.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            library, module, *_ = line.split()
            modules[module] = library
    return modules


def module_of(path):
    """The module of a file, whose path is relative to src; None for main.cpp."""
    if path == HEADER_FOR_USERS:
        return "session"
    return path.parts[0] if len(path.parts) > 1 else None


def error_in(module, include, modules):
    """What is wrong with this #include in this module, or None."""
    if include.startswith('"'):
        prefix, _, path = include.strip('"').partition("/")
        if prefix != "glassformer":
            return 'expected "glassformer/MODULE/NAME.hpp"'
        included = module_of(Path(path))
        if included not in modules:
            return f"{included} is not a module in src/modules.txt"
        order = list(modules)
        if module is not None and order.index(included) > order.index(module):
            return f"{included} comes after {module} in src/modules.txt"
    elif modules.get(module) == CORE:
        standard = STANDARD_LIBRARY.fullmatch(include) and include not in INPUT_AND_OUTPUT
        intrinsics = module == "numerics" and include in INTRINSICS
        if not standard and not intrinsics and not LIBRARIES_OF_CORE.fullmatch(include):
            return (f"{CORE} may include only the standard library (no files or streams), Eigen and OpenMP; "
                    "numerics may also include intrinsics")
    return None


def main():
    modules = read_modules()
    errors, files = [], 0
    for path in sorted(SRC.rglob("*.[ch]pp")):
        module = module_of(path.relative_to(SRC))  # main.cpp may include everything
        if module is not None and module not in modules:
            errors.append(f"{path}: {module} is missing from src/modules.txt")
            continue
        files += 1
        text = path.read_text()
        for match in INCLUDE.finditer(text):
            if error := error_in(module, match[1], modules):
                line = text.count("\n", 0, match.start(1)) + 1
                errors.append(f"{path}:{line}: #include {match[1]}: {error}")
    for error in errors:
        print(error, file=sys.stderr)
    if not errors:
        print(f"{files} files in {len(modules)} modules include only what src/modules.txt allows")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
