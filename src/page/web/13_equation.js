// The equation of a step. Each input links to the step that computed it, if the trace has that step.

const anchor = (number) => `#step-${number + 1}`;

/// "W^T" with a superscript T, "sqrt(...)" as "√(...)".
function typesetFormula(text) {
  return text
    .replaceAll("sqrt(", "√(")
    .replaceAll("-infinity", "−∞")
    .replaceAll(/(^| )- /g, "$1− ")
    .split(/(\^T\b)/)
    .map((piece) => (piece === "^T" ? element("sup", {}, "T") : piece));
}

function inputLink(trace, input) {
  const producer = trace.producer(input.tensor);
  if (producer === undefined) {
    const title = originText(trace, input.tensor, input.name);
    return element(
      "span",
      { class: "input given", title },
      input.name,
      element("span", { class: "hidden" }, ` (${title.split(":")[0]})`),
    );
  }
  const title = `computed in step ${producer + 1}: ${partTitle(trace, trace.steps[producer].part)}`;
  return element("a", { class: "input", href: anchor(producer), title }, input.name);
}

function equation(trace, step) {
  const byName = new Map(step.inputs.map((input) => [input.name, input]));
  const [result, ...rest] = step.equation.split(/\s*(\+?=)\s*/);
  const pieces = rest.join(" ").split(/\{([^}]+)\}/);
  const shown = pieces.map((piece, i) => {
    if (i % 2 === 0) return typesetFormula(piece);
    return byName.has(piece) ? inputLink(trace, byName.get(piece)) : piece;
  });
  if (rest.length === 0) return element("p", { class: "equation" }, typesetFormula(result));
  return element("p", { class: "equation" }, element("span", { class: "output" }, typesetFormula(result)), " ", shown);
}
