// One step of the walk: its equation, output, inputs, and the lines of C++ that computed it. A backward step also shows
// the forward lines that it differentiates.

function stepView(trace, number, sentence) {
  const step = trace.steps[number];
  return [
    equation(trace, step),
    element("div", { class: "step-parts" }, stepTensors(trace, step, sentence), stepCode(trace, step, number)),
  ];
}

function stepTensors(trace, step, sentence) {
  const inputs = [...new Map(step.inputs.map((input) => [input.tensor, input])).values()];
  const names = (tensor) => [
    ...new Set(step.inputs.filter((input) => input.tensor === tensor).map((input) => input.name)),
  ];
  return element(
    "div",
    { class: "step-tensors" },
    element("h4", {}, "Output"),
    tensorFigure(trace, step.output, sentence, "output"),
    inputs.length ? element("h4", {}, inputs.length > 1 ? "Inputs" : "Input") : null,
    inputs.map(({ tensor }) => tensorFigure(trace, tensor, sentence, "in", names(tensor).join(", "))),
  );
}

function stepCode(trace, step, number) {
  const forward = step.differentiates;
  return element(
    "div",
    { class: "step-code" },
    element("h4", {}, "The code"),
    sourceCode(trace, step.code, "These lines compute the output"),
    forward ? differentiated(trace, forward) : null,
    backwardLinks(trace, number),
  );
}

function differentiated(trace, { step, file, lines }) {
  const link = element("a", { href: anchor(step), class: "forward-step" }, `forward step ${step + 1}`);
  return [
    element("p", { class: "differentiates" }, "This step differentiates ", link, ":"),
    equation(trace, trace.steps[step]),
    sourceCode(trace, { file, lines }, "The lines of the forward step"),
  ];
}

/// Links to the backward steps that differentiate a forward step.
function backwardLinks(trace, number) {
  const links = trace.steps.flatMap(({ differentiates, output }, back) => {
    if (differentiates?.step !== number) return [];
    return [" ", element("a", { href: anchor(back) }, `${trace.json.tensors[output].name} in step ${back + 1}`)];
  });
  return links.length ? element("p", { class: "way-back" }, "In the backward pass:", links) : null;
}
