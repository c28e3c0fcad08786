#!/usr/bin/env python3
"""Would the tests notice a small mistake? Derives mistakes (mutants) from the sources by operators, compiles a random
sample of them and the hand-made ones of tests/faults.txt into a copy of the project, switches on one at a time, and
runs the tests that reach it until one fails.

    scripts/dev/mutants/mutate.py                         400 mutants and all hand-made faults
    scripts/dev/mutants/mutate.py --list                  how many mutants each operator and module has
    scripts/dev/mutants/mutate.py --sample 50 --files src/run     50 mutants of these files, and all hand-made faults
    scripts/dev/mutants/mutate.py --sample 0              only the hand-made faults
    scripts/dev/mutants/mutate.py --again                 tries the survivors again, with the tests as they are now

All mutants are in one program; the environment variable GLASSFORMER_MUTANT names the one that is on. So a sample costs
one build. A mutant that does not compile is replaced by the next one of the random order.

Results go to build/mutants/results.jsonl, one line per mutant: run it again to go on with the same sample. A result
counts as long as neither src nor the tests change. --again tries the survivors again; mutants that earlier versions of
the tests caught still count as caught. The mutants of tests/equivalent_mutants.txt count only if a test catches them.
The exit status is 1 if mutants remain to be tried, or if fewer than 95 % of the sample or not all hand-made faults were
caught.
"""

import argparse
import collections
import hashlib
import itertools
import json
import random
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import planting
import suite
from operators import Mutant, mutants_of

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import faults  # noqa: E402

STATE = planting.PROJECT / "build" / "mutants"
HAND_MADE = 60000  # the number of the first hand-made fault
NO_MUTANT = HAND_MADE - 1
BY_HAND = "by hand"
EQUIVALENT = planting.PROJECT / "tests" / "equivalent_mutants.txt"


def sources(paths):
    return {name: (planting.PROJECT / name).read_text(encoding="utf-8")
            for name in planting.git_files(*(paths or ["src"])) if name.endswith((".cpp", ".hpp"))}


def all_mutants(texts):
    return sorted({mutant for name, text in texts.items() for mutant in mutants_of(name, text)})


def hand_made(path):
    """{number: mutant}"""
    mutants = {}
    for number, fault in enumerate(faults.read_faults(path), HAND_MADE):
        text = (planting.PROJECT / fault.file).read_text(encoding="utf-8")
        begin, end = faults.place(text, fault)
        mutants[number] = Mutant(fault.file, begin, end, fault.new, BY_HAND, fault.title)
    return mutants


