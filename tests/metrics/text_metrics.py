"""BLEU, chrF2 and exact match from their definitions, sharing no code with the program. test_text_metrics.py compares
BLEU and chrF2 with sacreBLEU's.

An n-gram is a run of n symbols: words for BLEU, characters for chrF. It matches as often as it occurs in both the
hypothesis and a reference. All counts are summed over the text before anything is divided. `references` is a list of
texts, each a list of lines.
"""

import re
from collections import Counter
from math import exp, log

ENTITIES = {"&quot;": '"', "&amp;": "&", "&lt;": "<", "&gt;": ">"}


# The characters that are words of their own in sacreBLEU's zh: its table, with the two ranges that Python reads as
# strings of two characters ("\\u20000" is U+2000 and a 0, so the range begins after U+2000).
CHINESE = re.compile("[\u3400-\u4db5\u4e00-\u9fbb\uf900-\ufa2d\ufa30-\ufa6a\ufa70-\ufad9\u2001-\u2a6d\u2f81-\u2fa1\uff00-\uffef"
                     "\u2e80-\u2eff\u3000-\u303f\u31c0-\u31ef\u2f00-\u2fdf\u2ff0-\u2fff\u3100-\u312f\u31a0-\u31bf\ufe10-\ufe1f"
                     "\ufe30-\ufe4f\u2600-\u26ff\u2700-\u27bf\u3200-\u33ff]")


def separate_punctuation(line):
    line = re.sub(r"([!-&(-+/:-@[-`{-~])", r" \1 ", line)  # all of ASCII's punctuation except ' , - .
    line = re.sub(r"([^0-9])([.,])", r"\1 \2 ", line)      # a period or comma that does not follow a digit
    line = re.sub(r"([.,])([^0-9])", r" \1 \2", line)      # a period or comma that does not precede one
    return re.sub(r"([0-9])(-)", r"\1 \2 ", line)          # a dash that follows a digit


def tokenize_13a(line):
    """Sets punctuation apart from words, as NIST's mteval-v13a does."""
    for old, new in {"<skipped>": "", "-\n": "", "\n": " ", **ENTITIES}.items():
        line = line.replace(old, new)
    return separate_punctuation(f" {line} ")


def tokenize_zh(line):
    """Sets Chinese characters and marks apart, too."""
    return separate_punctuation(CHINESE.sub(r" \g<0> ", line.strip()))


TOKENIZE = {"13a": tokenize_13a, "none": str, "zh": tokenize_zh, "char": " ".join}


def ngrams(symbols, n):
    return Counter(tuple(symbols[i:i + n]) for i in range(len(symbols) - n + 1))


def count_words(hypothesis, references, n):
    """The number of matches, and of the hypothesis' n-grams. An n-gram may match as often as in one of the references."""
    ours, allowed = ngrams(hypothesis, n), Counter()
    for reference in references:
        allowed |= ngrams(reference, n)
    return sum((ours & allowed).values()), sum(ours.values())


def signature(references, lowercase, choices):
    return f"nrefs:{len(references)}|case:{'lc' if lowercase else 'mixed'}|{choices}"


def bleu(hypotheses, references, tokenizer, lowercase):
    """With smoothing "exp": the k-th order without a match counts as having 1 / 2^k of a match."""
    def words(line):
        return TOKENIZE[tokenizer]((line.lower() if lowercase else line).rstrip()).split()

    lines = [(words(hypothesis), list(map(words, of_line))) for hypothesis, *of_line in zip(hypotheses, *references)]
    counts = [[count_words(*line, n) for line in lines] for n in (1, 2, 3, 4)]
    matches, totals = ([sum(count[i] for count in order) for order in counts] for i in (0, 1))
    ours = sum(len(hypothesis) for hypothesis, _ in lines)
    theirs = sum(min((abs(len(reference) - len(hypothesis)), len(reference)) for reference in of_line)[1]
                 for hypothesis, of_line in lines)  # the closest length, and of two equally close ones the shorter
    precisions, smoothed = [0.0] * 4, 1.0
    for n in range(4):
        if matches[0] > 0 and totals[n] > 0:
            smoothed /= 1 if matches[n] else 2
            precisions[n] = 100 * (matches[n] or smoothed) / totals[n]
    penalty = 1.0 if ours >= theirs else exp(1 - theirs / ours) if ours else 0.0
    score = penalty * exp(sum(map(log, precisions)) / 4) if all(precisions) else 0.0
    return {"score": score, "precisions": precisions, "brevity_penalty": penalty, "hypothesis_length": ours,
            "reference_length": theirs, "matches": matches, "totals": totals,
            "signature": signature(references, lowercase, f"eff:no|tok:{tokenizer}|smooth:exp")}


def bleu_line(result, version=""):
    """The result as sacreBLEU prints it."""
    ours, theirs = result["hypothesis_length"], result["reference_length"]
    return (f"BLEU|{result['signature']}{version} = {result['score']:.2f} "
            + "/".join(f"{precision:.1f}" for precision in result["precisions"])
            + f" (BP = {result['brevity_penalty']:.3f} ratio = {ours / theirs if theirs else 0:.3f}"
            + f" hyp_len = {ours} ref_len = {theirs})")


def f_score(counts):
    """chrF2 of [matches, hypothesis' n-grams, reference's n-grams] for each n. Precision and recall are means over the
    orders that both sides have."""
    orders = [(matches / ours, matches / theirs) for matches, ours, theirs in counts if ours > 0 and theirs > 0]
    precision, recall = (sum(order[i] for order in orders) / max(len(orders), 1) for i in (0, 1))
    return 100 * (5 * precision * recall / (4 * precision + recall)) if precision > 0 else 0.0  # beta^2 = 4


def count_characters(hypothesis, reference):
    """If the reference has no n-grams, those of the hypothesis do not count."""
    counts = []
    for n in range(1, 7):
        ours, theirs = ngrams(hypothesis, n), ngrams(reference, n)
        counts.append([sum((ours & theirs).values()), sum(ours.values()) if theirs else 0, sum(theirs.values())])
    return counts


def chrf(hypotheses, references, lowercase):
    """chrF2 of 6 orders, without white space. Of several references, the best one for each line counts."""
    def characters(line):
        return "".join((line.lower() if lowercase else line).split())

    best = [max((count_characters(characters(hypothesis), characters(reference)) for reference in of_line), key=f_score)
            for hypothesis, *of_line in zip(hypotheses, *references)]
    sums = [[sum(counts[n][i] for counts in best) for i in range(3)] for n in range(6)]
    return {"score": f_score(sums), "signature": signature(references, lowercase, "eff:yes|nc:6|nw:0|space:no")}


def chrf_line(result, version=""):
    return f"chrF2|{result['signature']}{version} = {result['score']:.2f}"


def exact_match(hypotheses, references):
    """The fraction of lines with the same words as a reference of theirs."""
    return sum(hypothesis.split() in [reference.split() for reference in of_line]
               for hypothesis, *of_line in zip(hypotheses, *references)) / len(hypotheses)
