"""Tests, in a browser, what the page of `glassformer explain` says about masks: why a cell is blocked, and other
sentences that depend on the masks that are on. Each model has all masks, or lacks one or two.

    python3 tests/page/test_reasons.py DIRECTORY

DIRECTORY has a page and its trace for each model, named after the masks that are off: all.html, look_ahead.html,
look_ahead+cross_padding.html, ...; scripts/dev/test_page.sh makes them. The expected text follows from these names and
the ids of the batch alone. other.html is the page of a model with other settings, for a single sentence.
"""

import functools
import itertools
import json
import sys
import unittest
from pathlib import Path

from page_test import READ_MAP, PageTest, number_in
from selenium.webdriver.common.keys import Keys

DIRECTORY = Path(sys.argv[1]).resolve()
SWITCHES = ["encoder_padding", "look_ahead", "target_padding", "cross_padding"]
KINDS = ["encoder self", "decoder self", "cross"]
SENTENCES = {
    "": "",
    "padding": "this key is padding",
    "future": "this key is in the future",
    "padding future": "this key is padding, and it is in the future",
    "query": "this query is padding",
    "padding query": "this key is padding, and this query is padding",
    "future query": "this key is in the future, and this query is padding",
    "padding future query": "this key is padding, it is in the future, and this query is padding",
    "inverted": "the model’s own mask has a 0 here, and 0 is read as blocked",
}


class Model:
    """One of the models: its masks, its batch, and why each cell is blocked."""

    def __init__(self, off):
        self.off = off
        self.page = DIRECTORY / f"{'+'.join(off) or 'all'}.html"
        self.trace = json.loads(self.page.with_suffix(".json").read_text(encoding="utf-8"))
        batch = self.trace["batch"]
        self.source = [[id_ == batch["pad"]["source"] for id_ in ids] for ids in batch["source"]["ids"]]  # is padding
        self.target = [[id_ == batch["pad"]["target"] for id_ in ids] for ids in batch["target_input"]["ids"]]

    def sides(self, kind):
        """For the queries and the keys of a kind of attention, which of them are padding."""
        return (self.source if kind == "encoder self" else self.target,
                self.target if kind == "decoder self" else self.source)

    def has(self, mask, variant="right"):
        left_out = {"no_look_ahead": ["look_ahead"], "no_cross_mask": ["cross_padding"],
                    "no_padding_masks": ["encoder_padding", "target_padding", "cross_padding"]}.get(variant, [])
        return variant == "all_masks" or (mask not in self.off and mask not in left_out)

    def why(self, kind, sentence, query, key, variant="right"):
        """Why the query may not attend to the key: a key of SENTENCES."""
        queries, keys = self.sides(kind)
        padding = {"encoder self": "encoder_padding", "decoder self": "target_padding", "cross": "cross_padding"}[kind]
        late = {"next_word_visible": 1, "future_of_three": 3}.get(variant, 0)
        words = []
        if keys[sentence][key] and self.has(padding, variant):
            words.append("padding")
        if kind == "decoder self" and key > query + late and (late or self.has("look_ahead", variant)):
            words.append("future")
        if variant == "padded_queries" and kind != "cross" and queries[sentence][query]:
            words.append("query")
        if variant == "inverted":
            words = [] if words else ["inverted"]
        return " ".join(words)

    def reasons(self, kind, sentence, variant="right"):
        """All cells of a sentence, row by row."""
        queries, keys = self.sides(kind)
        places = itertools.product(range(len(queries[sentence])), range(len(keys[sentence])))
        return [self.why(kind, sentence, query, key, variant) for query, key in places]

    def changed(self, variant):
        return [kind for kind in KINDS if any(
            bool(now) != bool(then) for sentence in range(len(self.source))
            for now, then in zip(self.reasons(kind, sentence, variant), self.reasons(kind, sentence)))]


MODELS = [Model(off) for count in range(3) for off in itertools.combinations(SWITCHES, count)]


# For each heat map in an element, what its readout shows for each cell, row by row.
READ_MAPS = f"""
const [root] = arguments;
const readMap = function () {{ {READ_MAP} }};
return (async () => {{
  const maps = [];
  for (const view of root.querySelectorAll(".heat-map-view"))
    maps.push(await readMap(view, (view.closest(".head-row") ?? root).querySelector(".readout")));
  return maps;
}})();
"""


