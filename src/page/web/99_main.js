// Builds the page. It shows one section at a time, chosen by the address: "#masks" is a section, "#step-17" a step of
// the walk. The only state is what the reader has chosen.

const SECTIONS = [
  { id: "text", short: "Text", title: "From text to numbers", view: textSection },
  { id: "masks", short: "Masks", title: "The three masks", view: maskSection },
  { id: "walk", short: "Steps", title: "Step by step", view: walkSection },
  { id: "attention", short: "Attention", title: "Attention weights", view: attentionSection },
  { id: "answer", short: "Predictions", title: "Predictions and loss", view: answerSection },
  { id: "gradient", short: "Gradient", title: "How the gradient flows back", view: gradientSection },
  { id: "what-if", short: "What if", title: "What if the masks were different?", view: whatIfSection },
];

function start(trace) {
  const chosen = { section: null, step: 0, sentence: mostPadded(trace), allSentences: false, variant: 1 };
  const page = { walk: null };
  const go = (number, keepFocus = true) => {
    chosen.step = Math.max(0, Math.min(trace.steps.length - 1, number));
    if (page.walk && chosen.section === "walk") page.walk.showStep();
    else showSection(trace, chosen, page, "walk", go);
    history.replaceState(null, "", anchor(chosen.step));
    document.title = `Step ${chosen.step + 1}: ${partTitle(trace, trace.steps[chosen.step].part)}`;
    if (!keepFocus) page.walk.focusStep();
  };
  const follow = (first) => {
    const step = /^#step-(\d+)$/.exec(location.hash);
    if (step) return go(Number(step[1]) - 1, first === true);
    const section = SECTIONS.find(({ id }) => location.hash === `#${id}`) ?? (first === true ? SECTIONS[0] : null);
    if (!section) return;
    if (section.id === "walk") go(chosen.step);
    else showSection(trace, chosen, page, section.id, go);
    if (first !== true) focusHeading();
  };
  fillFrame(trace);
  window.addEventListener("hashchange", follow);
  document.addEventListener("keydown", (event) => walkByKey(event, chosen, go));
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    showSection(trace, chosen, page, chosen.section, go);
  });
  follow(true);
}

/// The sentence with the most padding.
function mostPadded({ source, target, sentences }) {
  const padding = (text, sentence) => text.ids[sentence].filter((_, position) => text.isPad(sentence, position)).length;
  const counts = Array.from({ length: sentences }, (_, i) => padding(source, i) + padding(target, i));
  return counts.indexOf(Math.max(...counts));
}

function focusHeading() {
  document.querySelector("main h2").focus({ preventScroll: true });
  window.scrollTo(0, 0);
}

function fillFrame(trace) {
  const { glassformer: version } = trace.json;
  document.getElementById("footer").textContent =
    `Made by glassformer explain, version ${version}. This file needs no network. The program computed every number; ` +
    "matrices are rounded to 16 significant bits, or to 10 if they have more than 2,048 numbers.";
  const link = ({ id, short }, i) =>
    element(
      "a",
      { href: `#${id}`, "data-section": id },
      element("span", { class: "index" }, String(i + 1)),
      ` ${short}`,
    );
  document.getElementById("sections").append(...SECTIONS.map(link));
}

function showSection(trace, chosen, page, id, go) {
  const index = SECTIONS.findIndex((section) => section.id === id);
  const { title, view } = SECTIONS[index];
  chosen.section = id;
  const made = view(trace, chosen, go);
  page.walk = made.nodes ? made : null;
  const nodes = [...(made.nodes ?? made)].flat(Infinity).filter(Boolean);
  const heading = element("h2", { id: `${id}-title`, tabindex: -1 }, `${index + 1}. ${title}`);
  const section = element("section", { class: `view view-${id}`, "aria-labelledby": heading.id }, heading, nodes);
  document.getElementById("main").replaceChildren(section, nextSection(index));
  document.title = `${title} · one pass through a transformer`;
  for (const link of document.querySelectorAll("#sections a")) {
    if (link.dataset.section === id) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

function nextSection(index) {
  const next = SECTIONS[index + 1];
  return element(
    "p",
    { class: "next-section" },
    next
      ? element("a", { href: `#${next.id}` }, `Next: ${next.title} ›`)
      : element("a", { href: "#text" }, "Back to the start ›"),
  );
}

/// n and p move between steps. So do the right and left arrow keys, unless the focused element uses them itself.
function walkByKey(event, chosen, go) {
  if (chosen.section !== "walk" || event.defaultPrevented) return;
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  const way = { ArrowLeft: -1, ArrowRight: 1, p: -1, n: 1 }[event.key];
  if (!way || event.target.closest?.("select")) return;
  const usesArrows = event.target.closest?.("input, [role=application], .scroll-box");
  if (usesArrows && event.key.startsWith("Arrow")) return;
  event.preventDefault();
  go(chosen.step + way);
}

const trace = readTrace();

/// For tests, and for the browser's console: the number of steps, and every matrix in the trace, by its number in
/// "tensors".
window.glassformer = {
  steps: trace.steps.length,
  matrix(index) {
    const { rows, cols, numbers } = trace.matrix(index);
    return { rows, cols, numbers: [...numbers] };
  },
};

start(trace);
