"""What `train` reports about its updates: loss, perplexity, gradient norm, learning rate, tokens, padding, epochs."""

import json
import math
import re

import numpy as np
import pytest
from metrics import FLOAT, Loss, encode, lengths, micro_batches, padding_share
from program import ROOT, run, set_options, toy_pairs, train, unequal_pairs, write_pairs
from reference import Model, read_lines, read_safetensors, read_weights

BETA1, BETA2, EPSILON, MOMENTUM = 0.9, 0.98, 1e-9, 0.95  # configs/debug.yaml
SHARDS, MICRO_BATCH, ACCUMULATION, WINDOW = 3, 120, 2, 3
SETTINGS = {"model.norm": "pre", "model.activation": "swish",  # smooth, so that differences give the slope
            "training.label_smoothing": 0.2, "training.max_tokens": 200,
            "training.accumulation": ACCUMULATION, "training.shards": SHARDS,
            "training.micro_batch_tokens": MICRO_BATCH,
            "training.log_every": WINDOW, "training.max_updates": 28, "training.validation.every": 1,
            "training.validation.samples": 0, "training.checkpoints.keep": 1000, "training.schedule.warmup": 10,
            "training.optimizer.clip_norm": 0, "decoding.max_length_ratio": 0.1, "tokenizer.vocabulary_size": 60}


def batches_of(text, settings, file):
    """Writes the batches of the first epoch to the file, and returns them in order: each is a list of pairs of ids."""
    run("benchmark", ROOT / "configs/debug.yaml", "--export-batches", file, *set_options(text, settings))
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()[1:]]
    return [list(zip(line["source"], line["target"])) for line in lines]


class Watched:
    """A training run with a checkpoint after every update, so that each update can be repeated."""

    def __init__(self, directory, text, settings):
        self.run = train(directory, text, settings)
        self.batches = batches_of(text, settings, self.run / "batches.jsonl")
        self.accumulation = settings.get("training.accumulation", 1)
        self.smoothing = settings.get("training.label_smoothing", 0)
        self.first_epoch = math.ceil(len(self.batches) / self.accumulation)  # updates

    def batches_at(self, update):
        return self.batches[(update - 1) * self.accumulation:update * self.accumulation]

    def model_before(self, update):
        return Model(self.run.checkpoint(update - 1))

    def loss(self, update, model=None):
        pairs = [pair for batch in self.batches_at(update) for pair in batch]
        return Loss(model or self.model_before(update), pairs, self.smoothing)

    def state(self, update):
        """The optimizer's two vectors and the parameters after an update, all in the order of the file."""
        state, _ = read_safetensors(self.run.checkpoint(update) / "training_state.safetensors")
        weights = read_weights(self.run.checkpoint(update))
        parameters = np.concatenate([tensor.ravel() for tensor in weights.values()])
        return tuple(vector.astype(float) for vector in (state["adam.m"], state["adam.v"], parameters))

    def matrices(self):
        """The places of the layers' matrices in the vectors, and their shapes. Muon updates these matrices."""
        begin = 0
        for name, tensor in read_weights(self.run / "last").items():
            if tensor.ndim == 2 and ".layers." in name:
                yield slice(begin, begin + tensor.size), tensor.shape
            begin += tensor.size

    def fed_to_optimizer(self, update):
        """The g in the update m = decay * m + (1 - decay) * g."""
        before, after = self.state(update - 1)[0], self.state(update)[0]
        decay = np.full(after.size, BETA1)
        if self.run.config()["training"]["optimizer"]["kind"] == "muon":
            for place, _ in self.matrices():
                decay[place] = MOMENTUM
        return (after - decay * before) / (1 - decay)

    def slope(self, update, direction):
        """How fast the loss of an update rises along a direction, by finite differences."""
        def moved(step):
            model, begin = self.model_before(update), 0
            for name, tensor in model.weights.items():
                model.weights[name] = tensor + step * direction[begin:begin + tensor.size].reshape(tensor.shape)
                begin += tensor.size
            return self.loss(update, model).mean
        step = 1e-5
        return (moved(step) - moved(-step)) / (2 * step)


@pytest.fixture(scope="module")
def watched(tmp_path_factory, text):
    watched = Watched(tmp_path_factory.mktemp("watched") / "run", text, SETTINGS)
    sizes = [sum(len(target) + 1 for _, target in batch) for batch in watched.batches]
    assert len(watched.batches) % ACCUMULATION == 1, "the last update of an epoch should have fewer batches"
    assert max(sizes) > 2 * min(sizes), "batches should be of very unequal size"
    return watched


