"""Input that is made to do harm; for bad_inputs.py. Each function is one kind of attack."""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import threading
import time
from pathlib import Path

from trials import (change, changes, copy_of, field, fields, header, keys, piece, remove, replace, safetensors, set_key,
                    sparse, split_safetensors, varint, visible, with_numbers, yaml_key)

MODEL, STATE, SUMS = "model.safetensors", "training_state.safetensors", "SHA256SUMS"
HUGE = 2147483646
NESTING = 48_000
HOSTILE = "\x1b[31m\x1b]0;title\x07\x9b2J\u202eabc\x7f"  # escapes, C1, a bidirectional override, DEL
MUTANTS = 312


class World:
    """What the attacks work on: models, text, and its translations."""

    def __init__(self, trials, root, run, train):
        self.trials, self.root, self.run, self.train = trials, root, run, train
        self.directory = trials.directory
        self.word = (run / "last").resolve()
        self.spare = copy_of(self.word, self.directory / "spare")
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
        """The same for the last checkpoint of a copy of the run; the command that continues it."""
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
                ["explain", model, "--source", "a dog", "--html", "page.html"],
                ["score", model, "--source", pair[0], "--target", pair[1]],
                ["average", model, self.spare, "--output", "mean"]]


def measure(world):
    """Peak memory of each command on good input."""
    trials = world.trials
    for model in (world.word, world.opus, world.sentencepiece):
        for command in world.commands(model):
            if command[0] == "average" and model != world.word:
                continue
            done = trials.run(command)
            if done.status != 0:
                raise SystemExit(f"{command} failed on good input:\n{done.err.decode()}")
            trials.usual[command[0]] = max(trials.usual.get(command[0], 0), done.megabytes)
    for name in ("page.html", "mean"):
        remove(world.directory / name)
    print("\nPeak memory on good input, in MB: " +
          ", ".join(f"{verb} {peak:.0f}" for verb, peak in sorted(trials.usual.items())) + "\n", flush=True)


# 1. Finished translations

def kept(world, what, done, output, count=None):
    """Checks the new file OUTPUT.XXXXXX that a message must name: whole lines, the first `count` or at least one."""
    files = [path for path in world.directory.glob(f"{output}.*") if not path.name.endswith(".partial")]
    problems = []
    if len(files) != 1:
        problems.append(f"{len(files)} files {output}.*, expected 1")
    else:
        lines = files[0].read_bytes().splitlines(keepends=True)
        if done is not None and files[0].name.encode() not in done.err:
            problems.append(f"the message does not name {files[0].name}")
        if lines != world.translated[:len(lines)] or not lines or (count is not None and len(lines) != count):
            problems.append(f"{len(lines)} lines, or other lines than expected ({count or 'some'})")
    world.trials.note(f"{what}: finished lines", problems, None, "kept")
    for path in files:
        path.unlink()


def lost_translations(world):
    trials, translate = world.trials, ["translate", world.run]
    bad = world.directory / "bad.txt"
    out = world.directory / "out.txt"
    out.write_bytes(b"precious\n")
    invalid = {"a stray byte": b"a \xff b\n", "a truncated character": b"a \xe2\x82\n", "a surrogate": b"\xed\xa0\x80\n",
               "an overlong slash": b"\xc0\xaf\n", "above U+10FFFF": b"\xf4\x90\x80\x80\n"}
    for what, line in invalid.items():
        bad.write_bytes(b"".join(world.lines[:4999]) + line + world.lines[4999])
        trials.refused(f"lost: file, {what} in line 5000", [*translate, "--input", bad],
                       ("bad.txt:5000", "--invalid replace"))
    for number in (1, 2, 64, 129, 5000):
        text = b"".join(world.lines[:number - 1]) + b"a \xff b\n" + b"".join(world.lines[number:])
        bad.write_bytes(text)
        where = f"a bad byte in line {number}"
        trials.refused(f"lost: file, --output, {where}", [*translate, "--input", bad, "--output", out], f"bad.txt:{number}")
        before = b"".join(world.translated[:number - 1])
        trials.refused(f"lost: pipe, {where}", translate, f":{number}", text, out=before)
        with open(bad, "rb") as file:
            trials.refused(f"lost: file as standard input, {where}", translate, f":{number}", stdin=file, out=before)
        done = trials.refused(f"lost: pipe, --output, {where}", [*translate, "--output", out], f":{number}", text,
                              leaves=("out.txt.",))
        if number > 1:
            kept(world, f"lost: pipe, --output, {where}", done, "out.txt", number - 1)
        trials.handled(f"lost: --invalid replace, file, {where}", [*translate, "--input", bad, "--invalid", "replace"],
                       5000, warnings=1)
        trials.handled(f"lost: --invalid replace, pipe, {where}", [*translate, "--invalid", "replace"], 5000, text,
                       warnings=1)
    text = b"a dog\nthe \xff\n"
    trials.refused("lost: pipe, --batch 1", [*translate, "--batch", "1"], ":2", text, out=trials.run(translate, b"a dog\n").out)
    for option in (["--n-best", "2", "--beam", "2"], ["--beam", "3"]):
        trials.refused(f"lost: pipe, {' '.join(option)}", [*translate, *option], ":2", text,
                       out=trials.run([*translate, *option], b"a dog\n").out)
    trials.handled("lost: --invalid replace, every line", [*translate, "--invalid", "replace"], 300, b"\xff \xfe\n" * 300,
                   warnings=1)
    trials.handled("lost: --invalid replace, at the end without a newline", [*translate, "--invalid", "replace"], 2,
                   b"a\n\xe2\x82", warnings=1)
    trials.handled("lost: --invalid replace, nothing invalid", [*translate, "--invalid", "replace"], 1, b"a\n", warnings=0)
    trials.refused("lost: --invalid with another word", [*translate, "--invalid", "ignore"], "--invalid", b"a\n")
    bad.write_bytes(world.lines[0] + b"\xff\n")
    trials.refused("lost: evaluate with a bad byte",
                   ["evaluate", world.run, "--source", bad, "--reference", world.text], "bad.txt:2")
    scored = trials.run(["score", world.run, "--source", world.text, "--target", world.text]).out.splitlines(True)[:1]
    bad.write_bytes(world.lines[0] + b"\xff\n")
    trials.refused("lost: score with a bad byte", ["score", world.run, "--source", world.text, "--target", bad],
                   "bad.txt:2", out=b"".join(scored))
    full_disks(world, out)
    bad.unlink()
    out.unlink()


