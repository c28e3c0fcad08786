// The colours of heat maps, which colour-blind readers can tell apart: blue to orange for signed numbers, one hue for
// amounts. They come from the style sheet, which defines them for light and dark mode.

const SHADES = 128; // on each side of zero

const parseColour = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));

/// `count` shades, evenly spaced from the first of these colours to the last.
function shadesBetween(colours, count) {
  return Array.from({ length: count }, (_, i) => {
    const place = (i / (count - 1)) * (colours.length - 1);
    const from = Math.min(Math.floor(place), colours.length - 2);
    return colours[from].map((channel, k) => channel + (place - from) * (colours[from + 1][k] - channel));
  });
}

const brightness = ([red, green, blue]) => (0.299 * red + 0.587 * green + 0.114 * blue) / 255;

function readPalette() {
  const style = getComputedStyle(document.documentElement);
  const text = (name) => style.getPropertyValue(name).trim();
  const list = (name) => text(name).split(/\s+/).map(parseColour);
  return {
    signed: shadesBetween(list("--signed"), 2 * SHADES + 1),
    amount: shadesBetween(list("--amount"), SHADES + 1),
    ink: text("--ink"),
    faint: text("--faint"),
    paper: text("--paper"),
    grid: text("--grid"),
    blocked: text("--blocked"),
    hatch: text("--hatch"),
    accent: text("--accent"),
    fontSize: parseFloat(style.fontSize) * 0.72,
    font: getComputedStyle(document.body).fontFamily,
  };
}

/// { kind: "signed" | "amount", limit }: from -limit to limit, or from 0 to limit.
function scaleFor(...matrices) {
  const signed = matrices.some((matrix) => matrix.range.least < 0);
  return { kind: signed ? "signed" : "amount", limit: Math.max(...matrices.map((matrix) => matrix.range.size)) };
}

const power = (scale) => String(powerOf(scale)).replace("-", "−");

/// The shade of a number, [red, green, blue].
function shadeOf(palette, scale, number) {
  const fraction = scale.limit > 0 ? Math.max(-1, Math.min(1, number / scale.limit)) : 0;
  if (scale.kind === "signed") return palette.signed[Math.round((fraction + 1) * SHADES)];
  return palette.amount[Math.round(Math.max(0, fraction) * SHADES)];
}

/// Numbers in cells are in units of 10 to this power. It is 0 unless the numbers would all be tiny or too long.
function powerOf({ limit }) {
  if (!(limit > 0) || !Number.isFinite(limit) || (limit >= 0.05 && limit < 1000)) return 0;
  return Math.floor(Math.log10(limit));
}

/// A bar with the colours of a scale, and the scale's limits at its ends.
function scaleLegend(scale) {
  const [low, high] = [scale.kind === "signed" ? -scale.limit : 0, scale.limit];
  return element(
    "span",
    { class: "scale" },
    element("span", {}, formatNumber(low, 3)),
    element("span", { class: `scale-bar ${scale.kind}`, "aria-hidden": "true" }),
    element("span", {}, formatNumber(high, 3)),
    powerOf(scale) ? element("span", { class: "note" }, "cell values × 10", element("sup", {}, power(scale))) : null,
  );
}
