#!/usr/bin/env python3
"""Makes tests/fixtures/sacrebleu.json: what the sacrebleu package says of sentences which are hard to score.

    pip install sacrebleu
    scripts/make_sacrebleu_fixtures.py            write the fixture
    scripts/make_sacrebleu_fixtures.py --check    compare it with this sacrebleu; status 1 if they differ

The sentences are made up here. The section "multi30k" holds figures only, of ../shared/multi30k; where that
folder does not exist, the section stays as it is.
"""

import argparse
import json
import math
import platform
import sys
import unicodedata
from pathlib import Path

import sacrebleu
from sacrebleu.metrics import BLEU, CHRF
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

PROJECT = Path(__file__).resolve().parent.parent
FIXTURE = PROJECT / "tests" / "fixtures" / "sacrebleu.json"
MULTI30K = PROJECT.parent / "shared" / "multi30k"

# Python's white space, some characters which only look like it, and everything 13a has a rule for.
TRICKY_LINES = [
    "",
    " ",
    ".",
    "-",
    "&",
    "...",
    ". . .",
    ".,.,.,",
    "Hello, world!",
    "It's John's dog; isn't it?",
    "They paid 1,000.50 dollars (cash).",
    "3.14 .5 5. ,5 5, 1.2.3 1,,2 1..2",
    "v2.0.1-beta, 10-year-old, 1990-95, 5-",
    "--- - -5 5--5 a-5 5-a",
    "well-known e.g. i.e., U.S.A. a.m.,p.m.",
    "100% of $5 + #7 = @home & more * / ~ ^ _ | \\ ` < >",
    "{curly} [square] (round) <angle>",
    "a/b and/or http://example.org/path?x=1&y=2#top name@example.org",
    "&quot;quoted&quot; &amp; &lt;tag&gt; &apos;kept&apos;",
    "&amp;lt; &amp;amp; &amp;quot; &ampquot; &quot &QUOT;",
    "one <skipped> two<skipped>three <ski<skipped>pped> <SKIPPED>",
    "a line-\nbreak and a \n newline.\n5\n,5",
    "ends with a hyphen-\n",
    "\"double\" 'single' “curly” ‘curly’ „unten“ »guillemets« ‚eins‘",
    "en–dash em—dash minus−sign ellipsis… bullet•",
    "Über Öl, Ärger & Maß: ÄÖÜäöüßẞ.",
    "Straße STRASSE straße",
    "İstanbul'da IŞIK ışık İ I i ı",
    "ΟΔΥΣΣΕΥΣ ΣΑΣ Σ ΑΣ. ΣΑ ΑΣ' ΑΣ'Α Ο\u0301ΔΟΣ\u0301 ς σ",
    "DŽ Dž dž ﬁ ﬀ Ǆ ℵ Ω K Å Ⅷ Ⓐ",
    "ԱՐԵՎ ᏣᎳᎩ ДОМ ГОРОД Ё",
    "我喜欢吃苹果，你呢？ 今天3.5度。",
    "東京は「大きい」です。　全角　スペース",
    "한국어 문장입니다.",
    "مرحبا بالعالم، كيف حالك؟ ١٢٣٫٤",
    "שלום עולם: \u200fאבג\u200e.",
    "हिन्दी वाक्य। ๑.๒ ไทย",
    "👩‍👩‍👧‍👦 🇩🇪 👍🏽! 😀,😀.😀",
    "e\u0301 é e\u0301. ñ n\u0303",
    "no\u00a0break narrow\u202fspace thin\u2009space 1\u00a0000,5\u00a0€",
    "\u00a0\u3000padded\u00a0\u3000",
    "end.\u00a0",
    "line\u2028separator paragraph\u2029separator next\u0085line ogham\u1680space",
    "tab\there vt\x0bhere ff\x0chere fs\x1chere gs\x1dhere rs\x1ehere us\x1fhere cr\rhere",
    "not\u200bspace not\u2060space not\ufeffspace not\u180espace nul\x00byte del\x7f unit\x1bescape",
    "\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u200a\u205f",
    "trailing \t\r\n",
    "5.\u00a06,\u00e9 \u00e9.5 ١.٢ ５．５ ⁵.⁵",
    "''' `` '' ,, .. ;; ?! !!",
]