def full_disks(world, out):
    trials, translate = world.trials, ["translate", world.run, "--input", world.text]
    with open("/dev/full", "wb") as full:
        trials.refused("full disk: standard output is /dev/full", translate, "disk full", expected=1, stdout=full)
    trials.refused("full disk: --output /dev/full", [*translate, "--output", "/dev/full"], "full", expected=1)
    for limit in (5_000, 8_192, 50_000):
        what = f"full disk: files of at most {limit} bytes"
        done = trials.refused(what, [*translate, "--output", out], expected=1, limit=limit, leaves=("out.txt.",))
        kept(world, what, done, "out.txt")
    small = world.directory / "small"
    small.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=32k", "none", small], capture_output=True)
    if mounted.returncode != 0:
        trials.skip("a full file system", "mount needs root; a limit on file sizes was tried instead")
    else:
        try:
            done = trials.refused("full disk: a full file system", [*translate, "--output", "small/out"], "small/out",
                                  expected=1, leaves=("small/out",))
            kept(world, "full disk: a full file system", done, "small/out")
        finally:
            subprocess.run(["umount", small], check=True)
    remove(small)


# 2. NaN and infinity

def not_finite(world):
    trials, tensor = world.trials, "model.decoder.layers.0.fc1.weight"
    for kind in ("F32", "F16", "BF16"):
        for value in ("nan", "inf", "-inf"):
            model = world.damaged(world.word, MODEL, with_numbers(tensor, [float(value)] * 3, kind))
            for command in world.commands(model):
                trials.refused(f"{value} in {kind}: {command[0]}", command, (MODEL, tensor, "3"))
    for tensor in ("final_logits_bias", "model.encoder.embed_tokens.weight"):
        model = world.damaged(world.word, MODEL, with_numbers(tensor, [float("-inf")]))
        trials.refused(f"-inf in {tensor}", ["translate", model], (tensor, "1"), b"a\n")
    trials.refused("nan in model.from", [*world.train, "--output", "new", *set_key("model.from", model)], tensor)
    model = world.damaged(world.word, MODEL, with_numbers(tensor, [float("nan")]))
    trials.refused("nan in the second of two to average", ["average", world.word, model, "--output", "mean"], tensor)
    for name in ("adam.m", "adam.v"):
        for value in ("nan", "inf", "-inf"):
            trials.refused(f"{value} in the training state's {name}",
                           world.resumable(STATE, with_numbers(name, [float(value)] * 2)), (STATE, name, "2"))
    trials.refused("nan in the weights of a run to continue", world.resumable(MODEL, with_numbers(tensor, [float("nan")])),
                   tensor)


# 3. Nesting

def nested(kind, depth=NESTING):
    opening, inside, closing = {"brackets": ("[", "", "]"), "braces": ('{"a":', "1", "}"),
                                "both": ('[{"a":', "1", "}]")}[kind]
    return (opening * depth + inside + closing * depth).encode()


def nesting(world):
    trials = world.trials
    for kind in ("brackets", "braces", "both"):
        value = nested(kind)
        for name in ("config.json", "generation_config.json", "tokenizer_config.json", "vocab.json"):
            model = world.damaged(world.opus, name, lambda _, value=value: value)
            trials.refused(f"nested {kind}: {name}", ["translate", model], name, b"a\n")
            model = world.damaged(world.opus, name, lambda _, value=value: value[:len(value) // 2])
            trials.refused(f"nested {kind}, never closed: {name}", ["translate", model], name, b"a\n")
        for name, key in (("config.json", "d_model"), ("config.json", "model_type"), ("vocab.json", "</s>"),
                          ("generation_config.json", "num_beams"), ("tokenizer_config.json", "separate_vocabs")):
            model = world.damaged(world.opus, name, replace(b'"%s"' % key.encode(), b'"%s": %s, "x"' % (key.encode(), value)))
            trials.refused(f"nested {kind}: {key} in {name}", ["translate", model], name, b"a\n")
        for name in ("source.vocab.json", "target.vocab.json", "config.yaml"):
            model = world.damaged(world.word, name, lambda _, value=value: value)
            trials.refused(f"nested {kind}: {name}", ["translate", model], name, b"a\n")
        model = world.damaged(world.word, "source.vocab.json", lambda data, value=value: b"[" + value + b"," + data[1:])
        trials.refused(f"nested {kind}: a word in source.vocab.json", ["translate", model], "source.vocab.json", b"a\n")
        model = world.damaged(world.word, "config.yaml", yaml_key("d_model", value.decode()))
        trials.refused(f"nested {kind}: d_model in config.yaml", ["translate", model], "config.yaml", b"a\n")
        for place in ("whole header", "__metadata__", "shape", "data_offsets", "dtype"):
            entry = b'{"final_logits_bias": {"%s": %s}}' % (place.encode(), value)
            text = {"whole header": value, "__metadata__": b'{"__metadata__": %s}' % value}.get(place, entry)
            model = world.damaged(world.word, MODEL, lambda data, text=text: safetensors(text, data[-5000:]))
            trials.refused(f"nested {kind}: {place} in {MODEL}", ["translate", model], MODEL, b"a\n")
        for key in ("update", "best_figure", "part", "minutes"):
            progress = b'{"%s": %s}' % (key.encode(), value)
            edit = header(lambda entries, progress=progress: entries["__metadata__"].update(progress=progress.decode()))
            trials.refused(f"nested {kind}: {key} of the training progress", world.resumable(STATE, edit), STATE)
        edit = header(lambda entries, value=value: entries["__metadata__"].update(progress=value.decode()))
        trials.refused(f"nested {kind}: training progress", world.resumable(STATE, edit), STATE)
        trials.refused(f"nested {kind}: --set", [*world.train, *set_key("model.dropout", nested(kind, 12_000).decode())],
                       "model.dropout")
    config = world.directory / "bad.yaml"
    deep = {"brackets": "[" * NESTING, "sequences": "- " * NESTING, "keys": "? " * NESTING, "closed": nested("brackets").decode(),
            "braces in a key": "model: {d_model: " + nested("braces").decode() + "}", "braces": "{a: " * NESTING,
            "mappings": "".join(" " * i + "a:\n" for i in range(1500)), "brackets as a key": nested("brackets").decode() + ": 1",
            "a base": "base: " + nested("brackets").decode(), "tags": "!a " * NESTING, "anchors": "&a " * NESTING}
    lists = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lists += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 12)]
    deep["aliases of aliases"] = "\n".join(lists) + "\n"
    deep["aliases of aliases as a value"] = "\n".join([*lists, "model:", "  d_model: *a11"]) + "\n"
    deep["an alias of itself"] = "model: &m\n  d_model: *m\n"
    deep["a list that holds itself"] = "model:\n  d_model: &m [*m]\n"
    for what, text in deep.items():
        config.write_text(text)
        trials.refused(f"nested YAML: {what}", ["train", config, "--output", "new"], "bad.yaml")
    config.write_text("x" * 1_000_000 + ": 1\n")
    trials.refused("a key of 1 MB", ["train", config, "--output", "new"], "bad.yaml")
    config.write_text("model:\n  d_model: " + "x" * 1_000_000 + "\n")
    trials.refused("a value of 1 MB", ["train", config, "--output", "new"], "bad.yaml")
    trials.refused("a JSON key of 1 MB", ["translate", world.damaged(world.opus, "vocab.json", keys(**{"x" * 1_000_000: "y"}))],
                   "vocab.json", b"a\n")
    model = world.damaged(world.word, MODEL, header(lambda entries: entries.update(
        {"x" * 1_000_000: entries.pop("final_logits_bias")})))
    trials.refused("a tensor name of 1 MB", ["translate", model], MODEL, b"a\n")
    config.unlink()


