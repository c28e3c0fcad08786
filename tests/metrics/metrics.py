"""The metrics that the program should report, computed from their definitions with the NumPy model."""

import numpy as np
from reference import BOS, EOS, PAD, log_softmax

# How far the program, in single precision, may be from NumPy, in double precision.
FLOAT = 2e-6            # relative, for a mean over many tokens; one rounding to 24 bits is 6e-8
LOG_PROBABILITY = 5e-5  # for a token: four times the largest difference seen, for log-probabilities down to -19
CLOSE = 1e-4            # two logits that are closer may swap places
ROUNDING = 1e-9         # relative, for what is computed in double precision from counts
SENTENCES = 64  # in a padded batch here; no metric depends on the program's own batches


def padded(rows):
    """[B, longest]"""
    ids = np.full((len(rows), max(map(len, rows))), PAD)
    for row, tokens in zip(ids, rows):
        row[:len(tokens)] = tokens
    return ids


def encode(model, pairs):
    """Pairs of lines as pairs of ids. Pairs with an empty side are left out, as in the program's loss."""
    ids = [(model.source.encode(source), model.target.encode(target)) for source, target in pairs]
    return [pair for pair in ids if all(pair)]


class Loss:
    """Sums over the target tokens of pairs of ids, eos included, teacher-forced."""

    def __init__(self, model, pairs, smoothing=0.0):
        self.loss = self.cross_entropy = self.tokens = self.correct = 0
        pairs = sorted(pairs, key=lambda pair: len(pair[0]) + len(pair[1]))
        for begin in range(0, len(pairs), SENTENCES):
            self.add(model, pairs[begin:begin + SENTENCES], smoothing)

    def add(self, model, pairs, smoothing):
        source = padded([[*source, EOS] for source, _ in pairs])
        expected = padded([[*target, EOS] for _, target in pairs])
        logits = model.logits(source, padded([[BOS, *target] for _, target in pairs]))
        log_p, counted = log_softmax(logits), expected != PAD
        cross_entropy = -np.take_along_axis(log_p, expected[..., np.newaxis], -1)[..., 0]
        loss = (1 - smoothing) * cross_entropy - smoothing * log_p.mean(-1)
        self.loss += loss[counted].sum()
        self.cross_entropy += cross_entropy[counted].sum()
        self.tokens += counted.sum()
        self.correct += (logits.argmax(-1) == expected)[counted].sum()

    @property
    def mean(self):
        return self.loss / self.tokens

    @property
    def perplexity(self):
        return np.exp(self.cross_entropy / self.tokens)

    @property
    def accuracy(self):
        return self.correct / self.tokens


# --- How a batch is split (src/batching/batch.hpp), for the share of padding -----------------------------------------
def lengths(pair):
    return len(pair[0]) + 1, len(pair[1]) + 1  # eos or bos included


def cells(pairs):
    """The number of cells in the padded batch of these pairs, on both sides."""
    return len(pairs) * sum(max(sides) for sides in zip(*map(lengths, pairs)))


def longest_first(pairs):
    def key(pair):
        source, target = lengths(pair)
        return max(source, target), (source - target) * (-1) ** max(source, target)
    return sorted(pairs, key=key, reverse=True)


def within(pairs, limit):
    """Consecutive groups, each as large as it can be with at most `limit` cells."""
    groups = []
    for pair in pairs:
        if groups and cells([*groups[-1], pair]) <= limit:
            groups[-1].append(pair)
        else:
            groups.append([pair])
    return groups


def cut(pairs, parts):
    """At most `parts` groups of pairs with similar lengths. The largest group is as small as possible."""
    pairs = longest_first(pairs)
    limit = next(limit for limit in range(1, cells(pairs) + 1) if len(within(pairs, limit)) <= parts)
    return within(pairs, limit)


def micro_batches(batch, shards, micro_batch_tokens):
    for shard in cut(batch, shards):
        yield from cut(shard, 1 + cells(shard) // micro_batch_tokens)


def padding_share(batches, shards, micro_batch_tokens):
    parts = [part for batch in batches for part in micro_batches(batch, shards, micro_batch_tokens)]
    return 1 - sum(sum(map(sum, map(lengths, part))) for part in parts) / sum(map(cells, parts))