REFERENCES = [
    "The cat sat on the mat.",
    "A man, 35 years old, pays 1,000.50 dollars - in cash!",
    "He said: \"It's me & you.\"",
    "Ein Mädchen in grüner Jacke läuft über die Straße.",
    "İstanbul'da IŞIK var, ısı 3.5 derece.",
    "Ο ΟΔΥΣΣΕΥΣ ΚΑΙ Ο ΑΧΙΛΛΕΑΣ ΠΗΓΑΝ ΣΤΗΝ ΤΡΟΙΑ.",
    "我喜欢吃苹果，你呢？",
    "مرحبا بالعالم، كيف حالك اليوم؟",
    "Party 🎉🎉 at 10-11 p.m.!",
    "Price: 1\u00a0000\u00a0€ per\u202fperson.",
    "Yes.",
    "",
    "well-known and/or unknown",
    "&quot;Tom &amp; Jerry&quot; is on TV",
    "Two dogs play with a red ball in the snow",
]
HYPOTHESES = [
    "the cat sat on a mat .",
    "A Man, 35 years old, pays 1000.50 dollars -- in cash.",
    "He said: 'It's me and you.'",
    "Ein Mädchen in einer grünen Jacke rennt über die strasse.",
    "istanbul'da ışık var, ısı 3,5 derece.",
    "ο οδυσσευς και ο αχιλλεας πηγαν στην τροια.",
    "我 喜欢 苹果，你呢?",
    "مرحبا يا عالم، كيف حالك؟",
    "party 🎉 at 10-11 p.m. !",
    "Price: 1 000 € per person .",
    "No.",
    "Something",
    "",
    "\"Tom & Jerry\" are on TV",
    "Two brown dogs are playing with a ball in snow",
]

# name: (hypotheses, references)
SMALL_CORPORA = {
    "everything": (HYPOTHESES, REFERENCES),
    "everything, turned round": (REFERENCES, HYPOTHESES),
    "identical": (REFERENCES, REFERENCES),
    "other case": ([line.swapcase() for line in REFERENCES], REFERENCES),
    "tricky lines against their neighbours": (TRICKY_LINES[1:] + TRICKY_LINES[:1], TRICKY_LINES),
    "Papineni's the the the": (["the the the the the the the"], ["The cat is on the mat".lower()]),
    "one word": (["yes"], ["yes"]),
    "two words": (["yes yes"], ["yes yes"]),
    "three words, no 4-gram": (["a b c"], ["a b c"]),
    "three words against four": (["a b c"], ["a b c d"]),
    "four words, one 1-gram": (["a x y z"], ["a b c d"]),
    "four words, no 4-gram matches": (["a b c x"], ["a b c d"]),
    "no match at all": (["x y z w v"], ["a b c d e"]),
    "matching letters, no matching word": (["ab cd ef gh ij"], ["ba dc fe hg ji"]),
    "many short, one long": (["a b", "c", "d e f", "g h i j k"], ["a c", "c", "d e g", "g h i j l"]),
    "empty hypothesis": ([""], ["a b c d e"]),
    "empty reference": (["a b c d e"], [""]),
    "both empty": ([""], [""]),
    "white space only": ([" \t\u00a0"], ["\u3000 "]),
    "some empty": (["a b c d e", "", "x y z", ""], ["a b c d f", "g h i", "", ""]),
    "brevity penalty": (["a b c d", "e f g h"], ["a b c d e f", "e f g h i j k l"]),
    "same length, no penalty": (["a b c d x"], ["a b c d e"]),
    "too long": (["a b c d e f g h a b c d"], ["a b c d e"]),
    "references shorter than six letters": (["abcdefgh", "abcdefgh"], ["abc", "abcdefgx"]),
    "repeats are clipped": (["a a a b b a a a a"], ["a a b b a a"]),
}

PIECES = (["a", "B", "the", "Haus", "don't", "é", "İ", "Σ", "ß", "我", "👍", "م"] + list("0159") + list(".,-.,-")
          + ["'", '"', "&", "&amp;", "&quot;", "&lt;", "gt;", "<skipped>", "(", ")", "/", "%", "\n", "-\n"]
          + [" "] * 12 + ["\u00a0", "\u3000", "\u2009", "\t", "\x1f", "\u200b"])


class RandomNumbers:
    """A linear congruential generator: the same numbers with every Python."""

    def __init__(self, seed):
        self.state = seed

    def below(self, limit):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % limit


def random_lines(seed, count):
    numbers = RandomNumbers(seed)
    return ["".join(PIECES[numbers.below(len(PIECES))] for _ in range(numbers.below(40))) for _ in range(count)]


def random_corpus(seed, count):
    """Random references; in the hypotheses some characters are missing, doubled or of the other case."""
    numbers = RandomNumbers(seed)
    references = random_lines(seed + 1, count)

    def copy(character):
        return [character] * 12 + ["", 2 * character, character.swapcase(), character.swapcase()]

    hypotheses = ["".join(copy(character)[numbers.below(16)] for character in line) for line in references]
    return hypotheses, references


