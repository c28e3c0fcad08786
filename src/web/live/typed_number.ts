// Numbers as a reader may type them: "0.5", "0,5", "−3", "1/3", "√16", "sqrt(16)", "sqrt 16".
const DIGITS = String.raw`\d+(?:\.\d*)?|\.\d+`;
const FACTOR = String.raw`(?:${DIGITS})(?:e-?\d+)?|√\(?(?:${DIGITS})\)?`;
const QUOTIENT = new RegExp(String.raw`^(-?)(${FACTOR})(?:/(${FACTOR}))?$`);

function factorOf(text: string): number {
  if (!text.startsWith("√")) return Number(text);
  return Math.sqrt(Number(text.replaceAll(/[√()]/g, "")));
}

/// Null if the text is not a number, or not a finite one.
export function typedNumber(text: string): number | null {
  const plain = text
    .toLowerCase()
    .replaceAll(/\s+/g, "")
    .replaceAll(",", ".")
    .replaceAll("−", "-")
    .replaceAll("sqrt", "√");
  const [, sign, above, below] = QUOTIENT.exec(plain) ?? [];
  if (above === undefined) return null;
  const size = factorOf(above) / (below === undefined ? 1 : factorOf(below));
  if (!Number.isFinite(size)) return null;
  return sign && size !== 0 ? -size : size;
}
