// The colours of heat maps, which colour-blind readers can tell apart: blue to orange for signed numbers, one hue for
// amounts. They come from base/tokens.css, which defines them for light and dark mode.
import type { Scale } from "./scale";

export type Colour = [red: number, green: number, blue: number];

export interface Palette {
  signed: Colour[];
  amount: Colour[];
  ink: string;
  faint: string;
  paper: string;
  grid: string;
  blocked: string;
  hatch: string;
  fade: number;
  accent: string;
  warm: string;
  onLight: string;
  onDark: string;
  fontSize: number;
  font: string;
}

const SHADES = 128; // on each side of zero

/// "#0b5cad" or "#fff"
function parseColour(hex: string): Colour {
  const digits = hex.trim().slice(1);
  const long = digits.length === 3 ? [...digits].map((digit) => digit + digit).join("") : digits;
  const channel = (at: number) => parseInt(long.slice(at, at + 2), 16);
  return [channel(0), channel(2), channel(4)];
}

/// `count` shades, evenly spaced from the first of these colours to the last.
function shadesBetween(colours: Colour[], count: number): Colour[] {
  return Array.from({ length: count }, (_, i) => {
    const place = (i / (count - 1)) * (colours.length - 1);
    const first = Math.min(Math.floor(place), colours.length - 2);
    const [from, to] = [colours[first]!, colours[first + 1]!];
    return from.map((channel, k) => channel + (place - first) * (to[k]! - channel)) as Colour;
  });
}

const known = new Map<string, Colour[]>();

/// The shades of a list of colours, such as "#0b5cad, #fff". A page has few lists, and many maps that use them.
function shadesOf(colours: string, count: number): Colour[] {
  const shades = known.get(colours) ?? shadesBetween(colours.split(",").map(parseColour), count);
  known.set(colours, shades);
  return shades;
}

const texts = new WeakMap<Colour, string>();

/// A colour for a style sheet or a canvas.
export function colourText(colour: Colour): string {
  const text = texts.get(colour) ?? `rgb(${colour.map(Math.round).join(" ")})`;
  texts.set(colour, text);
  return text;
}

export const brightness = ([red, green, blue]: Colour): number => (0.299 * red + 0.587 * green + 0.114 * blue) / 255;

export function readPalette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const text = (name: string) => style.getPropertyValue(name).trim();
  return {
    signed: shadesOf(text("--signed"), 2 * SHADES + 1),
    amount: shadesOf(text("--amount"), SHADES + 1),
    ink: text("--ink"),
    faint: text("--faint"),
    paper: text("--paper"),
    grid: text("--grid"),
    blocked: text("--blocked"),
    hatch: text("--hatch"),
    fade: Number(text("--fade")),
    accent: text("--accent"),
    warm: text("--warm"),
    onLight: text("--on-light"),
    onDark: text("--on-dark"),
    fontSize: parseFloat(style.fontSize) * 0.72,
    font: getComputedStyle(document.body).fontFamily,
  };
}

export function shadeOf(palette: Palette, scale: Scale, number: number): Colour {
  const fraction = scale.limit > 0 ? Math.max(-1, Math.min(1, number / scale.limit)) : 0;
  if (scale.kind === "signed") return palette.signed[Math.round((fraction + 1) * SHADES)]!;
  return palette.amount[Math.round(Math.max(0, fraction) * SHADES)]!;
}
