#!/usr/bin/env python3
"""Tests the course in the live page (scripts/course_pages.py): every page is there, every link and picture resolves,
nothing comes from the network or is a script, the slots are those that the live page knows, and solutions stay folded.
Each of these checks can fail. Needs pandoc."""

import html.parser
import re
import sys
import unittest
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

PROJECT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(PROJECT / "scripts"), str(PROJECT / "scripts" / "course")]

import course_pages  # noqa: E402
from fragment import SLOTS, Fragment, PageError  # noqa: E402
from rules import solutions  # noqa: E402
from site_pages import COURSE, all_pages  # noqa: E402
from source import Source  # noqa: E402

MOST_KILOBYTES = 800  # of 2,000 for the whole live page
WANTED = {"01_masks": ["masks"], "03_softmax": ["softmax"], "04_softmax_gradient": ["softmax_gradient"],
          "06_attention": ["attention"], "09_cross_entropy": ["p_minus_q"], "11_learning": ["adam"],
          "12_search": ["search_tree", "search_tree"]}
VOID = {"img", "br", "hr", "col"}
FORBIDDEN = {"script", "style", "link", "iframe", "object", "embed", "form", "base", "meta", "template", "annotation"}


class Reader(html.parser.HTMLParser):
    """Reads a fragment strictly: every element is closed where it should be."""

    def __init__(self, text):
        super().__init__()
        self.open, self.elements, self.folded, self.shown = [], [], "", ""
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, f"</{tag}>"

    def handle_data(self, data):
        if "details" in self.open:
            self.folded += data
        else:
            self.shown += data

    def every(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]


def without_code(markdown):
    """The Markdown that a reader sees as text."""
    return re.sub(r"^```.*?^```$|<!--.*?-->|`[^`\n]*`|^    .*?$", "", markdown, flags=re.S | re.M)


