// Small helpers that build elements and format numbers. All text from the trace enters the page here, as text and never
// as HTML, so a sentence may contain any characters.
"use strict";

/// element("p", { class: "note", onclick: f }, "text", child): an attribute that is false or null is left out.
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (typeof value === "function") made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return made;
}

/// "−1.23457": by default with six digits, enough to tell any two packed numbers apart.
function formatNumber(number, digits = 6) {
  if (number === null) return "not finite"; // JSON has neither NaN nor infinity
  if (Number.isNaN(number)) return "not a number";
  if (!Number.isFinite(number)) return number > 0 ? "∞" : "−∞";
  if (number === 0) return "0";
  const size = Math.abs(number);
  const text = size >= 1e6 || size < 1e-4 ? number.toExponential(digits - 1) : number.toPrecision(digits);
  const [mantissa, exponent] = text.split("e");
  const short = mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa;
  return (short + (exponent ? "e" + exponent.replace("+", "") : "")).replaceAll("-", "−");
}

/// At most five characters, to fit into a cell: the number in units of 10^power.
function formatCell(number, power) {
  if (Number.isNaN(number)) return "NaN";
  if (!Number.isFinite(number) || number === 0) return formatNumber(number);
  const scaled = number / 10 ** power;
  const size = Math.abs(scaled);
  if (size < 0.005) return "~0";
  const text = scaled.toFixed(size < 10 ? 2 : size < 100 ? 1 : 0);
  return text.replace(/^(-?)0\./, "$1.").replace("-", "−");
}

function fill(node, ...children) {
  node.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
}

function percent(fraction) {
  if (fraction === null) return formatNumber(fraction);
  if (fraction > 0.0995) return `${(100 * fraction).toFixed(0)}%`;
  return fraction < 1e-6 ? "< 0.0001%" : `${Number((100 * fraction).toPrecision(2))}%`;
}

/// "1 row", "2 rows"
const plural = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

/// What to read first in a section.
const lead = (...children) => element("p", { class: "lead" }, ...children);

const titledTable = (attributes, titles, rows) =>
  element(
    "table",
    attributes,
    element(
      "thead",
      {},
      element(
        "tr",
        {},
        titles.map((title) => element("th", { scope: "col" }, title)),
      ),
    ),
    element("tbody", {}, rows),
  );

/// A box that scrolls sideways if its content is too wide, by keyboard too.
const scrollBox = (name, ...children) =>
  element("div", { class: "scroll-box", tabindex: 0, role: "group", "aria-label": name }, ...children);

/// Radio buttons to choose one of several options. They are one tab stop, and the arrow keys choose.
function chooser(legend, options, chosen, choose) {
  chooser.count = (chooser.count ?? 0) + 1;
  const button = ({ value, text }) =>
    element(
      "label",
      {},
      element("input", {
        type: "radio",
        name: `choice-${chooser.count}`,
        value: String(value),
        checked: value === chosen,
        onchange: () => choose(value),
      }),
      element("span", {}, text),
    );
  return element("fieldset", { class: "chooser" }, element("legend", {}, legend), options.map(button));
}