def for_every_model(test):
    @functools.wraps(test)
    def of_all(self):
        for model in MODELS:
            with self.subTest(off=model.off):
                self.page = model.page
                test(self, model)
    return of_all


class ReasonsTest(PageTest):
    def sentences(self, model, section):
        self.open(section)
        for sentence in range(len(model.source)):
            self.choose_sentence(sentence)
            yield sentence

    def variants(self, model):
        for number, variant in enumerate(model.trace["what_if"][1:], 1):
            self.script("arguments[0].click()", self.find(f".variant-chooser input[value='{number}']"))
            yield variant

    def assert_masks(self, texts, reasons):
        self.assertEqual(texts, [[f"1, blocked: {SENTENCES[why]}" if why else "0, visible" for why in one]
                                 for one in reasons])

    def assert_weights(self, heads, reasons):
        for texts in heads:
            for text, why in zip(texts, reasons, strict=True):
                if why:
                    self.assertEqual(text, f"0, blocked: {SENTENCES[why]}")
                else:
                    self.assertNotIn("blocked", text)

    def test_the_batches_are_padded_on_both_sides(self):
        for model in MODELS:
            self.assertTrue(any(map(any, model.source)) and any(map(any, model.target)))
            self.assertEqual(model.trace["model"]["learned_without"], list(model.off))

    @for_every_model
    def test_why_a_cell_of_a_mask_is_blocked(self, model):
        for sentence in self.sentences(model, "masks"):
            encoder, combined, cross = (model.reasons(kind, sentence) for kind in KINDS)
            future, padding = ([one if one in why.split() else "" for why in combined] for one in ("future", "padding"))
            shown = self.script(READ_MAPS, self.find(".view-masks"))
            self.assert_masks(shown, [encoder, future, padding, combined, cross])

    @for_every_model
    def test_why_a_weight_is_blocked(self, model):
        for sentence in self.sentences(model, "attention"):
            for figure, layer in zip(self.find_all(".attention"), model.trace["attention"], strict=True):
                self.assert_weights(self.script(READ_MAPS, figure), model.reasons(layer["kind"], sentence))

    @for_every_model
    def test_why_a_weight_of_a_step_is_blocked(self, model):
        layer = next(one for one in model.trace["attention"] if one["kind"] == "decoder self")
        number = next(i for i, step in enumerate(model.trace["steps"]) if step["output"] == layer["weights"])
        for sentence in self.sentences(model, f"step-{number + 1}"):
            shown = self.script(READ_MAPS, self.find(".tensor.output"))
            self.assert_weights(shown, model.reasons("decoder self", sentence))

    @for_every_model
    def test_why_a_cell_of_a_variant_is_blocked(self, model):
        for sentence in self.sentences(model, "what-if"):
            for variant in self.variants(model):
                name = variant["name"]
                changed = model.changed(name)
                shown = self.script(READ_MAPS, self.find(".variant"))  # masks, then heads; each unchanged, then changed
                self.assert_masks(shown[:2 * len(changed)], [
                    model.reasons(kind, sentence, which) for kind in changed for which in ("right", name)])
                kind, heads = changed[0] if changed else "encoder self", model.trace["model"]["heads"]
                sides = ["right", name] if changed else ["right"]
                self.assertEqual(len(shown), 2 * len(changed) + len(sides) * heads)
                for i, which in enumerate(sides):
                    first = 2 * len(changed) + i * heads
                    self.assert_weights(shown[first:first + heads], model.reasons(kind, sentence, which))

    @for_every_model
    def test_attention_to_padding_and_predictions_for_a_sentence_alone(self, model):
        vocabulary, own = model.trace["vocabulary"]["target"], model.trace["what_if"][0]
        for sentence in self.sentences(model, "what-if"):
            for variant in self.variants(model):
                changes = bool(model.changed(variant["name"]))
                self.assertEqual(self.texts(".answers-compared thead th")[1:],
                                 ["unchanged", "unchanged, alone", "changed", "changed, alone"] if changes
                                 else ["in the batch", "alone"])
                self.assertEqual(self.texts(".losses.padding thead th")[1:],
                                 ["unchanged", "changed"] if changes else ["in the batch"])
                for kind in KINDS:
                    shown = [float(text.rstrip("%")) for text in self.texts(f"[data-kind='{kind}'] .number")]
                    for percent, one in zip(shown, (own, variant) if changes else (own,), strict=True):
                        expected = 100 * self.attention_to_padding(model, one, kind, sentence)
                        self.assertAlmostEqual(percent, expected, delta=0.0051 * 100 if expected > 9 else 0.06)
                rows = self.script(
                    "const texts = (row, what) => [...row.querySelectorAll(what)].map((one) => one.textContent.trim());"
                    "return [...document.querySelectorAll('.answers-compared tbody tr')].map((row) =>"
                    "[texts(row, 'td bdi'), texts(row, '.right, .wrong'), texts(row, '.number'), row.textContent])")
                columns = (own, own["alone"], *((variant, variant["alone"]) if changes else ()))
                expected = model.trace["batch"]["target_output"]["ids"][sentence]
                for position, (words, signs, losses, text) in enumerate(rows[:-1]):
                    answers = [one["answers"][sentence][position] for one in columns]
                    if answers[0] is None:
                        self.assertIn("not counted", text)
                        continue
                    self.assertEqual(words, [vocabulary[answer] for answer in answers])
                    self.assertEqual(signs, ["✓" if answer == expected[position] else "✗" for answer in answers])
                    for loss, one in zip(losses, columns, strict=True):
                        self.assertAlmostEqual(number_in(loss), one["losses"][sentence][position], delta=1e-3)

    def attention_to_padding(self, model, variant, kind, sentence):
        """The weight on padded keys, averaged over layers, heads and words."""
        queries, keys = model.sides(kind)
        heads, sums = model.trace["model"]["heads"], []
        for layer, weights in zip(model.trace["attention"], variant["attention"]):
            if layer["kind"] != kind:
                continue
            for head, query in itertools.product(range(heads), range(len(queries[sentence]))):
                if queries[sentence][query]:
                    continue
                row = (sentence * heads + head) * len(queries[sentence]) + query
                numbers = weights["numbers"][row * weights["cols"]:(row + 1) * weights["cols"]]
                sums.append(sum(number for number, pad in zip(numbers, keys[sentence]) if pad))
        return sum(sums) / len(sums)

    @for_every_model
    def test_the_sentences_about_masks(self, model):
        self.open("masks")
        for mask, parts in {"encoder_padding": ["encoder_padding"], "look_ahead": ["look_ahead"],
                            "target_padding": ["target_padding"], "cross_padding": ["cross_padding"],
                            "decoder_combined": ["look_ahead", "target_padding"]}.items():
            note = self.text(f"[data-mask={mask}] .note")
            missing = [part for part in parts if part in model.off]
            self.assertEqual("off" in note.lower(), len(missing) == len(parts), note)
            self.assertEqual(note == "Only one of the two is on.", 0 < len(missing) < len(parts), note)
        seen = [kind for kind in KINDS if any(
            why == "" and not query and key
            for sentence, queries in enumerate(model.sides(kind)[0])
            for (query, key), why in zip(itertools.product(queries, model.sides(kind)[1][sentence]),
                                         model.reasons(kind, sentence)))]
        note = self.find_all(".view-masks p.note")[-1].get_attribute("textContent")
        titles = {"encoder self": "encoder self-attention", "decoder self": "decoder self-attention",
                  "cross": "cross-attention"}
        self.assertEqual("No word attends to their outputs" in note, not seen)
        for kind in KINDS:
            self.assertEqual(titles[kind] in note, kind in seen, note)

        self.open("attention")
        sentences = dict(zip(KINDS, self.texts(".attention-kind > p"), strict=True))
        for kind, mask in zip(KINDS, ("encoder_padding", "target_padding", "cross_padding")):
            self.assertEqual("but not to padding" in sentences[kind], mask not in model.off)
            self.assertEqual("padding included" in sentences[kind], kind in seen)
            self.assertEqual("no word attends to it" in sentences[kind], mask in model.off and kind not in seen)
        self.assertEqual("the tokens before it" in sentences["decoder self"], "look_ahead" not in model.off)
        self.show_without_source_padding()
        self.assertNotIn("padding", self.texts(".attention-kind > p")[KINDS.index("cross")])
        self.open("gradient")
        self.assertEqual("padding gets a gradient too" in self.text(".lead"), "cross_padding" in model.off)
        self.assertEqual("at padded positions is exactly 0" in self.text(".lead"), "cross_padding" not in model.off)
        self.show_without_source_padding()
        self.assertIn("This batch’s source has no padding.", self.text(".lead"))

    def show_without_source_padding(self):
        self.script("const json = JSON.parse(document.getElementById('trace').textContent);"
                    "json.batch.pad.source = -1; window.glassformer.show(json)")

    @for_every_model
    def test_the_decoder_reads_what_no_mask_blocks(self, model):
        self.open("text")
        self.assertEqual("its look-ahead mask is off" in self.text("main"), "look_ahead" in model.off)
        for sentence, figure in enumerate(self.find_all("figure.shift")):
            tokens = model.trace["batch"]["target_input"]["tokens"][sentence]
            expected = model.trace["batch"]["target_output"]["tokens"][sentence]
            for position, radio in enumerate(self.find_all("input", figure)):
                self.script("arguments[0].click()", radio)
                read = [not model.why("decoder self", sentence, position, key) for key in range(len(tokens))]
                marked = self.script("return [...arguments[0].querySelectorAll('.input td')]"
                                     ".map((cell) => cell.matches('.read'))", figure)
                self.assertEqual(marked, read)
                if expected[position] != "<pad>":
                    words = " ".join(token for token, is_read in zip(tokens, read) if is_read)
                    self.assertEqual(self.texts(".readout strong", figure), [words, expected[position]])

    def test_every_section_follows_a_trace_that_replaces_another(self):
        """Afterwards, a page shows what the page of the new trace shows, with the same choices."""
        other = DIRECTORY / "other.html"
        read = "return document.getElementById('trace').textContent"
        self.page = other
        self.open("text")
        its_trace = self.script(read)
        steps = len(json.loads(its_trace)["steps"])
        self.assertNotEqual(steps, len(MODELS[0].trace["steps"]))
        for address in ("text", "masks", "attention", "answer", "gradient", "what-if", "step-3", "step-999"):
            self.page = MODELS[0].page
            self.open(address)
            if address != "text":
                self.choose_sentence(1)  # which the other trace does not have
            with_cursor = address in ("masks", "attention", "step-3")  # whose first map stays
            if with_cursor:
                self.find(".heat-map-view").send_keys(Keys.ARROW_RIGHT)
            before = self.shown()
            self.script("window.glassformer.show(JSON.parse(arguments[0]))", its_trace)
            after = self.shown()
            self.page = other
            self.open(address if address != "step-999" else f"step-{min(steps, len(MODELS[0].trace['steps']))}")
            if with_cursor:
                self.find(".heat-map-view").send_keys(Keys.ARROW_RIGHT)
            self.assertNotEqual(before, after, address)
            self.assertEqual(after, self.shown(), address)

    def shown(self):
        """The address, the title, and the main part of the page, without what depends on its history: the names of groups
        of radio buttons, sizes that the drawing sets, and whether the cursor is visible."""
        return self.script(
            "const main = document.getElementById('main').cloneNode(true);"
            "main.querySelectorAll('canvas').forEach((one) => one.remove());"
            "for (const one of main.querySelectorAll('input')) one.removeAttribute('name');"
            "for (const one of main.querySelectorAll('.sheet, .heat-map-view')) one.removeAttribute('style');"
            "return [location.hash, document.title, main.innerHTML]")

    def test_the_sentences_for_pre_norm_without_label_smoothing_and_dropout(self):
        model = MODELS[0]
        self.page = model.page
        self.open("text")
        self.assertIn("pre-norm", self.text("main"))
        self.assertIn("no dropout in the pass shown here", self.text("main"))
        part = "encoder.layers.0.self_attn_layer_norm"
        number = next(i for i, step in enumerate(model.trace["steps"]) if step["part"] == part)
        self.open(f"step-{number + 1}")
        self.assertEqual(self.text(".part"), "encoder layer 0 · norm & add around self-attention")
        self.open("what-if")
        self.assertIn("The perplexity is exp(loss).", self.texts("p.note"))
        self.open("gradient")
        groups = {self.text("h4", group): self.texts("th[scope=row]", group) for group in self.find_all(".norm-group")}
        self.assertIn("encoder.layer_norm.weight", groups["outside the layers"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
