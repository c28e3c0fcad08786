"""BLEU and exact match from their definitions, sharing no code with the program. test_text_metrics.py compares BLEU with
sacreBLEU's.

An n-gram is a run of n words. It matches as often as it occurs in both the
hypothesis and the reference. All counts are summed over the text before anything is divided.
"""

import re
from collections import Counter
from math import exp, log

ENTITIES = {"&quot;": '"', "&amp;": "&", "&lt;": "<", "&gt;": ">"}


def tokenize_13a(line):
    """Sets punctuation apart from words, as NIST's mteval-v13a does."""
    for old, new in {"<skipped>": "", "-\n": "", "\n": " ", **ENTITIES}.items():
        line = line.replace(old, new)
    line = re.sub(r"([!-&(-+/:-@[-`{-~])", r" \1 ", f" {line} ")  # all of ASCII's punctuation except ' , - .
    line = re.sub(r"([^0-9])([.,])", r"\1 \2 ", line)             # a period or comma that does not follow a digit
    line = re.sub(r"([.,])([^0-9])", r" \1 \2", line)             # a period or comma that does not precede one
    return re.sub(r"([0-9])(-)", r"\1 \2 ", line)                 # a dash that follows a digit


def ngrams(words, n):
    return Counter(tuple(words[i:i + n]) for i in range(len(words) - n + 1))


def count_ngrams(hypothesis, reference, n):
    """The number of matches, and of the hypothesis' n-grams."""
    ours, theirs = ngrams(hypothesis, n), ngrams(reference, n)
    return sum((ours & theirs).values()), sum(ours.values())


def bleu(hypotheses, references, tokenizer, lowercase):
    """With smoothing "exp": the k-th order without a match counts as having 1 / 2^k of a match."""
    def words(line):
        line = (line.lower() if lowercase else line).rstrip()
        return (tokenize_13a(line) if tokenizer == "13a" else line).split()

    pairs = [(words(hypothesis), words(reference)) for hypothesis, reference in zip(hypotheses, references)]
    counts = [[count_ngrams(*pair, n) for pair in pairs] for n in (1, 2, 3, 4)]
    matches, totals = ([sum(count[i] for count in order) for order in counts] for i in (0, 1))
    ours, theirs = (sum(len(pair[side]) for pair in pairs) for side in (0, 1))
    precisions, smoothed = [0.0] * 4, 1.0
    for n in range(4):
        if matches[0] > 0 and totals[n] > 0:
            smoothed /= 1 if matches[n] else 2
            precisions[n] = 100 * (matches[n] or smoothed) / totals[n]
    penalty = 1.0 if ours >= theirs else exp(1 - theirs / ours) if ours else 0.0
    score = penalty * exp(sum(map(log, precisions)) / 4) if all(precisions) else 0.0
    signature = f"nrefs:1|case:{'lc' if lowercase else 'mixed'}|eff:no|tok:{tokenizer}|smooth:exp"
    return {"score": score, "precisions": precisions, "brevity_penalty": penalty, "hypothesis_length": ours,
            "reference_length": theirs, "matches": matches, "totals": totals, "signature": signature}


def bleu_line(result, version=""):
    """The result as sacreBLEU prints it."""
    ours, theirs = result["hypothesis_length"], result["reference_length"]
    return (f"BLEU|{result['signature']}{version} = {result['score']:.2f} "
            + "/".join(f"{precision:.1f}" for precision in result["precisions"])
            + f" (BP = {result['brevity_penalty']:.3f} ratio = {ours / theirs if theirs else 0:.3f}"
            + f" hyp_len = {ours} ref_len = {theirs})")


def exact_match(hypotheses, references):
    """The fraction of lines with the same words as their reference."""
    return sum(h.split() == r.split() for h, r in zip(hypotheses, references)) / len(references)
