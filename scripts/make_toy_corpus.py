#!/usr/bin/env python3
"""Makes the toy corpus in data/toy: a small, correct piece of German for a small transformer to learn.

    python3 scripts/make_toy_corpus.py             writes {train,valid,test,test_compositional}.{en,de}
    python3 scripts/make_toy_corpus.py --check     compares the files with what would be written
    python3 scripts/make_toy_corpus.py --output DIR --seed N

Line i of NAME.en and line i of NAME.de are one pair. The words are few (28 nouns, 18 verbs, 14 adjectives), the
grammar is not. To translate these sentences a model must find out, from examples alone,

  articles           the, a, no            der die das den, ein eine einen, kein keine keinen
  adjective endings  a small dog           ein kleiner hund, einen kleinen hund, der kleine hund, kleine hunde
  agreement          the dogs see          die hunde sehen; ich sehe, sie sieht, sie sehen
  negation           does not see the cat  sieht die katze nicht; does not see a cat: sieht keine katze
  verb second        today the dog sleeps  heute schläft der hund
  verb last          because he sleeps     weil er schläft; the same after dass
  questions          does the dog sleep ?  schläft der hund ?

The words and the rules are in toy_grammar.py; here sentences are drawn. The English sentence always determines
the German one: there is one right answer, so exact match is a fair measure. For that reason there is no "you"
(du, ihr, Sie) and no "it" (er, sie, es), and only people eat (animals "fressen").

Capitals are left out, so that a word is one token wherever it stands. That is the only liberty taken with
German.

test_compositional asks whether the model has learned words and rules rather than phrases. Each of its sentences
holds one pair of HELD_OUT_PAIRS, "der junge vogel" for example. In train, valid and test such an adjective and
such a noun never stand in one sentence, not even apart; each alone is frequent there. Every noun is held out
with one adjective, and every adjective with two nouns.
"""

from __future__ import annotations

import argparse
import random
import sys
from dataclasses import replace
from pathlib import Path
from typing import Union

from toy_grammar import (ADJECTIVES, ADVERBS, ANYTHING, FIRST, LIVING, NOUNS, THAT_VERBS, THINGS, VERBS, Clause,
                         NounPhrase, Sentence, Verb, english, german)

HELD_OUT_PAIRS = (                  # adjective, noun
    ("small", "girl"), ("small", "pear"), ("big", "child"), ("big", "mouse"),
    ("old", "man"), ("old", "boat"), ("young", "queen"), ("young", "bird"),
    ("new", "house"), ("new", "newspaper"), ("red", "letter"), ("red", "book"),
    ("green", "apple"), ("green", "car"), ("yellow", "egg"), ("yellow", "tree"),
    ("blue", "flower"), ("blue", "picture"), ("black", "dog"), ("black", "cat"),
    ("beautiful", "ball"), ("beautiful", "chair"), ("expensive", "cake"), ("expensive", "lamp"),
    ("tired", "boy"), ("tired", "cow"), ("happy", "woman"), ("happy", "horse"),
)


# --- Drawing sentences ----------------------------------------------------------------------------------------
# The numbers are weights. They are chosen so that every form of every word occurs often in 10,000 sentences.
FORMS = {"statement": 30, "adverb": 18, "question": 20, "because": 16, "that": 16}
ACTIONS = {"object": 50, "intransitive": 18, "adjective": 18}
SHAPES = {**ACTIONS, "identity": 28}                      # identity: "this is a dog"
REASONS = {"object": 50, "intransitive": 18, "mood": 12}  # mood: "the dog is happy"
MOODS = [name for name, adjective in ADJECTIVES.items() if adjective.group == "mood"]
OBJECT_DETERMINERS = {"the": 45, "a": 55}
IDENTITY_DETERMINERS = {"the": 25, "a": 75}               # where "ein roter ball" is found


