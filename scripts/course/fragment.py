"""Turns a page of the course into a piece of HTML for the live page. pandoc reads the Markdown and writes the HTML; between
the two, this module changes what pandoc has read:

    links to pages     become addresses of the live page, such as #/course/03_softmax/the-equation
    other links        to files become the path as text, which the live page may link to its own copy of the source;
                       links to the web stay
    pictures           SVG becomes part of the page. PNG is left out: it shows the page of `explain`, and the live page has
                       the same sections itself
    <!-- live: NAME PARAMETER="VALUE" ... -->
                       becomes an empty element, where the live page puts this figure
    other comments     disappear

No script can get in: of HTML, a page may contain only <details> and <summary>.
"""

import html
import json
import re
import subprocess
from urllib.parse import quote

from diagram import for_dark_pages
from labs import PROJECT

SLOTS = json.loads((PROJECT / "src" / "web" / "course" / "slots.json").read_text(encoding="utf-8"))
TAGS = ("<details>", "</details>", "<summary>", "</summary>")
SOURCE_FILE = re.compile(r"(?:src|tests|examples|scripts|configs|data)/[\w./-]+\.\w+")


class PageError(Exception):
    """A mistake in a page."""


def pandoc(text, *options):
    return subprocess.run(["pandoc", *options], input=text, capture_output=True, text=True, encoding="utf-8", check=True).stdout


class Fragment:
    """Makes page.html. `pages` has all pages by their path."""

    def __init__(self, page, pages):
        self.page, self.pages = page, pages
        document = json.loads(pandoc(page.text, "--from", "gfm+tex_math_dollars", "--to", "json"))
        document["blocks"] = self.walk(document["blocks"])
        text = pandoc(json.dumps(document), "--from", "json", "--to", "html5", "--mathml", "--wrap", "none")
        page.html = without_empty_titles(without_tex(text))

    def error(self, message):
        raise PageError(f"{self.page.path.relative_to(PROJECT)}: {message}")

    def walk(self, node):
        """A copy of a part of the document, in which some elements have been replaced by a list of others."""
        if isinstance(node, list):
            parts = []
            for item in node:
                change = getattr(self, "on_" + item["t"], None) if isinstance(item, dict) and "t" in item else None
                replaced = change(item.get("c")) if change else None
                parts += [self.walk(item)] if replaced is None else replaced
            return parts
        if isinstance(node, dict):
            return {key: self.walk(value) for key, value in node.items()}
        return node

    # Each of these returns what replaces an element, or None to keep it.

    def on_Header(self, content):
        level, (anchor, _, _), words = content
        text = plain(words)
        if level == 1:
            self.page.title = re.sub(r"^\d+\. ", "", text)
            return []
        self.page.headings.append({"id": anchor, "text": text, "level": level})
        return [{"t": "Header", "c": [level + 1, [f"/course/{self.page.id}/{anchor}", [], []], self.walk(words)]}]

    def on_Link(self, content):
        _, words, (target, _) = content
        if re.match(r"https?:", target):
            return [link(self.walk(words), target, ["target", "_blank"], ["rel", "noopener noreferrer"])]
        path, _, anchor = target.partition("#")
        file = (self.page.path.parent / path).resolve() if path else self.page.path
        if file in self.pages:
            self.page.links.append((self.pages[file].id, anchor))
            return [link(self.walk(words), f"#/course/{self.pages[file].id}" + (f"/{anchor}" if anchor else ""))]
        if not file.exists():
            self.error(f"link to {target}: no such file")
        name = str(file.relative_to(PROJECT))
        shown = f" ({html.escape(name)})" if plain(words) != name else ""
        return [raw(f'<span class="path" data-file="{html.escape(name)}">'), *self.walk(words), raw(f"{shown}</span>")]

    def on_Code(self, content):
        _, text = content
        if SOURCE_FILE.fullmatch(text) and (PROJECT / text).is_file():
            return [raw(f'<code class="path" data-file="{text}">{text}</code>')]
        return None

    def on_Para(self, content):
        if len(content) != 1:
            return None
        only = content[0]
        if only["t"] == "Image":
            return self.picture(*only["c"])
        if only["t"] == "Math":
            return [div("formula", [{"t": "Plain", "c": content}])]
        return None

    def on_Image(self, content):
        self.error(f"the picture {content[2][0]} is not a paragraph of its own")

    def picture(self, _, words, target):
        file = (self.page.path.parent / target[0]).resolve()
        if not file.exists():
            self.error(f"picture {target[0]}: no such file")
        if file.suffix == ".png":
            return []
        svg = for_dark_pages(file.read_text(encoding="utf-8"))
        width, height = re.search(r'<svg[^>]* width="(\d+)" height="(\d+)"', svg).groups()
        source = "data:image/svg+xml," + quote(svg, safe=" /:=;,()'*+!@$?[]{}|^~")
        return [raw(f'<figure class="diagram"><img src="{source}" alt="{html.escape(plain(words))}" width="{width}" '
                    f'height="{height}" style="--width: {width}"></figure>', "Block")]

    def on_CodeBlock(self, content):
        (_, classes, _), text = content
        language = classes[0] if classes else "text"
        first, _, rest = text.partition("\n")
        file = re.fullmatch(r"// (\S+\.[ch]pp)", first)
        block = f'<pre data-language="{html.escape(language)}"><code>{html.escape(rest if file else text, quote=False)}</code></pre>'
        if file:
            block = f'<figure class="listing"><figcaption class="path" data-file="{file[1]}">{file[1]}</figcaption>{block}</figure>'
        started = re.fullmatch(r"scripts/lab\.sh start (\d+b?)\s*", text)
        return [raw(block, "Block"), *([self.link_to_lab(started[1])] if started else [])]

    def link_to_lab(self, name):
        lab = next((page for page in self.pages.values() if page.kind == "lab" and page.number == name), None)
        if not lab:
            self.error(f"there is no lab {name}")
        self.page.links.append((lab.id, ""))
        words = {"t": "Str", "c": f"Read the task of lab {name}"}
        return {"t": "Para", "c": [link([words], f"#/course/{lab.id}")]}

    def on_Table(self, content):
        return [div("scroll-box", [{"t": "Table", "c": self.walk(content)}])]

    def on_RawBlock(self, content):
        return [raw(text, "Block")] if (text := self.allowed(content[1])) else []

    def on_RawInline(self, content):
        if "live:" in content[1]:
            self.error("a slot within a paragraph")
        return [raw(text)] if (text := self.allowed(content[1])) else []

    def allowed(self, text):
        """This HTML without comments, but with slots."""
        for tag in re.findall(r"<[^>]*>?", re.sub(r"<!--.*?-->", "", text, flags=re.S)):
            if tag not in TAGS:
                self.error(f"{tag}: expected no HTML but {' '.join(TAGS)}")
        return re.sub(r"<!--(.*?)-->", self.slot, text, flags=re.S).strip()

    def slot(self, comment):
        words = re.fullmatch(r'\s*live: (\w+)((?: \w+="[^"]*")*)\s*', comment[1])
        if not words:
            if re.match(r"\s*live:", comment[1]):
                self.error(f"expected <!-- live: NAME PARAMETER=\"VALUE\" ... -->, found {comment[0]}")
            return ""
        name, parameters = words[1], dict(re.findall(r'(\w+)="([^"]*)"', words[2]))
        if name not in SLOTS:
            self.error(f"live: {name}: no such figure; src/web/course/slots.json has {', '.join(SLOTS)}")
        if sorted(parameters) != sorted(SLOTS[name]):
            self.error(f"live: {name}: expected the parameters {', '.join(SLOTS[name])}, found {', '.join(parameters)}")
        self.page.figures.append(name)
        data = "".join(f' data-{key}="{value}"' for key, value in parameters.items())
        return f'<div class="live-figure" data-figure="{name}"{data}></div>'