def spoil(lines, way):
    """Hypotheses made from references. tests/evaluation/sacrebleu_fixture.hpp does the same."""
    result = []
    for i, line in enumerate(lines):
        words = line.split(" ")
        if way == "drop every seventh word":
            words = [word for j, word in enumerate(words) if j % 7 != 6]
        elif way == "swap neighbours in every third line":
            if i % 3 == 0:
                for j in range(0, len(words) - 1, 2):
                    words[j], words[j + 1] = words[j + 1], words[j]
        elif way == "keep the first half":
            words = words[:len(words) // 2]
        elif way == "take the next line":
            words = lines[(i + 1) % len(lines)].split(" ")
        elif way == "double every fifth word":
            words = [word for j, word in enumerate(words) for _ in range(2 if j % 5 == 4 else 1)]
        else:
            raise ValueError(way)
        result.append(" ".join(words))
    return result


WAYS = ["drop every seventh word", "swap neighbours in every third line", "keep the first half",
        "take the next line", "double every fifth word"]


def without_version(text):
    """The signature up to its version, which is the package's and not ours."""
    head, _, tail = text.partition("|version:" + sacrebleu.__version__)
    return head + tail


def bleu_figures(hypotheses, references):
    figures = []
    for tokenizer in ("13a", "none"):
        for lowercase in (False, True):
            metric = BLEU(tokenize=tokenizer, lowercase=lowercase, force=True)
            score = metric.corpus_score(hypotheses, [references])
            signature = str(metric.get_signature())
            figures.append({
                "tokenizer": tokenizer,
                "lowercase": lowercase,
                "score": score.score,
                "precisions": score.precisions,
                "brevity_penalty": score.bp,
                "hypothesis_length": score.sys_len,
                "reference_length": score.ref_len,
                "matches": score.counts,
                "totals": score.totals,
                "signature": without_version(signature),
                "line": without_version(score.format(signature=signature)),
            })
    return figures


def chrf_figures(hypotheses, references):
    figures = []
    for lowercase in (False, True):
        metric = CHRF(lowercase=lowercase)
        score = metric.corpus_score(hypotheses, [references])
        signature = str(metric.get_signature())
        figures.append({"lowercase": lowercase, "score": score.score, "signature": without_version(signature),
                        "line": without_version(score.format(signature=signature))})
    return figures


def figures_of(hypotheses, references):
    return {"bleu": bleu_figures(hypotheses, references), "chrf": chrf_figures(hypotheses, references)}


def multi30k_figures():
    figures = []
    for name in ("raw/val.de", "tok/test_2016_flickr.de"):
        references = (MULTI30K / name).read_text(encoding="utf-8").removesuffix("\n").split("\n")
        for way in WAYS:
            figures.append({"file": name, "way": way, **figures_of(spoil(references, way), references)})
    return figures


def make_fixture(old):
    tokenizer = Tokenizer13a()
    corpora = dict(SMALL_CORPORA)
    corpora["random characters"] = random_corpus(20020707, 150)
    lines = TRICKY_LINES + random_lines(1, 100)
    return {
        "made_with": {"sacrebleu": sacrebleu.__version__, "python": platform.python_version(),
                      "unicode": unicodedata.unidata_version},
        "white_space": [code for code in range(0x110000) if chr(code).isspace()],
        "lines": [{"line": line, "lower_case": line.lower(), "words": line.split(), "stripped": line.rstrip(),
                   "tokens_13a": tokenizer(line).split()} for line in lines],
        "corpora": [{"name": name, "hypotheses": hypotheses, "references": references,
                     **figures_of(hypotheses, references)}
                    for name, (hypotheses, references) in corpora.items()],
        "multi30k": multi30k_figures() if MULTI30K.exists() else old.get("multi30k", []),
    }


def differences(old, new, where=""):
    """Where two fixtures differ by more than the rounding of another machine's exp and log."""
    if isinstance(old, dict) and isinstance(new, dict) and old.keys() == new.keys():
        return [d for key in old for d in differences(old[key], new[key], f"{where}/{key}")]
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        return [d for i, pair in enumerate(zip(old, new)) for d in differences(*pair, f"{where}/{i}")]
    if isinstance(old, float) and isinstance(new, float) and math.isclose(old, new, rel_tol=1e-13):
        return []
    return [] if old == new else [f"{where}: {old!r} in the fixture, now {new!r}"]


def as_text(fixture):
    """JSON in pure ASCII, so that every white space shows; a row a line, so that changes show."""
    sections = []
    for key, value in fixture.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            body = "[\n" + ",\n".join(json.dumps(row) for row in value) + "\n]"
        else:
            body = json.dumps(value)
        sections.append(json.dumps(key) + ": " + body)
    return "{\n" + ",\n".join(sections) + "\n}\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true",
                        help="write nothing; status 1 if the fixture is out of date")
    check = parser.parse_args().check

    old = json.loads(FIXTURE.read_text(encoding="ascii")) if FIXTURE.exists() else {}
    if not MULTI30K.exists():
        print("../shared/multi30k does not exist: its figures are kept as they are", file=sys.stderr)
    new = make_fixture(old)
    if not check:
        FIXTURE.write_text(as_text(new), encoding="ascii")
        print(f"wrote {FIXTURE.relative_to(PROJECT)} with sacrebleu {sacrebleu.__version__}")
        return 0
    found = differences({**old, "made_with": new["made_with"]}, new)
    if found:
        print("\n".join(found[:20]))
        return 1
    print(f"{FIXTURE.relative_to(PROJECT)} agrees with sacrebleu {sacrebleu.__version__}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
