"""What `train` reports about validation, which checkpoint it calls the best, when it stops, and what it averages."""

import math
import re

import numpy as np
import pytest
from metrics import FLOAT, Loss, encode
from program import toy_pairs, train, unequal_pairs, write_pairs
from reference import Model, read_lines, read_safetensors
from text_metrics import bleu, exact_match


def metrics_of(model, pairs):
    """Loss without label smoothing, and all metrics that follow from greedy translations."""
    loss = Loss(model, encode(model, pairs))
    sources, references = zip(*pairs)
    translations = [model.target.decode(model.greedy(ids)) if ids else "" for ids in map(model.source.encode, sources)]
    settings = model.config["evaluation"]
    score = bleu(translations, [references], settings["bleu_tokenizer"], settings["lowercase"])["score"]
    return {"loss": loss.mean, "perplexity": loss.perplexity, "token_accuracy": loss.accuracy, "bleu": score,
            "exact_match": exact_match(translations, [references]), "translations": translations}


@pytest.fixture(scope="module")
def validated(tmp_path_factory):
    """A run that learns, with label smoothing, dropout and a beam of 5 in its config. Its validation text has sentences
    of very unequal length, empty lines, double spaces and tabs."""
    text = tmp_path_factory.mktemp("validated_text")
    write_pairs(text, "train", toy_pairs("train")[:2000])
    pairs = unequal_pairs(100, seed=3, name="valid", longest=4)
    pairs[:20] = [(source, reference.replace(" ", "  ").replace(" .", "\t.")) for source, reference in pairs[:20]]
    pairs[0], pairs[50], pairs[-1] = ("", pairs[0][1]), (pairs[50][0], ""), ("", "")
    write_pairs(text, "valid", pairs)
    done = train(tmp_path_factory.mktemp("validated") / "run", text, {
        "model.d_model": 32, "model.d_ff": 64, "model.heads": 4, "tokenizer.vocabulary_size": 200, "model.dropout": 0.1,
        "training.label_smoothing": 0.1, "training.max_tokens": 1000, "training.shards": 4, "training.max_updates": 400,
        "training.schedule.warmup": 50, "training.schedule.learning_rate": 0.01, "training.validation.every": 200,
        "training.validation.samples": 3, "training.checkpoints.keep": 100, "decoding.beam": 5})
    return done, pairs


@pytest.fixture(scope="module")
def recomputed(validated):
    done, pairs = validated
    return [(line, metrics_of(Model(done.checkpoint(line["update"])), pairs)) for line in done.metrics("validation")]


def test_validation_metrics_are_means_over_all_tokens_and_use_greedy_translations(recomputed):
    assert [line["update"] for line, _ in recomputed] == [200, 400]
    for line, expected in recomputed:
        assert line["loss"] == pytest.approx(expected["loss"], rel=FLOAT)
        assert line["perplexity"] == pytest.approx(expected["perplexity"], rel=5 * FLOAT)
        assert line["token_accuracy"] == pytest.approx(expected["token_accuracy"], rel=1e-12)
        assert line["bleu"] == pytest.approx(expected["bleu"], abs=1e-9)
        assert line["exact_match"] == pytest.approx(expected["exact_match"], abs=1e-12)
    assert recomputed[-1][1]["bleu"] > 20 and recomputed[-1][1]["exact_match"] > 0.05, "it should learn something"


def test_the_log_shows_the_same_metrics_and_the_first_translations(validated, recomputed):
    done, pairs = validated
    log = (done / "train.log").read_text(encoding="utf-8")
    for line, expected in recomputed:
        text = (rf"update {line['update']}  validation +loss {line['loss']:7.4f}  ppl {line['perplexity']:7.2f}  "
                rf"token accuracy {100 * line['token_accuracy']:5.1f} %  BLEU {line['bleu']:6.2f}  "
                rf"exact match {100 * line['exact_match']:5.1f} %{'  best so far' if line['best'] else ''}\n")
        found = re.search(text, log)
        assert found, text
        shown = [re.sub(r"^\S+ \S+ ", "", one) for one in log[found.end():].split("\n")[:9]]
        visible = str.maketrans({control: f"\\x{control:02X}" for control in range(32)})  # as a terminal may show it
        assert shown == [f"     {label:13}{words.translate(visible)}" for (source, reference), translation
                         in zip(pairs[:3], expected["translations"])
                         for label, words in (("source", source), ("reference", reference),
                                              ("translation", translation))]


