"""Runs the program, and makes the texts and models that the tests run it on."""

import json
import os
import random
import subprocess
from pathlib import Path

import yaml
from reference import read_safetensors

# Let waiting threads sleep. By default they spin, and two test runs side by side would take ten times as long.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = Path(os.environ.get("GLASSFORMER_PROGRAM", ROOT / "build/release/glassformer")).resolve()


class Failed(Exception):
    pass


def run(command, *arguments, stdin="", status=0):
    """What `glassformer COMMAND ARGUMENTS` prints to standard output and standard error. Arguments may be
    Paths or numbers."""
    done = subprocess.run([PROGRAM, command, *map(str, arguments)], input=stdin.encode(), capture_output=True,
                          timeout=600)
    out, err = done.stdout.decode(), done.stderr.decode()
    if done.returncode != status:
        raise Failed(f"{command}: expected status {status}, found {done.returncode}\n{err}")
    return out, err


def run_json(command, *arguments):
    return json.loads(run(command, *arguments, "--json")[0])


def train(directory, text, settings=(), *options, base="debug"):
    """Trains on the text in the directory `text`: train.en, train.de, valid.en and valid.de. The config is
    configs/debug.yaml (one layer, width 8, no dropout, no label smoothing) with these settings."""
    _, log = run("train", ROOT / f"configs/{base}.yaml", "--output", directory, *set_options(text, settings), *options)
    return Run(directory, log)


def set_options(text, settings):
    """The options `--set key=value` for these settings and the directory of the text."""
    def yaml_value(value):
        return str(value).lower() if isinstance(value, bool) else value
    return [word for key, value in {"data.directory": text, **dict(settings)}.items()
            for word in ("--set", f"{key}={yaml_value(value)}")]


def variant(trained, directory, settings):
    """Trains the model for one more update, a tiny one, with these settings in its config."""
    config = trained.config()
    shape = {f"model.{key}": config["model"][key] for key in ("d_model", "heads", "d_ff")}
    return train(directory, config["data"]["directory"],
                 {"model.from": trained / "best", **shape, "training.max_updates": 1, "training.max_tokens": 1000,
                  "training.schedule.learning_rate": 1e-6, **settings})


class Run:
    """The files of a training run."""

    def __init__(self, directory, log=""):
        self.directory, self.log = Path(directory), log

    def __truediv__(self, name):
        return self.directory / name

    def config(self):
        return yaml.safe_load((self / "config.yaml").read_text(encoding="utf-8"))

    def metrics(self, kind):
        """The lines of metrics.jsonl: kind is "train" or "validation"."""
        lines = (self / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
        return [line for line in map(json.loads, lines) if line["kind"] == kind]

    def without_times(self, kind):
        """Like metrics(), without anything that depends on time."""
        return [{key: value for key, value in line.items() if "minutes" not in key and "second" not in key}
                for line in self.metrics(kind)]

    def progress(self, checkpoint="last"):
        """How far training had got: counts, and the search for the best."""
        return json.loads(read_safetensors(self / checkpoint / "training_state.safetensors")[1]["progress"])

    def checkpoint(self, update):
        return self / f"step-{update:08d}"


def toy_pairs(name):
    """Pairs of sentences of the toy corpus."""
    sides = [(ROOT / f"data/toy/{name}.{side}").read_text(encoding="utf-8").splitlines() for side in ("en", "de")]
    return list(zip(*sides))


def unequal_pairs(count, seed, name="train", longest=6):
    """Pairs of very unequal length. Each joins one to `longest` sentences of the toy corpus; most are short."""
    draw, sentences = random.Random(seed), toy_pairs(name)
    pairs = []
    for _ in range(count):
        chosen = draw.choices(sentences, k=min(longest, 1 + int(draw.expovariate(1))))
        pairs.append(tuple(" ".join(pair[side] for pair in chosen) for side in (0, 1)))
    return pairs


def write_pairs(directory, name, pairs, end="\n"):
    """Writes DIRECTORY/NAME.en and NAME.de, and returns their paths."""
    files = []
    for side, language in enumerate(("en", "de")):
        file = Path(directory) / f"{name}.{language}"
        file.write_bytes("".join(pair[side] + end for pair in pairs).encode())
        files.append(file)
    return files


def write_text(file, lines, end="\n", byte_order_mark=False, ended=True):
    """Writes lines to a file and returns the file. With `ended` False, the last line has no line end."""
    text = end.join(lines) + (end if ended else "")
    Path(file).write_bytes((b"\xEF\xBB\xBF" if byte_order_mark else b"") + text.encode())
    return file


def awkward(line, draw):
    """The line with a flaw: doubled white space, tabs, spaces at both ends, swapped case, or an unknown word."""
    way = draw.randrange(6)
    return [line, line.replace(" ", "  "), line.replace(" ", "\t", 2), f" \t{line}  ", line.swapcase(),
            f"{line} unheardof"][way]


def awkward_pairs(pairs, seed):
    """Makes each side of these pairs awkward in its own way. Some sides, and some whole pairs, become empty or white
    space: at the start, at the end and in between."""
    draw, count = random.Random(seed), len(pairs)
    pairs = [(awkward(source, draw), awkward(target, draw)) for source, target in pairs]
    for place, sides in zip((0, 1, count // 3, count // 2, count // 2 + 1, 2 * count // 3, count - 2, count - 1),
                            ("both", "source", "target", "both", "both", "source", "target", "both")):
        source, target = pairs[place]
        pairs[place] = {"both": ("", ""), "source": (" \t ", target), "target": (source, "")}[sides]
    return pairs
