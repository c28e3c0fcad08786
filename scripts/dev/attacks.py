"""Input that is designed to do harm; for bad_inputs.py. Each function in ALL is one group of attacks."""

import random

from attack_contents import (claims, escapes, line_breaks, nesting, not_finite, odd_checkpoints, padded_rows,
                             sentencepiece_models)
from attack_runs import run_attacks
from attack_system import (devices, linked_files, links, long_files, lost_translations, moved_runs, output_files, ranks,
                           threads)
from trials import SUMS, change, copy_of, remove, set_key


class World:
    """What the attacks need: models, a text, and its translations."""

    def __init__(self, trials, root, run, train):
        self.trials, self.root, self.run, self.train = trials, root, run, train
        self.directory = trials.directory
        self.word = (run / "last").resolve()
        self.opus = copy_of(root / "tests/fixtures/marian/opus", self.directory / "opus")
        self.untied = copy_of(root / "tests/fixtures/marian/untied", self.directory / "untied")
        toy = set_key("data.directory", root / "data/toy")
        self.sentencepiece = self.trained("pieces", [*toy, *set_key("tokenizer.kind", "sentencepiece"),
                                                     *set_key("tokenizer.vocabulary_size", 60)])
        words = "the small dog sees a house . she sleeps".split()
        chosen = random.Random(1)
        self.lines = [" ".join(chosen.choices(words, k=chosen.randint(1, 6))).encode() + b"\n" for _ in range(5000)]
        self.text = self.directory / "good.txt"
        self.text.write_bytes(b"".join(self.lines))
        self.translated = trials.run(["translate", run], b"".join(self.lines)).out.splitlines(keepends=True)
        (self.directory / "pair.en").write_bytes(b"a dog\nthe house\n")
        (self.directory / "pair.de").write_bytes(b"ein hund\ndas haus\n")

    def trained(self, name, options):
        done = self.trials.run([*self.train, "--output", name, *set_key("training.max_updates", 2), *options])
        if done.status != 0:
            raise SystemExit(f"training a model to attack failed:\n{done.err.decode()}")
        return (self.directory / name / "last").resolve()

    def damaged(self, model, name=None, edit=None):
        """A copy of a checkpoint without checksums, with one file edited."""
        copy = copy_of(model, self.directory / "damaged")
        (copy / SUMS).unlink(missing_ok=True)
        if name is not None:
            change(copy / name, edit)
        return copy

    def resumable(self, name=None, edit=None):
        """Copies the run, and edits its last checkpoint in the same way. Returns the command that continues the copy."""
        copy = copy_of(self.run, self.directory / "damaged_run")
        ((copy / "last").resolve() / SUMS).unlink()
        if name is not None:
            change((copy / "last").resolve() / name, edit)
        return ["train", copy / "config.yaml", "--output", copy, "--resume", *set_key("training.max_updates", 105)]

    def commands(self, model):
        """All commands that load a checkpoint."""
        pair = self.directory / "pair.en", self.directory / "pair.de"
        return [["translate", model, "--input", pair[0]],
                ["evaluate", model, "--source", pair[0], "--reference", pair[1]],
                ["explain", model, "--source", "a dog", "--html", "page.html"]]


def measure(world):
    """Measures the peak memory of each command on good input."""
    trials = world.trials
    for model in (world.word, world.opus, world.sentencepiece):
        for command in world.commands(model):
            done = trials.run(command)
            if done.status != 0:
                raise SystemExit(f"{command} failed on good input:\n{done.err.decode()}")
            trials.usual[command[0]] = max(trials.usual.get(command[0], 0), done.megabytes)
    remove(world.directory / "page.html")
    print("\nPeak memory on good input, in MB: " +
          ", ".join(f"{command} {peak:.0f}" for command, peak in sorted(trials.usual.items())) + "\n", flush=True)


def others(world):
    odd_checkpoints(world)
    ranks(world)
    threads(world)
    linked_files(world)


ALL = (lost_translations, not_finite, nesting, sentencepiece_models, claims, devices, links, long_files, output_files,
       escapes, padded_rows, line_breaks, moved_runs, run_attacks, others)
