"""Tests the toy corpus: its German against sentences checked by hand, and the properties of its files.

    python3 tests/scripts/test_toy_corpus.py
"""

import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent.parent
SCRIPT = PROJECT / "scripts/fixtures/make_toy_corpus.py"
DATA = PROJECT / "data" / "toy"
sys.path.insert(0, str(SCRIPT.parent))
import make_toy_corpus as corpus  # noqa: E402
import toy_grammar as grammar  # noqa: E402
from toy_grammar import Clause, Sentence  # noqa: E402


def np(words: str) -> grammar.NounPhrase:
    """A noun phrase from its lemmas: "the small dog", "a dog", "the small dog +" where + means plural."""
    determiner, *rest = words.split()
    plural = rest[-1] == "+"
    *adjective, noun = rest[:-1] if plural else rest
    return grammar.NounPhrase("a" if determiner == "an" else determiner, noun, "".join(adjective), plural)


def subject(words: str):
    return words if words in grammar.PRONOUNS else np(words)


def do(who: str, verb: str, what: str = "", negated: bool = False) -> Clause:
    return Clause(subject(who), verb, np(what) if what else None, negated=negated)


def be(who: str, what: str, negated: bool = False) -> Clause:
    predicate = what if what in grammar.ADJECTIVES else np(what)
    return Clause(subject(who), "be", predicate=predicate, negated=negated)


def say(main: Clause) -> Sentence:
    return Sentence(main)


def ask(main: Clause) -> Sentence:
    return Sentence(main, question=True)


def first(adverb: str, main: Clause) -> Sentence:
    return Sentence(main, adverb=adverb)


def because(main: Clause, reason: Clause) -> Sentence:
    return Sentence(main, conjunction="because", subordinate=reason)


def that(main: Clause, fact: Clause, question: bool = False) -> Sentence:
    return Sentence(main, question, conjunction="that", subordinate=fact)


