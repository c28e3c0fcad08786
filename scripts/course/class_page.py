"""A page about a class, for `lab.sh grade --html`: the points of each student in each lab, the cases that fail most, and
what went wrong. It is one file that needs neither scripts nor network, and can be printed.

A report is the dictionary that `grade` makes for one student: student, score, max_score, error (why the submission could
not be read, or None), and tests. A test is one lab: name, status ("pass" or "fail"), score, max_score, message (what
went wrong, or None), cases (how many there are) and failed (the names of those that fail).
"""

import re
from collections import Counter
from html import escape
from statistics import median

MOST_CASES = 15  # shown of those that fail most
NOT_STARTED = "not started"

STYLE = """
:root { color-scheme: light dark; --text: #1f2328; --soft: #57606a; --page: #fff; --line: #d0d7de; --head: #f6f8fa;
  --solved: #dafbe1; --part: #fff8c5; --none: #ffebe9; }
@media (prefers-color-scheme: dark) { :root { --text: #e6edf3; --soft: #9198a1; --page: #0d1117; --line: #3d444d;
  --head: #151b23; --solved: #12361f; --part: #3d3108; --none: #4c1c1c; } }
body { margin: 0 auto; padding: 1rem; max-width: 75rem; font: 16px/1.5 system-ui, sans-serif; color: var(--text);
  background: var(--page); }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2.5rem; }
.soft { color: var(--soft); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { border: 1px solid var(--line); padding: .3rem .6rem; text-align: right; white-space: nowrap; }
th { background: var(--head); }
th:first-child, .error { text-align: left; }
th:first-child { position: sticky; left: 0; white-space: normal; max-width: 40vw; overflow-wrap: break-word; }
.solved { background: var(--solved); } .part { background: var(--part); } .none, .error { background: var(--none); }
td a { color: inherit; }
details { border-bottom: 1px solid var(--line); padding: .3rem 0; } details:target { outline: 2px solid; }
summary { cursor: pointer; }
pre { overflow-x: auto; padding: .6rem; background: var(--head); border: 1px solid var(--line); font-size: .85rem; }
ol.cases > li { margin-bottom: .6rem; } ul { margin: 0; padding-left: 1.1rem; }
@media print { body { max-width: none; font-size: 11px; } .wide { overflow: visible; } th:first-child { position: static; }
  .solved, .part, .none, .error { print-color-adjust: exact; -webkit-print-color-adjust: exact; } tr, li { break-inside: avoid; } }
"""


def class_page(reports):
    """The page, as HTML."""
    labs = list(dict.fromkeys(test["name"] for report in reports for test in report["tests"]))
    title = f"The labs of {counted(len(reports), 'student')}"
    parts = [f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
             f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{title}</title>\n'
             f"<style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>"]
    if not reports:
        parts.append("<p>There are no submissions.</p>")
    else:
        parts += [points(reports, labs), cases(reports, labs), messages(reports, labs)]
    return "\n".join(parts) + "\n</body>\n</html>\n"


def counted(number, noun):
    return f"{number} {noun}{'' if number == 1 else 's'}"


def short(lab):
    """The number of a lab, for the head of a narrow column."""
    number = re.match(r"Lab (\d+b?)\b", lab)
    return number.group(1) if number else lab


def first_line(message):
    return next((line for line in (message or "").splitlines() if line.strip()), "")


def tests_of(report):
    return {test["name"]: test for test in report["tests"]}


def is_started(test):
    return test["message"] != NOT_STARTED


def place(student, lab):
    """The anchor of a message. Names of students may hold anything, so their numbers are used."""
    return f"student-{student}-lab-{lab}"


# --- The table of points ------------------------------------------------------------------------------------------

