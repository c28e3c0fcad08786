"""A plain beam search in NumPy, and how close the decisions of a search are."""

from typing import NamedTuple

import numpy as np
from reference import BOS, EOS, PAD, log_softmax


class Hypothesis(NamedTuple):
    log_probability: float
    ids: list       # without eos
    finished: bool  # False: cut off at the longest length allowed

    @property
    def tokens(self):
        """eos counts as a token."""
        return len(self.ids) + self.finished

    def score(self, length_penalty):
        return self.log_probability / self.tokens ** length_penalty


def beam_search(model, source, beam, length_penalty=1.0, early_stopping=False):
    """The `beam` best hypotheses, best first, and how close the closest decision was. If that is close to 0, single
    precision may decide differently. The error of a sum grows with its number of terms, so a difference of two sums is
    divided by the number of tokens.

    At each step every hypothesis is extended by every token. Of the 2 * beam most likely extensions, those that end in
    eos are finished if they are among the first `beam`, and the first `beam` of the others continue. The search ends at
    the longest length allowed, or, with early stopping, once `beam` hypotheses are finished."""
    source_ids = np.array([[*source, EOS]])
    memory = model.encode(source_ids)
    running, finished, differences = [Hypothesis(0.0, [], False)], [], [np.inf]

    def by_score(hypotheses, last=False):
        ranked = sorted(hypotheses, key=lambda h: -h.score(length_penalty))
        # During the search, it matters only which hypotheses stay; their order matters only in the last ranking.
        for pair in list(zip(ranked, ranked[1:]))[0 if last else beam - 1:beam]:
            first, second = (h.score(length_penalty) for h in pair)
            differences.append((first - second) / max(h.tokens ** (1 - length_penalty) for h in pair))
        return ranked[:beam]

    for length in range(model.longest(source) + 1):
        inputs = np.array([[BOS, *h.ids] for h in running])
        rows = len(running)
        logits = model.decode(np.repeat(source_ids, rows, 0), np.repeat(memory, rows, 0), inputs)[:, -1]
        sums = log_softmax(logits) + np.array([[h.log_probability] for h in running])  # [R, V]
        sums[:, [PAD, BOS]] = -np.inf
        order = np.argsort(-sums, axis=None, kind="stable")[:2 * beam + 1]
        differences.extend(-np.diff(sums.flat[order]) / (length + 1))
        parents, tokens = np.unravel_index(order[:2 * beam], sums.shape)
        extended = [(Hypothesis(sums[parent, token], running[parent].ids, True), token)
                    for parent, token in zip(parents, tokens)]
        finished = by_score(finished + [h for h, token in extended[:beam] if token == EOS])
        if length == model.longest(source) or early_stopping and len(finished) == beam:
            break
        running = [Hypothesis(h.log_probability, [*h.ids, int(token)], False)
                   for h, token in extended if token != EOS][:beam]
    return by_score(finished or running, last=True), min(differences)


def closest_decision(model, source, translation):
    """The smallest difference between the two most likely tokens, over all steps of a greedy translation."""
    steps = min(len(translation) + 1, model.longest(source))
    table = model.log_probabilities(source, translation)[:steps]
    table[:, [PAD, BOS]] = -np.inf
    second, first = np.sort(table)[:, -2:].T
    return (first - second).min()
