// Section 3: a walk through every recorded operation, in the order of computation.

function walkSection(trace, chosen, go) {
  const title = element("h3", { id: "step-title", tabindex: -1 });
  const step = element("div", { class: "step" });
  const bar = walkBar(trace, go);
  const contents = walkContents(trace);
  const sentence = () => (chosen.allSentences ? ALL_SENTENCES : chosen.sentence);
  const showStep = () => {
    const number = chosen.step;
    fill(title, ...stepTitle(trace, number));
    fill(step, ...stepView(trace, number, sentence()));
    bar.show(number);
    contents.show(number);
  };
  showStep();
  const choice = sentenceChooser(
    trace,
    sentence(),
    (value) => {
      chosen.allSentences = value === ALL_SENTENCES;
      if (!chosen.allSentences) chosen.sentence = value;
      showStep();
    },
    true,
  );
  const nodes = [
    lead(
      "Follow every operation of the pass, forward to the loss and back again. ",
      trace.json.layer === null ? "" : `Only layer ${trace.json.layer} is shown in full. `,
      "Press the right arrow key or n for the next step, the left arrow key or p for the previous one.",
    ),
    bar.node,
    element(
      "div",
      { class: "walk" },
      contents.node,
      element("div", { class: "step-column" }, element("div", { class: "step-head" }, title, choice), step),
    ),
  ];
  return { nodes, showStep, focusStep: () => focusOn(title) };
}

/// After you follow a link, the focus moves to the step's title, which scrolls into view if necessary.
function focusOn(title) {
  title.focus({ preventScroll: true });
  title.scrollIntoView({ block: "nearest" });
}

function stepTitle(trace, number) {
  const { direction, part } = trace.steps[number];
  return [
    element("span", { class: "step-number" }, `Step ${number + 1} of ${trace.steps.length}`),
    element("span", { class: `direction ${direction}` }, direction),
    element("span", { class: "part" }, partTitle(trace, part)),
  ];
}

/// The buttons Previous and Next, a slider, and the pass as a strip: encoder, decoder, loss, and back.
function walkBar(trace, go) {
  const last = trace.steps.length - 1;
  const button = (text, name, move) =>
    element("button", { type: "button", class: name, onclick: () => go(move()) }, text);
  const slider = element("input", {
    type: "range",
    id: "slider",
    min: 1,
    max: last + 1,
    value: 1,
    "aria-label": "Step",
    oninput: () => go(Number(slider.value) - 1),
  });
  const previous = button("‹ Previous", "previous", () => Number(slider.value) - 2);
  const next = button("Next ›", "next", () => Number(slider.value));
  const strip = passStrip(trace);
  const show = (number) => {
    slider.value = number + 1;
    slider.setAttribute("aria-valuetext", `step ${number + 1}, ${partTitle(trace, trace.steps[number].part)}`);
    previous.disabled = number === 0;
    next.disabled = number === last;
    strip.show(number);
  };
  const node = element(
    "div",
    { class: "walk-bar", role: "group", "aria-label": "Steps" },
    previous,
    element("div", { class: "track" }, strip.node, slider),
    next,
  );
  return { node, show };
}

/// A link for each stretch of consecutive steps in the same part of the model. More steps make it wider.
function passStrip(trace) {
  const stretches = [];
  trace.steps.forEach(({ direction, part }, number) => {
    const top = /^(encoder|decoder)\./.test(part) ? partNames(trace, part)[0] : "loss";
    const last = stretches.at(-1);
    if (last && (last.name === top || part === "decoder") && last.direction === direction) last.count += 1;
    else stretches.push({ name: top, direction, first: number, count: 1 });
  });
  const links = stretches.map(({ name, direction, first, count }) =>
    element(
      "a",
      {
        class: `stretch ${direction}`,
        href: anchor(first),
        style: `flex-grow: ${count}`,
        title: `${direction}, ${name}`,
      },
      element("span", {}, direction === "forward" ? `${name} →` : `← ${name}`),
    ),
  );
  const show = (number) => {
    links.forEach((link, i) => {
      const { first, count } = stretches[i];
      const here = number >= first && number < first + count;
      if (here) link.setAttribute("aria-current", "step");
      else link.removeAttribute("aria-current");
    });
  };
  return { node: element("nav", { class: "strip", "aria-label": "Overview of the pass" }, links), show };
}