def test_curves_show_every_line_of_the_metrics(validated):
    done, _ = validated
    svg = (done / "curves.svg").read_text(encoding="utf-8")
    points = [len(re.findall("[ML]", path)) for path in re.findall(r"<g fill='[^']*'><path d='([^']*)'", svg)]
    training, validations = done.metrics("train"), done.metrics("validation")
    assert points == [len(training)] + 4 * [len(validations)]
    dots = re.findall(r"<title>(.*?) (\S+), update (\d+)</title>", svg)
    shown = {(name, int(update)): float(number) for name, number, update in dots}
    for line in training:
        expected = pytest.approx(math.log(line["perplexity"]), rel=1e-3)
        assert shown.pop(("training", line["update"])) == expected
    for line in validations:
        for name, value in (("validation", line["loss"]), ("BLEU", line["bleu"]),
                            ("exact match", 100 * line["exact_match"]),
                            ("token accuracy", 100 * line["token_accuracy"])):
            assert shown.pop((name, line["update"])) == pytest.approx(value, rel=1e-3)
    assert not shown


# --- The best checkpoint, the end of training -------------------------------------------------------------------------
LOWER_IS_BETTER = {"loss", "perplexity"}


@pytest.mark.parametrize("metric", ["loss", "perplexity", "token_accuracy", "bleu", "exact_match"])
def test_the_best_is_chosen_by_its_metric_and_patience_ends_the_training(tmp_path, metric):
    """The learning rate rises until the model, having learnt the sentences, forgets them again: every metric gets
    better, and then worse for good."""
    write_pairs(tmp_path, "train", toy_pairs("train")[:6])
    write_pairs(tmp_path, "valid", toy_pairs("train")[:6])
    patience = 4
    done = train(tmp_path / "run", tmp_path, {
        "model.d_model": 16, "model.d_ff": 32, "training.max_tokens": 500, "training.shards": 4,
        "training.schedule.initial_rate": 0.02, "training.schedule.learning_rate": 1.5, "training.schedule.warmup": 800,
        "training.max_updates": 300, "training.validation.every": 10, "training.validation.metric": metric,
        "training.validation.patience": patience, "training.validation.samples": 0, "training.checkpoints.keep": 2,
        "decoding.max_length_ratio": 0.5})
    lines = done.metrics("validation")
    sign = -1 if metric in LOWER_IS_BETTER else 1
    best, without = None, 0
    for line in lines:
        assert without < patience, "training continued after its patience ran out"
        better = best is None or sign * line[metric] > sign * best[metric]
        assert line["best"] == better
        best, without = (line, 0) if better else (best, without + 1)
    assert best is not lines[0], "some validation should be better than the first"
    assert without == patience
    assert f"finished at update {lines[-1]['update']}: {patience} validations without a new best" in done.log

    assert (done / "best").resolve() == done.checkpoint(best["update"]).resolve()
    assert (done / "last").resolve() == done.checkpoint(lines[-1]["update"]).resolve()
    kept = {done.checkpoint(update).name for update in (best["update"], lines[-1]["update"], lines[-2]["update"])}
    assert {path.name for path in done.directory.glob("step-*")} == kept
    state = done.progress()
    assert state["best_update"] == best["update"] and state["best_figure"] == best[metric]
    assert state["without_best"] == without and state["validated"] == state["update"] == lines[-1]["update"]


