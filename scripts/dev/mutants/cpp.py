"""Just enough of C++'s syntax to find functions: tokens, brackets, bodies."""

import functools
import re
from typing import NamedTuple

TOKEN = re.compile(r"""(?P<space>\s+|//[^\n]*|/\*.*?\*/)
    |(?P<text>R"(?P<delimiter>[^(\s]*)\(.*?\)(?P=delimiter)"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
    |(?P<number>\.?\d(?:'?[\w.]|[eEpP][+-])*)
    |(?P<name>[A-Za-z_]\w*)
    |(?P<sign><<=|>>=|<=>|->\*|\.\.\.|::|->|\+\+|--|&&|\|\||<<|[-+*/%&|^=!<>]=|.)""", re.S | re.X)
CLOSING = {"(": ")", "[": "]", "{": "}"}
CONTROL = {"if", "for", "while", "switch", "catch", "requires", "decltype", "noexcept"}


class Token(NamedTuple):
    kind: str
    text: str
    begin: int

    @property
    def end(self):
        return self.begin + len(self.text)


def tokens_of(text):
    """Everything but white space, comments and preprocessor lines."""
    tokens, at, line_start = [], 0, True
    while at < len(text):
        directive = re.compile(r"[ \t]*#(?:[^\n\\]|\\.)*", re.S).match(text, at) if line_start else None
        if directive:
            at, line_start = directive.end(), False
            continue
        match = TOKEN.match(text, at)
        if match["space"] is None:
            kind = next(kind for kind in ("text", "number", "name", "sign") if match[kind] is not None)
            tokens.append(Token(kind, match.group(), at))
            line_start = False
        else:
            line_start = line_start or "\n" in match.group()
        at = match.end()
    return tokens


def closing_of(tokens, opening):
    """The index of the bracket that closes the one at `opening`."""
    depth = 0
    for i in range(opening, len(tokens)):
        if tokens[i].text in CLOSING:
            depth += 1
        elif tokens[i].text in CLOSING.values():
            depth -= 1
            if depth == 0:
                return i
    return len(tokens) - 1


def is_body(tokens, brace):
    """Whether the brace opens a block of statements, not a class, a namespace or a list of values."""
    before = tokens[brace - 1].text if brace > 0 else ""
    if before in (")", "else", "do", "try", "const", "noexcept", "override", "mutable"):
        return True
    recent = [token.text for token in tokens[max(0, brace - 8):brace]]
    return "->" in recent and before not in (",", "(", "=") and "return" not in recent


def bodies_of(tokens):
    """(opening, closing) brace of each function's body; functions within functions are parts of them."""
    i, bodies = 0, []
    while i < len(tokens):
        if tokens[i].text == "{" and (is_body(tokens, i) or tokens[i - 1].text == "}"):
            closing = closing_of(tokens, i)
            bodies.append((i, closing))
            i = closing
        i += 1
    return bodies


@functools.cache
def bodies(text):
    """(begin, end) of the contents of each function's body."""
    tokens = tokens_of(text)
    return [(tokens[opening].end, tokens[closing].begin) for opening, closing in bodies_of(tokens)]


def head_of(tokens, opening):
    """The tokens before a function's body, from the end of what comes before the function."""
    start = opening
    while start > 0 and tokens[start - 1].text not in (";", "}", "{"):
        start -= 1
    return tokens[start:opening]


def name_of(tokens, opening):
    """The name of the function whose body begins here, without its class: "forward"."""
    head = head_of(tokens, opening)
    for before, token in zip(head, head[1:]):
        if token.text == "(" and before.kind == "name" and before.text not in CONTROL:
            return before.text
    return ""
