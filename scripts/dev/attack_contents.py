"""Attacks with hostile contents of checkpoints, configs, options and names. See attacks.py."""

import json
import math
import random

from trials import (MODEL, STATE, SUMS, change, copy_of, field, fields, header, keys, piece, remove, replace,
                    safetensors, set_key, sparse, split_safetensors, varint, visible, with_numbers, yaml_key)

HUGE = 2147483646
NESTING = 48_000  # levels
HOSTILE = "\x1b[31m\x1b]0;title\x07\x9b2J\u202eabc\x7f"  # escapes, C1, a bidirectional override, DEL
MUTANTS = 312  # damaged SentencePiece models


def not_finite(world):
    """NaN and infinity in weights and training states."""
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
    for name in ("adam.m", "adam.v"):
        for value in ("nan", "inf", "-inf"):
            trials.refused(f"{value} in the training state's {name}",
                           world.resumable(STATE, with_numbers(name, [float(value)] * 2)), (STATE, name, "2"))
    trials.refused("nan in the weights of a run to continue",
                   world.resumable(MODEL, with_numbers(tensor, [float("nan")])), tensor)


def nested(kind, depth=NESTING):
    opening, inside, closing = {"brackets": ("[", "", "]"), "braces": ('{"a":', "1", "}"),
                                "both": ('[{"a":', "1", "}]")}[kind]
    return (opening * depth + inside + closing * depth).encode()


def nesting(world):
    """JSON and YAML that is nested too deeply, and names that are too long."""
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
            quoted = b'"%s"' % key.encode()
            model = world.damaged(world.opus, name, replace(quoted, quoted + b': %s, "x"' % value))
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
        trials.refused(f"nested {kind}: --set",
                       [*world.train, *set_key("model.dropout", nested(kind, 12_000).decode())], "model.dropout")
    config = world.directory / "bad.yaml"
    brackets = nested("brackets").decode()
    deep = {"brackets": "[" * NESTING, "sequences": "- " * NESTING, "keys": "? " * NESTING, "closed": brackets,
            "braces in a key": "model: {d_model: " + nested("braces").decode() + "}", "braces": "{a: " * NESTING,
            "mappings": "".join(" " * i + "a:\n" for i in range(1500)), "brackets as a key": brackets + ": 1",
            "a base": "base: " + brackets, "tags": "!a " * NESTING, "anchors": "&a " * NESTING}
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
    model = world.damaged(world.opus, "vocab.json", keys(**{"x" * 1_000_000: "y"}))
    trials.refused("a JSON key of 1 MB", ["translate", model], "vocab.json", b"a\n")
    model = world.damaged(world.word, MODEL, header(lambda entries: entries.update(
        {"x" * 1_000_000: entries.pop("final_logits_bias")})))
    trials.refused("a tensor name of 1 MB", ["translate", model], MODEL, b"a\n")
    config.unlink()


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
    if number % 6 == 3:  # the length of a field
        index = chosen.randrange(len(parts))
        return b"".join(varint(kind << 3 | 2) + varint(chosen.choice([0, len(content) + 1, 1 << 31, 1 << 62])) + content
                        if i == index else field(kind, content) for i, (kind, content) in enumerate(parts))
    if number % 6 == 4:  # the table of characters to replace
        return b"".join(field(kind, damaged_table(content, chosen) if kind == 3 else content)
                        for kind, content in parts)
    chosen.shuffle(parts)  # pieces in another order, some empty, some twice
    parts = [(kind, chosen.choice([content, content, content, b"", parts[0][1]])) for kind, content in parts]
    return b"".join(field(kind, content) for kind, content in parts)


def damaged_table(content, chosen):
    """The table consists of a length in four bytes, a trie of 32-bit units, and the replacements."""
    data = bytearray(content)
    start = content.find(b"\x12") + 4  # after the field's tag and length
    if chosen.random() < 0.3:
        data[start:start + 4] = chosen.randrange(1 << 18).to_bytes(4, "little")
    first = min(len(data), start + 4 + chosen.choice([0, 100, 1000, 100_000]))
    end = min(len(data), first + chosen.choice([4, 400, 4000, 200_000]))
    data[first:end] = chosen.randbytes(end - first)
    return bytes(data)


def sentencepiece_models(world):
    """Damaged SentencePiece models."""
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


