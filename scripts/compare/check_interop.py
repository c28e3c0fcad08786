#!/usr/bin/env python3
"""Do other tools get the same results from a model as Glassformer? Opens the same checkpoint with each, and compares.

    pip install torch==2.13.0 transformers safetensors sentencepiece ctranslate2
    scripts/compare/check_interop.py runs/toy --source data/toy/test.en --reference data/toy/test.de
    scripts/compare/check_interop.py own         # trains three toys: smaller source vocabulary, smaller target, joint
    scripts/compare/check_interop.py foreign     # the other way round: three models that transformers made and saved

With optimum (pip install "optimum-onnx[onnxruntime]", which needs transformers 4.57), also exports the model to ONNX
and translates with onnxruntime.

Compares with transformers.MarianMTModel and its tokenizer: tokens and logits of 50 sentences; the loss of the whole
text; translations of 1,000 sentences by greedy search and with a beam of 5. Compares with CTranslate2: the same
translations. If a translation differs, the script looks for the reason: for example, two searches may diverge where two
hypotheses are equally good up to rounding. Exit status 1 if logits or loss differ, if less than 99 % of the
translations are the same, or if one differs for no known reason.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import program
from convert_to_ctranslate2 import convert, follows_opus_mt

try:
    import ctranslate2
    import torch
    import transformers
    from foreign_models import MODELS, make_model
except ImportError as error:
    print(f"SKIPPED: {error}. pip install torch==2.13.0 transformers safetensors sentencepiece ctranslate2",
          file=sys.stderr)
    sys.exit(0)

try:
    from optimum.exporters.onnx import main_export
    from optimum.onnxruntime import ORTModelForSeq2SeqLM
except ImportError:
    main_export = None

TOLERANCE = 1e-4  # largest difference allowed between logits and between losses
MIN_SAME = 0.99   # smallest fraction of translations that must be the same
ROUNDING = 1e-3   # scores that differ by less are equal up to rounding
BATCH_SIZE = 64   # sentences


def in_groups(items, size):
    return [items[i:i + size] for i in range(0, len(items), size)]


def max_length(source_tokens):
    """The limit for a translation: decoding.max_length_ratio is 2 by default."""
    return 2 * source_tokens + 10


class Glassformer:
    def __init__(self, options, directory):
        self.options, self.directory = options, directory

    def write_files(self, *texts):
        """Writes each text, a list of lines, to a file; returns the files."""
        names = [self.directory / f"{number}.txt" for number in range(len(texts))]
        for name, lines in zip(names, texts):
            name.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        return names

    def explain(self, pairs):
        """The trace that `explain` writes for these pairs, which become one batch."""
        sentences = [text for source, target in pairs for text in ("--source", source, "--target", target)]
        trace = self.directory / "trace.json"
        program.run(self.options, "explain", *sentences, "--json", trace, "--html", os.devnull)
        return json.loads(trace.read_text(encoding="utf-8"))

    def loss(self, pairs):
        source, reference = self.write_files(*zip(*pairs))
        output = program.run(self.options, "evaluate", "--source", source, "--reference", reference, "--json", "--beam",
                             "1")
        return json.loads("\n".join(output))[0]["loss"]

    def translate(self, lines, beam, early_stopping):
        (source,) = self.write_files(lines)
        return program.run(self.options, "translate", "--beam", str(beam), "--length-penalty", "1",
                           "--early-stopping" if early_stopping else "--no-early-stopping", "--input", source)


class Transformers:
    def __init__(self, directory):
        self.model = transformers.MarianMTModel.from_pretrained(directory, dtype=torch.float32).eval()
        self.tokenizer = transformers.MarianTokenizer.from_pretrained(directory)
        self.config = self.model.config
        self.target = program.Tokenizer(directory, "target")
        self.ids = {}  # (source, beam): the ids that the search found

    def batch(self, sources, targets):
        batch = self.tokenizer(sources, text_target=targets, return_tensors="pt", padding=True)
        start = torch.full((len(targets), 1), self.config.decoder_start_token_id)
        return batch, torch.cat([start, batch.labels[:, :-1]], dim=1)

    def logits(self, batch, target_input):
        with torch.no_grad():
            return self.model(input_ids=batch.input_ids, attention_mask=batch.attention_mask,
                              decoder_input_ids=target_input).logits

    def loss(self, pairs):
        total, tokens = 0.0, 0
        for group in in_groups(pairs, BATCH_SIZE):
            batch, target_input = self.batch(*map(list, zip(*group)))
            counted = batch.labels != self.config.pad_token_id
            log_probabilities = self.logits(batch, target_input).log_softmax(-1)
            of_labels = log_probabilities.gather(-1, batch.labels.unsqueeze(-1)).squeeze(-1)
            total -= of_labels[counted].double().sum().item()
            tokens += counted.sum().item()
        return total / tokens

    def translate(self, lines, beam, early_stopping="never"):
        """Searches sentences of the same length together, because they have the same limit."""
        by_length = {}
        for number, line in enumerate(lines):
            by_length.setdefault(len(self.tokenizer(line).input_ids) - 1, []).append(number)
        translations = [""] * len(lines)
        for length, numbers in by_length.items():
            for group in in_groups(numbers, BATCH_SIZE):
                batch = self.tokenizer([lines[i] for i in group], return_tensors="pt", padding=True)
                ids = self.model.generate(**batch, num_beams=beam, do_sample=False, length_penalty=1.0,
                                          early_stopping=beam > 1 and early_stopping, max_length=None,
                                          max_new_tokens=max_length(length))
                for i, row in zip(group, ids.tolist()):
                    translations[i] = self.text(row)
                    ids = [id for id in row[1:] if id != self.config.pad_token_id]
                    eos = self.config.eos_token_id  # transformers 4 pads a batch with it
                    self.ids[lines[i], beam] = ids[:ids.index(eos) + 1] if eos in ids else ids
        return translations

    def smallest_margin(self, source):
        """The smallest difference between the best and the second-best logit along the path of greedy search."""
        ids = self.ids[source, 1]
        batch = self.tokenizer([source], return_tensors="pt")
        logits = self.logits(batch, torch.tensor([[self.config.decoder_start_token_id, *ids[:-1]]]))[0]
        for forbidden in {self.config.pad_token_id, self.config.decoder_start_token_id} - {self.config.eos_token_id}:
            logits[:, forbidden] = -math.inf
        best = logits.topk(2).values
        return (best[:, 0] - best[:, 1]).min().item()

    def text(self, ids):
        special = {self.config.pad_token_id, self.config.eos_token_id, self.config.decoder_start_token_id}
        ids = [i for i in ids if i not in special]
        if self.tokenizer.unk_token_id in ids:  # transformers prints it as it is, SentencePiece does not
            return self.target.decode(ids)
        return self.tokenizer.convert_tokens_to_string(self.tokenizer.convert_ids_to_tokens(ids))

    def score(self, source, ids):
        """Log-probability of a translation divided by its length, as in the search. ids: including eos."""
        batch = self.tokenizer([source], return_tensors="pt")
        target_input = torch.tensor([[self.config.decoder_start_token_id, *ids[:-1]]])
        log_probabilities = self.logits(batch, target_input).log_softmax(-1)[0]
        return log_probabilities.gather(-1, torch.tensor(ids).unsqueeze(-1)).sum().item() / len(ids)

    def ids_of(self, target):
        """The ids that the tokenizer gives, including eos."""
        return self.tokenizer(text_target=[target]).input_ids[0]


class OnnxRuntime(Transformers):
    """The model exported by optimum, with transformers' search."""

    def __init__(self, checkpoint, directory):
        super().__init__(checkpoint)
        main_export(str(checkpoint), directory, task="text2text-generation", do_validation=False)
        self.model = ORTModelForSeq2SeqLM.from_pretrained(directory, use_cache=False, use_merged=False)