class Sampler:
    """Draws descriptions of sentences. All chance comes from random(), which no version of Python changes."""

    def __init__(self, seed: int):
        self.random = random.Random(seed).random

    def chance(self, probability: float) -> bool:
        return self.random() < probability

    def choose(self, items):
        return items[int(self.random() * len(items))]

    def choose_weighted(self, weights: dict) -> str:
        """The weights are whole numbers: their sum is exact everywhere."""
        point = self.random() * sum(weights.values())
        for item, weight in weights.items():
            point -= weight
            if point < 0:
                break
        return item

    def shuffle(self, items: list) -> None:
        for i in range(len(items) - 1, 0, -1):
            j = int(self.random() * (i + 1))
            items[i], items[j] = items[j], items[i]

    def noun_phrase(self, kinds: tuple, determiners: dict, adjective: float, not_this: str = "") -> NounPhrase:
        """`adjective`: how probable one is."""
        noun = self.choose([n for n in NOUNS.values() if n.kind in kinds and n.english != not_this])
        describing = self.adjective(noun.kind) if self.chance(adjective) else ""
        return NounPhrase(self.choose_weighted(determiners), noun.english, describing, plural=self.chance(0.4))

    def adjective(self, kind: str, not_of_group: str = "") -> str:
        """One that fits few kinds of nouns is preferred there, so that all become about equally frequent."""
        return self.choose_weighted({name: 60 // len(adjective.kinds) for name, adjective in ADJECTIVES.items()
                                     if kind in adjective.kinds and adjective.group != not_of_group})

    def subject(self, kinds: tuple, determiners: dict, adjective: float) -> Union[NounPhrase, str]:
        if "person" in kinds and self.chance(0.3):
            return self.choose(("i", "i", "he", "she", "we", "they"))      # "i" has a verb form of its own
        return self.noun_phrase(kinds, determiners, adjective)

    def clause(self, shapes: dict, negation: float, adjective: float, no_subject: bool) -> Clause:
        """`no_subject`: whether "no dog" may be the subject."""
        shape, negated = self.choose_weighted(shapes), self.chance(negation)
        determiners = {"the": 55}
        if not negated:                                   # "a dog does not sleep" would be odd
            determiners["a"] = 30
        if not negated and no_subject:
            determiners["no"] = 15
        if shape == "identity":
            phrase = self.noun_phrase(self.choose((ANYTHING, THINGS)), IDENTITY_DETERMINERS, 0.9)
            return Clause("these" if phrase.plural else "this", "be", predicate=phrase, negated=negated)
        if shape == "mood":
            subject = self.subject(LIVING, determiners, adjective=0)
            return Clause(subject, "be", predicate=self.choose(MOODS), negated=negated)
        if shape == "adjective":
            subject = self.subject(self.choose((LIVING, THINGS)), determiners, adjective)
            return self.description(subject, negated)
        verb = self.verb(shape)
        subject = self.subject(verb.subjects, determiners, adjective)
        if shape != "object":
            return Clause(subject, verb.english[FIRST], negated=negated)
        doer = subject.noun if isinstance(subject, NounPhrase) else ""
        thing = self.noun_phrase(verb.objects, OBJECT_DETERMINERS, adjective, not_this=doer)
        return Clause(subject, verb.english[FIRST], thing, negated=negated)

    def description(self, subject: Union[NounPhrase, str], negated: bool) -> Clause:
        if isinstance(subject, str):
            return Clause(subject, "be", predicate=self.adjective("person"), negated=negated)
        if subject.determiner == "a" and not subject.adjective:          # not "a house is big"
            subject = replace(subject, adjective=self.adjective(NOUNS[subject.noun].kind))
        said = ADJECTIVES[subject.adjective].group if subject.adjective else ""
        return Clause(subject, "be", predicate=self.adjective(NOUNS[subject.noun].kind, said), negated=negated)

    def verb(self, shape: str) -> Verb:
        if shape == "that":
            return VERBS[self.choose(THAT_VERBS)]
        return self.choose([verb for name, verb in VERBS.items()
                            if name not in THAT_VERBS and bool(verb.objects) == (shape == "object")])

    def sentence(self) -> Sentence:
        """A plain sentence half of whose noun phrases have an adjective, or two plainer clauses."""
        form = self.choose_weighted(FORMS)
        if form == "statement":
            return Sentence(self.clause(SHAPES, 0.3, 0.5, no_subject=True))
        if form == "adverb":
            main = self.clause(ACTIONS, 0.25, 0.5, no_subject=True)
            return Sentence(main, adverb=self.choose(tuple(ADVERBS)))
        if form == "question":
            return Sentence(self.clause(SHAPES, 0.2, 0.5, no_subject=False), question=True)
        negated = self.choose(("neither", "neither", "main", "subordinate"))
        first, second = ({"that": 1}, SHAPES) if form == "that" else (REASONS, REASONS)
        main = self.clause(first, float(negated == "main"), 0.2, no_subject=False)
        subordinate = self.clause(second, float(negated == "subordinate"), 0.3, no_subject=negated == "neither")
        if main.verb == subordinate.verb:                            # "he laughs because she laughs"
            return self.sentence()
        question = form == "that" and self.chance(0.2)
        return Sentence(main, question, conjunction=form, subordinate=subordinate)