@pytest.mark.parametrize("metric", ["loss", "bleu"])
def test_a_metric_only_as_good_as_the_best_is_not_a_new_best(tmp_path, metric):
    """The learning rate is too small to move a weight, so all validations give the same metrics."""
    write_pairs(tmp_path, "train", toy_pairs("train")[:6])
    write_pairs(tmp_path, "valid", toy_pairs("train")[:6])
    done = train(tmp_path / "run", tmp_path, {
        "training.schedule.learning_rate": 1e-30, "training.schedule.initial_rate": 1e-30,
        "training.max_updates": 6, "training.validation.every": 2, "training.validation.metric": metric,
        "training.validation.samples": 0})
    lines = done.metrics("validation")
    assert len({line[metric] for line in lines}) == 1
    assert [(line["update"], line["best"]) for line in lines] == [(2, True), (4, False), (6, False)]
    assert (done / "best").resolve() == done.checkpoint(2).resolve()


# --- Averages ---------------------------------------------------------------------------------------------------------
def mean_of(checkpoints):
    """The mean in double precision, rounded once."""
    models = [read_safetensors(checkpoint / "model.safetensors")[0] for checkpoint in checkpoints]
    return {name: np.mean([model[name].astype(float) for model in models], axis=0).astype(np.float32)
            for name in models[0]}


def same_tensors(checkpoint, expected):
    found, _ = read_safetensors(checkpoint / "model.safetensors")
    return found.keys() == expected.keys() and all(np.array_equal(found[name], expected[name]) for name in expected)


@pytest.fixture(scope="module")
def averaged(tmp_path_factory):
    """A run whose learning rate stays high, so the mean of the last checkpoints is far better than each of them. It
    validates on sentences that it trains on."""
    text = tmp_path_factory.mktemp("averaged_text")
    write_pairs(text, "train", toy_pairs("train")[:100])
    write_pairs(text, "valid", toy_pairs("train")[:60])
    done = train(tmp_path_factory.mktemp("averaged") / "run", text, {
        "model.d_model": 16, "model.d_ff": 32, "training.max_tokens": 500, "training.shards": 4,
        "training.schedule.kind": "constant", "training.schedule.learning_rate": 0.02, "training.schedule.warmup": 10,
        "training.max_updates": 200, "training.validation.every": 10, "training.checkpoints.keep": 6,
        "training.checkpoints.average": 3, "decoding.max_length_ratio": 0.5})
    return done, text


def test_the_mean_is_that_of_the_last_checkpoints(averaged):
    done, _ = averaged
    checkpoints = sorted(done.directory.glob("step-*"))
    assert [path.name for path in checkpoints[-6:]] == [f"step-{update:08d}" for update in range(150, 201, 10)]
    assert same_tensors(done / "average-00000200", mean_of(checkpoints[-3:]))


def test_averaged_model_is_validated_and_becomes_best_if_better(averaged):
    done, text = averaged
    pairs = list(zip(*(read_lines(text / f"valid.{side}") for side in ("en", "de"))))
    expected = metrics_of(Model(done / "average-00000200"), pairs)
    found = re.search(rf"mean of the last 3 checkpoints, in {re.escape(str(done / 'average-00000200'))}: "
                      r"loss (\S+), BLEU (\S+), exact match (\S+)%(; the best so far, so the link best points to it)?",
                      done.log)
    loss, score, percentage = map(float, found.groups()[:3])
    assert loss == pytest.approx(expected["loss"], abs=6e-5)  # half a unit of the last decimal, and a little more
    assert score == pytest.approx(expected["bleu"], abs=0.006)
    assert percentage == pytest.approx(100 * expected["exact_match"], abs=0.006)
    assert expected["loss"] < min(line["loss"] for line in done.metrics("validation"))
    assert found[4] and expected["exact_match"] > 0.1
    assert (done / "best").resolve() == (done / "average-00000200").resolve()
    state = done.progress()
    assert state["best_figure"] == pytest.approx(expected["loss"], rel=FLOAT)
    assert state["best_update"] == 200
