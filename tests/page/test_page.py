"""Tests the page that `glassformer explain` writes, in a browser, against the trace as JSON.

    python3 tests/page/test_page.py PAGE.html TRACE.json SOURCE_ROOT

SOURCE_ROOT is the project's directory. The lines of code on the page must be the same as in its files.
Needs selenium, chromium and chromedriver; scripts/dev/test_page.sh installs them.
"""

import json
import math
import re
import sys
import unittest
from pathlib import Path

from page_test import PageTest, fraction_in, number_in
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

PAGE, TRACE, SOURCE_ROOT = (Path(argument).resolve() for argument in sys.argv[1:4])
TOLERANCE = 2.0**-15  # the page has the upper 24 bits of each float
SHOWN_TOLERANCE = 2.0**-13  # and shows five digits
LARGE, LARGE_TOLERANCE = 2048, 2.0**-9  # in a matrix of more than 2048 numbers, each has 18 bits
SECTIONS = ["text", "masks", "walk", "attention", "answer", "gradient", "what-if"]


class ThisPageTest(PageTest):
    page = PAGE

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.trace = json.loads(TRACE.read_text(encoding="utf-8"))

    def setUp(self):
        super().setUp()
        self.open("text")

    # Assertions

    def assert_step_shown(self, number):
        step, count = self.trace["steps"][number], len(self.trace["steps"])
        address, title, direction, tensors = self.script(
            "const text = (selector) => document.querySelector(selector).textContent;"
            "return [location.hash, text('.step-number'), text('.direction'),"
            "[...document.querySelectorAll('.step [data-tensor]')].map((figure) => Number(figure.dataset.tensor))]")
        self.assertEqual(address, f"#step-{number + 1}")
        self.assertEqual(title, f"Step {number + 1} of {count}")
        self.assertEqual(direction, step["direction"])
        self.assertEqual(set(tensors), {step["output"]} | {one["tensor"] for one in step["inputs"]})

    def assert_source_lines(self, figure, code):
        file = SOURCE_ROOT / code["file"]
        lines = file.read_text(encoding="utf-8").split("\n")
        shown = self.script(
            "return [...arguments[0].querySelectorAll('li')].map((line) => "
            "[Number(line.dataset.line), line.querySelector('code').textContent, line.matches('.marked')])", figure)
        first, last = code["lines"]
        self.assertEqual([number for number, _, marked in shown if marked], list(range(first, last + 1)))
        for number, text, _ in shown:
            self.assertEqual(text, lines[number - 1], f"{code['file']}:{number}")

    def assert_close(self, shown, expected, what, tolerance=SHOWN_TOLERANCE):
        if expected is None:
            self.assertFalse(shown is not None and math.isfinite(shown), what)
        else:
            self.assertLessEqual(abs(shown - expected), tolerance * abs(expected) + 1e-37, what)

    def assert_fits(self, what):
        wide, inner = self.script("return [document.scrollingElement.scrollWidth, innerWidth]")
        self.assertLessEqual(wide, inner, f"{what} scrolls sideways")