# --- The corpus -----------------------------------------------------------------------------------------------
def clauses(sentence: Sentence) -> list:
    return [sentence.main] + ([sentence.subordinate] if sentence.subordinate else [])


def noun_phrases(sentence: Sentence) -> list:
    return [phrase for clause in clauses(sentence)
            for phrase in (clause.subject, clause.object, clause.predicate) if isinstance(phrase, NounPhrase)]


def held_out_meetings(sentence: Sentence) -> list:
    """The held-out pairs whose adjective and noun both stand somewhere in this sentence."""
    adjectives = {phrase.adjective for phrase in noun_phrases(sentence)}
    adjectives |= {clause.predicate for clause in clauses(sentence)}
    nouns = {phrase.noun for phrase in noun_phrases(sentence)}
    return [pair for pair in HELD_OUT_PAIRS if pair[0] in adjectives and pair[1] in nouns]


def make_corpus(seed: int) -> dict:
    """The name of each part -> its list of Sentence."""
    sampler = Sampler(seed)
    ordinary, compositional = {}, {}                      # keyed by the English: no sentence twice
    quota = dict.fromkeys(HELD_OUT_PAIRS, -(-500 // len(HELD_OUT_PAIRS)))
    while len(ordinary) < 11000 or len(compositional) < 500:
        sentence = sampler.sentence()
        meetings = held_out_meetings(sentence)
        if not meetings and len(ordinary) < 11000:
            ordinary.setdefault(english(sentence), sentence)
        elif len(meetings) == 1 and len(compositional) < 500 and english(sentence) not in compositional:
            attributive = [(phrase.adjective, phrase.noun) for phrase in noun_phrases(sentence)]
            if meetings[0] in attributive and quota[meetings[0]] > 0:
                quota[meetings[0]] -= 1
                compositional[english(sentence)] = sentence
    sentences = list(ordinary.values())
    sampler.shuffle(sentences)                            # so that train, valid and test are alike
    return {"train": sentences[:10000], "valid": sentences[10000:10500], "test": sentences[10500:],
            "test_compositional": list(compositional.values())}


def corpus_files(seed: int) -> dict:
    """The name of each file -> its bytes."""
    files = {}
    for name, sentences in make_corpus(seed).items():
        for language, translate in (("en", english), ("de", german)):
            files[f"{name}.{language}"] = "".join(translate(s) + "\n" for s in sentences).encode("utf-8")
    return files


def main() -> int:
    parser = argparse.ArgumentParser(description="Makes the toy corpus, English and German.")
    parser.add_argument("--output", type=Path, default=Path(__file__).resolve().parent.parent / "data" / "toy",
                        help="directory of the corpus (default: data/toy)")
    parser.add_argument("--seed", type=int, default=1, help="of the random choices (default: 1)")
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if the files differ")
    arguments = parser.parse_args()

    files = corpus_files(arguments.seed)
    if arguments.check:
        wrong = [path for path, content in ((arguments.output / name, files[name]) for name in files)
                 if not path.is_file() or path.read_bytes() != content]
        for path in wrong:
            print(f"{path}: missing, or not what seed {arguments.seed} makes; "
                  "run this script without --check to write it", file=sys.stderr)
        return 1 if wrong else 0
    arguments.output.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (arguments.output / name).write_bytes(content)
        lines = content.count(b"\n")
        print(f"{arguments.output / name}: {lines} sentences, {len(content)} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
