// Lines of the program's source code: those that computed a step, marked, and a few lines of context.

const CONTEXT_LINES = 7;
const KEYWORDS =
  "auto bool break case class const constexpr continue double else float for if int namespace return static struct " +
  "switch template using void while";
const CODE_WORDS = new RegExp(`(//.*$)|("(?:[^"\\\\]|\\\\.)*")|\\b(?:${KEYWORDS.replaceAll(" ", "|")})\\b`, "g");

/// One line in pieces: comments, strings and keywords get elements of their own.
function codePieces(line) {
  const pieces = [];
  let end = 0;
  for (const match of line.matchAll(CODE_WORDS)) {
    pieces.push(line.slice(end, match.index));
    const kind = match[1] ? "comment" : match[2] ? "string" : "keyword";
    pieces.push(element("span", { class: kind }, match[0]));
    end = match.index + match[0].length;
  }
  pieces.push(line.slice(end));
  return pieces;
}

function codeLine(text, number, marked) {
  return element(
    "li",
    { class: marked ? "marked" : null, "data-line": number, value: number },
    element("span", { class: "line-number", "aria-hidden": "true" }, String(number)),
    element("code", {}, codePieces(text)),
  );
}

/// A figure of `file` with lines `first` to `last` marked. The caption says what these lines do.
function sourceCode(trace, { file, function: name, lines: [first, last] }, caption) {
  const text = trace.json.sources[file];
  const range = first === last ? `line ${first}` : `lines ${first}–${last}`;
  if (text === undefined) return element("p", { class: "note" }, `${file}, ${range}`);
  const all = text.replace(/\n$/, "").split("\n");
  const list = element("ol", { class: "code" });
  const box = scrollBox(`${file}, ${range} marked`, list);
  const show = (from, to) => {
    const numbers = Array.from({ length: to - from + 1 }, (_, i) => from + i);
    fill(list, ...numbers.map((n) => codeLine(all[n - 1], n, n >= first && n <= last)));
  };
  const near = [Math.max(1, first - CONTEXT_LINES), Math.min(all.length, last + CONTEXT_LINES)];
  show(...near);
  return element(
    "figure",
    { class: "source", "data-file": file },
    element(
      "figcaption",
      {},
      element("span", { class: "says" }, caption),
      name ? element("code", { class: "function" }, name) : null,
      element("span", { class: "file" }, `${file}, ${range}`),
      wholeFileButton(
        box,
        list,
        () => show(1, all.length),
        () => show(...near),
      ),
    ),
    box,
  );
}

function wholeFileButton(box, list, showAll, showNear) {
  const button = element("button", { type: "button", class: "quiet", "aria-pressed": "false" }, "Whole file");
  button.addEventListener("click", () => {
    const whole = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(whole));
    box.classList.toggle("whole", whole);
    (whole ? showAll : showNear)();
    const marked = list.querySelector(".marked");
    box.scrollTop = whole ? marked.offsetTop - 80 : 0;
  });
  return button;
}
