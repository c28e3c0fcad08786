"""Mutation operators for C++. A mutant changes a comparison; swaps + and -, * and /, && and || (also += and so on), or
min and max; changes a literal; negates a condition or makes it always true or false; or leaves out a "not", a
statement, a break or continue, or one entry of a list."""

import re
from typing import NamedTuple

from cpp import CLOSING, bodies_of, closing_of, is_body, tokens_of

OTHER_SIGN = {"+": "-", "-": "+", "*": "/", "/": "*", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=",
              "!=": "==", "&&": "||", "||": "&&", "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*="}
NO_STATEMENTS = {"assert", "constexpr", "case", "using", "static_assert", "template", "default", "enum",
                 "struct", "class", "namespace", "typedef", "thread_local", "goto", "throw", "extern", "friend",
                 "public", "private"}  # assert: a release build has none
NOT_LEFT_OUT = {"return", "if", "for", "while", "else", "do", "delete", "switch"}


class Mutant(NamedTuple):
    file: str
    begin: int     # the text from here
    end: int       # to here
    new: str       # becomes this
    operator: str  # its name
    shown: str     # what it does, for the reader

    def line(self, text):
        return text[:self.begin].count("\n") + 1

    def planted_in(self, text):
        return text[:self.begin] + self.new + text[self.end:]


def statements_of(tokens):
    """(first, last) token of each simple statement inside a body, and of each head of a block, such as `if (...)`;
    `last` is the semicolon or the brace."""
    stack, start = [], 0
    for i, token in enumerate(tokens):
        if token.text in CLOSING:
            body = token.text == "{" and (is_body(tokens, i) or not stack)
            if body and stack and stack[-1][1] and start < i:
                yield start, i
            stack.append((token.text, body, start))
            if body:
                start = i + 1
        elif token.text in CLOSING.values() and stack:
            _, body, outer = stack.pop()
            start = i + 1 if body and (not stack or stack[-1][1]) else outer
        elif token.text == ";" and stack and stack[-1][1]:
            if start < i:
                yield start, i
            start = i + 1


def mutants_of_statement(tokens, first, last):
    """A statement left out. Declarations and `return` stay."""
    words = [token.text for token in tokens[first:last]]
    if words in (["break"], ["continue"]):
        yield "jump left out", tokens[first].begin, tokens[last].begin, "", f"without {words[0]}"
        return
    if (tokens[first].kind != "name" and words[0] not in ("++", "--", "*")) or words[0] in NOT_LEFT_OUT:
        return
    depth, assigned = 0, False
    for i in range(first, last):
        depth += (tokens[i].text in CLOSING) - (tokens[i].text in CLOSING.values())
        if depth == 0 and i > first and tokens[i].kind == "name" and tokens[i - 1].kind == "name":
            return  # a declaration: two names in a row
        if depth == 0 and tokens[i].text in (">", "&", "*") and tokens[i + 1].kind == "name" and not assigned:
            return  # a declaration, probably
        assigned = assigned or tokens[i].text in ("=", "+=", "-=", "*=", "/=")
    yield "statement left out", tokens[first].begin, tokens[last].begin, "", f"without {' '.join(words)[:60]}"


def mutants_of_condition(text, tokens, at):
    """if (...) and while (...): negated, always, never."""
    opening = at + 1
    if tokens[opening].text != "(":
        return
    closing = closing_of(tokens, opening)
    if any(token.text == ";" for token in tokens[opening:closing]):
        return  # it declares a name
    begin, end = tokens[opening].end, tokens[closing].begin
    old = text[begin:end]
    yield "condition negated", begin, end, f"!({old})", f"not ({old[:60]})"
    if tokens[at].text == "if":
        yield "condition true", begin, end, f"true || ({old})", f"({old[:60]}) always true"
        yield "condition false", begin, end, f"false && ({old})", f"({old[:60]}) always false"


def mutants_of_list(text, tokens, opening):
    """A list of three or more values, one of them left out. (Fewer are rather the members of a struct.)"""
    closing = closing_of(tokens, opening)
    depth, starts = 0, [opening + 1]
    for i in range(opening + 1, closing):
        depth += (tokens[i].text in CLOSING) - (tokens[i].text in CLOSING.values())
        if tokens[i].text == ";":
            return
        if tokens[i].text == "," and depth == 0 and i + 1 < closing:
            starts.append(i + 1)
    if len(starts) < 3:
        return
    for start, following in zip(starts, [*starts[1:], None]):
        begin = tokens[start].begin
        end = tokens[following].begin if following else tokens[closing].begin
        yield "entry left out", begin, end, "", f"without {text[begin:end].strip()[:60]}"


def mutants_of_token(text, tokens, i):
    token = tokens[i]
    spaced = text[token.begin - 1:token.begin] == " " and text[token.end:token.end + 1] in (" ", "\n")
    if token.text in OTHER_SIGN and spaced:
        sign = OTHER_SIGN[token.text]
        yield "operator", token.begin, token.end, sign, f"{token.text} becomes {sign}"
    other = {"0": "1", "1": "0", "true": "false", "false": "true"}.get(token.text)
    if other is None and token.kind == "number" and re.fullmatch(r"\d+", token.text):
        other = str(int(token.text) + 1)
    if other is not None:
        yield "literal", token.begin, token.end, other, f"{token.text} becomes {other}"
    if token.text in ("min", "max") and tokens[i - 1].text == "::" and tokens[i + 1].text == "(":
        other = "max" if token.text == "min" else "min"
        yield "min and max", token.begin, token.end, other, f"{token.text} becomes {other}"
    if token.text == "!":
        yield "not left out", token.begin, token.end, "", f"{text[token.begin:token.begin + 40]} without the !"
    if token.text in ("if", "while"):
        yield from mutants_of_condition(text, tokens, i)
    if token.text == "{" and not is_body(tokens, i):
        yield from mutants_of_list(text, tokens, i)


def mutants_of(file, text):
    """All mutants in the bodies of a file's functions."""
    tokens = tokens_of(text)
    for opening, closing in bodies_of(tokens):
        body = tokens[opening:closing + 1]
        for first, last in statements_of(body):
            if body[first].text in NO_STATEMENTS:
                continue
            candidates = list(mutants_of_statement(body, first, last)) if body[last].text == ";" else []
            for i in range(first, last):
                candidates += mutants_of_token(text, body, i)
            for operator, begin, end, new, shown in candidates:
                yield Mutant(file, begin, end, new, operator, " ".join(shown.split()))
