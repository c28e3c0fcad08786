// Numbers as text.

/// "−1.23457": by default with six digits, enough to tell any two packed numbers apart.
export function formatNumber(number: number | null, digits = 6): string {
  if (number === null) return "not finite"; // JSON has neither NaN nor infinity
  if (Number.isNaN(number)) return "not a number";
  if (!Number.isFinite(number)) return number > 0 ? "∞" : "−∞";
  if (number === 0) return "0";
  const size = Math.abs(number);
  const text = size >= 1e6 || size < 1e-4 ? number.toExponential(digits - 1) : number.toPrecision(digits);
  const [mantissa = "", exponent] = text.split("e");
  const short = mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa;
  return (short + (exponent ? `e${exponent.replace("+", "")}` : "")).replaceAll("-", "−");
}

/// At most five characters, to fit into a cell: the number in units of 10^power.
export function formatCell(number: number, power: number): string {
  if (Number.isNaN(number)) return "NaN";
  if (!Number.isFinite(number) || number === 0) return formatNumber(number);
  const scaled = number / 10 ** power;
  const size = Math.abs(scaled);
  if (size < 0.005) return "~0";
  const text = scaled.toFixed(size < 10 ? 2 : size < 100 ? 1 : 0);
  return text.replace(/^(-?)0\./, "$1.").replace("-", "−");
}

export function percent(fraction: number | null): string {
  if (fraction === null) return formatNumber(fraction);
  if (fraction > 0.0995) return `${(100 * fraction).toFixed(0)}%`;
  return fraction < 1e-6 ? "< 0.0001%" : `${Number((100 * fraction).toPrecision(2))}%`;
}

/// "1 row", "2 rows"
export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/// [0, 1, ..., count - 1]
export const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