# 4. SentencePiece models

def mutated(data, chosen, number):
    """One of six kinds of damage."""
    parts = list(fields(data))
    at = chosen.randrange(len(data))
    if number % 6 == 0:
        return data[:at]
    if number % 6 == 1:  # in the pieces, or wherever else
        for _ in range(chosen.randint(1, 8)):
            at = chosen.randrange(min(len(data), 700))
            data = data[:at] + bytes([chosen.randrange(256)]) + data[at + 1:]
        return data
    if number % 6 == 2:
        return data[:at] + chosen.randbytes(chosen.randint(1, 30)) + data[at:]
    if number % 6 == 3:  # the length of a piece or of a specification
        index = chosen.randrange(len(parts))
        return b"".join(varint(kind << 3 | 2) + varint(chosen.choice([0, len(content) + 1, 1 << 31, 1 << 62])) + content
                        if i == index else field(kind, content) for i, (kind, content) in enumerate(parts))
    if number % 6 == 4:  # the table of normalized characters: how long its first part is, or its cells
        return b"".join(field(kind, damaged_table(content, chosen) if kind == 3 else content) for kind, content in parts)
    chosen.shuffle(parts)  # pieces in another order, some empty, some twice
    parts = [(kind, chosen.choice([content, content, content, b"", parts[0][1]])) for kind, content in parts]
    return b"".join(field(kind, content) for kind, content in parts)


def damaged_table(content, chosen):
    """The table is four bytes of length, a trie of 32-bit units, and the texts that its values point to."""
    data = bytearray(content)
    start = content.find(b"\x12") + 4  # after the field's tag and length
    if chosen.random() < 0.3:
        data[start:start + 4] = chosen.randrange(1 << 18).to_bytes(4, "little")
    first = min(len(data), start + 4 + chosen.choice([0, 100, 1000, 100_000]))
    end = min(len(data), first + chosen.choice([4, 400, 4000, 200_000]))
    data[first:end] = chosen.randbytes(end - first)
    return bytes(data)