def plant(order, size, extra):
    """Plants the first `size` mutants of the order that compile, and the extra ones: {number: mutant}. Starts with an
    eighth more, because some do not compile, and each look takes minutes."""
    rest = iter(enumerate(order, 1))
    chosen = dict(itertools.islice(rest, size + size // 8))
    while True:
        owners, outside = planting.plant({**chosen, **extra}, line_numbers=False)
        planting.configure()
        wrong = outside | planting.wrong_mutants(owners)
        if not wrong:
            break
        for number in sorted(wrong):
            mutant = {**chosen, **extra}[number]
            print(f"does not compile: {mutant.file}: {mutant.operator}, {mutant.shown}", flush=True)
            if number in extra:
                raise SystemExit("correct this fault")
            del chosen[number]
        # Even if enough are left, it looks again: an error can hide another one.
        chosen.update(itertools.islice(rest, max(0, size - len(chosen))))
    chosen = {**dict(sorted(chosen.items())[:size]), **extra}
    planting.plant(chosen, line_numbers=True)
    return chosen


def measured_units(jobs):
    """The units that pass without a mutant, measured once per build; tells of the others."""
    path = STATE / "units.json"
    built = suite.TESTS.stat().st_mtime
    known = json.loads(path.read_text()) if path.exists() and path.stat().st_mtime > built else []
    names = {unit["unit"] for unit in known}
    lock = threading.Lock()

    def measure(item):
        unit = suite.measure(*item)
        with lock:
            known.append(unit)
            path.write_text(json.dumps(known))

    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(measure, [item for item in suite.all_units().items() if item[0] not in names]))
    for unit in known:
        unit["reaches"] = set(unit["reaches"])
        if not unit["passes"]:
            print(f"not used, because it fails without a mutant: {unit['unit']}\n{unit['output']}", flush=True)
    return [unit for unit in known if unit["passes"]]


def key_of(mutant):
    return "|".join(map(str, mutant))


def digest_of(*paths):
    digest = hashlib.sha256()
    for name in planting.git_files(*paths):
        digest.update(name.encode() + b"\0" + (planting.PROJECT / name).read_bytes())
    return digest.hexdigest()[:16]


def read_results(versions, again):
    """{key: result} of earlier runs that still count."""
    path = STATE / "results.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    results = [result for result in map(json.loads, lines) if result.get("src") == versions["src"]]
    return {result["key"]: result for result in results
            if (result["by"] if again else result["tests"] == versions["tests"])}


def check_control(units):
    """Without a mutant, nothing may look like a mutant that was caught: units that pass alone also pass together."""
    together = [unit for unit in units if not unit["unit"].startswith(("program: ", "metrics/"))]
    by = suite.caught_by(NO_MUTANT, "", [{**unit, "reaches": {NO_MUTANT}} for unit in together])
    if by:
        raise SystemExit(f"without a mutant, this test fails if it runs together with others: {by}")


def read_equivalent():
    """(file, its text with the mutant) for each mutant that changes no result."""
    texts = {fault.file: (planting.PROJECT / fault.file).read_text(encoding="utf-8")
             for fault in faults.read_faults(EQUIVALENT)}
    return {(fault.file, faults.plant(texts[fault.file], fault)) for fault in faults.read_faults(EQUIVALENT)}


def print_tables(results):
    """Whether enough mutants were caught."""
    enough = True
    equivalent = [result for result in results if result["by"] is None and result["equivalent"]]
    print(f"left out, because they change no result: {len(equivalent)}")
    results = [result for result in results if result not in equivalent]
    for title, of_kind, share in (("sample", lambda r: r["operator"] != BY_HAND, 0.95),
                                  ("hand-made", lambda r: r["operator"] == BY_HAND, 1)):
        chosen = [result for result in results if of_kind(result)]
        if not chosen:
            continue
        table = collections.defaultdict(lambda: [0, 0])
        for result in chosen:
            row = table[result["file"].split("/")[1]]
            row[0] += 1
            row[1] += result["by"] is not None
        print(f"\n| module ({title}) | tried | caught |\n|---|---|---|")
        for module, (tried, caught) in sorted(table.items()):
            print(f"| {module} | {tried} | {caught} |")
        caught = sum(result["by"] is not None for result in chosen)
        print(f"caught {caught} of {len(chosen)}: {100 * caught / len(chosen):.1f} %")
        for result in chosen:
            if result["by"] is None:
                print(f"SURVIVED {result['number']}: {result['file']}:{result['line']}: {result['operator']}, "
                      f"{result['shown']}")
        enough = enough and caught >= share * len(chosen)
    return enough


def try_all(chosen, options):
    versions = {"src": digest_of("src"), "tests": digest_of("tests", "scripts/dev/mutants")}
    units = measured_units(options.jobs)
    known, lock, results = read_results(versions, options.again), threading.Lock(), []
    equivalent = read_equivalent()
    check_control(units)
    end = time.monotonic() + 60 * options.minutes

    def try_one(number, mutant):
        text = (planting.PROJECT / mutant.file).read_text(encoding="utf-8")
        result = known.get(key_of(mutant))
        if result is None:
            if time.monotonic() > end:
                return
            module = mutant.file.split("/")[1]
            line = mutant.line(text)
            result = {"key": key_of(mutant), **versions, "number": number, "file": mutant.file, "line": line,
                      "operator": mutant.operator, "shown": mutant.shown,
                      "by": suite.caught_by(number, module, units)}
            with lock, (STATE / "results.jsonl").open("a", encoding="utf-8") as file:
                file.write(json.dumps(result) + "\n")
                print(f"{'caught  ' if result['by'] else 'SURVIVED'} {mutant.file}:{line} {mutant.operator}, "
                      f"{mutant.shown}: {result['by']}", flush=True)
        results.append({**result, "equivalent": (mutant.file, mutant.planted_in(text)) in equivalent})

    with ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(lambda item: try_one(*item), sorted(chosen.items())))
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="only count the mutants")
    parser.add_argument("--sample", type=int, default=400, help="how many to try (default: 400)")
    parser.add_argument("--seed", type=int, default=1, help="of the random order (default: 1)")
    parser.add_argument("--files", nargs="*", help="only in these files or directories (default: src)")
    parser.add_argument("--faults", default=str(faults.FAULTS), help="the hand-made faults (default: tests/faults.txt)")
    parser.add_argument("--again", action="store_true", help="try known survivors again")
    parser.add_argument("--jobs", type=int, default=2, help="how many to try at a time (default: 2)")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="stop after this time; run again to go on")
    options = parser.parse_args()
    mutants = all_mutants(sources(options.files))
    if options.list:
        for key, count in sorted(collections.Counter(mutant.operator for mutant in mutants).items()):
            print(f"{count:6} {key}")
        for key, count in sorted(collections.Counter(mutant.file.split("/")[1] for mutant in mutants).items()):
            print(f"{count:6} {key}")
        return 0
    random.Random(options.seed).shuffle(mutants)
    chosen = plant(mutants, options.sample, hand_made(options.faults))
    planting.build()
    results = try_all(chosen, options)
    enough = print_tables(results)
    if len(results) < len(chosen):
        print(f"{len(chosen) - len(results)} not tried yet: run this command again")
    return 0 if enough and len(results) == len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