@pytest.fixture(scope="module")
def windows(watched):
    """The log lines of the first epoch, each with the updates that it covers. The first line is left out, because there
    is no checkpoint before the first update."""
    lines = {line["update"]: line for line in watched.run.metrics("train")}
    ends = range(2 * WINDOW, watched.first_epoch + 1, WINDOW)
    assert len(ends) >= 3
    return [(lines[end], range(end - WINDOW + 1, end + 1)) for end in ends]


def test_loss_is_the_objective_of_the_window_over_its_target_tokens(watched, windows):
    for line, updates in windows:
        sums = [watched.loss(update) for update in updates]
        expected = sum(one.loss for one in sums) / sum(one.tokens for one in sums)
        assert line["loss"] == pytest.approx(expected, rel=FLOAT)


def test_perplexity_is_that_of_the_loss_without_label_smoothing(watched, windows):
    for line, updates in windows:
        sums = [watched.loss(update) for update in updates]
        expected = np.exp(sum(one.cross_entropy for one in sums) / sum(one.tokens for one in sums))
        assert line["perplexity"] == pytest.approx(expected, rel=5 * FLOAT)


def test_gradient_norm_is_the_window_mean_and_matches_finite_differences(watched, windows):
    for line, updates in windows:
        slopes = []
        for update in updates:
            gradient = watched.fed_to_optimizer(update)
            slopes.append(watched.slope(update, gradient / np.linalg.norm(gradient)))
        assert line["gradient_norm"] == pytest.approx(np.mean(slopes), rel=1e-4)  # the finite differences' error


def test_the_gradient_is_right_in_any_direction(watched):
    draw = np.random.default_rng(1)
    for update in (2, watched.first_epoch):
        gradient = watched.fed_to_optimizer(update)
        for _ in range(3):
            direction = draw.standard_normal(gradient.size)
            direction /= np.linalg.norm(direction)
            assert watched.slope(update, direction) == pytest.approx(gradient @ direction, abs=2e-5)


def test_tokens_per_second_count_both_sides_without_padding(watched, windows):
    """The seconds of a window are not reported, but both sides took the same time, and no more than has passed."""
    seconds = 0
    for line, updates in windows:
        pairs = [pair for update in updates for batch in watched.batches_at(update) for pair in batch]
        source, target = (sum(side) for side in zip(*map(lengths, pairs)))
        assert line["source_tokens_per_second"] / line["target_tokens_per_second"] == pytest.approx(source / target)
        seconds += source / line["source_tokens_per_second"]
    assert 0 < seconds < 60 * windows[-1][0]["minutes"]


def test_speed_is_tokens_over_the_time_that_has_passed(tmp_path, text):
    """The whole text is one batch, so every update has the same tokens. Between two lines of the log there are
    only updates, and no validation. Both clocks are the program's own, so load does not matter."""
    window = 10
    done = train(tmp_path / "run", text, {"training.max_tokens": 100000, "training.max_updates": 4 * window,
                                          "training.log_every": window, "training.validation.every": 1000,
                                          "decoding.max_length_ratio": 0.1})
    pairs = encode(Model(done / "best"), zip(*(read_lines(text / f"train.{side}") for side in ("en", "de"))))
    first, *others = done.metrics("train")
    passed = 60 * (others[-1]["minutes"] - first["minutes"])
    assert [line["epoch"] for line in others] == [2 * window, 3 * window, 4 * window]
    for side, tokens in zip(("source", "target"), map(sum, zip(*map(lengths, pairs)))):
        seconds = sum(window * tokens / line[f"{side}_tokens_per_second"] for line in others)
        assert 0.75 * passed < seconds <= passed * (1 + 1e-9)


def test_the_share_of_padding_is_that_of_the_micro_batches(watched, windows):
    for line, updates in windows:
        batches = [batch for update in updates for batch in watched.batches_at(update)]
        assert line["padding_share"] == pytest.approx(padding_share(batches, SHARDS, MICRO_BATCH))


def test_an_epoch_ends_with_its_last_batch(watched):
    for line in watched.run.metrics("train") + watched.run.metrics("validation"):
        assert line["epoch"] == math.ceil(line["update"] / watched.first_epoch)


def test_minutes_left_follow_from_the_fraction_done(watched):
    lines = watched.run.metrics("train")
    for line in lines:
        done = line["update"] / SETTINGS["training.max_updates"]
        assert line["minutes_left"] == pytest.approx(line["minutes"] * (1 / done - 1), rel=1e-9, abs=1e-12)
    assert [line["minutes"] for line in lines] == sorted(line["minutes"] for line in lines)


def test_every_window_has_a_line_even_a_short_last_one(watched):
    assert [line["update"] for line in watched.run.metrics("train")] == [*range(WINDOW, 28, WINDOW), 28]
    assert all(line["skipped"] == 0 for line in watched.run.metrics("train"))