class CTranslate2:
    def __init__(self, checkpoint, directory):
        if follows_opus_mt(checkpoint):
            ctranslate2.converters.TransformersConverter(str(checkpoint)).convert(str(directory))
            self.converter = "ct2-transformers-converter"
        else:
            convert(checkpoint, directory)
            self.converter = "scripts/convert_to_ctranslate2.py"
        self.source, self.target = (program.Tokenizer(checkpoint, side) for side in ("source", "target"))
        self.ids = {}  # (source, beam): the ids that the search found
        self.eos = [] if self.converter.startswith("scripts") else ["</s>"]
        self.translator = ctranslate2.Translator(str(directory), device="cpu", compute_type="float32")

    def translate(self, lines, beam):
        by_length = {}
        pieces = self.source.pieces(lines)
        for number, line in enumerate(pieces):
            by_length.setdefault(len(line), []).append(number)
        translations = [""] * len(lines)
        for length, numbers in by_length.items():
            results = self.translator.translate_batch(
                [pieces[i] + self.eos for i in numbers], beam_size=beam, length_penalty=1.0, max_batch_size=BATCH_SIZE,
                max_input_length=0, min_decoding_length=0, max_decoding_length=max_length(length))
            for i, result in zip(numbers, results):
                translations[i] = self.target.join(result.hypotheses[0])
                eos = [self.target.ids["</s>"]] if len(result.hypotheses[0]) < max_length(length) else []
                self.ids[lines[i], beam] = [*map(self.target.id, result.hypotheses[0]), *eos]
        return translations