NOT = True
HAND_CHECKED = {
    "definite articles and weak endings, three genders, nominative and accusative": [
        (say(do("the small dog", "see", "a house")),
         "the small dog sees a house .", "der kleine hund sieht ein haus ."),
        (say(do("the old woman", "find", "the black dog")),
         "the old woman finds the black dog .", "die alte frau findet den schwarzen hund ."),
        (say(do("the young child", "carry", "the red lamp")),
         "the young child carries the red lamp .", "das junge kind trägt die rote lampe ."),
        (say(do("the happy man", "buy", "the new book")),
         "the happy man buys the new book .", "der glückliche mann kauft das neue buch ."),
    ],
    "indefinite articles and mixed endings": [
        (say(do("a tired man", "need", "a big chair")),
         "a tired man needs a big chair .", "ein müder mann braucht einen großen stuhl ."),
        (say(do("a young queen", "eat", "a yellow pear")),
         "a young queen eats a yellow pear .", "eine junge königin isst eine gelbe birne ."),
        (say(do("a small girl", "paint", "an old boat")),
         "a small girl paints an old boat .", "ein kleines mädchen malt ein altes boot ."),
        (say(do("he", "eat", "an apple")), "he eats an apple .", "er isst einen apfel ."),
        (say(do("she", "buy", "an expensive egg")),
         "she buys an expensive egg .", "sie kauft ein teures ei ."),
    ],
    "plural: strong endings without an article, weak with die": [
        (say(do("a small dog +", "see", "a blue boat +")),
         "small dogs see blue boats .", "kleine hunde sehen blaue boote ."),
        (say(do("the big bird +", "like", "the green tree +")),
         "the big birds like the green trees .", "die großen vögel mögen die grünen bäume ."),
        (say(do("the child +", "read", "a new newspaper +")),
         "the children read new newspapers .", "die kinder lesen neue zeitungen ."),
        (say(do("a mouse +", "find", "the egg +")), "mice find the eggs .", "mäuse finden die eier ."),
        (say(do("the girl", "like", "a cake +")), "the girl likes cakes .", "das mädchen mag kuchen ."),
        (say(do("the girl +", "like", "the cake")), "the girls like the cake .",
         "die mädchen mögen den kuchen ."),
    ],
    "stems: teuer, müde, and the weak noun junge": [
        (say(do("we", "buy", "the expensive car")), "we buy the expensive car .",
         "wir kaufen das teure auto ."),
        (say(be("the car", "expensive")), "the car is expensive .", "das auto ist teuer ."),
        (say(do("the tired boy", "sleep")), "the tired boy sleeps .", "der müde junge schläft ."),
        (say(do("the woman", "see", "the tired boy")),
         "the woman sees the tired boy .", "die frau sieht den müden jungen ."),
        (say(do("a boy", "visit", "a boy +")), "a boy visits boys .", "ein junge besucht jungen ."),
        (say(do("the cow", "hear", "a young boy")),
         "the cow hears a young boy .", "die kuh hört einen jungen jungen ."),
    ],
    "verb agreement": [
        (say(do("i", "see", "the cat")), "i see the cat .", "ich sehe die katze ."),
        (say(do("she", "see", "the cat")), "she sees the cat .", "sie sieht die katze ."),
        (say(do("they", "see", "the cat")), "they see the cat .", "sie sehen die katze ."),
        (say(do("i", "like", "the horse")), "i like the horse .", "ich mag das pferd ."),
        (say(do("a red apple +", "fall")), "red apples fall .", "rote äpfel fallen ."),
        (say(do("a blue ball", "fall")), "a blue ball falls .", "ein blauer ball fällt ."),
        (say(be("i", "happy")), "i am happy .", "ich bin glücklich ."),
        (say(be("the flower +", "beautiful")), "the flowers are beautiful .", "die blumen sind schön ."),
    ],
    "nicht: after the object, before the predicate, last if the verb is alone": [
        (say(do("the dog", "see", "the house", NOT)),
         "the dog does not see the house .", "der hund sieht das haus nicht ."),
        (say(be("the house", "small", NOT)), "the house is not small .", "das haus ist nicht klein ."),
        (say(do("the bird +", "sing", negated=NOT)), "the birds do not sing .", "die vögel singen nicht ."),
        (say(be("this", "the old tree", NOT)), "this is not the old tree .", "das ist nicht der alte baum ."),
        (say(do("i", "read", "the blue letter", NOT)),
         "i do not read the blue letter .", "ich lese den blauen brief nicht ."),
    ],
    "kein: for 'not a', and for a subject with 'no'": [
        (say(do("the dog", "see", "a house", NOT)), "the dog does not see a house .",
         "der hund sieht kein haus ."),
        (say(do("the dog", "see", "a house +", NOT)),
         "the dog does not see houses .", "der hund sieht keine häuser ."),
        (say(do("they", "buy", "a red ball", NOT)),
         "they do not buy a red ball .", "sie kaufen keinen roten ball ."),
        (say(do("he", "carry", "a yellow flower +", NOT)),
         "he does not carry yellow flowers .", "er trägt keine gelben blumen ."),
        (say(do("we", "need", "a green lamp", NOT)),
         "we do not need a green lamp .", "wir brauchen keine grüne lampe ."),
        (say(do("no small bird", "sleep")), "no small bird sleeps .", "kein kleiner vogel schläft ."),
        (say(do("no old cat +", "play")), "no old cats play .", "keine alten katzen spielen ."),
        (say(do("no happy child", "laugh")), "no happy child laughs .", "kein glückliches kind lacht ."),
        (say(do("no cow", "find", "the pear")), "no cow finds the pear .", "keine kuh findet die birne ."),
    ],
    "nominative after sein": [
        (say(be("this", "a black dog")), "this is a black dog .", "das ist ein schwarzer hund ."),
        (say(be("these", "a black dog +")), "these are black dogs .", "das sind schwarze hunde ."),
        (say(be("this", "a new picture", NOT)), "this is not a new picture .", "das ist kein neues bild ."),
        (say(be("these", "a new picture +", NOT)), "these are not new pictures .",
         "das sind keine neuen bilder ."),
    ],
    "verb second after an adverb": [
        (first("today", do("the dog", "see", "a house")),
         "today the dog sees a house .", "heute sieht der hund ein haus ."),
        (first("now", do("the woman", "read", "the letter", NOT)),
         "now the woman does not read the letter .", "jetzt liest die frau den brief nicht ."),
        (first("often", do("i", "hear", "a bird +", NOT)),
         "often i do not hear birds .", "oft höre ich keine vögel ."),
        (first("sometimes", be("the queen", "tired", NOT)),
         "sometimes the queen is not tired .", "manchmal ist die königin nicht müde ."),
        (first("today", do("no man", "sing")), "today no man sings .", "heute singt kein mann ."),
    ],
    "verb last after weil": [
        (because(do("the child", "laugh"), do("the dog", "see", "a house")),
         "the child laughs because the dog sees a house .", "das kind lacht , weil der hund ein haus sieht ."),
        (because(do("she", "sleep"), be("she", "tired")),
         "she sleeps because she is tired .", "sie schläft , weil sie müde ist ."),
        (because(do("the boy", "buy", "the cake", NOT), do("he", "like", "the cake", NOT)),
         "the boy does not buy the cake because he does not like the cake .",
         "der junge kauft den kuchen nicht , weil er den kuchen nicht mag ."),
        (because(be("i", "happy", NOT), do("i", "find", "a chair", NOT)),
         "i am not happy because i do not find a chair .",
         "ich bin nicht glücklich , weil ich keinen stuhl finde ."),
        (because(be("the horse", "happy"), do("the girl +", "sing", negated=NOT)),
         "the horse is happy because the girls do not sing .",
         "das pferd ist glücklich , weil die mädchen nicht singen ."),
    ],
    "verb last after dass": [
        (that(do("the man", "know"), do("we", "eat", "the red apple +")),
         "the man knows that we eat the red apples .", "der mann weiß , dass wir die roten äpfel essen ."),
        (that(do("they", "say", negated=NOT), be("the boat", "old")),
         "they do not say that the boat is old .", "sie sagen nicht , dass das boot alt ist ."),
        (that(do("i", "know"), be("the egg +", "big", NOT)),
         "i know that the eggs are not big .", "ich weiß , dass die eier nicht groß sind ."),
        (that(do("he", "say"), be("this", "a flower", NOT)),
         "he says that this is not a flower .", "er sagt , dass das keine blume ist ."),
        (that(do("the queen", "know"), do("no mouse", "play"), question=True),
         "does the queen know that no mouse plays ?", "weiß die königin , dass keine maus spielt ?"),
    ],
    "yes-no questions": [
        (ask(do("the dog", "see", "a house")), "does the dog see a house ?", "sieht der hund ein haus ?"),
        (ask(do("the dog", "see", "the house", NOT)),
         "does the dog not see the house ?", "sieht der hund das haus nicht ?"),
        (ask(do("the child +", "paint", "a car", NOT)),
         "do the children not paint a car ?", "malen die kinder kein auto ?"),
        (ask(be("the house", "small", NOT)), "is the house not small ?", "ist das haus nicht klein ?"),
        (ask(be("this", "an old newspaper")), "is this an old newspaper ?",
         "ist das eine alte zeitung ?"),
        (ask(do("i", "sing")), "do i sing ?", "singe ich ?"),
    ],
}