def test_the_log_shows_the_same_numbers_as_the_metrics(watched):
    log = (watched.run / "train.log").read_text(encoding="utf-8")
    for line in watched.run.metrics("train"):
        speeds = re.search(rf"update +{line['update']} .*source +([\d.]+)(k?)/s +target +([\d.]+)(k?)/s", log).groups()
        for (number, unit), side in zip((speeds[:2], speeds[2:]), ("source", "target")):
            factor, decimals = 1000 if unit else 1, len(number.partition(".")[2])
            assert factor * float(number) == pytest.approx(line[f"{side}_tokens_per_second"],
                                                           abs=0.501 * factor / 10 ** decimals)
        expected = (f"update {line['update']:2d}  epoch {line['epoch']:4d}  loss {line['loss']:7.4f}  "
                    f"ppl {line['perplexity']:7.2f}  grad {line['gradient_norm']:6.2f}  "
                    f"rate {line['learning_rate']:7.1e}  source")
        assert expected in log
        assert f"padding {100 * line['padding_share']:4.1f}%" in log


def test_a_text_with_fewer_sentences_than_shards(tmp_path):
    write_pairs(tmp_path, "train", unequal_pairs(3, seed=5))
    write_pairs(tmp_path, "valid", unequal_pairs(2, seed=6))
    watched = Watched(tmp_path / "run", tmp_path, {**SETTINGS, "training.shards": 8, "training.max_tokens": 4096,
                                                   "training.log_every": 1, "training.max_updates": 4})
    assert [len(batch) for batch in watched.batches] == [3]
    for line in watched.run.metrics("train")[1:]:
        loss = watched.loss(1, watched.model_before(line["update"]))
        assert line["loss"] == pytest.approx(loss.mean, rel=FLOAT)
        assert line["perplexity"] == pytest.approx(loss.perplexity, rel=5 * FLOAT)
        assert line["epoch"] == line["update"]
        assert line["padding_share"] == pytest.approx(padding_share(watched.batches, 8, MICRO_BATCH))


def test_a_batch_of_one_sentence_counts_like_any_other(tmp_path):
    pairs = [pair for pair in toy_pairs("train") if all(len(side.split()) == 6 for side in pair)][:9]
    write_pairs(tmp_path, "train", pairs)
    write_pairs(tmp_path, "valid", pairs[:2])
    watched = Watched(tmp_path / "run", tmp_path, {**SETTINGS, "training.max_tokens": 8 * 7, "training.accumulation": 1,
                                                   "training.log_every": 1, "training.max_updates": 4})
    sizes = [len(batch) for batch in watched.batches]
    assert sorted(sizes) == [1, 8]
    for update in range(2, watched.first_epoch + 1):
        line = watched.run.metrics("train")[update - 1]
        assert line["loss"] == pytest.approx(watched.loss(update).mean, rel=FLOAT)


# --- Text -------------------------------------------------------------------------------------------------------------
def test_line_ends_spaces_and_empty_lines_do_not_change_metrics(tmp_path, text):
    """CRLF, a byte order mark, tabs and double spaces change nothing. Lines that are empty on one side (at the start,
    in the middle, at the end) and pairs that are too long are left out and counted."""
    settings = {**SETTINGS, "data.max_length": 20, "tokenizer.min_frequency": 2, "training.max_updates": 12}
    kept = [pair for pair in unequal_pairs(60, seed=7) if max(len(side.split()) for side in pair) <= 20]
    kept.append(next(pair for pair in unequal_pairs(999, seed=8) if max(len(side.split()) for side in pair) == 20))
    once = iter(f"word{number}" for number in range(99))  # words that occur once are in neither vocabulary
    too_long = (" ".join(next(once) for _ in range(21)), next(once))
    plain, awkward = tmp_path / "plain", tmp_path / "awkward"
    for directory, pairs, end in ((plain, kept, "\n"), (awkward, [
            ("", next(once)), *kept[:30], (next(once), " \t"), ("", ""), *kept[30:50], too_long,
            *[(f"\t{source.replace(' ', '  ')} ", target.replace(" ", "\t")) for source, target in kept[50:]],
            (next(once), "")], "\r\n")):
        directory.mkdir()
        for file in write_pairs(directory, "train", pairs, end):
            if directory is awkward:
                file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
        write_pairs(directory, "valid", kept[:5])
    runs = [train(directory / "run", directory, settings) for directory in (plain, awkward)]
    for run_, empty, long in ((runs[0], 0, 0), (runs[1], 4, 1)):
        assert (f"{len(kept)} training pairs, 5 validation pairs; left out of training: {empty} with an empty side, "
                f"{long} with more than 20 tokens on one side") in run_.log
    for kind in ("train", "validation"):
        assert runs[0].without_times(kind) == runs[1].without_times(kind)
    assert (runs[0] / "last/model.safetensors").read_bytes() == (runs[1] / "last/model.safetensors").read_bytes()


