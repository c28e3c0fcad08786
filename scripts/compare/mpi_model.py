#!/usr/bin/env python3
"""Calculates how long summing gradients over several machines takes.

    scripts/compare/mpi_model.py tiny:2615056:17800 small:8108880:6900 base:49268496:1240 --tokens 8192

Each model is NAME:PARAMETERS:TOKENS_PER_SECOND, with the speed of one machine (`glassformer benchmark`). --tokens is
the number of tokens in an update, both sides, on all machines together. Prints a table.

A gradient has 4 bytes per parameter. In the chain (src/machine/mpi.cpp), a machine in the middle sends the gradient up
once and down once, and receives as much at the same time. The first segment takes 2 (n - 1) hops to come back. With n
machines, computing takes 1/n of the time, but each added machine makes the sum a little slower. The last columns give
the number of machines at which the sum takes as long as computing. The latency of messages is not included.
"""

import argparse

RATES = {"10 Gbit/s": 10e9 / 8, "100 Gbit/s": 100e9 / 8}
MACHINES = 8     # the table shows how long the sum takes on these
SEGMENT = 2**18  # bytes: src/machine/mpi.cpp, kSegment


def seconds_of_sum(parameters, machines, rate):
    """Machines send and receive at the same time; the first segment travels alone."""
    gradient = 4 * parameters
    return (2 * gradient + 2 * (machines - 1) * min(SEGMENT, gradient)) / rate


def machines_at_equality(parameters, computing, rate):
    """The smallest number of machines at which the sum takes at least as long as computing."""
    machines = 2
    while seconds_of_sum(parameters, machines, rate) < computing / machines:
        machines += 1
    return machines


def model(text):
    name, parameters, speed = text.split(":")
    return name, int(parameters), float(speed)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", type=model, metavar="NAME:PARAMETERS:TOKENS_PER_SECOND")
    parser.add_argument("--tokens", type=int, default=8192, help="per update (default: 8192)")
    options = parser.parse_args()

    print("| model | parameters | MB sent per update | computation on one machine, s |", end="")
    print("".join(f" sum of {MACHINES} at {rate}, s |" for rate in RATES),
          "".join(f" equal at {rate} |" for rate in RATES), sep="")
    print("|---" * (4 + 2 * len(RATES)) + "|")
    for name, parameters, speed in options.models:
        computing = options.tokens / speed
        cells = [name, f"{parameters / 1e6:.2f} M", f"{8 * parameters / 1e6:.0f}", f"{computing:.2f}"]
        cells += [f"{seconds_of_sum(parameters, MACHINES, rate):.3f}" for rate in RATES.values()]
        cells += [f"{machines_at_equality(parameters, computing, rate)} machines" for rate in RATES.values()]
        print("| " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