def read(name: str) -> list:
    return (DATA / name).read_text(encoding="utf-8").splitlines()


class Grammar(unittest.TestCase):
    def test_the_rules_give_the_german_checked_by_hand(self):
        self.assertGreaterEqual(sum(map(len, HAND_CHECKED.values())), 40)
        for phenomenon, table in HAND_CHECKED.items():
            for sentence, english, german in table:
                with self.subTest(phenomenon, english=english):
                    self.assertEqual(grammar.english(sentence), english)
                    self.assertEqual(grammar.german(sentence), german)

    def test_no_form_of_a_word_is_missing_and_no_two_english_forms_are_the_same(self):
        for noun in grammar.NOUNS.values():
            self.assertIn(noun.gender, ("m", "f", "n"))
            self.assertNotEqual(noun.english, noun.english_plural)
        forms = [form for noun in grammar.NOUNS.values() for form in (noun.english, noun.english_plural)]
        forms += [form for verb in grammar.VERBS.values() for form in set(verb.english)]
        forms += [*grammar.ADJECTIVES, *grammar.ADVERBS, *grammar.PRONOUNS, *grammar.CONJUNCTIONS]
        self.assertEqual(len(forms), len(set(forms)))

    def test_the_lexicon_has_sixty_words(self):
        self.assertEqual(len(grammar.NOUNS) + len(grammar.VERBS) + len(grammar.ADJECTIVES), 60)