def sentencepiece_models(world):
    trials, chosen = world.trials, random.Random(34)
    counts = {0: 0, 2: 0}
    for number in range(MUTANTS):
        kind = ("sentencepiece", "marian", "opus")[number // 6 % 3]
        if number % 6 == 4 and kind == "opus":
            kind = "marian"  # that model has no table
        model = world.damaged(world.opus if kind == "opus" else world.sentencepiece)
        if kind == "marian":
            (model / "config.yaml").unlink()
        name = chosen.choice(["source.spm", "target.spm"])
        change(model / name, lambda data, number=number: mutated(data, chosen, number))
        done = trials.run(["translate", model], "the Dog\u2122 sees \ufb01 \u3000 ½ a.\n".encode())
        problems = trials.problems(done, (0, 2))
        if done.status == 0 and done.out.count(b"\n") != 1:
            problems.append(f"{done.out.count(bytes([10]))} lines, expected 1")
        if done.status == 2 and len(done.messages()) != 1:
            problems.append(f"{len(done.messages())} messages")
        counts[done.status] = counts.get(done.status, 0) + 1
        if problems:
            trials.note(f"damaged {name}, mutant {number} of a {kind} model", problems, done)
    trials.note(f"{MUTANTS} damaged .spm files", [], None, f"{counts[0]} handled, {counts[2]} refused")


# 5. Claims

def claims(world):
    trials = world.trials
    def several(data):  # 1.6 GB, each number within its range
        for key, value in (("d_model", 2048), ("d_ff", 16_384), ("encoder_layers", 5)):
            data = yaml_key(key, value)(data)
        return data
    for command in world.commands(world.damaged(world.word, "config.yaml", several)):
        trials.refused(f"config.yaml claims 1.6 GB: {command[0]}", command, "")
    for key, value in (("d_ff", 1_000_000), ("d_ff", HUGE), ("encoder_layers", 1000), ("d_model", 100_000), ("d_model", 40_000), ("d_model", HUGE), ("encoder_layers", 1_000_000),
                       ("decoder_layers", 1_000_000), ("encoder_layers", HUGE), ("heads", HUGE)):
        model = world.damaged(world.word, "config.yaml", yaml_key(key, value))
        trials.refused(f"config.yaml claims {key}: {value}", ["translate", model], "", b"a\n")
    both = ("attention_heads", "ffn_dim", "layers")
    for key, value in (("encoder_layers", 1_000_000), ("decoder_layers", 1_000_000), ("encoder_layers", HUGE), ("d_model", HUGE),
                       ("d_model", 40_000), ("vocab_size", HUGE), ("decoder_vocab_size", HUGE), ("ffn_dim", HUGE),
                       ("ffn_dim", 20_000_000), ("layers", HUGE), ("glassformer_source_vocabulary", HUGE),
                       ("glassformer_target_vocabulary", HUGE), ("vocab_size", 100_000_000)):
        values = {f"{side}_{key}": value for side in ("encoder", "decoder")} if key in both else {key: value}
        for name, original in (("opus", world.opus), ("untied", world.untied)):
            if name == "opus" and key.startswith(("glassformer_target", "decoder_vocab")):
                continue  # one table for both languages
            model = world.damaged(original, "config.json", keys(**values))
            trials.refused(f"{name} config.json claims {key}: {value}", ["translate", model], "", b"a\n")
    model = world.damaged(world.opus, "config.json", keys(d_model=HUGE, encoder_layers=HUGE, decoder_layers=HUGE, vocab_size=HUGE,
                                                          encoder_ffn_dim=HUGE, decoder_ffn_dim=HUGE))
    trials.refused("config.json claims everything", ["translate", model], "", b"a\n")
    for key in ("max_length", "num_beams"):
        model = world.damaged(world.opus, "generation_config.json", keys(**{key: HUGE}))
        trials.either(f"generation_config.json claims {key}: {HUGE}", ["translate", model], b"a\n")

    size = 2 << 30
    def claimed(name, shape=None):
        entries, data = split_safetensors((world.word / MODEL).read_bytes())
        begin = len(data)
        entries[name] = {"dtype": "F32", "shape": shape or [size // 4], "data_offsets": [begin, begin + size]}
        return safetensors(entries, data)
    for name in ("extra", "model.encoder.embed_positions.weight", "lm_head.weight"):
        model = world.damaged(world.word)
        beginning = claimed(name, None if name == "extra" else [size // 32, 8])
        sparse(model / MODEL, len(beginning) + size, beginning)
        trials.either(f"a sparse {MODEL} of 2 GB, claimed by {name}", ["translate", model], b"a\n")
    for name, entry in (("final_logits_bias", [1, size // 4]), ("adam.m", [size // 4])):
        command = world.resumable()
        place = (world.directory / "damaged_run/last").resolve() / (STATE if name == "adam.m" else MODEL)
        metadata = split_safetensors(place.read_bytes())[0]["__metadata__"]
        text = safetensors({"__metadata__": metadata, name: {"dtype": "F32", "shape": entry, "data_offsets": [0, size]}}, b"")
        sparse(place, len(text) + size, text)
        trials.refused(f"--resume: a sparse {place.name} of 2 GB", command, place.name)
    model = world.damaged(world.word)
    sparse(model / MODEL, size, (world.word / MODEL).read_bytes())
    trials.refused(f"{MODEL} with 2 GB of zeros behind it", ["translate", model], MODEL, b"a\n")

    for key, value in (("model.d_model", 100_000), ("model.d_model", HUGE), ("model.d_ff", HUGE), ("model.encoder_layers", 1_000_000),
                       ("model.encoder_layers", HUGE), ("training.shards", 100_000_000), ("decoding.batch", 1_000_000_000),
                       ("decoding.beam", HUGE), ("training.max_tokens", HUGE), ("training.accumulation", HUGE),
                       ("training.micro_batch_tokens", HUGE), ("tokenizer.vocabulary_size", HUGE), ("data.mapped_above", 0),
                       ("training.validation.samples", HUGE), ("training.checkpoints.keep", HUGE), ("training.checkpoints.average", HUGE)):
        done = trials.run([*world.train, "--output", "new", *set_key(key, value), *set_key("training.max_updates", 1)])
        problems = trials.problems(done, (0, 1, 2))  # some are only limits
        problems += ["no message"] if done.status != 0 and len(done.messages()) != 1 else []
        trials.note(f"train with {key}={value}", problems, done)
        remove(world.directory / "new")
    for words in (2_000, 4_000):  # attention needs memory that grows with the square
        text = world.directory / "long.txt"
        text.write_bytes(b"a dog\n" + b"a " * words + b"\n")
        for command in world.commands(world.word)[:2] + [["score", world.run, "--source", text, "--target", "pair.de"]]:
            command = [text if str(word).endswith("pair.en") else word for word in command]
            trials.either(f"{words} words: {command[0]}", command, memory=300)
        text.unlink()
    for option in (["--beam", "1000000"], ["--beam", "1000"], ["--batch", "1000000"], ["--beam", "1000", "--n-best", "1000"]):
        trials.either(f"translate {' '.join(option)}", ["translate", world.run, *option], b"a dog\n", memory=300)


# 6. Devices, pipes, links, sizes

def place_special(path, kind, terminal):
    remove(path)
    if kind == "a FIFO":
        os.mkfifo(path)
    elif kind == "a directory":
        path.mkdir()
    else:
        path.symlink_to({"a link to a terminal": terminal, "a dangling link": "nowhere", "a link to itself": path.name}.get(
            kind, kind.removeprefix("a link to ")))


WAITING = ("a FIFO", "a link to a terminal")  # whose text may come later


def devices(world):
    trials = world.trials
    master, slave = os.openpty()
    kinds = ("a link to /dev/zero", "a link to /dev/random", "a link to a terminal", "a FIFO", "a directory", "a dangling link",
             "a link to itself")
    files = {world.word: ("config.yaml", SUMS, "source.vocab.json", "target.vocab.json", MODEL),
             world.opus: ("config.json", "generation_config.json", "tokenizer_config.json", "vocab.json", "source.spm",
                          "target.spm", MODEL, SUMS),
             world.run: ("config.yaml", "last/" + STATE, "last/" + MODEL, "last/" + SUMS, "metrics.jsonl", "train.log")}
    for kind in kinds:
        for original, names in files.items():
            for name in names:
                if kind in WAITING and (original, name) == (world.run, "config.yaml"):
                    continue  # here the user names it, and may well mean a pipe
                command = world.resumable() if original == world.run else ["translate", world.damaged(original)]
                place_special(Path(command[3 if original == world.run else 1]) / name, kind, os.ttyname(slave))
                trials.refused(f"{kind} in place of {name}", command, "", b"a\n", timeout=3, seconds=2)
        for arguments in (["train", "special"], ["translate", world.run, "--input", "special"], ["translate", "special"],
                          ["evaluate", world.run, "--source", "special", "--reference", world.text],
                          ["score", world.run, "--source", world.text, "--target", "special"],
                          [*world.train, "--output", "special"], ["train", "based.yaml"],
                          ["average", world.word, "special", "--output", "mean"],
                          [*world.train, *set_key("tokenizer.kind", "sentencepiece"), *set_key("tokenizer.source_model", "special"),
                           *set_key("tokenizer.target_model", "special")], [*world.train, *set_key("model.from", "special")]):
            (world.directory / "based.yaml").write_text("base: special\n")
            place_special(world.directory / "special", kind, os.ttyname(slave))
            if kind == "a directory" and "--output" in arguments and arguments[0] == "train":
                continue  # which is a place for a run
            reads = arguments[:2] == ["train", "special"] or arguments[0] in ("evaluate", "score") or "--input" in arguments
            if kind in WAITING and reads:
                continue  # the program may wait for text
            trials.refused(f"{kind} for {arguments[0]}", arguments, "", timeout=3, seconds=2)
    remove(world.directory / "special")
    (world.directory / "based.yaml").unlink()
    for device in ("/dev/zero", "/dev/random"):
        with open(device, "rb") as file:
            trials.refused(f"translate <{device}", ["translate", world.run], ":1", stdin=file, timeout=5)
    for kind in ("a link to /dev/zero", "a FIFO", "a link to a terminal"):  # the test text that a checkpoint's config names
        place_special(world.directory / "special", kind, os.ttyname(slave))
        model = world.damaged(world.word, "config.yaml", lambda data: yaml_key("tests", '["."]')(yaml_key(
            "source_language", world.directory / "special")(yaml_key("target_language", world.directory / "special")(data))))
        trials.refused(f"a checkpoint's test text is {kind}", ["evaluate", model], "", timeout=3, seconds=2)
    remove(world.directory / "special")
    os.close(master)
    os.close(slave)


def links(world):
    """A checkpoint of links to files, as in a model cache."""
    for name, model in (("word", world.word), ("opus", world.opus), ("sentencepiece", world.sentencepiece)):
        linked = world.directory / "linked"
        linked.mkdir()
        for path in model.iterdir():
            (linked / path.name).symlink_to(path)
        world.trials.handled(f"a {name} checkpoint of links", ["translate", linked], 1, b"a\n")
        remove(linked)


def long_files(world):
    for size in (1 << 30, 2 << 30, 1 << 40):
        for original, name in ((world.word, "config.yaml"), (world.word, SUMS), (world.word, "source.vocab.json"),
                               (world.opus, "config.json"), (world.opus, "generation_config.json"), (world.opus, "vocab.json"),
                               (world.opus, "tokenizer_config.json"), (world.opus, "source.spm")):
            model = world.damaged(original)
            beginning = (original / name).read_bytes() if (original / name).exists() else b""
            sparse(model / name, size, beginning)
            if name == SUMS:
                (model / name).touch()
                sparse_sums = model / name
                with open(sparse_sums, "wb") as file:
                    file.write(beginning)
                    file.truncate(size)
            world.trials.refused(f"{name} of {size >> 30} GB", ["translate", model], "", b"a\n", timeout=20)
    for size in (2 << 30,):
        command = world.resumable()
        metrics = world.directory / "damaged_run/metrics.jsonl"
        sparse(metrics, size, metrics.read_bytes())
        world.trials.refused(f"metrics.jsonl of {size >> 20} MB", command, "metrics.jsonl", timeout=20,
                             leaves=("damaged_run/train.log",))
    config = world.directory / "long.yaml"
    sparse(config, 1 << 30, b"base: " + str(world.train[1]).encode() + b"\n")
    world.trials.refused("a config of 1 GB", ["train", config, "--output", "new"], "long.yaml", timeout=20)
    config.unlink()


# 7. Output files

def output_files(world):
    trials, directory = world.trials, world.directory
    out, partial, victim = directory / "out.txt", directory / "out.txt.partial", directory / "victim"
    translate = ["translate", world.run, "--input", world.text, "--output", "out.txt"]
    explain = ["explain", world.run, "--source", "a dog", "--html"]
    for command, name in ((translate, "out.txt"), ([*explain, "page.html"], "page.html"),
                          ([*explain, "other.html", "--json", "page.json"], "page.json")):
        for mine in (directory / f"{name}.partial", directory / f".{name}.partial", directory / f"{name}.tmp"):
            for what in ("a user's file", "a link to a user's file"):
                victim.write_bytes(b"precious\n")
                mine.symlink_to(victim) if "link" in what else mine.write_bytes(b"precious\n")
                done = trials.run(command)
                problems = trials.problems(done, 0)
                problems += [] if mine.exists() and mine.is_symlink() == ("link" in what) else ["it is gone"]
                problems += [f"{path.name} was changed" for path in (mine, victim)
                             if path.exists() and path.read_bytes() != b"precious\n"]
                trials.note(f"{mine.name} is {what}", problems, done)
                for path in (directory / name, directory / "other.html", mine):
                    remove(path)
    average = directory / ".mean.partial"
    average.mkdir()
    (average / "mine").write_bytes(b"mine\n")
    trials.refused("average: .mean.partial is a user's directory",
                   ["average", world.word, world.sentencepiece, "--output", "mean"], "")
    if not (average / "mine").exists():
        trials.note("average: .mean.partial is a user's directory", ["deleted"], None)
    remove(average)
    remove(directory / "mean")
    for mode in (0o600, 0o640, 0o444):
        out.write_bytes(b"old\n")
        out.chmod(mode)
        trials.handled(f"an output file of mode {mode:o}", translate, writes=("out.txt",), check=lambda _, mode=mode:
                       [] if out.stat().st_mode & 0o777 == mode else [f"mode {out.stat().st_mode & 0o777:o}"])
        out.unlink()
    trials.handled("an output file with a long name", [*translate[:-1], "x" * 246], writes=("x" * 246,))
    remove(directory / ("x" * 246))
    trials.refused("an output file with a name of 255 bytes", [*translate[:-1], "x" * 255], "too long")
    two_translators(world, out)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        interrupted(world, number, out)
    for path in (partial, victim, out):
        remove(path)


def two_translators(world, out):
    """Two write the same file: the first is slow to get its text."""
    trials = world.trials
    slow, stderr = (world.directory / "slow.err"), {}
    with open(slow, "wb") as errors:
        process = trials.start(["translate", world.run, "--output", out], subprocess.PIPE, stderr=errors)
        process.stdin.write(b"".join(world.lines[:100]))
        process.stdin.flush()
        time.sleep(1 * trials.slower)
        other = trials.run(["translate", world.run, "--output", out], b"".join(world.lines[:300]))
        process.stdin.close()
        status, megabytes = trials.wait(process, 30)
    stderr = slow.read_bytes()
    results = [path.read_bytes().splitlines(keepends=True) for path in world.directory.glob("out.txt*")]
    missing = [count for count in (100, 300) if world.translated[:count] not in results]
    problems = [f"the result of {count} lines is lost" for count in missing]
    if missing and 0 in (status, other.status):
        problems.append("both report success")
    if not missing and len(results) == 2 and (status, other.status) == (0, 0):
        problems.append("no message says where the other result is")
    trials.note("two translators write one file", problems, other, f"statuses {status} and {other.status}; {visible(stderr.decode())}")
    slow.unlink()
    for path in world.directory.glob("out.txt*"):
        path.unlink()


def interrupted(world, number, out):
    trials = world.trials
    for existing in (True, False):
        what = f"signal {signal.Signals(number).name} during translate --output" + ("" if existing else " to a new file")
        if existing:
            out.write_bytes(b"precious\n")
        with open(world.directory / "err", "w+b") as errors:
            process = trials.start(["translate", world.run, "--output", out], subprocess.PIPE, stderr=errors)
            process.stdin.write(b"".join(world.lines[:500]))
            process.stdin.flush()
            time.sleep(1 * trials.slower)
            process.send_signal(number)
            status, _ = trials.wait(process, 10 * trials.slower)
            process.stdin.close()
            errors.seek(0)
            message = errors.read()
        problems = [] if status == 128 + number else [f"status {status}, expected {128 + number}"]
        problems += [] if message.count(b"interrupted after line") == 1 else [f"{message.decode()}"]
        problems += [] if not existing or out.read_bytes() == b"precious\n" else ["the older file is lost"]
        files = [path for path in world.directory.glob("out.txt*") if not (existing and path == out)]
        if len(files) != 1:
            problems.append(f"{len(files)} files, expected 1")
        elif files[0].read_bytes().splitlines(keepends=True) != world.translated[:500]:
            problems.append(f"{files[0].read_bytes().count(bytes([10]))} of 500 finished lines kept")
        elif files[0].name.encode() not in message:
            problems.append("the message does not name the file")
        trials.note(what, problems, None, visible(message.decode()))
        for path in world.directory.glob("out.txt*"):
            path.unlink()
        (world.directory / "err").unlink()


# 8. Terminal escapes

def escapes(world):
    trials, config = world.trials, world.directory / "bad.yaml"
    shown = "\\x1B[31m"
    quoted = json.dumps(HOSTILE)  # also valid YAML

    model = world.damaged(world.opus, "vocab.json", lambda data: json.dumps(
        {(f">>{HOSTILE}<<" if value == 9 else word): value for word, value in json.loads(data).items()}).encode())
    trials.refused("escapes: a language code in a sentence", ["translate", model], shown, f">>{HOSTILE}x<< a\n".encode())
    trials.refused("escapes: a language code in explain", ["explain", model, "--source", f">>{HOSTILE}x<< a"], shown)
    for what, edit in {"a tensor's name": lambda entries: entries.update({HOSTILE: entries.pop("final_logits_bias")}),
                       "a tensor's type": lambda entries: entries["final_logits_bias"].update(dtype=HOSTILE),
                       "a tensor's shape": lambda entries: entries["final_logits_bias"].update(shape=HOSTILE),
                       "a damaged tensor's name": lambda entries: entries.update({HOSTILE: {"dtype": "F32", "shape": [9],
                                                                                           "data_offsets": [0, 4]}}),
                       "a line break in a tensor's name": lambda entries: entries.update(
                           {"a\nglassformer: all is well": entries.pop("final_logits_bias")})}.items():
        trials.refused(f"escapes: {what}", ["translate", world.damaged(world.word, MODEL, header(edit))], MODEL, b"a\n")
    model = world.damaged(world.word, MODEL, lambda data: safetensors(b'{"' + HOSTILE.encode(), data[-5000:]))
    trials.refused("escapes: in a damaged header", ["translate", model], MODEL, b"a\n")
    for key in ("update", "part", "best_figure"):
        edit = header(lambda entries, key=key: entries["__metadata__"].update(progress=json.dumps({key: HOSTILE}, ensure_ascii=False)))
        trials.refused(f"escapes: {key} in the training progress", world.resumable(STATE, edit), STATE)

    name = HOSTILE.replace("/", "")
    broken = "a\nglassformer: all is well"
    invalid = b"\x9b31m\xff".decode("utf-8", "surrogateescape")
    for what, hostile in (("escapes", name), ("a line break", broken), ("invalid UTF-8", invalid)):
        for command in ([hostile], ["translate", world.run, "--" + hostile], ["train", hostile], ["translate", hostile],
                        ["translate", world.run, "--input", hostile], ["translate", world.run, "--output", hostile + "/x"],
                        [*world.train, "--set", hostile], [*world.train, *set_key(hostile, 1)], [*world.train, *set_key("model." + hostile, 1)],
                        [*world.train, *set_key("model.d_model", hostile)], [*world.train, *set_key("model.norm", hostile)],
                        [*world.train, *set_key("data.train", hostile)], [*world.train, *set_key("model.from", hostile)],
                        ["translate", world.run, "--beam", hostile], ["average", hostile, "--output", "mean"],
                        ["average", world.word, "--output", world.run / "config.yaml" / hostile],
                        ["explain", world.run, "--source", "a", "--html", hostile + "/x"],
                        ["explain", world.run, "--source", "a", "--json", "no/" + hostile],
                        ["evaluate", world.run, "--source", hostile, "--reference", hostile],
                        ["score", world.run, "--source", hostile, "--target", hostile]):
            trials.refused(f"{what}: {command[0] if command[0] != hostile else 'the verb'}", command, "", b"a\n")
        for place in ("empty", "moved_run"):
            listed = world.directory / place / hostile
            if place == "moved_run":
                copy_of(world.run, world.directory / place)
                remove(world.directory / place / "best")
                remove(world.directory / place / "last")
                (world.directory / place / "best").symlink_to(hostile)
            else:
                listed.mkdir()
            trials.refused(f"{what}: what a directory holds", ["translate", place], place, b"a\n")
            remove(listed) if place == "empty" else remove(world.directory / place)
        hostile_run = world.directory / hostile
        trials.handled(f"{what}: the name of a run", [*world.train, "--output", hostile, *set_key("training.max_updates", 1)])
        trials.refused(f"{what}: a run that exists", [*world.train, "--output", hostile], "--resume")
        remove(hostile_run)
        trials.handled(f"{what}: the name of a page", ["explain", world.run, "--source", "a", "--html", hostile], writes=(hostile,))
        remove(hostile_run)

    for what, text in {"a key": f"model:\n  {quoted}: 1\n", "a value": f"model:\n  norm: {quoted}\n", "a number": f"model:\n  d_model: {quoted}\n",
                       "a base": f"base: {quoted}\n", "raw": f"model: [{HOSTILE}\n", "an alias": f"model: *{HOSTILE}\n",
                       "a tag": f"model: !<{HOSTILE}> 1\n", "a duplicate key": f"{quoted}: 1\n{quoted}: 2\n",
                       "a language": f"base: {world.train[1]}\ndata:\n  source_language: {quoted}\n",
                       "a line break in a value": 'model:\n  norm: "a\\nglassformer: all is well"\n'}.items():
        config.write_text(text)
        trials.refused(f"escapes: {what} in a config", ["train", config, "--output", "new"], "bad.yaml" if what != "a language" else "")
    config.unlink()
    for file, key in (("config.json", "model_type"), ("config.json", "activation_function"), ("config.json", "d_model"),
                      ("generation_config.json", "num_beams"), ("vocab.json", HOSTILE)):
        model = world.damaged(world.opus, file, lambda data, key=key: json.dumps({**json.loads(data), key: HOSTILE},
                                                                                ensure_ascii=False).encode())
        trials.refused(f"escapes: {visible(key)[:20]} in {file}", ["translate", model], file, b"a\n")
        model = world.damaged(world.opus, file, lambda data: b'{"' + HOSTILE.encode() + b'": ')
        trials.refused(f"escapes: raw in {file}", ["translate", model], file, b"a\n")
    model = world.damaged(world.opus, "vocab.json", lambda data: json.dumps({**json.loads(data), HOSTILE: 0}).encode())
    trials.refused("escapes: a word with another's id", ["translate", model], "vocab.json", b"a\n")
    model = world.damaged(world.word, "source.vocab.json", lambda data: json.dumps([*json.loads(data)[:-2], HOSTILE, HOSTILE]).encode())
    trials.refused("escapes: a duplicate word", ["translate", model], "source.vocab.json", b"a\n")
    model = world.damaged(world.word)
    (model / SUMS).write_text("0" * 64 + "  " + HOSTILE + "\n")
    trials.refused("escapes: a name in SHA256SUMS", ["translate", model], "", b"a\n")
    (model / SUMS).write_text(HOSTILE + "\x1b" * 70 + "  a\n")
    trials.refused("escapes: a checksum in SHA256SUMS", ["translate", model], "", b"a\n")

    model = world.damaged(world.word, "target.vocab.json", lambda data: json.dumps(
        [*json.loads(data)[:4], *[f"{HOSTILE}{i}" for i in range(len(json.loads(data)) - 4)]]).encode())
    trials.handled("escapes: translations on standard output stay as they are", ["translate", model], 1, b"the dog\n",
                   check=lambda done: [] if HOSTILE.encode() in done.out else ["standard output is not byte-exact"])
    for name in ("train", "valid"):
        for language in ("en", "de"):
            (world.directory / f"text/hostile_{name}.{language}").write_text(f"a {HOSTILE} b\na b\r\n" * 2, newline="")
    trials.handled("escapes: sample translations in the log", [*world.train, "--output", "new", *set_key(
        "data.directory", world.directory / "text"), *set_key("data.train", "hostile_train"), *set_key("data.valid", "hostile_valid")],
        check=lambda _: [] if shown in (world.directory / "new/train.log").read_text() else ["the log does not show them"])
    remove(world.directory / "new")


# 9. explain on a model that starts decoding with padding

def padded_rows(world):
    trace = world.directory / "trace.json"

    def check(_):
        answers = [row for sentence in json.loads(trace.read_text())["answer"] for row in sentence]
        padded = [row for row in answers if not row["counted"]]
        wrong = [row for row in padded if row["probability"] is not None or row["loss"] is not None]
        return [f"{len(wrong)} of {len(padded)} padded rows hold numbers"] if wrong else [] if padded else ["no padded row"]
    for order in (1, -1):
        sentences = [("she sleeps .", "sie"), ("the girl sees a dog .", "das kleine haus sieht")][::order]
        arguments = [word for source, target in sentences for word in ("--source", source, "--target", target)]
        world.trials.handled("explain a model whose decoding starts with padding", ["explain", world.opus, *arguments, "--json", trace],
                             writes=("trace.json", "explain.html"), check=check)
    for name in ("trace.json", "explain.html"):
        remove(world.directory / name)


# 10. Line breaks in the vocabulary

def line_breaks(world):
    trials = world.trials
    for number, broken in enumerate(("a\nb", "\n", "a\r\nb", "a\n")):
        for name in ("source.vocab.json", "target.vocab.json"):
            model = world.damaged(world.word, name, lambda data, broken=broken: json.dumps([*json.loads(data)[:-1], broken]).encode())
            trials.refused(f"a line break in {name}, {number}", ["translate", model], name, b"a\n")
        for name, original in (("vocab.json", world.opus), ("vocab.json", world.untied), ("target_vocab.json", world.untied)):
            model = world.damaged(original, name, lambda data, broken=broken: json.dumps(
                {(broken if value == 9 else word): value for word, value in json.loads(data).items()}).encode())
            trials.refused(f"a line break in {name}, {number}", ["translate", model], name, b"a\n")
        for name in ("source.spm", "target.spm"):
            for kind, original in (("sentencepiece", world.sentencepiece), ("opus", world.opus)):
                def edit(data, broken=broken):
                    parts = list(fields(data))
                    parts[9] = (1, piece(broken.encode(), -3)[2:])
                    return b"".join(field(number, content) for number, content in parts)
                trials.refused(f"a line break in {name} of a {kind} model, {number}",
                               ["translate", world.damaged(original, name, edit)], name, b"a\n")
    bytes_to_lines(world)


def bytes_to_lines(world):
    """A model with byte pieces that says <0x0A> whatever it is asked."""
    parts = list(fields((world.sentencepiece / "source.spm").read_bytes()))
    pieces = [field(1, content) for number, content in parts if number == 1]
    others = [(number, content + varint(35 << 3) + b"\1" if number == 2 else content) for number, content in parts if number != 1]
    byte_pieces = [piece(f"<0x{byte:02X}>".encode(), -9, 6) for byte in range(256)]
    model = world.directory / "bytes.model"
    model.write_bytes(b"".join([*pieces[:4], *byte_pieces, *pieces[4:], *(field(*other) for other in others)]))
    checkpoint = world.trained("bytes", [
        *set_key("tokenizer.kind", "sentencepiece"), *set_key("tokenizer.source_model", model), *set_key("tokenizer.target_model", model)])
    for byte in (0x0A, 0x0D, 0x00, 0x1B, 0xFF):
        favourite = world.damaged(checkpoint, MODEL, with_numbers("final_logits_bias", [0.0] * (4 + byte) + [1e4]))
        marian = copy_of(favourite, world.directory / "damaged_marian")
        (marian / "config.yaml").unlink()
        for kind, place in (("sentencepiece", favourite), ("marian", marian)):
            world.trials.handled(f"byte pieces: <0x{byte:02X}>, {kind}", ["translate", place], 3, b"a\nb\nc\n")
    for option in (["--beam", "2", "--n-best", "2"],):
        favourite = world.damaged(checkpoint, MODEL, with_numbers("final_logits_bias", [0.0] * 14 + [1e4]))
        world.trials.handled("byte pieces: <0x0A>, --n-best 2", ["translate", favourite, *option], 2, b"a\n")


# 11. Moved run directories

def moved_runs(world):
    directory = world.directory

    def parent(run):
        (directory / "moving").rename(directory / "elsewhere")
        return directory / "elsewhere/run"

    def away(run):
        run.rename(directory / "elsewhere")
        return directory / "elsewhere"

    def replaced(run):
        away(run)
        run.mkdir()
        (run / "other").write_bytes(b"other\n")
        return directory / "elsewhere"

    def linked(run):
        away(run)
        (directory / "other").mkdir()
        run.symlink_to(directory / "other")
        return directory / "elsewhere"

    def link_back(run):  # the path still leads to the run
        away(run)
        run.symlink_to(directory / "elsewhere")
        return None

    def deleted(run):  # a process that is writing can be faster
        while run.exists():
            shutil.rmtree(run, ignore_errors=True)

    def exchanged(run):
        copy_of(run, directory / "copy")
        away(run)
        (directory / "copy").rename(run)
        return directory / "elsewhere"
    for what, move in (("moved", away), ("moved with its parent", parent), ("replaced", replaced), ("replaced by a link", linked),
                       ("replaced by a copy of itself", exchanged), ("deleted", deleted),
                       ("moved, and a link leads to it", link_back)):
        move_during_training(world, what, move)


def move_during_training(world, what, move):
    trials, directory = world.trials, world.directory
    run = directory / "moving/run"
    run.parent.mkdir()
    with open(directory / "err", "w+b") as errors:
        process = trials.start([*world.train, "--output", run, *set_key("training.max_updates", 1_000_000_000),
                                *set_key("training.validation.every", 5)], stderr=errors)
        wait_for(lambda: list(run.glob("step-*")), 20 * trials.slower)
        try:
            place = move(run)
        except OSError:  # training changed a file while it was being copied
            place = None
        after = sorted(str(path) for path in run.rglob("*")) if run.exists() else None
        if what == "moved, and a link leads to it":
            time.sleep(1)
            process.send_signal(signal.SIGTERM)
        status, _ = trials.wait(process, 15 * trials.slower)
        errors.seek(0)
        lines = [line for line in errors.read().decode().splitlines() if line.startswith("glassformer: ")]
    expected = 143 if what == "moved, and a link leads to it" else 1
    problems = [] if status == expected else [f"status {status}, expected {expected}"]
    problems += [] if len(lines) == (expected == 1) else [f"{len(lines)} messages"]
    now = sorted(str(path) for path in run.rglob("*")) if run.exists() else None
    if expected == 1 and now != after:
        problems.append("something was written at the old path")
    if place is not None:
        problems += [] if lines and str(place) in lines[0] else ["no mention of where it is now"]
        problems += [f"{path.name} left behind" for path in place.glob(".*.partial")]
        translated = trials.run(["translate", place / "last"], b"a\n")
        problems += [] if translated.status == 0 else ["the last checkpoint in it cannot be read"]
    trials.note(f"a run directory is {what} during training", problems, None, lines[0] if lines else "no message")
    for name in ("moving", "elsewhere", "other", "copy", "err"):
        remove(directory / name)


def wait_for(condition, seconds):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)


# 12. The rest

def others(world):
    trials, directory = world.trials, world.directory
    model = world.damaged(world.word)
    many_entries(model / MODEL, 1_000_000)
    trials.refused(f"{MODEL} with 1,000,000 entries", ["translate", model], MODEL, b"a\n", memory=1500, seconds=8, timeout=15)
    many_entries(model / MODEL, 1_000_000, "[1]")
    trials.refused(f"{MODEL} with 1,000,000 damaged entries", ["translate", model], MODEL, b"a\n", memory=1500, seconds=8, timeout=15)
    for key, value in (("max_length_ratio", "1e6"), ("max_length_ratio", ".inf"), ("max_length_ratio", ".nan"), ("max_length_ratio", "-1"),
                       ("beam", HUGE), ("length_penalty", "1e30"), ("length_penalty", ".nan"), ("batch", HUGE)):
        model = world.damaged(world.word, "config.yaml", yaml_key(key, value))
        expected = trials.either if key in ("length_penalty", "batch") and value != ".nan" else trials.refused
        expected(f"config.yaml says {key}: {value}", ["translate", model], **({} if expected == trials.either else {"mention": key}),
                 text=b"the small dog sees a house .\n" * 20)
    model = copy_of(world.word, directory / "damaged")
    change(model / SUMS, lambda data: data + data.splitlines(keepends=True)[-1] * 500_000)
    trials.refused("SHA256SUMS names a file 500,000 times", ["translate", model], SUMS, b"a\n", seconds=5)
    ranks(world)
    threads(world)
    for name in ("train.log", "metrics.jsonl", ".lock", ".config.yaml.partial", ".metrics.jsonl.partial", ".curves.svg.partial"):
        for new in (True, False):
            if new:
                command = [*world.train, "--output", "new"]
                (directory / "new").mkdir()
                (directory / "new/train.log").write_text("")
                place = directory / "new" / name
            else:
                command = world.resumable()
                place = directory / "damaged_run" / name
            victim = directory / "victim"
            victim.write_bytes(b"precious\n")
            remove(place)
            place.symlink_to(victim)
            done = trials.run(command)
            problems = trials.problems(done, 2 if name in ("train.log", "metrics.jsonl") else (0, 2))
            problems += ["its target was changed"] if victim.read_bytes() != b"precious\n" else []
            trials.note(f"{name} is a link, {'a new run' if new else '--resume'}", problems, done)
            remove(directory / "new")
            victim.unlink()


def many_entries(path, count, shape="[0]"):
    """A header with many empty tensors; written piece by piece, to keep this script small."""
    entry = '"tensor%d":{"dtype":"F32","shape":' + shape + ',"data_offsets":[0,0]},'
    with open(path, "wb") as file:
        file.write(bytes(8) + b"{")
        for first in range(0, count, 10_000):
            file.write("".join(entry % number for number in range(first, first + 10_000)).encode())
        file.write(b'"__metadata__":{}}')
        length = file.tell() - 8
        file.seek(0)
        file.write(length.to_bytes(8, "little"))


def threads(world):
    """What the environment may claim."""
    for number in ("1000", "-1", "0", "x", "99999999999999999999"):
        trials = world.trials
        trials.environment["OMP_NUM_THREADS"] = number
        done = trials.run(["translate", world.run], b"a dog\n")
        trials.note(f"OMP_NUM_THREADS={number}", trials.problems(done, (0, 1, 2)), done)
        del trials.environment["OMP_NUM_THREADS"]


def ranks(world):
    trials, program = world.trials, str(world.trials.program)
    if shutil.which("mpirun") is None:
        trials.skip("ranks that run different commands", "mpirun is not installed")
        return
    train = [*map(str, world.train), "--output", "new", *set_key("training.shards", 2)]
    translate = ["translate", str(world.run), "--input", "good.txt"]
    for what, first, second in (("train and translate", train, translate), ("translate and train", translate, train),
                                ("train and gradcheck", train, ["gradcheck", str(world.train[1])]),
                                ("train and another seed", train, [*train, *set_key("training.seed", 2)]),
                                ("train and another model", train, [*train, *set_key("model.d_model", 16)]),
                                ("train and a mistake", train, ["train", "nowhere.yaml"]),
                                ("train and nothing", train, ["--version"]),
                                ("train and benchmark", train, ["benchmark", str(world.train[1]), "--seconds", "1"])):
        launcher = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "1", program, *first, ":", "-n", "1"]
        done = trials.run(second, launcher=launcher, timeout=20)
        problems = [] if done.status not in (0, None, -9) else [f"status {done.status}"]
        problems += [] if done.messages() or second == ["--version"] else ["no message"]
        trials.note(f"two ranks: {what}", problems, done)
        for name in ("new", "new2"):
            remove(world.directory / name)


ALL = (lost_translations, not_finite, nesting, sentencepiece_models, claims, devices, links, long_files, output_files,
       escapes, padded_rows, line_breaks, moved_runs, others)