# --- Optimizer --------------------------------------------------------------------------------------------------------
SCHEDULES = {
    "inverse_sqrt": lambda t, rate, warmup, last, final: rate * math.sqrt(warmup / t),
    "constant": lambda t, rate, warmup, last, final: rate,
    "cosine": lambda t, rate, warmup, last, final:
        final + (rate - final) * (1 + math.cos(math.pi * max(0, t - 1 - warmup) / (last - warmup))) / 2,
}


@pytest.mark.parametrize("kind", SCHEDULES)
def test_learning_rate_follows_its_schedule(tmp_path, kind):
    write_pairs(tmp_path, "train", unequal_pairs(4, seed=5))
    write_pairs(tmp_path, "valid", unequal_pairs(2, seed=6))
    rate, warmup, last, initial, final = 0.03, 5, 14, 0.001, 0.0004
    run_ = train(tmp_path / "run", tmp_path, {
        "training.schedule.kind": kind, "training.schedule.learning_rate": rate, "training.schedule.warmup": warmup,
        "training.schedule.initial_rate": initial, "training.schedule.final_rate": final, "training.log_every": 1,
        "training.max_updates": last, "training.validation.every": 1000, "decoding.max_length_ratio": 0.1})
    for line in run_.metrics("train"):
        t = line["update"]
        expected = (initial + (rate - initial) * t / warmup if t < warmup
                    else SCHEDULES[kind](t, rate, warmup, last, final))
        assert line["learning_rate"] == pytest.approx(expected, rel=1e-12)
    assert len(run_.metrics("train")) == last


@pytest.fixture(scope="module", params=[("adam", 0.05, 0.2), ("adam", 0.05, 0), ("adam", 0, 0.2), ("adamw", 0.05, 0.2),
                                        ("muon", 0.05, 0.2), ("muon", 0, 0)],
                ids=lambda p: f"{p[0]}-decay{p[1]}-clip{p[2]}")
def optimized(request, tmp_path_factory, text):
    kind, decay, clip = request.param
    settings = {**SETTINGS, "training.max_updates": 6, "training.log_every": 1, "training.optimizer.kind": kind,
                "training.optimizer.weight_decay": decay, "training.optimizer.clip_norm": clip,
                "training.schedule.learning_rate": 0.02, "training.schedule.warmup": 3}
    return Watched(tmp_path_factory.mktemp("optimized") / "run", text, settings), kind, decay, clip


def test_clipping_scales_only_the_gradient_and_the_logged_norm_is_unclipped(optimized):
    watched, kind, decay, clip = optimized
    lines = watched.run.metrics("train")
    for update in range(2, 7):
        _, _, parameters = watched.state(update - 1)
        gradient = watched.fed_to_optimizer(update) - (decay * parameters if kind == "adam" else 0)
        norm = np.linalg.norm(gradient)
        logged = lines[update - 1]["gradient_norm"]
        assert logged == pytest.approx(watched.slope(update, gradient / norm), rel=1e-4)  # finite differences' error
        assert logged > 0.2, "there must be something to clip"
        assert norm == pytest.approx(min(logged, clip or logged), rel=1e-5)  # the error of m, which has 24 bits


def test_update_is_that_of_the_optimizer(optimized):
    watched, kind, decay, _ = optimized
    for update in range(2, 7):
        _, v_before, before = watched.state(update - 1)
        m, v, after = watched.state(update)
        rate = watched.run.metrics("train")[update - 1]["learning_rate"]
        gradient = watched.fed_to_optimizer(update)
        expected = BETA2 * v_before + (1 - BETA2) * gradient ** 2
        for place, _ in watched.matrices() if kind == "muon" else ():
            expected[place] = 0  # Muon has no v
        assert np.allclose(v, expected, rtol=1e-3, atol=1e-12)
        step = m / (1 - BETA1 ** update) / (np.sqrt(v / (1 - BETA2 ** update)) + EPSILON)
        for place, shape in watched.matrices() if kind == "muon" else ():
            ahead = MOMENTUM * m[place] + (1 - MOMENTUM) * gradient[place]
            step[place] = 0.2 * math.sqrt(max(shape)) * orthogonalized(ahead.reshape(shape)).ravel()
        kept = 1 if kind == "adam" else 1 - rate * decay
        assert np.allclose(after, kept * before - rate * step, rtol=1e-5, atol=1e-6)


def orthogonalized(x):
    """Five Newton-Schulz steps bring the singular values of x close to 1."""
    x = x / np.linalg.norm(x)
    for _ in range(5):
        gram = x @ x.T
        x = 3.4445 * x + (-4.7750 * gram + 2.0315 * gram @ gram) @ x
    return x