class Report:
    def __init__(self):
        self.failed = False

    def row(self, good, what, result):
        self.failed |= not good
        print(f"{'ok    ' if good else 'WRONG '} {what:44} {result}", flush=True)


def compare_logits(report, ours, theirs, pairs):
    largest, tokens_differ, sentences = 0.0, 0, 0
    for group in in_groups(pairs, 5):
        trace = ours.explain(group)
        batch, target_input = theirs.batch(*map(list, zip(*group)))
        pad, padding = theirs.config.pad_token_id, trace["batch"]["pad"]
        our_ids = torch.tensor(trace["batch"]["source"]["ids"])
        our_ids[our_ids == padding["source"]] = pad
        tokens_differ += not torch.equal(our_ids, batch.input_ids)
        logits = theirs.logits(batch, target_input)
        step = next(s for s in trace["steps"] if s["part"] == "decoder.output" and s["direction"] == "forward")
        our_logits = torch.tensor(trace["tensors"][step["output"]]["values"]["numbers"]).reshape(*logits.shape[:2], -1)
        logits = logits[..., :our_logits.shape[-1]]  # without the smaller vocabulary's padding
        counted = batch.labels != pad
        largest = max(largest, (our_logits - logits)[counted].abs().max().item())
        sentences += len(group)
    if sentences < 50:
        report.row(False, "sentences to compare", f"expected 50 of at most 20 words, found {sentences}")
    report.row(tokens_differ == 0, f"tokens of {sentences} sentences", "the same" if tokens_differ == 0 else "differ")
    report.row(largest <= TOLERANCE, f"logits of {sentences} sentences", f"differ by at most {largest:.1e}")


def reason_for_difference(theirs, line, our_translation, their_ids):
    """Why two beam searches found different translations; None if nothing explains it."""
    if their_ids[-1] != theirs.config.eos_token_id:  # ours are cut off only if no hypothesis ended before the limit
        return "cut off by the other tool at the limit"
    lead = theirs.score(line, theirs.ids_of(our_translation)) - theirs.score(line, their_ids)
    if lead > -ROUNDING:
        return "equally good up to rounding" if lead < ROUNDING else "better in Glassformer"
    # CTranslate2's own converter omits padding's logit. So its scores differ, and its beam drops other hypotheses.
    third = theirs.translate([line], 5, early_stopping=True)[0]
    return "the same in transformers with early stopping" if third.split() == our_translation.split() else None


def compare_translations(report, theirs, tool, lines, ours, others, beam):
    what = f"{'greedy' if beam == 1 else f'beam of {beam}'}, {type(tool).__name__}"
    differing = [i for i, (a, b) in enumerate(zip(ours, others)) if " ".join(a.split()) != " ".join(b.split())]
    if beam == 1:  # two tokens were equally likely, and each search took a different one
        explained = {i: "diverged by rounding" for i in differing if theirs.smallest_margin(lines[i]) < ROUNDING}
    else:
        reasons = {i: reason_for_difference(theirs, lines[i], ours[i], tool.ids[lines[i], beam]) for i in differing}
        explained = {i: reason for i, reason in reasons.items() if reason}
    unexplained = [i for i in differing if i not in explained]
    same = 1 - len(differing) / len(lines)
    result = f"{len(lines) - len(differing)} of {len(lines)} the same"
    for reason in sorted(set(explained.values())):
        result += f", {sum(given == reason for given in explained.values())} {reason}"
    report.row(same >= MIN_SAME and not unexplained, what, result)
    for i in unexplained[:3]:
        scores = theirs.score(lines[i], theirs.ids_of(ours[i])), theirs.score(lines[i], tool.ids[lines[i], beam])
        print(f"         {lines[i]!r}\n           Glassformer {ours[i]!r} {scores[0]:.4f}\n"
              f"           other       {others[i]!r} {scores[1]:.4f}")


