"""Tests that any number of the walk explains itself, in a browser.

    python3 tests/page/test_explained_number.py PAGE.html TRACE.json

That the formulas are right is tested in src/web/test, without a browser. Here: that the page shows them, and where they
lead. Needs selenium, chromium and chromedriver; scripts/dev/test_page.sh installs them.
"""

import json
import re
import sys
import unittest
from pathlib import Path

from page_test import PageTest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

PAGE, TRACE = (Path(argument).resolve() for argument in sys.argv[1:3])

OUTPUT, INPUTS = ".tensor.output", ".tensor.in"
FORMULA = ".explained-number .formula"
SAID = ".explained-number output"


def numbers_in(text):
    return [float(number.replace("−", "-")) for number in re.findall(r"−?\d[\d.]*(?:e−?\d+)?", text)]


class ExplainedNumberTest(PageTest):
    page = PAGE

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.trace = json.loads(TRACE.read_text(encoding="utf-8"))

    def step_of(self, beginning, direction="forward"):
        """The number of the first step with such an equation."""
        return next(number for number, step in enumerate(self.trace["steps"])
                    if step["equation"].startswith(beginning) and step["direction"] == direction)

    def open_step(self, number):
        self.open(f"step-{number + 1}")
        self.wait_until(lambda: self.find_all(f"{OUTPUT} canvas"))

    def put_cursor(self, row, col, selector=f"{OUTPUT} .heat-map-view"):
        self.script("arguments[0].focus()", self.find(selector))
        for key in [Keys.HOME] + row * [Keys.ARROW_DOWN] + col * [Keys.ARROW_RIGHT]:
            self.press(key)

    def point_at(self, row, col):
        """Moves the pointer over an output that has one map, with all its rows."""
        view = self.find(f"{OUTPUT} .heat-map-view")
        self.script("arguments[0].scrollIntoView({ block: 'center' })", view)
        rows, cols = map(int, re.search(r"(\d+) rows?, (\d+) col", view.get_attribute("aria-label")).groups())
        width, height = view.size["width"], view.size["height"]
        x = width - (cols - col - 0.5) * 0.8 * width / cols  # the labels take less than a fifth of the width
        y = height - (rows - row - 0.5) * 0.8 * height / rows
        ActionChains(self.browser).move_to_element_with_offset(view, x - width / 2, y - height / 2).perform()

    def focused_map(self):
        """The name of the matrix whose map has the focus, and the number in its readout."""
        return self.script("const figure = document.activeElement.closest('.tensor');"
                           "const text = (selector) => figure?.querySelector(selector)?.textContent;"
                           "return [text('.name'), text('.readout .value')]")

    def formula(self):
        return self.text(FORMULA)

    def outlined(self):
        """Whether the canvas of each input has changed since it was last asked."""
        return self.script(
            "const now = [...document.querySelectorAll('.tensor.in canvas')].map((one) => one.toDataURL());"
            "const changed = now.map((one, i) => one !== window.before?.[i]); window.before = now; return changed")

    def test_the_formula_begins_with_the_number_of_the_readout(self):
        count = len(self.trace["steps"])
        for number in range(0, count, 9):
            self.open_step(number)
            self.put_cursor(0, 0)
            shown = self.text(f"{OUTPUT} .readout .value").split(",")[0]
            first = self.text(f"{FORMULA} strong")
            self.assertLess(abs(numbers_in(first)[0] - numbers_in(shown)[0]), 2e-3 * abs(numbers_in(shown)[0]) + 1e-9)
            self.assertTrue(self.find_all(".explained-number .statements code"), number)

    def test_the_statements_are_lines_of_the_code(self):
        number = self.step_of("weights = softmax")
        self.open_step(number)
        self.put_cursor(0, 0)
        lines = self.texts(".source .statement code")
        self.assertTrue(lines)
        code = [line.split("//")[0].strip() for line in lines]
        self.assertEqual(self.texts(".explained-number .statements code"), code)

    def test_a_softmax_is_written_in_its_digits(self):
        self.open_step(self.step_of("weights = softmax"))
        self.put_cursor(0, 1)
        scores = self.trace["tensors"][self.trace["steps"][self.step_of("weights = softmax")]["inputs"][0]["tensor"]]
        numbers = numbers_in(self.formula())
        sentence = int(self.script("return document.querySelector('.sentence-chooser input:checked').value"))
        queries, keys = len(self.trace["batch"]["source"]["ids"][0]), scores["values"]["cols"]
        first = sentence * self.trace["model"]["heads"] * queries * keys
        expected = scores["values"]["numbers"][first:first + keys]
        self.assertAlmostEqual(numbers[1], expected[1], delta=1e-3 * abs(expected[1]))
        for number, score in zip(numbers[2:5], expected):
            self.assertAlmostEqual(number, score, delta=1e-3 * abs(score))

    def test_a_blocked_key_says_why(self):
        self.open_step(self.step_of("weights = softmax"))
        keys = len(self.trace["batch"]["source"]["ids"][0])
        self.put_cursor(0, keys - 1)
        self.assertEqual(self.formula(), "0")
        self.assertIn("this key is padding", self.text(".explained-number"))

    def test_the_inputs_outline_what_was_read(self):
        self.open_step(self.step_of("y = {x} {weight}"))
        self.browser.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
        self.outlined()
        self.put_cursor(1, 2)
        self.browser.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
        self.assertEqual(self.outlined(), [True, True, True])

    def test_a_number_in_the_formula_leads_to_its_cell_and_to_the_step_that_computed_it(self):
        number = self.step_of("scores = {products}")
        self.open_step(number)
        self.put_cursor(1, 2)
        term = self.find(f"{FORMULA} .term")
        before, text = self.formula(), term.get_attribute("textContent")
        self.script("arguments[0].click()", term)
        self.wait_until(lambda: self.focused_map()[0] == "products")
        self.assertAlmostEqual(numbers_in(self.focused_map()[1])[0], numbers_in(text)[0], places=3)
        self.assertEqual(self.formula(), before)
        self.script("arguments[0].click()", self.find(f"{INPUTS} a.origin"))
        self.wait_until(lambda: self.text(".step-number").startswith(f"Step {number} "))
        self.assertEqual(self.text(f"{FORMULA} strong"), text)

    def test_a_number_of_another_sentence_shows_all_sentences(self):
        self.open_step(self.step_of("d_weight += ", "backward"))
        self.choose_sentence(1)
        self.put_cursor(0, 0)
        self.script("arguments[0].click()", self.find(f"{FORMULA} .term"))  # in sentence 0
        self.wait_until(lambda: self.focused_map()[0] == "d_y")
        self.assertTrue(self.script("return document.querySelector(\".sentence-chooser input[value='-1']\").checked"))

    def test_another_sentence_explains_the_same_place_there(self):
        self.open_step(0)
        self.choose_sentence(0)
        self.put_cursor(1, 3)
        self.assertIn("sentence 0, position 1", self.text(".explained-number"))
        self.choose_sentence(2)
        self.wait_until(lambda: "sentence 2, position 1" in self.text(".explained-number"))

    def test_the_pointer_explains_but_says_nothing_and_the_cursor_does_both(self):
        self.open_step(self.step_of("embedded = "))
        self.point_at(1, 5)
        self.wait_until(lambda: self.find_all(FORMULA))
        pointed = self.formula()
        self.browser.execute_async_script("setTimeout(arguments[0], 1000)")
        self.assertEqual(self.text(SAID), "")
        self.put_cursor(0, 0)
        self.assertEqual(self.text(SAID), "")
        self.wait_until(lambda: self.text(SAID) != "")
        self.assertTrue(self.text(SAID).startswith(self.formula()))
        self.assertNotEqual(self.formula(), pointed)

    def test_the_formula_wraps_on_a_narrow_screen(self):
        self.resize(390, 844)
        for beginning, direction in (("weights = softmax", "forward"), ("d_x = {inv_std}", "backward")):
            self.open_step(self.step_of(beginning, direction))
            self.put_cursor(0, 0)
            self.wait_until(self.formula_is_in_sight)  # the page scrolls smoothly
            wide, hidden = self.script(
                "const { scrollWidth, clientWidth } = document.querySelector('.explained-number');"
                "return [document.scrollingElement.scrollWidth, scrollWidth - clientWidth]")
            self.assertLessEqual(wide, 390)
            self.assertEqual(hidden, 0, "the formula scrolls sideways")

    def formula_is_in_sight(self):
        return self.script("const box = document.querySelector('.explained-number').getBoundingClientRect();"
                           "return box.top > 0 && box.bottom <= innerHeight")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
