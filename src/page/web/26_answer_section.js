// Section 5: what the model predicts at every position, its loss, and the gradient of the logits.

function answerSection(trace, chosen) {
  const { mean, cross_entropy: crossEntropy, perplexity, tokens, correct } = trace.json.loss;
  const smoothing = trace.json.model.label_smoothing;
  return [
    lead(
      "At every position, the model gives each token of the vocabulary a probability. Cross-entropy is minus the ",
      "logarithm of the expected token’s probability. Choose a position to see its most likely tokens and gradient.",
    ),
    element(
      "dl",
      { class: "figures" },
      figureTerm("loss", formatNumber(mean, 4), "mean over counted tokens"),
      figureTerm("cross-entropy", formatNumber(crossEntropy, 4), "mean, without label smoothing"),
      figureTerm("perplexity", formatNumber(perplexity, 4), "exp(cross-entropy)"),
      figureTerm("correct", `${correct} of ${tokens}`, "padding is not counted"),
      figureTerm("label smoothing", String(smoothing), smoothing > 0 ? smoothedFloor(trace) : "none"),
    ),
    forSentence(trace, chosen, (sentence) => answerOf(trace, sentence)),
  ];
}

/// The lowest possible loss: that of a model that predicts exactly the smoothed target distribution.
function smoothedFloor(trace) {
  const [smoothing, count] = [trace.json.model.label_smoothing, trace.json.vocabulary.target.length];
  const other = smoothing / count;
  const expected = 1 - smoothing + other;
  const lowest = -expected * Math.log(expected) - (count - 1) * other * Math.log(other);
  return `lowest possible loss: ${formatNumber(lowest, 4)}`;
}

const figureTerm = (term, value, note) =>
  element("div", {}, element("dt", {}, term), element("dd", {}, value), element("dd", { class: "note" }, note));

function answerOf(trace, sentence) {
  const detail = element("div", { class: "answer-detail" });
  const choose = (position) => fill(detail, ...answerDetail(trace, sentence, position));
  choose(0);
  const table = answerTable(trace, sentence, choose);
  return element("div", { class: "answer" }, scrollBox("The prediction at every position", table), detail);
}

function answerTable(trace, sentence, choose) {
  const positions = trace.json.answer[sentence];
  const maxLoss = Math.max(...positions.map((one) => (one.counted ? one.loss : 0)));
  const head = ["position", "input", "expected", "most likely", "P(expected)", "loss"];
  return titledTable(
    { class: "answers" },
    head,
    positions.map((one, position) => answerRow(trace, sentence, position, maxLoss, choose)),
  );
}

function answerRow(trace, sentence, position, maxLoss, choose) {
  const one = trace.json.answer[sentence][position];
  const radio = element("input", {
    type: "radio",
    name: "answer-position",
    checked: position === 0,
    "aria-label": `position ${position}`,
    onchange: () => choose(position),
  });
  const cell = (text) => element("td", {}, element("bdi", {}, text));
  const right = one.likeliest[0].id === one.expected;
  const verdict = one.counted ? element("span", { class: right ? "right" : "wrong" }, right ? " ✓" : " ✗") : null;
  return element(
    "tr",
    { class: one.counted ? null : "pad" },
    element("th", { scope: "row" }, element("label", { class: "position" }, radio, element("span", {}, position))),
    cell(trace.target.token(sentence, position)),
    cell(trace.expected.token(sentence, position)),
    element("td", {}, element("bdi", {}, one.likeliest[0].token), verdict),
    one.counted ? element("td", { class: "number" }, percent(one.probability)) : element("td", {}, "–"),
    one.counted ? element("td", {}, bar(one.loss, maxLoss)) : element("td", { class: "not-counted" }, "not counted"),
  );
}

/// A bar that is full if the value is `max`, and its number.
function bar(value, max, text = formatNumber(value, 4)) {
  const width = `width: ${(100 * Math.max(0, value)) / (max || 1)}%`;
  return element(
    "span",
    { class: "bar" },
    element("span", { class: "bar-track" }, element("span", { class: "bar-fill", style: width })),
    element("span", { class: "number" }, text),
  );
}

/// Label smoothing gives every token a target probability above 0, so even the lowest loss is above 0.
function lossText(trace, { loss, cross_entropy: crossEntropy }) {
  const smoothing = trace.json.model.label_smoothing;
  const plain = `Cross-entropy: ${formatNumber(crossEntropy, 4)} (minus the logarithm of the token’s probability).`;
  if (!(smoothing > 0)) return element("p", {}, plain);
  const smoothed =
    ` Label smoothing of ${smoothing} expects a little probability for every other token, so it penalises a model ` +
    "that is too confident. Loss with label smoothing: ";
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
  const heading = one.counted
    ? ["Position ", String(position), ": expected ", element("bdi", { class: "quote" }, expected)]
    : ["Position ", String(position), ": padding, not counted"];
  return [
    element("h3", {}, heading),
    one.counted ? lossText(trace, one) : null,
    element("h4", {}, `The ${one.likeliest.length} most likely tokens`),
    element("ol", { class: "likeliest" }, one.likeliest.map(row)),
    element("h4", {}, "The gradient of the logits"),
    ...logitsGradient(trace, sentence, position, one.counted),
  ];
}