def check(report, options, pairs):
    short = [pair for pair in pairs if max(len(line.split()) for line in pair) <= 20 and all(pair)][:50]
    lines = [source for source, _ in pairs][:options.sentences]
    with tempfile.TemporaryDirectory() as temporary:
        directory = Path(temporary)
        ours, theirs = Glassformer(options, directory), Transformers(options.checkpoint)
        other = CTranslate2(options.checkpoint, directory / "ctranslate2")
        compare_logits(report, ours, theirs, short)
        losses = ours.loss(pairs), theirs.loss(pairs)
        report.row(math.isclose(*losses, abs_tol=TOLERANCE), f"loss of {len(pairs)} pairs",
                   "{:.6f}, {:.6f}".format(*losses))
        # CTranslate2 ends a sentence as soon as `beam` hypotheses are finished; transformers is told not to.
        tools = [(theirs, False), (other, True)]
        if main_export is not None:
            tools.append((OnnxRuntime(options.checkpoint, directory / "onnx"), False))
        for beam in (1, 5):
            for tool, early_stopping in tools:
                translations = ours.translate(lines, beam, early_stopping), tool.translate(lines, beam)
                compare_translations(report, theirs, tool, lines, *translations, beam)
        print(f"       ({other.converter} converted the model for CTranslate2.)")


TOY = program.ROOT / "data/toy"
# The toy's German vocabulary is larger than its English one.
OWN = {"source smaller": {},
       "target smaller": {"data.source_language": "de", "data.target_language": "en", "model.tied_embeddings": "none"},
       "joint": {"tokenizer.joint": "true", "model.tied_embeddings": "all"}}


def toy_tests(source="en", target="de"):
    return [pair for test in ("test", "test_compositional")
            for pair in zip(*(program.read_lines(TOY / f"{test}.{language}") for language in (source, target)))]


def check_own(report, options):
    for name, settings in OWN.items():
        with tempfile.TemporaryDirectory() as temporary:
            run = Path(temporary) / "run"
            words = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
            subprocess.run([options.program, "train", program.ROOT / "configs/toy.yaml", "--output", run, "--set",
                            "training.max_epochs=10", *words], check=True, stderr=subprocess.DEVNULL)
            options.checkpoint = (run / "best").resolve()
            tables = json.loads((options.checkpoint / "config.json").read_text(encoding="utf-8"))
            print(f"\n{name}: vocabularies {tables.get('glassformer_source_vocabulary', tables['vocab_size'])}, "
                  f"{tables.get('glassformer_target_vocabulary', tables['vocab_size'])}")
            check(report, options, toy_tests(settings.get("data.source_language", "en"),
                                             settings.get("data.target_language", "de")))


def check_foreign(report, options):
    source, target = (program.read_lines(TOY / f"train.{language}")[:2000] for language in ("en", "de"))
    pairs = toy_tests()
    for seed, name in enumerate(MODELS):
        with tempfile.TemporaryDirectory() as temporary:
            options.checkpoint = Path(temporary) / name
            make_model(name, options.checkpoint, source, target, pieces=60, width=32, layers=(2, 1), updates=200,
                       seed=seed)
            print(f"\n{name}: {', '.join(f'{key} {value}' for key, value in MODELS[name].items())}")
            check(report, options, pairs)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    program.add_options(parser, "a checkpoint, or a run (uses its best checkpoint); or own or foreign, for three "
                                "models each")
    parser.add_argument("--source", type=Path, help="one sentence per line")
    parser.add_argument("--reference", type=Path, help="their translations")
    parser.add_argument("--sentences", type=int, default=1000, help="how many to translate (default: 1000)")
    options = parser.parse_args()
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    report = Report()
    print(f"transformers {transformers.__version__}, CTranslate2 {ctranslate2.__version__}, "
          f"{'with' if main_export else 'without'} optimum")
    if str(options.checkpoint) == "foreign":
        check_foreign(report, options)
    elif str(options.checkpoint) == "own":
        check_own(report, options)
    elif options.source is None or options.reference is None:
        parser.error("expected --source FILE and --reference FILE")
    else:
        program.check_options(parser, options, options.source, options.reference)
        options.checkpoint = options.checkpoint.resolve()
        check(report, options, list(zip(program.read_lines(options.source), program.read_lines(options.reference))))
    sys.exit(1 if report.failed else 0)


if __name__ == "__main__":
    main()