class Course(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.pages = course_pages.rendered_pages()
        cls.read = {id: Reader(page.html) for id, page in cls.pages.items()}

    def test_every_page_of_the_course_is_there(self):
        paths = {page.path for page in self.pages.values()}
        self.assertLessEqual(set(COURSE.glob("*.md")) | set(COURSE.glob("labs/*/task.md")), paths)
        for page in self.pages.values():
            self.assertTrue(page.title and page.html, page.id)

    def test_chapters_and_labs_are_in_their_order(self):
        chapters = [page for page in self.pages.values() if page.kind == "chapter"]
        self.assertEqual([page.number for page in chapters], ["", *map(str, range(14)), ""])
        for page in self.pages.values():
            if page.next:
                self.assertEqual(self.pages[page.next].previous, page.id)
        self.assertEqual(sum(not page.next for page in chapters), 1)
        self.assertEqual(self.pages["03_softmax"].labs, ["lab_03", "lab_03b"])
        self.assertEqual(self.pages["lab_03b"].chapter, "03_softmax")
        self.assertTrue(all(page.minutes > 0 for page in chapters if page.number))

    def test_every_link_resolves(self):
        for id, reader in self.read.items():
            for link in reader.every("a"):
                if link["href"].startswith("#"):
                    match = re.fullmatch(r"#/course/(\w+)(?:/(.*))?", link["href"])
                    self.assertIn(match[1], self.pages, id)
                    headings = [heading["id"] for heading in self.pages[match[1]].headings]
                    self.assertIn(match[2], [None, *headings], id)
                else:
                    self.assertRegex(link["href"], r"^https://", id)
                    self.assertEqual((link["target"], link["rel"]), ("_blank", "noopener noreferrer"), id)

    def test_headings_have_unique_addresses(self):
        for id, reader in self.read.items():
            ids = [attributes["id"] for _, attributes in reader.elements if "id" in attributes]
            self.assertEqual(ids, [f"/course/{id}/{heading['id']}" for heading in self.pages[id].headings])
            self.assertEqual(len(ids), len(set(ids)), id)

    def test_links_in_the_text_are_all_there(self):
        for page in self.pages.values():
            if page.kind != "lab":
                wanted = len(re.findall(r"(?<!!)\[[^\]]*\]\([^)\s]*\)", without_code(page.text)))
                found = sum("href" in attributes or (tag == "span" and "data-file" in attributes)
                            for tag, attributes in self.read[page.id].elements)
                self.assertEqual(found, wanted + page.html.count("Read the task of lab"), page.id)

    def test_pictures_are_in_the_page(self):
        for page in self.pages.values():
            wanted = re.findall(r"!\[([^\]]*)\]\([^)]*\.svg\)", page.text)
            self.assertEqual([image["alt"] for image in self.read[page.id].every("img")], wanted, page.id)
            for image in self.read[page.id].every("img"):
                kind, _, svg = image["src"].partition(",")
                self.assertEqual(kind, "data:image/svg+xml")
                svg = unquote(svg)
                self.assertRegex(svg, r"^<svg [^>]*>(?s:.*)</svg>\s*$")
                self.assertNotRegex(svg.replace("http://www.w3.org/2000/svg", ""), r"https?:|<script|href|@import")

    def test_nothing_comes_from_the_network_or_is_a_script(self):
        for id, reader in self.read.items():
            for tag, attributes in reader.elements:
                self.assertNotIn(tag, FORBIDDEN, id)
                for name, value in attributes.items():
                    self.assertFalse(name.startswith("on") or name in ("srcset", "srcdoc", "background", "action"), (id, name))
                    if name in ("src", "style"):
                        self.assertRegex(value, r"^(data:image/svg\+xml,|--width: \d+$)", id)
                    if name == "href":
                        self.assertRegex(value, r"^(#/course/|https://)", id)

    def test_the_slots_are_those_of_the_live_page(self):
        self.assertEqual({page.id: page.figures for page in self.pages.values() if page.figures}, WANTED)
        self.assertEqual({name for names in WANTED.values() for name in names}, set(SLOTS))
        for id, reader in self.read.items():
            slots = [attributes for attributes in reader.every("div") if attributes.get("class") == "live-figure"]
            self.assertEqual([slot["data-figure"] for slot in slots], self.pages[id].figures)
            for slot in slots:
                names = [name.removeprefix("data-") for name in slot if name not in ("class", "data-figure")]
                self.assertEqual(sorted(names), sorted(SLOTS[slot["data-figure"]]), id)
                self.assertTrue(all(slot.values()), slot)

    def test_solutions_stay_folded(self):
        for page in self.pages.values():
            folds = self.read[page.id].every("details")
            self.assertEqual(len(folds), without_code(page.text).count("<details>"), page.id)
            self.assertFalse(any(folds), f"{page.id}: <details> with an attribute")
        for file, name in solutions():
            block = Source(PROJECT / file).block(name)
            for id, reader in self.read.items():
                self.assertNotIn(block, reader.shown, f"{id} shows {name}")
            self.assertTrue(any(block in reader.folded for reader in self.read.values()), f"no page shows {name}")

    def test_code_and_formulas_are_all_there(self):
        for page in self.pages.values():
            if page.kind != "lab":
                unfenced = re.sub(r"^```.*?^```$|<!--.*?-->", "", page.text, flags=re.S | re.M)
                indented = re.findall(r"(?:^    .*\n(?:\n(?=    ))?)+", unfenced, re.M)
                fenced = re.findall(r"^ *```\w", page.text, re.M)
                self.assertEqual(page.html.count("<pre"), len(fenced) + len(indented), page.id)
            formulas = len(re.findall(r"\$\$[^$]+\$\$|\$[^$\n]+\$", without_code(page.text))) if page.kind != "lab" else 0
            self.assertGreaterEqual(page.html.count("<math"), formulas, page.id)
            self.assertNotRegex(re.sub(r"(?s)<(pre|code)\b.*?</\1>", "", page.html), r"\\(frac|sum|text|sqrt)\b", page.id)

    def test_a_word_in_a_formula_is_one_identifier(self):
        self.assertIn("<mi>softmax</mi>", self.pages["06_attention"].html)
        self.assertIn("<mi>dropout</mi>", self.pages["08_add_and_norm"].html)
        self.assertNotIn("<mstyle", "".join(page.html for page in self.pages.values()))

    def test_a_formula_in_the_task_of_a_lab_is_text(self):
        self.assertIn("N = B*H*T queries", self.read["lab_04"].shown)
        self.assertIn("const Buffer<Scalar>&", self.read["lab_06"].shown)

    def test_everything_is_small(self):
        size = sum(len(page.html.encode()) for page in self.pages.values())
        self.assertLess(size / 1000, MOST_KILOBYTES)


class Mistakes(unittest.TestCase):
    """A page with a mistake is refused, and the message names it."""

    @classmethod
    def setUpClass(cls):
        cls.pages = {page.path: page for page in all_pages().values()}

    def refused(self, text, message):
        page = replace(self.pages[COURSE / "03-softmax.md"], text=text, headings=[], figures=[], links=[])
        with self.assertRaisesRegex(PageError, message):
            Fragment(page, self.pages)

    def test_links_and_pictures(self):
        self.refused("[x](03-hardmax.md)", "link to 03-hardmax.md: no such file")
        self.refused("![x](images/hardmax.svg)", "picture images/hardmax.svg: no such file")
        self.refused("word ![x](images/softmax.svg)", "not a paragraph of its own")
        self.refused("```sh\nscripts/lab.sh start 99\n```", "there is no lab 99")

    def test_html(self):
        self.refused("<script>alert(1)</script>", "<script>: expected no HTML")
        self.refused("word <b onclick=x>y</b>", "<b onclick=x>: expected no HTML")
        self.refused("<details open><summary>Answer</summary>\n\nx\n\n</details>", "<details open>: expected no HTML")
        self.refused('<img src="https://example.org/x.png">', "<img .*: expected no HTML")

    def test_slots(self):
        good = '<!-- live: softmax words="a" scores="1" blocked="0" -->'
        self.refused(good.replace("softmax", "hardmax"), "live: hardmax: no such figure")
        self.refused(good.replace(' scores="1"', ""), "expected the parameters words, scores, blocked, found words, blocked")
        self.refused(good.replace('"0"', "0"), "expected <!-- live: NAME")
        self.refused(f"word {good}", "a slot within a paragraph")

    def test_a_link_to_a_heading_that_does_not_exist(self):
        pages = {page.id: page for page in self.pages.values()}
        pages["03_softmax"].links = [("04_softmax_gradient", "no-such-heading")]
        self.addCleanup(pages["03_softmax"].links.clear)
        with self.assertRaisesRegex(PageError, "03-softmax.md: link to 04-softmax-gradient.md#no-such-heading: no such heading"):
            course_pages.check_links(pages)


if __name__ == "__main__":
    unittest.main()
