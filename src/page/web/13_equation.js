// The equation of a step. Each input in it is a link to the step that computed it; what no step computed is given.

const anchor = (number) => `#step-${number + 1}`;

/// "W^T" with the T raised; sqrt(...) with its sign.
function mathematics(text) {
  return text
    .replaceAll("sqrt(", "√(")
    .replaceAll("-infinity", "−∞")
    .replaceAll(/(^| )- /g, "$1− ")
    .split(/(\^T\b)/)
    .map((piece) => (piece === "^T" ? element("sup", {}, "T") : piece));
}

function inputLink(trace, input) {
  const maker = trace.maker(input.tensor);
  if (maker === undefined) {
    const title = givenWords(trace, input.tensor, input.name);
    return element(
      "span",
      { class: "input given", title },
      input.name,
      element("span", { class: "hidden" }, ` (${title.split(":")[0]})`),
    );
  }
  const title = `computed in step ${maker + 1}: ${partTitle(trace, trace.steps[maker].part)}`;
  return element("a", { class: "input", href: anchor(maker), title }, input.name);
}

function equation(trace, step) {
  const byName = new Map(step.inputs.map((input) => [input.name, input]));
  const [result, ...rest] = step.equation.split(/\s*(\+?=)\s*/);
  const pieces = rest.join(" ").split(/\{([^}]+)\}/);
  const shown = pieces.map((piece, i) => {
    if (i % 2 === 0) return mathematics(piece);
    return byName.has(piece) ? inputLink(trace, byName.get(piece)) : piece;
  });
  if (rest.length === 0) return element("p", { class: "equation" }, mathematics(result));
  return element("p", { class: "equation" }, element("span", { class: "output" }, mathematics(result)), " ", shown);
}