def raw(text, kind="Inline"):
    return {"t": "Raw" + kind, "c": ["html", text]}


def link(words, address, *attributes):
    return {"t": "Link", "c": [["", [], list(attributes)], words, [address, ""]]}


def div(name, blocks):
    return {"t": "Div", "c": [["", [name], []], blocks]}


def plain(words):
    """The text of inline elements."""
    if isinstance(words, list):
        return "".join(map(plain, words))
    kind, content = words["t"], words.get("c")
    if kind in ("Space", "SoftBreak"):
        return " "
    if kind in ("Str", "Code", "Math"):
        return content if kind == "Str" else content[1]
    if kind in ("RawInline", "LineBreak"):
        return ""
    return plain([item for part in content if isinstance(part, list) for item in part if isinstance(item, dict)]
                 if kind in ("Link", "Span", "Quoted") else content)


def without_tex(text):
    """MathML without the TeX that it was made from, which takes more space than the formula. A title of a column that is
    only a formula keeps it as text, because screen readers may not read a formula there."""
    tex = r'<annotation encoding="application/x-tex">(.*?)</annotation>'
    text = re.sub(rf"(<th[^>]*>)<math((?:(?!</th>).)*?{tex})",
                  r'\1<span class="hidden">\3</span><math aria-hidden="true"\2', text, flags=re.S)
    text = re.sub(rf"<semantics>(.*?){tex}</semantics>", r"\1", text, flags=re.S)
    text = re.sub(r'<mstyle mathvariant="normal">((?:<mi>\w</mi>)+)</mstyle>|((?:<mi mathvariant="normal">\w</mi>){2,})',
                  upright_word, text)
    return re.sub(r'(<math[^>]*?)(?: display="inline")? xmlns="http://www.w3.org/1998/Math/MathML"', r"\1", text)


def upright_word(match):
    r"""\mathrm{softmax}: pandoc writes a letter at a time, and browsers would make each italic."""
    return "<mi>" + re.sub(r"<[^>]*>", "", match[0]) + "</mi>"


def without_empty_titles(text):
    return re.sub(r"<th([^>]*)></th>", r"<td\1></td>", text)