class Files(unittest.TestCase):
    SIZES = {"train": 10000, "valid": 500, "test": 500, "test_compositional": 500}

    def test_files_are_parallel_small_and_of_the_promised_length(self):
        for name, size in self.SIZES.items():
            self.assertEqual((len(read(f"{name}.en")), len(read(f"{name}.de"))), (size, size))
        files = [DATA / f"{name}.{language}" for name in self.SIZES for language in ("en", "de")]
        self.assertLess(sum(file.stat().st_size for file in files), 1_000_000)

    def test_no_sentence_occurs_twice_in_the_files(self):
        for language in ("en", "de"):
            lines = [line for name in self.SIZES for line in read(f"{name}.{language}")]
            self.assertEqual(len(lines), len(set(lines)), language)

    def test_every_word_of_the_other_files_is_frequent_in_train(self):
        for language in ("en", "de"):
            train = Counter(word for line in read(f"train.{language}") for word in line.split())
            for name in ("valid", "test", "test_compositional"):
                for word in {word for line in read(f"{name}.{language}") for word in line.split()}:
                    self.assertGreaterEqual(train[word], 10, word)

    def test_lines_are_lowercase_words_separated_by_single_spaces(self):
        for name in self.SIZES:
            for line in read(f"{name}.en") + read(f"{name}.de"):
                self.assertRegex(line, r"^[a-zäöüß]+( ([a-zäöüß]+|,))+ [.?]$")

    def test_the_script_reproduces_the_files_and_notices_changes(self):
        check = [sys.executable, str(SCRIPT), "--check"]
        self.assertEqual(subprocess.run(check).returncode, 0)
        with tempfile.TemporaryDirectory() as directory:
            write = [sys.executable, str(SCRIPT), "--output", directory]
            subprocess.run(write, check=True, stdout=subprocess.PIPE)
            with open(Path(directory) / "test.de", "ab") as file:
                file.write(b"hallo .\n")
            changed = subprocess.run([*check, "--output", directory], stderr=subprocess.PIPE, text=True)
        self.assertEqual(changed.returncode, 1)
        self.assertIn("test.de", changed.stderr)


class HeldOutPairs(unittest.TestCase):
    """These tests read only the English text, so they also find mistakes in the generator's own bookkeeping."""

    def setUp(self):
        self.nouns = [{noun.english, noun.english_plural} for noun in grammar.NOUNS.values()]

    def forms(self, noun: str) -> set:
        return next(forms for forms in self.nouns if noun in forms)

    def test_every_noun_is_held_out_once_and_every_adjective_twice(self):
        adjectives, nouns = zip(*corpus.HELD_OUT_PAIRS)
        self.assertEqual(sorted(nouns), sorted(grammar.NOUNS))
        self.assertEqual(sorted(adjectives), sorted([*grammar.ADJECTIVES] * 2))
        for adjective, noun in corpus.HELD_OUT_PAIRS:
            self.assertIn(grammar.NOUNS[noun].kind, grammar.ADJECTIVES[adjective].kinds)

    def test_held_out_pairs_never_occur_outside_test_compositional(self):
        for name in ("train", "valid", "test"):
            for line in read(f"{name}.en"):
                words = set(line.split())
                for adjective, noun in corpus.HELD_OUT_PAIRS:
                    self.assertFalse(adjective in words and words & self.forms(noun), f"{name}: {line}")

    def test_each_sentence_of_test_compositional_has_one_pair_and_every_pair_is_frequent(self):
        counts = dict.fromkeys(corpus.HELD_OUT_PAIRS, 0)
        for line in read("test_compositional.en"):
            words = line.split()
            found = [pair for pair in corpus.HELD_OUT_PAIRS
                     if any(a == pair[0] and n in self.forms(pair[1]) for a, n in zip(words, words[1:]))]
            self.assertEqual(len(found), 1, line)
            counts[found[0]] += 1
        self.assertGreaterEqual(min(counts.values()), 14)


if __name__ == "__main__":
    unittest.main()