def widened(entries, width):
    """The beginning of a safetensors file whose feed-forward layers have this width, and the bytes of its numbers."""
    end, narrow = 0, entries["model.encoder.layers.0.fc1.bias"]["shape"][0]
    for name, entry in entries.items():
        if name == "__metadata__":
            continue
        if ".fc1." in name or name.endswith(".fc2.weight"):
            entry["shape"] = [width if extent == narrow else extent for extent in entry["shape"]]
        count = 4 * math.prod(entry["shape"])
        entry.update(dtype="F32", data_offsets=[end, end + count])
        end += count
    return safetensors(entries, b""), end


def claims(world):
    """Files and options that claim to need a lot of memory."""
    trials = world.trials

    def several(data):  # 1.6 GB, with each number in its range
        for key, value in (("d_model", 2048), ("d_ff", 16_384), ("encoder_layers", 5)):
            data = yaml_key(key, value)(data)
        return data

    for command in world.commands(world.damaged(world.word, "config.yaml", several)):
        trials.refused(f"config.yaml claims 1.6 GB: {command[0]}", command, "")
    for key, value in (("d_ff", 1_000_000), ("d_ff", HUGE), ("encoder_layers", 1000), ("d_model", 100_000),
                       ("d_model", 40_000), ("d_model", HUGE), ("encoder_layers", 1_000_000),
                       ("decoder_layers", 1_000_000), ("encoder_layers", HUGE), ("heads", HUGE)):
        model = world.damaged(world.word, "config.yaml", yaml_key(key, value))
        trials.refused(f"config.yaml claims {key}: {value}", ["translate", model], "", b"a\n")
    both = ("attention_heads", "ffn_dim", "layers")
    for key, value in (("encoder_layers", 1_000_000), ("decoder_layers", 1_000_000), ("encoder_layers", HUGE),
                       ("d_model", HUGE), ("d_model", 40_000), ("vocab_size", HUGE), ("decoder_vocab_size", HUGE),
                       ("ffn_dim", HUGE), ("ffn_dim", 20_000_000), ("layers", HUGE),
                       ("glassformer_source_vocabulary", HUGE), ("glassformer_target_vocabulary", HUGE),
                       ("vocab_size", 100_000_000)):
        values = {f"{side}_{key}": value for side in ("encoder", "decoder")} if key in both else {key: value}
        for name, original in (("opus", world.opus), ("untied", world.untied)):
            if name == "opus" and key.startswith(("glassformer_target", "decoder_vocab")):
                continue  # one table for both languages
            model = world.damaged(original, "config.json", keys(**values))
            trials.refused(f"{name} config.json claims {key}: {value}", ["translate", model], "", b"a\n")
    model = world.damaged(world.opus, "config.json", keys(
        d_model=HUGE, encoder_layers=HUGE, decoder_layers=HUGE, vocab_size=HUGE, encoder_ffn_dim=HUGE,
        decoder_ffn_dim=HUGE))
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
    for name, shape in (("final_logits_bias", [1, size // 4]), ("adam.m", [size // 4])):
        command = world.resumable()
        place = (world.directory / "damaged_run/last").resolve() / (STATE if name == "adam.m" else MODEL)
        metadata = split_safetensors(place.read_bytes())[0]["__metadata__"]
        entry = {"dtype": "F32", "shape": shape, "data_offsets": [0, size]}
        text = safetensors({"__metadata__": metadata, name: entry}, b"")
        sparse(place, len(text) + size, text)
        trials.refused(f"--resume: a sparse {place.name} of 2 GB", command, place.name)
    width = 1_000_000
    model = world.damaged(world.opus, "config.json", keys(encoder_ffn_dim=width, decoder_ffn_dim=width))
    beginning, size_of_all = widened(split_safetensors((model / MODEL).read_bytes())[0], width)
    sparse(model / MODEL, len(beginning) + size_of_all, beginning)
    trials.refused(f"a sparse {MODEL} that fits its config, {size_of_all >> 20} MB", ["translate", model], MODEL, b"a\n")
    model = world.damaged(world.word)
    with open(model / "other", "wb") as file:
        file.truncate(1 << 40)
    with open(model / SUMS, "a") as sums:
        sums.write(f"{'0' * 64}  other\n")
    trials.refused(f"{SUMS} names a sparse file of 1 TB", ["translate", model], "other", b"a\n")
    model = world.damaged(world.word)
    sparse(model / MODEL, size, (world.word / MODEL).read_bytes())
    trials.refused(f"{MODEL} with 2 GB of zeros behind it", ["translate", model], MODEL, b"a\n")

    for key, value in (("model.d_model", 100_000), ("model.d_model", HUGE), ("model.d_ff", HUGE),
                       ("model.encoder_layers", 1_000_000), ("model.encoder_layers", HUGE),
                       ("training.shards", 100_000_000), ("decoding.batch", 1_000_000_000), ("decoding.beam", HUGE),
                       ("training.max_tokens", HUGE), ("training.accumulation", HUGE),
                       ("training.micro_batch_tokens", HUGE), ("tokenizer.vocabulary_size", HUGE),
                       ("training.validation.samples", HUGE),
                       ("training.checkpoints.keep", HUGE), ("training.checkpoints.average", HUGE)):
        done = trials.run([*world.train, "--output", "new", *set_key(key, value), *set_key("training.max_updates", 1)])
        problems = trials.problems(done, (0, 1, 2))  # 0: some keys are only limits
        problems += ["no message"] if done.status != 0 and len(done.messages()) != 1 else []
        trials.note(f"train with {key}={value}", problems, done)
        remove(world.directory / "new")
    for words in (2_000, 4_000):  # the memory for attention grows with the square of this number
        text = world.directory / "long.txt"
        text.write_bytes(b"a dog\n" + b"a " * words + b"\n")
        for command in world.commands(world.word)[:2]:
            command = [text if str(word).endswith("pair.en") else word for word in command]
            trials.either(f"{words} words: {command[0]}", command, memory=300)
        text.unlink()
    for option in (["--beam", "1000000"], ["--beam", "1000"], ["--batch", "1000000"],
                   ["--beam", "1000", "--n-best", "1000"]):
        trials.either(f"translate {' '.join(option)}", ["translate", world.run, *option], b"a dog\n", memory=300)


def escapes(world):
    """Control characters, line breaks and invalid UTF-8 in names and values that messages quote."""
    trials, config = world.trials, world.directory / "bad.yaml"
    shown = "\\x1B[31m"
    quoted = json.dumps(HOSTILE)  # also valid YAML

    model = world.damaged(world.opus, "vocab.json", lambda data: json.dumps(
        {(f">>{HOSTILE}<<" if value == 9 else word): value for word, value in json.loads(data).items()}).encode())
    trials.refused("escapes: a language code in a sentence", ["translate", model], shown,
                   f">>{HOSTILE}x<< a\n".encode())
    trials.refused("escapes: a language code in explain", ["explain", model, "--source", f">>{HOSTILE}x<< a"], shown)
    mismatched = {"dtype": "F32", "shape": [9], "data_offsets": [0, 4]}
    for what, edit in {"a tensor's name": lambda entries: entries.update({HOSTILE: entries.pop("final_logits_bias")}),
                       "a tensor's type": lambda entries: entries["final_logits_bias"].update(dtype=HOSTILE),
                       "a tensor's shape": lambda entries: entries["final_logits_bias"].update(shape=HOSTILE),
                       "a damaged tensor's name": lambda entries: entries.update({HOSTILE: mismatched}),
                       "a line break in a tensor's name": lambda entries: entries.update(
                           {"a\nglassformer: all is well": entries.pop("final_logits_bias")})}.items():
        trials.refused(f"escapes: {what}", ["translate", world.damaged(world.word, MODEL, header(edit))], MODEL, b"a\n")
    model = world.damaged(world.word, MODEL, lambda data: safetensors(b'{"' + HOSTILE.encode(), data[-5000:]))
    trials.refused("escapes: in a damaged header", ["translate", model], MODEL, b"a\n")
    for key in ("update", "part", "best_figure"):
        progress = json.dumps({key: HOSTILE}, ensure_ascii=False)
        edit = header(lambda entries, progress=progress: entries["__metadata__"].update(progress=progress))
        trials.refused(f"escapes: {key} in the training progress", world.resumable(STATE, edit), STATE)

    name = HOSTILE.replace("/", "")
    broken = "a\nglassformer: all is well"
    invalid = b"\x9b31m\xff".decode("utf-8", "surrogateescape")
    for what, hostile in (("escapes", name), ("a line break", broken), ("invalid UTF-8", invalid)):
        for command in ([hostile], ["translate", world.run, "--" + hostile], ["train", hostile], ["translate", hostile],
                        ["translate", world.run, "--input", hostile],
                        ["translate", world.run, "--output", hostile + "/x"],
                        [*world.train, "--set", hostile], [*world.train, *set_key(hostile, 1)],
                        [*world.train, *set_key("model." + hostile, 1)],
                        [*world.train, *set_key("model.d_model", hostile)],
                        [*world.train, *set_key("model.norm", hostile)],
                        [*world.train, *set_key("data.train", hostile)],
                        [*world.train, *set_key("model.from", hostile)],
                        ["translate", world.run, "--beam", hostile],
                        ["explain", world.run, "--source", "a", "--html", hostile + "/x"],
                        ["explain", world.run, "--source", "a", "--json", "no/" + hostile],
                        ["evaluate", world.run, "--source", hostile, "--reference", hostile]):
            trials.refused(f"{what}: {command[0] if command[0] != hostile else 'the command'}", command, "", b"a\n")
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
        trials.handled(f"{what}: the name of a run",
                       [*world.train, "--output", hostile, *set_key("training.max_updates", 1)])
        trials.refused(f"{what}: a run that exists", [*world.train, "--output", hostile], "--resume")
        remove(hostile_run)
        trials.handled(f"{what}: the name of a page", ["explain", world.run, "--source", "a", "--html", hostile],
                       writes=(hostile,))
        remove(hostile_run)

    for what, text in {"a key": f"model:\n  {quoted}: 1\n", "a value": f"model:\n  norm: {quoted}\n",
                       "a number": f"model:\n  d_model: {quoted}\n", "a base": f"base: {quoted}\n",
                       "raw": f"model: [{HOSTILE}\n", "an alias": f"model: *{HOSTILE}\n",
                       "a tag": f"model: !<{HOSTILE}> 1\n", "a duplicate key": f"{quoted}: 1\n{quoted}: 2\n",
                       "a language": f"base: {world.train[1]}\ndata:\n  source_language: {quoted}\n",
                       "a line break in a value": 'model:\n  norm: "a\\nglassformer: all is well"\n'}.items():
        config.write_text(text)
        trials.refused(f"escapes: {what} in a config", ["train", config, "--output", "new"],
                       "bad.yaml" if what != "a language" else "")
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
    model = world.damaged(world.word, "source.vocab.json",
                          lambda data: json.dumps([*json.loads(data)[:-2], HOSTILE, HOSTILE]).encode())
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
    log = world.directory / "new/train.log"
    trials.handled("escapes: sample translations in the log",
                   [*world.train, "--output", "new", *set_key("data.directory", world.directory / "text"),
                    *set_key("data.train", "hostile_train"), *set_key("data.valid", "hostile_valid")],
                   check=lambda _: [] if shown in log.read_text() else ["the log does not show them"])
    remove(world.directory / "new")


def padded_rows(world):
    """explain with a model that starts decoding with padding."""
    trace = world.directory / "trace.json"

    def check(_):
        answers = [row for sentence in json.loads(trace.read_text())["answer"] for row in sentence]
        padded = [row for row in answers if not row["counted"]]
        wrong = [row for row in padded if row["probability"] is not None or row["loss"] is not None]
        if wrong:
            return [f"{len(wrong)} of {len(padded)} padded rows have numbers"]
        return [] if padded else ["no padded row"]

    for order in (1, -1):
        sentences = [("she sleeps .", "sie"), ("the girl sees a dog .", "das kleine haus sieht")][::order]
        arguments = [word for source, target in sentences for word in ("--source", source, "--target", target)]
        world.trials.handled("explain a model whose decoding starts with padding",
                             ["explain", world.opus, *arguments, "--json", trace],
                             writes=("trace.json", "explain.html"), check=check)
    for name in ("trace.json", "explain.html"):
        remove(world.directory / name)


def line_breaks(world):
    """Line breaks in vocabularies."""
    trials = world.trials
    for number, broken in enumerate(("a\nb", "\n", "a\r\nb", "a\n")):
        for name in ("source.vocab.json", "target.vocab.json"):
            model = world.damaged(world.word, name, lambda data, broken=broken: json.dumps(
                [*json.loads(data)[:-1], broken]).encode())
            trials.refused(f"a line break in {name}, {number}", ["translate", model], name, b"a\n")
        for name, original in (("vocab.json", world.opus), ("vocab.json", world.untied),
                               ("target_vocab.json", world.untied)):
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
    """Models with byte pieces whose every translation consists of one byte, for example <0x0A>."""
    parts = list(fields((world.sentencepiece / "source.spm").read_bytes()))
    pieces = [field(1, content) for number, content in parts if number == 1]
    others = [(number, content + varint(35 << 3) + b"\1" if number == 2 else content)
              for number, content in parts if number != 1]
    byte_pieces = [piece(f"<0x{byte:02X}>".encode(), -9, 6) for byte in range(256)]
    model = world.directory / "bytes.model"
    model.write_bytes(b"".join([*pieces[:4], *byte_pieces, *pieces[4:], *(field(*other) for other in others)]))
    checkpoint = world.trained("bytes", [
        *set_key("tokenizer.kind", "sentencepiece"), *set_key("tokenizer.source_model", model),
        *set_key("tokenizer.target_model", model)])
    for byte in (0x0A, 0x0D, 0x00, 0x1B, 0xFF):
        favourite = world.damaged(checkpoint, MODEL, with_numbers("final_logits_bias", [0.0] * (4 + byte) + [1e4]))
        marian = copy_of(favourite, world.directory / "damaged_marian")
        (marian / "config.yaml").unlink()
        for kind, place in (("sentencepiece", favourite), ("marian", marian)):
            world.trials.handled(f"byte pieces: <0x{byte:02X}>, {kind}", ["translate", place], 3, b"a\nb\nc\n")
    favourite = world.damaged(checkpoint, MODEL, with_numbers("final_logits_bias", [0.0] * 14 + [1e4]))
    world.trials.handled("byte pieces: <0x0A>, --n-best 2", ["translate", favourite, "--beam", "2", "--n-best", "2"], 2,
                         b"a\n")


def odd_checkpoints(world):
    """Checkpoints with many tensors, impossible search settings, or repeated checksums."""
    trials, directory = world.trials, world.directory
    model = world.damaged(world.word)
    many_entries(model / MODEL, 1_000_000)
    limits = {"memory": 1500, "seconds": 8, "timeout": 15}
    trials.refused(f"{MODEL} with 1,000,000 entries", ["translate", model], MODEL, b"a\n", **limits)
    many_entries(model / MODEL, 1_000_000, "[1]")
    trials.refused(f"{MODEL} with 1,000,000 damaged entries", ["translate", model], MODEL, b"a\n", **limits)
    text = b"the small dog sees a house .\n" * 20
    for key, value in (("max_length_ratio", "1e6"), ("max_length_ratio", ".inf"), ("max_length_ratio", ".nan"),
                       ("max_length_ratio", "-1"), ("beam", HUGE), ("length_penalty", "1e30"),
                       ("length_penalty", ".nan"), ("batch", HUGE)):
        model = world.damaged(world.word, "config.yaml", yaml_key(key, value))
        if key in ("length_penalty", "batch") and value != ".nan":
            trials.either(f"config.yaml says {key}: {value}", ["translate", model], text)
        else:
            trials.refused(f"config.yaml says {key}: {value}", ["translate", model], key, text)
    model = copy_of(world.word, directory / "damaged")
    change(model / SUMS, lambda data: data + data.splitlines(keepends=True)[-1] * 500_000)
    trials.refused("SHA256SUMS names a file 500,000 times", ["translate", model], SUMS, b"a\n", seconds=5)


def many_entries(path, count, shape="[0]"):
    """Writes a header with many empty tensors, piece by piece, so that this script needs little memory."""
    entry = '"tensor%d":{"dtype":"F32","shape":' + shape + ',"data_offsets":[0,0]},'
    with open(path, "wb") as file:
        file.write(bytes(8) + b"{")
        for first in range(0, count, 10_000):
            file.write("".join(entry % number for number in range(first, first + 10_000)).encode())
        file.write(b'"__metadata__":{}}')
        length = file.tell() - 8
        file.seek(0)
        file.write(length.to_bytes(8, "little"))