class WalkTest(ThisPageTest):
    def test_arrow_keys_walk_to_the_last_step_and_back(self):
        self.open("step-1")
        last = len(self.trace["steps"]) - 1
        for number in range(last + 1):
            self.assert_step_shown(number)
            self.press(Keys.ARROW_RIGHT)
        self.assert_step_shown(last)
        for number in range(last - 1, last - 6, -1):
            self.press(Keys.ARROW_LEFT)
            self.assert_step_shown(number)

    def test_a_link_opens_its_step(self):
        count = len(self.trace["steps"])
        for number in (0, 16, count // 2, count - 1):
            self.open(f"step-{number + 1}")
            self.assert_step_shown(number)

    def test_an_address_past_the_end_opens_the_last_step(self):
        self.open("step-999999")
        self.assert_step_shown(len(self.trace["steps"]) - 1)

    def test_buttons_and_slider_change_the_step(self):
        self.open("step-5")
        self.find(".next").click()
        self.assert_step_shown(5)
        self.find(".previous").click()
        self.assert_step_shown(4)
        self.find("#slider").send_keys(Keys.ARROW_RIGHT)
        self.assert_step_shown(5)

    def test_n_and_p_walk_wherever_the_focus_is(self):
        self.open("step-8")
        for selector in (".sentence-chooser input", ".heat-map-view"):
            self.script("arguments[0].focus()", self.find(selector))
            self.press("n")
            self.assert_step_shown(8)
            self.script("arguments[0].focus()", self.find(selector))
            self.press("p")
            self.assert_step_shown(7)

    def test_an_input_links_to_the_step_that_computed_it(self):
        makers = {step["output"]: number for number, step in enumerate(self.trace["steps"])}
        linked = [number for number, step in enumerate(self.trace["steps"])
                  if any(one["tensor"] in makers and "{" + one["name"] + "}" in step["equation"]
                         for one in step["inputs"])]
        for number in (linked[0], linked[len(linked) // 2], linked[-1]):
            self.open(f"step-{number + 1}")
            link = self.find(".equation a.input")
            maker = int(link.get_attribute("href").split("-")[-1]) - 1
            self.assertIn(self.trace["steps"][maker]["output"],
                          [one["tensor"] for one in self.trace["steps"][number]["inputs"]])
            self.script("arguments[0].click()", link)
            self.wait_until(lambda: self.text(".step-number").startswith(f"Step {maker + 1} "))
            self.assert_step_shown(maker)

    def test_an_input_that_no_step_computed_is_marked_as_given(self):
        makers = {step["output"] for step in self.trace["steps"]}
        number = next(number for number, step in enumerate(self.trace["steps"])
                      if any(one["tensor"] not in makers for one in step["inputs"]))
        self.open(f"step-{number + 1}")
        self.assertIn("given", self.text(".step-tensors"))

    def test_source_lines_match_the_files(self):
        seen = set()
        for number, step in enumerate(self.trace["steps"]):
            place = (step["code"]["file"], *step["code"]["lines"])
            if place in seen:
                continue
            seen.add(place)
            self.open(f"step-{number + 1}")
            self.assert_source_lines(self.find(".source"), step["code"])
        self.assertGreater(len(seen), 3)

    def test_backward_steps_show_the_forward_line(self):
        backward = [number for number, step in enumerate(self.trace["steps"]) if step.get("differentiates")]
        for number in backward[:: max(1, len(backward) // 8)]:
            forward = self.trace["steps"][number]["differentiates"]
            self.open(f"step-{number + 1}")
            self.assert_source_lines(self.find_all(".source")[1], forward)
            link = self.find(".forward-step")
            self.assertTrue(link.get_attribute("href").endswith(f"#step-{forward['step'] + 1}"))
            self.open(f"step-{forward['step'] + 1}")
            back = [link.get_attribute("href").split("#")[1] for link in self.find_all(".way-back a")]
            self.assertIn(f"step-{number + 1}", back)

    def test_the_whole_file_can_be_shown(self):
        self.open("step-1")
        self.script("arguments[0].click()", self.find(".source button"))
        code = self.trace["steps"][0]["code"]
        lines = (SOURCE_ROOT / code["file"]).read_text(encoding="utf-8").rstrip("\n").split("\n")
        self.assertEqual(len(self.find_all("li", self.find(".source"))), len(lines))
        self.assert_source_lines(self.find(".source"), code)

    def test_every_block_is_in_the_contents(self):
        self.open("step-1")
        links = {link.get_attribute("href").split("#")[1] for link in self.find_all(".contents a")}
        self.assertIn("step-1", links)
        self.assertGreater(len(links), 8)


class NumbersTest(ThisPageTest):
    def some_tensors(self):
        tensors = self.trace["tensors"]
        attention = self.trace["attention"][0]["weights"]
        blocked = next((i for i, one in enumerate(tensors) if None in one["values"]["numbers"]), 0)
        return [0, attention, blocked, self.trace["d_logits"], self.trace["memory_gradient"]["sum"], len(tensors) - 1]

    def test_decoded_tensors_match_the_json(self):
        for index in self.some_tensors():
            expected = self.trace["tensors"][index]["values"]
            shown = self.script("return window.glassformer.matrix(arguments[0])", index)
            self.assertEqual((shown["rows"], shown["cols"]), (expected["rows"], expected["cols"]))
            self.assertEqual(len(shown["numbers"]), len(expected["numbers"]))
            tolerance = LARGE_TOLERANCE if len(expected["numbers"]) > LARGE else TOLERANCE
            for place, pair in enumerate(zip(shown["numbers"], expected["numbers"])):
                self.assert_close(*pair, f"tensor {index}, number {place}", tolerance)

    def test_readouts_of_a_matrix_of_tokens(self):
        number = next(number for number, step in enumerate(self.trace["steps"])
                      if self.trace["tensors"][step["output"]]["axes"] == "B*S, D")
        values = self.trace["tensors"][self.trace["steps"][number]["output"]]["values"]
        length = len(self.trace["batch"]["source"]["ids"][0])
        for sentence in range(len(self.trace["sentences"])):
            self.open(f"step-{number + 1}")
            self.choose_sentence(sentence)
            figure = self.find(".tensor.output")
            texts = self.read_map(figure, self.find(".readout", figure))
            first = sentence * length * values["cols"]
            self.assertEqual(len(texts), length * values["cols"])
            for place, text in enumerate(texts):
                self.assert_close(number_in(text), values["numbers"][first + place], text)

    def test_readouts_of_attention_weights(self):
        self.open("attention")
        self.choose_sentence(0)
        heads = self.trace["model"]["heads"]
        figures = self.find_all(".attention")
        self.assertEqual(len(figures), len(self.trace["attention"]))
        for figure in figures[:2]:
            index = next(one["weights"] for one in self.trace["attention"]
                         if one["part"] == figure.get_attribute("data-part"))
            values = self.trace["tensors"][index]["values"]
            maps = self.find_all(".heat-map", figure)
            self.assertEqual(len(maps), heads)
            size = values["rows"] // len(self.trace["sentences"]) // heads * values["cols"]
            for head, heat_map in enumerate(maps):
                texts = self.read_map(heat_map, self.find(".readout", figure))
                for place, text in enumerate(texts):
                    self.assert_close(number_in(text), values["numbers"][head * size + place], text)
                self.assertIn(f"head {head}", self.text(".readout", figure))

    def test_a_large_map_can_be_enlarged_and_scrolls_with_the_cursor(self):
        number = next(number for number, step in enumerate(self.trace["steps"])
                      if self.trace["tensors"][step["output"]]["axes"] == "B*S, D")
        values = self.trace["tensors"][self.trace["steps"][number]["output"]]["values"]
        self.open(f"step-{number + 1}")
        self.choose_sentence(0)
        figure = self.find(".tensor.output")
        self.script("arguments[0].click()", self.find("button", figure))
        view = self.find(".heat-map-view", figure)
        view.send_keys(Keys.END)
        self.assertGreater(self.script("return arguments[0].scrollLeft", view), 0)
        self.assert_close(number_in(self.text(".readout .value", figure)), values["numbers"][values["cols"] - 1], "End")
        self.assert_fits("an enlarged map")

    def test_the_heads_of_a_layer_show_their_numbers_together(self):
        self.open("attention")
        row = self.find(".head-row")
        self.script("arguments[0].click()", self.find("button", row))
        self.assertEqual(len(self.find_all(".heat-map-view.enlarged", row)), self.trace["model"]["heads"])
        self.assert_fits("enlarged heads")
        self.script("arguments[0].click()", self.find("button", row))
        self.assertEqual(self.find_all(".enlarged", row), [])

    def test_ids_are_whole_numbers_under_their_own_tokens(self):
        number = next(number for number, step in enumerate(self.trace["steps"])
                      if "expected" in [one["name"] for one in step["inputs"]])
        self.open(f"step-{number + 1}")
        sentence = len(self.trace["sentences"]) - 1
        self.choose_sentence(sentence)
        figure = self.find_all(".tensor")[-1]
        self.assertIn("given: the ids of the expected tokens", figure.text)
        texts = self.read_map(figure, self.find(".readout", figure))
        self.assertEqual(texts, [str(one) for one in self.trace["batch"]["target_output"]["ids"][sentence]])
        self.assertIn(self.trace["batch"]["target_output"]["tokens"][sentence][-1], self.text(".readout", figure))

    def test_pointing_at_a_cell_shows_its_number(self):
        self.open("attention")
        view = self.find(".attention .heat-map-view")
        ActionChains(self.browser).move_to_element_with_offset(view, 20, 20).perform()
        self.assertRegex(self.text(".attention .readout .value"), r"^\d")

    def test_every_heat_map_shows_a_number_on_focus(self):
        for address in [*SECTIONS, "step-7", f"step-{len(self.trace['steps'])}"]:
            self.open(address)
            for view in self.find_all(".heat-map-view"):
                self.assertEqual(view.get_attribute("tabindex"), "0")
                shown = self.script(
                    "const view = arguments[0]; view.focus();"
                    "view.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }));"
                    "return Promise.resolve().then(() => [...document.querySelectorAll('.readout.speaking .value')]"
                    ".map((one) => one.textContent))", view)
                self.assertTrue(any(re.match(r"−?(\d|∞)|not a number", text) for text in shown),
                                f"{address}: {view.get_attribute('aria-label')}: {shown}")


class SectionsTest(ThisPageTest):
    def test_tokens_ids_and_padding(self):
        self.open("text")
        batch = self.trace["batch"]
        shown = self.script(
            "return [...document.querySelectorAll('.tokens tbody tr')].map((row) => "
            "[...row.querySelectorAll('td')].map((cell) => [cell.querySelector('bdi').textContent, "
            "Number(cell.querySelector('.id').textContent), cell.matches('.pad')]))")
        rows = [("source", b) for b in range(len(self.trace["sentences"]))]
        rows += [(name, b) for b in range(len(self.trace["sentences"])) for name in ("target_input", "target_output")]
        self.assertEqual(len(shown), len(rows))
        for cells, (name, b) in zip(shown, rows):
            pad = batch["pad"]["source" if name == "source" else "target"]
            ids, tokens = batch[name]["ids"][b], batch[name]["tokens"][b]
            self.assertEqual(cells, [[token, id_, id_ == pad] for token, id_ in zip(tokens, ids)])

    def test_every_mask_cell(self):
        masks, sentences = self.trace["masks"], len(self.trace["sentences"])
        lengths = {"encoder_padding": "source", "cross_padding": "target_input", "target_padding": "target_input",
                   "decoder_combined": "target_input", "look_ahead": "target_input"}
        self.open("masks")
        for sentence in range(sentences):
            self.choose_sentence(sentence)
            for name, rows_of in lengths.items():
                mask, queries = masks[name], len(self.trace["batch"][rows_of]["ids"][0])
                cols = mask["cols"]
                first = 0 if name == "look_ahead" else sentence * mask["rows"] // sentences
                stride = 0 if mask["rows"] == sentences and name != "look_ahead" else 1
                expected = [mask["numbers"][(first + stride * row) * cols + col]
                            for row in range(queries) for col in range(cols)]
                texts = self.read_map(self.find(f"[data-mask={name}]"), self.find(".readout"))
                self.assertEqual([number_in(text) for text in texts], expected, f"{name}, sentence {sentence}")
                self.assertTrue(all(("blocked: this key" in text) == bool(one) for text, one in zip(texts, expected)))

    def test_padded_positions_are_not_counted(self):
        self.open("answer")
        for sentence, positions in enumerate(self.trace["answer"]):
            self.choose_sentence(sentence)
            rows = self.find_all(".answers tbody tr")
            self.assertEqual(len(rows), len(positions))
            for row, one in zip(rows, positions):
                self.assertEqual("not counted" in row.get_attribute("textContent"), not one["counted"])
                self.assertEqual("pad" in (row.get_attribute("class") or ""), not one["counted"])

    def assert_fraction(self, text, expected):
        fraction, off = fraction_in(text)
        if expected is None:
            self.assertIsNone(fraction, text)
        else:
            self.assertLessEqual(abs(fraction - expected), off, f"{text}, expected {expected}")

    def test_the_metrics_of_the_loss(self):
        self.open("answer")
        figures = dict(zip(self.texts(".figures dt"), self.texts(".figures dd:not(.note)"), strict=True))
        loss = self.trace["loss"]
        for title, key in (("loss", "mean"), ("cross-entropy", "cross_entropy"), ("perplexity", "perplexity")):
            self.assert_close(number_in(figures[title]), loss[key], title, 1e-3)
        self.assertEqual(figures["correct"], f"{loss['correct']} of {loss['tokens']}")
        smoothing, vocabulary = self.trace["model"]["label_smoothing"], len(self.trace["vocabulary"]["target"])
        self.assertEqual(float(figures["label smoothing"]), smoothing)
        # The lowest loss is that of a model that predicts the target distribution q: the entropy of q.
        q = [1 - smoothing + smoothing / vocabulary] + (vocabulary - 1) * [smoothing / vocabulary]
        lowest = -sum(p * math.log(p) for p in q)
        self.assertIn(f"lowest possible loss: {lowest:.4}, when the probabilities are the smoothed targets",
                      self.texts(".figures .note"))

    def test_the_probability_and_loss_of_every_position(self):
        self.open("answer")
        for sentence, positions in enumerate(self.trace["answer"]):
            self.choose_sentence(sentence)
            for row, one in zip(self.find_all(".answers tbody tr"), positions, strict=True):
                if not one["counted"]:
                    continue
                probability, loss = self.texts(".number", row)
                self.assert_fraction(probability, one["probability"])
                self.assert_close(number_in(loss), one["loss"], "loss", 1e-3)
                self.script("arguments[0].click()", self.find("input", row))
                paragraph = self.text(".answer-detail p")
                shown = re.search(r"Cross-entropy: (not finite|\S+) \(minus", paragraph).group(1)
                self.assert_close(number_in(shown), one["cross_entropy"], paragraph, 1e-3)
                probabilities = self.texts(".likeliest .number")
                for text, token in zip(probabilities, one["likeliest"], strict=True):
                    self.assert_fraction(text, token["probability"])

    def test_the_most_likely_tokens_of_every_position(self):
        self.open("answer")
        for sentence, positions in enumerate(self.trace["answer"]):
            self.choose_sentence(sentence)
            for row, one in zip(self.find_all(".answers tbody tr"), positions):
                self.script("arguments[0].click()", self.find("input", row))
                shown = [item.get_attribute("textContent") for item in self.find_all(".likeliest li bdi")]
                self.assertEqual(shown, [token["token"] for token in one["likeliest"]])

    def test_the_gradient_of_the_memory_is_a_sum(self):
        self.open("gradient")
        maps = self.find_all(".memory .heat-map")
        self.assertEqual(len(maps), len(self.trace["memory_gradient"]["parts"]) + 1)
        length, pad = len(self.trace["batch"]["source"]["ids"][0]), self.trace["batch"]["pad"]["source"]
        for sentence, ids in enumerate(self.trace["batch"]["source"]["ids"]):
            self.choose_sentence(sentence)
            heat_map = self.find_all(".memory .heat-map")[-1]
            texts = self.read_map(heat_map, self.find(".readout"))
            cols = len(texts) // length
            for position, id_ in enumerate(ids):
                if id_ == pad:
                    row = texts[position * cols:(position + 1) * cols]
                    self.assertTrue(all(number_in(text) == 0 for text in row))

    def test_every_parameter_has_its_norm(self):
        self.open("gradient")
        shown = [row.get_attribute("title") for row in self.find_all(".norms th[scope=row]")]
        self.assertEqual(sorted(shown), sorted(one["name"] for one in self.trace["gradients"]))
        norms = {one["name"]: one for one in self.trace["gradients"]}
        for name, row in zip(shown, self.find_all(".norms tbody tr"), strict=True):
            norm, values = self.texts(".number", row)
            self.assert_close(number_in(norm), norms[name]["norm"], name, 1e-2)
            self.assert_close(number_in(values), norms[name]["values_norm"], name, 1e-2)

    def test_what_if_lists_all_variants(self):
        self.open("what-if")
        rows = [row.get_attribute("data-variant") for row in self.find_all(".variants [data-variant]")]
        self.assertEqual(rows, [one["name"] for one in self.trace["what_if"]])
        for row, variant in zip(self.find_all(".variants [data-variant]"), self.trace["what_if"], strict=True):
            mean, perplexity, correct = self.texts(".number", row)
            self.assert_close(number_in(mean), variant["loss"]["mean"], variant["name"], 1e-4)
            self.assert_close(number_in(perplexity), variant["loss"]["perplexity"], variant["name"], 1e-4)
            self.assertEqual(correct, f"{variant['loss']['correct']} of {variant['loss']['tokens']}")
        for number, variant in enumerate(self.trace["what_if"]):
            if number == 0:
                continue
            self.script("arguments[0].click()", self.find(f".variant-chooser input[value='{number}']"))
            self.choose_sentence(0)
            self.assertEqual(self.text(".variant h3"), variant["title"])
            self.assertIn(variant["says"], self.text(".variant"))
            masks = [one.get_attribute("data-mask") for one in self.find_all(".variant [data-mask]")]
            self.assertEqual(masks, [name for name in variant["changed"] for _ in range(2)])
            self.assert_mean_losses(variant)
            if variant["changed"]:
                self.assert_gradients_that_change_most(variant["gradient_norms"])

    def assert_mean_losses(self, variant):
        own = self.trace["what_if"][0]
        columns = [own, own["alone"], *([variant, variant["alone"]] if variant["changed"] else [])]
        for text, column in zip(self.texts(".answers-compared .mean .number"), columns, strict=True):
            positions = zip(column["losses"][0], self.trace["answer"][0], strict=True)
            losses = [loss for loss, one in positions if one["counted"]]
            mean = None if None in losses else sum(losses) / len(losses)
            self.assert_close(number_in(text), mean, f"mean loss of {variant['name']}", 1e-3)

    def assert_gradients_that_change_most(self, changed):
        """The table shows the norms of twelve tensors. No other norm changes by a larger factor."""
        names = [one["name"].removeprefix("model.") for one in self.trace["gradients"]]
        norms = dict(zip(names, zip(self.trace["what_if"][0]["gradient_norms"], changed, strict=True), strict=True))

        def factor(name):
            before, after = (math.inf if norm is None else norm for norm in norms[name])
            if before == after or max(before, after) < 1e-7:
                return 0
            return abs(math.log((after + 1e-12) / (before + 1e-12))) if math.isfinite(before + after) else math.inf

        table = self.find_all(".variant .losses")[-1]
        shown = self.texts("th[scope=row]", table)
        for name, row in zip(shown, self.find_all("tbody tr", table), strict=True):
            for text, norm in zip(self.texts(".number", row), norms[name], strict=True):
                self.assert_close(number_in(text), norm, name, 1e-2)
        self.assertEqual(len(shown), 12)
        smallest = min(factor(name) for name in shown)
        self.assertTrue(all(factor(name) <= smallest for name in norms if name not in shown))

    def test_the_sentences_fit_the_model_and_the_trace(self):
        steps, tensors, layer = self.trace["steps"], self.trace["tensors"], self.trace["layer"]
        dropped = [step["part"] for step in steps if step["part"].endswith(".dropout")]
        self.open("text")
        self.assertIn(f"{'with' if dropped else 'no'} dropout in the pass shown here", self.text("main"))
        self.assertIn("see the hatched cells below", self.text(".lead"))
        self.open("attention")
        self.assertEqual("before dropout" in self.text(".lead"), any("attn.dropout" in part for part in dropped))
        self.open("answer")
        shown = len(self.trace["answer"][0][0]["likeliest"])
        self.assertIn(f"The {shown} most likely tokens", [one.text for one in self.find_all("h4")])
        self.open("what-if")
        self.assertIn("The loss includes label smoothing", self.text("main"))
        self.open("walk")
        self.assertEqual(f"Only layer {layer} is shown" in self.text(".lead"), layer is not None)
        made = {step["output"] for step in steps}
        origins = set()
        for number, step in enumerate(steps):
            lost = [one["tensor"] for one in step["inputs"] if one["tensor"] not in made]
            if len(origins) < 2 and any(tensors[tensor]["computed"] or not origins for tensor in lost):
                self.open(f"step-{number + 1}")
                for tensor in lost:
                    origin = self.text(f"[data-tensor='{tensor}'].in .origin")
                    self.assertEqual(origin.startswith("left out"), tensors[tensor]["computed"], origin)
                    self.assertEqual(origin.startswith("given"), not tensors[tensor]["computed"], origin)
                    origins.add(origin.split(":")[0])
        self.assertEqual(origins, {"given"} if layer is None else {"given", "left out"})
        norm = next(i for i, step in enumerate(steps) if step["part"].endswith(".self_attn_layer_norm"))
        self.open(f"step-{norm + 1}")
        self.assertIn("add & norm after self-attention", self.text(".part"))

    def test_nothing_scrolls_sideways(self):
        count = len(self.trace["steps"])
        steps = [f"step-{1 + number * (count - 1) // 7}" for number in range(8)]
        for width, height in ((390, 844), (1280, 800), (1920, 1080)):
            self.resize(width, height)
            for address in [*SECTIONS, *steps]:
                self.open(address)
                self.assert_fits(f"{address} at {width}")

    def test_sections_by_keyboard(self):
        self.open("text")
        self.press(Keys.TAB)
        self.assertEqual(self.browser.switch_to.active_element.get_attribute("class"), "skip-link")
        for section in SECTIONS:
            self.press(Keys.TAB)
            self.assertEqual(self.browser.switch_to.active_element.get_attribute("data-section"), section)
        self.press(Keys.ENTER)
        self.assertEqual(self.script("return location.hash"), "#what-if")
        self.wait_until(lambda: self.script("return document.activeElement.textContent").startswith("7. What if"))

    def test_arrow_keys_in_a_heat_map_do_not_walk(self):
        self.open("step-3")
        self.find(".heat-map-view").send_keys(Keys.ARROW_RIGHT)
        self.assert_step_shown(2)

    def test_no_text_becomes_markup(self):
        for address in SECTIONS:
            self.open(address)
            self.assertEqual(len(self.find_all("main script, main b b, main img")), 0)

    def test_nothing_is_loaded(self):
        self.assertEqual(self.script("return performance.getEntriesByType('resource').map((one) => one.name)"
                                     ".filter((name) => !name.startsWith('data:'))"), [])

    def test_the_page_of_the_toy_is_small(self):
        self.assertLessEqual(PAGE.stat().st_size, 4_000_000)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
