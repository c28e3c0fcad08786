// Section 5: what the model answers at every position, what it costs, and how the loss pushes back.

function answerSection(trace, chosen) {
  const { mean, cross_entropy: crossEntropy, perplexity, tokens, correct } = trace.json.loss;
  const smoothing = trace.json.model.label_smoothing;
  return [
    lead(
      "At every position the model gives each token of the vocabulary a probability. The cross-entropy is minus the ",
      "logarithm of the expected token’s. Choose a position to see its likeliest tokens and the gradient.",
    ),
    element(
      "dl",
      { class: "figures" },
      figureTerm("loss", formatNumber(mean, 4), "mean over counted tokens"),
      figureTerm("cross-entropy", formatNumber(crossEntropy, 4), "mean, without label smoothing"),
      figureTerm("perplexity", formatNumber(perplexity, 4), "e to the cross-entropy"),
      figureTerm("correct", `${correct} of ${tokens}`, "padding is not counted"),
      figureTerm("label smoothing", String(smoothing), smoothing > 0 ? smoothedFloor(trace) : "none"),
    ),
    forSentence(trace, chosen, (sentence) => answerOf(trace, sentence)),
  ];
}

/// The least loss there is: that of a model which answers just what label smoothing asks for.
function smoothedFloor(trace) {
  const [smoothing, count] = [trace.json.model.label_smoothing, trace.json.vocabulary.target.length];
  const other = smoothing / count;
  const asked = 1 - smoothing + other;
  const least = -asked * Math.log(asked) - (count - 1) * other * Math.log(other);
  return `no loss is below ${formatNumber(least, 4)}`;
}

const figureTerm = (term, value, note) =>
  element("div", {}, element("dt", {}, term), element("dd", {}, value), element("dd", { class: "note" }, note));

function answerOf(trace, sentence) {
  const detail = element("div", { class: "answer-detail" });
  const choose = (position) => fill(detail, ...answerDetail(trace, sentence, position));
  choose(0);
  const table = answerTable(trace, sentence, choose);
  return element("div", { class: "answer" }, scrollBox("The answer at every position", table), detail);
}

function answerTable(trace, sentence, choose) {
  const positions = trace.json.answer[sentence];
  const most = Math.max(...positions.map((one) => (one.counted ? one.loss : 0)));
  const head = ["position", "input", "expected", "likeliest", "probability", "loss"];
  return titledTable(
    { class: "answers" },
    head,
    positions.map((one, position) => answerRow(trace, sentence, position, most, choose)),
  );
}

function answerRow(trace, sentence, position, most, choose) {
  const one = trace.json.answer[sentence][position];
  const radio = element("input", {
    type: "radio",
    name: "answer-position",
    checked: position === 0,
    "aria-label": `position ${position + 1}`,
    onchange: () => choose(position),
  });
  const cell = (text) => element("td", {}, element("bdi", {}, text));
  const right = one.likeliest[0].id === one.expected;
  const verdict = one.counted ? element("span", { class: right ? "right" : "wrong" }, right ? " ✓" : " ✗") : null;
  return element(
    "tr",
    { class: one.counted ? null : "pad" },
    element("th", { scope: "row" }, element("label", { class: "position" }, radio, element("span", {}, position + 1))),
    cell(trace.target.token(sentence, position)),
    cell(trace.expected.token(sentence, position)),
    element("td", {}, element("bdi", {}, one.likeliest[0].token), verdict),
    one.counted ? element("td", { class: "number" }, percent(one.probability)) : element("td", {}, "–"),
    one.counted ? element("td", {}, bar(one.loss, most)) : element("td", { class: "not-counted" }, "not counted"),
  );
}

/// A bar and its number. 0 to `most`.
function bar(value, most, text = formatNumber(value, 4)) {
  const width = `width: ${(100 * Math.max(0, value)) / (most || 1)}%`;
  return element(
    "span",
    { class: "bar" },
    element("span", { class: "bar-room" }, element("span", { class: "bar-fill", style: width })),
    element("span", { class: "number" }, text),
  );
}

/// Label smoothing asks for a little of every token, so even the best loss is not 0.
function lossWords(trace, { loss, cross_entropy: crossEntropy }) {
  const smoothing = trace.json.model.label_smoothing;
  const plain = `Cross-entropy: ${formatNumber(crossEntropy, 4)}, minus the logarithm of its probability.`;
  if (!(smoothing > 0)) return element("p", {}, plain);
  const smoothed =
    ` With label smoothing of ${smoothing}, which asks for a little of every other token too, so that a model can be ` +
    "too sure of the right one: ";
  return element("p", {}, plain, smoothed, element("b", {}, formatNumber(loss, 4)), ".");
}

function answerDetail(trace, sentence, position) {
  const one = trace.json.answer[sentence][position];
  const expected = trace.expected.token(sentence, position);
  const row = (token) =>
    element(
      "li",
      { class: token.id === one.expected && one.counted ? "expected" : null },
      element("bdi", {}, token.token),
      bar(token.probability, 1, percent(token.probability)),
    );
  const asked = one.counted
    ? ["Position ", String(position + 1), ": asked for ", element("bdi", { class: "quote" }, expected)]
    : ["Position ", String(position + 1), ": padding, not counted"];
  return [
    element("h3", {}, asked),
    one.counted ? lossWords(trace, one) : null,
    element("h4", {}, `The ${one.likeliest.length} likeliest`),
    element("ol", { class: "likeliest" }, one.likeliest.map(row)),
    element("h4", {}, "The gradient of the logits"),
    ...logitsGradient(trace, sentence, position, one.counted),
  ];
}
