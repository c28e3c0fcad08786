"""Finds functions and classes of our C++ sources by name, so that nothing in the course depends on line numbers.

    Source(path).block("MaskedSoftmax::forward")    the definition, with the comment above it
    Source(path).functions()                        the names of all functions that the file defines

It relies on the layout that clang-format gives our sources: a definition at the start of a line ends with a line that
is `}` or `};`, and a function inside a class is indented by two spaces.
"""

import collections
import re
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
_TYPE = re.compile(r"^(?:template <.*> )?(?:class|struct) (\w+)[^;(]*\{$")
_NAME = re.compile(r"((?:\w+(?:<\w+>)?::)?(?:operator *\S+|~?\w+))\((?!\*)")
_NOT_FUNCTIONS = {"if", "for", "while", "switch", "return", "assert", "decltype", "static_assert", "requires"}


# A definition: lines [begin, end) of the file. The comment and template line above it begin at `top`.
Block = collections.namedtuple("Block", "name top begin body end is_type")


class Source:
    def __init__(self, path, text=None):
        self.path = Path(path)
        self.text = self.path.read_text(encoding="utf-8") if text is None else text
        self.lines = self.text.split("\n")
        self.blocks = list(self._find())

    def _find(self, first=0, last=None, indent="", owner=""):
        """All definitions in lines [first, last), those inside classes included."""
        number, last = first, len(self.lines) if last is None else last
        while number < last:
            line = self.lines[number]
            if not re.match(indent + r"[\w~]", line) or line.startswith((indent + "namespace", indent + "using ",
                                                                         indent + "template", indent + "public:")):
                number += 1
                continue
            head, body = self._code(number), number  # a declaration may go on for several lines, indented more deeply
            while not re.search(r"[{};]( *//.*)?$", self.lines[body]) and body + 1 < last:
                body += 1
                head += " " + self._code(body).strip()
            match = _TYPE.match(head[len(indent):])
            closing = re.compile(indent + r"\}(;|\)+;?)?$")
            end = body + 1
            if head.endswith("{"):
                end = next((n for n in range(body + 1, last) if closing.match(self.lines[n])), last - 1) + 1
            name = match.group(1) if match else self._function_name(head[len(indent):])
            if name:
                name = owner + re.sub(r"<\w+>", "", name)
                yield Block(name, self._top(number, indent), number, body + 1, end, bool(match))
            if match:
                yield from self._find(body + 1, end - 1, indent + "  ", name + "::")
            number = end

    def _code(self, number):
        """A line without its comment."""
        return re.sub(r" *//.*$", "", self.lines[number])

    @staticmethod
    def _function_name(head):
        """The name if this is a function with a body."""
        if not head.endswith(("{", "}")) or "(" not in head or head.startswith(("constexpr auto", "const auto")):
            return None
        match = _NAME.search(re.sub(r"^(template|requires) ?<[^>]*>", "", head))
        if not match or match.group(1) in _NOT_FUNCTIONS or "=" in head[:match.start()].replace("operator=", ""):
            return None
        return match.group(1)

    def _top(self, number, indent):
        while number > 0 and re.match(indent + r"(///?|template|requires)", self.lines[number - 1]):
            number -= 1
        return number

    def find(self, name):
        found = [block for block in self.blocks if block.name == name] or [
            block for block in self.blocks if block.name.endswith("::" + name)]
        if not found:
            raise KeyError(f"{self.path}: expected a function or class {name}, found none. It has: " +
                           ", ".join(dict.fromkeys(block.name for block in self.blocks)))
        return found

    def block(self, name):
        """The text of a definition, with its comment, and of its overloads. Indentation is removed."""
        texts = []
        for block in self.find(name):
            lines = self.lines[block.top:block.end]
            width = len(lines[0]) - len(lines[0].lstrip())
            texts.append("\n".join(line[width:] for line in lines))
        return "\n\n".join(texts)

    def functions(self):
        return list(dict.fromkeys(block.name for block in self.blocks if not block.is_type))

    def shown_by(self, name):
        """The functions whose code appears if `name` is shown."""
        return [inner.name for block in self.find(name) for inner in self.blocks
                if not inner.is_type and block.begin <= inner.begin < block.end]

    def with_bodies(self, bodies):
        """The text of the file with the bodies of some functions replaced, and without the comments // above them, which
        explain the old bodies. `bodies` maps names to lines of code."""
        edits = []
        for name, body in bodies.items():
            for block in self.find(name):
                indent = re.match(" *", self.lines[block.begin]).group()
                head = [line for line in self.lines[block.top:block.body] if not re.match(r"\s*//($|[^/])", line)]
                if not head[-1].endswith("{"):  # the whole function on one line
                    head[-1] = re.sub(r"\{.*\}$", "{", head[-1])
                lines = [(indent + "  " + line).rstrip() for line in body]
                edits.append((block.top, block.end, head + lines + [indent + "}"]))
        lines = list(self.lines)
        for begin, end, text in sorted(edits, reverse=True):
            lines[begin:end] = text
        return "\n".join(lines)

    def without(self, name):
        """The text of the file without a definition."""
        lines = list(self.lines)
        for block in reversed(self.find(name)):
            del lines[block.top:block.end]
        return "\n".join(lines)


def core_files(*modules):
    return [path for module in modules for path in sorted((PROJECT / "src" / module).glob("*.[ch]pp"))]
