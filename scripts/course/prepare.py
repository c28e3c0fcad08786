#!/usr/bin/env python3
"""Builds everything that the labs need, so that `scripts/lab.sh start` and the first `check` of each lab take seconds:
the core, and the known wrong answers of all labs. For a class: run it before the first lesson, on every computer or in
the image that students get. It changes nothing in labs."""

import sys
import time

from building import CompileError, build_core
from check import wrong_results
from labs import LabError, all_labs


def main():
    begin = time.monotonic()
    try:
        build_core()
        for lab in all_labs(variants=True):
            count = len(wrong_results(lab))
            print(f"lab {lab.name:>3}: {count} known wrong answers", flush=True)
    except (LabError, CompileError, OSError) as error:
        print(f"prepare.py: {error}", file=sys.stderr)
        return 2
    print(f"The labs are ready, after {time.monotonic() - begin:.0f} seconds.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
