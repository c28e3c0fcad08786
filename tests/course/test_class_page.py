#!/usr/bin/env python3
"""Tests the page of a class (scripts/course/class_page.py): everything is escaped, nothing is left out, and the order is
right. It needs only Python."""

import html.parser
import re
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts" / "course"))

import class_page  # noqa: E402

HOSTILE = """<script>alert("1")</script> & 'x' </pre></details>"""


def lab(number, score=10, message=None, failed=()):
    return {"name": f"Lab {number}: Title {number}", "status": "fail" if message else "pass", "score": score,
            "max_score": 10, "message": message, "cases": 8, "failed": list(failed), "execution_time": "1.2s"}


def report(student, *tests, error=None):
    return {"student": student, "score": sum(test["score"] for test in tests), "max_score": 10 * len(tests),
            "error": error, "tests": list(tests)}


class Reader(html.parser.HTMLParser):
    """Reads a page strictly: every element is closed where it should be. Keeps the text of each table row
    and of each item of a list."""

    def __init__(self, page):
        super().__init__()
        self.open, self.elements, self.ids, self.links, self.rows = [], set(), [], [], []
        self.titles, self.items = [], []
        self.feed(page)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.elements.add(tag)
        self.ids += [attributes["id"]] if "id" in attributes else []
        self.links += [attributes["href"]] if "href" in attributes else []
        self.titles += [attributes["title"]] if "title" in attributes else []
        if tag != "meta":
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag == "li":
            self.items.append("")
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, f"</{tag}>"

    def handle_data(self, data):
        if "td" in self.open or "th" in self.open:
            self.rows[-1][-1] += data
        if "li" in self.open:
            self.items[-1] += data


class ClassPage(unittest.TestCase):
    def read(self, *reports):
        self.page = class_page.class_page(list(reports))
        return Reader(self.page)

    def test_the_table_has_the_points_of_each_student(self):
        page = self.read(report("Ada", lab(1), lab(2, 7, "wrong sign", ["a case"])),
                         report("Bob", lab(1, 0, "it crashed", ["all"]), lab(2, 0, "not started")))
        self.assertEqual(page.rows[:5], [["student", "1", "2", "total"], ["Ada", "10 ✓", "7", "17 of 20"],
                                         ["Bob", "0 ✗", "–", "0 of 20"], ["median", "5", "3.5", "8.5"],
                                         ["solved by", "1", "0", ""]])

    def test_everything_is_escaped(self):
        hostile = {**lab(1, 3, HOSTILE, [HOSTILE]), "name": f"Lab 1: {HOSTILE}"}
        page = self.read(report(HOSTILE, hostile), report("Eve", error=HOSTILE), report("Max", {**hostile, "name": HOSTILE}))
        self.assertNotIn("script", page.elements)
        self.assertNotIn('"1"', re.sub(r'<[a-z]+ [^<>]*>', "", self.page.split("</style>")[1]))
        self.assertIn(f"✗ {HOSTILE}", [cell for row in page.rows for cell in row])
        self.assertIn(HOSTILE, page.titles)

    def test_a_message_keeps_its_lines_and_has_a_link(self):
        page = self.read(report("Ada", lab(1, 5, "wrong\n\n  1  2\n  3  4", ["x"])))
        self.assertIn("<pre>wrong\n\n  1  2\n  3  4</pre>", self.page)
        self.assertEqual(page.links, ["#student-0-lab-0"])
        self.assertEqual(page.ids, ["student-0-lab-0"])

    def test_two_students_of_the_same_name_have_different_anchors(self):
        page = self.read(report("Ada", lab(1, 5, "a", ["x"])), report("Ada", lab(1, 4, "b", ["y"])))
        self.assertEqual(len(set(page.ids)), 2)
        self.assertEqual({f"#{name}" for name in page.ids}, set(page.links))

    def test_the_case_that_most_students_fail_comes_first(self):
        reports = [report("Cem", lab(1, 9, "late by one", ["other"]), lab(2, 6, "no mask", ["often"])),
                   report("Ada", lab(2, 5, "wrong axis", ["rare", "often"])), report("Bob", lab(2, 6, "no mask", ["often"]))]
        found = class_page.most_failed(reports[::-1], ["Lab 1: Title 1", "Lab 2: Title 2"])
        self.assertEqual([(case, students) for _, case, students, _ in found], [("often", 3), ("other", 1), ("rare", 1)])
        self.assertEqual(found[0][3].most_common(), [("no mask", 2), ("wrong axis", 1)])
        self.assertEqual([" ".join(item.split()) for item in self.read(*reports).items],
                         ["3 students: often. Lab 2: Title 2", "no mask (2 students)", "wrong axis (1 student)",
                          "1 student: other. Lab 1: Title 1", "late by one (1 student)",
                          "1 student: rare. Lab 2: Title 2", "wrong axis (1 student)"])

    def test_labs_that_are_not_started_do_not_count_as_failures(self):
        page = self.read(report("Ada", lab(1, 0, "not started", ["a", "b"])), report("Bob", lab(1)))
        self.assertIn("<p>No case fails.</p>", self.page)
        self.assertEqual(page.links + page.ids, [])

    def test_no_more_cases_than_fit(self):
        self.read(report("Ada", lab(1, 0, "x", [f"case {n}" for n in range(class_page.MOST_CASES + 2)])))
        self.assertIn(f"case {class_page.MOST_CASES - 1}.", self.page)
        self.assertNotIn(f"case {class_page.MOST_CASES}.", self.page)
        self.assertIn("Others that fail: 2.", self.page)

    def test_a_submission_that_cannot_be_read(self):
        page = self.read(report("Ada", lab(1)), report("Bob", error="labs/01 is missing"))
        self.assertEqual(page.rows[2], ["Bob", "✗ labs/01 is missing"])
        self.assertEqual(page.rows[3], ["median", "10", "10"])  # of those that could be read

    def test_what_could_be_read_before_an_error_does_not_count(self):
        broken = report("Bob", lab(1, 0, "x", ["a"]), lab(2), error="labs/03 is missing")
        self.assertEqual(self.read(report("Ada", lab(1)), broken).rows[3:5],
                         [["median", "10", "", "10"], ["solved by", "1", "0", ""]])

    def test_only_submissions_that_cannot_be_read(self):
        self.assertEqual(self.read(report("Bob", error="no such file")).rows[1], ["Bob", "✗ no such file"])

    def test_an_empty_class(self):
        self.assertEqual(self.read().rows, [])
        self.assertIn("There are no submissions.", self.page)

    def test_it_needs_neither_scripts_nor_other_files(self):
        page = self.read(report("Ada", lab(1, 5, "a", ["x"])))
        self.assertFalse({"script", "link", "img", "iframe"} & page.elements)
        self.assertNotRegex(self.page, r"https?:|url\(|@import")


if __name__ == "__main__":
    unittest.main()
