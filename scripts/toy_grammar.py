"""The words and the rules of the toy corpus: a sentence is described once, then said in English and in German.

    english(Sentence(Clause(NounPhrase("the", "dog", "small"), "see", NounPhrase("a", "house"))))
    german(...)        the small dog sees a house .        der kleine hund sieht ein haus .

From top to bottom: the lexicon, what a sentence is, the English rules, the German rules. make_toy_corpus.py
draws the sentences.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Optional, Union

# --- The lexicon ----------------------------------------------------------------------------------------------
PERSONS, LIVING = ("person",), ("person", "animal")
SMALL_THINGS = ("food", "text", "object")          # a person can carry them
THINGS = SMALL_THINGS + ("large",)
ANYTHING = LIVING + THINGS


@dataclass(frozen=True)
class Noun:
    english: str
    english_plural: str
    german: str
    german_plural: str
    gender: str                     # m, f, n
    kind: str
    german_accusative: str = ""     # singular, where it differs: the weak masculine "den jungen"


NOUNS = {noun.english: noun for noun in (
    Noun("man", "men", "mann", "männer", "m", "person"),
    Noun("boy", "boys", "junge", "jungen", "m", "person", "jungen"),
    Noun("woman", "women", "frau", "frauen", "f", "person"),
    Noun("queen", "queens", "königin", "königinnen", "f", "person"),
    Noun("child", "children", "kind", "kinder", "n", "person"),
    Noun("girl", "girls", "mädchen", "mädchen", "n", "person"),
    Noun("dog", "dogs", "hund", "hunde", "m", "animal"),
    Noun("bird", "birds", "vogel", "vögel", "m", "animal"),
    Noun("cat", "cats", "katze", "katzen", "f", "animal"),
    Noun("cow", "cows", "kuh", "kühe", "f", "animal"),
    Noun("mouse", "mice", "maus", "mäuse", "f", "animal"),
    Noun("horse", "horses", "pferd", "pferde", "n", "animal"),
    Noun("apple", "apples", "apfel", "äpfel", "m", "food"),
    Noun("cake", "cakes", "kuchen", "kuchen", "m", "food"),
    Noun("pear", "pears", "birne", "birnen", "f", "food"),
    Noun("egg", "eggs", "ei", "eier", "n", "food"),
    Noun("letter", "letters", "brief", "briefe", "m", "text"),
    Noun("newspaper", "newspapers", "zeitung", "zeitungen", "f", "text"),
    Noun("book", "books", "buch", "bücher", "n", "text"),
    Noun("ball", "balls", "ball", "bälle", "m", "object"),
    Noun("chair", "chairs", "stuhl", "stühle", "m", "object"),
    Noun("flower", "flowers", "blume", "blumen", "f", "object"),
    Noun("lamp", "lamps", "lampe", "lampen", "f", "object"),
    Noun("picture", "pictures", "bild", "bilder", "n", "object"),
    Noun("tree", "trees", "baum", "bäume", "m", "large"),
    Noun("house", "houses", "haus", "häuser", "n", "large"),
    Noun("car", "cars", "auto", "autos", "n", "large"),
    Noun("boat", "boats", "boot", "boote", "n", "large"),
)}


@dataclass(frozen=True)
class Adjective:
    english: str
    german: str                     # as a predicate: "der hund ist müde"
    stem: str                       # before an ending: "der müd-e hund"
    group: str                      # two of one group do not fit one thing: small and big, red and green
    kinds: tuple                    # what it can be said of


ADJECTIVES = {adjective.english: adjective for adjective in (
    Adjective("small", "klein", "klein", "size", ANYTHING),
    Adjective("big", "groß", "groß", "size", ANYTHING),
    Adjective("old", "alt", "alt", "age", ANYTHING),
    Adjective("young", "jung", "jung", "age", LIVING),
    Adjective("new", "neu", "neu", "age", ("text", "object", "large")),
    Adjective("red", "rot", "rot", "colour", THINGS),
    Adjective("green", "grün", "grün", "colour", THINGS),
    Adjective("yellow", "gelb", "gelb", "colour", THINGS),
    Adjective("blue", "blau", "blau", "colour", ("text", "object", "large")),
    Adjective("black", "schwarz", "schwarz", "colour", ("animal", "text", "object", "large")),
    Adjective("beautiful", "schön", "schön", "beauty", ("animal",) + THINGS),
    Adjective("expensive", "teuer", "teur", "price", THINGS),
    Adjective("tired", "müde", "müd", "mood", LIVING),
    Adjective("happy", "glücklich", "glücklich", "mood", LIVING),
)}


@dataclass(frozen=True)
class Verb:
    english: tuple                  # with i, with he, with we
    german: tuple                   # with ich, with er, with wir
    subjects: tuple                 # kinds of nouns that can do it
    objects: tuple = ()             # kinds of nouns that it can be done to; (): no object


VERBS = {verb.english[0]: verb for verb in (
    Verb(("see", "sees", "see"), ("sehe", "sieht", "sehen"), LIVING, ANYTHING),
    Verb(("find", "finds", "find"), ("finde", "findet", "finden"), LIVING, ANYTHING),
    Verb(("like", "likes", "like"), ("mag", "mag", "mögen"), LIVING, ("animal",) + THINGS),
    Verb(("hear", "hears", "hear"), ("höre", "hört", "hören"), LIVING, LIVING),
    Verb(("visit", "visits", "visit"), ("besuche", "besucht", "besuchen"), PERSONS, PERSONS),
    Verb(("paint", "paints", "paint"), ("male", "malt", "malen"), PERSONS, ANYTHING),
    Verb(("buy", "buys", "buy"), ("kaufe", "kauft", "kaufen"), PERSONS, THINGS),
    Verb(("need", "needs", "need"), ("brauche", "braucht", "brauchen"), PERSONS, THINGS),
    Verb(("carry", "carries", "carry"), ("trage", "trägt", "tragen"), PERSONS, SMALL_THINGS),
    Verb(("read", "reads", "read"), ("lese", "liest", "lesen"), PERSONS, ("text",)),
    Verb(("eat", "eats", "eat"), ("esse", "isst", "essen"), PERSONS, ("food",)),
    Verb(("sleep", "sleeps", "sleep"), ("schlafe", "schläft", "schlafen"), LIVING),
    Verb(("play", "plays", "play"), ("spiele", "spielt", "spielen"), LIVING),
    Verb(("sing", "sings", "sing"), ("singe", "singt", "singen"), LIVING),
    Verb(("laugh", "laughs", "laugh"), ("lache", "lacht", "lachen"), PERSONS),
    Verb(("fall", "falls", "fall"), ("falle", "fällt", "fallen"), PERSONS + SMALL_THINGS),
    Verb(("say", "says", "say"), ("sage", "sagt", "sagen"), PERSONS),
    Verb(("know", "knows", "know"), ("weiß", "weiß", "wissen"), PERSONS),
)}
THAT_VERBS = ("say", "know")        # these stand only before "that"
BE = Verb(("am", "is", "are"), ("bin", "ist", "sind"), ANYTHING)
DO = ("do", "does", "do")

FIRST, THIRD, PLURAL = 0, 1, 2      # which of a verb's three forms
PRONOUNS = {"i": ("ich", FIRST), "he": ("er", THIRD), "she": ("sie", THIRD), "we": ("wir", PLURAL),
            "they": ("sie", PLURAL), "this": ("das", THIRD), "these": ("das", PLURAL)}
ADVERBS = {"today": "heute", "now": "jetzt", "often": "oft", "sometimes": "manchmal"}
CONJUNCTIONS = {"because": "weil", "that": "dass"}


# --- What a sentence is, before it is English or German -------------------------------------------------------
@dataclass(frozen=True)
class NounPhrase:
    determiner: str                 # "the", "a", "no"; "a" in the plural is no word at all: "small dogs"
    noun: str
    adjective: str = ""
    plural: bool = False


@dataclass(frozen=True)
class Clause:
    subject: Union[NounPhrase, str]                       # str: a pronoun
    verb: str
    object: Optional[NounPhrase] = None                   # "sees a dog"
    predicate: Union[NounPhrase, str, None] = None        # "is small", "is a dog"
    negated: bool = False


@dataclass(frozen=True)
class Sentence:
    main: Clause
    question: bool = False
    adverb: str = ""                                      # stands first
    conjunction: str = ""                                 # "because", "that"
    subordinate: Optional[Clause] = None


def person(subject: Union[NounPhrase, str]) -> int:
    if isinstance(subject, str):
        return PRONOUNS[subject][1]
    return PLURAL if subject.plural else THIRD


# --- English --------------------------------------------------------------------------------------------------
def english_phrase(phrase: Union[NounPhrase, str]) -> str:
    if isinstance(phrase, str):
        return phrase                                     # a pronoun or a predicate adjective
    noun = NOUNS[phrase.noun]
    words = [phrase.adjective] if phrase.adjective else []
    words.append(noun.english_plural if phrase.plural else noun.english)
    if phrase.determiner != "a":
        words.insert(0, phrase.determiner)
    elif not phrase.plural:
        words.insert(0, "an" if words[0][0] in "aeiou" else "a")
    return " ".join(words)


def english_clause(clause: Clause, question: bool = False) -> str:
    subject = english_phrase(clause.subject)
    complement = clause.object or clause.predicate
    rest = ["not"] if clause.negated else []
    if clause.verb == "be":
        finite = BE.english[person(clause.subject)]
    elif clause.negated or question:
        finite = DO[person(clause.subject)]
        rest.append(VERBS[clause.verb].english[FIRST])    # the infinitive
    else:
        finite = VERBS[clause.verb].english[person(clause.subject)]
    if complement:
        rest.append(english_phrase(complement))
    return " ".join([finite, subject, *rest] if question else [subject, finite, *rest])


def english(sentence: Sentence) -> str:
    words = [sentence.adverb] if sentence.adverb else []
    words.append(english_clause(sentence.main, sentence.question))
    if sentence.subordinate:
        words += [sentence.conjunction, english_clause(sentence.subordinate)]
    return " ".join([*words, "?" if sentence.question else "."])


# --- German ---------------------------------------------------------------------------------------------------
#                            m        f       n       plural
ARTICLES = {
    ("the", "nominative"): ("der",   "die",   "das",  "die"),
    ("the", "accusative"): ("den",   "die",   "das",  "die"),
    ("a", "nominative"):   ("ein",   "eine",  "ein",  ""),
    ("a", "accusative"):   ("einen", "eine",  "ein",  ""),
    ("no", "nominative"):  ("kein",  "keine", "kein", "keine"),
    ("no", "accusative"):  ("keinen", "keine", "kein", "keine"),
}
# The ending shows gender and case where the article does not: der kleine hund, but ein kleiner hund.
ADJECTIVE_ENDINGS = {
    ("the", "nominative"): ("e",     "e",     "e",    "en"),     # weak
    ("the", "accusative"): ("en",    "e",     "e",    "en"),
    ("a", "nominative"):   ("er",    "e",     "es",   "e"),      # mixed; strong in the plural, without article
    ("a", "accusative"):   ("en",    "e",     "es",   "e"),
    ("no", "nominative"):  ("er",    "e",     "es",   "en"),     # mixed
    ("no", "accusative"):  ("en",    "e",     "es",   "en"),
}


def german_noun_phrase(phrase: NounPhrase, case: str) -> str:
    noun = NOUNS[phrase.noun]
    column = 3 if phrase.plural else "mfn".index(noun.gender)
    words = [ARTICLES[phrase.determiner, case][column]]
    if phrase.adjective:
        words.append(ADJECTIVES[phrase.adjective].stem + ADJECTIVE_ENDINGS[phrase.determiner, case][column])
    if phrase.plural:
        words.append(noun.german_plural)
    elif case == "accusative" and noun.german_accusative:
        words.append(noun.german_accusative)
    else:
        words.append(noun.german)
    return " ".join(word for word in words if word)


def german_middle(clause: Clause) -> list:
    """What stands between the two places of the verb: object or predicate, and the negation.

    "not a" melts into "kein". Otherwise "nicht" follows the object and precedes the predicate.
    """
    complement, negated = clause.object or clause.predicate, clause.negated
    if negated and isinstance(complement, NounPhrase) and complement.determiner == "a":
        complement, negated = replace(complement, determiner="no"), False
    nicht = ["nicht"] if negated else []
    if complement is None:
        return nicht
    if clause.object:
        return [german_noun_phrase(complement, "accusative"), *nicht]
    if isinstance(complement, NounPhrase):
        return [*nicht, german_noun_phrase(complement, "nominative")]
    return [*nicht, ADJECTIVES[complement].german]


def german_clause(clause: Clause, order: str, adverb: str = "") -> str:
    if isinstance(clause.subject, str):
        subject = PRONOUNS[clause.subject][0]
    else:
        subject = german_noun_phrase(clause.subject, "nominative")
    verb = (BE if clause.verb == "be" else VERBS[clause.verb]).german[person(clause.subject)]
    middle = german_middle(clause)
    return " ".join({
        "subject first": [subject, verb, *middle],
        "adverb first": [adverb, verb, subject, *middle],     # the verb stays second
        "question": [verb, subject, *middle],                 # the verb comes first
        "subordinate": [subject, *middle, verb],              # the verb goes last
    }[order])


def german(sentence: Sentence) -> str:
    if sentence.question:
        words = [german_clause(sentence.main, "question")]
    elif sentence.adverb:
        words = [german_clause(sentence.main, "adverb first", ADVERBS[sentence.adverb])]
    else:
        words = [german_clause(sentence.main, "subject first")]
    if sentence.subordinate:
        words += [",", CONJUNCTIONS[sentence.conjunction], german_clause(sentence.subordinate, "subordinate")]
    return " ".join([*words, "?" if sentence.question else "."])