def points(reports, labs):
    head = "".join(f'<th scope="col" title="{escape(lab)}">{escape(short(lab))}</th>' for lab in labs)
    rows = [row(number, report, labs) for number, report in enumerate(reports)]
    readable = [tests_of(report) for report in reports if report["error"] is None]
    solved, medians = [], []
    for lab in labs:
        tests = [tests[lab] for tests in readable if lab in tests]
        solved.append(f"<td>{sum(test['status'] == 'pass' for test in tests)}</td>")
        medians.append(f"<td>{median(test['score'] for test in tests):g}</td>" if tests else "<td></td>")
    totals = [report["score"] for report in reports if report["error"] is None]
    middle = f"{median(totals):g}" if totals else ""
    return ('<p class="soft">✓ solved; a number alone: partly solved; ✗ no points; – not started. '
            "A number leads to what went wrong.</p>\n"
            f'<div class="wide"><table>\n<thead><tr><th scope="col">student</th>{head}<th scope="col">total</th></tr></thead>\n'
            "<tbody>\n" + "\n".join(rows) + "\n</tbody>\n<tfoot>\n"
            f'<tr><th scope="row">median</th>{"".join(medians)}<td>{middle}</td></tr>\n'
            f'<tr><th scope="row">solved by</th>{"".join(solved)}<td></td></tr>\n</tfoot></table></div>')


def row(number, report, labs):
    name = f'<th scope="row">{escape(report["student"])}</th>'
    if report["error"] is not None:
        return f'<tr>{name}<td class="error" colspan="{len(labs) + 1}">✗ {escape(report["error"])}</td></tr>'
    tests = tests_of(report)
    cells = [cell(tests.get(lab), place(number, column)) for column, lab in enumerate(labs)]
    return f'<tr>{name}{"".join(cells)}<td><b>{report["score"]}</b> of {report["max_score"]}</td></tr>'


def cell(test, anchor):
    if test is None or not is_started(test):
        return f'<td title="{NOT_STARTED}">–</td>'
    score = str(test["score"])
    if test["status"] == "pass":
        return f'<td class="solved">{score} ✓</td>'
    sign, kind = ("", "part") if test["score"] > 0 else (" ✗", "none")
    return f'<td class="{kind}"><a href="#{anchor}" title="{escape(first_line(test["message"]))}">{score}{sign}</a></td>'


# --- What went wrong ----------------------------------------------------------------------------------------------

def most_failed(reports, labs):
    """(lab, case, how many students fail it, Counter of what they were told), most failures first; then by lab."""
    told = {}
    for report in reports:
        for test in report["tests"]:
            if is_started(test):
                for case in dict.fromkeys(test["failed"]):
                    told.setdefault((test["name"], case), []).append(first_line(test["message"]))
    order = sorted(told, key=lambda key: (-len(told[key]), labs.index(key[0])))
    return [(lab, case, len(told[lab, case]), Counter(filter(None, told[lab, case]))) for lab, case in order]


def cases(reports, labs):
    found = most_failed(reports, labs)
    if not found:
        return "<h2>The cases that fail most</h2>\n<p>No case fails.</p>"
    items = []
    for lab, case, students, told in found[:MOST_CASES]:
        texts = "".join(f'<li>{escape(text)} <span class="soft">({counted(count, "student")})</span></li>'
                        for text, count in told.most_common())
        items.append(f"<li><b>{counted(students, 'student')}</b>: {escape(case)}. "
                     f'<span class="soft">{escape(lab)}</span><ul>{texts}</ul></li>')
    rest = f'\n<p class="soft">Others that fail: {len(found) - MOST_CASES}.</p>' if len(found) > MOST_CASES else ""
    return ('<h2>The cases that fail most</h2>\n<p class="soft">With each case: what the students who fail it were told. '
            "They are told what is wrong with a lab, not with each case. Labs that are not started do not count.</p>\n"
            '<ol class="cases">\n' + "\n".join(items) + "\n</ol>" + rest)


def messages(reports, labs):
    """All messages, folded."""
    parts = []
    for number, report in enumerate(reports):
        for test in report["tests"]:
            if test["status"] != "pass" and is_started(test):
                parts.append(f'<details id="{place(number, labs.index(test["name"]))}"><summary>{escape(report["student"])}, '
                             f'{escape(test["name"])}: {test["score"]} of {test["max_score"]}</summary>\n'
                             f'<pre>{escape(test["message"] or "")}</pre></details>')
    return "<h2>What went wrong</h2>\n" + ("\n".join(parts) or "<p>Nothing did.</p>")
